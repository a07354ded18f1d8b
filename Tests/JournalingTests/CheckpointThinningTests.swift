import Journaling
import TestSupport
import Testing

@Suite struct CheckpointThinningTests {
    /// The checkpoints kept at such distances, as a journal prunes them one after the other.
    private func kept(_ distances: [Int], bytes: Int) -> [CheckpointThinning.Kept] {
        var (kept, head) = ([CheckpointThinning.Kept](), 0)
        for distance in distances {
            head += distance
            kept.append(.init(revision: head, bytes: bytes))
            let superfluous = Set(CheckpointThinning.superfluous(among: kept))
            kept.removeAll { superfluous.contains($0.revision) }
        }
        return kept
    }

    @Test(arguments: [100, 100_000])
    func `the newest checkpoint stays`(bytes: Int) {
        let kept = kept(Array(repeating: 1_000, count: 500), bytes: bytes)
        #expect(kept.last?.revision == 500_000)
    }

    @Test(arguments: Seeds.of(20), [100, 4_000, 50_000, 10_000_000])
    func `replay to any revision is short, or short beside what came after it`(
        seed: UInt64, bytes: Int
    ) throws {
        var random = SeededGenerator(seed: seed)
        let distances = (0..<1_000).map { _ in Int.random(in: 1_000...3_000, using: &random) }
        let kept = kept(distances, bytes: bytes)
        let head = try #require(kept.last?.revision)
        for (older, newer) in zip([0] + kept.map(\.revision), kept) {
            let most = CheckpointThinning.gap(before: newer, head: head)
            #expect(newer.revision - older <= most, "\(older) to \(newer)")
            #expect(most <= max(CheckpointThinning.gapMax, head - newer.revision))
        }
    }

    @Test(arguments: [100, 1_000, 4_000])
    func `those that are small stand at even distances, and take part of a byte a change`(
        bytes: Int
    ) {
        let counts = [100, 1_000, 3_000].map {
            kept(Array(repeating: 1_000, count: $0), bytes: bytes).count
        }
        for (count, changes) in zip(counts, [100_000, 1_000_000, 3_000_000]) {
            #expect((count - 3) * bytes <= changes / CheckpointThinning.changesForOneByte * 2)
            #expect(count >= changes / CheckpointThinning.gapMax)
        }
    }

    @Test func `the number of large ones grows with the logarithm of the history`() {
        let counts = [10, 100, 1_000, 10_000].map {
            kept(Array(repeating: 1_000, count: $0), bytes: 10_000_000).count
        }
        #expect(counts[3] <= 16 && counts[3] - counts[2] <= 5)
    }

    @Test func `a single checkpoint stays`() {
        #expect(CheckpointThinning.superfluous(among: []).isEmpty)
        #expect(CheckpointThinning.superfluous(among: [.init(revision: 1, bytes: 9)]).isEmpty)
    }
}
