import JSONTree
import VersioningKit

/// Which edits have versions, and how many versions stay.
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

    /// How many of the versions stay, if some are to be forgotten now.
    func versionsKept() throws(ChangeError) -> Int? {
        let bounds = document.settings.bounds
        if bounds.isUnlimited { return nil }
        let total = history.state.versions.count
        var kept: Int?
        // The version that is being made, and the state that it was made from.
        func keep(_ count: Int) { kept = min(kept ?? .max, max(2, count)) }
        if let count = bounds.count,
            total > max(count + 1, document.trimmedCount) + Preparation.slack(count)
        {
            keep(count + 1)
        }
        if let bytes = bounds.bytes,
            document.historyBytes > bytes + Preparation.slack(bytes),
            total > document.trimmedCount + Preparation.slack(document.trimmedCount)
        {
            keep(total * bytes / document.historyBytes)
        }
        if let age = bounds.age, isTimeToLook(age) {
            keep(try versions(after: time.milliseconds - age.milliseconds) + 2)
        }
        return kept
    }

    /// So much more than is wanted may gather, so that forgetting happens seldom.
    private static func slack(_ bound: Int) -> Int { max(8, bound / 8) }

    private func isTimeToLook(_ age: Duration) -> Bool {
        let sinceLook = time.milliseconds - document.trimTime.milliseconds
        return sinceLook >= max(1_000, Preparation.slack(age.milliseconds))
    }

    /// How many versions were made after a time. O(log n) changes are read.
    private func versions(after milliseconds: Int) throws(ChangeError) -> Int {
        let versions = history.state.versions
        var (low, high) = (0, versions.count)
        while low < high {
            let middle = (low + high) / 2
            let change = try circumstances.change(versions[middle].id)
            if change.time.milliseconds > milliseconds { high = middle } else { low = middle + 1 }
        }
        return versions.count - low
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

extension Document {
    /// What a history says, with what was forgotten told from what never was.
    func error(_ error: VersionError) -> ChangeError {
        if case .unknownVersion(let version) = error, version < oldestRevision, version >= 0 {
            return .trimmed(oldest: oldestRevision)
        }
        return .version(error)
    }
}
