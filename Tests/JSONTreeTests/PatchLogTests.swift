import TestSupport
import Testing

@testable import JSONTree

@Suite struct PatchLogTests {
    @Test(arguments: UInt64(1)...60)
    func `a log gives back every patch`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = JSON.random(&random, shape: .random(&random))
        var patches: [ReversiblePatch] = []
        var log = PatchLog()
        for _ in 0..<12 {
            let next = tree.mutated(&random, edits: 2)
            patches.append(tree.diff(to: next))
            log.append(tree.diff(to: next))
            tree = next
        }
        #expect(try PatchLog.patches(of: log.bytes) == patches)
    }

    @Test func `a typed letter takes five bytes`() throws {
        var tree: JSON = ["text": JSON(String(repeating: "x", count: 100))]
        var log = PatchLog()
        for position in 0..<50 {
            let operation = #"[{"op":"str_ins","path":"/text","pos":\#(position),"str":"a"}]"#
            let (next, patch) = try tree.applying(JSONPatch(JSON(parsing: operation)))
            log.append(patch)
            tree = next
        }
        #expect(log.bytes.count == 1 + 50 * 5 + "/text".utf8.count + 1)
    }

    @Test func `a form that is not known is refused`() {
        #expect(throws: ByteReader.Malformed.self) { try PatchLog.patches(of: [9, 0]) }
        #expect(throws: ByteReader.Malformed.self) { try PatchLog.patches(of: []) }
        // A position before the beginning.
        #expect(throws: ByteReader.Malformed.self) {
            try PatchLog.patches(of: [1, 1, 0x2d, 1, 1, 97])
        }
    }

    @Test(arguments: [0, 1, -1, 63, -64, 64, 1 << 40, -(1 << 40)])
    func `numbers with a sign come back`(number: Int) throws {
        var writer = ByteWriter()
        writer.signed(number)
        var reader = ByteReader(writer.bytes)
        #expect(try reader.signed() == number)
        #expect(writer.bytes.count == 1 || number.magnitude > 63)
    }
}
