import DocumentCore
import Journaling
import Naming
import Synchronization
import Threading

/// The index of runs: their edits by document, and the part that is in effect. It is computed from
/// the entries of the journal, in the order of commits (Decision 41).
///
/// The index follows the journal from where it is. Nothing waits for it but the calls that read
/// it, which bring it up to date. Every call blocks.
final class RunIndex: Sendable {
    private struct State {
        var rows: IndexRows
        /// The number of the last entry that was noted.
        var position: Int
        /// The documents whose edits have to be counted at once.
        var uncounted: Set<DocumentID>
        let cuts: [HistoryCut]
    }

    /// An erasure of a document, after which its edits are counted.
    private struct Erasing {
        var isOver = false
        /// The numbers of the last edits of its runs, whose rows are gone.
        var lasts: [Name: Int] = [:]
    }

    private let journal: any Journal
    private let queue: CommitQueue
    private let committed: CommittedEntries
    /// `nil` until the index is needed.
    private let state = Lock<State?>(nil)
    private let erasing = Lock<[DocumentID: Erasing]>([:])
    /// The threads on which the index follows.
    private let background = Lock<WorkQueue?>(nil)
    private let isFollowing = Atomic(false)

    /// The sizes of its steps, in entries of the journal and in rows.
    struct Steps: Sendable {
        /// Entries that are read at once.
        var page = 1_024
        /// The rows are stored once they contain this number of entries more than the stored ones.
        var span = 2_048
        /// The same for the number of rows.
        var rows = 4_096
        /// A call that reads the index brings it up to date by this number of entries at most.
        var wait = 16_384
    }

    private let steps: Steps
    /// The number of steps of rows that are kept in memory while they cannot be stored.
    private static let freshMax = 64

    /// `committed`: the newest entries of this process; the others are read.
    init(
        _ journal: any Journal, _ queue: CommitQueue,
        _ committed: CommittedEntries, steps: Steps = Steps()
    ) {
        self.steps = steps
        self.committed = committed
        self.journal = journal
        self.queue = queue
    }

    /// Brings the index up to the last commit in the background, unless that is under way.
    func follow(on queue: WorkQueue) {
        background.withLock { $0 = queue }
        guard !isFollowing.exchange(true, ordering: .relaxed) else { return }
        followOn(queue)
    }

    /// A page at a time, so that other work has its turns.
    private func followOn(_ queue: WorkQueue) {
        let isAccepted = queue.async(of: "runs") { [self] in
            let last = max(committed.last, journal.lastSequence)
            let isAtEnd = (try? advance(to: last)).map { $0 >= last } ?? true
            if isAtEnd { isFollowing.store(false, ordering: .relaxed) } else { followOn(queue) }
        }
        if !isAccepted { isFollowing.store(false, ordering: .relaxed) }
    }

    /// The rows up to a number, at least. Throws `.indexing` while they are too far behind.
    func rows(upTo last: Int) throws(ChangeError) -> IndexRows {
        do throws(JournalError) {
            var position: Int
            repeat {
                position = try advance(to: last)
                guard position >= last else { continue }
                let rows = try withState { state throws(JournalError) -> IndexRows? in
                    // Another daemon may have moved the index meanwhile: it begins again there.
                    guard state.position >= last else { return nil }
                    try count(&state)
                    return state.rows
                }
                if let rows { return rows }
            } while last - position <= steps.wait
        } catch {
            throw .journal(error)
        }
        // It may have ended with a fault of the journal.
        if let queue = background.withLock({ $0 }) { follow(on: queue) }
        throw .indexing
    }

    private func withState<Result>(
        _ body: (inout State) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { known throws(JournalError) in
            var state: State
            if let known { state = known } else { state = try begin() }
            // After an error, a part of a page may have been noted: it begins again.
            known = nil
            // Another daemon has stored rows, or a part of the history is lost.
            if try !state.rows.settle() || state.cuts != journal.cuts { state = try begin() }
            let result = try body(&state)
            known = state
            return result
        }
    }

    /// The index as the journal stores it.
    private func begin() throws(JournalError) -> State {
        let position = try journal.indexPosition()
        var state = State(
            rows: IndexRows(journal, base: position), position: position, uncounted: [],
            cuts: journal.cuts)
        let marks = try state.rows.rows(
            from: RunKey.uncounted, before: RunKey.end(of: RunKey.uncounted), limit: .max)
        for mark in marks {
            DocumentID(RunKey.text(of: mark.key, after: 1)).map { _ = state.uncounted.insert($0) }
        }
        return state
    }

    /// Notes a page of entries on the way to a number. Returns the number that it has reached.
    private func advance(to last: Int) throws(JournalError) -> Int {
        try withState { state throws(JournalError) in
            if state.position < last {
                let page =
                    if let kept = committed.take(after: state.position) { kept } else {
                        try journal.entries(
                            after: state.position, upTo: last, prefix: "", limit: steps.page)
                    }
                // A record is replayed once for a page: it may have changed many times.
                var own: [DocumentID: Int] = [:]
                for (sequence, entry) in page.entries {
                    if entry.document.isOwn {
                        own[entry.document] = sequence
                    } else if Change.mayConcernRuns(entry.body, at: entry.revision) {
                        try note(entry, sequence, &state)
                    }
                }
                for (document, sequence) in own {
                    try noteOpening(document, sequence, &state)
                }
                state.position = max(state.position, page.end)
                try storeIfDue(&state)
            }
            return state.position
        }
    }

    private func storeIfDue(_ state: inout State) throws(JournalError) {
        // A second update would be dropped once the first one is stored, and the rows would begin
        // again. Only one that is far behind is lost.
        let span = state.rows.isPending ? RunIndex.freshMax * steps.span : steps.span
        guard
            state.position - state.rows.pending >= span
                || !state.rows.isPending && state.rows.freshCount >= steps.rows
        else { return }
        try count(&state)
        guard state.rows.fresh.count < RunIndex.freshMax * steps.rows else {
            throw .unavailable("the index of runs cannot be stored")
        }
        for document in state.uncounted { state.rows.set(RunKey.uncounted(document), []) }
        queue.submit(state.rows.update(to: state.position))
    }
}

// MARK: Counting

extension RunIndex {
    private func note(
        _ entry: JournalEntry, _ sequence: Int, _ state: inout State
    ) throws(JournalError) {
        let document = entry.document
        guard let change = try? Change(decoding: entry.body, revision: entry.revision) else {
            state.uncounted.insert(document)
            return
        }
        if noteErasing(change, of: document, sequence) { return }
        if let run = change.runOfOther { try state.rows.noteOther(change, of: run, in: document) }
        switch change.runEvent {
        case .none: return
        case .edit(let run): try state.rows.note(change, of: run, in: document, sequence)
        case .undo(let revisions, let author, let actor):
            if state.uncounted.contains(document) { return }
            guard try state.rows.hasRuns(document) else { return }
            do throws(ChangeError) {
                let past = DocumentPast(document, journal)
                let runs = try revisions.map { revision throws(ChangeError) -> Name? in
                    if let author { return author }
                    return try past.change(at: revision).runOfEdit
                }
                try state.rows.noteUndo(
                    of: runs.compactMap(\.self), by: actor, in: document, at: change.revision)
            } catch {
                state.uncounted.insert(document)
            }
        case .recount:
            if let run = change.runOfEdit {
                try state.rows.note(change, of: run, in: document, sequence)
            }
            if state.uncounted.contains(document) { return }
            // A document that continued under another name has no rows, until it comes back.
            var isConcerned = change.kind == .undelete
            if !isConcerned { isConcerned = try state.rows.hasRuns(document) }
            if isConcerned { state.uncounted.insert(document) }
        }
    }

    /// Notes that the record of an open run has changed: what it says now.
    private func noteOpening(
        _ document: DocumentID, _ sequence: Int, _ state: inout State
    ) throws(JournalError) {
        guard let run = OpenRun.documents.name(of: document) else { return }
        do throws(ChangeError) {
            let head = try Replay.document(document, from: journal)?.document
            state.rows.set(
                RunKey.opening(run), head.flatMap { RunOpening($0, number: sequence) }?.bytes)
        } catch {
            if case .journal(let fault) = error { throw fault }
        }
    }

    /// Counts the documents whose edits have to be counted at once.
    private func count(_ state: inout State) throws(JournalError) {
        for document in state.uncounted {
            let erasing = erasing.withLock { $0[document] }
            guard erasing?.isOver ?? true else { continue }
            do throws(ChangeError) {
                try recount(document, erasing?.lasts ?? [:], &state)
                self.erasing.withLock { if $0[document]?.isOver == true { $0[document] = nil } }
            } catch {
                guard case .journal(.corrupt) = error else {
                    if case .journal(let fault) = error { throw fault }
                    continue
                }
                // Damage is reported elsewhere. The next start causes another attempt.
                state.rows.set(RunKey.uncounted(document), [])
            }
            state.uncounted.remove(document)
        }
    }

    private func recount(
        _ document: DocumentID, _ lasts: [Name: Int], _ state: inout State
    ) throws(ChangeError) {
        let found = try DocumentPast(document, journal).runCounts()
        try journaled(
            state.rows.replace(
                found.counts, found.others, in: document, at: found.revision, lasts: lasts,
                position: state.position))
    }
}

extension DocumentPast {
    /// The edits and other changes of all runs, the revision up to which they are counted, and
    /// whether no change before it is forgotten; `last`: at that revision. O(changes). Blocks.
    func runCounts(upTo last: Int? = nil) throws(ChangeError) -> (
        counts: [Name: RunCount], others: [Name: OtherChanges], revision: Int, isWhole: Bool
    ) {
        guard let head = try Replay.document(id, from: journal, upTo: last ?? .max)?.document else {
            return ([:], [:], 0, true)
        }
        var recount = RunRecount(head)
        var next = head.revision
        while next >= head.oldestRevision {
            let limit = min(1_000, next - head.oldestRevision + 1)
            let changes = try changes(upTo: next, limit: limit)
            for change in changes.reversed() { recount.note(change) }
            guard let first = changes.first else { break }
            next = first.revision - 1
        }
        return (recount.counts, recount.others, head.revision, head.oldestRevision == 0)
    }
}

// MARK: Erasing

extension RunIndex {
    /// Removes what is known of a document before it is erased, so that no row of it remains.
    /// Until `endErasing` it is not counted. Throws if the rows cannot be removed.
    func beginErasing(_ document: DocumentID) async throws(ChangeError) {
        erasing.withLock { $0[document, default: Erasing()].isOver = false }
        committed.forget()
        for _ in 0..<RunIndex.attemptsMax {
            do throws(JournalError) {
                let update = try removal(of: document)
                await withCheckedContinuation { continuation in
                    queue.submit(alone: { commit in
                        _ = commit(update)
                        continuation.resume()
                    })
                }
                // Another update may have come first, and this one was dropped.
                if try isRemoved(document) { return }
            } catch {
                throw .journal(error)
            }
        }
        throw .journal(.unavailable("the index of runs could not be changed"))
    }

    /// An update that others overtake is made again, up to this number of times.
    private static let attemptsMax = 20

    private func isRemoved(_ document: DocumentID) throws(JournalError) -> Bool {
        let beginning = RunKey.members(document)
        return try journal.indexRows(
            from: beginning, before: RunKey.end(of: beginning), limit: 1
        ).isEmpty
    }

    private func removal(of document: DocumentID) throws(JournalError) -> IndexUpdate {
        try withState { state throws(JournalError) in
            state.uncounted.insert(document)
            let lasts = try state.rows.lasts(in: document)
            erasing.withLock { $0[document]?.lasts.merge(lasts) { max($0, $1) } }
            try state.rows.replace([:], [:], in: document, at: -1, lasts: [:], position: 0)
            state.rows.set(RunKey.uncounted(document), [])
            return state.rows.update(to: state.position)
        }
    }

    /// Whether the document of a change is being erased: its edits are counted afterwards.
    private func noteErasing(
        _ change: Change, of document: DocumentID, _ sequence: Int
    ) -> Bool {
        erasing.withLock { erasing in
            guard erasing[document]?.isOver == false else { return false }
            if let run = change.runOfEdit { erasing[document]?.lasts[run] = sequence }
            return true
        }
    }

    /// Counts what is left of the document from now on.
    func endErasing(_ document: DocumentID) {
        erasing.withLock { $0[document]?.isOver = true }
    }

    /// Whether the rows of some documents are missing for a while.
    var isErasing: Bool { erasing.withLock { $0.values.contains { !$0.isOver } } }

    /// The history of a document was shortened: its edits are counted at once.
    func noteForgetting(of document: DocumentID) {
        _ = try? withState { state throws(JournalError) in
            if try state.rows.hasRuns(document) { state.uncounted.insert(document) }
        }
    }
}
