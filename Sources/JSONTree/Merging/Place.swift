/// An address whose steps say what they are: the name of a member, or the index of an element.
///
/// Only so can it follow its value when elements come and go: in a pointer, `0` may be either.
struct Place: Equatable {
    enum Step: Equatable {
        case name(MemberName)
        case index(Int)
        /// A moved value between its removal and its insertion.
        case hand(Side)

        var name: MemberName? { if case .name(let name) = self { name } else { nil } }
    }

    /// Whose edit it is.
    enum Side: Equatable {
        case mine, theirs
    }

    private(set) var steps: [Step]

    /// Reads a pointer into a tree, in which its container is.
    init(_ pointer: JSONPointer, in tree: JSON) {
        let tokens = pointer.tokens
        guard let last = tokens.lastIndex(where: { $0.index(below: .max) != nil }) else {
            steps = tokens.map { .name($0) }
            return
        }
        steps = []
        steps.reserveCapacity(tokens.count)
        var container: JSON? = tree
        for (depth, token) in tokens.enumerated() {
            let index = container?.kind == .array ? token.index(below: .max) : nil
            steps.append(index.map { .index($0) } ?? .name(token))
            container = depth < last ? container?.value(at: tokens[depth...depth]) : nil
        }
    }

    private init(steps: [Step]) {
        self.steps = steps
    }

    var pointer: JSONPointer {
        JSONPointer(
            tokens: steps.map { step in
                switch step {
                case .name(let name): name
                case .index(let index): MemberName(String(index))
                case .hand: preconditionFailure("a move has been carried through")
                }
            })
    }

    /// The place that `inner` is, seen from the value at this one.
    func appending(_ inner: Place) -> Place { Place(steps: steps + inner.steps) }

    /// The place of a part of the value at this one.
    func appending(_ step: Step) -> Place { Place(steps: steps + [step]) }

    /// The names on the way here, up to the first element.
    var names: some Sequence<MemberName> {
        steps.lazy.map(\.name).prefix { $0 != nil }.compactMap(\.self)
    }

    /// Whether the names on the way, up to the first element, are the same.
    func hasNames(of other: Place) -> Bool {
        for (step, next) in zip(steps, other.steps) {
            guard step == next else { return step.name == nil && next.name == nil }
            if step.name == nil { return true }
        }
        let longer = steps.count > other.steps.count ? steps : other.steps
        let count = min(steps.count, other.steps.count)
        return count == longer.count || longer[count].name == nil
    }

    /// The container that this is in.
    var above: Place { Place(steps: Array(steps.dropLast())) }

    var isElement: Bool { if case .index? = steps.last { true } else { false } }

    /// The place behind this element; `nil` if it is none.
    var behind: Place? {
        guard case .index(let index)? = steps.last else { return nil }
        return above.appending(.index(index + 1))
    }

    /// The index of this element of the array at `array`.
    func index(in array: Place) -> Int? {
        guard array.isAround(self), steps.count == array.steps.count + 1,
            case .index(let index)? = steps.last
        else { return nil }
        return index
    }

    /// Whether `other` is this place, or inside it.
    func holds(_ other: Place) -> Bool {
        steps.count <= other.steps.count && zip(steps, other.steps).allSatisfy(==)
    }

    /// Whether `other` is inside this place.
    func isAround(_ other: Place) -> Bool {
        steps.count < other.steps.count && holds(other)
    }

    /// Whether one of two places, or its ancestor this number of steps above, contains the other.
    func meets(_ other: Place, above: Int, otherAbove: Int) -> Bool {
        let count = min(steps.count - above, other.steps.count - otherAbove)
        // The last steps differ most often.
        for depth in stride(from: count - 1, through: 0, by: -1)
        where steps[depth] != other.steps[depth] {
            return false
        }
        return true
    }

    /// The way from `place`, which holds this one, to this one.
    func steps(from place: Place) -> Place {
        Place(steps: Array(steps.dropFirst(place.steps.count)))
    }
}

// Transforms a place over another edit. A value has its place; a target is the place of a value to
// come: a free name, or the gap before an element.

extension Place {
    /// The place of the same value when the value at `other`, which does not hold it, is gone; or
    /// of the same target.
    func removing(_ other: Place) -> Place {
        guard let (depth, index, removed) = sibling(of: other), removed < index else { return self }
        return replacing(depth, by: index - 1)
    }

    /// The place of the same value when something was inserted at `other`.
    func inserting(_ other: Place) -> Place {
        guard let (depth, index, inserted) = sibling(of: other), inserted <= index else {
            return self
        }
        return replacing(depth, by: index + 1)
    }

    /// The same target when something was inserted at `other`: behind it if both are for one gap
    /// and this one does not go first.
    func inserting(_ other: Place, goesFirst: Bool) -> Place {
        guard let (depth, index, inserted) = sibling(of: other) else { return self }
        let isGap = depth == steps.count - 1
        let moves = inserted < index || (inserted == index && !(isGap && goesFirst))
        return moves ? replacing(depth, by: index + 1) : self
    }

    /// The place of the same value after a side has removed the value at `other` to move it.
    func taking(_ other: Place, by side: Side) -> Place {
        if other.holds(self) { return Place(steps: [.hand(side)] + steps(from: other).steps) }
        return removing(other)
    }

    /// The same target after a side has removed the value at `other` to move it.
    func takingTarget(_ other: Place, by side: Side) -> Place {
        if other.holds(above) { return Place(steps: [.hand(side)] + steps(from: other).steps) }
        return removing(other)
    }

    /// The place of the same value after the moved value was inserted at `target`.
    func giving(_ target: Place, by side: Side) -> Place {
        isInHand(of: side) ? target.following(self) : inserting(target)
    }

    /// The same target after the moved value was inserted at `target`.
    func givingTarget(_ target: Place, by side: Side, goesFirst: Bool) -> Place {
        isInHand(of: side) ? target.following(self) : inserting(target, goesFirst: goesFirst)
    }

    func isInHand(of side: Side) -> Bool { steps.first == .hand(side) }

    private func following(_ held: Place) -> Place {
        Place(steps: steps + held.steps.dropFirst())
    }

    /// The index in this place that is in the same array as the element at `other`, with its depth
    /// and the other's index.
    private func sibling(of other: Place) -> (depth: Int, index: Int, other: Int)? {
        let depth = other.steps.count - 1
        guard depth >= 0, depth < steps.count, case .index(let inserted) = other.steps[depth],
            case .index(let index) = steps[depth],
            zip(steps[..<depth], other.steps[..<depth]).allSatisfy(==)
        else { return nil }
        return (depth, index, inserted)
    }

    private func replacing(_ depth: Int, by index: Int) -> Place {
        var result = self
        result.steps[depth] = .index(index)
        return result
    }
}
