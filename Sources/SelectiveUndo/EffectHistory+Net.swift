public import JSONTree

// The net effect of a line.

/// A line of changes as one edit, of which each value, element and letter is edited once: what was
/// done and undone is not in it.
public struct NetEdit: Sendable, Equatable {
    /// The edits from the state at the line's beginning to the chosen changes alone.
    public let chosen: ReversiblePatch
    /// The edits from there to all changes in effect.
    public let rest: ReversiblePatch

    /// An edit, and another one that follows it.
    public init(chosen: ReversiblePatch, rest: ReversiblePatch) {
        self.chosen = chosen
        self.rest = rest
    }
}

extension EffectHistory {
    /// The line as one edit, split in two: with what the chosen changes do first. `tree` is what
    /// all that is in effect makes.
    ///
    /// O(what the changes touched).
    public func net(
        of isChosen: (Int) -> Bool = { _ in true }, on tree: JSON
    ) throws(Diverged) -> NetEdit {
        var identity = identity
        var tree = tree
        let writers = writersInEffect
        let (chosen, others) = (
            writers.filter { self.isChosen($0, isChosen) },
            writers.filter { !self.isChosen($0, isChosen) }
        )
        let typed = identity.typedTexts
        let rest = try identity.hide(others, on: &tree, typed: typed)
        let first = try identity.hide(chosen, on: &tree, typed: typed)
        return NetEdit(chosen: first.inverse, rest: rest.inverse)
    }

    var writersInEffect: [Int] {
        (1..<editOfWriter.count).filter { identity.writers[IdentityTree.ID($0)].isInEffect }
    }

    /// A change that is always in effect belongs to the whole, not to a part.
    func isChosen(_ writer: Int, _ isChosen: (Int) -> Bool) -> Bool {
        guard let edit = editOfWriter[IdentityTree.ID(writer)] else { return isChosen(.max) }
        return isChosen(edits[edit].revision)
    }

    /// Those of the changes in effect, the oldest first, that a change of the line does nothing
    /// without; empty if it does something by itself. `tree` is what all that is in effect makes.
    ///
    /// O(changes before it · what they touched).
    public func needs(of revision: Int, on tree: JSON) throws(Diverged) -> [Int] {
        let earlier = revisionsInEffect.filter { $0 < revision }
        var needed: [Int] = []
        for other in earlier {
            var (identity, tree) = (identity, tree)
            _ = try identity.hide(writers(of: [other]), on: &tree)
            let effect = try identity.hide(writers(of: [revision]), on: &tree)
            if effect.isEmpty { needed.append(other) }
        }
        return needed
    }

    /// Where the tree would be another one without each of some changes, as it is with them.
    ///
    /// O(what the changes touched).
    public func places(
        ofEach revisions: [Int], on tree: JSON
    ) throws(Diverged) -> [[JSONPointer]] {
        var (identity, tree) = (identity, tree)
        var places: [[JSONPointer]] = []
        for revision in revisions {
            let writers = writers(of: [revision])
            places.append(try identity.turn(writers, to: false, on: &tree).pointers)
            _ = try identity.turn(writers, to: true, on: &tree)
        }
        return places
    }

    private func writers(of revisions: [Int]) -> [Int] {
        revisions.compactMap { index(of: $0) }.flatMap { edits[$0].units.map { Int($0.writer) } }
    }
}

extension IdentityTree {
    /// Takes writers out of effect, and leads the tree there.
    @discardableResult
    mutating func hide(
        _ writers: [Int], on tree: inout JSON, typed: Set<ID> = []
    ) throws(EffectHistory.Diverged) -> ReversiblePatch {
        try turn(writers, to: false, on: &tree, typed: typed)
    }

    /// Takes writers out of effect, or puts them back, and leads the tree there.
    fileprivate mutating func turn(
        _ writers: [Int], to isInEffect: Bool, on tree: inout JSON, typed: Set<ID> = []
    ) throws(EffectHistory.Diverged) -> ReversiblePatch {
        for writer in writers { flip(ID(writer), to: isInEffect) }
        do { return try show(on: &tree, typed: typed) } catch {
            throw EffectHistory.Diverged()
        }
    }
}
