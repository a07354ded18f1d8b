import JSONTree
package import SelectiveUndo
import VersioningKit

extension EffectReader {
    /// The effect history of all changes that were read.
    package func effectHistory() throws(PreparationError) -> EffectHistory {
        let first = oldest ?? preparation.document.revision + 1
        var effects = EffectHistory(tree, first: first, isWhole: isAtEnd && narrowing == nil)
        do {
            try add(to: &effects)
            guard try effects.rendered() == preparation.document.tree else {
                throw EffectHistory.Diverged()
            }
            return effects
        } catch {
            throw .refused(.mismatch(version: preparation.history.currentID))
        }
    }

    private func add(to effects: inout EffectHistory) throws {
        var shown = tree
        var waiting = pops.sorted { $0.revision > $1.revision }
        var group: Int?
        for part in parts.reversed() {
            if let revision = part.revision { pop(before: revision, &waiting, in: &effects) }
            switch part {
            case .edit(let edit): try add(edit, &group, to: &effects)
            case .editBetween(let edit, let before, let after):
                // Untracked places were edited in between.
                try effects.adjust(from: shown, to: before)
                try add(edit, &group, to: &effects)
                shown = before
                try shown.apply(edit.patch)
                try lead(&shown, to: after, in: &effects)
            case .reversal(let reversal, let change, let before, let after):
                if !isWhole { try effects.adjust(from: shown, to: before) }
                shown = before
                group = change.group
                try add(reversal, change, &shown, to: &effects)
                try lead(&shown, to: after, in: &effects)
            case .rest(let before, let after, _):
                try leaveOut(from: before, to: after, of: &effects)
                shown = after
            }
        }
        pop(before: .max, &waiting, in: &effects)
    }

    /// The journal is authoritative: where the rules make another result of a change (older rules
    /// may have made it), the difference is always in effect.
    private func lead(
        _ shown: inout JSON, to after: JSON, in effects: inout EffectHistory
    ) throws {
        try effects.adjust(from: shown, to: after)
        shown = after
    }

    private func pop(
        before revision: Int, _ waiting: inout [Pop], in effects: inout EffectHistory
    ) {
        while let pop = waiting.last, pop.revision < revision {
            effects.pop(pop.revision, pop.steps, owner: pop.owner)
            waiting.removeLast()
        }
    }

    /// `group`: what the edit before it belongs to, and then this one.
    private func add(
        _ edit: Edit, _ group: inout Int?, to effects: inout EffectHistory
    ) throws {
        group = edit.joinsUnnamed ? group ?? edit.revision : edit.group
        try effects.append(
            edit.revision, by: edit.actor, group: group, edit.patch, wonSince: edit.wonSince,
            isPart: edit.isPart, isUpdate: edit.isUpdate, numbers: edit.numbers)
    }

    /// Adds what is left out, as steps that are always in effect.
    private func leaveOut(
        from before: JSON, to after: JSON, of effects: inout EffectHistory
    ) throws {
        let patch = EffectHistory.difference(from: before, to: after)
        guard narrowing?.isApart(patch) ?? true else { throw EffectHistory.Diverged() }
        try effects.appendUntracked(patch)
    }

    private func add(
        _ reversal: Reversal, _ change: Change, _ shown: inout JSON,
        to effects: inout EffectHistory
    ) throws {
        let named = reversal.flipped.first
        var reversal = reversal
        reversal.actor = reversal.actor ?? named.flatMap { effects.actor(of: $0) } ?? change.actor
        try effects.revert(
            change.revision, reversal, &shown, isPart: change.isPart)
    }
}
