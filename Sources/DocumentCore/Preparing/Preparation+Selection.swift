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
        case .deleted(var prepared):
            prepared.change?.selection = selection.stored
            return prepared
        case .stays(let creation):
            return try reverting(selection, also, policy, keeping: [creation], &own)
        case .isKept(let parts):
            try checkKept(parts)
            do throws(PreparationError) {
                return try reverting(selection, also, policy, keeping: [], &own)
            } catch {
                if case .refused(.nothingSelected) = error { throw .refused(.kept) }
                throw error
            }
        case .isNotMeant: return try reverting(selection, also, policy, keeping: [], &own)
        }
    }

    /// Undoes the selection in a document that stays. `kept`: its creation, if the selection
    /// includes it.
    private func reverting(
        _ selection: ChangeSelection, _ also: Set<Int>, _ policy: ConflictPolicy,
        keeping kept: [Conflict], _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        let selected = try edits(in: selection)
        // Parts that the bounds of the history have forgotten stay as they are.
        let also = also.filter { $0 > history.state.versions[0].id }
        var parts = selected.edits
        let named = Set(parts.map(\.revision))
        parts += also.subtracting(named).map { ChangePart($0) }
        guard let oldest = parts.map(\.revision).min() else {
            throw .refused(kept.isEmpty ? .nothingSelected : .creationStays(kept))
        }
        let wanted = OwnUndoRequest(target(parts, policy), policy: policy)
        // It takes all of them. The other parts of their transactions are found before the costly
        // part, which they would make useless.
        if case .changes = wanted.target {
            try checkParts(selected.transacted.union(also).sorted())
        }
        let undo: OwnUndo
        do throws(PreparationError) {
            // The next selection may begin anywhere.
            undo = try perform(.from(oldest), &own, readsAhead: false) {
                line throws(OwnUndoError) in
                try line.revert(wanted, on: document.tree)
            }
        } catch {
            switch error {
            case .refused(.keepsParts(let parts)): throw try refusal(keeping: parts)
            case .refused(.conflicts(let conflicts)) where policy == .theirs:
                throw .refused(.conflicts(kept + conflicts))
            case .refused(.notInEffect) where also.isEmpty: throw .refused(.nothingSelected)
            default: throw error
            }
        }
        try checkKept(undo.keptParts)
        try checkUpdates(undo.reversal.undone)
        try checkParts(undo.parts)
        var prepared = try recorded(undo) { reversal in
            var reversal = reversal
            reversal.skipped = kept + reversal.skipped
            return .revert(reversal)
        }
        prepared.change?.selection = selection.stored
        return prepared
    }

    /// Throws if parts of transactions stay of which that is not known: their other parts have to
    /// stay.
    func checkKept(_ parts: [Int]) throws(PreparationError) {
        guard let choice = request.choice, choice.keepsWholeParts,
            !choice.keptChanges.isSuperset(of: parts)
        else { return }
        throw .refused(.keepsParts(revisions: parts))
    }

    /// The refusal of an undo of which the request keeps everything, with these parts of
    /// transactions.
    func refusal(keeping parts: [Int]) throws(PreparationError) -> PreparationError {
        try checkKept(parts)
        return .refused(.kept)
    }

    /// Plain undos take whole changes, which is the same.
    private func target(_ parts: [ChangePart], _ policy: ConflictPolicy) -> OwnUndoRequest.Target {
        let isPlain = policy != .theirs && request.choice == nil
        guard isPlain, parts.allSatisfy({ $0.operations == nil }) else {
            return .parts(ChosenParts(parts, request.choice ?? PartChoice()))
        }
        return .changes(parts.map(\.revision).sorted())
    }

    /// Whether it is an update of a draft on which a later merge rests.
    func isKept(_ change: Change) -> Bool {
        change.kind == .update && change.revision < document.draft?.lastMerge ?? 0
    }

    /// The selected parts of the edits in effect on the current line, the newest first, and the
    /// revisions of those that are parts of transactions.
    private func edits(
        in selection: ChangeSelection
    ) throws(PreparationError) -> (edits: [ChangePart], transacted: Set<Int>) {
        var edits: [ChangePart] = []
        var transacted: Set<Int> = []
        var effects = BackwardEffectScan()
        for step in history.stepsBack {
            if let oldest = selection.oldest, step < oldest { break }
            let change = try context.change(step)
            if let since = selection.since, since.includes(change) { break }
            if let reversal = change.reversal { effects.note(reversal) }
            guard let part = selection.part(of: change), effects.isInEffect(step),
                !isKept(change)
            else { continue }
            guard edits.count < ChangeSelection.changesMax else {
                throw .refused(.tooManyChanges(max: ChangeSelection.changesMax))
            }
            try checkOwner(of: change)
            edits.append(part)
            if change.isPart { transacted.insert(step) }
        }
        return (edits, transacted)
    }
}
