/// Reads JSON text (RFC 8259, strictly) into a tree, hashing as it goes.
///
/// Without recursion: open containers stand on a stack of frames, finished values on another.
struct JSONParser {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var index = 0
    private var values: [JSON] = []
    private var frames: [Frame] = []
    private var names = NameTable()

    /// An array or object whose end has not come yet.
    private struct Frame {
        let isObject: Bool
        let valuesStart: Int
        var members = NameTable.Members()
    }

    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func parse() throws(JSONParseError) -> JSON {
        skipSpace()
        while true {
            if try beginValue() { continue }
            if try finishContainers() { break }
        }
        skipSpace()
        guard index == bytes.count else { throw error(.trailingBytes) }
        return values[0]
    }

    private func error(_ reason: JSONParseError.Reason, at offset: Int? = nil) -> JSONParseError {
        let offset = offset ?? index
        let isEnd = offset >= bytes.count && reason == .unexpectedByte
        return JSONParseError(reason: isEnd ? .unexpectedEnd : reason, offset: offset)
    }

    @inline(__always)
    private mutating func skipSpace() {
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return }
            index += 1
        }
    }

    @inline(__always)
    private func peek() throws(JSONParseError) -> UInt8 {
        guard index < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[index]
    }

    /// Reads a scalar, or opens a container and answers whether a value must follow in it.
    private mutating func beginValue() throws(JSONParseError) -> Bool {
        switch try peek() {
        case UInt8(ascii: "{"): return try open(isObject: true)
        case UInt8(ascii: "["): return try open(isObject: false)
        case UInt8(ascii: "\""): values.append(try string())
        case UInt8(ascii: "t"): try literal("true", JSON(true))
        case UInt8(ascii: "f"): try literal("false", JSON(false))
        case UInt8(ascii: "n"): try literal("null", .null)
        default: values.append(try number())
        }
        return false
    }

    private mutating func literal(_ text: String, _ value: JSON) throws(JSONParseError) {
        for byte in text.utf8 {
            guard try peek() == byte else { throw error(.unexpectedByte) }
            index += 1
        }
        values.append(value)
    }

    private mutating func open(isObject: Bool) throws(JSONParseError) -> Bool {
        guard frames.count < limits.depthMax else { throw error(.tooDeep) }
        index += 1
        skipSpace()
        var frame = Frame(isObject: isObject, valuesStart: values.count)
        if isObject { frame.members = names.begin(depth: frames.count) }
        frames.append(frame)
        let isEmpty = try peek() == UInt8(ascii: isObject ? "}" : "]")
        if !isEmpty && isObject { try memberName() }
        return !isEmpty
    }

    /// After a value: steps over the comma to the next one, closing what ends here.
    /// Answers whether the whole text has been read.
    private mutating func finishContainers() throws(JSONParseError) -> Bool {
        // Looked at in place: a copy of the frame would make its names look shared.
        while !frames.isEmpty {
            let top = frames.count - 1
            let isObject = frames[top].isObject
            skipSpace()
            let byte = try peek()
            if byte == UInt8(ascii: ","), values.count > frames[top].valuesStart {
                index += 1
                skipSpace()
                if isObject { try memberName() }
                return false
            }
            guard byte == UInt8(ascii: isObject ? "}" : "]") else { throw error(.unexpectedByte) }
            index += 1
            try closeContainer()
        }
        return true
    }

    private mutating func closeContainer() throws(JSONParseError) {
        guard let frame = frames.popLast() else { return }
        // Copied out before they are removed: a slice would keep the whole stack shared.
        let content = ContiguousArray(values[frame.valuesStart...])
        values.removeLast(content.count)
        if frame.isObject {
            let node = try names.object(frame.members, content, depth: frames.count)
            values.append(JSON(.object(node)))
        } else {
            values.append(JSON(.array(ArrayNode.build(content))))
        }
    }

    private mutating func memberName() throws(JSONParseError) {
        guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
        let start = index
        let text = try scanString()
        names.add(text.bytes ?? bytes[text.range], at: start, to: &frames[frames.count - 1].members)
        skipSpace()
        guard try peek() == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
        index += 1
        skipSpace()
    }

    private mutating func string() throws(JSONParseError) -> JSON {
        let text = try scanString()
        return JSON.string(slice: text.bytes ?? bytes[text.range])
    }
}

extension JSONParser {
    /// A string's content: a range of the input, or its own bytes where escapes had to be undone.
    private struct ScannedString {
        var range: Range<Int>
        var bytes: ArraySlice<UInt8>?
    }

    /// Reads from the opening quote to behind the closing one, checking UTF-8.
    private mutating func scanString() throws(JSONParseError) -> ScannedString {
        let start = index + 1
        // Appended to in place: a copy for each escape would be quadratic.
        var unescaped: [UInt8] = []
        var hasEscapes = false
        var clean = start
        let bytes = bytes
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                index = at + 1
                if hasEscapes { unescaped.append(contentsOf: bytes[clean..<at]) }
                return ScannedString(range: start..<at, bytes: hasEscapes ? unescaped[...] : nil)
            }
            if byte == UInt8(ascii: "\\") {
                unescaped.append(contentsOf: bytes[clean..<at])
                try appendEscape(&at, to: &unescaped)
                clean = at
                hasEscapes = true
            } else if byte < 0x20 {
                throw error(.controlCharacter, at: at)
            } else if byte < 0x80 {
                at += 1
            } else {
                guard let length = UTF8Scalar.length(bytes, at) else {
                    throw error(.invalidUTF8, at: at)
                }
                at += length
            }
        }
        throw error(.unexpectedEnd, at: bytes.count)
    }

    private func appendEscape(_ at: inout Int, to text: inout [UInt8]) throws(JSONParseError) {
        guard at + 1 < bytes.count else { throw error(.unexpectedEnd, at: bytes.count) }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[at + 1])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "u"): return try appendUnicodeEscape(&at, to: &text)
        default: throw error(.invalidEscape, at: at)
        }
        at += 2
    }

    private func appendUnicodeEscape(
        _ at: inout Int, to text: inout [UInt8]
    ) throws(JSONParseError) {
        let start = at
        var code = try codeUnit(at: start)
        at += 6
        if code >= 0xd800 && code < 0xdc00, at + 1 < bytes.count,
            bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u")
        {
            let low = try codeUnit(at: at)
            if low >= 0xdc00 && low < 0xe000 {
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
                at += 6
            }
        }
        guard let scalar = Unicode.Scalar(code) else { throw error(.loneSurrogate, at: start) }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private func codeUnit(at start: Int) throws(JSONParseError) -> UInt32 {
        guard start + 6 <= bytes.count else { throw error(.unexpectedEnd, at: bytes.count) }
        var code: UInt32 = 0
        for byte in bytes[(start + 2)..<(start + 6)] {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: throw error(.invalidEscape, at: start)
            }
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}

extension JSONParser {
    /// RFC 8259 section 6: no leading zeros, no plus sign, digits on both sides of the point.
    private mutating func number() throws(JSONParseError) -> JSON {
        let start = index
        if try peek() == UInt8(ascii: "-") { index += 1 }
        let first = index
        guard try peek() >= 0x30 && bytes[first] <= 0x39 else {
            throw first > start ? error(.invalidNumber, at: start) : error(.unexpectedByte)
        }
        try digits()
        guard bytes[first] != 0x30 || index == first + 1 else {
            throw error(.invalidNumber, at: start)
        }
        if index < bytes.count && bytes[index] == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            let sign = try peek()
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        guard index - start <= limits.numberBytesMax else {
            throw error(.numberTooLong, at: start)
        }
        return JSON.number(lexeme: bytes[start..<index])
    }

    private mutating func digits() throws(JSONParseError) {
        let start = index
        while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 { index += 1 }
        guard index > start else { throw error(.invalidNumber) }
    }
}

/// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Scalar {
    /// The length of the well-formed multi-byte sequence at `at`, or `nil`.
    static func length(_ bytes: [UInt8], _ at: Int) -> Int? {
        let lead = bytes[at]
        func continues(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xbf) -> Bool {
            at + offset < bytes.count && bytes[at + offset] >= low && bytes[at + offset] <= high
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

extension JSON {
    /// Reads JSON text. O(n), about as fast as memory allows; never recurses.
    ///
    /// Strict RFC 8259: no duplicate names, no lone surrogates, no byte order mark. Numbers and
    /// strings keep what was written.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONParseError) {
        var parser = JSONParser(bytes, limits: limits)
        self = try parser.parse()
    }

    /// Reads JSON text from a string.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONParseError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
