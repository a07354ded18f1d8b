/// The state that an edit was made on, and what has happened since.
///
/// It turns an edit of that state into one of the newest state. `add` what has happened, in its
/// order, then `merge`.
public struct MergeBase: Sendable {
    /// What the edit is made on: the state, with the changes that its maker had.
    public private(set) var tree: JSON
    /// The newest state.
    public private(set) var head: JSON
    /// What leads from the one to the other.
    fileprivate var missing: [MergeEdit] = []
    /// Pairs of edits that may be passed, so that the work has a bound.
    public private(set) var pairsLeft: Int

    /// How many edits there are to pass.
    public var missingCount: Int { missing.count }

    /// Why an edit cannot be merged.
    public enum Failure: Error {
        /// The work would be more than is allowed.
        case tooLong
        /// A change does not fit the state that it is said to follow.
        case mismatch
    }

    /// `pairsMax`: how often one edit is passed over another at most; a pair takes about 0.5 µs.
    public init(_ tree: JSON, pairsMax: Int) {
        self.tree = tree
        head = tree
        pairsLeft = pairsMax
    }

    /// Adds what somebody else did. O(edits · log n).
    public mutating func add(
        _ patch: ReversiblePatch, revision: Int
    ) throws(Failure) {
        for edit in patch.edits {
            missing += MergeEdit.edits(of: edit, in: head, origin: revision)
            try MergeBase.apply(edit, to: &head)
        }
    }

    /// Adds a change that the maker of the edit has already: as it was sent, on the state so far,
    /// and as it was stored. O(edits of the change · what is missing).
    public mutating func addOwn(
        sent: ReversiblePatch, stored: ReversiblePatch, revision: Int
    ) throws(Failure) {
        var merge = Merge(over: missing, policy: .mine, pairsMax: pairsLeft)
        for edit in sent.edits {
            for step in MergeEdit.edits(of: edit, in: tree, origin: revision) {
                do { try merge.add(step) } catch { throw .tooLong }
            }
            try MergeBase.apply(edit, to: &tree)
        }
        missing = merge.theirs
        pairsLeft = merge.pairsLeft
        for edit in stored.edits { try MergeBase.apply(edit, to: &head) }
    }

    /// The edit as one of the newest state. O(edits · what is missing).
    ///
    /// - Parameters:
    ///   - sent: what it does to `tree`.
    ///   - isIgnored: where it always goes, and nothing is a conflict.
    public func merge(
        _ sent: RecordedPatch, policy: MergePolicy,
        isIgnored: (JSONPointer) -> Bool = { _ in false }
    ) throws(Failure) -> MergedEdit {
        try withoutActuallyEscaping(isIgnored) { isIgnored throws(Failure) in
            var merge = Merge(over: missing, policy: policy, pairsMax: pairsLeft) {
                isIgnored($0.pointer)
            }
            var after = tree
            var places: [[JSONPointer]] = []
            func read(before count: Int) throws(Failure) {
                for read in sent.reads where read.editsBefore == count {
                    let place = Place(read.pointer, in: after)
                    places.append([read.pointer])
                    let edit = MergeEdit(.read, at: place, origin: places.count - 1)
                    do { try merge.add(edit) } catch { throw .tooLong }
                }
            }
            for (index, edit) in sent.patch.edits.enumerated() {
                try read(before: index)
                places.append(edit.pointers)
                for step in MergeEdit.edits(of: edit, in: after, origin: places.count - 1) {
                    do { try merge.add(step) } catch { throw .tooLong }
                }
                try MergeBase.apply(edit, to: &after)
            }
            try read(before: sent.patch.edits.count)
            return MergedEdit(merge, places, sent.patch, on: self, after: after)
        }
    }

    private static func apply(_ edit: JSONEdit, to tree: inout JSON) throws(Failure) {
        do { try tree.apply(edit) } catch { throw .mismatch }
    }
}

/// What became of an edit that was made on an old state.
public struct MergedEdit: Sendable {
    /// The edit, for the newest state.
    public let patch: ReversiblePatch
    /// The old state with the edit as it was sent: what its maker has.
    public let sentTree: JSON
    /// What leads from there to the newest state with the merged edit.
    public let missed: ReversiblePatch
    /// Where it was in conflict, in the order of its edits.
    public let conflicts: [Conflict]
    /// Whether a part of it gave way.
    public let hasLoss: Bool

    /// A place as it was sent, and the revision that changed it, too.
    public struct Conflict: Sendable, Hashable {
        public let pointer: JSONPointer
        public let revision: Int
    }

    init(
        _ merge: Merge, _ places: [[JSONPointer]], _ sent: ReversiblePatch, on base: MergeBase,
        after: JSON
    ) {
        sentTree = after
        conflicts = merge.conflicts.flatMap { conflict in
            places[conflict.mine].map { Conflict(pointer: $0, revision: conflict.revision) }
        }
        hasLoss = merge.hasLoss || merge.hasBrokenCondition
        if merge.hasBrokenCondition {
            patch = .empty
            let others = MergedEdit.patch(base.missing, on: base.tree)
            missed = ReversiblePatch(sent.inverse.edits + others.edits).compacted
        } else {
            patch = MergedEdit.patch(merge.mine, on: base.head).compacted
            missed = MergedEdit.patch(merge.theirs, on: after).compacted
        }
    }
}

extension MergedEdit {
    /// Edits as they are stored.
    ///
    /// A move whose one address looks like an address inside the other becomes a removal and an
    /// addition: RFC 6902 forbids it, although the value is gone from there before it is added.
    fileprivate static func patch(_ edits: [MergeEdit], on tree: JSON) -> ReversiblePatch {
        let edits = edits.compactMap(\.edit)
        guard edits.contains(where: \.isForbiddenMove) else { return ReversiblePatch(edits) }
        var (tree, result) = (tree, [JSONEdit]())
        for edit in edits {
            if case .move(let from, let to) = edit, edit.isForbiddenMove, let value = tree[from] {
                result += [.remove(from, value), .add(to, value)]
            } else {
                result.append(edit)
            }
            try? tree.apply(edit)
        }
        return ReversiblePatch(result)
    }
}

extension JSONEdit {
    fileprivate var isForbiddenMove: Bool {
        guard case .move(let from, let to) = self else { return false }
        return from.isProperPrefix(of: to) || to.isProperPrefix(of: from)
    }
}

/// A patch, and the places that it relied on.
public struct RecordedPatch: Sendable, Equatable {
    public var patch: ReversiblePatch
    package var reads: [Read]

    /// A `test` that held, before the edit of this number.
    package struct Read: Sendable, Equatable {
        package let pointer: JSONPointer
        package let editsBefore: Int
    }

    public init(_ patch: ReversiblePatch) {
        self.patch = patch
        reads = []
    }

    package init(_ patch: ReversiblePatch, reads: [Read]) {
        self.patch = patch
        self.reads = reads
    }
}
