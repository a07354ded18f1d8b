import Compression

/// The positions of entries with consecutive numbers, packed: the order of many commits. Less than
/// a byte for each entry, as a rule. `Documentation/Reference/JournalFormat.md` describes the form.
public struct PackedOrder: Sendable, Equatable {
    /// Places whose numbers follow one another.
    public let places: [EntryPlace]

    /// So many are packed together, about.
    public static let placesMax = 8_192
    /// The limit on its columns: far more than a step packs together.
    private static let bytesMax = 64 << 20
    private static let form: UInt8 = 1

    public var numbers: ClosedRange<Int> {
        places[0].sequence...(places[0].sequence + places.count - 1)
    }

    /// Places with numbers in a row; at least one.
    public init(_ places: [EntryPlace]) {
        precondition(!places.isEmpty, "an order has places")
        self.places = places
    }

    /// The packed positions whose last number is `last`; `nil` if the bytes are malformed.
    public init?(last: Int, count: Int, _ body: [UInt8]) {
        guard let content = SegmentForm.checked(body), count > 0, count <= last,
            let places = try? PackedOrder.places(content, last - count + 1, count)
        else { return nil }
        self.places = places
    }

    // MARK: Packing

    /// The names of the documents; then which of them it is, each time; then the revisions, each as
    /// the difference to the one that follows the document's last. O(places).
    public func packed() -> [UInt8] {
        var indexes: [DocumentID: Int] = [:]
        var expected: [Int] = []
        var (names, documents, revisions): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        for place in places {
            let index = indexes[place.document] ?? indexes.count
            if index == expected.count {
                indexes[place.document] = index
                expected.append(0)
                let name = Array(place.document.name.utf8)
                names.appendNumber(name.count)
                names += name
            }
            documents.appendNumber(index)
            revisions.appendSigned(place.revision - expected[index])
            expected[index] = place.revision + 1
        }
        var result = [PackedOrder.form]
        result.appendNumber(expected.count)
        for column in [names, documents, revisions] {
            let small = Zstd.encode(column, .small)
            result.appendNumber(column.count)
            result.appendNumber(small.count)
            result += small
        }
        return result + SegmentForm.checksum(result[...])
    }

    // MARK: Unpacking

    private static func places(
        _ content: [UInt8], _ first: Int, _ count: Int
    ) throws -> [EntryPlace] {
        var reader = ByteStream(content)
        guard try reader.byte() == form else { throw BodyTokens.Malformed() }
        let nameCount = try reader.number()
        guard nameCount <= count else { throw BodyTokens.Malformed() }
        var columns: [ByteStream] = []
        for _ in 0..<3 {
            let (size, packed) = (try reader.number(), try reader.number())
            guard size <= bytesMax else { throw BodyTokens.Malformed() }
            columns.append(
                ByteStream(try Zstd.decode(Array(try reader.bytes(packed)), count: size)))
        }
        var names: [DocumentID] = []
        for _ in 0..<nameCount {
            let bytes = try columns[0].bytes(try columns[0].number())
            guard let name = DocumentID(String(decoding: bytes, as: UTF8.self)) else {
                throw BodyTokens.Malformed()
            }
            names.append(name)
        }
        var expected = names.map { _ in 0 }
        return try (first..<(first + count)).map { sequence in
            let index = try columns[1].number()
            guard names.indices.contains(index) else { throw BodyTokens.Malformed() }
            let revision = expected[index] &+ (try columns[2].signed())
            expected[index] = revision &+ 1
            return EntryPlace(sequence: sequence, document: names[index], revision: revision)
        }
    }
}
