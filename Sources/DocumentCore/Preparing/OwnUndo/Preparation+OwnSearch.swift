import Naming
import SelectiveUndo
import VersioningKit

/// Searches the changes for an actor's next undo or redo.
extension Preparation {
    /// The result of an actor's undo or redo that need not be made to be known: there is nothing,
    /// or a question is about old changes. `nil` for all others.
    func result(
        _ question: OwnUndoLookup.Question, _ next: [Int]
    ) throws(PreparationError) -> Prepared? {
        let (actor, isRedo) = (question.actor, question.isRedo)
        guard let first = next.min() else {
            throw .refused(.nothingOwn(actor: actor, isRedo: isRedo))
        }
        guard request.isQuestion, request.isDryRun, isOld(next) else { return nil }
        try checkOwner(actor, of: first)
        var reversal = Reversal(
            actor: actor, off: isRedo ? [] : next.sorted(), on: isRedo ? next.sorted() : [])
        reversal.isLongAgo = true
        return recorded(.revert(reversal))
    }

    /// Whether all of some changes are old.
    func isOld(_ revisions: [Int]) -> Bool {
        document.revision - (revisions.max() ?? 0) > context.oldDistance
    }

    /// The changes that an actor would undo or redo next; none if there are none. Scans the changes
    /// back from the actor's last activity.
    func search(_ question: OwnUndoLookup.Question) throws(PreparationError) -> [Int] {
        let actor = question.actor
        let end = document.activity.end(of: actor)
        // Later changes may have to be walked past.
        if end > 0 { try context.known.charge(values: document.revision - end) }
        let steps = history.stepsBack(before: end)
        return try question.isRedo
            ? redoable(by: actor, in: steps) : undoable(by: actor, in: steps)
    }

    /// The edits of the newest version of an actor that has one in effect.
    private func undoable(
        by actor: Name, in steps: StepsBack<Int>
    ) throws(PreparationError) -> [Int] {
        var scan = BackwardEffectScan()
        var found: [Int] = []
        var group = 0
        for step in steps {
            if !found.isEmpty && (step < group || found[0] - step > Preparation.groupSpan) { break }
            let change = try context.change(step)
            if let reversal = change.reversal {
                scan.note(reversal)
                continue
            }
            guard change.actor == actor, scan.isInEffect(step), !isKept(change) else { continue }
            if found.isEmpty { group = change.group ?? step }
            if change.group ?? step == group { found.append(step) }
        }
        return found
    }

    /// The number of changes scanned back for the edits of a version.
    private static let groupSpan = 1_024

    /// The edits of an actor that the actor's newest own undo took out of effect and that have not
    /// returned; none once the actor has edited again.
    private func redoable(
        by actor: Name, in steps: StepsBack<Int>
    ) throws(PreparationError) -> [Int] {
        var scan = BackwardEffectScan()
        for step in steps {
            let change = try context.change(step)
            guard let reversal = change.reversal else {
                if change.actor == actor { return [] }
                continue
            }
            scan.note(reversal)
            let undone = try own(
                reversal.undone.filter { !scan.isInEffect($0) }, of: actor, reversal)
            if !undone.isEmpty { return undone }
        }
        return []
    }

    /// The edits of an actor among those that a reversal took out of effect; the first of them if
    /// several actors made them.
    private func own(
        _ revisions: [Int], of actor: Name, _ reversal: Reversal
    ) throws(PreparationError) -> [Int] {
        guard document.activity.isShared(reversal) else {
            return reversal.actor == actor ? revisions : []
        }
        var own: [Int] = []
        for revision in revisions where try context.change(revision, .alone).actor == actor {
            own.append(revision)
            if own.count == Preparation.sharedMax { break }
        }
        return own
    }

    /// At most this number of an actor's edits is named if they were undone with those of others.
    static let sharedMax = 16
}
