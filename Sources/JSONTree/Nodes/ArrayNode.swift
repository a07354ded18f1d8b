/// The elements of an array: one node up to 32 elements, above that a counted B-tree of nodes.
///
/// Editing copies one path and shares the rest.
// @unchecked: a node changes only while one single reference to it exists.
struct ArrayNode: @unchecked Sendable {
    let node: Node

    init(_ node: Node) {
        self.node = node
    }

    static let empty: ArrayNode = {
        var nothing = ValueStack()
        return build(&nothing, from: 0)
    }()

    /// An array of the values above `start`, which `values` loses.
    static func build(_ values: inout ValueStack, from start: Int) -> ArrayNode {
        let total = values.count - start
        if total <= Node.slotsMax(hasNames: false) {
            return ArrayNode(
                Node.make(isObject: false, level: 0, shape: nil, taking: total, from: &values))
        }
        values.group(from: start, isObject: false, level: 0)
        return values.root(from: start, isObject: false, level: 1).map(ArrayNode.init) ?? .empty
    }

    var count: Int { node.count }

    func element(at index: Int) -> JSON {
        var node = node
        var local = index
        while node.level > 0 {
            let slot = node.locate(&local)
            guard let child = node[slot].node else { preconditionFailure("not a node") }
            node = child
        }
        return node[local]
    }

    func forEach(_ body: (JSON) -> Void) {
        node.forEachLeaf { leaf in
            leaf.withSlots { slots in
                for slot in slots.indices { body(slots[slot]) }
            }
        }
    }

    func inserting(_ element: JSON, at index: Int) -> ArrayNode {
        edited(at: index) { leaf, local, values in
            values.push(0..<local, of: leaf)
            values.push(element)
            values.push(local..<leaf.slotCount, of: leaf)
        }
    }

    func removing(at index: Int) -> ArrayNode {
        edited(at: index) { leaf, local, values in
            values.push(0..<local, of: leaf)
            values.push((local + 1)..<leaf.slotCount, of: leaf)
        }
    }

    /// Pushes what replaces a leaf's slots.
    private typealias LeafEdit = (Node, Int, inout ValueStack) -> Void

    private func edited(at index: Int, _ edit: LeafEdit) -> ArrayNode {
        var values = ValueStack()
        ArrayNode.rebuild(node, index, &values, edit)
        let root = values.root(from: 0, isObject: false, level: node.level + 1)
        return root.map(ArrayNode.init) ?? .empty
    }

    /// Pushes what replaces a node when a leaf below it is edited: no node, one, or two.
    private static func rebuild(
        _ node: Node, _ index: Int, _ values: inout ValueStack, _ edit: LeafEdit
    ) {
        let start = values.count
        var local = index
        if node.level == 0 {
            edit(node, local, &values)
        } else {
            let slot = node.locate(&local)
            node.rebuild(slot, &values) { child, values in rebuild(child, local, &values, edit) }
        }
        values.group(from: start, isObject: false, level: node.level)
    }
}

extension Node {
    /// The child that holds element `index`, which becomes the index inside it.
    func locate(_ index: inout Int) -> Int {
        withSlots { slots in
            for slot in slots.indices {
                let count = slots[slot].node?.count ?? 0
                if index < count || slot == slots.count - 1 { return slot }
                index -= count
            }
            preconditionFailure("an inner node has children")
        }
    }

    /// The nodes of level 0 in order.
    func forEachLeaf(_ body: (Node) -> Void) {
        if level == 0 { return body(self) }
        for slot in 0..<slotCount { self[slot].node?.forEachLeaf(body) }
    }

    /// Pushes the children, with those that `edit` pushes in the place of the one in `slot`. A
    /// child that has become small joins a neighbour, so that nodes stay filled.
    func rebuild(
        _ slot: Int, _ values: inout ValueStack, _ edit: (Node, inout ValueStack) -> Void
    ) {
        guard let child = self[slot].node else { preconditionFailure("not a node") }
        let start = values.count
        var next = slot + 1
        values.push(0..<slot, of: self)
        edit(child, &values)
        let isOne = values.count == start + slot + 1
        if isOne, let small = values.pop() {
            let least = Node.slotsMin(hasNames: small.node?.hasNames ?? false)
            let isSmall = (small.node?.slotCount ?? 0) < least && slotCount > 1
            if !isSmall {
                values.push(small)
            } else if let left = slot > 0 ? values.pop() : nil {
                values.pushJoined(left, small)
            } else {
                values.pushJoined(small, self[next])
                next += 1
            }
        }
        values.push(next..<slotCount, of: self)
    }
}

extension ValueStack {
    /// Pushes one or two nodes that hold the slots of both.
    fileprivate mutating func pushJoined(_ left: JSON, _ right: JSON) {
        guard let first = left.node, let second = right.node else { return }
        let start = count
        push(0..<first.slotCount, of: first)
        push(0..<second.slotCount, of: second)
        let names = first.hasNames ? first.shape.names + second.shape.names : []
        group(
            from: start, isObject: first.isObject, level: first.level, shapes: Shape.parts(names))
    }
}
