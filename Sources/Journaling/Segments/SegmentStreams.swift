import Compression

/// The columns of a segment in stored form: each is unpacked on its first use. Bytes that are not a
/// segment are an error, never a crash.
struct SegmentStreams {
    /// A part of a body.
    struct Part {
        let form: BodyTokens.Form
        let column: UInt8
    }

    private struct Stored {
        let count: Int
        let isPacked: Bool
        let bytes: ArraySlice<UInt8>

        func whole(_ decoder: Zstd.Decoder) throws(BodyTokens.Malformed) -> [UInt8] {
            guard isPacked else { return Array(bytes) }
            do { return try decoder.decode(Array(bytes), count: count) } catch {
                throw BodyTokens.Malformed()
            }
        }
    }

    /// How bodies are put together.
    private(set) var shapes: [[Part]] = []
    private var stored: [Int: Stored] = [:]
    private let decoder = Zstd.Decoder()
    /// How many bytes more a segment may hold than these are.
    private(set) var bytesLeft = SegmentForm.bytesMax

    init(_ body: [UInt8], count: Int) throws(BodyTokens.Malformed) {
        guard (1...PackingPolicy.entriesMax).contains(count),
            let checked = SegmentForm.checked(body)
        else { throw BodyTokens.Malformed() }
        var reader = ByteStream(checked)
        let form = try reader.byte()
        let shapeCount = try reader.number()
        guard shapeCount <= count else { throw BodyTokens.Malformed() }
        switch form {
        case SegmentForm.withPlainShapes: try readShapes(shapeCount, from: &reader)
        case SegmentForm.number:
            var shapes = ByteStream(try next(&reader).whole(decoder))
            try readShapes(shapeCount, from: &shapes)
            guard shapes.isAtEnd else { throw BodyTokens.Malformed() }
        default: throw BodyTokens.Malformed()
        }
        for _ in 0..<(try reader.number()) {
            let number = try reader.number()
            guard number < SegmentForm.streamCount else { throw BodyTokens.Malformed() }
            stored[number] = try next(&reader)
        }
        guard reader.isAtEnd else { throw BodyTokens.Malformed() }
    }

    /// Those of which something is stored.
    var numbers: some Collection<Int> { stored.keys }

    /// The content of a stream; empty if it is not stored. O(its bytes).
    func stream(_ number: Int) throws(BodyTokens.Malformed) -> ByteStream {
        ByteStream(try stored[number]?.whole(decoder) ?? [])
    }

    /// Bytes that may be compressed.
    private mutating func next(
        _ reader: inout ByteStream
    ) throws(BodyTokens.Malformed) -> Stored {
        let (count, packed) = (try reader.number(), try reader.number())
        guard count <= bytesLeft else { throw BodyTokens.Malformed() }
        bytesLeft -= count
        return Stored(
            count: count, isPacked: packed > 0,
            bytes: try reader.bytes(packed == 0 ? count : packed))
    }

    private mutating func readShapes(
        _ count: Int, from reader: inout ByteStream
    ) throws(BodyTokens.Malformed) {
        for _ in 0..<count { shapes.append(try SegmentStreams.shape(&reader)) }
    }

    private static func shape(
        _ reader: inout ByteStream
    ) throws(BodyTokens.Malformed) -> [Part] {
        var parts: [Part] = []
        for _ in 0..<(try reader.number()) {
            guard let form = BodyTokens.Form(rawValue: try reader.byte()) else {
                throw BodyTokens.Malformed()
            }
            parts.append(Part(form: form, column: try reader.byte()))
        }
        return parts
    }
}
