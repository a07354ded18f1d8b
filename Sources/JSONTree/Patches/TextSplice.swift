/// The one stretch in which two texts differ, cut at Unicode scalar boundaries.
struct TextSplice {
    let position: Int
    let removed: [UInt8]
    let inserted: [UInt8]

    /// Below this length a whole string is as short as an edit inside it.
    static let bytesMin = 24

    /// The splice that turns one string into another, where that is an edit of a text: a text that
    /// keeps less than half of itself is another one, and a short string is a single value.
    static func between(_ old: JSON, _ new: JSON) -> TextSplice? {
        guard let before = old.utf8, let after = new.utf8,
            before.count >= bytesMin || after.count >= bytesMin
        else { return nil }
        let splice = TextSplice(before, after)
        let kept = before.count - splice.removed.count
        return kept * 2 >= max(before.count, after.count) ? splice : nil
    }

    /// The splice that replaces a range of bytes, as if the whole texts were compared.
    init(_ text: [UInt8], replacing range: Range<Int>, with inserted: [UInt8]) {
        var after = text
        after.replaceSubrange(range, with: inserted)
        self.init(text, after)
    }

    /// The edits of a string at a place: one, or one for each stretch of words that differ.
    func edits(at pointer: JSONPointer, isByWords: Bool) -> [JSONEdit] {
        if removed == inserted { return [] }
        let whole = TextEdit(
            position: position, removed: removed, inserted: inserted, isValue: true)
        return (isByWords ? whole.words : [whole]).map {
            .splice(
                pointer, at: $0.position, removed: $0.removed, inserted: $0.inserted, isValue: true)
        }
    }

    private init(_ before: [UInt8], _ after: [UInt8]) {
        let common = min(before.count, after.count)
        var start = 0
        while start < common && before[start] == after[start] { start += 1 }
        var end = 0
        while end < common - start
            && before[before.count - 1 - end] == after[after.count - 1 - end]
        { end += 1 }
        start = TextSplice.scalarStart(before, after, start)
        while end > 0 && before[before.count - end] & 0xc0 == 0x80 { end -= 1 }
        position = UTF16Offsets.count(before[..<start])
        removed = Array(before[start..<(before.count - end)])
        inserted = Array(after[start..<(after.count - end)])
    }

    /// Moves back from the inside of a scalar to its first byte.
    private static func scalarStart(_ before: [UInt8], _ after: [UInt8], _ offset: Int) -> Int {
        var start = offset
        func isInside(_ bytes: [UInt8]) -> Bool {
            start < bytes.count && bytes[start] & 0xc0 == 0x80
        }
        while start > 0 && (isInside(before) || isInside(after)) { start -= 1 }
        return start
    }
}

extension JSON {
    /// Replaces `removed` at a UTF-16 position by `inserted`; `nil` if the text there differs from
    /// `removed`.
    mutating func splice(at position: Int, removing removed: [UInt8], inserting inserted: [UInt8])
        -> Bool
    {
        guard let start = utf8Offset(utf16: position) else { return false }
        let range = start..<(start + removed.count)
        switch storage {
        case .rope(let rope):
            guard range.upperBound <= rope.summary.utf8, rope.hasBytes(removed, at: start)
            else {
                return false
            }
            let spliced = rope.replacing(range, with: inserted)
            // Shorter strings have one form, so that hashes do not depend on the past.
            storage =
                spliced.summary.utf8 >= Rope.bytesMin
                ? .rope(spliced) : JSON.string(bytes: spliced.bytes).storage
        default:
            guard var text = utf8, range.upperBound <= text.count,
                text[range].elementsEqual(removed)
            else { return false }
            text.replaceSubrange(range, with: inserted)
            self = JSON.string(bytes: text)
        }
        return true
    }

    /// The UTF-8 offset of a UTF-16 offset in this string, or `nil` where there is none.
    func utf8Offset(utf16 position: Int) -> Int? {
        if case .rope(let rope) = storage { return rope.utf8Offset(utf16: position) }
        return utf8.flatMap { UTF16Offsets.utf8Offset(utf16: position, in: $0[...]) }
    }

    /// The text of this number of UTF-16 code units, or `nil` where the range is outside or splits
    /// a scalar.
    package func text(utf16 position: Int, count: Int) -> [UInt8]? {
        let (last, isTooFar) = position.addingReportingOverflow(count)
        guard count >= 0, !isTooFar, let start = utf8Offset(utf16: position),
            let end = utf8Offset(utf16: last)
        else { return nil }
        if case .rope(let rope) = storage { return rope.bytes(in: start..<end) }
        return utf8.map { Array($0[start..<end]) }
    }
}
