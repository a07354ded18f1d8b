/// The members of an object: one node with a shape up to 128 members, above that a B-tree of nodes
/// sorted by name.
///
/// Editing copies one path and shares the rest.
// @unchecked: `slots` and the aggregates change only through `modify`, which first makes sure that
// nobody else refers to the node.
final class ObjectNode: @unchecked Sendable {
    /// Up to here members keep the order in which they were written.
    static let flatMax = 128
    static let slotsMax = 32
    private static let slotsMin = 8

    /// The names, on level 0.
    let shape: Shape
    /// Values on level 0, in the shape's order; above it, the nodes one level below, as `.object`.
    private(set) var slots: ContiguousArray<JSON>
    let level: Int
    /// The number of members.
    private(set) var count = 0
    /// The length as JSON text, each member with one comma, without braces.
    private(set) var contentBytes = 0
    /// How deeply containers nest, this one included.
    private(set) var height = 1
    /// A sum over all members, so that their order does not count.
    private var sum = MemberSum()

    init(_ shape: Shape, _ slots: ContiguousArray<JSON>) {
        self.shape = shape
        self.slots = slots
        level = 0
        summarize()
    }

    private init(children: ContiguousArray<JSON>, level: Int) {
        shape = .empty
        slots = children
        self.level = level
        summarize()
    }

    /// A copy with the same aggregates, for changing one slot of it.
    private init(copying other: ObjectNode) {
        shape = other.shape
        slots = other.slots
        level = other.level
        count = other.count
        contentBytes = other.contentBytes
        height = other.height
        sum = other.sum
    }

    static let empty = ObjectNode(.empty, [])

    private func summarize() {
        sum = MemberSum()
        height = 1
        if level == 0 {
            count = slots.count
            contentBytes = shape.quotedCount
            for (key, value) in zip(shape.keys, slots) {
                sum.add(key, value)
                contentBytes += value.byteCount + 1
                height = max(height, value.height + 1)
            }
        } else {
            count = 0
            contentBytes = 0
            for slot in slots {
                let child = slot.objectNode
                sum.add(child.sum)
                contentBytes += child.contentBytes
                height = max(height, child.height)
                count += child.count
            }
        }
    }

    var contentHash: ContentHash {
        HashKey.current.hash(.object, sum.high ^ UInt64(count), sum.low)
    }
}

/// The order-free hash of a set of members.
struct MemberSum: Equatable {
    private(set) var high: UInt64 = 0
    private(set) var low: UInt64 = 0

    @inline(__always)
    private static func mix(_ name: MemberName, _ value: JSON) -> (high: UInt64, low: UInt64) {
        let secret = HashKey.current
        let hash = value.contentHash
        return (
            HashKey.fold(name.hash.high ^ secret.mixA, hash.high ^ secret.mixB),
            HashKey.fold(name.hash.low ^ secret.mixC, hash.low ^ secret.mixD)
        )
    }

    mutating func add(_ name: MemberName, _ value: JSON) {
        let mixed = MemberSum.mix(name, value)
        high &+= mixed.high
        low &+= mixed.low
    }

    mutating func remove(_ name: MemberName, _ value: JSON) {
        let mixed = MemberSum.mix(name, value)
        high &-= mixed.high
        low &-= mixed.low
    }

    mutating func add(_ other: MemberSum) {
        high &+= other.high
        low &+= other.low
    }
}

extension ObjectNode {
    func value(for key: MemberName) -> JSON? {
        var node = self
        while node.level > 0 { node = node.slots[node.slot(for: key)].objectNode }
        return node.shape.index(of: key).map { node.slots[$0] }
    }

    /// The child in whose range `key` lies.
    private func slot(for key: MemberName) -> Int {
        max(0, slots.partitioningIndex { key < $0.objectNode.firstKey } - 1)
    }

    private var firstKey: MemberName {
        var node = self
        while node.level > 0 { node = node.slots[0].objectNode }
        return node.shape.keys[0]
    }

    func forEach(_ body: (MemberName, JSON) -> Void) {
        forEachLeaf { leaf in
            for (key, value) in zip(leaf.shape.keys, leaf.slots) { body(key, value) }
        }
    }

    /// The nodes of level 0 in order.
    func forEachLeaf(_ body: (ObjectNode) -> Void) {
        if level == 0 { return body(self) }
        for slot in slots { slot.objectNode.forEachLeaf(body) }
    }

    func allSatisfy(_ predicate: (MemberName, JSON) -> Bool) -> Bool {
        if level == 0 { return zip(shape.keys, slots).allSatisfy(predicate) }
        return slots.allSatisfy { $0.objectNode.allSatisfy(predicate) }
    }

    /// The object with member `key` set: in its place if it exists, otherwise as the last one.
    func setting(_ key: MemberName, to value: JSON) -> ObjectNode {
        if level > 0 {
            return edited(key) { leaf in leaf.settingSorted(key, value) }
        }
        if let index = shape.index(of: key) {
            var values = slots
            values[index] = value
            return ObjectNode(shape, values)
        }
        let keys = shape.keys + [key]
        let values = slots + [value]
        return keys.count > ObjectNode.flatMax
            ? ObjectNode.wide(keys, values) : ObjectNode(Shape(keys), values)
    }

    private func settingSorted(_ key: MemberName, _ value: JSON) -> (
        keys: [MemberName], values: ContiguousArray<JSON>
    ) {
        var keys = shape.keys
        var values = slots
        let place = keys.partitioningIndex { !($0 < key) }
        if place < keys.count && keys[place] == key {
            values[place] = value
        } else {
            keys.insert(key, at: place)
            values.insert(value, at: place)
        }
        return (keys, values)
    }

    /// The object without member `key`, which it has.
    func removing(_ key: MemberName) -> ObjectNode {
        let node = level == 0 ? self : edited(key) { $0.withoutMember(key) }
        if level > 0 { return node.count <= ObjectNode.flatMax ? node.flattened : node }
        let rest = withoutMember(key)
        return ObjectNode(Shape(rest.keys), rest.values)
    }

    private func withoutMember(_ key: MemberName) -> (
        keys: [MemberName], values: ContiguousArray<JSON>
    ) {
        guard let index = shape.index(of: key) else { return (shape.keys, slots) }
        var keys = shape.keys
        var values = slots
        keys.remove(at: index)
        values.remove(at: index)
        return (keys, values)
    }

    private var flattened: ObjectNode {
        var keys: [MemberName] = []
        var values: ContiguousArray<JSON> = []
        forEach {
            keys.append($0)
            values.append($1)
        }
        return ObjectNode(Shape(keys), values)
    }
}

extension ObjectNode {
    /// A B-tree of more members than a flat node holds, in any order, without duplicates.
    static func wide(_ keys: [MemberName], _ values: ContiguousArray<JSON>) -> ObjectNode {
        let order = Shape.sortedPositions(keys)
        return root(
            of: leaves(order.map { keys[$0] }, ContiguousArray(order.map { values[$0] })), level: 1)
    }

    private static func leaves(_ keys: [MemberName], _ values: ContiguousArray<JSON>)
        -> ContiguousArray<JSON>
    {
        ContiguousArray(
            ArrayNode.evenParts(of: keys.count).map { range in
                let node = ObjectNode(Shape(Array(keys[range])), ContiguousArray(values[range]))
                return JSON(.object(node))
            })
    }

    private static func root(of slots: ContiguousArray<JSON>, level: Int) -> ObjectNode {
        var slots = slots
        var level = level
        while slots.count > slotsMax {
            slots = cut(slots, level: level)
            level += 1
        }
        if slots.isEmpty { return .empty }
        return slots.count == 1 ? slots[0].objectNode : ObjectNode(children: slots, level: level)
    }

    private static func cut(_ slots: ContiguousArray<JSON>, level: Int) -> ContiguousArray<JSON> {
        ContiguousArray(
            ArrayNode.evenParts(of: slots.count).map {
                JSON(.object(ObjectNode(children: ContiguousArray(slots[$0]), level: level)))
            })
    }

    private typealias LeafEdit = (ObjectNode) -> (keys: [MemberName], values: ContiguousArray<JSON>)

    private func edited(_ key: MemberName, _ edit: LeafEdit) -> ObjectNode {
        ObjectNode.root(of: parts(editing: key, edit), level: level + 1)
    }

    /// What replaces this node when the leaf that `key` belongs to is edited.
    private func parts(editing key: MemberName, _ edit: LeafEdit) -> ContiguousArray<JSON> {
        guard level > 0 else {
            let (keys, values) = edit(self)
            return ObjectNode.leaves(keys, values)
        }
        var slots = slots
        let slot = slot(for: key)
        let replacement = slots[slot].objectNode.parts(editing: key, edit)
        slots.replaceSubrange(slot...slot, with: replacement)
        if replacement.count == 1 {
            ObjectNode.mergeSmall(replacement[0].objectNode, at: slot, in: &slots)
        }
        return slots.isEmpty ? [] : ObjectNode.cut(slots, level: level)
    }

    private static func mergeSmall(
        _ node: ObjectNode, at slot: Int, in slots: inout ContiguousArray<JSON>
    ) {
        guard node.slots.count < slotsMin, slots.count > 1 else { return }
        let left = slot > 0 ? slot - 1 : slot
        let (first, second) = (slots[left].objectNode, slots[left + 1].objectNode)
        let joined = first.slots + second.slots
        let nodes =
            node.level == 0
            ? leaves(first.shape.keys + second.shape.keys, joined) : cut(joined, level: node.level)
        slots.replaceSubrange(left...(left + 1), with: nodes)
    }

    /// Changes the value of member `key`, in place where nobody else refers to the path to it.
    /// Returns `nil`, without calling `body`, if there is no such member.
    ///
    /// If `body` throws, it has left its value as it was.
    static func modify<Result, Failure: Error>(
        _ node: inout ObjectNode, _ key: MemberName,
        _ body: (inout JSON) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let index = node.level == 0 ? node.shape.index(of: key) : node.slot(for: key)
        guard let index else { return nil }
        if !isKnownUniquelyReferenced(&node) { node = ObjectNode(copying: node) }
        // Taken out of its slot, or the slot's own reference would make every child look shared.
        var value = node.slots[index]
        node.slots[index] = .null
        if node.level == 0 {
            node.withdraw(value, index)
            let heightBefore = value.height
            defer { node.restore(value, index, heightBefore: heightBefore) }
            return try body(&value)
        }
        defer {
            node.slots[index] = value
            node.summarize()
        }
        var child = value.takeObjectNode()
        defer { value = JSON(.object(child)) }
        return try modify(&child, key, body)
    }

    /// Takes a value out of the aggregates.
    private func withdraw(_ value: JSON, _ index: Int) {
        sum.remove(shape.keys[index], value)
        contentBytes -= value.byteCount
    }

    /// Puts a value into its slot and into the aggregates.
    private func restore(_ value: JSON, _ index: Int, heightBefore: Int) {
        slots[index] = value
        sum.add(shape.keys[index], value)
        contentBytes += value.byteCount
        if value.height >= heightBefore {
            height = max(height, value.height + 1)
        } else if heightBefore + 1 == height {
            height = slots.reduce(1) { max($0, $1.height + 1) }
        }
    }
}

extension JSON {
    /// The node of a slot that is known to hold one.
    var objectNode: ObjectNode {
        guard case .object(let node) = storage else { preconditionFailure("not an object node") }
        return node
    }

    /// The same, leaving `null` behind, so that the caller holds the only reference.
    mutating func takeObjectNode() -> ObjectNode {
        let node = objectNode
        self = .null
        return node
    }
}
