import DocumentCore
import Journaling
import SelectiveUndo

extension TransactionRequest.Member {
    /// The outcomes of the parts that it would undo or redo, if it is left out.
    func elsewhere(_ outcome: TransactionOutcome.Member) -> [PartElsewhere] {
        let revisions = request.takenParts
        switch outcome {
        case .done: return []
        case .absent(let error):
            return revisions.compactMap { revision in
                PartElsewhere.Fate(error, at: revision)
                    .map { PartElsewhere(DocumentRevision(document, revision), $0) }
            }
        case .skipped(let conflicts): return conflicts.map { elsewhere(.skipped($0), $0.change) }
        }
    }

    /// The same, if it is done, including its effects beyond them.
    func elsewhere(_ prepared: Prepared) -> [PartElsewhere] {
        guard let change = prepared.change else { return [] }
        let skipped = change.reversal?.skipped ?? []
        let unaffected = prepared.unaffected.map { revision in
            elsewhere(.absent(.notInEffect, revision: revision), revision)
        }
        let deleted = prepared.goesAlong.isEmpty ? [] : [prepared.goesAlong]
        return unaffected + skipped.map { elsewhere(.skipped($0), $0.change) }
            + deleted.map { elsewhere(.deleted(with: $0), change.takesBack ?? change.revision) }
    }

    private func elsewhere(_ fate: PartElsewhere.Fate, _ revision: Int) -> PartElsewhere {
        PartElsewhere(DocumentRevision(document, revision), fate)
    }
}

extension ChangeRequest {
    /// The parts of transactions that it undoes or redoes by their revisions.
    fileprivate var takenParts: [Int] {
        if case .takeBack(let revisions, _, _) = action { return revisions }
        // An actor's undo, and a selection, take what there is.
        if case .revertAll(_, let also, _) = action { return also.sorted() }
        return []
    }
}
