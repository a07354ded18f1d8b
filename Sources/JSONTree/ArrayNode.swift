/// The elements of an array: one node up to 32 elements, above that a counted B-tree of such nodes.
///
/// Editing copies one path and shares the rest.
// @unchecked: `slots` and the aggregates change only through `modify`, which first makes sure that
// nobody else refers to the node.
final class ArrayNode: @unchecked Sendable {
    /// Small, because a copied slot costs a retain, and retains are the cost of a tree.
    static let slotsMax = 32
    private static let slotsMin = 8

    /// Elements on level 0; above it, the nodes one level below, as `.array`.
    private(set) var slots: ContiguousArray<JSON>
    let level: Int
    /// The number of elements.
    private(set) var count = 0
    /// The length as JSON text, each element with one comma, without brackets.
    private(set) var contentBytes = 0
    /// How deeply containers nest, this one included.
    private(set) var height = 1
    private(set) var polynomial = Polynomial()

    private init(_ slots: ContiguousArray<JSON>, level: Int) {
        self.slots = slots
        self.level = level
        summarize()
    }

    /// A copy with the same aggregates, for changing one slot of it.
    private init(copying other: ArrayNode) {
        slots = other.slots
        level = other.level
        count = other.count
        contentBytes = other.contentBytes
        height = other.height
        polynomial = other.polynomial
    }

    private func summarize() {
        var sequence = Polynomial()
        contentBytes = 0
        if level == 0 {
            let key = HashKey.current
            height = 1
            count = slots.count
            for slot in slots {
                let hash = slot.contentHash
                sequence.append(hash.high, hash.low, key: key)
                contentBytes += slot.byteCount + 1
                height = max(height, slot.height + 1)
            }
        } else {
            count = 0
            for slot in slots {
                let child = slot.arrayNode
                sequence.append(child.polynomial)
                contentBytes += child.contentBytes
                height = max(height, child.height)
                count += child.count
            }
        }
        polynomial = sequence
    }

    static let empty = ArrayNode([], level: 0)

    static func build(_ elements: ContiguousArray<JSON>) -> ArrayNode {
        if elements.isEmpty { return empty }
        if elements.count <= slotsMax { return ArrayNode(elements, level: 0) }
        let leaves = evenParts(of: elements.count).map {
            JSON(.array(ArrayNode(ContiguousArray(elements[$0]), level: 0)))
        }
        return root(of: ContiguousArray(leaves), level: 1)
    }

    /// `count` slots cut into nearly equal parts of at most `slotsMax`.
    static func evenParts(of count: Int) -> [Range<Int>] {
        let parts = (count + slotsMax - 1) / slotsMax
        return (0..<parts).map { (count * $0 / parts)..<(count * ($0 + 1) / parts) }
    }

    /// The one node above `slots`, however many levels it takes.
    private static func root(of slots: ContiguousArray<JSON>, level: Int) -> ArrayNode {
        var slots = slots
        var level = level
        while slots.count > slotsMax {
            slots = ContiguousArray(cut(slots, level: level).map { JSON(.array($0)) })
            level += 1
        }
        if level > 0 && slots.count == 1 { return slots[0].arrayNode }
        return ArrayNode(slots, level: slots.isEmpty ? 0 : level)
    }

    private static func cut(_ slots: ContiguousArray<JSON>, level: Int) -> [ArrayNode] {
        if slots.count <= slotsMax { return slots.isEmpty ? [] : [ArrayNode(slots, level: level)] }
        return evenParts(of: slots.count).map {
            ArrayNode(ContiguousArray(slots[$0]), level: level)
        }
    }
}

extension ArrayNode {
    func element(at index: Int) -> JSON {
        var node = self
        var index = index
        while node.level > 0 {
            let slot = node.locate(&index)
            node = node.slots[slot].arrayNode
        }
        return node.slots[index]
    }

    /// The child that holds element `index`, which becomes the index inside it.
    private func locate(_ index: inout Int) -> Int {
        for (slot, value) in slots.enumerated() {
            let count = value.arrayNode.count
            if index < count || slot == slots.count - 1 { return slot }
            index -= count
        }
        preconditionFailure("an inner node has children")
    }

    func forEach(_ body: (JSON) -> Void) {
        forEachLeaf { $0.slots.forEach(body) }
    }

    /// The nodes of level 0 in order.
    func forEachLeaf(_ body: (ArrayNode) -> Void) {
        if level == 0 { return body(self) }
        for slot in slots { slot.arrayNode.forEachLeaf(body) }
    }

    func inserting(_ element: JSON, at index: Int) -> ArrayNode {
        edited(at: index) { slots, local in slots.insert(element, at: local) }
    }

    func removing(at index: Int) -> ArrayNode {
        edited(at: index) { slots, local in slots.remove(at: local) }
    }

    private typealias LeafEdit = (inout ContiguousArray<JSON>, Int) -> Void

    private func edited(at index: Int, _ edit: LeafEdit) -> ArrayNode {
        let nodes = parts(editing: index, edit)
        return ArrayNode.root(
            of: ContiguousArray(nodes.map { JSON(.array($0)) }), level: level + 1)
    }

    /// What replaces this node when a leaf below it is edited: no node, one, or two.
    private func parts(editing index: Int, _ edit: LeafEdit) -> [ArrayNode] {
        var slots = slots
        guard level > 0 else {
            edit(&slots, index)
            return ArrayNode.cut(slots, level: 0)
        }
        var local = index
        let slot = locate(&local)
        let replacement = slots[slot].arrayNode.parts(editing: local, edit)
        slots.replaceSubrange(slot...slot, with: replacement.map { JSON(.array($0)) })
        if let only = replacement.first, replacement.count == 1 {
            ArrayNode.mergeSmall(only, at: slot, in: &slots)
        }
        return ArrayNode.cut(slots, level: level)
    }

    /// Joins a node that has become small to a neighbour, so that nodes stay filled.
    private static func mergeSmall(
        _ node: ArrayNode, at slot: Int, in slots: inout ContiguousArray<JSON>
    ) {
        guard node.slots.count < slotsMin, slots.count > 1 else { return }
        let left = slot > 0 ? slot - 1 : slot
        let joined = slots[left].arrayNode.slots + slots[left + 1].arrayNode.slots
        let nodes = cut(joined, level: node.level).map { JSON(.array($0)) }
        slots.replaceSubrange(left...(left + 1), with: nodes)
    }

    /// Changes element `index`, in place where nobody else refers to the path to it.
    ///
    /// If `body` throws, it has left its value as it was.
    static func modify<Result, Failure: Error>(
        _ node: inout ArrayNode, at index: Int,
        _ body: (inout JSON) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !isKnownUniquelyReferenced(&node) { node = ArrayNode(copying: node) }
        var local = index
        let slot = node.level == 0 ? index : node.locate(&local)
        // Taken out of its slot, or the slot's own reference would make every child look shared.
        var value = node.slots[slot]
        node.slots[slot] = .null
        defer {
            node.slots[slot] = value
            node.summarize()
        }
        if node.level == 0 { return try body(&value) }
        var child = value.takeArrayNode()
        defer { value = JSON(.array(child)) }
        return try modify(&child, at: local, body)
    }
}

extension JSON {
    /// The node of a slot that is known to hold one.
    var arrayNode: ArrayNode {
        guard case .array(let node) = storage else { preconditionFailure("not an array node") }
        return node
    }

    /// The same, leaving `null` behind, so that the caller holds the only reference.
    mutating func takeArrayNode() -> ArrayNode {
        let node = arrayNode
        self = .null
        return node
    }
}
