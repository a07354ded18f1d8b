import JSONTree

/// The parts of a document in which some edits were made.
///
/// An edit of another part does nothing to what they made, and they do nothing to what it made:
/// the members of an object do not have to do with one another. The elements of an array do, since
/// their places count from its beginning: so a part ends at the first name that may be an index.
struct AffectedRegions: Sendable {
    private var parts: [JSONPointer] = []

    var count: Int { parts.count }

    /// Adds the parts in which a patch makes its edits. O(patch).
    mutating func add(_ patch: ReversiblePatch) {
        for pointer in patch.edits.lazy.flatMap(\.pointers) {
            let names = pointer.tokens.prefix { $0.index(below: .max) == nil && !$0.isEnd }
            let part = JSONPointer(tokens: Array(names))
            if !parts.contains(part) { parts.append(part) }
        }
    }

    enum Touch {
        /// It has nothing to do with these parts.
        case apart
        /// It may have.
        case inside
        /// It moves something into them, or out of them.
        case across
    }

    /// Whether edits of a place have nothing to do with these parts. O(parts).
    func isApart(_ place: JSONPointer) -> Bool {
        !parts.contains { $0.meets(place) }
    }

    /// Whether a patch has to do with these parts. O(patch · parts).
    func touch(_ patch: ReversiblePatch) -> Touch {
        var isInside = false
        for edit in patch.edits {
            let pointers = edit.pointers
            let count = pointers.count { !isApart($0) }
            if count > 0 && count < pointers.count { return .across }
            isInside = isInside || count > 0
        }
        return isInside ? .inside : .apart
    }
}
