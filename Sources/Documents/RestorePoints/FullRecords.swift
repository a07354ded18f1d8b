import Journaling
import Threading

/// The sets of records that had no room when they were counted last, so that each refused request
/// need not read all of them again.
final class FullRecords: Sendable {
    private let times = Lock<[String: Timestamp]>([:])

    /// How long a set counts as full: in this time only what ends by itself makes room.
    private static let pause = 10_000
    /// The limit on records that one request removes because their time is over: others wait for
    /// the commits of one that comes when all are over.
    static let removedMax = 100

    func isFull(_ set: String, at now: Timestamp) -> Bool {
        times.withLock { $0[set].map { FullRecords.isRecent($0, at: now) } ?? false }
    }

    func note(_ set: String, at now: Timestamp) {
        times.withLock { times in
            times = times.filter { FullRecords.isRecent($0.value, at: now) }
            times[set] = now
        }
    }

    /// A record was removed.
    func forget() {
        times.withLock { $0 = [:] }
    }

    private static func isRecent(_ time: Timestamp, at now: Timestamp) -> Bool {
        (0..<pause).contains(now.milliseconds - time.milliseconds)
    }
}
