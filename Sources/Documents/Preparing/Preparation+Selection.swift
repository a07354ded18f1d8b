import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Undo of many edits as one step.
extension Preparation {
    /// Takes all edits in effect that are meant out of effect, by the rules of own undo.
    func reverting(
        _ selection: ChangeSelection, _ policy: ConflictPolicy, _ effects: inout EffectCache
    ) throws(PreparationError) -> Prepared {
        let edits = try edits(in: selection)
        guard let oldest = edits.last else { throw .refused(.nothingSelected) }
        for edit in edits { try checkOwner(of: edit) }
        let isOnes = edits.allSatisfy { $0.actor == oldest.actor }
        let revisions = edits.map(\.revision)
        let undo = try perform(.from(oldest.revision), &effects) { line throws(OwnUndoError) in
            try line.revert(
                off: revisions, on: [], actor: isOnes ? oldest.actor : .nobody, policy: policy,
                on: document.tree)
        }
        guard !undo.reversal.flipped.isEmpty else {
            throw .refused(.conflicts(undo.reversal.skipped))
        }
        var prepared = try recorded(undo) { .revert($0) }
        prepared.change?.selection = selection
        return prepared
    }

    /// The edits in effect on the current line that are meant, the newest first.
    private func edits(in selection: ChangeSelection) throws(PreparationError) -> [Change] {
        var edits: [Change] = []
        var effects = EffectsLookedBack()
        for step in history.stepsBack {
            if let since = selection.since, step <= since { break }
            let change = try context.change(step)
            if let reversal = change.reversal { effects.note(reversal) }
            guard selection.includes(change), effects.isInEffect(step) else { continue }
            guard edits.count < ChangeSelection.changesMax else {
                throw .refused(.tooManyChanges(max: ChangeSelection.changesMax))
            }
            edits.append(change)
        }
        return edits
    }
}
