import JSONTree
import SelectiveUndo

/// What has to do with some changes that are long ago, and what can be left out to undo or redo
/// them: whatever was made elsewhere in the document and has stayed there.
///
/// So what an undo takes does not grow with what others do elsewhere. What is decided here is
/// always safe: where one change would make another one matter, it is impossible.
package struct Narrowing: Sendable {
    /// The revisions of the changes.
    private(set) var targets: Set<Int> = []
    private var groups: Set<Int> = []
    private var parts = TouchedParts()
    /// What was taken out of effect or put back by changes that are left out.
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

    /// Each change is compared with so many.
    private static let partsMax = 16

    enum Decision {
        case wanted
        case leftOut
        /// The changes cannot be looked at without all others.
        case impossible
    }

    /// What becomes of a change; later ones come first.
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
