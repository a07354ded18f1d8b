/// The places at which a text occurs in another one, those that overlap included.
struct TextSearch {
    /// The limit on places that are named.
    static let placesMax = 10

    /// How often it occurs.
    private(set) var count = 0
    /// The first places, as offsets of bytes.
    private(set) var offsets: [Int] = []

    /// Knuth, Morris and Pratt: O(text), however often the beginning of `found` repeats itself.
    init(for found: Span<UInt8>, in text: Span<UInt8>) {
        guard !found.isEmpty, found.count <= text.count else { return }
        let borders = TextSearch.borders(of: found)
        let all = borders.span
        var matched = 0
        for index in text.indices {
            let byte = text[index]
            while matched > 0, matched == found.count || found[matched] != byte {
                matched = Int(all[matched - 1])
            }
            if found[matched] == byte { matched += 1 }
            if matched == found.count { add(index + 1 - matched) }
        }
    }

    private mutating func add(_ offset: Int) {
        if count < TextSearch.placesMax { offsets.append(offset) }
        count += 1
    }

    /// For each beginning of a text, the length of the longest shorter one that also ends it.
    private static func borders(of text: Span<UInt8>) -> [Int32] {
        var borders = [Int32](repeating: 0, count: text.count)
        var length = 0
        for index in 1..<text.count {
            while length > 0, text[index] != text[length] { length = Int(borders[length - 1]) }
            if text[index] == text[length] { length += 1 }
            borders[index] = Int32(length)
        }
        return borders
    }

    /// The first places in the text that was searched, in UTF-16 code units.
    func positions(in text: [UInt8]) -> [Int] {
        var (position, start) = (0, 0)
        return offsets.map { offset in
            position += UTF16Offsets.count(text[start..<offset])
            start = offset
            return position
        }
    }
}
