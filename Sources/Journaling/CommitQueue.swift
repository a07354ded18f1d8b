import Threading

/// A submitter of entries to a commit queue.
public protocol CommitSubmitter: AnyObject, Sendable {
    /// The commits of the next entries have ended. Each is durable, with its number in the order
    /// of commits, or it is not going to be.
    ///
    /// Called on the queue's thread, in the order of commits.
    func commitsEnded(_ results: ArraySlice<Result<Int, JournalError>>)
}

/// Entries, and who submits each of them.
public struct Submission: Sendable {
    public var batch: JournalBatch
    public var submitters: [any CommitSubmitter]

    /// Nothing.
    public static let none = Submission(JournalBatch(), by: [])

    public init(_ batch: JournalBatch, by submitters: [any CommitSubmitter]) {
        self.batch = batch
        self.submitters = submitters
    }
}

/// Stores a batch as a commit of its own: returns whether all of it is stored, otherwise nothing.
public struct ExclusiveCommit: Sendable {
    private let commit: @Sendable (JournalBatch) -> Result<Bool, JournalError>

    init(_ commit: @escaping @Sendable (JournalBatch) -> Result<Bool, JournalError>) {
        self.commit = commit
    }

    /// Takes as long as the commit. Failures are those of `Journal.commit`.
    public func callAsFunction(
        _ entries: [JournalEntry], _ checkpoints: [Checkpoint]
    ) -> Result<Bool, JournalError> {
        var batch = JournalBatch(unit: entries)
        batch.checkpoints = checkpoints
        return commit(batch)
    }

    /// The same of an update of the index.
    public func callAsFunction(_ update: IndexUpdate) -> Result<Bool, JournalError> {
        commit(JournalBatch(index: update))
    }
}

/// Group commit: one thread writes, and everything that waits rides in one commit.
///
/// There is no gathering delay: the next batch collects while one commit runs.
public final class CommitQueue: Sendable {
    /// Entries that ride in one commit at most, so that one commit stays short.
    private static let batchMax = 2048
    /// Results that a submitter receives at once at most, so that it does not hold its lock long.
    private static let resultsMax = 64

    struct State {
        var waiting = Work()
        var isStopped = false
        /// Nothing is committed any more: everything that was queued has its result.
        var hasEnded = false
        /// Set when the disk did not confirm: nothing is written any more.
        var failure: JournalError?
    }

    /// The work of one round: a commit, then exclusive commits, and turns.
    struct Work {
        var batch = JournalBatch()
        /// Of each entry.
        var submitters: [any CommitSubmitter] = []
        var lone: [@Sendable (ExclusiveCommit) -> Void] = []
        var turns: [Turn] = []

        var isEmpty: Bool {
            // Read member by member: a call about the batch would copy it for every entry.
            batch.entries.isEmpty && batch.checkpoints.isEmpty && batch.index == nil
                && lone.isEmpty && turns.isEmpty
        }
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
            // Until the end it is queued: results come in the order of the calls.
            if state.hasEnded { return nil }
            let isFirst = state.waiting.isEmpty
            state.waiting.batch.entries.append(entry)
            state.waiting.submitters.append(submitter)
            return isFirst
        }
        switch isFirst {
        case true?: state.signal()
        case false?: break
        case nil: refuse(submitter)
        }
    }

    /// Queues entries that are stored together or not at all, if something is true of other
    /// documents. Each submitter learns of its own.
    public func submit(
        unit entries: [JournalEntry], if conditions: [JournalCondition],
        by submitters: [any CommitSubmitter]
    ) {
        let isTaken = state.withLock { state in
            if state.hasEnded { return false }
            state.waiting.batch.append(JournalBatch(unit: entries, if: conditions))
            state.waiting.submitters += submitters
            return true
        }
        if isTaken { return state.signal() }
        for submitter in submitters { refuse(submitter) }
    }

    /// On a thread of its own: the submitter may hold the lock that it needs for the result.
    private func refuse(_ submitter: any CommitSubmitter) {
        _ = WorkerThread(name: "refusal") {
            submitter.commitsEnded([.failure(CommitQueue.closed)])
        }
    }

    private static let closed = JournalError.stopped("the journal is closed")

    /// Queues a checkpoint; if it cannot be stored, replay is longer and nothing else.
    public func submit(_ checkpoint: Checkpoint) {
        state.withLock { $0.waiting.batch.checkpoints.append(checkpoint) }
        state.signal()
    }

    /// Queues an update of the index, in the place of one that waits; if it cannot be stored, the
    /// index is behind and nothing else.
    public func submit(_ update: IndexUpdate) {
        state.withLock { $0.waiting.batch.index = update }
        state.signal()
    }

    /// Calls `body` on the queue's thread, between two commits: no other caller in this process
    /// adds an entry before it returns. Its commit is separate. Entries of other callers wait, so
    /// it must be short.
    ///
    /// When the queue has ended, `body` is called at once, and its commit fails.
    public func submit(alone body: @escaping @Sendable (_ commit: ExclusiveCommit) -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.waiting.lone.append(body) }
            return state.hasEnded
        }
        if !hasEnded { return state.signal() }
        body(ExclusiveCommit { _ in .failure(CommitQueue.closed) })
    }

    /// Asks for a turn to write to documents of a shared journal.
    public func request(_ turn: Turn) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.waiting.turns.append(turn) }
            return state.hasEnded
        }
        if !hasEnded { return state.signal() }
        _ = WorkerThread(name: "refusal") { turn.failed(CommitQueue.closed) }
    }

    /// Entries that wait for a commit.
    public var depth: Int { state.withLock { $0.waiting.batch.entries.count } }

    /// Why nothing is written any more, or `nil` while all is well.
    public var failure: JournalError? { state.withLock { $0.failure } }

    /// Whether the end was requested.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Commits all submitted entries, and ends the thread. Later entries fail.
    public func stop() {
        state.withLock { $0.isStopped = true }
        state.signal()
        if let thread { return thread.join() }
        while commitNext() {}
        state.withLock { $0.hasEnded = true }
    }

    /// Commits what waits, on the caller's thread. Returns whether there was something.
    @discardableResult
    package func commitNext() -> Bool {
        CommitQueue.perform(state.withLock { CommitQueue.take(from: &$0) }, state, journal)
    }

    private static func run(_ state: Lock<State>, _ journal: any Journal) {
        while true {
            let work = state.withLock(when: { !$0.waiting.isEmpty || $0.isStopped }) { state in
                state.hasEnded = state.waiting.isEmpty
                return take(from: &state)
            }
            guard perform(work, state, journal) else { return }
        }
    }

    private static func perform(
        _ work: Work, _ state: Lock<State>, _ journal: any Journal
    ) -> Bool {
        if work.isEmpty { return false }
        let batch = work.batch
        if !batch.isEmpty {
            switch fates(of: { () throws(JournalError) in try journal.commit(batch) }, state) {
            case .success(let fates) where fates.contains(.held): keep(fates, of: work, state)
            case .success(let fates): deliver(fates.map(\.result), to: work.submitters)
            case .failure(let error):
                deliver(batch.entries.map { _ in .failure(error) }, to: work.submitters)
            }
        }
        let commit = ExclusiveCommit { batch in
            fates(of: { () throws(JournalError) in try journal.commit(batch) }, state)
                .map { $0.allSatisfy(\.isStored) }
        }
        for body in work.lone { body(commit) }
        take(work.turns, state, journal)
        return true
    }

    /// An entry that another process keeps from being committed comes first in the next commit,
    /// before later entries.
    private static func keep(
        _ fates: [EntryFate], of work: Work, _ state: Lock<State>
    ) {
        let isKept = fates.map { $0 == .held }
        var (batch, places) = work.batch.keeping(isKept)
        state.withLock { state in
            batch.append(state.waiting.batch)
            state.waiting.batch = batch
            state.waiting.submitters =
                places.map { work.submitters[$0] } + state.waiting.submitters
        }
        let ended = fates.indices.filter { !isKept[$0] }
        deliver(ended.map { fates[$0].result }, to: ended.map { work.submitters[$0] })
    }

    /// Delivers consecutive results of one submitter together, which takes its lock once.
    static func deliver(
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

    private static func take(from state: inout State) -> Work {
        var taken = Work()
        swap(&taken, &state.waiting)
        if taken.batch.entries.count > batchMax { putBack(from: &taken, to: &state.waiting) }
        return taken
    }

    /// Entries beyond the limit of one commit stay; all others are taken without a copy. A unit is
    /// never split.
    private static func putBack(from taken: inout Work, to waiting: inout Work) {
        let cut = taken.batch.units.first { $0.places.contains(batchMax) }?.places.lowerBound
        let end = cut ?? batchMax
        waiting.batch.entries = Array(taken.batch.entries[end...])
        waiting.batch.units = taken.batch.units.filter { $0.places.lowerBound >= end }
            .map { $0.moved(by: -end) }
        waiting.submitters = Array(taken.submitters[end...])
        taken.batch.entries.removeLast(waiting.batch.entries.count)
        taken.batch.units.removeLast(waiting.batch.units.count)
        taken.submitters.removeLast(waiting.submitters.count)
    }

    /// The fates of a commit, unless nothing is written any more.
    static func fates(
        of commit: () throws(JournalError) -> [EntryFate], _ state: Lock<State>
    ) -> Result<[EntryFate], JournalError> {
        if let failure = state.withLock({ $0.failure }) {
            return .failure(.stopped("\(failure)"))
        }
        do throws(JournalError) {
            return .success(try commit())  // The commit point.
        } catch {
            if error.isFinal { state.withLock { $0.failure = error } }
            return .failure(error)
        }
    }
}

extension EntryFate {
    /// Whether it is durable.
    public var isStored: Bool { if case .stored = self { true } else { false } }

    /// The result for its submitter. Only a turn, which is not repeated, reports a held entry.
    var result: Result<Int, JournalError> {
        switch self {
        case .stored(let sequence): .success(sequence)
        case .refused: .failure(.conflict)
        case .failed(let error): .failure(error)
        case .held: .failure(.unavailable("another session holds a document"))
        }
    }
}

extension JournalError {
    /// Whether writing must end, because the next commit would depend on an unknown outcome.
    public var isFinal: Bool {
        switch self {
        case .outcomeUnknown, .stopped, .corrupt: true
        case .conflict, .full, .unavailable, .uncertain, .leftovers: false
        }
    }
}
