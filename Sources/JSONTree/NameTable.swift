/// The member names and shapes met while one text is read.
///
/// It lives as long as the parse, so nothing that clients send can make it grow for good.
struct NameTable {
    private var keys = HashTable<MemberName>()
    private var shapes = HashTable<Shape>()
    /// The shapes of the last objects closed at each depth: the next one there is likely alike.
    private var expected: [RecentShapes] = []

    private struct RecentShapes {
        private static let countMax = 4
        var shapes: [Shape] = []

        mutating func note(_ shape: Shape) {
            guard !shapes.contains(where: { $0 === shape }) else { return }
            if shapes.count == RecentShapes.countMax { shapes.removeLast() }
            shapes.insert(shape, at: 0)
        }
    }

    /// The names of one object as they come in: so far like an expected shape, or a list of their
    /// own.
    struct Members {
        fileprivate var depth = 0
        fileprivate var expected: Shape = .empty
        fileprivate var matched = 0
        fileprivate var isExpected = true
        fileprivate var keys: [MemberName] = []
        fileprivate var offsets: [Int] = []
    }

    func begin(depth: Int) -> Members {
        var members = Members()
        members.depth = depth
        return members
    }

    mutating func add(_ name: ArraySlice<UInt8>, at offset: Int, to members: inout Members) {
        if members.isExpected {
            if members.matched == 0 { expect(name, &members) }
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

    /// By its first name an object tells which of the recent shapes it may have.
    private func expect(_ name: ArraySlice<UInt8>, _ members: inout Members) {
        guard members.depth < expected.count else { return }
        for shape in expected[members.depth].shapes where shape.keys[0].bytes[...] == name {
            members.expected = shape
            return
        }
    }

    private mutating func key(_ name: ArraySlice<UInt8>) -> MemberName {
        let hash = MemberName.hash(name)
        if let known = keys[hash] { return known }
        let key = MemberName(Array(name))
        keys.insert(key, for: hash)
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
        while expected.count <= depth { expected.append(RecentShapes()) }
        expected[depth].note(shape)
        return ObjectNode(shape, values)
    }

    private mutating func shape(_ keys: [MemberName], _ offsets: [Int]) throws(JSONParseError)
        -> Shape
    {
        let secret = HashKey.current
        var (high, low) = (secret.mixA, secret.mixB)
        for key in keys {
            high = HashKey.fold(high ^ key.hash.high, secret.mixC)
            low = HashKey.fold(low ^ key.hash.low, secret.mixD) ^ high
        }
        let hash = secret.hash(.key, high, low)
        if let known = shapes[hash] { return known }
        try NameTable.checkDuplicates(keys, offsets)
        let shape = Shape(keys)
        shapes.insert(shape, for: hash)
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

/// A small map from content hashes, which need no hashing of their own.
private struct HashTable<Value> {
    private var slots: [(hash: ContentHash, value: Value)?] = []
    private var count = 0

    subscript(hash: ContentHash) -> Value? {
        slots.isEmpty ? nil : slots[place(of: hash)]?.value
    }

    /// Where a hash stands, or would.
    private func place(of hash: ContentHash) -> Int {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hash.low) & mask
        while let slot = slots[place], slot.hash != hash { place = (place + 1) & mask }
        return place
    }

    mutating func insert(_ value: Value, for hash: ContentHash) {
        if count * 2 >= slots.count {
            let old = slots
            slots = Array(repeating: nil, count: max(16, old.count * 2))
            for case let slot? in old { slots[place(of: slot.hash)] = slot }
        }
        slots[place(of: hash)] = (hash: hash, value: value)
        count += 1
    }
}
