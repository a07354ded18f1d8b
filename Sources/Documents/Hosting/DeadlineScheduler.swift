import DocumentCore
import JSONTree
public import Journaling
import Threading

/// Calls documents back when the time of a group or a scope is over: one task and one queue of
/// deadlines for all documents, on a given clock.
///
/// Sealing writes nothing. The history decides by the times of the edits; the scheduler only
/// publishes a finished version without waiting for the next edit.
public final class DeadlineScheduler<C: Clock>: Sendable where C.Duration == Duration {
    private struct Deadline: Hashable {
        let instant: C.Instant
        let document: DocumentID
        /// The time as it was scheduled; the instant differs a little each time.
        let time: Timestamp

        static func == (left: Deadline, right: Deadline) -> Bool {
            left.document == right.document && left.time == right.time
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(document)
            hasher.combine(time)
        }
    }

    private struct State {
        /// Sorted, the latest first.
        var deadlines: [Deadline] = []
        /// The same, so that none is there twice.
        var known: Set<Deadline> = []
    }

    private let clock: C
    private let now: @Sendable () -> Timestamp
    private let state = Lock(State())
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    public init(clock: C, now: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
        self.now = now
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Schedules a check of a document at about a time.
    public func schedule(_ document: DocumentID, at time: Timestamp) {
        let delay = Duration.milliseconds(max(0, time.milliseconds - now().milliseconds))
        let deadline = Deadline(
            instant: clock.now.advanced(by: delay), document: document, time: time)
        let isEarliest = state.withLock { state in
            guard state.known.insert(deadline).inserted else { return false }
            let index = state.deadlines.partitioningIndex { $0.instant <= deadline.instant }
            state.deadlines.insert(deadline, at: index)
            return index == state.deadlines.count - 1
        }
        if isEarliest { wakeUp.yield() }
    }

    /// Runs until the task is cancelled. `check` is called when a deadline is reached.
    public func run(_ check: @escaping @Sendable (DocumentID) -> Void) async {
        var wakeUps = wakeUps.makeAsyncIterator()
        while !Task.isCancelled {
            for document in takeDue() { check(document) }
            let alarm = state.withLock { $0.deadlines.last?.instant }.map { next in
                Task { [clock, wakeUp] in
                    try await clock.sleep(until: next, tolerance: nil)
                    wakeUp.yield()
                }
            }
            _ = await wakeUps.next()
            alarm?.cancel()
        }
    }

    private func takeDue() -> [DocumentID] {
        let now = clock.now
        return state.withLock { state in
            let first = state.deadlines.partitioningIndex { $0.instant <= now }
            let due = Array(state.deadlines[first...])
            state.deadlines.removeSubrange(first...)
            state.known.subtract(due)
            return due.map(\.document)
        }
    }
}
