import JSONTree
package import SelectiveUndo
import VersioningKit

extension EffectReader {
    /// The line of all changes that were read.
    package func line() throws(PreparationError) -> EffectHistory {
        let first = oldest ?? preparation.document.revision + 1
        var line = EffectHistory(tree, first: first, isWhole: isAtEnd && narrowing == nil)
        do {
            try add(to: &line)
            guard try line.rendered() == preparation.document.tree else {
                throw EffectHistory.Diverged()
            }
            return line
        } catch {
            throw .refused(.mismatch(version: preparation.history.currentID))
        }
    }

    private func add(to line: inout EffectHistory) throws {
        var shown = tree
        var waiting = pops.sorted { $0.revision > $1.revision }
        var group: Int?
        for part in parts.reversed() {
            if let revision = part.revision { pop(before: revision, &waiting, in: &line) }
            switch part {
            case .edit(let edit): try add(edit, &group, to: &line)
            case .editBetween(let edit, let before, let after):
                // What has no versions was edited in between.
                try line.adjust(from: shown, to: before)
                try add(edit, &group, to: &line)
                shown = before
                try shown.apply(edit.patch)
                try lead(&shown, to: after, in: &line)
            case .reversal(let reversal, let change, let before, let after):
                if !isWhole { try line.adjust(from: shown, to: before) }
                shown = before
                group = change.group
                try add(reversal, change, &shown, to: &line)
                try lead(&shown, to: after, in: &line)
            case .rest(let before, let after, _):
                try leaveOut(from: before, to: after, of: &line)
                shown = after
            }
        }
        pop(before: .max, &waiting, in: &line)
    }

    /// What the journal says is right: where the rules make something else of a change (older ones
    /// may have made it), the difference is always in effect.
    private func lead(
        _ shown: inout JSON, to after: JSON, in line: inout EffectHistory
    ) throws {
        try line.adjust(from: shown, to: after)
        shown = after
    }

    private func pop(
        before revision: Int, _ waiting: inout [Pop], in line: inout EffectHistory
    ) {
        while let pop = waiting.last, pop.revision < revision {
            line.pop(pop.revision, pop.steps, owner: pop.owner)
            waiting.removeLast()
        }
    }

    /// `group`: what the edit before it belongs to, and then this one.
    private func add(
        _ edit: Edit, _ group: inout Int?, to line: inout EffectHistory
    ) throws {
        group = edit.joinsUnnamed ? group ?? edit.revision : edit.group
        try line.append(
            edit.revision, by: edit.actor, group: group, edit.patch, wonSince: edit.wonSince,
            isPart: edit.isPart, isUpdate: edit.isUpdate)
    }

    /// Adds what is left out, as steps that are always in effect.
    private func leaveOut(
        from before: JSON, to after: JSON, of line: inout EffectHistory
    ) throws {
        let patch = EffectHistory.difference(from: before, to: after)
        guard narrowing?.isApart(patch) ?? true else { throw EffectHistory.Diverged() }
        try line.appendUntracked(patch)
    }

    private func add(
        _ reversal: Reversal, _ change: Change, _ shown: inout JSON,
        to line: inout EffectHistory
    ) throws {
        let named = reversal.flipped.first
        var reversal = reversal
        reversal.actor = reversal.actor ?? named.flatMap { line.actor(of: $0) } ?? change.actor
        try line.revert(
            change.revision, reversal, &shown, isPart: change.isPart)
    }
}
