/// Compares two arrays: first what is equal at both ends, then element by element.
///
/// Elements are matched by content hash, then by identity. The longest run of matched elements in
/// the same order stays; the others move. Unmatched elements between fixed ones are matched by
/// place. O(n log n) for any input.
struct ArrayDiff {
    let old: [JSON]
    let new: [JSON]
    /// The number of equal elements at the front, which `old` and `new` leave out.
    let prefix: Int
    /// For each new element the old one that it comes from, and the reverse.
    private(set) var source: [Int?]
    private(set) var isTaken: [Bool]
    /// New elements whose source stays in its place.
    private var isFixed: [Bool]

    init(_ before: ArrayNode, _ after: ArrayNode, _ identityNames: [MemberName]) {
        var (old, new) = (ContiguousArray<JSON>(), ContiguousArray<JSON>())
        before.forEach { old.append($0) }
        after.forEach { new.append($0) }
        let common = min(old.count, new.count)
        var front = 0
        while front < common && old[front] == new[front] { front += 1 }
        var back = 0
        while back < common - front && old[old.count - 1 - back] == new[new.count - 1 - back] {
            back += 1
        }
        self.old = Array(old[front..<(old.count - back)])
        self.new = Array(new[front..<(new.count - back)])
        prefix = front
        source = Array(repeating: nil, count: self.new.count)
        isTaken = Array(repeating: false, count: self.old.count)
        isFixed = Array(repeating: false, count: self.new.count)
        match { $0.contentHash }
        for name in identityNames {
            match { value in
                guard case .object(let node) = value.storage else { return nil }
                return node.value(for: name)?.contentHash
            }
        }
        fixLongestRun()
        matchByPlace()
    }

    /// For each new element where it belongs between the old ones that stay: the index in the whole
    /// old array of the first one that is behind it.
    var gaps: [Int] {
        var gap = prefix
        return new.indices.map { index in
            defer { if isFixed[index], let from = source[index] { gap = prefix + from + 1 } }
            return gap
        }
    }

    /// Pairs the k-th old with the k-th new element that have the same key.
    private mutating func match(_ key: (JSON) -> ContentHash?) {
        var waiting: [ContentHash: [Int]] = [:]
        for index in old.indices.reversed() where !isTaken[index] {
            if let key = key(old[index]) { waiting[key, default: []].append(index) }
        }
        for index in new.indices where source[index] == nil {
            guard let key = key(new[index]), let from = waiting[key]?.popLast() else { continue }
            source[index] = from
            isTaken[from] = true
        }
    }

    /// Fixes the longest increasing run of sources.
    private mutating func fixLongestRun() {
        var tails: [Int] = []
        var previous = [Int?](repeating: nil, count: new.count)
        for index in new.indices {
            guard let from = source[index] else { continue }
            let place = tails.partitioningIndex { (source[$0] ?? 0) >= from }
            previous[index] = place > 0 ? tails[place - 1] : nil
            if place == tails.count { tails.append(index) } else { tails[place] = index }
        }
        var next = tails.last
        while let index = next {
            isFixed[index] = true
            next = previous[index]
        }
    }

    /// Pairs what is unmatched between two neighbouring fixed elements, in order.
    private mutating func matchByPlace() {
        var oldStart = 0
        var gap: [Int] = []
        for index in new.indices {
            if isFixed[index], let from = source[index] {
                pair(gap, with: oldStart..<max(oldStart, from))
                oldStart = from + 1
                gap = []
            } else if source[index] == nil {
                gap.append(index)
            }
        }
        pair(gap, with: oldStart..<max(oldStart, old.count))
    }

    private mutating func pair(_ gap: [Int], with range: Range<Int>) {
        var candidates = range.filter { !isTaken[$0] }.makeIterator()
        for index in gap {
            guard let from = candidates.next() else { return }
            source[index] = from
            isFixed[index] = true
            isTaken[from] = true
        }
    }
}

extension ArrayDiff {
    /// Removals from the back, then moves and additions from the front, then changes inside
    /// elements.
    mutating func append(
        to result: inout WeighedEdits, at pointer: JSONPointer, _ diff: inout TreeDiff
    ) {
        for index in old.indices.reversed() where !isTaken[index] {
            result.append(.remove(pointer.appending(prefix + index), old[index]))
        }
        arrange(at: pointer, &result)
        for index in new.indices {
            guard let from = source[index], old[from] != new[index] else { continue }
            diff.compare(old[from], new[index], at: pointer.appending(prefix + index), &result)
        }
    }

    /// Puts every element into its final place.
    ///
    /// While it runs, the array consists of the elements already placed, each right behind its
    /// predecessor, and of those still waiting at their old places: fixed ones whose turn has not
    /// come, and stray ones that will move.
    private func arrange(at pointer: JSONPointer, _ result: inout WeighedEdits) {
        var strays = FenwickTree(count: old.count)
        var fixedBefore = [Int](repeating: 0, count: old.count + 1)
        for index in new.indices {
            guard let from = source[index] else { continue }
            if isFixed[index] { fixedBefore[from + 1] = 1 } else { strays.add(1, at: from) }
        }
        for index in old.indices { fixedBefore[index + 1] += fixedBefore[index] }
        let fixedPlaces = new.indices.filter { isFixed[$0] }
        var lastFixed = -1
        for index in new.indices {
            guard let from = source[index] else {
                let place = index + strays.sum(below: lastFixed + 1)
                result.append(.add(pointer.appending(prefix + place), new[index]))
                continue
            }
            if isFixed[index] {
                lastFixed = from
                continue
            }
            let rank = fixedBefore[from]
            let isAhead = from > lastFixed
            let placedBefore = isAhead ? index : fixedPlaces[rank]
            let waitingFixed = isAhead ? rank - fixedBefore[lastFixed + 1] : 0
            let origin = placedBefore + waitingFixed + strays.sum(below: from)
            strays.add(-1, at: from)
            let place = index + strays.sum(below: lastFixed + 1)
            guard origin != place else { continue }
            result.append(
                .move(
                    from: pointer.appending(prefix + origin), to: pointer.appending(prefix + place))
            )
        }
    }
}

/// Sums over a prefix of a sequence of counts, in O(log n).
struct FenwickTree {
    private var sums: [Int]

    init(count: Int) {
        sums = Array(repeating: 0, count: count + 1)
    }

    mutating func add(_ amount: Int, at index: Int) {
        var node = index + 1
        while node < sums.count {
            sums[node] += amount
            node += node & -node
        }
    }

    func sum(below end: Int) -> Int {
        var node = end
        var total = 0
        while node > 0 {
            total += sums[node]
            node -= node & -node
        }
        return total
    }
}
