import TestSupport
import Testing

@testable import Journaling

/// Packed entries: what comes out is what went in, or an error.
@Suite struct SegmentTests {
    /// Takes bodies apart at random: a byte says what the next part is.
    private struct RandomColumns: BodyColumns {
        func tokens(of body: [UInt8]) throws(BodyTokens.Malformed) -> BodyTokens {
            var tokens = BodyTokens(body)
            while !tokens.isAtEnd {
                let code = try tokens.byte(9)
                switch code % 7 {
                case 0: _ = try tokens.byte(1)
                case 1: try tokens.number(2)
                case 2: try tokens.number(3, .difference)
                case 3: try tokens.text(4)
                case 4: try tokens.word(5)
                case 5: try tokens.text(6)
                default: tokens.rest(255)
                }
            }
            return tokens
        }
    }

    private static func body(_ random: inout SeededGenerator) -> [UInt8] {
        var body: [UInt8] = []
        for _ in 0..<random.below(9) {
            let code = UInt8(random.below(7))
            body.append(code)
            switch code {
            case 0: body.append(UInt8(random.below(256)))
            case 1, 2: body.appendNumber(random.below(1 << (1 + random.below(62))))
            case 3, 5:
                let count = random.below(20)
                body.appendNumber(count)
                body += (0..<count).map { _ in UInt8(97 + random.below(4)) }
            default: body += (0..<8).map { _ in UInt8(random.below(256)) }
            }
        }
        // Sometimes what no column knows.
        if random.below(4) == 0 { body.append(1) }
        return body
    }

    private static func entries(
        _ random: inout SeededGenerator, _ count: Int
    ) throws -> [Segment.Numbered] {
        let document = try #require(DocumentID("a"))
        var entries: [Segment.Numbered] = []
        var (chain, sequence) = (ChainHash.start, random.below(1_000))
        for revision in 0..<count {
            let lifecycles: [JournalEntry.Lifecycle] = [.goesOn, .goesOn, .begins, .ends]
            let entry = JournalEntry(
                document: document, revision: revision, body: body(&random), following: chain,
                lifecycle: lifecycles[random.below(4)])
            chain = entry.chain
            sequence += 1 + random.below(3)
            entries.append((sequence, entry))
        }
        return entries
    }

    /// The same segment with another body.
    private static func segment(_ segment: Segment, _ body: [UInt8]) -> Segment {
        Segment(
            document: segment.document, first: 0, count: segment.count,
            sequences: segment.sequences, chain: segment.chain, body: body)
    }

    /// The same with a checksum that fits the body.
    private static func forged(_ segment: Segment, _ body: [UInt8]) -> Segment {
        let content = body.dropLast(8)
        return SegmentTests.segment(segment, content + SegmentForm.checksum(content))
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `what is packed comes out again, byte by byte`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entries = try SegmentTests.entries(&random, 1 + random.below(120))
        for columns in [RandomColumns(), WholeBodies()] as [any BodyColumns] {
            let segment = Segment(packing: entries, columns: columns)
            #expect(segment.count == entries.count)
            #expect(segment.chain == entries.last?.entry.chain)
            let unpacked = try segment.entries(following: .start)
            #expect(unpacked.elementsEqual(entries, by: { $0 == $1 }), "seed \(seed)")
        }
    }

    @Test(arguments: Seeds.of(12, from: 1))
    func `a damaged segment is an error, and never other entries`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entries = try SegmentTests.entries(&random, 1 + random.below(30))
        let segment = Segment(packing: entries, columns: RandomColumns())
        for place in segment.body.indices {
            var body = segment.body
            body[place] ^= UInt8(1) << UInt8(random.below(8))
            let damaged = SegmentTests.segment(segment, body)
            #expect(throws: Segment.Fault.malformed, "byte \(place)") {
                try damaged.entries(following: .start)
            }
            // With a matching checksum, the chain detects it, or no body differs.
            let forged = SegmentTests.forged(segment, body)
            guard let found = try? forged.entries(following: .start) else { continue }
            #expect(found.map(\.entry.body) == entries.map(\.entry.body), "byte \(place)")
        }
        for count in [-1, 0, 1, .max] {
            let other = Segment(
                document: segment.document, first: count, count: count,
                sequences: segment.sequences, chain: segment.chain, body: segment.body)
            #expect(throws: Segment.Fault.self) { try other.entries(following: .start) }
        }
        for count in stride(from: 0, to: segment.body.count, by: 3) {
            let cut = SegmentTests.segment(segment, Array(segment.body.prefix(count)))
            #expect(throws: Segment.Fault.self) { try cut.entries(following: .start) }
        }
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `a column has the parts of all bodies, in their order`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entries = try SegmentTests.entries(&random, 1 + random.below(120))
        let columns = try SegmentColumns(Segment(packing: entries, columns: RandomColumns()))
        let tokens = entries.map { RandomColumns().anyTokens(of: $0.entry.body) }
        func parts(_ column: UInt8) -> [(BodyTokens.Token, [UInt8])] {
            tokens.flatMap { body in
                body.tokens.filter { $0.column == column }.map { ($0, body.body) }
            }
        }
        #expect(
            columns.entries.map { columns.shapes[$0] } == tokens.map { $0.tokens.map(\.column) })
        #expect(try columns.bytes(in: 1) == parts(1).map { $1[$0.range.lowerBound] })
        #expect(try columns.numbers(in: 2) == parts(2).map(\.0.value))
        #expect(try columns.numbers(in: 3) == parts(3).map(\.0.value))
        #expect(
            try columns.texts(in: 4).map(Array.init) == parts(4).map { Array($1[$0.textRange]) })
        #expect(
            try columns.texts(in: 255).map(Array.init) == parts(255).map { Array($1[$0.range]) })
        // A wrong column is not read.
        if !parts(4).isEmpty {
            #expect(throws: Segment.Fault.malformed) { try columns.numbers(in: 4) }
        }
    }

    @Test(arguments: Seeds.of(12, from: 1))
    func `columns of a damaged segment are an error, and no crash`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entries = try SegmentTests.entries(&random, 1 + random.below(30))
        let segment = Segment(packing: entries, columns: RandomColumns())
        for place in segment.body.indices {
            var body = segment.body
            body[place] ^= UInt8(1) << UInt8(random.below(8))
            let damaged = SegmentTests.segment(segment, body)
            #expect(throws: Segment.Fault.malformed) { try SegmentColumns(damaged) }
            let forged = SegmentTests.forged(segment, body)
            guard let columns = try? SegmentColumns(forged) else { continue }
            for column in UInt8.min...10 {
                _ = try? columns.bytes(in: column)
                _ = try? columns.numbers(in: column)
                _ = try? columns.texts(in: column)
            }
        }
        let other = Segment(
            document: segment.document, first: 0, count: segment.count + 1,
            sequences: segment.sequences, chain: segment.chain, body: segment.body)
        #expect(throws: Segment.Fault.malformed) { try SegmentColumns(other) }
    }

    @Test func `entries that follow others are not handed out`() throws {
        var random = SeededGenerator(seed: 7)
        let entries = try SegmentTests.entries(&random, 9)
        let rest = Segment(packing: Array(entries.dropFirst(4)), columns: WholeBodies())
        #expect(throws: Segment.Fault.brokenChain) { try rest.entries(following: .start) }
        let found = try rest.entries(following: entries[3].entry.chain)
        #expect(found.map(\.entry.revision) == [4, 5, 6, 7, 8])
    }

    @Test func `a segment that claims more than it has takes no memory`() throws {
        let document = try #require(DocumentID("a"))
        // No shapes; one stream that says it has a thousand million bytes.
        var body: [UInt8] = [SegmentForm.number, 0, 1, 3]
        body.appendNumber(SegmentForm.bytesMax)
        body += [4, 1, 2, 3, 4]
        body += SegmentForm.checksum(body[...])
        let segment = Segment(
            document: document, first: 0, count: 1, sequences: 1...1, chain: .start, body: body)
        #expect(throws: Segment.Fault.malformed) { try segment.entries(following: .start) }
    }

    // MARK: Packed entries

    @Test func `the newest entries stay, and a few are not worth a segment`() {
        let policy = PackingPolicy(kept: 10, entriesMin: 5)
        #expect(policy.range(of: 0...13) == nil)
        #expect(policy.range(of: 0...14) == 0...4)
        #expect(policy.range(of: 7...40) == 7...30)
        #expect(policy.range(of: 0...100_000) == 0...(PackingPolicy.entriesMax - 1))
        #expect(PackingPolicy.all.range(of: 3...3) == nil, "the newest one always stays")
        #expect(PackingPolicy.all.range(of: 3...5) == 3...4)
        #expect(PackingPolicy.inBackground(edited: 5, of: 100) == .busy)
        #expect(PackingPolicy.inBackground(edited: 5, of: 50_000) == .quiet)
    }
}
