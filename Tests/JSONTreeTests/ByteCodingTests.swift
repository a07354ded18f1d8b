import TestSupport
import Testing

@testable import JSONTree

/// The compact bytes that journals store: what is written is read, and nothing else is taken.
@Suite struct ByteCodingTests {
    @Test(
        arguments: [
            (0, [0x00]), (1, [0x01]), (127, [0x7f]), (128, [0x80, 0x01]), (300, [0xac, 0x02]),
            (16_383, [0xff, 0x7f]), (16_384, [0x80, 0x80, 0x01]),
            (Int.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        ] as [(Int, [UInt8])])
    func `a number takes seven bits a byte, the lowest first`(number: Int, bytes: [UInt8]) throws {
        var writer = ByteWriter()
        writer.number(number)
        #expect(writer.bytes == bytes)
        var reader = ByteReader(bytes)
        #expect(try reader.number() == number)
        #expect(reader.isAtEnd)
    }

    @Test(
        arguments: [
            (0, [0x00]), (-1, [0x01]), (1, [0x02]), (-64, [0x7f]), (64, [0x80, 0x01]),
        ] as [(Int, [UInt8])])
    func `a number with a sign is near zero in few bytes`(number: Int, bytes: [UInt8]) throws {
        var writer = ByteWriter()
        writer.signed(number)
        #expect(writer.bytes == bytes)
    }

    @Test func `everything is read in the order in which it was written`() throws {
        var writer = ByteWriter()
        writer.byte(7)
        writer.number(1 << 40)
        writer.word(0x0102_0304_0506_0708)
        writer.text("grüße")
        writer.optionalText(nil)
        writer.optionalText("")
        writer.block([1, 2, 3])
        var reader = ByteReader(writer.bytes)
        #expect(try reader.byte() == 7)
        #expect(try reader.number() == 1 << 40)
        #expect(try reader.word() == 0x0102_0304_0506_0708)
        #expect(try reader.text() == "grüße")
        #expect(try reader.optionalText() == nil)
        #expect(try reader.optionalText() == "")
        #expect(try reader.block() == [1, 2, 3])
        #expect(reader.isAtEnd)
    }

    @Test func `bytes that end too early are refused wherever they end`() {
        var writer = ByteWriter()
        writer.number(1 << 40)
        writer.text("some text")
        writer.word(9)
        for count in 0..<writer.bytes.count {
            var reader = ByteReader(Array(writer.bytes.prefix(count)))
            #expect(throws: ByteReader.Malformed.self, "\(count)") {
                _ = try reader.number()
                _ = try reader.text()
                _ = try reader.word()
            }
        }
    }

    @Test(
        arguments: [
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], [0x80],
        ] as [[UInt8]])
    func `a number that does not fit is refused`(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: ByteReader.Malformed.self) { try reader.number() }
    }

    @Test func `a length beyond the end is refused, and takes no memory`() {
        var writer = ByteWriter()
        writer.number(Int.max)
        var reader = ByteReader(writer.bytes)
        #expect(throws: ByteReader.Malformed.self) { try reader.block() }
    }

    @Test(arguments: Seeds.of(60, from: 1))
    func `a patch is read as it was written`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let old = JSON.random(&random, shape: .random(&random))
        let new = old.mutated(&random, edits: 5)
        let patch = old.diff(to: new)
        var writer = ByteWriter()
        patch.write(to: &writer)
        var reader = ByteReader(writer.bytes)
        let read = try ReversiblePatch(from: &reader)
        #expect(reader.isAtEnd && read == patch)
        #expect(try old.applying(read) == new)
        #expect(try new.applying(read.inverse) == old)
    }

    @Test(arguments: Seeds.of(30, from: 1))
    func `a patch with a wrong byte is refused or is another patch, and never a crash`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let old = JSON.random(&random, shape: TreeShape(depth: 3, width: 4))
        let patch = old.diff(to: old.mutated(&random, edits: 4))
        var writer = ByteWriter()
        patch.write(to: &writer)
        for _ in 0..<100 where !writer.bytes.isEmpty {
            var bytes = writer.bytes
            bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
            var reader = ByteReader(bytes)
            guard let read = try? ReversiblePatch(from: &reader) else { continue }
            if let after = try? old.applying(read) { _ = after.serialized() }
        }
    }

    @Test func `a letter typed where the patch worked last takes four bytes`() throws {
        let tree: JSON = ["text": JSON(String(repeating: "x", count: 100))]
        let letters = (0..<50).map {
            #"{"op":"str_ins","path":"/text","pos":\#($0 * 2),"str":"a"}"#
        }
        let operations = try JSON(parsing: "[\(letters.joined(separator: ","))]")
        let patch = try tree.applying(JSONPatch(operations)).patch
        var writer = ByteWriter()
        patch.write(to: &writer)
        #expect(writer.bytes.count == 2 + 50 * 4 + "/text".utf8.count + 1)
    }

    @Test func `a form of patches that is not known is refused`() {
        // A position before the beginning is none, either.
        for bytes in [[9, 0], [], [1, 1, 0x2d, 1, 1, 97]] as [[UInt8]] {
            var reader = ByteReader(bytes)
            #expect(throws: ByteReader.Malformed.self) { try ReversiblePatch(from: &reader) }
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
