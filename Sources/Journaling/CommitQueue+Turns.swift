import Threading

/// A request to write documents of a shared journal alone.
public struct Turn: Sendable {
    /// With the revisions that are known.
    let documents: [DocumentRevision]
    let began: @Sendable ([DocumentID: [JournalEntry]]) -> Submission
    let failed: @Sendable (JournalError) -> Void

    /// `began` receives the entries that the documents have missed and returns the entries to
    /// commit; their submitters receive the result. If there is no turn, `failed` receives the
    /// reason: nothing was committed. Both run on the queue's thread.
    public init(
        at documents: [DocumentRevision],
        began: @escaping @Sendable ([DocumentID: [JournalEntry]]) -> Submission,
        failed: @escaping @Sendable (JournalError) -> Void
    ) {
        self.documents = documents
        self.began = began
        self.failed = failed
    }
}

extension CommitQueue {
    /// Documents that are locked at once at most, so that others do not wait long for them.
    private static let turnDocumentsMax = 256

    /// Takes turns, as many of them in one commit as have no document in common.
    static func take(_ turns: [Turn], _ state: Lock<State>, _ journal: any Journal) {
        var waiting = turns
        while !waiting.isEmpty {
            var taken = TurnGroup()
            waiting.removeAll { taken.add($0, documentsMax: turnDocumentsMax) }
            take(taken, state, journal)
        }
    }

    private static func take(
        _ group: TurnGroup, _ state: Lock<State>, _ journal: any Journal
    ) {
        var group = group
        let fates = fates(
            of: { () throws(JournalError) in
                guard let shared = journal.shared else {
                    throw .unavailable("the journal does not support turns")
                }
                return try shared.commit(to: group.documents) { group.begin($0) }
            }, state)
        switch fates {
        case .failure(let error):
            for turn in group.waiting { turn.failed(error) }
            deliver(group.submitters.map { _ in .failure(error) }, to: group.submitters)
        case .success(let fates):
            assert(fates.count == group.submitters.count, "all that was begun has its end")
            deliver(fates.map(\.result), to: group.submitters)
            // Another session holds their documents.
            let waiting = group.waiting
            state.withLock { $0.waiting.turns = waiting + $0.waiting.turns }
        }
    }
}

/// Turns that are taken in one commit.
private struct TurnGroup {
    private(set) var documents: [DocumentRevision] = []
    private var known: Set<DocumentID> = []
    /// Those that have not begun.
    private(set) var waiting: [Turn] = []
    /// Of what is committed in them.
    private(set) var submitters: [any CommitSubmitter] = []

    /// Adds a turn, unless it has to wait for those that are there. Returns whether it has.
    mutating func add(_ turn: Turn, documentsMax: Int) -> Bool {
        let isFree = turn.documents.allSatisfy { !known.contains($0.document) }
        // The order per document stays.
        for known in turn.documents { self.known.insert(known.document) }
        let isRoom = documents.isEmpty || documents.count + turn.documents.count <= documentsMax
        guard isFree, isRoom else { return false }
        documents += turn.documents
        waiting.append(turn)
        return true
    }

    /// Begins the turns whose documents no other session holds. Returns their entries.
    mutating func begin(_ beginning: TurnBeginning) -> JournalBatch {
        var batch = JournalBatch()
        var kept: [Turn] = []
        for turn in waiting {
            let documents = turn.documents.lazy.map(\.document)
            if let error = documents.compactMap({ beginning.overdue[$0] }).first {
                turn.failed(error)
            } else if documents.allSatisfy({ beginning.missed[$0] != nil }) {
                let submission = turn.began(beginning.missed)
                batch.append(submission.batch)
                submitters += submission.submitters
            } else {
                kept.append(turn)
            }
        }
        waiting = kept
        return batch
    }
}
