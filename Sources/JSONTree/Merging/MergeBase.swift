/// The state that an edit was made on, and what has happened since: it turns an edit of that state
/// into one of the newest state.
public struct MergeBase: Sendable {
    /// The state on which the edit is made: the base with the changes that its author had.
    public private(set) var tree: JSON
    /// The newest state.
    public private(set) var head: JSON
    /// The edits from that state to the head.
    private var missing: MissingEdits
    /// Pairs of edits that may be passed, so that the work has a bound.
    public private(set) var pairsLeft: Int

    /// How many edits there are to pass.
    public var missingCount: Int { missing.edits.count }

    /// A change since the base.
    public struct Later: Sendable {
        let patch: ReversiblePatch
        let revision: Int
        /// The patch as it was sent, if the same author also made this change and had it.
        let sent: ReversiblePatch?
        let returning: Returning

        /// The removed values that a change may restore as the same values.
        public enum Returning: Sendable, Equatable {
            /// All that it adds is new.
            case nothing
            /// The change is an undo, a redo or similar: it reverts earlier edits.
            case anything
            /// It is an edit of an old state: it may have won over removals since that revision.
            case removed(after: Int)
        }

        /// How many edits it has.
        public var count: Int { patch.count }

        /// A change, as it was stored; `sent` if the author of the edit already had it.
        public init(
            _ patch: ReversiblePatch, revision: Int, sent: ReversiblePatch? = nil,
            returning: Returning = .nothing
        ) {
            self.patch = patch.asRead
            self.revision = revision
            self.sent = sent
            self.returning = returning
        }
    }

    /// Why an edit cannot be merged.
    public enum Failure: Error {
        /// The work would be more than is allowed.
        case tooLong
        /// A change does not fit the state that it is said to follow.
        case mismatch
        /// An earlier merge considered a change that was undone since: the merge has to be
        /// repeated.
        case takenBack
    }

    /// The base that such changes, in their order, made `head` of. O(edits · log n), and for own
    /// changes edits of the change · what is missing.
    ///
    /// `pairsMax`: the limit on pairs of edits to transform; a pair takes about 0.5 µs.
    public init(before later: [Later], head: JSON, pairsMax: Int) throws(Failure) {
        self.head = head
        pairsLeft = pairsMax
        missing = MissingEdits(pairsMax: pairsMax / 2)
        let edits: LaterEdits
        (tree, edits) = try MergeBase.edits(of: later, before: head)
        for (number, change) in later.enumerated() {
            if let sent = change.sent {
                try addOwn(sent, change.revision)
            } else {
                missing.append(edits[number], returning: change.returning)
            }
        }
    }

    /// The edits of changes, one behind the other.
    private struct LaterEdits {
        var edits: [MergeEdit] = []
        /// Where those of each change end.
        var ends: [Int] = []

        subscript(change: Int) -> ArraySlice<MergeEdit> {
            edits[(change == 0 ? 0 : ends[change - 1])..<ends[change]]
        }
    }

    /// The edits of each change that made `head`, and the tree before them.
    private static func edits(
        of later: [Later], before head: JSON
    ) throws(Failure) -> (tree: JSON, edits: LaterEdits) {
        var tree = head
        let isOverwritten = overwritten(in: later)
        var left = isOverwritten.count
        var backward = LaterEdits()
        backward.edits.reserveCapacity(later.reduce(0) { $0 + $1.count })
        backward.ends.reserveCapacity(later.count)
        // Back once: the places of an edit are read in the tree that it was made in.
        for change in later.reversed() {
            for edit in change.patch.edits.reversed() {
                left -= 1
                // Where an earlier one gives the place its value, nothing in between sees this one.
                if !isOverwritten[left] {
                    try MergeBase.apply(edit.inverse, to: &tree)
                }
                let start = backward.edits.count
                MergeEdit.add(edit, in: tree, origin: change.revision, to: &backward.edits)
                backward.edits[start...].reverse()
            }
            backward.ends.append(backward.edits.count)
        }
        let count = backward.edits.count
        backward.edits.reverse()
        let ends = [0] + backward.ends.dropLast()
        return (tree, LaterEdits(edits: backward.edits, ends: ends.reversed().map { count - $0 }))
    }

    /// The edits that only replace a value that an earlier edit also replaced, with nothing but
    /// such edits in between: going back over the earlier one is enough.
    private static func overwritten(in later: [Later]) -> [Bool] {
        var result: [Bool] = []
        result.reserveCapacity(later.reduce(0) { $0 + $1.count })
        var known: Set<JSONPointer> = []
        for change in later {
            for edit in change.patch.edits {
                if let place = edit.plainlyReplaced {
                    result.append(!known.insert(place).inserted)
                } else {
                    known.removeAll(keepingCapacity: true)
                    result.append(false)
                }
            }
        }
        return result
    }

    /// Adds what has happened since `head`, and made `newHead` of it; returns it.
    fileprivate mutating func follow(
        _ later: [Later], to newHead: JSON
    ) throws(Failure) -> [MergeEdit] {
        let (before, edits) = try MergeBase.edits(of: later, before: newHead)
        guard before == head else { throw .mismatch }
        head = newHead
        for (number, change) in later.enumerated()
        where missing.append(edits[number], returning: change.returning) {
            throw .takenBack
        }
        return edits.edits
    }

    /// The maker of the edit has this change already: what is missing is carried past it.
    private mutating func addOwn(_ sent: ReversiblePatch, _ revision: Int) throws(Failure) {
        var merge = Merge(over: missing.edits, policy: .mine, pairsMax: pairsLeft)
        for edit in sent.edits {
            try merge.add(MergeEdit.edits(of: edit, in: tree, origin: revision))
            try MergeBase.apply(edit, to: &tree)
        }
        missing.replace(merge.theirs)
        pairsLeft = merge.pairsLeft
    }

    /// The edit as one of the newest state. O(edits · what of the missing each may meet).
    ///
    /// - Parameters:
    ///   - sent: what it does to `tree`.
    ///   - policy: who gives way in a conflict.
    ///   - exceptions: the same for single edits, by their numbers in `sent`: their conflicts are
    ///     decided, and not reported. Only for edits without conditions.
    ///   - isIgnored: where it always goes, and nothing is a conflict.
    public func merge(
        _ sent: RecordedPatch, policy: ConflictPolicy,
        except exceptions: [Int: ConflictPolicy] = [:],
        isIgnored: @escaping @Sendable (JSONPointer) -> Bool = { _ in false }
    ) throws(Failure) -> MergedEdit {
        var merge = Merge(
            over: missing.edits, policy: policy, except: exceptions, pairsMax: pairsLeft
        ) {
            isIgnored($0.pointer)
        }
        var after = tree
        var places: [[JSONPointer]] = []
        var reads = sent.reads[...]
        func passReads(before count: Int) throws(Failure) {
            while let read = reads.first, read.editsBefore == count {
                reads.removeFirst()
                places.append([read.pointer])
                let place = Place(read.pointer, in: after)
                try merge.add([MergeEdit(.read, at: place, origin: places.count - 1)])
            }
        }
        for (index, edit) in sent.patch.edits.enumerated() {
            try passReads(before: index)
            places.append(edit.pointers)
            try merge.add(MergeEdit.edits(of: edit, in: after, origin: places.count - 1))
            try MergeBase.apply(edit, to: &after)
        }
        try passReads(before: sent.patch.edits.count)
        return MergedEdit(merge, places, sent.patch, on: self, after: after)
    }

    /// The edits from the tree to the head.
    fileprivate var missingPatch: ReversiblePatch { MergedEdit.patch(missing.edits) }

    private static func apply(_ edit: JSONEdit, to tree: inout JSON) throws(Failure) {
        do { try tree.apply(edit) } catch { throw .mismatch }
    }
}

/// The result of merging an edit that was made on an old state.
public struct MergedEdit: Sendable {
    /// The edit, for the newest state.
    public let patch: ReversiblePatch
    /// The old state with the edit as it was sent: what its maker has.
    public let sentTree: JSON
    /// The edits from there to the newest state with the merged edit.
    public let missed: ReversiblePatch
    /// Where it was in conflict, in the order of its edits.
    public let conflicts: [Conflict]
    /// The same of edits of which it was said before who gives way.
    public let settled: [Conflict]
    /// Whether a part of it gave way.
    public let hasLoss: Bool
    /// The edit as it was sent.
    public let sent: ReversiblePatch
    private let base: MergeBase
    private let merge: Merge
    private let places: [[JSONPointer]]

    /// A place as it was sent, and the revision that also changed it.
    public struct Conflict: Sendable, Hashable {
        /// The place, as it was sent.
        public let pointer: JSONPointer
        /// The revision of the others' change.
        public let revision: Int
        /// The number of the edit, with conditions as edits of their own.
        public let edit: Int

        /// The same conflict with another number for the revision.
        public func renumbered(_ revision: Int) -> Conflict {
            Conflict(pointer: pointer, revision: revision, edit: edit)
        }
    }

    init(
        _ merge: Merge, _ places: [[JSONPointer]], _ sent: ReversiblePatch, on base: MergeBase,
        after: JSON
    ) {
        self.sent = sent
        self.base = base
        self.merge = merge
        self.places = places
        sentTree = after
        conflicts = MergedEdit.conflicts(merge.conflicts, places)
        settled = MergedEdit.conflicts(merge.settled, places)
        hasLoss = merge.hasLoss || merge.hasBrokenCondition
        if merge.hasBrokenCondition {
            patch = .empty
            let others = base.missingPatch
            missed = ReversiblePatch(sent.inverse.edits + others.edits).compacted
        } else {
            patch = MergedEdit.patch(merge.mine)
            missed = MergedEdit.patch(merge.theirs)
        }
    }

    private static func conflicts(
        _ found: [Merge.Conflict], _ places: [[JSONPointer]]
    ) -> [Conflict] {
        let inOrder = found.sorted { ($0.mine, $0.revision) < ($1.mine, $1.revision) }
        return inOrder.flatMap { conflict in
            places[conflict.mine].map {
                Conflict(pointer: $0, revision: conflict.revision, edit: conflict.mine)
            }
        }
    }

    /// The same edit when more has happened since: as if it were merged with all of it, but only
    /// what is new is passed. O(edits · what is new).
    public func following(
        _ later: [MergeBase.Later], to head: JSON
    ) throws(MergeBase.Failure) -> MergedEdit {
        var (base, merge) = (base, merge)
        try merge.follow(base.follow(later, to: head))
        return MergedEdit(merge, places, sent, on: base, after: sentTree)
    }

    /// `patch` and `missed` with every edit as it was transformed: an element that was removed and
    /// one that replaced it are two. For a further transformation.
    public var passed: (patch: ReversiblePatch, missed: ReversiblePatch) {
        if merge.hasBrokenCondition { return (patch, missed) }
        return (
            ReversiblePatch(merge.mine.compactMap(\.edit)),
            ReversiblePatch(merge.theirs.compactMap(\.edit))
        )
    }

    /// `passed.patch`, and of which edit, as it was sent, each is.
    public var passedMine: (patch: ReversiblePatch, origins: [Int]) {
        if merge.hasBrokenCondition { return (patch, []) }
        let kept = merge.mine.filter { $0.edit != nil }
        return (ReversiblePatch(kept.compactMap(\.edit)), kept.map(\.origin))
    }

    /// `patch`, in which edits are made one only if they are of one group: with the group of each.
    /// `groups` has those of the edits as they were sent.
    public func patch(keepingApart groups: [Int]) -> (patch: ReversiblePatch, groups: [Int]) {
        var result = ReversiblePatch.empty
        var found: [Int] = []
        for run in merge.mine.chunked(by: { groups[$0.origin] == groups[$1.origin] }) {
            let patch = MergedEdit.patch(Array(run))
            result.append(patch)
            found += Array(repeating: groups[run.first?.origin ?? 0], count: patch.count)
        }
        return (result, found)
    }

    /// How many pairs of edits were passed.
    public var pairsSpent: Int { merge.pairsSpent }

    /// How many edits the merged one has.
    public var editCount: Int { merge.mine.count }
}

extension MergedEdit {
    /// Edits as they are stored.
    ///
    /// A value that is put back for the sake of an edit inside it is stored as it was, with the
    /// edit behind it: so it can be known again as the one that was removed.
    fileprivate static func patch(_ edits: [MergeEdit]) -> ReversiblePatch {
        let edits = edits.contains(where: \.isNothing) ? edits.filter { !$0.isNothing } : edits
        var result = ReversiblePatch.empty
        var start = 0
        for index in edits.indices where edits[index].isReturn {
            let next = index + 1 < edits.count ? edits[index + 1] : nil
            guard !edits[index].isReplaced(by: next), let stored = edits[index].edit else {
                continue
            }
            result.append(ReversiblePatch(edits[start..<index].compactMap(\.edit)).compacted)
            result.append(ReversiblePatch([stored]))
            start = index + 1
        }
        result.append(ReversiblePatch(edits[start...].compactMap(\.edit)).compacted)
        // Two moves, passed by others, may have become the halves of one.
        return result.asRead
    }
}

extension Array {
    /// Its stretches of neighbours that belong together.
    fileprivate func chunked(by isTogether: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var chunks: [ArraySlice<Element>] = []
        var start = 0
        for index in indices.dropFirst() where !isTogether(self[index - 1], self[index]) {
            chunks.append(self[start..<index])
            start = index
        }
        return isEmpty ? [] : chunks + [self[start...]]
    }
}

extension MergeEdit {
    /// Whether the next edit gives the member at this place another value.
    fileprivate func isReplaced(by next: MergeEdit?) -> Bool {
        guard let next, next.place == place, !place.isElement, case .set = next.action else {
            return false
        }
        return true
    }
}

/// A patch, and the places that it relied on.
public struct RecordedPatch: Sendable, Equatable {
    /// The edits.
    public var patch: ReversiblePatch
    package var reads: [Read]

    /// A `test` that held, before the edit of this number.
    package struct Read: Sendable, Equatable {
        package let pointer: JSONPointer
        package let editsBefore: Int
    }

    /// A patch without conditions.
    public init(_ patch: ReversiblePatch) {
        self.patch = patch
        reads = []
    }

    package init(_ patch: ReversiblePatch, reads: [Read]) {
        self.patch = patch
        self.reads = reads
    }
}
