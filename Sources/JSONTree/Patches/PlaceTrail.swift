/// A place in a value, followed back through the patches that led there: past shifts and moves.
public struct PlaceTrail: Sendable {
    private struct Token: Sendable {
        var name: MemberName
        /// Whether it counts elements of an array, so that others shift it.
        var isIndex: Bool
    }

    private var tokens: [Token]
    /// Whether the value at the place came into being: before, there was nothing to follow.
    public private(set) var hasEnded = false

    /// Begins at a place in `tree`. A missing value is followed by its name alone.
    public init(_ pointer: JSONPointer, in tree: JSON) {
        var here: JSON? = tree
        tokens = pointer.tokens.map { name in
            let isIndex = here?.kind == .array && name.index(below: .max) != nil
            here = here?[JSONPointer(tokens: [name])]
            return Token(name: name, isIndex: isIndex)
        }
    }

    /// Where the place was before all that was gone back over.
    public var pointer: JSONPointer { JSONPointer(tokens: tokens.map(\.name)) }

    /// Goes back over a patch. Returns whether it changed the value at the place, something in it,
    /// or something that it is in.
    public mutating func goBack(over patch: ReversiblePatch) -> Bool {
        var isTouched = false
        for edit in patch.edits.reversed() where !hasEnded {
            if goBack(over: edit) { isTouched = true }
        }
        return isTouched
    }

    private mutating func goBack(over edit: JSONEdit) -> Bool {
        switch edit {
        case .replace(let place, _, _), .splice(let place, _, _, _, _):
            return isInside(place) || contains(place)
        case .add(let place, _):
            let isMade = isInside(place)
            let isTouched = isMade || contains(place)
            if isMade, place.count > 0, tokens[place.count - 1].isIndex { hasEnded = true }
            if !isMade { shift(by: -1, at: place) }
            return isTouched
        case .remove(let place, _):
            return remove(place)
        case .move(let from, let to):
            if isInside(to) {
                let rest = tokens.dropFirst(to.count)
                tokens = from.tokens.map { name in
                    Token(name: name, isIndex: name.index(below: .max) != nil)
                }
                tokens += rest
                return true
            }
            let isTouched = contains(to)
            shift(by: -1, at: to)
            return remove(from) || isTouched
        }
    }

    /// Reverts the removal of a place. Returns whether that is above or inside this one.
    private mutating func remove(_ place: JSONPointer) -> Bool {
        if shift(by: 1, at: place) { return false }
        return isInside(place) || contains(place)
    }

    /// Opens or closes the gap for an element. Returns whether it is in an array above this place
    /// and not behind it.
    @discardableResult
    private mutating func shift(by change: Int, at place: JSONPointer) -> Bool {
        let depth = place.count - 1
        guard depth >= 0, depth < tokens.count, tokens[depth].isIndex,
            zip(tokens[..<depth], place.tokens).allSatisfy({ $0.name == $1 }),
            let here = tokens[depth].name.index(below: .max),
            let there = place.tokens[depth].index(below: .max), there <= here
        else { return false }
        tokens[depth].name = MemberName("\(here + change)")
        return true
    }

    private func isInside(_ place: JSONPointer) -> Bool {
        place.count <= tokens.count && zip(tokens, place.tokens).allSatisfy { $0.name == $1 }
    }

    private func contains(_ place: JSONPointer) -> Bool {
        place.count >= tokens.count && zip(tokens, place.tokens).allSatisfy { $0.name == $1 }
    }
}
