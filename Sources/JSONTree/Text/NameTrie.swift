/// The member names and shapes met while one text is read, as a trie of names.
///
/// A path from the top is a list of names in the order in which some object had them; its end knows
/// the shape. Every step remembers where it led last, so an object like an earlier one costs a
/// comparison of bytes for each name. The trie lives as long as the parse: nothing that clients
/// send can make it grow for good.
struct NameTrie {
    /// A step: one more name.
    private struct Step {
        let name: Int
        /// The name as it is written first, with its quotes.
        let written: Range<Int>
        let parent: Int
        let depth: Int
        /// The step taken last from here, or -1.
        var likely = -1
        /// The first step taken last by an object inside this member's value, or -1.
        var likelyInside = -1
        var shape: Shape?
    }

    /// A name, and where its bytes end.
    private struct Name {
        let end: Int
        /// For tables.
        let hash: ContentHash
        let content: ContentHash
    }

    static let top = 0
    private static let searchedMax = 8

    private var steps: [Step] = []
    private var children = HashTable<Int>()
    private var places = HashTable<Int>()
    /// All names, one behind the other.
    private var bytes: [UInt8] = []
    private var names: [Name] = []

    /// The bytes of names that are expected.
    private static let bytesExpected = 64

    init() {
        steps.reserveCapacity(NameTrie.searchedMax)
        steps.append(Step(name: -1, written: 0..<0, parent: -1, depth: 0))
    }

    func depth(of step: Int) -> Int { steps[step].depth }

    /// The next step, if the text at `start` is the name that it took last.
    @inline(__always)
    mutating func likelyStep(
        after step: Int, inside context: Int, in text: Span<UInt8>, at start: Int
    ) -> (step: Int, end: Int)? {
        let next = step == NameTrie.top ? steps[context].likelyInside : steps[step].likely
        guard next >= 0 else { return nil }
        let written = steps[next].written
        let end = start + written.count
        guard end <= text.count, text.repeats(written, at: start) else { return nil }
        return (next, end)
    }

    /// The step for a name, which is new after `step` or was taken before; `nil` if the object has
    /// that name already.
    mutating func step(
        after step: Int, inside context: Int, _ place: Int, written: Range<Int>
    ) -> Int? {
        let next: Int
        if let known = child(of: step, place) {
            next = known
        } else {
            guard !contains(place, upTo: step) else { return nil }
            next = steps.count
            let depth = steps[step].depth + 1
            steps.append(Step(name: place, written: written, parent: step, depth: depth))
            remember(next)
        }
        if step == NameTrie.top { steps[context].likelyInside = next }
        steps[step].likely = next
        return next
    }

    private func child(of step: Int, _ place: Int) -> Int? {
        if children.isEmpty {
            return steps.firstIndex { $0.parent == step && $0.name == place }
        }
        return children[NameTrie.edge(step, place)]
    }

    /// Few steps are searched one by one; a table begins to pay when there are more.
    private mutating func remember(_ step: Int) {
        guard steps.count > NameTrie.searchedMax else { return }
        for index in (children.isEmpty ? 1 : step)...step {
            children.insert(index, for: NameTrie.edge(steps[index].parent, steps[index].name))
        }
    }

    private static func edge(_ step: Int, _ place: Int) -> ContentHash {
        ContentHash(high: UInt64(step), low: UInt64(place))
    }

    private func contains(_ place: Int, upTo step: Int) -> Bool {
        var step = step
        while step != NameTrie.top {
            if steps[step].name == place { return true }
            step = steps[step].parent
        }
        return false
    }

    /// The place of a name in the list of all names.
    mutating func place(of name: Span<UInt8>) -> Int {
        let hash = HashKey.tables.hash(.key, name)
        let known = places.isEmpty ? names.firstIndex { $0.hash == hash } : places[hash]
        // That two names of one text have the same hash under a random key does not happen.
        if let known { return known }
        if names.isEmpty {
            names.reserveCapacity(NameTrie.searchedMax)
            bytes.reserveCapacity(NameTrie.bytesExpected)
        }
        for index in name.indices { bytes.append(name[index]) }
        names.append(Name(end: bytes.count, hash: hash, content: MemberName.hash(name)))
        if names.count > NameTrie.searchedMax {
            for index in (places.isEmpty ? 0 : names.count - 1)..<names.count {
                places.insert(index, for: names[index].hash)
            }
        }
        return names.count - 1
    }

    /// A name as a part of all. It must be let go before the next name comes: otherwise all would
    /// be copied then.
    func name(_ place: Int) -> MemberName {
        let start = place == 0 ? 0 : names[place - 1].end
        return MemberName(in: bytes, start..<names[place].end, hash: names[place].content)
    }

    /// The places of the names on the way to `step`, in order.
    func path(to step: Int) -> [Int] {
        var path = [Int](repeating: 0, count: steps[step].depth)
        var step = step
        for index in path.indices.reversed() {
            path[index] = steps[step].name
            step = steps[step].parent
        }
        return path
    }

    /// The shape of an object that ends at `step`.
    mutating func shape(at step: Int) -> Shape {
        if let shape = steps[step].shape { return shape }
        let shape = step == NameTrie.top ? Shape.empty : Shape(path(to: step).map { name($0) })
        steps[step].shape = shape
        return shape
    }
}

/// A small map from hashes, which need no hashing of their own.
private struct HashTable<Value> {
    private var slots: [(hash: ContentHash, value: Value)?] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(hash: ContentHash) -> Value? {
        slots.isEmpty ? nil : slots[place(of: hash)]?.value
    }

    /// The place of a hash, or the place where it would be inserted.
    private func place(of hash: ContentHash) -> Int {
        let mask = slots.count - 1
        let mixed = HashKey.fold(hash.low ^ hash.high &<< 32, 0x9e37_79b9_7f4a_7c15)
        var place = Int(truncatingIfNeeded: mixed) & mask
        while let slot = slots[place], slot.hash != hash { place = (place + 1) & mask }
        return place
    }

    mutating func insert(_ value: Value, for hash: ContentHash) {
        if count * 2 >= slots.count {
            let old = slots
            slots = Array(repeating: nil, count: max(16, old.count * 2))
            for case let slot? in old { slots[place(of: slot.hash)] = slot }
        }
        slots[place(of: hash)] = (hash: hash, value: value)
        count += 1
    }
}
