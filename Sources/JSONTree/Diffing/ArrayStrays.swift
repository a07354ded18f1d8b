/// The keys of elements that leave an array or appear in one: they show whether elements move, but
/// not where. O(size of the removed elements).
struct ArrayStrays {
    private(set) var leaving: Set<ArrayMoves.Key> = []
    private(set) var arriving: Set<ArrayMoves.Key> = []

    mutating func add(_ diff: ArrayDiff, _ names: [MemberName]) {
        for index in diff.old.indices where !diff.isTaken[index] {
            if let key = ArrayMoves.Key(diff.old[index], names) { leaving.insert(key) }
            leave(diff.old[index], names)
        }
        for (index, new) in diff.new.enumerated() {
            guard let key = ArrayMoves.Key(new, names) else { continue }
            guard let from = diff.source[index] else {
                arriving.insert(key)
                continue
            }
            // Paired by place alone: each may be another's.
            guard let other = ArrayMoves.Key(diff.old[from], names), other != key else { continue }
            leaving.insert(other)
            arriving.insert(key)
        }
    }

    /// Adds all elements in a value that goes.
    mutating func leave(_ value: JSON, _ names: [MemberName]) {
        var pending = [value]
        while let value = pending.popLast() {
            switch value.storage {
            case .object(let node): node.forEach { pending.append($1) }
            case .array(let node):
                node.forEach { element in
                    if let key = ArrayMoves.Key(element, names) { leaving.insert(key) }
                    pending.append(element)
                }
            default: break
            }
        }
    }
}
