import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Own undo and redo of what is long ago, of what has to do with it alone.
extension Preparation {
    /// What has to do with what a request wants undone or redone; `nil` if that is not long ago, or
    /// not that simple. `isFound`: what an actor's would begin with was looked for, and is noted if
    /// it is long ago.
    func narrowing(
        _ request: OwnUndoRequest, _ effects: inout EffectCache, isFound: Bool
    ) throws(PreparationError) -> Narrowing? {
        guard document.revision > context.longAgo, document.draft == nil,
            document.settings.tracking.isWhole, document.formerTrackings.isEmpty
        else { return nil }
        let targets = try targets(of: request, &effects, isFound: isFound)
        guard let first = targets.min(), first >= document.oldestRevision,
            document.revision - first > context.longAgo
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
        of request: OwnUndoRequest, _ effects: inout EffectCache, isFound: Bool
    ) throws(PreparationError) -> [Int] {
        switch request.target {
        case .actor where isFound && !effects.longAgo.knows(request): []
        case .actor(let actor):
            allFound(try found(actor, isRedo: request.isRedo, &effects), request)
        case .change(let revision): [revision]
        case .changes(let revisions): revisions
        }
    }

    /// None if there may be more: of what was taken back with others' edits only some are named.
    private func allFound(_ found: [Int], _ request: OwnUndoRequest) -> [Int] {
        request.isRedo && found.count >= Preparation.sharedMax ? [] : found
    }

    /// What has to do with what an actor did, and with what they did shortly before that: whoever
    /// goes back that far goes on.
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
            // Nothing may be left out in between.
            guard change.isNamedEdit, group == version.last.map({ $0.group ?? group }) ?? group
            else { break }
            version.append(change)
            if group < step { continue }
            guard narrowing.add(version) else { break }
            version = []
        }
        return narrowing
    }

    /// So many changes before what is undone are looked at.
    private static let stepsBefore = 1_024

    /// The line of what has to do with some changes; `nil` if that cannot be told from the rest.
    func line(_ narrowing: Narrowing) throws(PreparationError) -> EffectHistory? {
        try context.known.checkTime(values: .max)
        var reader = EffectReader(self, narrowing)
        do throws(PreparationError) {
            try reader.read(.from(narrowing.targets.min() ?? 0), atLeast: 0)
        } catch {
            // Where much is in turns left out and not, all of it may take less.
            if case .refused(.changeTooOld) = error { return nil }
            throw error
        }
        return reader.isTooNarrow ? nil : try? reader.line()
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
