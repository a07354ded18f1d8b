/// Joins bodies from their columns. Bytes that are not a segment are an error, never a crash.
struct SegmentReader {
    private let shapes: [[SegmentStreams.Part]]
    /// A column of which nothing is stored is empty.
    private var streams = [ByteStream](
        repeating: ByteStream([]), count: SegmentForm.streamCount)
    private var previous = [Int](repeating: 0, count: SegmentForm.columns)
    private var sequence = 0
    private var memory: TextMemory
    private var bytesLeft: Int

    init(_ body: [UInt8], count: Int) throws(BodyTokens.Malformed) {
        let stored = try SegmentStreams(body, count: count)
        shapes = stored.shapes
        bytesLeft = stored.bytesLeft
        for number in stored.numbers { streams[number] = try stored.stream(number) }
        let recalled = shapes.joined().filter { $0.form == .recalled }.map(\.column)
        memory = TextMemory(of: Set(recalled))
    }

    /// The next entry.
    mutating func next() throws(BodyTokens.Malformed) -> (
        sequence: Int, lifecycle: JournalEntry.Lifecycle, body: [UInt8]
    ) {
        let shape = try streams[SegmentForm.shapes].number()
        let code = try streams[SegmentForm.lifecycles].byte()
        sequence &+= try streams[SegmentForm.sequences].signed()
        guard shapes.indices.contains(shape),
            let lifecycle = JournalEntry.Lifecycle(rawValue: Int(code))
        else { throw BodyTokens.Malformed() }
        var body: [UInt8] = []
        for part in shapes[shape] { try append(part, to: &body) }
        return (sequence, lifecycle, body)
    }

    private mutating func append(
        _ part: SegmentStreams.Part, to body: inout [UInt8]
    ) throws(BodyTokens.Malformed) {
        let stream = SegmentForm.stream(of: part.column)
        let column = Int(part.column)
        switch part.form {
        case .byte: body.append(try streams[stream].byte())
        case .number: body.appendNumber(try streams[stream].number())
        case .word: body += try streams[stream].bytes(8)
        case .difference:
            previous[column] &+= try streams[stream].signed()
            guard previous[column] >= 0 else { throw BodyTokens.Malformed() }
            body.appendNumber(previous[column])
        case .text, .rest:
            let count = try streams[SegmentForm.counts(of: part.column)].number()
            let text = try streams[stream].bytes(count)
            if part.form == .rest {
                body += text
            } else {
                append(text, of: part.column, to: &body)
            }
        case .recalled:
            guard let text = memory.text(for: part.column), text.count <= bytesLeft else {
                throw BodyTokens.Malformed()
            }
            // Nothing is stored of it, and it takes memory all the same.
            bytesLeft -= text.count
            append(text[...], of: part.column, to: &body)
        }
    }
}

extension SegmentReader {
    private mutating func append(
        _ text: ArraySlice<UInt8>, of column: UInt8, to body: inout [UInt8]
    ) {
        body.appendNumber(text.count)
        body += text
        if memory.isUsed { memory.note(text, in: column) }
    }
}

/// Bytes that are read from front to end.
struct ByteStream {
    private let whole: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        whole = bytes
    }

    var isAtEnd: Bool { position == whole.count }

    /// The unread bytes.
    var rest: ArraySlice<UInt8> { whole[position...] }

    mutating func byte() throws(BodyTokens.Malformed) -> UInt8 {
        guard position < whole.count else { throw BodyTokens.Malformed() }
        position += 1
        return whole[position - 1]
    }

    mutating func bytes(_ count: Int) throws(BodyTokens.Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, count <= whole.count - position else { throw BodyTokens.Malformed() }
        position += count
        return whole[position - count..<position]
    }

    /// A number that is not negative.
    mutating func number() throws(BodyTokens.Malformed) -> Int {
        guard let value = Int(exactly: try bits()) else { throw BodyTokens.Malformed() }
        return value
    }

    mutating func signed() throws(BodyTokens.Malformed) -> Int {
        let value = try bits()
        return Int(truncatingIfNeeded: value >> 1) ^ -Int(value & 1)
    }

    private mutating func bits() throws(BodyTokens.Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw BodyTokens.Malformed()
    }
}
