/// Positions in text as editors count them: UTF-16 code units.
enum UTF16Offsets {
    /// The number of code units that a scalar beginning with `lead` takes; 0 for a continuation.
    @inline(__always)
    private static func units(_ lead: UInt8) -> Int {
        lead & 0xc0 == 0x80 ? 0 : lead >= 0xf0 ? 2 : 1
    }

    static func count(_ bytes: ArraySlice<UInt8>) -> Int { count(bytes.span) }

    /// The number of code units of well-formed UTF-8. O(n), eight bytes at a time.
    static func count(_ bytes: Span<UInt8>) -> Int {
        let tops: UInt64 = 0x8080_8080_8080_8080
        var total = 0
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.word(at: index)
            let continuations = word & ~(word << 1) & tops
            // Leads of four bytes begin with four ones, and take two units.
            let pairs = word & (word << 1) & (word << 2) & (word << 3) & tops
            total += 8 - continuations.nonzeroBitCount + pairs.nonzeroBitCount
            index += 8
        }
        while index < bytes.count {
            total += units(bytes[index])
            index += 1
        }
        return total
    }

    /// The UTF-8 offset of a UTF-16 offset, or `nil` where that is outside or splits a scalar.
    static func utf8Offset(utf16 offset: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = offset
        for (index, byte) in bytes.enumerated() where units(byte) > 0 {
            if rest == 0 { return index }
            rest -= units(byte)
            if rest < 0 { return nil }
        }
        return rest == 0 ? bytes.count : nil
    }
}
