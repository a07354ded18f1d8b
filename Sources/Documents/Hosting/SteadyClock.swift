import DocumentCore
import Threading

/// The time of day as it was at the start, and then as fast as a clock that nobody sets.
///
/// The system's clock may be set while the daemon runs, by hours or years. Deadlines must not be
/// reached by that and keys must not be forgotten. So the time goes on steadily, and approaches the
/// system's by at most `rateMax`; what is left is taken over at the next start.
public final class SteadyClock: Sendable {
    /// How fast a difference to the system's clock shrinks at most: six seconds in a minute.
    static let rateMax = 10
    /// A larger difference is told, once.
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
    ///   - wall: The system's time since 1970, or that of whoever is the authority.
    ///   - start: The time to begin with, if that is another one.
    ///   - elapsed: A time that only goes on.
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

    /// The time to begin with, by the clock here and that of the store that daemons share: the
    /// store's, unless they differ much. Then it is the earlier one: nobody knows which is wrong,
    /// and what is forgotten too early does not come back.
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
    /// Goes on to `elapsed`. Returns the time, and the difference to the system's if that is new.
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
