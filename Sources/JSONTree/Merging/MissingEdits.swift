/// What has happened since a base, edit by edit.
///
/// A value that was removed and came back, by an undo or because another's edit inside it won, is
/// the same value. So the two edits are taken out, and what came between is written as it would
/// have been without them: an edit of mine inside the value then meets the value, and not a second
/// one. The same holds for everything else that was done and taken back.
struct MissingEdits {
    private(set) var edits: [MergeEdit] = []
    /// Pairs of edits that may be passed for this.
    private var pairsLeft: Int

    /// `pairsMax` bounds the work; what is taken back later than that stays twice.
    init(pairsMax: Int) {
        pairsLeft = pairsMax
    }

    /// Replaces all edits.
    mutating func replace(_ edits: [MergeEdit]) {
        self.edits = edits
    }

    /// Adds the edits of one change. Returns whether edits before it were taken out.
    @discardableResult
    mutating func append(
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
            // An undo is stored as short as it can be: what is left of it may take back more.
            if returning.allows(edit), let rest = takeBack(edit, returning) {
                left += rest.reversed()
                hasReturned = true
            } else {
                edits.append(edit)
            }
        }
        return hasReturned
    }

    /// Takes out the newest edit that `edit` takes back, or takes back with another edit; returns
    /// what is left of it. `nil` if there is none.
    private mutating func takeBack(
        _ edit: MergeEdit, _ returning: MergeBase.Later.Returning
    ) -> [MergeEdit]? {
        let left =
            takeOut(edit) { $0.isTakenBack(by: edit, returning) }
            ?? takeOut(edit) { $0.mayComeBack(with: edit, returning) }
        if let left { return left }
        // Two changes may have made the halves of what is one move in their undo.
        guard let (first, second) = edit.halves, let left = takeBack(first, returning) else {
            return nil
        }
        return left + [second]
    }

    /// Of how many edits with the same values it is found out which one is taken back.
    private static let candidatesMax = 8

    /// Comparing the values of this number of edits costs as much as one pair.
    private static let otherCost = 64

    /// Takes out the newest of the edits that may be taken back, if it is; returns what is left of
    /// the edit that does.
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

    /// Whether what a change of this revision removed may come back with a later one. What was
    /// removed and added within one change was meant so.
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

    /// What is left of `edit` when this inverse has been carried to where `edit` is made; `nil` if
    /// `edit` is something else.
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
