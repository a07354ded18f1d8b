/// Numbers by the names that lead to places.
package struct PlaceTrie: Sendable {
    private struct Node {
        var next: [MemberName: Int] = [:]
        /// The numbers added at this place.
        var here: [Int] = []
        /// The numbers added at this place or in it.
        var inside: [Int] = []
    }

    private var nodes = [Node()]

    /// A trie without numbers.
    package init() {}

    /// Adds a number. O(names).
    package mutating func add(_ number: Int, at names: some Sequence<MemberName>) {
        var node = 0
        nodes[node].inside.append(number)
        for name in names {
            node = child(of: node, name)
            nodes[node].inside.append(number)
        }
        nodes[node].here.append(number)
    }

    private mutating func child(of node: Int, _ name: MemberName) -> Int {
        if let known = nodes[node].next[name] { return known }
        nodes.append(Node())
        nodes[node].next[name] = nodes.count - 1
        return nodes.count - 1
    }

    /// The numbers at a place, in it or around it; repeated if they were added repeatedly. O(names
    /// and numbers).
    package func numbers(meeting names: some Sequence<MemberName>) -> [Int] {
        var found: [Int] = []
        var node = 0
        for name in names {
            found += nodes[node].here
            guard let next = nodes[node].next[name] else { return found }
            node = next
        }
        return found + nodes[node].inside
    }

    /// Whether something is at a place, or in it. O(names).
    package func hasNumbers(inside names: some Sequence<MemberName>) -> Bool {
        var node = 0
        for name in names {
            guard let next = nodes[node].next[name] else { return false }
            node = next
        }
        return !nodes[node].inside.isEmpty
    }
}
