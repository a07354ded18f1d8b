import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Undo of many edits as one step.
extension Preparation {
    /// Takes all edits in effect that are meant out of effect, by the rules of own undo.
    func reverting(
        _ selection: ChangeSelection, _ also: Set<Int>, _ policy: ConflictPolicy,
        _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        switch try uncreating(selection, also, policy) {
        case .deleted(let prepared): return prepared
        case .stays(let creation):
            return try reverting(selection, also, policy, keeping: [creation], &own)
        case .isNotMeant: return try reverting(selection, also, policy, keeping: [], &own)
        }
    }

    /// Undoes the selection in a document that stays. `kept`: its creation, if the selection
    /// includes it.
    private func reverting(
        _ selection: ChangeSelection, _ also: Set<Int>, _ policy: ConflictPolicy,
        keeping kept: [Conflict], _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        let edits = try edits(in: selection)
        let revisions = also.union(edits.map(\.revision)).sorted()
        guard let oldest = revisions.first else {
            throw .refused(kept.isEmpty ? .nothingSelected : .creationStays(kept))
        }
        for edit in edits { try checkOwner(of: edit) }
        let wanted = OwnUndoRequest(.changes(revisions), policy: policy)
        let undo: OwnUndo
        do throws(PreparationError) {
            undo = try perform(.from(oldest), &own) { line throws(OwnUndoError) in
                try line.revert(wanted, on: document.tree)
            }
        } catch {
            guard policy == .theirs, case .refused(.conflicts(let conflicts)) = error else {
                throw error
            }
            throw .refused(.conflicts(kept + conflicts))
        }
        try checkUpdates(undo.reversal.off)
        try checkParts(undo.parts)
        var prepared = try recorded(undo) { reversal in
            var reversal = reversal
            reversal.skipped = kept + reversal.skipped
            return .revert(reversal)
        }
        prepared.change?.selection = selection
        prepared.change?.selection?.head = nil
        return prepared
    }

    /// Whether it is an update of a draft on which a later merge rests.
    func isKept(_ change: Change) -> Bool {
        change.kind == .update && change.revision < document.draft?.lastMerge ?? 0
    }

    /// The edits in effect on the current line that are meant, the newest first.
    private func edits(in selection: ChangeSelection) throws(PreparationError) -> [Change] {
        var edits: [Change] = []
        var effects = BackwardEffectScan()
        for step in history.stepsBack {
            let change = try context.change(step)
            if let since = selection.since, since.includes(change) { break }
            if let reversal = change.reversal { effects.note(reversal) }
            guard selection.includes(change), effects.isInEffect(step), !isKept(change) else {
                continue
            }
            guard edits.count < ChangeSelection.changesMax else {
                throw .refused(.tooManyChanges(max: ChangeSelection.changesMax))
            }
            edits.append(change)
        }
        return edits
    }
}
