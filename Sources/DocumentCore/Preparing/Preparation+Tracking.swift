import JSONTree
import VersioningKit

/// An edit in two parts, of which the first one has versions.
struct SplitEdit {
    /// The tree that both lead to, one after the other, with its members in that order.
    let tree: JSON
    let tracked: ReversiblePatch
    let untracked: ReversiblePatch
}

/// Which edits have versions.
extension Preparation {
    /// Splits an edit into its effect on the tracked part and, applied after that, on the rest.
    func split(_ patch: ReversiblePatch, leadingTo tree: JSON) -> SplitEdit {
        let whole = SplitEdit(tree: tree, tracked: patch, untracked: .empty)
        let tracking = document.settings.tracking
        guard !tracking.isWhole,
            var first = edits(from: document.tree, to: tree, where: tracking.covers)
        else { return whole }
        if first.tree == document.tree { first = (document.tree, .empty) }
        guard let rest = edits(from: first.tree, to: tree, where: { _ in true }), rest.tree == tree
        else { return whole }
        // Edits of the rest must not change the tracked part; if they ever did, the whole edit is
        // tracked.
        guard tracking.part(of: first.tree) == tracking.part(of: tree) else { return whole }
        return SplitEdit(tree: rest.tree, tracked: first.patch, untracked: rest.patch)
    }

    /// The differences at wanted places, and the tree that they lead to.
    ///
    /// Makes small edits only: replacing a container would include unwanted places. Edits of the
    /// rest never move wanted places, so they can be left out.
    func edits(
        from before: JSON, to after: JSON, where isWanted: (JSONPointer) -> Bool
    ) -> (tree: JSON, patch: ReversiblePatch)? {
        let options = document.settings.diffOptions
        let operations = before.diff(to: after, options: options).operations(where: isWanted)
        return try? before.applying(operations)
    }

    /// The edits of a change at places that have been tracked ever since: undo knows the values of
    /// those places only.
    func trackedPatch(
        of change: Change, _ past: inout PastTrees
    ) throws(PreparationError) -> ReversiblePatch {
        let trackings = document.trackings(since: change.revision)
        if trackings.allSatisfy(\.isWhole) { return change.patch }
        let isWanted = { (place: JSONPointer) in trackings.allSatisfy { $0.covers(place) } }
        if let patch = change.patch.narrowed(where: isWanted) { return patch }
        let before = try past.tree(before: change.revision)
        guard let after = try? before.applying(change.patch),
            let edits = edits(from: before, to: after, where: isWanted)
        else { throw .refused(.mismatch(version: history.currentID)) }
        return edits.patch
    }
}

/// Trees of the past, computed by reverting the changes since, one by one.
struct PastTrees {
    private var revision: Int
    private var tree: JSON
    private let context: RequestContext

    init(_ document: Document, _ context: RequestContext) {
        revision = document.revision
        tree = document.tree
        self.context = context
    }

    /// The tree before a change. O(changes since, or since the last that was asked for).
    mutating func tree(before target: Int) throws(PreparationError) -> JSON {
        while revision >= target {
            try apply(context.change(revision).edits.inverse)
            revision -= 1
        }
        while revision < target - 1 {
            revision += 1
            try apply(context.change(revision, .forward).edits)
        }
        return tree
    }

    private mutating func apply(_ patch: ReversiblePatch) throws(PreparationError) {
        do { try tree.apply(patch) } catch { throw .refused(.mismatch(version: revision)) }
    }
}

/// An earlier choice of tracked places.
struct FormerTracking: Sendable, Equatable {
    let tracking: Tracking
    /// The first revision that it was not for.
    let end: Int
}

extension Document {
    /// From a revision on another part has versions.
    mutating func endTracking(at revision: Int) {
        trackedSince = revision
        // Once more is as good as longer: what counts is whether it came after a change.
        let former = settings.tracking
        formerTrackings.removeAll { $0.tracking == former }
        if !former.isWhole {
            formerTrackings.append(FormerTracking(tracking: former, end: revision))
        }
    }

    /// The choices of tracked places since a change, in order; empty if the current one applied all
    /// the time.
    func trackings(since revision: Int) -> [Tracking] {
        if revision >= trackedSince { return [] }
        return formerTrackings.filter { $0.end > revision }.map(\.tracking) + [settings.tracking]
    }
}
