// What a value does not share with the one that it was made from: whoever knows something of the
// one learns the same of the other by looking at that alone.

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
        let leaves =
            new.isWide && old.isWide ? Node.unsharedLeaves(old.node, new.node).right : [new.node]
        for leaf in leaves {
            ObjectNode(leaf).forEach { name, value in
                let before = old.value(for: name)
                if let before, value.isShared(with: before) { return }
                result.append((name, value, before))
            }
        }
        return result
    }

    /// The elements of an array that another one does not share: all, if that is none; `nil` if
    /// this is none. What only moved is shared. O(what differs · log n + n / 32).
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
