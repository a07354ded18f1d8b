// The parts of a value that it does not share with the value that it was made from: code that has
// facts about one gets those of the other by reading these parts alone.

extension JSON {
    /// Whether both are one node, or small values that are written alike. O(1); false says nothing.
    package func isShared(with other: JSON) -> Bool {
        switch (storage, other.storage) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.decimal(let left, let scale), .decimal(let right, let other)):
            left == right && scale == other
        case (.short(let left), .short(let right)): left == right
        default: isIdentical(to: other)
        }
    }

    /// A member, and what it was before.
    package typealias UnsharedMember = (name: MemberName, value: JSON, before: JSON?)
    /// An element, and what was at its index before.
    package typealias UnsharedElement = (index: Int, value: JSON, before: JSON?)

    /// The members of an object that another one does not share: all, if that is none; `nil` if
    /// this is none. O(what differs · log n) for large ones.
    package func members(since before: JSON?) -> [UnsharedMember]? {
        guard case .object(let new) = storage else { return nil }
        var result: [UnsharedMember] = []
        guard case .object(let old)? = before?.storage else {
            result.reserveCapacity(new.count)
            new.forEach { result.append(($0, $1, nil)) }
            return result
        }
        if new.isWide && old.isWide {
            let leaves = Node.unsharedLeaves(old.node, new.node)
            JSON.compareSorted(leaves.right, leaves.left, &result)
        } else if !new.isWide && !old.isWide && new.node.shape.hasSameNames(as: old.node.shape) {
            for slot in 0..<new.count where !new.node[slot].isShared(with: old.node[slot]) {
                result.append((new.node.shape.name(slot), new.node[slot], old.node[slot]))
            }
        } else {
            new.forEach { name, value in
                let before = old.value(for: name)
                if let before, value.isShared(with: before) { return }
                result.append((name, value, before))
            }
        }
        return result
    }

    /// Goes through the sorted members of two lists of leaves in step.
    private static func compareSorted(
        _ new: [Node], _ old: [Node], _ result: inout [UnsharedMember]
    ) {
        var rest = LeafMembers(old)
        var (name, value) = rest.next()
        for leaf in new {
            let shape = leaf.shape
            for slot in 0..<leaf.slotCount {
                let here = shape.name(slot)
                while let former = name, former != here, former < here {
                    (name, value) = rest.next()
                }
                guard let former = name, former == here, let before = value else {
                    result.append((here, leaf[slot], nil))
                    continue
                }
                if !leaf[slot].isShared(with: before) {
                    result.append((here, leaf[slot], before))
                }
            }
        }
    }

    /// The elements of an array that another one does not share: all, if the other value is not an
    /// array; `nil` if this one is not. Elements that only moved are shared. O(differences · log n
    /// + n / 32).
    package func elements(since before: JSON?) -> [UnsharedElement]? {
        guard case .array(let new) = storage else { return nil }
        guard case .array(let old)? = before?.storage else {
            return elements?.enumerated().map { ($0, $1, nil) }
        }
        let leaves = Node.unsharedLeaves(old.node, new.node)
        var shared: Set<ObjectIdentifier> = []
        for leaf in leaves.left {
            for slot in 0..<leaf.slotCount {
                if let node = leaf[slot].node { shared.insert(ObjectIdentifier(node)) }
            }
        }
        var result: [UnsharedElement] = []
        let wanted = Set(leaves.right.map(ObjectIdentifier.init))
        new.node.forEachLeaf(of: wanted, at: 0) { leaf, start in
            for slot in 0..<leaf.slotCount {
                let (value, index) = (leaf[slot], start + slot)
                if let node = value.node, shared.contains(ObjectIdentifier(node)) { continue }
                let before: JSON? = index < old.count ? old.element(at: index) : nil
                if let before, value.isShared(with: before) { continue }
                result.append((index, value, before))
            }
        }
        return result
    }
}

/// The members of leaves, one after the other.
private struct LeafMembers {
    private let leaves: [Node]
    private var leaf = 0
    private var slot = 0

    init(_ leaves: [Node]) {
        self.leaves = leaves
    }

    mutating func next() -> (name: MemberName?, value: JSON?) {
        while leaf < leaves.count, slot == leaves[leaf].slotCount { (leaf, slot) = (leaf + 1, 0) }
        guard leaf < leaves.count else { return (nil, nil) }
        defer { slot += 1 }
        return (leaves[leaf].shape.name(slot), leaves[leaf][slot])
    }
}

extension Node {
    /// The leaves of an array that are wanted, each with the index of its first element.
    /// O(nodes above leaves).
    fileprivate func forEachLeaf(
        of wanted: Set<ObjectIdentifier>, at start: Int, _ body: (Node, Int) -> Void
    ) {
        if level == 0 {
            if wanted.contains(ObjectIdentifier(self)) { body(self, start) }
            return
        }
        var start = start
        for slot in 0..<slotCount {
            guard let child = self[slot].node else { continue }
            child.forEachLeaf(of: wanted, at: start, body)
            start += child.count
        }
    }
}
