/// The members of an object: one node with a shape up to 128 members, above that a B-tree of nodes
/// sorted by name.
///
/// Editing copies one path and shares the rest.
// @unchecked: a node changes only while one single reference to it exists.
struct ObjectNode: @unchecked Sendable {
    /// Up to here members keep the order in which they were written.
    static let flatMax = 128

    let node: Node

    init(_ node: Node) {
        self.node = node
    }

    static let empty: ObjectNode = {
        var nothing = ValueStack()
        return flat(.empty, &nothing)
    }()

    /// An object of the topmost values, one for each name of `shape`.
    static func flat(_ shape: Shape, _ values: inout ValueStack) -> ObjectNode {
        ObjectNode(
            Node.make(
                isObject: true, level: 0, shape: shape, taking: shape.count, from: &values))
    }

    /// An object of these names, without duplicates, and the topmost values.
    static func build(_ keys: [MemberName], _ values: inout ValueStack) -> ObjectNode {
        if keys.isEmpty { return .empty }
        if keys.count <= flatMax { return flat(Shape(keys), &values) }
        let start = values.count - keys.count
        let order = Shape.sortedPositions(keys)
        var sorted = ValueStack()
        for place in order { sorted.push(values[start + place]) }
        for _ in keys { _ = values.pop() }
        return wide(order.map { keys[$0] }, &sorted)
    }

    /// A B-tree of these sorted names and all of the values.
    private static func wide(_ keys: [MemberName], _ values: inout ValueStack) -> ObjectNode {
        values.group(from: 0, isObject: true, level: 0, shapes: Shape.parts(keys))
        return values.root(from: 0, isObject: true, level: 1).map(ObjectNode.init) ?? .empty
    }

    var count: Int { node.count }

    /// Whether members are in the order of their names, in a B-tree.
    var isWide: Bool { node.level > 0 }
}

extension ObjectNode {
    func value(for key: MemberName) -> JSON? {
        var node = node
        while node.level > 0 {
            guard let child = node[node.slot(for: key)].node else { return nil }
            node = child
        }
        return node.shape.index(of: key).map { node[$0] }
    }

    func forEach(_ body: (MemberName, JSON) -> Void) {
        node.forEachLeaf { leaf in
            let shape = leaf.shape
            leaf.withSlots { slots in
                for slot in slots.indices { body(shape.name(slot), slots[slot]) }
            }
        }
    }

    /// Names and values in two lists.
    private var parts: (keys: [MemberName], values: [JSON]) {
        var (keys, values): ([MemberName], [JSON]) = ([], [])
        forEach {
            keys.append($0)
            values.append($1)
        }
        return (keys, values)
    }

    /// The object with member `key` set: in its place if it exists, otherwise as the last one.
    func setting(_ key: MemberName, to value: JSON) -> ObjectNode {
        if isWide { return edited(key) { $0.insertSorted(key, value) } }
        if let slot = node.shape.index(of: key) {
            var values = ValueStack()
            values.push(0..<slot, of: node)
            values.push(value)
            values.push((slot + 1)..<node.slotCount, of: node)
            return .flat(node.shape, &values)
        }
        var values = ValueStack()
        values.push(0..<node.slotCount, of: node)
        values.push(value)
        return .build(node.shape.names + [key], &values)
    }

    /// The object without member `key`, which it has.
    func removing(_ key: MemberName) -> ObjectNode {
        if isWide {
            let result = edited(key) { $0.remove(key) }
            if result.count > ObjectNode.flatMax || !result.isWide { return result }
            let parts = result.parts
            var values = ValueStack(parts.values)
            return .flat(Shape(parts.keys), &values)
        }
        guard let slot = node.shape.index(of: key) else { return self }
        var values = ValueStack()
        values.push(0..<slot, of: node)
        values.push((slot + 1)..<node.slotCount, of: node)
        var keys = node.shape.names
        keys.remove(at: slot)
        return .build(keys, &values)
    }

    /// The members of one leaf while it is edited.
    private struct Leaf {
        var keys: [MemberName]
        var values: [JSON]

        mutating func insertSorted(_ key: MemberName, _ value: JSON) {
            let place = keys.partitioningIndex { !($0 < key) }
            if place < keys.count && keys[place] == key {
                values[place] = value
            } else {
                keys.insert(key, at: place)
                values.insert(value, at: place)
            }
        }

        mutating func remove(_ key: MemberName) {
            guard let place = keys.firstIndex(of: key) else { return }
            keys.remove(at: place)
            values.remove(at: place)
        }
    }

    private func edited(_ key: MemberName, _ edit: (inout Leaf) -> Void) -> ObjectNode {
        var values = ValueStack()
        ObjectNode.rebuild(node, key, &values, edit)
        let root = values.root(from: 0, isObject: true, level: node.level + 1)
        return root.map(ObjectNode.init) ?? .empty
    }

    /// Pushes what replaces a node when the leaf that `key` belongs to is edited.
    private static func rebuild(
        _ node: Node, _ key: MemberName, _ values: inout ValueStack, _ edit: (inout Leaf) -> Void
    ) {
        let start = values.count
        if node.level > 0 {
            node.rebuild(node.slot(for: key), &values) { child, values in
                rebuild(child, key, &values, edit)
            }
            return values.group(from: start, isObject: true, level: node.level)
        }
        let content = ObjectNode(node).parts
        var leaf = Leaf(keys: content.keys, values: content.values)
        edit(&leaf)
        for value in leaf.values { values.push(value) }
        values.group(from: start, isObject: true, level: 0, shapes: Shape.parts(leaf.keys))
    }
}

extension Node {
    /// The child in whose range `key` lies.
    func slot(for key: MemberName) -> Int {
        max(0, (0..<slotCount).partitioningIndex { key < firstKey(below: $0) } - 1)
    }

    private func firstKey(below slot: Int) -> MemberName {
        guard var node = self[slot].node else { preconditionFailure("not a node") }
        while node.level > 0, let child = node[0].node { node = child }
        return node.shape.name(0)
    }
}

extension Node {
    /// The leaves of two B-trees that are not in both, in order. O(k log n) if one was made from
    /// the other by k edits.
    static func unsharedLeaves(_ left: Node, _ right: Node) -> (left: [Node], right: [Node]) {
        var (left, right) = ([left], [right])
        while true {
            let level = max(left.first?.level ?? 0, right.first?.level ?? 0)
            // Nodes of one level only can be the same ones.
            let (before, after) = (Set(left.map(ObjectIdentifier.init)), right)
            right.removeAll { before.contains(ObjectIdentifier($0)) }
            let others = Set(after.map(ObjectIdentifier.init))
            left.removeAll { others.contains(ObjectIdentifier($0)) }
            if level == 0 { return (left, right) }
            left = left.flatMap { $0.level == level ? $0.children : [$0] }
            right = right.flatMap { $0.level == level ? $0.children : [$0] }
        }
    }

    private var children: [Node] { (0..<slotCount).compactMap { self[$0].node } }
}
