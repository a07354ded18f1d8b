/// Two edits of one tree: mine, which arrives later, and theirs.
///
/// The rules of precedence between two edits; `MergeEdit+Passing` has the arithmetic.
package struct EditPair: Sendable {
    package let mine: MergeEdit
    package let theirs: MergeEdit

    enum Relation: Equatable {
        /// Both can be done, in either order.
        case independent
        /// Both want the same: it is done once.
        case agreed
        /// One removes what the other has moved, or removed something of: nothing is lost.
        case removal(by: Place.Side)
        /// One of them must give way.
        case conflict
        /// One only writes a number with other digits, and gives way: no value is lost.
        case respelling(by: Place.Side)
    }

    var relation: Relation {
        if isSame { return .agreed }
        let relation = relationOfValues
        guard relation == .conflict else { return relation }
        if theirs.isRespelling {
            return mine.action == .read ? .independent : .respelling(by: .theirs)
        }
        return mine.isRespelling ? .respelling(by: .mine) : .conflict
    }

    private var relationOfValues: Relation {
        switch (mine.action, theirs.action) {
        case (.text(let one), .text(let other)) where mine.place == theirs.place:
            return (one.isValue || other.isValue) && one.overlaps(other) ? .conflict : .independent
        case (.read, _): return isReadTouched ? .conflict : .independent
        case (.set(nil, _), .set(nil, _)) where mine.place == theirs.place: return .conflict
        case (.move(let target), .move(let other)):
            return mine.place == theirs.place || areTangled(target, other)
                ? .conflict : .independent
        case (.move(let target), .set(nil, _)):
            return theirs.place.takingTarget(mine.place, by: .mine) == target
                ? .conflict : .independent
        case (.set(nil, _), .move(let target)):
            return mine.place.takingTarget(theirs.place, by: .theirs) == target
                ? .conflict : .independent
        default: return relationOfRemovals
        }
    }

    /// Whether both are the same edit, and one that is not done twice: two who insert an element
    /// or a letter mean two. Numbers that are equal are the same, whatever their digits.
    private var isSame: Bool {
        guard mine.place == theirs.place else { return false }
        if case (.set(let old, let new?), .set(let other, let next?)) =
            (mine.action, theirs.action)
        {
            return (old == nil) == (other == nil) && new.isNumericallyEqual(to: next)
        }
        guard mine.action == theirs.action else { return false }
        return switch mine.action {
        case .delete, .set, .move: true
        case .text(let text): text.isValue
        case .insert, .read: false
        }
    }

    private var relationOfRemovals: Relation {
        for (one, other, side) in [
            (mine, theirs, Place.Side.mine), (theirs, mine, Place.Side.theirs),
        ] {
            guard let removed = one.removed else { continue }
            if case .move = other.action, other.place == removed {
                return one.isRemoval ? .removal(by: side) : .independent
            }
            if removed == other.place, !other.isAtTarget { return .conflict }
            guard EditPair.works(other, inside: removed) else { continue }
            return one.isRemoval && other.isRemoval ? .removal(by: side) : .conflict
        }
        return .independent
    }

    /// Whether an edit changes something inside the value at `place`.
    private static func works(_ edit: MergeEdit, inside place: Place) -> Bool {
        guard case .move(let target) = edit.action else {
            return (edit.isAtTarget ? place.holds(edit.place.above) : place.isAround(edit.place))
        }
        // The target is seen without the value that moves.
        let without = place.taking(edit.place, by: .theirs)
        return place.isAround(edit.place) || without.holds(target.above)
    }

    /// Whether two moves want one name, or put each value into the other.
    private func areTangled(_ target: Place, _ other: Place) -> Bool {
        let (mine, theirs) = targetsWithoutBoth(target, other)
        if mine.isInHand(of: .theirs) && theirs.isInHand(of: .mine) { return true }
        return !mine.isElement && mine == theirs
    }

    /// The targets of two moves in the tree without both values.
    func targetsWithoutBoth(_ target: Place, _ other: Place) -> (mine: Place, theirs: Place) {
        (
            mine: target.takingTarget(
                theirs.place.taking(mine.place, by: .mine), by: .theirs),
            theirs: other.takingTarget(
                mine.place.taking(theirs.place, by: .theirs), by: .mine)
        )
    }

    /// Whether what I relied on is another now: that it has moved does not matter.
    private var isReadTouched: Bool {
        switch theirs.action {
        case .read: false
        case .move(let target):
            mine.place.isAround(theirs.place)
                || mine.place.taking(theirs.place, by: .theirs).holds(target.above)
        case .insert: mine.place.holds(theirs.place.above)
        case .set(nil, _): mine.place.isAround(theirs.place)
        case .delete, .set, .text: mine.place.holds(theirs.place) || theirs.place.holds(mine.place)
        }
    }
}
