import Journaling
import TestSupport
import Testing

@Suite struct CheckpointThinningTests {
    /// What is kept of checkpoints at such distances, as a journal prunes them one after the other.
    private func kept(_ distances: [Int]) -> [Int] {
        var (kept, head) = ([Int](), 0)
        for distance in distances {
            head += distance
            kept.append(head)
            let superfluous = Set(CheckpointThinning.superfluous(among: kept))
            kept.removeAll { superfluous.contains($0) }
        }
        return kept
    }

    @Test func `the newest checkpoint stays`() {
        let kept = kept(Array(repeating: 1_000, count: 500))
        #expect(kept.last == 500_000)
    }

    @Test(arguments: 0..<20)
    func `replay to any revision is short beside what came after it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let distances = (0..<1_000).map { _ in Int.random(in: 1_000...3_000, using: &random) }
        let kept = kept(distances)
        let head = try #require(kept.last)
        for (older, newer) in zip([0] + kept, kept) {
            let most = max(CheckpointThinning.gapMin, head - newer)
            #expect(newer - older <= most, "\(older) to \(newer)")
        }
    }

    @Test func `their number grows with the logarithm of the history`() {
        let counts = [10, 100, 1_000, 10_000].map {
            kept(Array(repeating: 1_000, count: $0)).count
        }
        #expect(counts == [2, 6, 11, 16])
    }

    @Test func `a single checkpoint stays`() {
        #expect(CheckpointThinning.superfluous(among: []).isEmpty)
        #expect(CheckpointThinning.superfluous(among: [1]).isEmpty)
    }
}
