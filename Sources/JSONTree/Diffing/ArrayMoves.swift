/// Elements with an identity that leave one array and appear in another one: they are moved there.
///
/// Both trees are walked once, by the pairs that `ArrayDiff` finds. Each element is moved to where
/// it belongs between those that stay in its new array, so that comparing what the moves make finds
/// it in its place. Not moved is what is there several times, what comes into an array that is new
/// itself, or into an element that moves. O(size of the arrays that differ · log n).
struct ArrayMoves {
    /// The identity of an element: the number of the name, and the value.
    struct Key: Hashable {
        let name: Int
        let value: JSON

        init?(_ element: JSON, _ names: [MemberName]) {
            guard case .object(let node) = element.storage else { return nil }
            for (index, name) in names.enumerated() {
                guard let value = node.value(for: name) else { continue }
                guard value.kind == .string || value.kind == .number else { continue }
                self.name = index
                self.value = value
                return
            }
            return nil
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value.contentHash)
        }
    }

    private enum Step: Hashable {
        case name(MemberName)
        case index(Int, array: Int)
    }

    /// An array of the old tree, with the elements removed and added until now.
    private struct Moving {
        var removed: FenwickTree
        var inserted: FenwickTree
        /// For each new element, the index in the old array before which it is inserted.
        var gaps: [Int] = []
        /// The number of equal elements at the front, which `gaps` leaves out.
        var prefix = 0

        func current(_ index: Int) -> Int {
            let before = gaps.partitioningIndex { $0 > index }
            return index - removed.sum(below: index) + inserted.sum(below: before)
        }

        func target(of index: Int) -> Int {
            let gap = gaps[index - prefix]
            return gap - removed.sum(below: gap) + inserted.sum(below: index - prefix)
        }
    }

    private struct Arrival {
        let array: Int
        let index: Int
    }

    private let names: [MemberName]
    private var arrays: [Moving] = []
    /// Where the arrays are in which something may arrive, in the old tree.
    private var places: [Int: [Step]] = [:]
    /// By key; `nil` for keys that occur several times.
    private var leaving: [Key: [Step]?] = [:]
    private var arriving: [Key: Arrival?] = [:]
    /// Deeper than this nothing is moved: the walk calls itself for each level.
    private static let depthMax = 512

    private init(_ names: [MemberName]) {
        self.names = names
    }

    /// Moves in `tree` what has another array in `target`; returns the moves.
    static func perform(
        on tree: inout JSON, to target: JSON, identityNames: [MemberName]
    ) -> [JSONEdit] {
        var moves = ArrayMoves(identityNames)
        moves.walk(tree, target, [])
        return moves.perform(on: &tree)
    }
}

// MARK: Finding

extension ArrayMoves {
    private mutating func walk(_ old: JSON, _ new: JSON, _ path: [Step]) {
        if old.isIdentical(to: new) || path.count > ArrayMoves.depthMax || old == new { return }
        switch (old.storage, new.storage) {
        case (.object(let before), .object(let after)):
            before.forEach { name, value in
                let inner = path + [.name(name)]
                if let next = after.value(for: name) {
                    walk(value, next, inner)
                } else {
                    leave(value, inner)
                }
            }
        case (.array(let before), .array(let after)):
            walk(ArrayDiff(before, after, names), count: before.count, path)
        default: leave(old, path)
        }
    }

    private mutating func walk(_ diff: ArrayDiff, count: Int, _ path: [Step]) {
        let array = arrays.count
        arrays.append(
            Moving(
                removed: FenwickTree(count: count),
                inserted: FenwickTree(count: diff.new.count), gaps: diff.gaps,
                prefix: diff.prefix))
        places[array] = path
        func inner(_ index: Int) -> [Step] { path + [.index(diff.prefix + index, array: array)] }
        for index in diff.old.indices where !diff.isTaken[index] {
            leave(element: diff.old[index], inner(index))
        }
        for (index, new) in diff.new.enumerated() {
            guard let from = diff.source[index] else {
                arrive(new, Arrival(array: array, index: diff.prefix + index))
                continue
            }
            let old = diff.old[from]
            if let key = Key(old, names), let other = Key(new, names), key != other {
                // Paired by place alone: each may be another's.
                note(key, inner(from))
                arrive(new, Arrival(array: array, index: diff.prefix + index))
            }
            walk(old, new, inner(from))
        }
    }

    /// All elements in a value that goes.
    private mutating func leave(_ value: JSON, _ path: [Step]) {
        if path.count > ArrayMoves.depthMax { return }
        switch value.storage {
        case .object(let node): node.forEach { leave($1, path + [.name($0)]) }
        case .array(let node):
            let array = arrays.count
            arrays.append(
                Moving(
                    removed: FenwickTree(count: node.count), inserted: FenwickTree(count: 0)))
            var index = 0
            node.forEach { element in
                leave(element: element, path + [.index(index, array: array)])
                index += 1
            }
        default: break
        }
    }

    private mutating func leave(element: JSON, _ path: [Step]) {
        if let key = Key(element, names) { note(key, path) }
        leave(element, path)
    }

    private mutating func note(_ key: Key, _ path: [Step]) {
        leaving[key] = leaving[key] == nil ? .some(path) : .some(nil)
    }

    private mutating func arrive(_ element: JSON, _ arrival: Arrival) {
        guard let key = Key(element, names) else { return }
        arriving[key] = arriving[key] == nil ? .some(arrival) : .some(nil)
    }
}

// MARK: Moving

extension ArrayMoves {
    private struct Move {
        let from: [Step]
        let to: Arrival
    }

    /// The moves, the innermost first: so only moves of neighbours change the path to a value.
    private func found() -> [Move] {
        var moves: [Move] = []
        for case (let key, .some(let from)) in leaving {
            guard case .some(.some(let to)) = arriving[key] else { continue }
            if case .index(_, to.array)? = from.last { continue }
            moves.append(Move(from: from, to: to))
        }
        let moving = Set(moves.compactMap(\.from.last))
        moves.removeAll { move in places[move.to.array]?.contains(where: moving.contains) ?? true }
        return moves.sorted { one, other in
            (other.from.count, one.to.array, one.to.index)
                < (one.from.count, other.to.array, other.to.index)
        }
    }

    private mutating func perform(on tree: inout JSON) -> [JSONEdit] {
        var edits: [JSONEdit] = []
        for move in found() {
            guard case .index(let index, let array)? = move.from.last,
                let place = places[move.to.array]
            else { continue }
            let from = pointer(move.from)
            arrays[array].removed.add(1, at: index)
            let target = arrays[move.to.array].target(of: move.to.index)
            let edit = JSONEdit.move(from: from, to: pointer(place).appending(target))
            guard (try? tree.apply(edit)) != nil else { return edits }
            arrays[move.to.array].inserted.add(1, at: move.to.index - arrays[move.to.array].prefix)
            edits.append(edit)
        }
        return edits
    }

    /// Where it is now.
    private func pointer(_ path: [Step]) -> JSONPointer {
        JSONPointer(
            tokens: path.map { step in
                switch step {
                case .name(let name): name
                case .index(let index, let array):
                    MemberName(String(arrays[array].current(index)))
                }
            })
    }
}
