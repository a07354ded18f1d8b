/// The names of an object's members, in the order in which they were written.
///
/// Objects that were read with the same names in the same order share one shape, and then hold
/// nothing but values.
final class Shape: Sendable {
    let count: Int
    /// Of each name where it ends as text, in four bytes; of each its hash, in sixteen; then the
    /// names as JSON text, each with quotes and a colon. One piece of memory: objects with many
    /// names take little more than their text.
    private let block: [UInt8]
    /// The names, if some are not written as they are.
    private let escaped: [MemberName]?

    private static let endWidth = 4
    private static let hashWidth = 16
    /// The first quote, and the characters after a name.
    private static let (before, behind) = (1, 2)

    init(_ names: [MemberName]) {
        count = names.count
        let start = names.count * (Shape.endWidth + Shape.hashWidth)
        let quoted = names.reduce(0) { $0 + $1.withBytes { Quoting.width(of: $0) } }
        let text = quoted + names.count * (Shape.before + Shape.behind)
        var block: [UInt8] = []
        TextWriter.append(start + text, to: &block) { writer in
            var end = start
            for name in names {
                let width = name.withBytes { Quoting.width(of: $0) }
                end += Shape.before + width + Shape.behind
                writer.word(UInt64(end), Shape.endWidth)
            }
            for name in names {
                writer.word(name.hash.high, 8)
                writer.word(name.hash.low, 8)
            }
            for name in names {
                name.withBytes { writer.quoted($0) }
                writer.byte(UInt8(ascii: ":"))
            }
        }
        self.block = block
        let isPlain = quoted == names.reduce(0) { $0 + $1.byteCount }
        escaped = isPlain ? nil : names.map { MemberName($0.bytes) }
    }

    /// How many bytes the names take as JSON text.
    var textCount: Int { block.count - textStart }

    private var textStart: Int { count * (Shape.endWidth + Shape.hashWidth) }

    /// The range of a name's text.
    @inline(__always)
    private func place(of slot: Int, in block: Span<UInt8>) -> Range<Int> {
        precondition(slot >= 0 && slot < count, "no such name")
        let start = slot == 0 ? textStart : Shape.end(slot - 1, in: block)
        return start..<Shape.end(slot, in: block)
    }

    /// Hashes follow the ends, so that there are eight bytes.
    @inline(__always)
    private static func end(_ slot: Int, in block: Span<UInt8>) -> Int {
        Int(UInt32(truncatingIfNeeded: block.word(at: slot * endWidth)))
    }

    @inline(__always)
    private func hash(_ slot: Int, in block: Span<UInt8>) -> ContentHash {
        let place = count * Shape.endWidth + slot * Shape.hashWidth
        return ContentHash(high: block.word(at: place), low: block.word(at: place + 8))
    }

    /// A name as JSON text, with quotes and a colon.
    @inline(__always)
    func withText<Result>(of slot: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        let block = block
        let bytes = block.span
        return body(bytes.extracting(place(of: slot, in: bytes)))
    }

    @inline(__always)
    func hash(_ slot: Int) -> ContentHash {
        let block = block
        return hash(slot, in: block.span)
    }

    /// Calls `body` with each name's hash.
    @inline(__always)
    func forEachHash(_ body: (_ slot: Int, _ hash: ContentHash) -> Void) {
        let block = block
        let bytes = block.span
        for slot in 0..<count { body(slot, hash(slot, in: bytes)) }
    }

    func name(_ slot: Int) -> MemberName {
        if let escaped { return escaped[slot] }
        let block = block
        let bytes = block.span
        return MemberName(
            in: block, raw(place(of: slot, in: bytes)), hash: hash(slot, in: bytes))
    }

    var names: [MemberName] { escaped ?? (0..<count).map { name($0) } }

    func hasSameNames(as other: Shape) -> Bool {
        if self === other { return true }
        let (block, others) = (block, other.block)
        return block.span.hasSameBytes(as: others.span)
    }

    static let empty = Shape([])

    static func sortedPositions(_ keys: [MemberName]) -> [Int] {
        keys.indices.sorted { keys[$0] < keys[$1] }
    }

    /// Shapes for the leaves of a B-tree with these members; `ValueStack.group` cuts alike.
    static func parts(_ keys: [MemberName]) -> [Shape] {
        let most = Node.slotsMax(hasNames: true)
        let parts = (keys.count + most - 1) / most
        return (0..<parts).map { Shape(Array(keys[ValueStack.part($0, of: parts, keys.count)])) }
    }

    /// The index of `key`, if it is a member. O(members), which are few in one node.
    func index(of key: MemberName) -> Int? {
        let block = block
        let bytes = block.span
        for slot in 0..<count where hash(slot, in: bytes) == key.hash {
            if isName(key, slot, in: bytes) { return slot }
        }
        return nil
    }

    private func isName(_ key: MemberName, _ slot: Int, in block: Span<UInt8>) -> Bool {
        if let escaped { return escaped[slot] == key }
        let place = raw(place(of: slot, in: block))
        return key.withBytes { $0.hasSameBytes(as: block.extracting(place)) }
    }

    /// The range of a name in its text, if it has no escapes.
    private func raw(_ text: Range<Int>) -> Range<Int> {
        text.lowerBound + Shape.before..<text.upperBound - Shape.behind
    }
}
