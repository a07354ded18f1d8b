extension ReversiblePatch {
    /// What becomes of a patch when another one comes before it.
    public struct Rebased: Sendable {
        /// The patch for the tree that the other one leaves, without the edits in conflict.
        public let patch: ReversiblePatch
        /// The places that both change, in the words of the tree that the other one leaves where
        /// they still exist there. Empty if nothing is lost.
        public let conflicts: [JSONPointer]
        /// The edits in conflict whose place still exists.
        let refused: [JSONEdit]
    }

    /// This patch, made for the tree `base`, changed so that it can be applied after `other`, which
    /// was made for the same tree.
    ///
    /// Elements that `other` adds, removes or moves shift the indexes of this patch; text that it
    /// inserts or deletes shifts positions; values that it moves are followed. Where both change
    /// one place there is a conflict. Without conflicts the order makes no difference:
    /// `other`, then this patch rebased, gives the tree that this patch, then `other` rebased,
    /// gives; but for elements or text inserted at one place, whose order is this patch's first.
    ///
    /// O(edits of this patch · edits of `other`). Fails if a patch does not fit `base`.
    public func rebased(
        over other: ReversiblePatch, on base: JSON
    ) throws(JSONPatchError) -> Rebased {
        let mine = try PlacedEdit.placed(edits, on: base)
        var theirs = try PlacedEdit.placed(other.edits, on: base)
        var result: [JSONEdit] = []
        var refused: [JSONEdit] = []
        var conflicts: [JSONPointer] = []
        for edit in mine {
            var rebased = RebasedEdit(edit: edit)
            var next: [PlacedEdit] = []
            for their in theirs {
                let step = rebased.isInConflict ? nil : rebased.edit
                rebased.pass(their)
                guard let step, !rebased.isInConflict else {
                    next.append(their)
                    continue
                }
                // What the other patch has to look like for this patch's next edit.
                if let passed = their.passed(step, winsTies: false) { next.append(passed) }
            }
            if let conflict = rebased.conflict {
                conflicts.append(rebased.isGone ? conflict : rebased.edit.edit.pointers[0])
                if !rebased.isGone { refused.append(rebased.edit.edit) }
            } else {
                theirs = next
                result.append(rebased.edit.edit)
            }
        }
        return Rebased(patch: ReversiblePatch(result), conflicts: conflicts, refused: refused)
    }
}

extension ReversiblePatch.Rebased {
    /// The patch with the edits in conflict put through as well, where their place still exists:
    /// what stands there now is replaced. Inside a text that both edited, nothing is forced.
    public func forced(on tree: JSON) -> ReversiblePatch {
        var result = patch
        guard var tree = try? tree.applying(patch) else { return patch }
        for edit in refused {
            guard let forced = edit.forced(on: tree), let next = try? tree.applying(forced) else {
                continue
            }
            tree = next
            result.append(forced)
        }
        return result
    }
}

extension JSONEdit {
    fileprivate func forced(on tree: JSON) -> ReversiblePatch? {
        switch self {
        case .replace(let pointer, _, let new):
            tree[pointer].map { ReversiblePatch([.replace(pointer, old: $0, new: new)]) }
        case .remove(let pointer, _):
            tree[pointer].map { ReversiblePatch([.remove(pointer, $0)]) }
        case .add(let pointer, let value):
            if let old = tree[pointer], !tree.isElement(pointer) {
                ReversiblePatch([.replace(pointer, old: old, new: value)])
            } else {
                ReversiblePatch([.add(pointer, value)])
            }
        case .move: ReversiblePatch([self])
        case .splice: nil
        }
    }
}

/// An edit on its way through the edits of another patch.
private struct RebasedEdit {
    var edit: PlacedEdit
    /// Where it met the first edit that it cannot pass.
    var conflict: JSONPointer?
    /// Whether its place does not exist any more.
    var isGone = false

    var isInConflict: Bool { conflict != nil }

    init(edit: PlacedEdit) {
        self.edit = edit
    }

    mutating func pass(_ other: PlacedEdit) {
        guard !isGone else { return }
        if edit.conflicts(with: other) && conflict == nil { conflict = edit.edit.pointers[0] }
        if let passed = edit.passed(other, winsTies: true) {
            edit = passed
        } else {
            conflict = conflict ?? edit.edit.pointers[0]
            isGone = true
        }
    }
}

/// An edit, and whether the places that it empties and fills are elements of arrays, whose
/// neighbours shift.
private struct PlacedEdit {
    var edit: JSONEdit
    let takesElement: Bool
    let givesElement: Bool

    /// Finds out by applying the edits one after the other.
    static func placed(
        _ edits: [JSONEdit], on base: JSON
    ) throws(JSONPatchError) -> [PlacedEdit] {
        var tree = base
        var result: [PlacedEdit] = []
        for edit in edits {
            let takes = edit.taken.map { tree.isElement($0) } ?? false
            // A move's target may be inside an array that the value itself has left.
            try tree.apply(edit)
            let gives = edit.given.map { tree.isElement($0) } ?? false
            result.append(PlacedEdit(edit: edit, takesElement: takes, givesElement: gives))
        }
        return result
    }
}

extension JSON {
    fileprivate func isElement(_ pointer: JSONPointer) -> Bool {
        value(at: pointer.tokens.dropLast())?.kind == .array
    }
}

extension JSONEdit {
    /// The place that the edit empties.
    fileprivate var taken: JSONPointer? {
        switch self {
        case .remove(let pointer, _): pointer
        case .move(let from, _): from
        case .add, .replace, .splice: nil
        }
    }

    /// The place that the edit fills, once `taken` is empty.
    fileprivate var given: JSONPointer? {
        switch self {
        case .add(let pointer, _): pointer
        case .move(_, let to): to
        case .remove, .replace, .splice: nil
        }
    }
}

extension PlacedEdit {
    /// Whether this edit and `other`, made for the same tree, cannot both have their way.
    func conflicts(with other: PlacedEdit) -> Bool {
        if case .replace(let place, _, _) = other.edit {
            if values.contains(where: { place.isPrefix(of: $0) }) { return true }
            if let given = edit.given, place.isProperPrefix(of: given) { return true }
        }
        switch edit {
        case .replace(let place, _, _), .remove(let place, _):
            if other.changes(inside: place) { return true }
        case .splice(let place, _, _, _):
            if case .splice(place, _, _, _) = other.edit { return false }
        case .move(let from, _):
            if case .move(from, _) = other.edit { return true }
        case .add: break
        }
        // Both make one and the same new member.
        guard let mine = edit.given, !givesElement else { return false }
        return mine == other.edit.given
    }

    /// The existing values that the edit works on.
    private var values: [JSONPointer] {
        switch edit {
        case .add: []
        case .remove(let pointer, _), .replace(let pointer, _, _), .splice(let pointer, _, _, _):
            [pointer]
        case .move(let from, _): [from]
        }
    }

    /// Whether the edit changes the value at `place`, or something in it.
    private func changes(inside place: JSONPointer) -> Bool {
        switch edit {
        case .splice(let pointer, _, _, _), .replace(let pointer, _, _):
            place.isPrefix(of: pointer)
        case .add(let pointer, _), .remove(let pointer, _):
            place.isProperPrefix(of: pointer)
        case .move(let from, let to):
            place.isProperPrefix(of: from)
                || takenAway(place.tokens).map { JSONPointer(tokens: $0).isProperPrefix(of: to) }
                    ?? false
        }
    }
}

extension PlacedEdit {
    /// This edit for the tree after `other`; `nil` if its place does not exist any more.
    func passed(_ other: PlacedEdit, winsTies: Bool) -> PlacedEdit? {
        var copy = self
        func value(_ pointer: JSONPointer) -> JSONPointer? {
            other.moved(pointer.tokens).map(JSONPointer.init(tokens:))
        }
        func place(_ pointer: JSONPointer) -> JSONPointer? {
            let last = givesElement ? winsTies : nil
            return other.moved(pointer.tokens, isPlace: true, winsTies: last)
                .map(JSONPointer.init(tokens:))
        }
        switch edit {
        case .add(let pointer, let added):
            guard let pointer = place(pointer) else { return nil }
            copy.edit = .add(pointer, added)
        case .remove(let pointer, let removed):
            guard let pointer = value(pointer) else { return nil }
            copy.edit = .remove(pointer, removed)
        case .replace(let pointer, let old, let new):
            guard let pointer = value(pointer) else { return nil }
            copy.edit = .replace(pointer, old: old, new: new)
        case .move(let from, let to):
            guard let from = value(from), let to = place(to), !from.isProperPrefix(of: to) else {
                return nil
            }
            copy.edit = .move(from: from, to: to)
        case .splice(let pointer, let position, let removed, let inserted):
            guard let moved = value(pointer),
                let position = other.shifted(
                    position, count: UTF16Offsets.count(removed[...]), in: pointer, winsTies)
            else { return nil }
            copy.edit = .splice(moved, at: position, removed: removed, inserted: inserted)
        }
        return copy
    }

    /// Where a value, or a place for one, is after this edit.
    private func moved(
        _ tokens: [MemberName], isPlace: Bool = false, winsTies: Bool? = nil
    ) -> [MemberName]? {
        if let taken = edit.taken, taken.covers(tokens, isPlace: isPlace) {
            return edit.given.map { $0.tokens + tokens.dropFirst(taken.count) }
        }
        guard var tokens = takenAway(tokens, isPlace: isPlace) else { return nil }
        if let given = edit.given, givesElement, let index = given.siblingIndex(tokens) {
            let isTie = isPlace && tokens.count == given.count && index == given.lastIndex
            if index > given.lastIndex || (index == given.lastIndex && !(isTie && winsTies == true))
            {
                tokens[given.count - 1] = MemberName(String(index + 1))
            }
        }
        return tokens
    }

    /// The same after the first half of this edit; `nil` if it is gone.
    private func takenAway(_ tokens: [MemberName], isPlace: Bool = false) -> [MemberName]? {
        guard let taken = edit.taken else { return tokens }
        if taken.covers(tokens, isPlace: isPlace) { return nil }
        var tokens = tokens
        if takesElement, let index = taken.siblingIndex(tokens), index > taken.lastIndex {
            tokens[taken.count - 1] = MemberName(String(index - 1))
        }
        return tokens
    }

    /// A position in the text at `pointer` after this edit; `nil` if both edit the same stretch.
    private func shifted(
        _ position: Int, count: Int, in pointer: JSONPointer, _ winsTies: Bool
    ) -> Int? {
        guard case .splice(pointer, let start, let removed, let inserted) = edit else {
            return position
        }
        let end = start + UTF16Offsets.count(removed[...])
        let isTie = position + count == start && count == 0 && start == end
        if position + count <= start && (!isTie || winsTies) { return position }
        guard position >= end else { return nil }
        return position + UTF16Offsets.count(inserted[...]) - (end - start)
    }
}

extension JSONPointer {
    func isPrefix(of other: JSONPointer) -> Bool {
        self == other || isProperPrefix(of: other)
    }

    /// Whether taking the value here away takes the value at `tokens` with it, or the container of
    /// the place there.
    fileprivate func covers(_ tokens: [MemberName], isPlace: Bool) -> Bool {
        let isDeeper = isPlace ? tokens.count > count : tokens.count >= count
        return isDeeper && zip(self.tokens, tokens).allSatisfy(==)
    }

    /// The index that a path has in the array that this element stands in, if it leads through it.
    fileprivate func siblingIndex(_ tokens: [MemberName]) -> Int? {
        guard tokens.count >= count, zip(self.tokens.dropLast(), tokens).allSatisfy(==) else {
            return nil
        }
        return tokens[count - 1].index(below: .max)
    }

    fileprivate var lastIndex: Int { tokens.last?.index(below: .max) ?? 0 }
}
