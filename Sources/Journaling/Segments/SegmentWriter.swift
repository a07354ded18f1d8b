import Compression
import Hashing

/// Sorts the parts of bodies into columns.
struct SegmentWriter {
    /// Most are empty, and are not stored.
    private var streams = [[UInt8]](repeating: [], count: SegmentForm.streamCount)
    private var previous = [Int](repeating: 0, count: SegmentForm.columns)
    private var shapes: [[UInt8]: Int] = [:]
    /// The shape of the last body: the next one mostly has the same.
    private var lastShape: (parts: [UInt8], index: Int)?
    private var shapeBytes: [UInt8] = []
    private var lastSequence = 0
    private var memory: TextMemory

    init(recalling columns: Set<UInt8>) {
        memory = TextMemory(of: columns)
    }

    mutating func append(
        _ body: BodyTokens, sequence: Int, _ lifecycle: JournalEntry.Lifecycle
    ) {
        let tokens = body.recalling(&memory)
        streams[SegmentForm.shapes].appendNumber(index(ofShape: tokens.shape))
        streams[SegmentForm.lifecycles].append(UInt8(lifecycle.rawValue))
        streams[SegmentForm.sequences].appendSigned(sequence - lastSequence)
        lastSequence = sequence
        for token in tokens.tokens { append(token, of: tokens.body) }
    }

    private mutating func index(ofShape parts: [UInt8]) -> Int {
        if let lastShape, lastShape.parts == parts { return lastShape.index }
        let index = shapes[parts] ?? shapes.count
        if index == shapes.count {
            shapes[parts] = index
            shapeBytes.appendNumber(parts.count / 2)
            shapeBytes += parts
        }
        lastShape = (parts, index)
        return index
    }

    private mutating func append(_ token: BodyTokens.Token, of body: [UInt8]) {
        let stream = SegmentForm.stream(of: token.column)
        switch token.form {
        case .byte, .number, .word: streams[stream] += body[token.range]
        case .difference:
            let column = Int(token.column)
            streams[stream].appendSigned(token.value &- previous[column])
            previous[column] = token.value
        case .text:
            streams[SegmentForm.counts(of: token.column)].appendNumber(token.value)
            streams[stream] += body[token.textRange]
        case .recalled: break
        case .rest:
            streams[SegmentForm.counts(of: token.column)].appendNumber(token.range.count)
            streams[stream] += body[token.range]
        }
    }

    /// All columns, each compressed by itself if that makes it smaller.
    func packed() -> [UInt8] {
        var result: [UInt8] = [SegmentForm.number]
        result.appendNumber(shapes.count)
        result.appendPacked(shapeBytes)
        result.appendNumber(streams.count { !$0.isEmpty })
        for (stream, bytes) in streams.enumerated() where !bytes.isEmpty {
            result.appendNumber(stream)
            result.appendPacked(bytes)
        }
        return result + SegmentForm.checksum(result[...])
    }
}

/// How a segment is laid out; see `Documentation/Reference/JournalFormat.md`.
enum SegmentForm {
    static let number: UInt8 = 2
    /// Without texts that are recalled, and with shapes that are not compressed.
    static let withPlainShapes: UInt8 = 1
    /// Which shape each entry has, its lifecycle, and its number as the difference to the last.
    static let shapes = 0
    static let lifecycles = 1
    static let sequences = 2
    static let columns = 256
    static let streamCount = counts(of: .max) + 1
    /// The limit on all columns of a segment: far more than a step packs together, except for one
    /// entry of that size.
    static let bytesMax = 1 << 30

    /// The checksum at the end: the chain proves the bodies, the checksum all bytes around them.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(SHA256.hash(Array(bytes)).prefix(8))
    }

    /// The bytes before the checksum, if they are what was written.
    static func checked(_ bytes: [UInt8]) -> [UInt8]? {
        let content = bytes.dropLast(8)
        return Array(bytes.suffix(8)) == checksum(content) ? Array(content) : nil
    }

    /// The stream of a column's content.
    static func stream(of column: UInt8) -> Int { 3 + 2 * Int(column) }
    /// The stream of how long the texts in a column are.
    static func counts(of column: UInt8) -> Int { 4 + 2 * Int(column) }
}

extension [UInt8] {
    /// Seven bits a byte, the lowest first.
    mutating func appendNumber(_ value: Int) {
        var rest = UInt64(bitPattern: Int64(value))
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// The number of bytes, their number here, and the bytes: compressed, or, if that is not
    /// smaller, as they are after a 0.
    fileprivate mutating func appendPacked(_ bytes: [UInt8]) {
        let small = Zstd.encode(bytes, .small)
        appendNumber(bytes.count)
        appendNumber(small.count < bytes.count ? small.count : 0)
        self += small.count < bytes.count ? small : bytes
    }

    /// With its sign in the lowest bit.
    mutating func appendSigned(_ value: Int) {
        appendNumber((value << 1) ^ (value >> (Int.bitWidth - 1)))
    }
}
