/// Patterns as a tree of their tokens: one search finds matches of all patterns, and descends only
/// as deep as one of them leads.
public struct PatternTrie: Sendable {
    private struct Branch {
        /// Where any element or member leads.
        var any: Int?
        var named: [MemberName: Int] = [:]
        /// Whether a pattern ends here.
        var isEnd = false
    }

    private var branches = [Branch()]

    /// The patterns as one tree. O(tokens of all).
    public init(_ patterns: [PointerPattern]) {
        for pattern in patterns { add(pattern) }
    }

    private mutating func add(_ pattern: PointerPattern) {
        var at = 0
        for token in pattern.pointer.tokens {
            let known = token.isAny ? branches[at].any : branches[at].named[token]
            let next = known ?? branches.count
            if known == nil {
                branches.append(Branch())
                if token.isAny { branches[at].any = next } else { branches[at].named[token] = next }
            }
            at = next
        }
        branches[at].isEnd = true
    }

    /// Whether a pattern means an address, or a value around it. O(length of the address), for
    /// patterns that do not differ in where they have `*`.
    public func contains(_ pointer: JSONPointer) -> Bool {
        var reached = [0]
        for token in pointer.tokens {
            reached = step(reached, token)
            if reached.isEmpty { return false }
            if isEnd(reached) { return true }
        }
        return false
    }

    /// The addresses at which `tree` has a value, in the order of the text; of values inside each
    /// other, the outermost. O(values on the way).
    func places(in tree: JSON) -> [JSONPointer] {
        var found: [JSONPointer] = []
        var path: [MemberName] = []
        collect(tree, [0], &path, &found)
        return found
    }

    private func collect(
        _ value: JSON, _ reached: [Int], _ path: inout [MemberName], _ found: inout [JSONPointer]
    ) {
        if isEnd(reached) { return found.append(JSONPointer(tokens: path)) }
        guard value.isContainer else { return }
        func visit(_ token: MemberName, _ child: JSON) {
            let next = step(reached, token)
            if next.isEmpty { return }
            path.append(token)
            collect(child, next, &path, &found)
            path.removeLast()
        }
        if reached.contains(where: { branches[$0].any != nil }) {
            value.forEachChild(visit)
        } else {
            for name in Set(reached.flatMap { branches[$0].named.keys }).sorted() {
                if let child = value.value(at: [name]) { visit(name, child) }
            }
        }
    }

    private func step(_ reached: [Int], _ token: MemberName) -> [Int] {
        var next: [Int] = []
        for branch in reached {
            if let any = branches[branch].any { next.append(any) }
            if let named = branches[branch].named[token] { next.append(named) }
        }
        return next
    }

    private func isEnd(_ reached: [Int]) -> Bool { reached.contains { branches[$0].isEnd } }
}

extension JSON {
    /// The value without the places of the patterns. O(values on the way).
    public func without(_ patterns: PatternTrie) -> JSON {
        var copy = self
        // The last first: of an array all elements go, and none may move before it does.
        for place in patterns.places(in: self).reversed() { _ = try? copy.remove(at: place) }
        return copy
    }

    /// The same, for patterns that are needed once.
    public func without(_ patterns: [PointerPattern]) -> JSON {
        patterns.isEmpty ? self : without(PatternTrie(patterns))
    }

    /// Elements are named by their numbers.
    fileprivate func forEachChild(_ body: (MemberName, JSON) -> Void) {
        if let elements {
            for (index, element) in elements.enumerated() {
                body(MemberName(String(index)), element)
            }
        } else {
            forEachMember(body)
        }
    }
}
