/// Reads JSON text (RFC 8259, strictly) into a tree, hashing as it goes.
///
/// Without recursion: open containers are frames on a stack, finished values are on another.
struct JSONParser: ~Copyable {
    let limits: JSONLimits
    var index = 0
    private var values = ValueStack()
    private var frames: [Frame] = []
    private var trie = NameTrie()
    /// Names of objects too wide for the trie, innermost object last.
    private var wideNames: [(place: Int, offset: Int)] = []

    /// An array or object whose end has not come yet.
    private struct Frame {
        let isObject: Bool
        let valuesStart: Int
        /// The position in the trie after the names read.
        var step = NameTrie.top
        /// The step of the member that this container is the value of.
        let context: Int
        /// Where this object's names start in `wideNames`, if it is too wide for the trie.
        var wideStart: Int?
    }

    init(limits: JSONLimits) {
        self.limits = limits
        frames.reserveCapacity(8)
    }

    mutating func parse(_ text: Span<UInt8>) throws(JSONParseError) -> JSON {
        skipSpace(text)
        var begun = 0
        while true {
            begun += 1
            guard begun <= limits.valuesMax else { throw error(.tooManyValues, text) }
            if try beginValue(text) { continue }
            if try finishContainers(text) { break }
        }
        skipSpace(text)
        guard index == text.count else { throw error(.trailingBytes, text) }
        return values[0]
    }

    func error(
        _ reason: JSONParseError.Reason, _ text: Span<UInt8>, at offset: Int? = nil
    ) -> JSONParseError {
        let offset = offset ?? index
        let isEnd = offset >= text.count && reason == .unexpectedByte
        return JSONParseError(reason: isEnd ? .unexpectedEnd : reason, offset: offset)
    }

    @inline(__always)
    private mutating func skipSpace(_ text: Span<UInt8>) {
        guard index < text.count, text[index] <= 0x20 else { return }
        skipLongSpace(text)
    }

    private mutating func skipLongSpace(_ text: Span<UInt8>) {
        if text[index] == 0x0a { index += 1 }
        while index + 8 <= text.count, text.word(at: index) == Quoting.spaces { index += 8 }
        while index < text.count {
            let byte = text[index]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return }
            index += 1
        }
    }

    @inline(__always)
    func peek(_ text: Span<UInt8>) throws(JSONParseError) -> UInt8 {
        guard index < text.count else { throw error(.unexpectedEnd, text) }
        return text[index]
    }

    /// Reads a scalar, or opens a container. Returns whether a value must follow in it.
    @inline(__always)
    private mutating func beginValue(_ text: Span<UInt8>) throws(JSONParseError) -> Bool {
        switch try peek(text) {
        case UInt8(ascii: "{"): return try open(text, isObject: true)
        case UInt8(ascii: "["): return try open(text, isObject: false)
        case UInt8(ascii: "\""): values.push(try string(text))
        case UInt8(ascii: "t"): values.push(try literal(0x6575_7274, 4, .bool(true), text))
        case UInt8(ascii: "f"): values.push(try literal(0x65_736c_6166, 5, .bool(false), text))
        case UInt8(ascii: "n"): values.push(try literal(0x6c6c_756e, 4, .null, text))
        default: values.push(try number(text))
        }
        return false
    }

    /// Reads one of the three words, given with its first letter in the lowest byte.
    // A call of its own: inlined into `parse` it stops the compiler (Swift 6.3.1).
    @inline(never)
    private mutating func literal(
        _ word: UInt64, _ length: Int, _ value: JSON.Storage, _ text: Span<UInt8>
    ) throws(JSONParseError) -> JSON {
        for offset in 0..<length {
            let letter = UInt8(truncatingIfNeeded: word >> UInt64(8 * offset))
            guard try peek(text) == letter else { throw error(.unexpectedByte, text) }
            index += 1
        }
        return JSON(value)
    }

    private mutating func open(
        _ text: Span<UInt8>, isObject: Bool
    ) throws(JSONParseError) -> Bool {
        guard frames.count < limits.depthMax else { throw error(.tooDeep, text) }
        index += 1
        skipSpace(text)
        let context = frames.last.map { $0.isObject ? $0.step : $0.context } ?? NameTrie.top
        frames.append(Frame(isObject: isObject, valuesStart: values.count, context: context))
        let isEmpty = try peek(text) == UInt8(ascii: isObject ? "}" : "]")
        if !isEmpty && isObject { try memberName(text) }
        return !isEmpty
    }

    /// After a value: steps over the comma to the next one, closing what ends here.
    /// Returns whether the whole text has been read.
    @inline(__always)
    private mutating func finishContainers(_ text: Span<UInt8>) throws(JSONParseError) -> Bool {
        while let frame = frames.last {
            skipSpace(text)
            let byte = try peek(text)
            if byte == UInt8(ascii: ","), values.count > frame.valuesStart {
                index += 1
                skipSpace(text)
                if frame.isObject { try memberName(text) }
                return false
            }
            guard byte == UInt8(ascii: frame.isObject ? "}" : "]") else {
                throw error(.unexpectedByte, text)
            }
            index += 1
            try closeContainer()
        }
        return true
    }

    private mutating func closeContainer() throws(JSONParseError) {
        guard let frame = frames.popLast() else { return }
        if !frame.isObject {
            values.push(JSON(.array(.build(&values, from: frame.valuesStart))))
        } else if let start = frame.wideStart {
            let names = wideNames[start...].map { trie.name($0.place) }
            try checkDuplicates(names, from: start)
            wideNames.removeSubrange(start...)
            values.push(JSON(.object(.build(names, &values))))
        } else {
            values.push(JSON(.object(.flat(trie.shape(at: frame.step), &values))))
        }
    }

    private func checkDuplicates(_ names: [MemberName], from start: Int) throws(JSONParseError) {
        let order = Shape.sortedPositions(names)
        for (left, right) in zip(order, order.dropFirst()) where names[left] == names[right] {
            let offset = wideNames[start + max(left, right)].offset
            throw JSONParseError(reason: .duplicateKey, offset: offset)
        }
    }
}

extension JSONParser {
    /// Reads a member's name and the colon behind it.
    @inline(__always)
    private mutating func memberName(_ text: Span<UInt8>) throws(JSONParseError) {
        let top = frames.count - 1
        let (step, context) = (frames[top].step, frames[top].context)
        if frames[top].wideStart == nil,
            let next = trie.likelyStep(after: step, inside: context, in: text, at: index),
            next.step != step
        {
            frames[top].step = next.step
            index = next.end
        } else {
            try newMemberName(text)
        }
        skipSpace(text)
        guard try peek(text) == UInt8(ascii: ":") else { throw error(.unexpectedByte, text) }
        index += 1
        skipSpace(text)
    }

    private mutating func newMemberName(_ text: Span<UInt8>) throws(JSONParseError) {
        guard try peek(text) == UInt8(ascii: "\"") else { throw error(.unexpectedByte, text) }
        let start = index
        let scanned = try scanString(text)
        let place =
            if let unescaped = scanned.unescaped {
                trie.place(of: unescaped.span)
            } else {
                trie.place(of: text.extracting(scanned.range))
            }
        let top = frames.count - 1
        widenIfNeeded(top)
        if frames[top].wideStart != nil {
            wideNames.append((place, start))
            return
        }
        let next = trie.step(
            after: frames[top].step, inside: frames[top].context, place, written: start..<index)
        guard let next else { throw error(.duplicateKey, text, at: start) }
        frames[top].step = next
    }

    /// Lists the names of an object that has become too wide for the trie.
    private mutating func widenIfNeeded(_ top: Int) {
        let step = frames[top].step
        guard frames[top].wideStart == nil, trie.depth(of: step) == ObjectNode.flatMax else {
            return
        }
        frames[top].wideStart = wideNames.count
        for place in trie.path(to: step) { wideNames.append((place, 0)) }
    }

    private mutating func string(_ text: Span<UInt8>) throws(JSONParseError) -> JSON {
        let scanned = try scanString(text)
        if let unescaped = scanned.unescaped { return JSON.string(unescaped.span) }
        let start = scanned.range.lowerBound
        let count = scanned.range.count
        // Sixteen bytes from the start on are there, behind a short string at least its quote.
        guard count <= ShortString.bytesMax, start + 16 <= text.count else {
            return JSON.string(text.extracting(scanned.range))
        }
        let low = text.word(at: start)
        let upper = text.word(at: start + 8)
        return JSON(
            .short(
                ShortString(
                    low: count >= 8 ? low : low & ((1 << UInt64(8 * count)) - 1),
                    upper: count <= 8 ? 0 : upper & ((1 << UInt64(8 * (count - 8))) - 1),
                    count: count)))
    }
}

extension JSONParser {
    /// RFC 8259 section 6: no leading zeros, no plus sign, digits on both sides of the point.
    @inline(__always)
    private mutating func number(_ text: Span<UInt8>) throws(JSONParseError) -> JSON {
        let start = index
        var number = ScannedNumber()
        if try peek(text) == UInt8(ascii: "-") {
            number.isNegative = true
            index += 1
        }
        let first = index
        guard try peek(text) >= 0x30 && text[first] <= 0x39 else {
            throw first > start
                ? error(.invalidNumber, text, at: start) : error(.unexpectedByte, text)
        }
        try digits(text, &number)
        guard text[first] != 0x30 || index == first + 1 else {
            throw error(.invalidNumber, text, at: start)
        }
        if index < text.count && text[index] == UInt8(ascii: ".") {
            index += 1
            let before = number.digits
            try digits(text, &number)
            number.scale = number.digits - before
        }
        if index < text.count && text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            number.hasExponent = true
            let sign = try peek(text)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
            try digits(text, &number)
        }
        if let compact = number.compact { return compact }
        guard index - start <= limits.numberBytesMax else {
            throw error(.numberTooLong, text, at: start)
        }
        return JSON(.number(NumberText(Array(text.extracting(start..<index)))))
    }

    @inline(__always)
    private mutating func digits(
        _ text: Span<UInt8>, _ number: inout ScannedNumber
    ) throws(JSONParseError) {
        let start = index
        while index < text.count {
            let digit = text[index] &- 0x30
            guard digit <= 9 else { break }
            number.mantissa = number.mantissa &* 10 &+ Int64(digit)
            index += 1
        }
        guard index > start else { throw error(.invalidNumber, text) }
        number.digits += index - start
    }
}

/// The state of a scan of a number.
struct ScannedNumber {
    var isNegative = false
    /// All digits as one number; meaningless when there are more than `digitsMax`.
    var mantissa: Int64 = 0
    var digits = 0
    /// The number of digits behind the point, if there is one.
    var scale: Int?
    var hasExponent = false

    private static let digitsMax = 18

    /// The number in a form that needs no memory, if it has one. Each lexeme has one form, so equal
    /// texts have equal hashes.
    @inline(__always)
    var compact: JSON? {
        guard digits <= ScannedNumber.digitsMax, !hasExponent, !(isNegative && mantissa == 0) else {
            return nil
        }
        let signed = isNegative ? -mantissa : mantissa
        return JSON(scale.map { .decimal(signed, UInt8($0)) } ?? .integer(signed))
    }
}

extension JSON {
    /// Reads JSON text. O(n), about as fast as memory allows; never recurses.
    ///
    /// Strict RFC 8259: no duplicate names, no lone surrogates, no byte order mark. Numbers and
    /// strings keep what was written.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONParseError) {
        var parser = JSONParser(limits: limits)
        self = try parser.parse(bytes.span)
    }

    /// Reads JSON text from a string.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONParseError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
