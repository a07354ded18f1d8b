extension JSON {
    /// Whether both are written alike, compared piece by piece. O(n); what both share is skipped.
    func hasSameContent(as other: JSON) -> Bool {
        var comparison = Comparison()
        guard comparison.isSame(self, other) else { return false }
        while let (left, right) = comparison.tall.popLast() {
            guard comparison.haveSameParts(left, right) else { return false }
        }
        return true
    }

    /// Whether both are the same scalar. Each text has one representation, so others differ.
    fileprivate func isSameScalar(as other: JSON) -> Bool {
        switch (storage, other.storage) {
        case (.number(let left), .number(let right)): left.bytes == right.bytes
        case (.string(let left), .string(let right)): left === right || left.isEqual(to: right)
        case (.rope(let left), .rope(let right)): left === right || left.bytes == right.bytes
        default: isShared(with: other)
        }
    }
}

/// A comparison of two trees. It calls itself for each level, up to a height; what is taller waits.
private struct Comparison {
    /// Pairs of containers that are to be compared yet.
    var tall: [(left: Node, right: Node)] = []
    private static let heightMax = 256

    /// Whether both are the same, except for the pairs that wait.
    mutating func isSame(_ left: JSON, _ right: JSON) -> Bool {
        switch (left.storage, right.storage) {
        case (.array(let left), .array(let right)): isSame(left.node, right.node)
        case (.object(let left), .object(let right)): isSame(left.node, right.node)
        default: left.isSameScalar(as: right)
        }
    }

    private mutating func isSame(_ left: Node, _ right: Node) -> Bool {
        if left === right { return true }
        guard left.height > Comparison.heightMax else { return haveSameParts(left, right) }
        tall.append((left, right))
        return true
    }

    /// The same for the elements or members of two arrays, or of two objects.
    mutating func haveSameParts(_ left: Node, _ right: Node) -> Bool {
        guard left.count == right.count else { return false }
        if let known = haveSameSlots(left, right) { return known }
        return left.isObject
            ? haveSameMembers(ObjectNode(left), ObjectNode(right))
            : haveSameElements(ArrayNode(left), ArrayNode(right))
    }

    /// The same for two nodes that are cut alike and have the same names in the same order; `nil`
    /// for others.
    private mutating func haveSameSlots(_ left: Node, _ right: Node) -> Bool? {
        if left === right { return true }
        guard left.level == right.level, left.slotCount == right.slotCount,
            left.count == right.count
        else { return nil }
        guard left.level == 0 else { return haveSameChildren(left, right) }
        if left.isObject && !left.shape.hasSameNames(as: right.shape) {
            return nil
        }
        return left.withSlots { left in
            right.withSlots { right in
                for slot in left.indices {
                    guard isSame(left[slot], right[slot]) else { return false }
                }
                return true
            }
        }
    }

    private mutating func haveSameChildren(_ left: Node, _ right: Node) -> Bool? {
        for slot in 0..<left.slotCount {
            guard let left = left[slot].node, let right = right[slot].node,
                let isSame = haveSameSlots(left, right)
            else { return nil }
            if !isSame { return false }
        }
        return true
    }

    private mutating func haveSameElements(_ left: ArrayNode, _ right: ArrayNode) -> Bool {
        var others: [JSON] = []
        others.reserveCapacity(right.count)
        right.forEach { others.append($0) }
        var (index, isSame) = (0, true)
        left.forEach { element in
            isSame = isSame && self.isSame(element, others[index])
            index += 1
        }
        return isSame
    }

    private mutating func haveSameMembers(_ left: ObjectNode, _ right: ObjectNode) -> Bool {
        var isSame = true
        left.forEach { name, value in
            guard isSame else { return }
            isSame = right.value(for: name).map { self.isSame(value, $0) } ?? false
        }
        return isSame
    }
}
