extension PersistentArray where Element: Equatable {
    /// The same elements, of which the first are taken from `packed`: that was made from
    /// `original`, which is this array, or one that this array was made from.
    ///
    /// `nil` if more than a quarter of these differ: then storing them twice saves nothing.
    /// O(what differs), where it was made from it.
    public func adopting(
        _ packed: any PackedElements<Element>, madeFrom original: PersistentArray
    ) -> PersistentArray? {
        guard packed !== original.packed, packed.count <= Swift.min(count, original.count),
            let places = places(changedSince: original, below: packed.count)
        else { return nil }
        let changes = places.filter { self[$0] != original[$0] }
        guard changes.count <= packed.count / 4 else { return nil }
        var result = PersistentArray(packed: packed)
        for place in changes { result.changed.set(place, self[place]) }
        for place in packed.count..<count { result.append(self[place]) }
        return result
    }

    /// Where an element may be another one than in `original`: parts that both share are the same.
    private func places(changedSince original: PersistentArray, below end: Int) -> Set<Int>? {
        guard original.packed === self.packed, packedCount == original.packedCount,
            shift >= original.shift
        else { return nil }
        var places = Set(changed.places + original.changed.places).filter { $0 < end }
        var (node, level) = (root, shift)
        while level > original.shift {
            guard case .inner(let children) = node, let first = children.first else { return nil }
            node = first
            level -= PersistentArray.bits
        }
        var found = ChangedPlaces(offset: packedCount)
        found.add(node, original.root, at: 0, shift: level)
        places.formUnion(found.places.filter { $0 < end })
        let shared = packedCount + Swift.min(treeCount, original.treeCount)
        if shared < end { places.formUnion(shared..<end) }
        return places
    }

    /// Finds places below two nodes that do not share their storage.
    private struct ChangedPlaces {
        let offset: Int
        var places: [Int] = []

        mutating func add(_ node: Node, _ original: Node, at index: Int, shift: Int) {
            switch (node, original) {
            case (.leaf(let elements), .leaf(let others)):
                if elements.isStored(where: others) { return }
                places += (0..<Swift.min(elements.count, others.count)).map { offset + index + $0 }
            case (.inner(let children), .inner(let others)):
                if children.isStored(where: others) { return }
                for place in 0..<Swift.min(children.count, others.count) {
                    add(
                        children[place], others[place], at: index + place << shift,
                        shift: shift - PersistentArray.bits)
                }
            default: preconditionFailure("both are at one height")
            }
        }
    }
}

extension ContiguousArray {
    /// Whether both are one piece of memory, and so have the same elements.
    fileprivate func isStored(where other: ContiguousArray) -> Bool {
        span.isIdentical(to: other.span)
    }
}

extension PersistentArray: Equatable where Element: Equatable {
    /// Whether both have the same elements. O(n); O(1) for copies.
    public static func == (left: PersistentArray, right: PersistentArray) -> Bool {
        left.elementsEqual(right)
    }
}
