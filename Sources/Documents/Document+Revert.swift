import JSONTree
import VersioningKit

/// Taking single edits back past later ones.
extension Preparation {
    /// The inverse of the wanted edits, rebased over what came after them.
    func reverting(_ wish: Reverting) throws(ChangeError) -> Prepared {
        if case .change(let revision) = wish.target, revision < document.oldestRevision {
            throw .trimmed(oldest: document.oldestRevision)
        }
        let path = try revisionsInScope()
        let target = try RevertTarget.find(wish, on: path, circumstances.change)
        var past = PastTrees(document, circumstances.change)
        var later = ReversiblePatch.empty
        for revision in path[..<target.places.lowerBound].reversed() {
            later.append(try trackedPatch(of: try circumstances.change(revision), &past))
        }
        var inverse = ReversiblePatch.empty
        for revision in path[target.places] {
            let change = try circumstances.change(revision)
            if !wish.isRedo { try checkOwner(of: change) }
            inverse.append(try trackedPatch(of: change, &past).inverse)
        }
        let patch = try rebased(inverse, over: later.compacted, isForced: wish.isForced)
        guard let tree = try? document.tree.applying(patch) else {
            throw .mismatch(version: history.currentID)
        }
        try checkLimits(tree)
        if tree == document.tree { return unchanged }
        return recorded(
            .revert(target.revisions, isRedo: wish.isRedo), patch.compacted, tree: tree)
    }

    private func rebased(
        _ patch: ReversiblePatch, over later: ReversiblePatch, isForced: Bool
    ) throws(ChangeError) -> ReversiblePatch {
        guard let base = try? document.tree.applying(later.inverse),
            let rebased = try? patch.rebased(over: later, on: base)
        else { throw .mismatch(version: history.currentID) }
        if rebased.conflicts.isEmpty { return rebased.patch }
        guard isForced else { throw .conflicts(rebased.conflicts) }
        return rebased.forced(on: document.tree)
    }

    /// The edits between the current version and the one that the scope was opened at, the newest
    /// first.
    private func revisionsInScope() throws(ChangeError) -> [Int] {
        let first = history.state.versions[0].id
        let base = (try? history.scopeBase()) ?? first
        return history.route(to: base).undone
    }
}

/// Edits that stand next to each other on the way to the current version.
private struct RevertTarget {
    /// Their places on the path, on which the newest edit comes first.
    let places: Range<Int>
    /// The revisions that are then undone, or done again.
    let revisions: [Int]

    /// Finds what is to be taken back: edits, or the edit that took edits back.
    static func find(
        _ wish: Reverting, on path: [Int], _ change: (Int) throws(ChangeError) -> Change
    ) throws(ChangeError) -> RevertTarget {
        var states = EditStates()
        for (place, revision) in path.enumerated() {
            let candidate = try change(revision)
            if case .revert(let revisions, let isRedo) = candidate.kind {
                let isNews = states.note(revisions, isDone: isRedo)
                if wish.isRedo, !isRedo, isNews, try wish.means(revisions, change) {
                    return RevertTarget(places: place..<(place + 1), revisions: revisions)
                }
                // A reversion is an edit, too, which its revision names.
                guard wish.target == .change(revision) else { continue }
            }
            let isDone = states.isDone(revision)
            if wish.isRedo {
                // What somebody edits anew takes the place of what could be brought again.
                if wish.target == .actor(candidate.actor), isDone { break }
                continue
            }
            guard isDone, try wish.means([revision], change) else { continue }
            if case .change = wish.target {
                return RevertTarget(places: place..<(place + 1), revisions: [revision])
            }
            return try version(endingAt: place, on: path, states, change)
        }
        throw wish.failure
    }

    /// All edits of the version that ends with the edit at `place`: they joined one another.
    private static func version(
        endingAt place: Int, on path: [Int], _ states: EditStates,
        _ change: (Int) throws(ChangeError) -> Change
    ) throws(ChangeError) -> RevertTarget {
        var end = place + 1
        var next = try change(path[place])
        while case .append(joins: true, _) = next.kind, end < path.count {
            let earlier = try change(path[end])
            guard earlier.actor == next.actor, states.isDone(earlier.revision) else { break }
            next = earlier
            end += 1
        }
        return RevertTarget(places: place..<end, revisions: path[place..<end].reversed())
    }
}

/// Which edits are undone one by one, as the newest word about each says.
private struct EditStates {
    private var isDone: [Int: Bool] = [:]

    func isDone(_ revision: Int) -> Bool { isDone[revision] ?? true }

    /// Takes note; answers whether nothing newer was said.
    mutating func note(_ revisions: [Int], isDone: Bool) -> Bool {
        var isNews = true
        for revision in revisions {
            if self.isDone[revision] == nil {
                self.isDone[revision] = isDone
            } else {
                isNews = false
            }
        }
        return isNews
    }
}

extension Reverting {
    fileprivate func means(
        _ revisions: [Int], _ change: (Int) throws(ChangeError) -> Change
    ) throws(ChangeError) -> Bool {
        switch target {
        case .change(let revision): revisions.contains(revision)
        case .actor(let actor):
            if let first = revisions.first { try change(first).actor == actor } else { false }
        }
    }

    fileprivate var failure: ChangeError {
        switch target {
        case .change(let revision): .notInEffect(revision: revision)
        case .actor:
            .version(isRedo ? .nothingToRedo(available: 0) : .nothingToUndo(available: 0))
        }
    }
}
