// Edits that are made one.

extension [MergeEdit] {
    /// Adds edits: letters that are typed, or deleted, in a row are one edit.
    package mutating func join(_ more: [MergeEdit]) {
        for edit in more {
            guard let text = last?.joinedText(with: edit) else {
                append(edit)
                continue
            }
            var joined = removeLast()
            if text.removed.isEmpty && text.inserted.isEmpty { continue }
            joined.action = .text(text)
            append(joined)
        }
    }

    /// The shortest form: an edit that is reverted, or set again, is left out.
    package var shortened: [MergeEdit] {
        var result: [MergeEdit] = []
        for edit in self {
            guard var last = result.last else {
                result.append(edit)
                continue
            }
            let inverse = last.inverse
            switch (last.action, edit.action) {
            case _ where inverse?.place == edit.place && inverse?.action == edit.action:
                result.removeLast()
            case (.set(let old, _), .set(_, let new)) where last.place == edit.place:
                last.action = .set(old: old, new: new)
                result[result.count - 1] = last
            default: result.join([edit])
            }
        }
        return result
    }
}

extension MergeEdit {
    /// The text of both edits as one, if letters were typed or deleted in a row.
    fileprivate func joinedText(with next: MergeEdit) -> TextEdit? {
        guard place == next.place, case .text(let first) = action,
            case .text(let second) = next.action, !first.isValue, !second.isValue
        else { return nil }
        return first.joined(with: second)
    }
}

extension TextEdit {
    /// This edit and then `next` as one; each only deletes or only inserts.
    fileprivate func joined(with next: TextEdit) -> TextEdit? {
        func deleting(_ removed: [UInt8], at position: Int) -> TextEdit {
            TextEdit(position: position, removed: removed, isValue: false)
        }
        switch (removed.isEmpty, next.removed.isEmpty) {
        case (true, true):
            guard position + insertedCount == next.position else { return nil }
            return TextEdit(
                position: position, inserted: inserted + next.inserted, isValue: false)
        case (false, false):
            if next.end == position { return deleting(next.removed + removed, at: next.position) }
            return next.position == position ? deleting(removed + next.removed, at: position) : nil
        case (true, false):
            // The deletion removes text that was just typed.
            guard next.end == position + insertedCount, next.position >= position,
                let kept = UTF16Offsets.utf8Offset(
                    utf16: next.position - position, in: inserted[...])
            else { return nil }
            return TextEdit(
                position: position, inserted: Array(inserted[..<kept]), isValue: false)
        case (false, true): return nil
        }
    }
}
