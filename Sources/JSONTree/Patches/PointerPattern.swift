/// Addresses inside a value, with `*` for any element or member: `/items/*/touched`.
public struct PointerPattern: Sendable, Hashable {
    /// The pattern as a pointer whose tokens may be `*`.
    public let pointer: JSONPointer

    /// Reads a pattern; `nil` if it is not a pointer, means the whole value, or contains a number:
    /// an index names another element after each insertion before it.
    public init?(parsing text: String) {
        guard let pointer = JSONPointer(parsing: text), pointer.count > 0, !pointer.hasNumbers
        else { return nil }
        self.pointer = pointer
    }

    /// Whether an address is one of these, or lies inside the value at one of them.
    public func contains(_ other: JSONPointer) -> Bool {
        pointer.tokens.count <= other.tokens.count
            && zip(pointer.tokens, other.tokens).allSatisfy { $0.isAny || $0 == $1 }
    }

    /// Whether some of these addresses may lie inside a place.
    public func mayLie(inside place: JSONPointer) -> Bool { inside(place) != nil }

    /// The same addresses as they are seen from `place`, if some of them may lie inside it.
    package func inside(_ place: JSONPointer) -> PointerPattern? {
        let isOnTheWay =
            place.count < pointer.count
            && zip(pointer.tokens, place.tokens).allSatisfy { $0.isAny || $0 == $1 }
        guard isOnTheWay else { return nil }
        return PointerPattern(
            pointer: JSONPointer(tokens: Array(pointer.tokens.dropFirst(place.count))))
    }

    private init(pointer: JSONPointer) {
        self.pointer = pointer
    }
}

extension PointerPattern: CustomStringConvertible {
    /// The pattern as it is written.
    public var description: String { pointer.description }
}

extension JSONPointer {
    /// Whether it has a token that may be an array's index.
    public var hasNumbers: Bool {
        tokens.contains { $0.index(below: .max) != nil || $0.isEnd }
    }
}

extension JSONPointer {
    /// The address up to the first token that may be an array's index.
    public var aboveNumbers: JSONPointer {
        JSONPointer(tokens: Array(tokens.prefix { $0.index(below: .max) == nil && !$0.isEnd }))
    }
}

extension MemberName {
    /// Whether it means any element or member, in a pattern.
    var isAny: Bool { isByte(UInt8(ascii: "*")) }
}

extension ReversiblePatch {
    /// The part of the patch at wanted places; of a replaced container, the differences in it.
    ///
    /// `nil` if the edits alone do not show it: one may move something past the border, or several
    /// may work on one container.
    public func narrowed(where isWanted: (JSONPointer) -> Bool) -> ReversiblePatch? {
        var patch = self
        if case .replace(let place, let old, let new)? = edits.first, count == 1,
            old.isContainer, new.isContainer
        {
            patch.edits = old.diff(to: new, options: DiffOptions(isShort: false)).edits
                .map { $0.under(place) }
        } else if count > 1 || hasMoves, !edits.allSatisfy(\.isOfLeaf) {
            return nil
        }
        return patch.filtered(where: isWanted)
    }

    private var hasMoves: Bool { edits.contains(where: \.isMove) }

    /// The patch without the edits whose places are all unwanted, as operations.
    public func operations(where isWanted: (JSONPointer) -> Bool) -> JSONPatch {
        filtered(where: isWanted).textOperations
    }

    private func filtered(where isWanted: (JSONPointer) -> Bool) -> ReversiblePatch {
        ReversiblePatch(edits.filter { $0.pointers.contains(where: isWanted) })
    }
}

extension JSONEdit {
    package var isMove: Bool { if case .move = self { true } else { false } }

    /// Whether no container is moved, made or taken away by it.
    fileprivate var isOfLeaf: Bool {
        switch self {
        case .add(_, let value), .remove(_, let value): !value.isContainer
        case .replace(_, let old, let new): !old.isContainer && !new.isContainer
        case .splice: true
        case .move: false
        }
    }
}
