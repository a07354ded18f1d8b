public import JSONTree
public import Naming

/// The changes that lead to a document's current version, from one of them on: which of them are in
/// effect, and the tree that these make.
///
/// Own undo takes changes out of effect, own redo puts them back; the value is what the changes in
/// effect make, in the order of their revisions, each on the elements, members and characters that
/// it was made on (`IdentityTree`). So undoing and redoing give the same value in any order, and
/// when everything is undone, the value that was there before everything is back.
///
/// The daemon derives it from the journal at an actor's own undo, from the undone change on, and
/// retains it at the head for the next one. It is not stored.
public struct EffectHistory: Sendable {
    /// A change that edits the tree.
    struct Edit: Sendable {
        let revision: Int
        let actor: Name
        /// The revision of the first change of the version of its actor that it belongs to.
        var group: Int
        /// Whether it is a part of a change of several documents.
        let isPart: Bool
        /// Whether a draft took it over from its origin.
        let isUpdate: Bool
        /// The units that go out of effect and come back by themselves: one for all of it, until a
        /// part of it is undone alone.
        var units: [Unit]
    }

    /// Steps that go out of effect and come back together.
    struct Unit: Sendable {
        let writer: IdentityTree.ID
        /// The revision of the edit.
        let revision: Int
        /// The revisions that took it out of effect, put it back, and so on.
        var flips: [Int] = []

        /// The revision that put it into effect, or took it out.
        var since: Int { flips.last ?? revision }

        /// Whether it was in effect when a later change was made.
        func wasInEffect(before revision: Int) -> Bool {
            let flipsBefore = flips.count { $0 < revision }
            return self.revision < revision && flipsBefore.isMultiple(of: 2)
        }
    }

    /// By writer, the edit to which it belongs; none for writers that are always in effect.
    struct EditOfWriter: Sendable {
        private var edits: [Int32] = [-1]

        var count: Int { edits.count }

        subscript(writer: IdentityTree.ID) -> Int? {
            let edit = edits[Int(writer)]
            return edit < 0 ? nil : Int(edit)
        }

        mutating func append(_ edit: Int?) {
            edits.append(edit.map { Int32($0) } ?? -1)
        }
    }

    /// The changes that an undo took out of effect.
    struct Undone: Sendable {
        /// The revision of the undo.
        let by: Int
        var revisions: [Int]
    }

    var identity: IdentityTree
    var edits: [Edit] = []
    /// The changes that took changes out of effect, or put them back.
    var reversals: [Int: Reversal] = [:]
    /// Those of them that are parts of changes of several documents.
    var partReversals: Set<Int> = []
    /// The members of scopes that were popped, by the revision of the pop.
    var pops: [Int: [Int]] = [:]
    /// Each actor's edits, as indexes in `edits`, oldest first.
    var byActor: [Name: [Int]] = [:]
    /// The members of each group that is not one edit alone, as indexes in `edits`, oldest first.
    private var byGroup: [Int: [Int]] = [:]
    /// For each actor, the own undos that no redo has reverted, newest last.
    var redoStacks: [Name: [Undone]] = [:]
    var editOfWriter = EditOfWriter()
    /// The first revision that it knows.
    public let first: Int
    /// Whether there is nothing older on the line.
    public let isWhole: Bool

    /// A line that begins with the change at revision `first`, which is made on `tree`.
    /// `isWhole`: nothing before it could be undone.
    public init(_ tree: JSON, first: Int, isWhole: Bool) {
        identity = IdentityTree(tree)
        self.first = first
        self.isWhole = isWhole
    }

    /// A patch does not fit the tree, or what is in effect does not make the tree that there is.
    public struct Diverged: Error, Equatable, Sendable {
        /// The error.
        public init() {}
    }

    /// About how many bytes it takes.
    public var byteCount: Int { identity.byteCount + edits.count * 120 }
}

// MARK: The journal's changes

extension EffectHistory {
    /// Adds a change that edits the tree: `patch` can be undone, `untracked` is always in effect.
    ///
    /// `group` is the first change of the version that it belongs to, if that is another one.
    /// `base`: it was made on that old state, and may have won over what was removed since.
    /// `isPart`: it is a part of a change of several documents. `isUpdate`: a draft took it over
    /// from its origin. `numbers`: those of the edits in the change, if the patch has only some of
    /// them; equal ones go out of effect together.
    /// O(size of the patch · log n).
    public mutating func append(
        _ revision: Int, by actor: Name, group: Int?, _ patch: ReversiblePatch,
        wonSince base: Int? = nil, untracked: ReversiblePatch = .empty, isPart: Bool = false,
        isUpdate: Bool = false, numbers: [Int]? = nil
    ) throws(Diverged) {
        let lost = base.map { steps(after: $0) } ?? 0..<0
        let writer = try record(patch, edits.count, over: lost, numbers: numbers)
        let unit = Unit(writer: writer, revision: revision)
        let edit = Edit(
            revision: revision, actor: actor, group: group ?? revision, isPart: isPart,
            isUpdate: isUpdate, units: [unit])
        byActor[actor, default: []].append(edits.count)
        if edit.group != revision {
            if byGroup[edit.group] == nil { byGroup[edit.group] = members(of: edit.group) }
            byGroup[edit.group]?.append(edits.count)
        }
        edits.append(edit)
        redoStacks[actor] = nil
        if !untracked.isEmpty { try appendUntracked(untracked) }
    }

    /// Adds an edit that nothing takes out of effect.
    public mutating func appendUntracked(_ patch: ReversiblePatch) throws(Diverged) {
        _ = try record(patch, nil)
    }

    private mutating func record(
        _ patch: ReversiblePatch, _ edit: Int?, over lost: Range<IdentityTree.ID> = 0..<0,
        numbers: [Int]? = nil
    ) throws(Diverged) -> IdentityTree.ID {
        editOfWriter.append(edit)
        do { return try identity.record(patch, over: lost, numbers: numbers) } catch {
            throw Diverged()
        }
    }

    /// The steps after a revision.
    private func steps(after revision: Int) -> Range<IdentityTree.ID> {
        let next = IdentityTree.ID(identity.steps.count)
        let index = firstIndex(from: revision + 1)
        guard index < edits.count else { return next..<next }
        return identity.writers[edits[index].units[0].writer].steps.lowerBound..<next
    }

    /// Makes the edits of one actor in a popped scope one version of that actor.
    public mutating func pop(_ revision: Int, _ members: [Int], owner: Name) {
        let indexes = members.compactMap { index(of: $0) }.filter { edits[$0].actor == owner }
        guard !indexes.isEmpty else { return }
        for index in indexes {
            byGroup[edits[index].group]?.removeAll { $0 == index }
            edits[index].group = revision
        }
        byGroup[revision] = indexes
        pops[revision] = indexes.map { edits[$0].revision }
    }

    /// Adds a change that took edits out of effect, or put them back. `tree` is the tree before it,
    /// and becomes what the edits in effect make.
    public mutating func revert(
        _ revision: Int, _ reversal: Reversal, _ tree: inout JSON, isPart: Bool = false
    ) throws(Diverged) {
        flip(off: reversal.changesOff, on: reversal.changesOn)
        do { _ = try identity.show(on: &tree) } catch { throw Diverged() }
        note(revision, reversal, isPart: isPart)
    }

    /// Leads the tree from what the edits in effect make to what it really is, by steps that are
    /// always in effect: the journal is right.
    public mutating func adjust(from shown: JSON, to tree: JSON) throws(Diverged) {
        if shown == tree { return }
        try appendUntracked(EffectHistory.difference(from: shown, to: tree))
    }

    /// The steps that lead from one tree to another, each of one thing.
    public static func difference(from tree: JSON, to other: JSON) -> ReversiblePatch {
        tree.diff(to: other, options: .finest)
    }

    /// The value of the edits in effect. O(touched part).
    public mutating func rendered() throws(Diverged) -> JSON {
        do { return try identity.render(identity.places[0].occupant) } catch { throw Diverged() }
    }

    /// Notes who is in effect since when, and what a redo would put back.
    mutating func note(_ revision: Int, _ reversal: Reversal, isPart: Bool) {
        if isPart { partReversals.insert(revision) }
        let (off, on) = (reversal.changesOff, reversal.changesOn)
        for change in off + on {
            for target in targets(change) {
                for unit in target.units { edits[target.edit].units[unit].flips.append(revision) }
            }
        }
        reversals[revision] = reversal
        for (actor, _) in byActor(on.map(\.revision), or: reversal.actor ?? .nobody) {
            let stacks = (redoStacks[actor] ?? []).map { undone in
                Undone(
                    by: undone.by,
                    revisions: undone.revisions.filter { held($0, by: undone.by) != nil })
            }
            redoStacks[actor] = stacks.filter { !$0.revisions.isEmpty }
        }
        let isBack = Set(on.map(\.revision))
        let taken = off.map(\.revision).filter { !isBack.contains($0) }
        for (actor, revisions) in byActor(taken, or: reversal.actor ?? .nobody) {
            redoStacks[actor, default: []].append(Undone(by: revision, revisions: revisions))
        }
    }

    /// A discarded scope may put back what its owner undid of others.
    private func byActor(_ revisions: [Int], or actor: Name) -> [Name: [Int]] {
        Dictionary(grouping: revisions) { self.actor(of: $0) ?? actor }
    }

    func index(of revision: Int) -> Int? {
        let index = firstIndex(from: revision)
        return index < edits.count && edits[index].revision == revision ? index : nil
    }

    /// The index of the first edit at a revision or later.
    private func firstIndex(from revision: Int) -> Int {
        edits.partitioningIndex { $0.revision >= revision }
    }

    /// The members of a group, as indexes in `edits`, oldest first.
    func members(of group: Int) -> [Int] {
        if let members = byGroup[group] { return members }
        guard let first = index(of: group), edits[first].group == group else { return [] }
        return [first]
    }

    /// Whether something of an edit is in effect.
    func isInEffect(_ index: Int) -> Bool {
        edits[index].units.contains { isInEffect($0) }
    }

    /// Whose edit a revision is; `nil` if the line has no such edit.
    public func actor(of revision: Int) -> Name? {
        index(of: revision).map { edits[$0].actor }
    }

    /// Whether an actor has an edit in effect; `nil` if only an older one could be. O(edits of the
    /// actor).
    public func hasEdits(of actor: Name) -> Bool? {
        if byActor[actor]?.contains(where: isInEffect) == true { return true }
        return isWhole ? false : nil
    }

    /// Whether an own undo of an actor can be redone; `nil` if only an older one could be.
    public func hasUndone(by actor: Name) -> Bool? {
        if redoStacks[actor]?.isEmpty == false { return true }
        return isWhole || byActor[actor] != nil ? false : nil
    }

    /// The revision that last put something of an edit into effect, or took it out; its own, if
    /// none did since.
    public func lastFlip(of revision: Int) -> Int? {
        index(of: revision).flatMap { edits[$0].units.map(\.since).max() }
    }

    /// The revisions of the edits in effect, oldest first. O(edits).
    public var revisionsInEffect: [Int] {
        edits.indices.filter { isInEffect($0) }.map { edits[$0].revision }
    }
}

extension DiffOptions {
    /// Small edits only, each of one thing.
    fileprivate static let finest = DiffOptions(isShort: false)
}
