/// The member names and shapes met while one text is read.
///
/// It lives as long as the parse, so nothing that clients send can make it grow for good.
struct NameTable {
    private var keys: [ContentHash: MemberName] = [:]
    private var shapes: [ContentHash: Shape] = [:]
    /// The shape of the last object closed at each depth: the next one there is likely alike.
    private var expected: [Shape] = []

    /// The names of one object as they come in: so far like an expected shape, or a list of their
    /// own.
    struct Members {
        fileprivate var expected: Shape = .empty
        fileprivate var matched = 0
        fileprivate var isExpected = true
        fileprivate var keys: [MemberName] = []
        fileprivate var offsets: [Int] = []
    }

    func begin(depth: Int) -> Members {
        var members = Members()
        if depth < expected.count { members.expected = expected[depth] }
        return members
    }

    mutating func add(_ name: ArraySlice<UInt8>, at offset: Int, to members: inout Members) {
        if members.isExpected {
            let shape = members.expected
            if members.matched < shape.keys.count,
                shape.keys[members.matched].bytes[...] == name
            {
                members.matched += 1
                return
            }
            members.isExpected = false
            members.keys = Array(shape.keys[..<members.matched])
            members.offsets = Array(repeating: 0, count: members.matched)
        }
        members.keys.append(key(name))
        members.offsets.append(offset)
    }

    private mutating func key(_ name: ArraySlice<UInt8>) -> MemberName {
        let hash = MemberName.hash(name)
        if let known = keys[hash] { return known }
        let key = MemberName(Array(name))
        keys[hash] = key
        return key
    }

    mutating func object(
        _ members: Members, _ values: ContiguousArray<JSON>, depth: Int
    ) throws(JSONParseError) -> ObjectNode {
        if values.isEmpty { return .empty }
        if members.isExpected && members.matched == members.expected.keys.count {
            return ObjectNode(members.expected, values)
        }
        let keys =
            members.isExpected ? Array(members.expected.keys[..<members.matched]) : members.keys
        if keys.count > ObjectNode.flatMax {
            try NameTable.checkDuplicates(keys, members.offsets)
            return ObjectNode.wide(keys, values)
        }
        let shape = try shape(keys, members.offsets)
        while expected.count <= depth { expected.append(.empty) }
        expected[depth] = shape
        return ObjectNode(shape, values)
    }

    private mutating func shape(_ keys: [MemberName], _ offsets: [Int]) throws(JSONParseError)
        -> Shape
    {
        var sequence = Polynomial()
        let secret = HashKey.current
        for key in keys { sequence.append(key.hash.high, key.hash.low, key: secret) }
        let hash = sequence.hash(.key, count: keys.count)
        if let known = shapes[hash] { return known }
        try NameTable.checkDuplicates(keys, offsets)
        let shape = Shape(keys)
        shapes[hash] = shape
        return shape
    }

    private static func checkDuplicates(
        _ keys: [MemberName], _ offsets: [Int]
    ) throws(JSONParseError) {
        let order = Shape.sortedPositions(keys)
        for (left, right) in zip(order, order.dropFirst()) where keys[left] == keys[right] {
            let offset = offsets.isEmpty ? 0 : offsets[max(left, right)]
            throw JSONParseError(reason: .duplicateKey, offset: offset)
        }
    }
}
