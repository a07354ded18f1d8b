import DocumentCore
import Threading

/// The time of day at the start, advanced by a clock that is never set.
///
/// The system's clock may be set while the daemon runs, by hours or years. That must neither reach
/// deadlines nor forget keys. So the time advances steadily, and approaches the system's by at most
/// `rateMax`; the next start adopts the rest.
public final class SteadyClock: Sendable {
    /// How fast a difference to the system's clock shrinks at most: six seconds in a minute.
    static let rateMax = 10
    /// A larger difference is reported, once.
    public static let differenceMax = Duration.seconds(10)

    fileprivate struct State {
        var elapsed: Duration
        var time: Duration
        var isTold = false
    }

    private let state: Lock<State>
    private let wall: @Sendable () -> Duration
    private let elapsed: @Sendable () -> Duration
    private let notify: @Sendable (Duration) -> Void

    /// - Parameters:
    ///   - wall: The system's time since 1970, or that of another authority.
    ///   - start: The time to begin with, if that is another one.
    ///   - elapsed: A time that only advances.
    ///   - notify: Receives how far the system's clock is ahead when it was set by more than
    ///     `differenceMax`; negative if it is behind.
    public init(
        wall: @escaping @Sendable () -> Duration, from start: Duration? = nil,
        elapsed: @escaping @Sendable () -> Duration,
        notify: @escaping @Sendable (Duration) -> Void
    ) {
        self.wall = wall
        self.elapsed = elapsed
        self.notify = notify
        state = Lock(State(elapsed: elapsed(), time: start ?? wall()))
    }

    /// The initial time, from the clock here and that of the store that daemons share: the store's,
    /// unless they differ much. Then it is the earlier one: either may be wrong, and keys that are
    /// forgotten too early are lost.
    public static func beginning(here: Duration, there: Duration) -> Duration {
        let isFar = max(here - there, there - here) > differenceMax
        return isFar ? min(here, there) : there
    }

    /// The time. It never goes back.
    public func now() -> Timestamp {
        let (wall, elapsed) = (wall(), elapsed())
        let (time, told) = state.withLock { $0.follow(wall, elapsed) }
        if let told { notify(told) }
        return Timestamp(milliseconds: Int(time / .milliseconds(1)))
    }
}

extension SteadyClock.State {
    /// Advances to `elapsed`. Returns the time, and the difference to the system's if that is new.
    fileprivate mutating func follow(
        _ wall: Duration, _ elapsed: Duration
    ) -> (time: Duration, told: Duration?) {
        let step = max(.zero, elapsed - self.elapsed)
        self.elapsed += step
        let ahead = wall - (time + step)
        let most = step / SteadyClock.rateMax
        time += step + max(.zero - most, min(most, ahead))
        let left = wall - time
        let isLarge = max(left, .zero - left) > SteadyClock.differenceMax
        defer { isTold = isLarge }
        return (time, isLarge && !isTold ? ahead : nil)
    }
}
