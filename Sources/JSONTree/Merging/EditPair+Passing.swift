// Two edits that can both be done: each after the other.

extension EditPair {
    typealias Passed = (mine: [MergeEdit], theirs: [MergeEdit])

    /// Each as it is after the other: mine on theirs' result, theirs on mine.
    var passed: Passed {
        switch (mine.action, theirs.action) {
        case (.text(let one), .text(let other)) where mine.place == theirs.place:
            return passedTexts(one, other)
        case (.move(let target), .move(let other)): return passedMoves(target, other)
        case (.move(let target), _):
            let (move, edit) = EditPair.passed(mine, to: target, theirs, by: .mine)
            return ([move], [edit])
        case (_, .move(let target)):
            let (move, edit) = EditPair.passed(theirs, to: target, mine, by: .theirs)
            return ([edit], [move])
        default:
            return (
                [mine.at(EditPair.place(of: mine, after: theirs, goesFirst: true))],
                [theirs.at(EditPair.place(of: theirs, after: mine, goesFirst: false))]
            )
        }
    }

    /// Both want the same, and theirs was first: so mine has nothing to do, and after mine theirs
    /// leads to its digits.
    var passedAgreement: Passed {
        guard case (.set(_, let new?), .set(_, let first?)) = (mine.action, theirs.action) else {
            return ([], [])
        }
        return (
            [], MergeEdit.respellings(from: new, to: first, at: theirs.place, origin: theirs.origin)
        )
    }

    /// One side only writes a number with other digits, which the other side replaces or removes.
    func passedRespelling(by side: Place.Side) -> Passed {
        side == .mine
            ? ([], [theirs.removing(after: mine) ?? theirs])
            : ([mine.removing(after: theirs) ?? mine], [])
    }

    /// One side removes a value that the other moved, or of which it removed a part: the removal
    /// follows the value, and the other edit has no effect left.
    func passedRemoval(by side: Place.Side) -> Passed {
        let (removal, other) = side == .mine ? (mine, theirs) : (theirs, mine)
        let left = EditPair.removal(removal, after: other)
        return side == .mine ? (left, []) : ([], left)
    }

    private static func removal(_ removal: MergeEdit, after other: MergeEdit) -> [MergeEdit] {
        let value: JSON
        switch removal.action {
        case .delete(let old), .set(let old?, _): value = old
        default: preconditionFailure("a removal has a value")
        }
        var place = removal.place
        var rest = value
        if case .move(let target) = other.action {
            place = target
        } else if let edit = other.at(other.place.steps(from: place)).edit {
            // The part that the other side removed no longer exists.
            rest = (try? value.applying(ReversiblePatch([edit]))) ?? value
        }
        let action: MergeEdit.Action =
            place.isElement ? .delete(rest) : .set(old: rest, new: nil)
        return [MergeEdit(action, at: place, origin: removal.origin)]
    }

    /// The place of an edit after another one; neither moves anything.
    private static func place(
        of edit: MergeEdit, after other: MergeEdit, goesFirst: Bool
    ) -> Place {
        switch other.action {
        case .insert:
            edit.isAtTarget
                ? edit.place.inserting(other.place, goesFirst: goesFirst)
                : edit.place.inserting(other.place)
        case .delete: edit.place.removing(other.place)
        case .set, .text, .read, .move: edit.place
        }
    }

    /// A move and another edit, each after the other. `side` is whose the move is.
    private static func passed(
        _ move: MergeEdit, to target: Place, _ edit: MergeEdit, by side: Place.Side
    ) -> (move: MergeEdit, edit: MergeEdit) {
        let isMine = side == .mine
        // First with the value in hand, then with the value at its target.
        let held =
            edit.isAtTarget
            ? edit.place.takingTarget(move.place, by: side)
            : edit.place.taking(move.place, by: side)
        let after =
            edit.isAtTarget
            ? held.givingTarget(target, by: side, goesFirst: !isMine)
            : held.giving(target, by: side)
        let newTarget: Place
        switch edit.action {
        case .insert where !held.isInHand(of: side):
            newTarget = target.inserting(held, goesFirst: isMine)
        case .delete where !held.isInHand(of: side): newTarget = target.removing(held)
        default: newTarget = target
        }
        var moved = move.at(place(of: move, after: edit, goesFirst: isMine))
        moved.action = .move(to: newTarget)
        return (moved, edit.at(after))
    }

    private func passedMoves(_ target: Place, _ other: Place) -> Passed {
        let (mineWithout, theirsWithout) = targetsWithoutBoth(target, other)
        let mineGoesFirst = isBeforeTheirs(target, other)
        var first = mine.at(
            mine.place.taking(theirs.place, by: .theirs).giving(other, by: .theirs))
        first.action = .move(
            to: mineWithout.givingTarget(theirsWithout, by: .theirs, goesFirst: mineGoesFirst))
        var second = theirs.at(
            theirs.place.taking(mine.place, by: .mine).giving(target, by: .mine))
        second.action = .move(
            to: theirsWithout.givingTarget(mineWithout, by: .mine, goesFirst: !mineGoesFirst))
        return ([first], [second])
    }

    /// Which value comes first if both moves lead to one gap.
    ///
    /// With both values taken out of their array, two gaps may have become one: if one moved the
    /// first of two elements back and the other the second one forward, both asked for the same
    /// order. So the gaps count as they were when both were there. A move to where its value is
    /// leaves the value between its neighbours.
    private func isBeforeTheirs(_ target: Place, _ other: Place) -> Bool {
        let array = target.above
        guard let mineFrom = mine.place.index(in: array),
            let theirsFrom = theirs.place.index(in: array),
            let mineTo = target.index(in: array), let theirsTo = other.index(in: array)
        else { return true }
        let myGap = mineTo < mineFrom ? mineTo : mineTo + 1
        let theirGap = theirsTo <= theirsFrom ? theirsTo : theirsTo + 1
        return myGap <= theirGap
    }

    private func passedTexts(_ one: TextEdit, _ other: TextEdit) -> Passed {
        if one.isReplacement, other.removed.isEmpty, other.position == one.position {
            // The new words stay in the place of the old ones, behind the inserted text.
            let text = one.at(one.position + other.insertedCount)
            return ([MergeEdit(.text(text), at: mine.place, origin: mine.origin)], [theirs])
        }
        let (mySteps, theirSteps) = EditPair.passed(one.steps, other.steps)
        return (EditPair.edits(mySteps, mine), EditPair.edits(theirSteps, theirs))
    }

    /// Steps that follow each other, over others that do; a deletion may part in two.
    private static func passed(
        _ mine: [TextEdit], _ theirs: [TextEdit]
    ) -> (mine: [TextEdit], theirs: [TextEdit]) {
        guard let first = mine.first, let other = theirs.first else { return (mine, theirs) }
        if mine.count == 1 && theirs.count == 1 {
            return (
                first.passed(over: other, goesFirst: true),
                other.passed(over: first, goesFirst: false)
            )
        }
        if mine.count > 1 {
            let head = passed([first], theirs)
            let tail = passed(Array(mine.dropFirst()), head.theirs)
            return (head.mine + tail.mine, tail.theirs)
        }
        let head = passed(mine, [other])
        let tail = passed(head.mine, Array(theirs.dropFirst()))
        return (tail.mine, head.theirs + tail.theirs)
    }

    /// The steps as edits; a deletion and an insertion at its place become one again.
    private static func edits(_ steps: [TextEdit], _ edit: MergeEdit) -> [MergeEdit] {
        var joined: [TextEdit] = []
        for step in steps {
            if let last = joined.last, step.isValue, last.inserted.isEmpty, step.removed.isEmpty,
                last.position == step.position
            {
                joined[joined.count - 1] = TextEdit(
                    position: last.position, removed: last.removed, inserted: step.inserted,
                    isValue: true)
            } else {
                joined.append(step)
            }
        }
        return joined.map { MergeEdit(.text($0), at: edit.place, origin: edit.origin) }
    }
}
