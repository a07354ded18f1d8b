import Compression
import TestSupport
import Testing

/// The gzip coding.
@Suite struct GzipTests {
    @Test(arguments: [0, 1, 100, 65_536, 65_537, 300_000])
    func `what is coded is decoded`(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let noise = (0..<count).map { _ in UInt8(random.below(256)) }
        for bytes in [noise, [UInt8](repeating: 0x61, count: count)] {
            let coded = Gzip.encode(bytes)
            #expect(try Gzip.decode(coded, bytesMax: count) == bytes)
            if count > 0 {
                #expect(throws: Gzip.Fault.tooLarge(max: count - 1)) {
                    try Gzip.decode(coded, bytesMax: count - 1)
                }
            }
        }
    }

    @Test func `what is damaged or cut short is refused`() {
        let coded = Gzip.encode(Array("a text that is coded, and coded, and coded".utf8))
        var damaged = coded
        damaged[coded.count - 6] ^= 1
        for bytes in [
            damaged, [], Array(coded.dropLast()), coded + [0], coded + coded.dropLast(),
            Array("no gzip".utf8), Array(coded.prefix(5)),
        ] {
            #expect(throws: Gzip.Fault.malformed) { try Gzip.decode(bytes, bytesMax: 1_000) }
        }
    }

    @Test func `several in a row are one`() throws {
        let both =
            Gzip.encode(Array("one ".utf8)) + Gzip.encode([]) + Gzip.encode(Array("two".utf8))
        #expect(try Gzip.decode(both, bytesMax: 100) == Array("one two".utf8))
    }

    @Test func `a small bomb is stopped early`() {
        let bomb = Gzip.encode([UInt8](repeating: 0, count: 50 << 20))
        #expect(bomb.count < 300_000)
        #expect(throws: Gzip.Fault.tooLarge(max: 1 << 20)) {
            try Gzip.decode(bomb, bytesMax: 1 << 20)
        }
    }
}
