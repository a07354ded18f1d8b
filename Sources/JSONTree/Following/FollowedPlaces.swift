/// Places of an old state, followed through the changes since: the current places of their values,
/// or the places at which they were removed.
///
/// A place is followed as an element, not as an index: insertions and removals before it shift it,
/// and a move carries it. A removed element keeps its gap between its neighbours, in the original
/// order. A member keeps its name and also follows a move.
public struct FollowedPlaces: Sendable {
    /// A step from a container to what is in it.
    struct Token: Sendable {
        var name: MemberName
        /// Whether the place is in an array. Of a lost element, it is the gap: before the element
        /// that has this index now.
        var isIndex: Bool
        /// Why the step leads nowhere now.
        var loss: Loss?

        var index: Int { name.index(below: .max) ?? 0 }
    }

    /// One removal. All places inside the removed value have the same.
    struct Loss: Sendable {
        let id: Int
        /// The removed value at the time of the removal; where `former` is known, the container.
        let value: JSON
        /// The change that removed it.
        let revision: Int
        /// The change that moved another value to its name.
        var occupiedBy: Int?
        /// The steps inside the container, whose place has a value of another kind now.
        var former: [Token]?
    }

    struct Place: Sendable {
        /// The place in the old state.
        let origin: JSONPointer
        /// The value at the place, if any.
        let value: JSON?
        var tokens: [Token]
        /// The number of steps that led to something in the old state. The others are names only:
        /// what came to them later is not what the place names.
        var known: Int
        /// The change that moved another value to a place that had none.
        var occupiedBy: Int?
        /// The change that moved it last.
        var movedBy: Int?
    }

    /// The revision of the old state, or of the state that it was made from.
    public let start: Int
    /// The revision up to which they were followed.
    public private(set) var revision: Int
    /// The state at that revision.
    public internal(set) var tree: JSON
    var places: [Place]
    /// The values at the places of the old state.
    public var values: [JSON] { places.compactMap(\.value) }
    /// The losses of elements. Those in one array are in the order of the elements that were lost.
    var order: [Int] = []
    private var lossCount = 0
    /// How values are compared.
    let options: DiffOptions

    /// Begins at places of the state at a revision.
    ///
    /// A place inside another one is restored with that. An index without an element in the old
    /// state has none later, so the place is left out. `start`: values that returned since then are
    /// the removed ones.
    public init(
        _ pointers: [JSONPointer], in tree: JSON, at revision: Int, since start: Int? = nil,
        options: DiffOptions
    ) {
        self.start = start ?? revision
        self.revision = revision
        self.tree = tree
        self.options = options
        places = Set(pointers).outermost.sorted().compactMap { Place($0, in: tree) }
    }

    /// Whether the whole value is the place.
    public var isWhole: Bool { places.count == 1 && places[0].tokens.isEmpty }

    /// The whole value of then, if that is the place.
    public var whole: JSON? { isWhole ? places[0].value : nil }

    /// Continues at a revision whose state is `tree`, if nothing in between shifted or changed a
    /// place.
    public mutating func pass(to revision: Int, in tree: JSON) {
        self.revision = revision
        self.tree = tree
    }

    /// Whether edits of this place, and of nothing else, leave all followed places where they are.
    public func isApart(from edited: JSONPointer) -> Bool {
        places.allSatisfy { place in
            let depth = edited.count - 1
            let names = place.tokens.map(\.name)
            if depth < 0 { return names.isEmpty }
            guard depth < names.count, zip(names[..<depth], edited.tokens).allSatisfy(==) else {
                return true
            }
            return !place.tokens[depth].isIndex && names[depth] != edited.tokens[depth]
        }
    }

    /// The changes that another one took out of effect, or put back.
    public enum Reverted: Sendable {
        /// By name.
        case changes(Set<Int>)
        /// All after a version: shared undo and redo lead to its state.
        case all(after: Int)

        func contains(_ revision: Int) -> Bool {
            switch self {
            case .changes(let revisions): revisions.contains(revision)
            case .all(let version): revision > version
            }
        }
    }

    /// Follows them through the next change.
    public mutating func follow(
        _ patch: ReversiblePatch, at revision: Int, returning: MergeBase.Later.Returning = .nothing,
        reverting reverted: Reverted = .changes([])
    ) throws(JSONPatchError) {
        let additions = patch.edits.count { if case .add = $0 { true } else { false } }
        let cause = Cause(
            revision: revision, returning: returning,
            reverted: additions == 1 ? reverted : .changes([]))
        for edit in patch.edits { try follow(edit, cause) }
        self.revision = revision
    }

    /// The change that an edit belongs to.
    struct Cause {
        let revision: Int
        let returning: MergeBase.Later.Returning
        /// The changes that it took out of effect, or put back, if it adds one value only.
        let reverted: Reverted
    }

    mutating func newLoss(_ value: JSON, _ cause: Cause, former: [Token]? = nil) -> Loss {
        lossCount += 1
        return Loss(id: lossCount, value: value, revision: cause.revision, former: former)
    }

    /// The value that lies in one with an identity, as `id` names it.
    func identity(of value: JSON) -> JSON? {
        guard case .object(let node) = value.storage else { return nil }
        return options.identityNames.lazy.compactMap { node.value(for: MemberName($0)) }.first
    }
}

extension FollowedPlaces.Place {
    /// `nil`: an index of it names no element.
    init?(_ pointer: JSONPointer, in tree: JSON) {
        origin = pointer
        value = tree[pointer]
        tokens = []
        known = 0
        var here: JSON? = tree
        for name in pointer.tokens {
            let isIndex = here?.kind == .array
            let next = here?[JSONPointer(tokens: [name])]
            if isIndex && next == nil { return nil }
            tokens.append(FollowedPlaces.Token(name: name, isIndex: isIndex))
            if next != nil { known += 1 }
            here = next
        }
    }

    /// The number of steps that lead somewhere now, and did then.
    var live: Int { min(known, tokens.firstIndex { $0.loss != nil } ?? tokens.count) }

    var pointer: JSONPointer { JSONPointer(tokens: tokens.map(\.name)) }

    /// Whether it is inside the value at a place, or was before it was lost.
    func isInside(_ place: JSONPointer) -> Bool {
        known > place.count && live >= place.count && begins(with: place)
    }

    /// Whether it is the value at a place, or inside it.
    func isAtOrInside(_ place: JSONPointer) -> Bool {
        live >= place.count && begins(with: place)
    }

    /// Whether it is a name that had no value, at a place or inside it.
    func isAbsent(at place: JSONPointer) -> Bool {
        known < place.count && place.count <= tokens.count && live == known && begins(with: place)
    }

    private func begins(with place: JSONPointer) -> Bool {
        zip(tokens, place.tokens).allSatisfy { $0.name == $1 }
    }
}
