extension JSON {
    /// Changes the value at `tokens`, in place where the path has no other reference. Returns
    /// `nil`, without calling `body`, if there is no such value.
    ///
    /// If `body` throws, it has left its value as it was. O(length of the pointer · log n).
    mutating func modify<Result, Failure: Error>(
        _ tokens: ArraySlice<MemberName>, _ body: (inout JSON) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var path = ModifiedPath(reserving: tokens.count)
        var value = self
        // Let go, or this reference would make every node below look shared.
        self = .null
        let isFound = tokens.allSatisfy { path.descend(&value, $0) }
        defer { self = path.ascend(value) }
        return isFound ? try body(&value) : nil
    }
}

/// The nodes between a value and a place inside it that is being changed. Each one's slot is empty
/// until the changed value comes back.
private struct ModifiedPath {
    private struct Step {
        let node: Node
        let slot: Int
        /// The slot's contribution before the change.
        let old: Contribution
        /// The number of elements behind the slot.
        let following: Int
    }

    private var steps: [Step] = []

    init(reserving count: Int) {
        steps.reserveCapacity(2 * count)
    }

    /// Goes from a container to its element or member; returns whether there is one.
    mutating func descend(_ value: inout JSON, _ token: MemberName) -> Bool {
        guard let start = ModifiedPath.start(value, token) else { return false }
        return descend(&value, levels: start.level, start.index, token)
    }

    /// A function of its own, so that no reference to the container is left when it returns.
    private static func start(_ value: JSON, _ token: MemberName) -> (level: UInt8, index: Int)? {
        guard let container = value.node else { return nil }
        if container.isObject { return (container.level, 0) }
        return token.index(below: container.count).map { (container.level, $0) }
    }

    private mutating func descend(
        _ value: inout JSON, levels: UInt8, _ index: Int, _ token: MemberName
    ) -> Bool {
        var index = index
        for _ in 0...levels {
            guard var node = value.node else { return false }
            let slot: Int
            var start = index
            if node.isObject {
                let found = node.level > 0 ? node.slot(for: token) : node.shape.index(of: token)
                guard let found else { return false }
                slot = found
            } else if node.level > 0 {
                slot = node.locate(&index)
                start -= index
            } else {
                slot = index
            }
            value = .null
            if !isKnownUniquelyReferenced(&node) { node = node.copy() }
            value = node.exchange(slot, with: .null)
            let old = node.contribution(of: value, in: slot)
            let following = node.isObject ? 0 : node.count - start - old.count
            steps.append(Step(node: node, slot: slot, old: old, following: following))
        }
        return true
    }

    /// Puts the changed value, and then each node, back into its place.
    mutating func ascend(_ changed: JSON) -> JSON {
        var value = changed
        while let step = steps.popLast() {
            let node = step.node
            let new = node.contribution(of: value, in: step.slot)
            _ = node.exchange(step.slot, with: value)
            node.replaced(step.old, by: new, following: step.following)
            value = node.isObject ? JSON(.object(ObjectNode(node))) : JSON(.array(ArrayNode(node)))
        }
        return value
    }
}
