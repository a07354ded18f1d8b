import Journaling
import Threading

/// Looks after groups and scopes when their time comes: one task and one queue of deadlines for all
/// documents, on a clock that it is given.
///
/// Sealing writes nothing. The history decides by the times of the edits anyway; this only makes a
/// finished version known without waiting for the next edit.
public final class DeadlineScheduler<C: Clock>: Sendable where C.Duration == Duration {
    private struct Deadline {
        let instant: C.Instant
        let document: DocumentID
    }

    private let clock: C
    private let now: @Sendable () -> Timestamp
    /// Sorted, the latest first.
    private let deadlines = Lock<[Deadline]>([])
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    public init(clock: C, now: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
        self.now = now
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Asks for a look at a document at about a time.
    public func schedule(_ document: DocumentID, at time: Timestamp) {
        let delay = Duration.milliseconds(max(0, time.milliseconds - now().milliseconds))
        let deadline = Deadline(instant: clock.now.advanced(by: delay), document: document)
        let isEarliest = deadlines.withLock { deadlines in
            let place = DeadlineScheduler.firstPlace(notAfter: deadline.instant, in: deadlines)
            deadlines.insert(deadline, at: place)
            return place == deadlines.count - 1
        }
        if isEarliest { wakeUp.yield() }
    }

    /// Runs until the task is cancelled. `look` seals if it is time, or says when to ask again.
    public func run(_ look: @escaping @Sendable (DocumentID) -> Timestamp?) async {
        var wakeUps = wakeUps.makeAsyncIterator()
        while !Task.isCancelled {
            for document in takeDue() {
                if let time = look(document) { schedule(document, at: time) }
            }
            let alarm = deadlines.withLock { $0.last?.instant }.map { next in
                Task { [clock, wakeUp] in
                    try await clock.sleep(until: next, tolerance: nil)
                    wakeUp.yield()
                }
            }
            _ = await wakeUps.next()
            alarm?.cancel()
        }
    }

    /// Where the deadlines that are not after an instant begin. O(log n).
    private static func firstPlace(notAfter instant: C.Instant, in deadlines: [Deadline]) -> Int {
        var (low, high) = (0, deadlines.count)
        while low < high {
            let middle = (low + high) / 2
            if deadlines[middle].instant <= instant { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func takeDue() -> [DocumentID] {
        let now = clock.now
        return deadlines.withLock { deadlines in
            let first = DeadlineScheduler.firstPlace(notAfter: now, in: deadlines)
            defer { deadlines.removeSubrange(first...) }
            return deadlines[first...].map(\.document)
        }
    }
}
