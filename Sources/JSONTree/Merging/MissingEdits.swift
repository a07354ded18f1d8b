/// The edits since a base, one by one.
///
/// A removed value that returned, by an undo or because another actor's edit inside it won, is the
/// same value. So the two edits are taken out, and the edits between are rewritten as they would be
/// without them: an edit of mine inside the value then meets the value, and not a second one. The
/// same holds for all other edits that were done and undone.
package struct MissingEdits: Sendable {
    package private(set) var edits: [MergeEdit] = []
    /// Pairs of edits that may be passed for this.
    private var pairsLeft: Int

    /// `pairsMax` bounds the work; beyond it, an edit and its undo both stay.
    package init(pairsMax: Int) {
        pairsLeft = pairsMax
    }

    /// Replaces all edits.
    package mutating func replace(_ edits: [MergeEdit]) {
        self.edits = edits
    }

    /// Adds the edits of one change. Returns whether edits before it were taken out.
    @discardableResult
    package mutating func append(
        _ next: ArraySlice<MergeEdit>, returning: MergeBase.Later.Returning
    ) -> Bool {
        if returning == .nothing {
            edits += next
            return false
        }
        var hasReturned = false
        for edit in next where add(edit, returning) { hasReturned = true }
        return hasReturned
    }

    /// Adds an edit of a change with which something may come back. Returns whether edits before
    /// it were taken out.
    private mutating func add(
        _ edit: MergeEdit, _ returning: MergeBase.Later.Returning
    ) -> Bool {
        var hasReturned = false
        var left = [edit]
        while let edit = left.popLast() {
            // An undo is stored in its shortest form: the rest of it may undo more.
            if returning.allows(edit), let rest = takeBack(edit, returning) {
                left += rest.reversed()
                hasReturned = true
            } else {
                edits.append(edit)
            }
        }
        return hasReturned
    }

    /// Takes out the newest edit that `edit` reverts, or reverts together with another edit;
    /// returns the rest of it. `nil` if there is none.
    private mutating func takeBack(
        _ edit: MergeEdit, _ returning: MergeBase.Later.Returning
    ) -> [MergeEdit]? {
        let left =
            takeOut(edit) { $0.isTakenBack(by: edit, returning) }
            ?? takeOut(edit) { $0.mayComeBack(with: edit, returning) }
        if let left { return left }
        // Two changes may have made the halves of one move in their undo.
        guard let (first, second) = edit.halves, let left = takeBack(first, returning) else {
            return nil
        }
        return left + [second]
    }

    /// The limit on edits with the same values that are compared to find the reverted one.
    private static let candidatesMax = 8

    /// Comparing the values of this number of edits costs as much as one pair.
    private static let otherCost = 64

    /// Takes out the newest edit that `edit` can and does revert; returns the rest of `edit`.
    private mutating func takeOut(
        _ edit: MergeEdit, where isCandidate: (MergeEdit) -> Bool
    ) -> [MergeEdit]? {
        if pairsLeft <= 0 { return nil }
        var count = 0
        for index in edits.indices.reversed() where isCandidate(edits[index]) {
            if let (inverse, rest) = carried(from: index), let left = inverse.rest(before: edit) {
                edits.replaceSubrange(index..., with: rest)
                return left
            }
            count += 1
            if count == MissingEdits.candidatesMax { break }
        }
        pairsLeft -= edits.count / MissingEdits.otherCost
        return nil
    }

    /// The inverse of an edit after all those behind it, and these as they are without the edit;
    /// `nil` if one depends on it.
    private mutating func carried(
        from index: Int
    ) -> (inverse: MergeEdit, rest: [MergeEdit])? {
        let later = edits[(index + 1)...]
        guard var inverse = edits[index].inverse, later.count <= pairsLeft else { return nil }
        pairsLeft -= later.count
        var rest: [MergeEdit] = []
        rest.reserveCapacity(later.count)
        for other in later {
            let pair = EditPair(mine: inverse, theirs: other)
            guard pair.relation == .independent else { return nil }
            let (mine, theirs) = pair.passed
            guard mine.count == 1 else { return nil }
            inverse = mine[0]
            rest += theirs
        }
        return (inverse, rest)
    }
}

extension MergeBase.Later.Returning {
    /// Whether an edit of such a change may take an earlier one back.
    fileprivate func allows(_ edit: MergeEdit) -> Bool {
        switch (self, edit.action) {
        case (.nothing, _), (_, .read): false
        case (.anything, _): true
        case (.removed, .insert), (.removed, .set(_, _?)): true
        case (.removed, _): false
        }
    }

    /// Whether a later change may restore a value that a change of this revision removed. A value
    /// removed and added within one change stays as that change made it.
    fileprivate func reaches(_ revision: Int, from later: Int) -> Bool {
        switch self {
        case .nothing: false
        case .anything: true
        case .removed(let base): base < revision && revision < later
        }
    }
}

extension MergeEdit {
    /// Whether `edit` has the values to take this one back. Where, is another question.
    fileprivate func isTakenBack(
        by edit: MergeEdit, _ returning: MergeBase.Later.Returning
    ) -> Bool {
        guard returning.reaches(origin, from: edit.origin) else { return false }
        return switch (action, edit.action) {
        case (.insert(let value), .delete(let other)), (.delete(let value), .insert(let other)):
            value == other
        case (.set(let old, let new), .set(let before, let after)):
            // An undo may put back what was there before several edits.
            new == before && (old == after || returning == .anything)
        case (.text(let text), .text(let other)):
            text.removed == other.inserted && text.inserted == other.removed
        case (.move, .move): true
        default: false
        }
    }

    /// Whether `edit` may put back what this one removed, with something inside it changed.
    fileprivate func mayComeBack(
        with edit: MergeEdit, _ returning: MergeBase.Later.Returning
    ) -> Bool {
        guard case .anything = returning, case .delete(let value) = action,
            case .insert(let other) = edit.action
        else { return false }
        return value.isContainer(like: other)
    }

    /// The rest of `edit` after this inverse, carried to the place of `edit`; `nil` if `edit` is
    /// another one.
    fileprivate func rest(before edit: MergeEdit) -> [MergeEdit]? {
        switch (action, edit.action) {
        case (.insert(let value), .insert(let other)):
            if value == other {
                return place == edit.place ? [] : [edit.moving(from: place)]
            }
            return place == edit.place ? edit.inside(value, other) : nil
        case (.set(let old, let value), .set(let before, let other)) where place == edit.place:
            guard old == before else { return nil }
            if value == other { return [] }
            if let value, let other, value.isContainer(like: other) {
                return edit.inside(value, other)
            }
            return [MergeEdit(.set(old: value, new: other), at: place, origin: edit.origin)]
        default: return place == edit.place && isSame(as: edit) ? [] : nil
        }
    }

    private func isSame(as edit: MergeEdit) -> Bool {
        switch (action, edit.action) {
        case (.text(let text), .text(let other)):
            text.position == other.position && text.removed == other.removed
                && text.inserted == other.inserted
        default: action == edit.action
        }
    }

    /// The move that brings the value of this insertion from another place.
    private func moving(from place: Place) -> MergeEdit {
        MergeEdit(.move(to: self.place), at: place, origin: origin)
    }

    /// The edits inside the value at this place that make another one of it.
    private func inside(_ value: JSON, _ other: JSON) -> [MergeEdit] {
        var tree = value
        var result: [MergeEdit] = []
        for edit in value.diff(to: other, options: DiffOptions(isShort: false)).edits {
            result += MergeEdit.edits(of: edit, in: tree, origin: origin).map { $0.under(place) }
            guard (try? tree.apply(edit)) != nil else { return result }
        }
        return result
    }

    /// The same edit of the value at a place.
    private func under(_ place: Place) -> MergeEdit {
        var result = at(place.appending(self.place))
        if case .move(let target) = action { result.action = .move(to: place.appending(target)) }
        return result
    }
}

extension JSON {
    /// Whether both are objects, or both arrays.
    fileprivate func isContainer(like other: JSON) -> Bool { isContainer && kind == other.kind }
}
