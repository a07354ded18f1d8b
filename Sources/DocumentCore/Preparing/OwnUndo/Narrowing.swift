import JSONTree
import SelectiveUndo

/// Finds the changes that interact with some old changes. To undo or redo those, all others can be
/// left out: changes made elsewhere in the document that have stayed there.
///
/// So the cost of an undo does not grow with work at other places. The decision is always safe: if
/// one change would make another one relevant, narrowing is impossible.
package struct Narrowing: Sendable {
    /// The revisions of the changes.
    private(set) var targets: Set<Int> = []
    private var groups: Set<Int> = []
    private var parts = AffectedRegions()
    /// The changes that left-out changes undid or redid.
    private var flipped: Set<Int> = []

    /// For changes that are edits.
    init(_ changes: [Change]) {
        for change in changes { parts.add(change.patch) }
        note(changes)
    }

    private mutating func note(_ changes: [Change]) {
        for change in changes {
            targets.insert(change.revision)
            groups.insert(change.group ?? change.revision)
        }
    }

    /// Adds a version, if that makes it not much wider. Returns whether it did.
    mutating func add(_ version: [Change]) -> Bool {
        var wider = parts
        for change in version { wider.add(change.patch) }
        guard wider.count <= Narrowing.partsMax else { return false }
        parts = wider
        note(version)
        return true
    }

    /// The limit on parts with which each change is compared.
    private static let partsMax = 16

    enum Decision {
        case wanted
        case leftOut
        /// The changes cannot be read without all others.
        case impossible
    }

    /// The decision on a change; later changes come first.
    mutating func decision(on change: Change, _ patch: ReversiblePatch) -> Decision {
        if let reversal = change.reversal {
            if !targets.isDisjoint(with: reversal.flipped) { return .wanted }
        } else if targets.contains(change.revision) {
            return flipped.contains(change.revision) ? .impossible : .wanted
        } else if groups.contains(change.group ?? change.revision) || change.joinsUnnamed {
            return .impossible
        }
        guard change.untracked.isEmpty else { return .impossible }
        switch parts.touch(patch) {
        case .across: return .impossible
        case .inside: return flipped.contains(change.revision) ? .impossible : .wanted
        case .apart:
            flipped.formUnion(change.reversal?.flipped ?? [])
            return .leftOut
        }
    }

    /// Whether all changes of a segment are left out.
    mutating func leavesOut(_ segment: SegmentOutline) -> Bool {
        guard segment.groups.isDisjoint(with: groups),
            !groups.contains(where: segment.revisions.contains),
            segment.places.allSatisfy(parts.isApart)
        else { return false }
        var narrowing = self
        for change in segment.reversals.reversed() {
            guard narrowing.decision(on: change, change.patch) == .leftOut else { return false }
        }
        self = narrowing
        return true
    }

    /// Whether a difference has nothing to do with the changes.
    func isApart(_ patch: ReversiblePatch) -> Bool { parts.touch(patch) == .apart }
}
