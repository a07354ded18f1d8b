import Naming
import SelectiveUndo
import VersioningKit

/// Own undo and redo of who has not worked lately.
extension Preparation {
    /// The result of an actor's undo or redo that need not be made to be known: there is nothing,
    /// or a question is about what is long ago. `nil` for all others.
    func known(
        _ request: OwnUndoRequest, _ effects: inout EffectCache
    ) throws(PreparationError) -> Prepared? {
        guard case .actor(let actor) = request.target else { return nil }
        let isRedo = request.isRedo
        let isKnown = effects.longAgo.knows(request)
        if !isKnown && effects.knows(actor, isRedo: isRedo) { return nil }
        let found = try found(actor, isRedo: isRedo, &effects)
        guard let first = found.min() else {
            throw .refused(.nothingOwn(actor: actor, isRedo: isRedo))
        }
        guard self.request.isQuestion, self.request.isDryRun, isLongAgo(found) else { return nil }
        try checkOwner(actor, of: first)
        var reversal = Reversal(
            actor: actor, off: isRedo ? [] : found.sorted(), on: isRedo ? found.sorted() : [])
        reversal.isLongAgo = true
        return recorded(.revert(reversal))
    }

    /// What an actor's undo or redo would begin with; none if there is nothing.
    func found(
        _ actor: Name, isRedo: Bool, _ effects: inout EffectCache
    ) throws(PreparationError) -> [Int] {
        if let answer = effects.longAgo.answer(of: actor, isRedo: isRedo) { return answer }
        let steps = try steps(of: actor)
        let found = try isRedo ? redoable(by: actor, in: steps) : undoable(by: actor, in: steps)
        if found.isEmpty || isLongAgo(found) {
            effects.longAgo.keep(found, of: actor, isRedo: isRedo)
        }
        return found
    }

    private func isLongAgo(_ revisions: [Int]) -> Bool {
        document.revision - (revisions.max() ?? 0) > context.longAgo
    }

    /// The steps of the line that may have to do with an actor's own undo, the newest first.
    private func steps(of actor: Name) throws(PreparationError) -> StepsBack<Int> {
        let end = document.latestWork.end(of: actor)
        // Those that are passed may be walked past.
        if end > 0 { try context.known.checkTime(values: document.revision - end) }
        return history.stepsBack(before: end)
    }

    /// The edits of the newest version of an actor that has one in effect.
    private func undoable(
        by actor: Name, in steps: StepsBack<Int>
    ) throws(PreparationError) -> [Int] {
        var effects = EffectsLookedBack()
        var found: [Int] = []
        var group = 0
        for step in steps {
            if !found.isEmpty && (step < group || found[0] - step > Preparation.groupSpan) { break }
            let change = try context.change(step)
            if let reversal = change.reversal {
                effects.note(reversal)
                continue
            }
            guard change.actor == actor, effects.isInEffect(step), !isKept(change) else {
                continue
            }
            if found.isEmpty { group = change.group ?? step }
            if change.group ?? step == group { found.append(step) }
        }
        return found
    }

    /// So many changes back the edits of one version are looked for.
    private static let groupSpan = 1_024

    /// What a reversal took of an actor's that is not back; of what several made, the first ones.
    private func own(
        _ reversal: Reversal, of actor: Name, without isBack: Set<Int>
    ) throws(PreparationError) -> [Int] {
        let off = reversal.off.filter { !isBack.contains($0) }
        guard document.latestWork.isShared(reversal) else {
            return reversal.actor == actor ? off : []
        }
        var own: [Int] = []
        for revision in off where try context.change(revision, .alone).actor == actor {
            own.append(revision)
            if own.count == Preparation.sharedMax { break }
        }
        return own
    }

    /// So many of an actor's edits are named that were taken back with those of others.
    static let sharedMax = 16

    /// What an actor's newest own undo took that has not come back; nothing once the actor has
    /// edited again.
    private func redoable(
        by actor: Name, in steps: StepsBack<Int>
    ) throws(PreparationError) -> [Int] {
        var isBack: Set<Int> = []
        for step in steps {
            let change = try context.change(step)
            guard let reversal = change.reversal else {
                if change.actor == actor { return [] }
                continue
            }
            isBack.formUnion(reversal.on)
            let undone = try own(reversal, of: actor, without: isBack)
            if !undone.isEmpty { return undone }
        }
        return []
    }
}
