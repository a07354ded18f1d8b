import Threading

/// Who submits entries to a commit queue.
public protocol CommitSubmitter: AnyObject, Sendable {
    /// The commits of the next entries have ended. Each is durable, with its number in the order
    /// of commits, or it is not going to be.
    ///
    /// Called on the queue's thread, in the order of commits.
    func commitsEnded(_ results: ArraySlice<Result<Int, JournalError>>)
}

/// Group commit: one thread writes, and everything that waits rides in one commit.
///
/// There is no gathering delay: while one commit runs, the next batch collects by itself.
public final class CommitQueue: Sendable {
    /// Entries that ride in one commit at most, so that one commit stays short.
    private static let batchMax = 2048
    /// Results that a submitter receives at once at most, so that it does not hold its lock long.
    private static let resultsMax = 64

    private struct State {
        var entries: [JournalEntry] = []
        /// Of each entry.
        var submitters: [any CommitSubmitter] = []
        var checkpoints: [Checkpoint] = []
        var isStopped = false
        /// Set when the disk did not confirm: nothing is written any more.
        var failure: JournalError?

        var isEmpty: Bool { entries.isEmpty && checkpoints.isEmpty }
    }

    private let journal: any Journal
    private let state: Lock<State>
    private let thread: WorkerThread?

    public convenience init(journal: any Journal) {
        self.init(journal: journal, hasThread: true)
    }

    /// Without a thread, a batch is committed when the owner calls `commitNext`: that is for
    /// simulations.
    package init(journal: any Journal, hasThread: Bool) {
        self.journal = journal
        let state = Lock(State())
        self.state = state
        thread =
            hasThread ? WorkerThread(name: "journal") { CommitQueue.run(state, journal) } : nil
    }

    /// Queues an entry. Entries of one document are committed in the order of the calls.
    public func submit(_ entry: JournalEntry, by submitter: any CommitSubmitter) {
        let isFirst = state.withLock { state -> Bool? in
            if state.isStopped { return nil }
            let isFirst = state.isEmpty
            state.entries.append(entry)
            state.submitters.append(submitter)
            return isFirst
        }
        switch isFirst {
        case true?: state.signal()
        case false?: break
        case nil: refuse(submitter)
        }
    }

    /// On a thread of its own: the submitter may hold the lock that it needs for the result.
    private func refuse(_ submitter: any CommitSubmitter) {
        _ = WorkerThread(name: "refusal") {
            submitter.commitsEnded([.failure(.stopped("the journal is closed"))])
        }
    }

    /// Queues a checkpoint; if it cannot be stored, replay is longer and nothing else.
    public func submit(_ checkpoint: Checkpoint) {
        state.withLock { $0.checkpoints.append(checkpoint) }
        state.signal()
    }

    /// Entries that wait for a commit.
    public var depth: Int { state.withLock { $0.entries.count } }

    /// Why nothing is written any more, or `nil` while all is well.
    public var failure: JournalError? { state.withLock { $0.failure } }

    /// Commits what was submitted so far, and ends the thread. Later entries fail.
    public func stop() {
        state.withLock { $0.isStopped = true }
        state.signal()
        if let thread { thread.join() } else { while commitNext() {} }
    }

    /// Commits what waits, on the caller's thread. Returns whether there was something.
    @discardableResult
    package func commitNext() -> Bool {
        CommitQueue.perform(state.withLock { CommitQueue.take(from: &$0) }, state, journal)
    }

    private static func run(_ state: Lock<State>, _ journal: any Journal) {
        while true {
            let work = state.withLock(when: { !$0.isEmpty || $0.isStopped }) { take(from: &$0) }
            guard perform(work, state, journal) else { return }
        }
    }

    private static func perform(
        _ work: (batch: JournalBatch, submitters: [any CommitSubmitter]), _ state: Lock<State>,
        _ journal: any Journal
    ) -> Bool {
        if work.batch.entries.isEmpty && work.batch.checkpoints.isEmpty { return false }
        deliver(commit(work.batch, state, journal), to: work.submitters)
        return true
    }

    /// What is one submitter's in a row is delivered at once: that costs its lock once.
    private static func deliver(
        _ results: [Result<Int, JournalError>], to submitters: [any CommitSubmitter]
    ) {
        var start = 0
        while start < results.count {
            let (submitter, last) = (submitters[start], min(start + resultsMax, results.count))
            var end = start + 1
            while end < last, submitters[end] === submitter { end += 1 }
            submitter.commitsEnded(results[start..<end])
            start = end
        }
    }

    private static func take(
        from state: inout State
    ) -> (batch: JournalBatch, submitters: [any CommitSubmitter]) {
        if state.entries.count <= batchMax {
            // All, without a copy.
            var all = State(isStopped: state.isStopped, failure: state.failure)
            swap(&all, &state)
            return (
                JournalBatch(entries: all.entries, checkpoints: all.checkpoints), all.submitters
            )
        }
        let count = batchMax
        let batch = JournalBatch(
            entries: Array(state.entries.prefix(count)), checkpoints: state.checkpoints)
        let submitters = Array(state.submitters.prefix(count))
        state.entries.removeFirst(count)
        state.submitters.removeFirst(count)
        state.checkpoints = []
        return (batch, submitters)
    }

    private static func commit(
        _ batch: JournalBatch, _ state: Lock<State>, _ journal: any Journal
    ) -> [Result<Int, JournalError>] {
        if let failure = state.withLock({ $0.failure }) {
            return batch.entries.map { _ in .failure(.stopped("\(failure)")) }
        }
        do {
            let fates = try journal.commit(batch)  // The commit point.
            return fates.map { fate in
                switch fate {
                case .stored(let sequence): .success(sequence)
                case .refused: .failure(.conflict)
                }
            }
        } catch {
            if error.isFinal { state.withLock { $0.failure = error } }
            return batch.entries.map { _ in .failure(error) }
        }
    }
}

extension JournalError {
    /// Whether writing must end: the next commit would rest on something that nobody knows.
    public var isFinal: Bool {
        switch self {
        case .outcomeUnknown, .stopped, .corrupt: true
        case .conflict, .full, .unavailable: false
        }
    }
}
