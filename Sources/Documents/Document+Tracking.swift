import JSONTree
import VersioningKit

/// Which edits have versions.
extension Preparation {
    /// What an edit does to the part that has versions, and what it does after that to the rest.
    func split(
        _ patch: ReversiblePatch, leadingTo tree: JSON
    ) -> (tracked: ReversiblePatch, untracked: ReversiblePatch) {
        let tracking = document.settings.tracking
        if tracking.isWhole { return (patch, .empty) }
        // Small edits only: one that replaces a container would take both parts with it. Edits of
        // the rest never move what has versions, so these can be left out.
        var options = document.settings.diffOptions
        options.isShort = false
        let operations = document.tree.diff(to: tree, options: options)
            .operations(where: tracking.covers)
        guard let (middle, tracked) = try? document.tree.applying(operations) else {
            return (patch, .empty)
        }
        let rest = middle.diff(to: tree, options: options)
        guard let end = try? middle.applying(rest), end == tree else { return (patch, .empty) }
        // What has versions must be the same after the rest; if it ever were not, all is tracked.
        guard tracking.hash(of: middle) == tracking.hash(of: tree) else { return (patch, .empty) }
        return (middle == document.tree ? .empty : tracked, rest)
    }
}

/// What had versions before something else did.
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
        formerTrackings.removeAll { $0.tracking == settings.tracking }
        if !settings.tracking.isWhole {
            formerTrackings.append(FormerTracking(tracking: settings.tracking, end: revision))
        }
    }

    /// What a change did to places that have had versions ever since: only there undo knows what it
    /// finds.
    func trackedPatch(of change: Change) -> ReversiblePatch {
        if change.revision >= trackedSince { return change.patch }
        let trackings =
            formerTrackings.filter { $0.end > change.revision }.map(\.tracking)
            + [settings.tracking]
        if trackings.allSatisfy(\.isWhole) { return change.patch }
        return change.patch.narrowed { place in trackings.allSatisfy { $0.covers(place) } }
    }
}
