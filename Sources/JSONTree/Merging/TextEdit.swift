/// Text that is replaced inside a string; positions and lengths count UTF-16 code units.
struct TextEdit: Equatable {
    var position: Int
    var removed: [UInt8]
    var inserted: [UInt8]
    /// Whether it was found by comparing whole values: then its author saw the whole text, and an
    /// overlap is a conflict.
    let isValue: Bool
    let removedCount: Int
    let insertedCount: Int

    init(position: Int, removed: [UInt8] = [], inserted: [UInt8] = [], isValue: Bool) {
        self.position = position
        self.removed = removed
        self.inserted = inserted
        self.isValue = isValue
        removedCount = UTF16Offsets.count(removed[...])
        insertedCount = UTF16Offsets.count(inserted[...])
    }

    var inverse: TextEdit {
        TextEdit(position: position, removed: inserted, inserted: removed, isValue: isValue)
    }

    var end: Int { position + removedCount }

    /// Deleting, then inserting.
    var steps: [TextEdit] {
        if removed.isEmpty || inserted.isEmpty { return [self] }
        return [
            TextEdit(position: position, removed: removed, isValue: isValue),
            TextEdit(position: position, inserted: inserted, isValue: isValue),
        ]
    }

    /// Whether both work on the same letters, or one inserts inside what the other deletes.
    func overlaps(_ other: TextEdit) -> Bool {
        func isInside(_ position: Int, _ edit: TextEdit) -> Bool {
            edit.position < position && position < edit.end
        }
        if removedCount == 0 { return isInside(position, other) }
        if other.removedCount == 0 { return isInside(other.position, self) }
        return position < other.end && other.position < end
    }

    /// Whether it was found as words that come in the place of others.
    var isReplacement: Bool { isValue && !removed.isEmpty && !inserted.isEmpty }

    func at(_ position: Int) -> TextEdit {
        var result = self
        result.position = position
        return result
    }

    /// A part of this deletion, at a position.
    private func deleting(_ range: Range<Int>, at position: Int) -> TextEdit? {
        guard !range.isEmpty,
            let start = UTF16Offsets.utf8Offset(utf16: range.lowerBound, in: removed[...]),
            let end = UTF16Offsets.utf8Offset(utf16: range.upperBound, in: removed[...])
        else { return nil }
        return TextEdit(
            position: position, removed: Array(removed[start..<end]), isValue: isValue)
    }
}

// The four rules. Each edit only deletes or only inserts.

extension TextEdit {
    /// This edit after another one of the same text; at one position, the edit that goes first is
    /// inserted first.
    func passed(over other: TextEdit, goesFirst: Bool) -> [TextEdit] {
        switch (removed.isEmpty, other.removed.isEmpty) {
        case (true, true):
            let stays = position < other.position || (position == other.position && goesFirst)
            return [stays ? self : at(position + other.insertedCount)]
        case (true, false):
            if position <= other.position { return [self] }
            // Inside deleted text it survives at the edge.
            return [at(max(other.position, position - other.removedCount))]
        case (false, true): return deletion(overInsertion: other)
        case (false, false): return deletion(overDeletion: other)
        }
    }

    private func deletion(overInsertion other: TextEdit) -> [TextEdit] {
        if end <= other.position { return [self] }
        if position >= other.position { return [at(position + other.insertedCount)] }
        // Around what was inserted.
        let head = other.position - position
        return [
            deleting(0..<head, at: position),
            deleting(head..<removedCount, at: position + other.insertedCount),
        ].compactMap(\.self)
    }

    /// The rest of it after another deletion.
    private func deletion(overDeletion other: TextEdit) -> [TextEdit] {
        let head = max(0, min(removedCount, other.position - position))
        let tail = max(0, min(removedCount, end - other.end))
        let start = min(position, max(other.position, position - other.removedCount))
        guard head + tail < removedCount else { return [at(start)] }
        let left = [0..<head, (removedCount - tail)..<removedCount].compactMap {
            deleting($0, at: start)
        }
        guard let first = left.first else { return [] }
        return [
            TextEdit(
                position: start,
                removed: left.dropFirst().reduce(first.removed) { $0 + $1.removed },
                isValue: isValue)
        ]
    }
}
