// Long texts.

extension MergeEdit {
    /// A text that is longer goes in pieces: one edit may not be larger than a request.
    private static let textBytesMax = 2 << 20

    /// The text that it puts in; `nil` if it puts in no text, or in the place of words.
    private var text: [UInt8]? {
        switch action {
        case .insert(let value), .set(_, let value?): value.utf8
        case .text(let text) where !text.isValue: text.inserted
        default: nil
        }
    }

    /// Whether it has a text that is too long for one request.
    package var isLong: Bool { text.map { $0.count > MergeEdit.textBytesMax } ?? false }

    /// The same edit as several ones, each of which is short enough.
    package var pieces: [MergeEdit] {
        guard isLong, let text else { return [self] }
        var result: [MergeEdit] = []
        var rest = text[...]
        var position = 0
        if case .text(let text) = action { position = text.position }
        while !rest.isEmpty {
            var end =
                rest.index(
                    rest.startIndex, offsetBy: MergeEdit.textBytesMax, limitedBy: rest.endIndex)
                ?? rest.endIndex
            // A character stays whole.
            while end < rest.endIndex, rest[end] & 0xC0 == 0x80 { end -= 1 }
            let piece = rest[..<end]
            result.append(result.isEmpty ? self.with(piece) : inserting(piece, at: position))
            position += UTF16Offsets.count(piece)
            rest = rest[end...]
        }
        return result
    }

    /// This edit with another text.
    private func with(_ piece: ArraySlice<UInt8>) -> MergeEdit {
        var result = self
        let value = JSON(String(decoding: piece, as: UTF8.self))
        switch action {
        case .insert: result.action = .insert(value)
        case .set(let old, _): result.action = .set(old: old, new: value)
        case .text(let text):
            result.action = .text(
                TextEdit(
                    position: text.position, removed: text.removed, inserted: Array(piece),
                    isValue: false))
        default: break
        }
        return result
    }

    private func inserting(_ piece: ArraySlice<UInt8>, at position: Int) -> MergeEdit {
        MergeEdit(
            .text(TextEdit(position: position, inserted: Array(piece), isValue: false)),
            at: place, origin: origin)
    }
}
