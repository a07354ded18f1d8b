import Threading

/// A clock that a test moves.
public final class TestClock: Clock, Sendable {
    public struct Instant: InstantProtocol, Hashable {
        public var offset: Duration

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, watchers) = enter(id, deadline, continuation)
                if let isOver { continuation.resume(with: isOver) }
                watchers.forEach { $0.resume() }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func enter(
        _ id: Int, _ deadline: Instant, _ wake: CheckedContinuation<Void, any Error>
    ) -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) {
        state.withLock { state in
            let watchers = state.watchers
            state.watchers = []
            if state.cancelled.remove(id) != nil {
                return (.failure(CancellationError()), watchers)
            }
            if deadline <= state.now { return (.success(()), watchers) }
            state.sleepers.append(Sleeper(id: id, deadline: deadline, wake: wake))
            return (nil, watchers)
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.wake.resume(throwing: CancellationError())
    }

    /// Moves time forward and wakes who is due.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Returns when the code under test has called `sleep`.
    public func untilSleeping() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if !state.sleepers.isEmpty { return true }
                state.watchers.append(continuation)
                return false
            }
            if isSleeping { continuation.resume() }
        }
    }
}
