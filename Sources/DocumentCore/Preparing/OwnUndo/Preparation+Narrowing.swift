import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Own undo and redo of old changes, by those changes alone that interact with them.
extension Preparation {
    /// The narrowing to the changes that a request wants undone or redone; `nil` if they are not
    /// old, or not that simple. `next`: what an actor's begins with, if that was looked up.
    func narrowing(
        _ request: OwnUndoRequest, _ own: inout OwnUndoLookup, _ next: [Int]?
    ) throws(PreparationError) -> Narrowing? {
        guard document.revision > context.oldDistance, document.draft == nil,
            document.settings.tracking.isWhole, document.formerTrackings.isEmpty
        else { return nil }
        let targets = try targets(of: request, &own, next)
        guard let first = targets.min(), first >= document.oldestRevision,
            document.revision - first > context.oldDistance
        else { return nil }
        var changes: [Change] = []
        for target in targets {
            let change = try context.change(target, .alone)
            guard change.isNamedEdit else { return nil }
            changes.append(change)
        }
        guard case .actor(let actor) = request.target, !request.isRedo else {
            return Narrowing(changes)
        }
        return try narrowing(changes, andBefore: first, by: actor)
    }

    private func targets(
        of request: OwnUndoRequest, _ own: inout OwnUndoLookup, _ next: [Int]?
    ) throws(PreparationError) -> [Int] {
        switch request.target {
        case .change(let revision): return [revision]
        case .changes(let revisions): return revisions
        case .parts(let parts): return parts.changes.map(\.revision)
        case .actor(let actor):
            let question = OwnUndoLookup.Question(actor: actor, isRedo: request.isRedo)
            // If a narrow history had it, which does not do, it was not looked up.
            let found = if let next { next } else { try own.next(question, in: self) ?? [] }
            // Of edits that were undone with those of other actors only some are named.
            let mayBeMore = request.isRedo && found.count >= Preparation.sharedMax
            return mayBeMore || !isOld(found) ? [] : found
        }
    }

    /// The narrowing to changes of an actor, and to those that the actor made shortly before: an
    /// undo that goes back this far is mostly followed by another one.
    private func narrowing(
        _ changes: [Change], andBefore first: Int, by actor: Name
    ) throws(PreparationError) -> Narrowing {
        var narrowing = Narrowing(changes)
        var version: [Change] = []
        let steps = history.stepsBack(before: first).prefix(Preparation.stepsBefore)
        for step in steps {
            let change = try context.change(step)
            guard change.actor == actor, change.reversal == nil else { continue }
            let group = change.group ?? step
            // A version is added as a whole.
            guard change.isNamedEdit, group == version.last.map({ $0.group ?? group }) ?? group
            else { break }
            version.append(change)
            if group < step { continue }
            guard narrowing.add(version) else { break }
            version = []
        }
        return narrowing
    }

    /// The number of changes before the undone ones that are read.
    private static let stepsBefore = 1_024

    /// The narrow history of some changes; `nil` if they cannot be separated from the rest.
    func effectHistory(_ narrowing: Narrowing) throws(PreparationError) -> EffectHistory? {
        try context.known.charge(values: .max)
        var reader = EffectReader(self, narrowing)
        do throws(PreparationError) {
            try reader.read(.from(narrowing.targets.min() ?? 0), atLeast: 0)
        } catch {
            // If changes are left out and wanted by turns, a whole history may take less.
            if case .refused(.changeTooOld) = error { return nil }
            throw error
        }
        return reader.isTooNarrow ? nil : try? reader.effectHistory()
    }
}

extension Change {
    /// Whether it is an edit and nothing else, which own undo takes out of effect, and names its
    /// version.
    fileprivate var isNamedEdit: Bool {
        switch kind {
        case .append: !joinsUnnamed
        case .restore: true
        default: false
        }
    }
}
