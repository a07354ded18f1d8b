extension JSON {
    /// Whether both are written alike, compared piece by piece. O(n); what both share is skipped.
    /// Never recurses.
    func hasSameContent(as other: JSON) -> Bool {
        var pairs = [(left: self, right: other)]
        while let (left, right) = pairs.popLast() {
            if left.isIdentical(to: right) { continue }
            switch (left.storage, right.storage) {
            case (.array(let left), .array(let right)):
                guard JSON.push(left, right, &pairs) else { return false }
            case (.object(let left), .object(let right)):
                guard JSON.push(left, right, &pairs) else { return false }
            default:
                guard left.isSameScalar(as: right) else { return false }
            }
        }
        return true
    }

    private typealias Pairs = [(left: JSON, right: JSON)]

    /// Compares the elements of two arrays, and pushes those that have parts themselves. Returns
    /// `false` if the arrays differ.
    private static func push(_ left: ArrayNode, _ right: ArrayNode, _ pairs: inout Pairs) -> Bool {
        guard left.count == right.count else { return false }
        var others: [JSON] = []
        others.reserveCapacity(right.count)
        right.forEach { others.append($0) }
        var (index, isSame) = (0, true)
        left.forEach { element in
            isSame = isSame && push(element, others[index], &pairs)
            index += 1
        }
        return isSame
    }

    private static func push(_ left: ObjectNode, _ right: ObjectNode, _ pairs: inout Pairs) -> Bool
    {
        guard left.count == right.count else { return false }
        var isSame = true
        left.forEach { key, value in
            guard isSame, let other = right.value(for: key) else {
                isSame = false
                return
            }
            isSame = push(value, other, &pairs)
        }
        return isSame
    }

    private static func push(_ left: JSON, _ right: JSON, _ pairs: inout Pairs) -> Bool {
        guard left.isContainer && right.isContainer else { return left.isSameScalar(as: right) }
        pairs.append((left, right))
        return true
    }

    /// Whether both are the same scalar. Each text has one representation, so others differ.
    private func isSameScalar(as other: JSON) -> Bool {
        switch (storage, other.storage) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.decimal(let left, let scale), .decimal(let right, let other)):
            left == right && scale == other
        case (.number(let left), .number(let right)): left.bytes == right.bytes
        case (.short(let left), .short(let right)): left == right
        case (.string(let left), .string(let right)): left === right || left.isEqual(to: right)
        case (.rope(let left), .rope(let right)): left === right || left.bytes == right.bytes
        default: false
        }
    }
}
