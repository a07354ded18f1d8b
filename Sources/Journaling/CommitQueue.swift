import Threading

/// Group commit: one thread writes, and everything that waits rides in one commit.
///
/// There is no gathering delay: while one commit runs, the next batch collects by itself.
public final class CommitQueue: Sendable {
    /// What is called when an entry is durable, with its number in the order of commits, or is not
    /// going to be. On the queue's thread, in the order of commits.
    public typealias Completion = @Sendable (Result<Int, JournalError>) -> Void

    /// Entries that ride in one commit at most, so that one commit stays short.
    private static let batchMax = 2048

    private struct State {
        var entries: [JournalEntry] = []
        var completions: [Completion] = []
        var checkpoints: [Checkpoint] = []
        var isStopped = false
        /// Set when the disk did not confirm: nothing is written any more.
        var failure: JournalError?

        var isEmpty: Bool { entries.isEmpty && checkpoints.isEmpty }
    }

    private let journal: any Journal
    private let state: Lock<State>
    private let thread: WorkerThread

    public init(journal: any Journal) {
        self.journal = journal
        let state = Lock(State())
        self.state = state
        thread = WorkerThread(name: "journal") { CommitQueue.run(state, journal) }
    }

    /// Queues an entry. Entries of one document are committed in the order of the calls.
    public func submit(_ entry: JournalEntry, completion: @escaping Completion) {
        let isFirst = state.withLock { state -> Bool? in
            if state.isStopped { return nil }
            let isFirst = state.isEmpty
            state.entries.append(entry)
            state.completions.append(completion)
            return isFirst
        }
        switch isFirst {
        case true?: state.signal()
        case false?: break
        case nil: refuse(completion)
        }
    }

    /// On a thread of its own: the caller may hold the lock that the completion wants.
    private func refuse(_ completion: @escaping Completion) {
        _ = WorkerThread(name: "refusal") {
            completion(.failure(.stopped("the journal is closed")))
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
        thread.join()
    }

    private static func run(_ state: Lock<State>, _ journal: any Journal) {
        while true {
            let (batch, completions) = state.withLock(when: { !$0.isEmpty || $0.isStopped }) {
                take(from: &$0)
            }
            if batch.entries.isEmpty && batch.checkpoints.isEmpty { return }
            let results = commit(batch, state, journal)
            for (completion, result) in zip(completions, results) { completion(result) }
        }
    }

    private static func take(from state: inout State) -> (JournalBatch, [Completion]) {
        let count = min(batchMax, state.entries.count)
        let batch = JournalBatch(
            entries: Array(state.entries.prefix(count)), checkpoints: state.checkpoints)
        let completions = Array(state.completions.prefix(count))
        state.entries.removeFirst(count)
        state.completions.removeFirst(count)
        state.checkpoints = []
        return (batch, completions)
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
    fileprivate var isFinal: Bool {
        switch self {
        case .outcomeUnknown, .stopped, .corrupt: true
        case .conflict, .full, .unavailable: false
        }
    }
}
