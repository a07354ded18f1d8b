import JSONTree

/// The parts of a document in which some edits were made.
///
/// An edit of another part does nothing to what they made, and they do nothing to what it made:
/// the members of an object do not have to do with one another. The elements of an array do, since
/// their places count from its beginning: so a part ends at the first name that may be an index.
struct TouchedParts: Sendable {
    private var parts: [[MemberName]] = []

    var count: Int { parts.count }

    /// Adds the parts in which a patch makes its edits. O(patch).
    mutating func add(_ patch: ReversiblePatch) {
        for pointer in patch.edits.lazy.flatMap(\.pointers) {
            let part = Array(pointer.tokens.prefix { !$0.mayBeIndex })
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

    /// Whether a patch has to do with these parts. O(patch · parts).
    func touch(_ patch: ReversiblePatch) -> Touch {
        var isInside = false
        for edit in patch.edits {
            let pointers = edit.pointers
            let count = pointers.count { touches($0) }
            if count > 0 && count < pointers.count { return .across }
            isInside = isInside || count > 0
        }
        return isInside ? .inside : .apart
    }

    /// Whether one of both is a place in the other.
    private func touches(_ pointer: JSONPointer) -> Bool {
        parts.contains { part in
            zip(part, pointer.tokens).allSatisfy { $0 == $1 }
        }
    }
}
