/// An edit on its way past others: what a patch does in one step, at places that can be shifted.
package struct MergeEdit: Sendable, Equatable {
    enum Action: Equatable {
        /// A new element; the place is the gap that it comes into.
        case insert(JSON)
        /// An element goes.
        case delete(JSON)
        /// A member or element gets another value; without an old one it is added, without a new
        /// one removed.
        case set(old: JSON?, new: JSON?)
        /// The value comes to a target, which is a place in the tree without it.
        case move(to: Place)
        /// Text is replaced in a string; positions count UTF-16 code units.
        case text(TextEdit)
        /// The author relied on the value here.
        case read
    }

    var place: Place
    var action: Action
    /// Mine: which edit of the patch as it was sent. Theirs: the revision.
    let origin: Int
    /// Whether it reverts an edit of the other side, so that a conflicting edit can be done.
    var isReturn = false

    init(_ action: Action, at place: Place, origin: Int) {
        self.action = action
        self.place = place
        self.origin = origin
    }

    /// Whether elements behind it have other places after it.
    var isShift: Bool {
        switch action {
        case .insert, .delete: true
        case .set, .move, .text, .read: false
        }
    }

    var isMove: Bool { if case .move = action { true } else { false } }

    /// Whether a value goes, and nothing comes in its place.
    var isRemoval: Bool {
        switch action {
        case .delete, .set(_?, nil): true
        default: false
        }
    }

    /// Whether it changes nothing: a reader of the patch does not see such an edit, and would merge
    /// with another patch than the stored one.
    package var isNothing: Bool {
        switch action {
        case .set(let old, let new): old == new
        case .move(let target): target == place
        default: false
        }
    }

    /// Where a value goes.
    var removed: Place? {
        switch action {
        case .delete, .set(_?, _): place
        default: nil
        }
    }

    /// Whether the place is one that something comes to.
    var isAtTarget: Bool {
        switch action {
        case .insert, .set(nil, _): true
        default: false
        }
    }

    /// The edit that reverts it.
    var inverse: MergeEdit? {
        func edit(_ action: Action, _ place: Place) -> MergeEdit {
            MergeEdit(action, at: place, origin: origin)
        }
        return switch action {
        case .insert(let value): edit(.delete(value), place)
        case .delete(let value): edit(.insert(value), place)
        case .set(let old, let new): edit(.set(old: new, new: old), place)
        case .move(let target): edit(.move(to: place), target)
        case .text(let text): edit(.text(text.inverse), place)
        case .read: nil
        }
    }

    /// The two moves that are read as this one, past the place behind an element; `nil` if it is
    /// no such move.
    var halves: (first: MergeEdit, second: MergeEdit)? {
        guard case .move(let target) = action, place.isAround(target) || target.isAround(place),
            let behind = (place.isAround(target) ? place : target).behind
        else { return nil }
        return (
            MergeEdit(.move(to: behind), at: place, origin: origin),
            MergeEdit(action, at: behind, origin: origin)
        )
    }

    /// Whether neither can touch what the other is about, nor shift its place: both stay as they
    /// are. Cheap, because most pairs are so.
    func isApart(from other: MergeEdit) -> Bool {
        guard !isMove, !other.isMove else { return false }
        return !place.meets(
            other.place, above: isShift ? 1 : 0, otherAbove: other.isShift ? 1 : 0)
    }

    func at(_ place: Place) -> MergeEdit {
        var result = self
        result.place = place
        return result
    }
}

// To and from stored edits.

extension MergeEdit {
    /// The effect of a stored edit on a tree, in steps that can be transformed one by one.
    static func edits(of edit: JSONEdit, in tree: JSON, origin: Int) -> [MergeEdit] {
        var edits: [MergeEdit] = []
        add(edit, in: tree, origin: origin, to: &edits)
        return edits
    }

    /// Adds these steps to others.
    static func add(
        _ edit: JSONEdit, in tree: JSON, origin: Int, to edits: inout [MergeEdit]
    ) {
        func add(_ action: Action, _ pointer: JSONPointer) {
            edits.append(MergeEdit(action, at: Place(pointer, in: tree), origin: origin))
        }
        switch edit {
        case .add(let pointer, let value):
            let place = Place(pointer, in: tree)
            let action: Action = place.isElement ? .insert(value) : .set(old: nil, new: value)
            edits.append(MergeEdit(action, at: place, origin: origin))
        case .remove(let pointer, let value):
            let place = Place(pointer, in: tree)
            let action: Action = place.isElement ? .delete(value) : .set(old: value, new: nil)
            edits.append(MergeEdit(action, at: place, origin: origin))
        case .replace(let pointer, let old, let new):
            if let words = TextEdit.words(from: old, to: new) {
                for word in words { add(.text(word), pointer) }
            } else if old != new, old.isNumericallyEqual(to: new) {
                let place = Place(pointer, in: tree)
                edits += respellings(from: old, to: new, at: place, origin: origin)
            } else {
                add(.set(old: old, new: new), pointer)
            }
        case .move(let from, let to):
            var without = tree
            _ = try? without.remove(at: from)
            add(.move(to: Place(to, in: without)), from)
        case .splice(let pointer, let position, let removed, let inserted, let isValue):
            let text = TextEdit(
                position: position, removed: removed, inserted: inserted, isValue: isValue)
            for part in isValue ? text.words : text.steps { add(.text(part), pointer) }
        }
    }

    /// As it is stored.
    var edit: JSONEdit? {
        let pointer = place.pointer
        switch action {
        case .insert(let value): return .add(pointer, value)
        case .delete(let value): return .remove(pointer, value)
        case .set(nil, let new?): return .add(pointer, new)
        case .set(let old?, nil): return .remove(pointer, old)
        case .set(let old?, let new?): return .replace(pointer, old: old, new: new)
        case .set(nil, nil), .read: return nil
        case .move(let target):
            return place == target ? nil : .move(from: pointer, to: target.pointer)
        case .text(let text):
            return .splice(
                pointer, at: text.position, removed: text.removed, inserted: text.inserted,
                isValue: text.isValue)
        }
    }
}

// Numbers that are equal, and written with other digits.

extension MergeEdit {
    /// Whether it gives a number other digits, and no other value.
    var isRespelling: Bool {
        guard case .set(let old?, let new?) = action, old.kind == .number else { return false }
        return old != new && old.isNumericallyEqual(to: new)
    }

    /// The edits that give all numbers in a value the digits that they have in an equal one. O(size
    /// of the containers that differ).
    static func respellings(
        from old: JSON, to new: JSON, at place: Place, origin: Int
    ) -> [MergeEdit] {
        var edits: [MergeEdit] = []
        var pending = [(old, new, place)]
        while let (old, new, place) = pending.popLast() {
            if old == new { continue }
            switch (old.storage, new.storage) {
            case (.array(let before), .array(let after)):
                for index in 0..<min(before.count, after.count) {
                    let (old, new) = (before.element(at: index), after.element(at: index))
                    pending.append((old, new, place.appending(.index(index))))
                }
            case (.object(let before), .object(let after)):
                before.forEach { name, old in
                    guard let new = after.value(for: name) else { return }
                    pending.append((old, new, place.appending(.name(name))))
                }
            default: edits.append(MergeEdit(.set(old: old, new: new), at: place, origin: origin))
            }
        }
        return edits
    }
}
