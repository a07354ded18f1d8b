import Compression
import TestSupport
import Testing

@testable import Journaling

/// Old checkpoints as deltas to newer ones.
@Suite struct CheckpointPackingTests {
    /// A document's checkpoints as a journal has them, and the contents that they were made of.
    private struct Shelf {
        var stored: [(revision: Int, body: [UInt8])] = []
        var contents: [Int: [UInt8]] = [:]

        var kept: [CheckpointThinning.Kept] {
            stored.map { revision, body in
                CheckpointThinning.Kept(
                    revision: revision, bytes: body.count,
                    head: Array(body.prefix(CheckpointBody.headBytesMax)))
            }
        }

        mutating func add(_ content: [UInt8], at revision: Int) {
            guard !CheckpointThinning.isWithinDelta(revision, among: kept) else { return }
            contents[revision] = content
            stored.removeAll { $0.revision == revision }
            stored.append((revision, CheckpointBody.compressed(content)))
            stored.sort { $0.revision < $1.revision }
            let superfluous = CheckpointThinning.superfluous(among: kept)
            stored.removeAll { superfluous.contains($0.revision) }
        }

        /// `damaged`: what cannot be read.
        mutating func pack(damaged: Set<Int> = []) {
            let packing = CheckpointPacking(of: kept)
            guard packing.isNeeded else { return }
            let needed = stored.filter {
                packing.needed.contains($0.revision) && !damaged.contains($0.revision)
            }
            let result = packing.result(
                of: Dictionary(uniqueKeysWithValues: needed.map { ($0.revision, $0.body) }))
            stored.removeAll { result.removed.contains($0.revision) }
            for place in stored.indices {
                stored[place].body = result.bodies[stored[place].revision] ?? stored[place].body
            }
        }

        /// The content for a reader of the checkpoint at an index.
        func content(at index: Int) throws -> [UInt8] {
            let rest = stored[index...]
            let end = try #require(rest.firstIndex { CheckpointBody.base(of: $0.body) == nil })
            let body = try #require(CheckpointBody.readable(Array(stored[index...end])))
            return try CheckpointBody.content(of: body)
        }

        var deltas: Int { stored.filter { CheckpointBody.base(of: $0.body) != nil }.count }
    }

    /// A text as it grows, of words that no coding makes much smaller.
    private func grow(_ content: inout [UInt8], by count: Int, _ random: inout SeededGenerator) {
        let place = random.below(4) == 0 ? random.below(content.count + 1) : content.count
        content.insert(contentsOf: (0..<count).map { _ in UInt8(random.below(256)) }, at: place)
        if random.below(3) == 0 && content.count > 100 { content.removeFirst(random.below(50)) }
        // A first byte that no content has.
        content[0] = 12
    }

    @Test(arguments: Seeds.of(6))
    func `law: whatever is stored and packed in whatever order, each checkpoint is read`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var (shelf, content, revision) = (Shelf(), [12] as [UInt8], 0)
        for _ in 0..<120 {
            switch random.below(5) {
            case 0: shelf.pack()
            case 1 where revision > 0:
                // One that comes late.
                shelf.add(content, at: max(1, revision - random.below(30_000)))
            default:
                revision += 500 + random.below(12_000)
                grow(&content, by: 200 + random.below(4_000), &random)
                shelf.add(content, at: revision)
            }
            for index in shelf.stored.indices {
                let revision = shelf.stored[index].revision
                #expect(try shelf.content(at: index) == shelf.contents[revision], "\(revision)")
            }
            #expect(shelf.stored.last.map { CheckpointBody.base(of: $0.body) == nil } ?? true)
        }
        shelf.pack()
        let packed = shelf.stored.map(\.body)
        shelf.pack()
        #expect(shelf.stored.map(\.body) == packed, "nothing is left to do")
        #expect(shelf.deltas > 1)
    }

    @Test func `a text that grows takes about what its newest checkpoint takes`() throws {
        var random = SeededGenerator(seed: 1)
        var (shelf, content) = (Shelf(), [12] as [UInt8])
        for step in 1...250 {
            grow(&content, by: 1_000, &random)
            shelf.add(content, at: step * 1_000)
            if step.isMultiple(of: 4) { shelf.pack() }
        }
        shelf.pack()
        let taken = shelf.stored.map(\.body.count)
        #expect(taken.count > 8 && taken.dropLast().allSatisfy { $0 < 6_000 }, "\(taken)")
    }

    @Test func `what is small stays whole`() throws {
        var shelf = Shelf()
        for step in 1...100 { shelf.add([12, UInt8(step)], at: step * 5_000) }
        shelf.pack()
        #expect(shelf.deltas == 0 && shelf.stored.count > 20)
    }

    @Test func `deltas lead to a whole one after as many changes as its bytes are worth`() throws {
        var random = SeededGenerator(seed: 2)
        var (shelf, content) = (Shelf(), [12] as [UInt8])
        for _ in 0..<30 { grow(&content, by: 500, &random) }
        for step in 1...200 {
            shelf.add(content, at: step * 10_000)
            shelf.pack()
        }
        let whole = shelf.kept.filter { $0.base == nil }.map(\.revision)
        let worth = shelf.kept.last!.bytes * CheckpointThinning.changesForOneByte
        #expect(whole.count > 10)
        for (older, newer) in zip(whole, whole.dropFirst().dropLast()) {
            #expect((worth...worth + 2 * CheckpointThinning.gapMax).contains(newer - older))
        }
    }

    @Test func `content that is too large to be told by another one is whole`() throws {
        var random = SeededGenerator(seed: 3)
        var (shelf, content) = (Shelf(), [12] as [UInt8])
        for step in 1...3 {
            grow(&content, by: 200_000, &random)
            shelf.add(content, at: step * 1_000_000)
            shelf.pack()
        }
        #expect(shelf.deltas > 0)
        for step in 4...8 {
            grow(&content, by: CheckpointBody.deltaContentMax, &random)
            shelf.add(content, at: step * 1_000_000)
            shelf.pack()
            for index in shelf.stored.indices {
                let revision = shelf.stored[index].revision
                #expect(try shelf.content(at: index) == shelf.contents[revision])
            }
        }
        let large = shelf.stored.filter { shelf.contents[$0.revision]!.count > 1 << 20 }
        #expect(large.allSatisfy { CheckpointBody.base(of: $0.body) == nil })
    }

    @Test(arguments: 0..<6)
    func `what is damaged goes, with what leads to it, and packing goes on`(damaged: Int) throws {
        var random = SeededGenerator(seed: 4)
        var (shelf, content) = (Shelf(), [12] as [UInt8])
        for step in 1...6 {
            grow(&content, by: 7_000, &random)
            shelf.add(content, at: step * 21_000)
            if step < 6 { shelf.pack() }
        }
        #expect(shelf.stored.count == 6 && shelf.deltas == 4)
        let revision = (damaged + 1) * 21_000
        shelf.pack(damaged: [revision])
        let left = shelf.stored.map(\.revision)
        // The one before the newest is whole, and the deltas lead to it.
        let wanted = damaged < 5 ? Array((damaged + 1)..<6) : Array(0..<5)
        #expect(left == wanted.map { ($0 + 1) * 21_000 })
        for step in 7...9 {
            grow(&content, by: 7_000, &random)
            shelf.add(content, at: step * 21_000)
            shelf.pack()
        }
        for index in shelf.stored.indices {
            let revision = shelf.stored[index].revision
            #expect(try shelf.content(at: index) == shelf.contents[revision])
        }
        #expect(shelf.deltas >= 2)
    }

    @Test func `a chain with something missing or damaged is not read`() throws {
        let contents = (0..<3).map { [12] + [UInt8](repeating: UInt8($0), count: 5_000) }
        let whole = CheckpointBody.compressed(contents[2])
        let middle = CheckpointBody.delta(contents[1], to: contents[2], at: 30)
        let oldest = CheckpointBody.delta(contents[0], to: contents[1], at: 20)
        let chain: [(revision: Int, body: [UInt8])] = [(10, oldest), (20, middle), (30, whole)]
        #expect(CheckpointBody.readable(chain) == contents[0])
        #expect(CheckpointBody.readable([]) == nil)
        #expect(CheckpointBody.readable([chain[0], chain[2]]) == nil)
        #expect(CheckpointBody.readable(Array(chain.dropLast())) == nil)
        var moved = chain
        moved[1].revision = 21
        #expect(CheckpointBody.readable(moved) == nil)
        #expect(throws: CheckpointBody.Malformed.self) {
            try CheckpointBody.content(of: [8, 0xff])
        }
    }
}
