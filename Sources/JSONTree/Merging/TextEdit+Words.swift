extension TextEdit {
    /// Above this number of words on both sides together, the stretch stays whole.
    private static let wordsMax = 4_000

    /// The same edit word by word: what stayed between two changed words is left alone, so that
    /// others may have edited there.
    var words: [TextEdit] {
        if removed.isEmpty || inserted.isEmpty { return [self] }
        let (before, after) = (TextEdit.words(of: removed), TextEdit.words(of: inserted))
        guard before.count + after.count <= TextEdit.wordsMax else { return [self] }
        let (gone, come) = TextEdit.changes(from: before, to: after)
        var result: [TextEdit] = []
        var edit = TextEdit(position: position, isValue: isValue)
        var (old, new) = (0, 0)
        while old < before.count || new < after.count {
            if gone.contains(old) {
                edit = edit.adding(removed: before[old])
                old += 1
            } else if come.contains(new) {
                edit = edit.adding(inserted: after[new])
                new += 1
            } else {
                if !edit.isIdle { result.append(edit) }
                // Positions are those after the edits before.
                let next =
                    edit.position + edit.insertedCount + UTF16Offsets.count(before[old])
                edit = TextEdit(position: next, isValue: isValue)
                old += 1
                new += 1
            }
        }
        return edit.isIdle ? result : result + [edit]
    }

    /// The edits from one text to another, word by word; `nil` if one is not a text, or if they
    /// have less than half in common: then one is not an edit of the other.
    static func words(from old: JSON, to new: JSON) -> [TextEdit]? {
        guard let before = old.utf8, let after = new.utf8,
            min(before.count, after.count) >= TextSplice.bytesMin
        else { return nil }
        let words = TextEdit(position: 0, removed: before, inserted: after, isValue: true).words
        let kept = before.count - words.reduce(0) { $0 + $1.removed.count }
        return kept * 2 >= max(before.count, after.count) ? words : nil
    }

    /// Which words of the first text are gone in the second, and which of that have come.
    private static func changes(
        from before: [ArraySlice<UInt8>], to after: [ArraySlice<UInt8>]
    ) -> (gone: Set<Int>, come: Set<Int>) {
        var changes: (gone: Set<Int>, come: Set<Int>) = ([], [])
        // Numbers are compared more quickly than words.
        var numbers: [ArraySlice<UInt8>: Int] = [:]
        func number(_ word: ArraySlice<UInt8>) -> Int {
            let next = numbers.count
            let number = numbers[word, default: next]
            if number == next { numbers[word] = next }
            return number
        }
        let (old, new) = (before.map(number), after.map(number))
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): changes.gone.insert(offset)
            case .insert(let offset, _, _): changes.come.insert(offset)
            }
        }
        return changes
    }

    private var isIdle: Bool { removed == inserted }

    private func adding(
        removed more: ArraySlice<UInt8> = [], inserted other: ArraySlice<UInt8> = []
    ) -> TextEdit {
        TextEdit(
            position: position, removed: removed + more, inserted: inserted + other,
            isValue: isValue)
    }

    /// Runs of letters and digits, runs of spaces, and everything else one by one.
    private static func words(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        var words: [ArraySlice<UInt8>] = []
        var start = 0
        for index in text.indices.dropFirst()
        where !belongsTogether(text[index - 1], text[index]) {
            words.append(text[start..<index])
            start = index
        }
        return words + [text[start...]]
    }

    /// Bytes of a scalar are never parted: all from 0x80 on count as letters.
    private static func belongsTogether(_ one: UInt8, _ other: UInt8) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...: true
            default: false
            }
        }
        return isLetter(one) && isLetter(other) || one == 0x20 && other == 0x20
    }
}
