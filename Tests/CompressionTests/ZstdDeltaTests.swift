import Compression
import TestSupport
import Testing

/// Bytes that a delta takes from a base.
@Suite struct ZstdDeltaTests {
    private func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8(random.below(256)) }
    }

    @Test(arguments: [0, 1, 100, 70_000, 1_000_000])
    func `what is told by a base is read with it, and takes what is new`(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let base = noise(count, &random)
        let new = noise(50, &random)
        let bytes = Array(base.dropFirst(count / 3)) + new + Array(base.prefix(count / 2))
        let delta = Zstd.delta(bytes, to: base)
        #expect(try Zstd.decode(delta, to: base, count: bytes.count) == bytes)
        #expect(delta.count < 150 + bytes.count / 1_000)
    }

    @Test func `another base, or a damaged delta, is refused`() throws {
        var random = SeededGenerator(seed: 1)
        let base = noise(10_000, &random)
        let bytes = base + [1, 2, 3]
        let delta = Zstd.delta(bytes, to: base)
        var other = base
        other[5_000] ^= 1
        for wrong in [other, Array(base.dropFirst()), []] {
            #expect(throws: Zstd.Malformed.self) {
                try Zstd.decode(delta, to: wrong, count: bytes.count)
            }
        }
        for place in delta.indices {
            var damaged = delta
            damaged[place] ^= 0x10
            #expect((try? Zstd.decode(damaged, to: base, count: bytes.count)) ?? bytes == bytes)
        }
        #expect(throws: Zstd.Malformed.self) { try Zstd.decode(delta, to: base, count: 1) }
    }

    @Test func `a decoder reads one thing after the other, also after what is damaged`() throws {
        var random = SeededGenerator(seed: 2)
        let decoder = Zstd.Decoder()
        let base = noise(3_000, &random)
        for count in [0, 1, 70_000, 10, 1_000] {
            let bytes = noise(count, &random) + base
            let small = Zstd.encode(bytes, .small)
            let delta = Zstd.delta(bytes, to: base)
            #expect(throws: Zstd.Malformed.self) { try decoder.decode(delta, count: bytes.count) }
            #expect(try decoder.decode(small, count: bytes.count) == bytes)
            #expect(throws: Zstd.Malformed.self) {
                try decoder.decode(Array(small.dropLast(3)), count: bytes.count)
            }
            #expect(try decoder.decode(delta, to: base, count: bytes.count) == bytes)
            #expect(try decoder.decode(small, count: bytes.count) == bytes)
        }
    }
}
