import Journaling
import Threading

/// The sets of records that had no room when they were counted last, so that each refused request
/// need not read all of them again.
final class FullRecords: Sendable {
    /// From when to when each set counts as full.
    private let times = Lock<[String: ClosedRange<Timestamp>]>([:])

    /// How long a set counts as full, if no record ends by itself before.
    private static let pause = 10_000
    /// The limit on records that one request removes because their time is over: others wait for
    /// the commits of one that comes when all are over.
    static let removedMax = 100

    func isFull(_ set: String, at now: Timestamp) -> Bool {
        times.withLock { $0[set]?.contains(now) ?? false }
    }

    /// `end`: when the first of the records ends by itself.
    func note(_ set: String, at now: Timestamp, until end: Timestamp?) {
        let last = min(now.milliseconds + FullRecords.pause, (end?.milliseconds ?? .max) - 1)
        guard last >= now.milliseconds else { return }
        times.withLock { times in
            times = times.filter { $0.value.contains(now) }
            times[set] = now...Timestamp(milliseconds: last)
        }
    }

    /// A record was removed.
    func forget() {
        times.withLock { $0 = [:] }
    }
}
