// A patch as it would be if some places had never been there.

/// A value was moved from a place that is erased to one that is not, or the other way around.
public struct MovedValue: Error, Equatable, Sendable {
    /// The address on the side that is not erased, with `*` for elements.
    public let place: JSONPointer
}

extension ReversiblePatch {
    /// The patch without its effects at the places of patterns, and without the values there.
    /// Applied to trees without these places, it gives such trees.
    ///
    /// Applies itself to `tree`, which is the tree with everything. O(edits · log n), and the
    /// values of edits that hold such places.
    package func erasing(
        _ patterns: [PointerPattern], applyingTo tree: inout JSON
    ) throws -> ReversiblePatch {
        var kept: [JSONEdit] = []
        for edit in edits {
            if let edit = try edit.erasing(patterns, in: tree), !edit.isNothing {
                kept.append(edit)
            }
            try tree.apply(edit)
        }
        var result = ReversiblePatch(kept)
        result.removesTargets = removesTargets
        return result
    }
}

extension JSONEdit {
    fileprivate var isNothing: Bool {
        if case .replace(_, let old, let new) = self { old == new } else { false }
    }

    /// `nil` if nothing is left of it.
    fileprivate func erasing(
        _ patterns: [PointerPattern], in tree: JSON
    ) throws(MovedValue) -> JSONEdit? {
        if case .move(let from, let to) = self {
            let value = tree[from] ?? .null
            let (left, reached) = (
                value.places(of: patterns, seenFrom: from), value.places(of: patterns, seenFrom: to)
            )
            if let place = left.subtracting(reached).min() {
                throw MovedValue(place: to.joined(place).generalized)
            }
            if let place = reached.subtracting(left).min() {
                throw MovedValue(place: from.joined(place).generalized)
            }
            return left.contains(.root) ? nil : self
        }
        if pointers.contains(where: { place in patterns.contains { $0.contains(place) } }) {
            return nil
        }
        func rest(_ pointer: JSONPointer, _ value: JSON) -> JSON {
            value.without(patterns.compactMap { $0.inside(pointer) })
        }
        switch self {
        case .add(let pointer, let value): return .add(pointer, rest(pointer, value))
        case .remove(let pointer, let value): return .remove(pointer, rest(pointer, value))
        case .replace(let pointer, let old, let new):
            return .replace(pointer, old: rest(pointer, old), new: rest(pointer, new))
        case .move, .splice: return self
        }
    }
}

extension JSON {
    /// The addresses inside this value at `place` that match patterns.
    fileprivate func places(
        of patterns: [PointerPattern], seenFrom place: JSONPointer
    ) -> Set<JSONPointer> {
        if patterns.contains(where: { $0.contains(place) }) { return [.root] }
        return Set(PatternTrie(patterns.compactMap { $0.inside(place) }).places(in: self))
    }
}

extension JSONPointer {
    fileprivate func joined(_ rest: JSONPointer) -> JSONPointer {
        JSONPointer(tokens: tokens + rest.tokens)
    }

    /// With `*` in place of tokens that may be an index.
    fileprivate var generalized: JSONPointer {
        JSONPointer(
            tokens: tokens.map { $0.index(below: .max) == nil ? $0 : MemberName("*") })
    }
}
