/// The names of an object's members, in the order in which they were written.
///
/// Objects that were read with the same names in the same order share one shape, and then hold
/// nothing but values.
final class Shape: Sendable {
    let keys: [MemberName]
    /// The length of all names as JSON text, each with quotes and a colon.
    let quotedCount: Int
    /// Positions in the order of the names' bytes; empty where `keys` is short enough to search.
    private let order: [UInt8]

    private static let linearMax = 8

    init(_ keys: [MemberName]) {
        self.keys = keys
        quotedCount = keys.reduce(0) { $0 + $1.quotedCount + 1 }
        order = keys.count <= Shape.linearMax ? [] : Shape.sortedPositions(keys).map(UInt8.init)
    }

    static let empty = Shape([])

    static func sortedPositions(_ keys: [MemberName]) -> [Int] {
        keys.indices.sorted { keys[$0] < keys[$1] }
    }

    /// Where `key` stands, if it is a member.
    func index(of key: MemberName) -> Int? {
        if order.isEmpty { return keys.firstIndex { $0 == key } }
        let place = order.partitioningIndex { !(keys[Int($0)] < key) }
        guard place < order.count, keys[Int(order[place])] == key else { return nil }
        return Int(order[place])
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
