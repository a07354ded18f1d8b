/// How a string's bytes are written between quotes: only what RFC 8259 section 7 requires is
/// escaped.
enum Quoting {
    /// Eight spaces as one word.
    static let spaces: UInt64 = 0x2020_2020_2020_2020
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Marks with its top bit the first byte, and perhaps later ones, that must be escaped; zero if
    /// there is none among the eight.
    @inline(__always)
    static func specials(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5c)
        let control = (word &- spaces) & ~word
        return (control | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & tops
    }

    /// The same, and every byte that is not ASCII.
    @inline(__always)
    static func specialsAndBeyondASCII(_ word: UInt64) -> UInt64 {
        specials(word) | word & tops
    }

    @inline(__always)
    static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5c
    }

    /// The number of bytes that `byte` takes as JSON text.
    @inline(__always)
    static func width(of byte: UInt8) -> Int {
        if byte >= 0x20 { return byte == 0x22 || byte == 0x5c ? 2 : 1 }
        return shortEscape(byte) == nil ? 6 : 2
    }

    static func width(of bytes: Span<UInt8>) -> Int {
        var total = bytes.count
        var index = nextSpecial(bytes, 0)
        while index < bytes.count {
            total += width(of: bytes[index]) - 1
            index = nextSpecial(bytes, index + 1)
        }
        return total
    }

    /// The index of the first byte from `start` on that must be escaped, or the end.
    @inline(__always)
    static func nextSpecial(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let marks = specials(bytes.word(at: index))
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count && !isSpecial(bytes[index]) { index += 1 }
        return index
    }

    private static func shortEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0a: UInt8(ascii: "n")
        case 0x0c: UInt8(ascii: "f")
        case 0x0d: UInt8(ascii: "r")
        default: nil
        }
    }

    /// The escape of a byte.
    static func escape(_ byte: UInt8) -> [UInt8] {
        if byte >= 0x20 { return [0x5c, byte] }
        if let letter = shortEscape(byte) { return [0x5c, letter] }
        let digits = Array("0123456789abcdef".utf8)
        return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Appends `bytes` in the form between quotes.
    static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            if isSpecial(byte) { text += escape(byte) } else { text.append(byte) }
        }
    }
}
