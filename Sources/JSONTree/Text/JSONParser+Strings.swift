extension JSONParser {
    /// A string's content: a range of the input, or its own bytes where escapes had to be undone.
    struct ScannedString {
        var range: Range<Int>
        var unescaped: [UInt8]?
    }

    /// Reads from the opening quote to behind the closing one, checking UTF-8.
    @inline(__always)
    mutating func scanString(_ text: Span<UInt8>) throws(JSONParseError) -> ScannedString {
        let start = index + 1
        let end = try scanPlain(text, from: start)
        guard text[end] == UInt8(ascii: "\"") else { return try unescape(text, start, end) }
        index = end + 1
        return ScannedString(range: start..<end)
    }

    /// The index of the next quote or backslash.
    @inline(__always)
    private func scanPlain(_ text: Span<UInt8>, from start: Int) throws(JSONParseError) -> Int {
        var at = start
        while at < text.count {
            if at + 8 <= text.count {
                let marks = Quoting.specialsAndBeyondASCII(text.word(at: at))
                guard marks != 0 else {
                    at += 8
                    continue
                }
                at += marks.trailingZeroBitCount / 8
            }
            let byte = text[at]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return at }
            guard byte >= 0x20 else { throw error(.controlCharacter, text, at: at) }
            at = byte < 0x80 ? at + 1 : try scanBeyondASCII(text, at)
        }
        throw error(.unexpectedEnd, text, at: text.count)
    }

    /// Steps over scalars of several bytes.
    private func scanBeyondASCII(
        _ text: Span<UInt8>, _ start: Int
    ) throws(JSONParseError) -> Int {
        var at = start
        while at < text.count, text[at] >= 0x80 {
            guard let length = UTF8Scalar.length(text, at) else {
                throw error(.invalidUTF8, text, at: at)
            }
            at += length
        }
        return at
    }

    /// Reads on from the first backslash at `end`. Appends in place: a copy for each escape would
    /// be quadratic.
    private mutating func unescape(
        _ text: Span<UInt8>, _ start: Int, _ end: Int
    ) throws(JSONParseError) -> ScannedString {
        var clean = start
        var at = end
        var unescaped: [UInt8] = []
        while true {
            for index in clean..<at { unescaped.append(text[index]) }
            if text[at] == UInt8(ascii: "\"") { break }
            try appendEscape(text, &at, to: &unescaped)
            clean = at
            at = try scanPlain(text, from: at)
        }
        index = at + 1
        return ScannedString(range: start..<at, unescaped: unescaped)
    }

    private func appendEscape(
        _ text: Span<UInt8>, _ at: inout Int, to result: inout [UInt8]
    ) throws(JSONParseError) {
        guard at + 1 < text.count else { throw error(.unexpectedEnd, text, at: text.count) }
        switch text[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(text[at + 1])
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "n"): result.append(0x0a)
        case UInt8(ascii: "f"): result.append(0x0c)
        case UInt8(ascii: "r"): result.append(0x0d)
        case UInt8(ascii: "u"): return try appendUnicodeEscape(text, &at, to: &result)
        default: throw error(.invalidEscape, text, at: at)
        }
        at += 2
    }

    private func appendUnicodeEscape(
        _ text: Span<UInt8>, _ at: inout Int, to result: inout [UInt8]
    ) throws(JSONParseError) {
        let start = at
        var code = try codeUnit(text, at: start)
        at += 6
        if code >= 0xd800 && code < 0xdc00, at + 1 < text.count,
            text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u")
        {
            let low = try codeUnit(text, at: at)
            if low >= 0xdc00 && low < 0xe000 {
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
                at += 6
            }
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw error(.loneSurrogate, text, at: start)
        }
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private func codeUnit(_ text: Span<UInt8>, at start: Int) throws(JSONParseError) -> UInt32 {
        guard start + 6 <= text.count else { throw error(.unexpectedEnd, text, at: text.count) }
        var code: UInt32 = 0
        for index in (start + 2)..<(start + 6) {
            let byte = text[index]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: throw error(.invalidEscape, text, at: start)
            }
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}

/// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Scalar {
    /// The length of the well-formed multi-byte sequence at `at`, or `nil`.
    @inline(__always)
    static func length(_ text: Span<UInt8>, _ at: Int) -> Int? {
        let lead = text[at]
        func continues(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xbf) -> Bool {
            at + offset < text.count && text[at + offset] >= low && text[at + offset] <= high
        }
        switch lead {
        case 0xc2...0xdf: return continues(1) ? 2 : nil
        case 0xe0...0xef:
            let low: UInt8 = lead == 0xe0 ? 0xa0 : 0x80
            let high: UInt8 = lead == 0xed ? 0x9f : 0xbf
            return continues(1, low, high) && continues(2) ? 3 : nil
        case 0xf0...0xf4:
            let low: UInt8 = lead == 0xf0 ? 0x90 : 0x80
            let high: UInt8 = lead == 0xf4 ? 0x8f : 0xbf
            return continues(1, low, high) && continues(2) && continues(3) ? 4 : nil
        default: return nil
        }
    }
}
