extension ReversiblePatch {
    /// The same patch with neighbouring edits inside one string made one: a burst of typing becomes
    /// one splice. O(n).
    public var compacted: ReversiblePatch {
        var result: [JSONEdit] = []
        for edit in edits {
            if let last = result.last, let joined = last.joined(with: edit) {
                result[result.count - 1] = joined
            } else {
                result.append(edit)
            }
        }
        return ReversiblePatch(result.filter { !$0.isIdle })
    }
}

extension JSONEdit {
    /// Whether it replaces text by itself.
    fileprivate var isIdle: Bool {
        if case .splice(_, _, let removed, let inserted) = self {
            removed == inserted
        } else {
            false
        }
    }

    /// This edit and then `next` as one, if both work on one stretch of one string.
    fileprivate func joined(with next: JSONEdit) -> JSONEdit? {
        guard case .splice(let pointer, let start, let removed, let inserted) = self,
            case .splice(let nextPointer, let nextStart, let nextRemoved, let nextInserted) = next,
            pointer == nextPointer
        else { return nil }
        let end = start + UTF16Offsets.count(inserted[...])
        let nextEnd = nextStart + UTF16Offsets.count(nextRemoved[...])
        guard nextStart <= end && nextEnd >= start else { return nil }
        // What the next edit removes before and behind the text that this one inserted.
        let before = max(0, start - nextStart)
        let behind = max(0, nextEnd - end)
        guard let head = UTF16Offsets.utf8Offset(utf16: before, in: nextRemoved[...]),
            let tail = UTF16Offsets.utf8Offset(
                utf16: nextEnd - nextStart - behind, in: nextRemoved[...]),
            let keptStart = UTF16Offsets.utf8Offset(
                utf16: max(0, nextStart - start), in: inserted[...]),
            let keptEnd = UTF16Offsets.utf8Offset(
                utf16: min(end, nextEnd) - start, in: inserted[...])
        else { return nil }
        return .splice(
            pointer, at: min(start, nextStart),
            removed: nextRemoved[..<head] + removed + nextRemoved[tail...],
            inserted: inserted[..<keptStart] + nextInserted + inserted[max(keptStart, keptEnd)...])
    }
}
