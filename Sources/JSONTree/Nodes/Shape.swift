/// The names of an object's members, in the order in which they were written.
///
/// Objects that were read with the same names in the same order share one shape, and then hold
/// nothing but values.
final class Shape: Sendable {
    let keys: [MemberName]
    /// The names' hashes, in one piece of memory: this is where a name is looked for.
    let hashes: [ContentHash]
    /// The names as JSON text, each with quotes and a colon.
    let text: [UInt8]
    /// Where each name ends in `text`.
    let ends: [Int]

    init(_ keys: [MemberName]) {
        self.keys = keys
        hashes = keys.map(\.hash)
        var text: [UInt8] = []
        var ends: [Int] = []
        for key in keys {
            text.append(0x22)
            let bytes = key.bytes
            Quoting.append(bytes.span, to: &text)
            text.append(0x22)
            text.append(UInt8(ascii: ":"))
            ends.append(text.count)
        }
        self.text = text
        self.ends = ends
    }

    static let empty = Shape([])

    static func sortedPositions(_ keys: [MemberName]) -> [Int] {
        keys.indices.sorted { keys[$0] < keys[$1] }
    }

    /// Shapes for the leaves of a B-tree with these members; `ValueStack.group` cuts alike.
    static func parts(_ keys: [MemberName]) -> [Shape] {
        let parts = (keys.count + Node.slotsMax - 1) / Node.slotsMax
        return (0..<parts).map { Shape(Array(keys[ValueStack.part($0, of: parts, keys.count)])) }
    }

    /// Where `key` stands, if it is a member. O(members), which are few in one node.
    func index(of key: MemberName) -> Int? {
        let hash = key.hash
        for index in hashes.indices where hashes[index] == hash && keys[index] == key {
            return index
        }
        return nil
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies `predicate`, given that all after it do too.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
