extension ReversiblePatch {
    /// This patch and then `next` as one patch. O(n).
    public func composed(with next: ReversiblePatch) -> ReversiblePatch {
        ReversiblePatch(edits + next.edits).compacted
    }

    /// The same patch with neighbouring edits of one place made one: a burst of typing becomes one
    /// splice, a value that was added and changed is added as it ended. O(n).
    public var compacted: ReversiblePatch {
        var result: [JSONEdit] = []
        for edit in edits {
            guard let last = result.last, let joined = last.joined(with: edit) else {
                result.append(edit)
                continue
            }
            result.removeLast()
            if let edit = joined.edit, !edit.isIdle { result.append(edit) }
        }
        return ReversiblePatch(withoutIdle: result)
    }

    /// Most have nothing to be left out, and are not copied.
    private init(withoutIdle edits: [JSONEdit]) {
        self.init(edits.contains(where: \.isIdle) ? edits.filter { !$0.isIdle } : edits)
    }
}

extension ReversiblePatch {
    /// The same patch with only one replacement of each value that was replaced repeatedly, also
    /// between replacements of other values: for clients that were away. O(n).
    public var condensed: ReversiblePatch {
        var result: [JSONEdit] = []
        var known: [JSONPointer: Int] = [:]
        for edit in edits {
            guard let pointer = edit.plainlyReplaced, case .replace(_, _, let new) = edit else {
                known.removeAll(keepingCapacity: true)
                result.append(edit)
                continue
            }
            if let index = known[pointer], case .replace(_, let old, _) = result[index] {
                result[index] = .replace(pointer, old: old, new: new)
            } else {
                known[pointer] = result.count
                result.append(edit)
            }
        }
        return ReversiblePatch(withoutIdle: result)
    }
}

extension JSONEdit {
    /// The place, if the edit replaces a value without places inside by another such value: then
    /// edits of this kind at other places are independent of it.
    var plainlyReplaced: JSONPointer? {
        guard case .replace(let pointer, let old, let new) = self else { return nil }
        return old.isContainer || new.isContainer ? nil : pointer
    }
}

/// Two edits made one; or none, where the second takes the first back.
private struct JoinedEdit {
    let edit: JSONEdit?
}

extension JSONEdit {
    /// Whether it puts something in its own place.
    fileprivate var isIdle: Bool {
        switch self {
        case .splice(_, _, let removed, let inserted, _): removed == inserted
        case .replace(_, let old, let new): old == new
        case .add, .remove, .move: false
        }
    }

    /// This edit and then `next` as one, if both work on one place.
    fileprivate func joined(with next: JSONEdit) -> JoinedEdit? {
        switch (self, next) {
        case (
            .splice(let place, let start, let removed, let inserted, let isValue),
            .splice(
                let nextPlace, let nextStart, let nextRemoved, let nextInserted, let isNextValue)
        ):
            guard place == nextPlace else { return nil }
            let first = Stretch(start: start, removed: removed, inserted: inserted)
            let second = Stretch(start: nextStart, removed: nextRemoved, inserted: nextInserted)
            return first.joined(with: second).map { joined in
                JoinedEdit(
                    edit: .splice(
                        place, at: joined.start, removed: joined.removed,
                        inserted: joined.inserted, isValue: isValue || isNextValue))
            }
        case (.add(let place, _), .remove(let other, _)) where place == other:
            return JoinedEdit(edit: nil)
        case (.replace(let place, let old, _), .remove(let other, _)) where place == other:
            return JoinedEdit(edit: .remove(place, old))
        case (.remove(let place, let old), .add(let other, let new)) where place == other:
            return JoinedEdit(edit: .replace(place, old: old, new: new))
        case (.add(let place, let value), _):
            return value.edited(at: place, by: next).map { JoinedEdit(edit: .add(place, $0)) }
        case (.replace(let place, let old, let new), _):
            return new.edited(at: place, by: next).map {
                JoinedEdit(edit: .replace(place, old: old, new: $0))
            }
        default: return nil
        }
    }
}

extension JSON {
    /// This value at `place` after an edit inside it; `nil` if the edit is elsewhere.
    fileprivate func edited(at place: JSONPointer, by edit: JSONEdit) -> JSON? {
        if case .replace(place, _, let new) = edit { return new }
        func inside(_ pointer: JSONPointer) -> JSONPointer? {
            guard place.isProperPrefix(of: pointer) else { return nil }
            return JSONPointer(tokens: Array(pointer.tokens.dropFirst(place.count)))
        }
        let relative: JSONEdit?
        switch edit {
        case .add(let pointer, let value): relative = inside(pointer).map { .add($0, value) }
        case .remove(let pointer, let value): relative = inside(pointer).map { .remove($0, value) }
        case .replace(let pointer, let old, let new):
            relative = inside(pointer).map { .replace($0, old: old, new: new) }
        case .splice(let pointer, let position, let removed, let inserted, let isValue):
            relative = (pointer == place ? .root : inside(pointer)).map {
                .splice(
                    $0, at: position, removed: removed, inserted: inserted, isValue: isValue)
            }
        case .move: relative = nil
        }
        return relative.flatMap { try? applying(ReversiblePatch([$0])) }
    }
}

/// A stretch of text that is replaced; positions count UTF-16 code units.
private struct Stretch {
    let start: Int
    let removed: [UInt8]
    let inserted: [UInt8]

    /// This stretch replaced and then `next`, if they touch.
    func joined(with next: Stretch) -> Stretch? {
        let end = start + UTF16Offsets.count(inserted[...])
        let nextEnd = next.start + UTF16Offsets.count(next.removed[...])
        guard next.start <= end && nextEnd >= start else { return nil }
        // The text that the next edit removes before and after the text that this one inserted.
        let before = max(0, start - next.start)
        let behind = max(0, nextEnd - end)
        guard let head = UTF16Offsets.utf8Offset(utf16: before, in: next.removed[...]),
            let tail = UTF16Offsets.utf8Offset(
                utf16: nextEnd - next.start - behind, in: next.removed[...]),
            let keptStart = UTF16Offsets.utf8Offset(
                utf16: max(0, next.start - start), in: inserted[...]),
            let keptEnd = UTF16Offsets.utf8Offset(
                utf16: min(end, nextEnd) - start, in: inserted[...])
        else { return nil }
        return Stretch(
            start: min(start, next.start),
            removed: next.removed[..<head] + removed + next.removed[tail...],
            inserted: inserted[..<keptStart] + next.inserted
                + inserted[max(keptStart, keptEnd)...])
    }
}
