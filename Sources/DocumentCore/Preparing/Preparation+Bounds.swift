import VersioningKit

/// How much history a document has.
struct HistoryExtent: Sendable, Equatable {
    /// About how many bytes the versions take in the journal.
    var bytes = 0
    /// How many versions were left when some were last forgotten: tags may keep more than wanted.
    var trimmedCount = 0
    /// When age bounds were last checked.
    var trimTime = Timestamp(milliseconds: 0)
}

/// How many versions stay.
extension Preparation {
    /// How many of the versions stay, if some are to be forgotten now.
    func versionsKept() throws(PreparationError) -> Int? {
        let bounds = document.settings.bounds
        if bounds.isUnlimited { return nil }
        let total = history.state.versions.count
        var kept: Int?
        // The version that is being made, and the state that it was made from.
        func keep(_ count: Int) { kept = min(kept ?? .max, max(2, count)) }
        if let count = bounds.count,
            total > max(count + 1, document.extent.trimmedCount) + Document.slack(count)
        {
            keep(max(count + 1, document.versionsHolding(steps: count)))
        }
        if let bytes = bounds.bytes,
            document.extent.bytes > bytes + Document.slack(bytes),
            total > document.extent.trimmedCount + Document.slack(document.extent.trimmedCount)
        {
            keep(total * bytes / document.extent.bytes)
        }
        if let age = bounds.age, isTimeToLook(age) {
            keep(try versions(after: time.milliseconds - age.milliseconds) + 2)
        }
        return kept
    }

    private func isTimeToLook(_ age: Duration) -> Bool {
        let sinceLook = time.milliseconds - document.extent.trimTime.milliseconds
        return sinceLook >= max(1_000, Document.slack(age.milliseconds))
    }

    /// How many versions were made after a time. O(log n) changes are read.
    private func versions(after milliseconds: Int) throws(PreparationError) -> Int {
        let versions = history.state.versions
        var (low, high) = (0, versions.count)
        while low < high {
            let middle = (low + high) / 2
            let change = try context.change(versions[middle].id, .alone)
            if change.time.milliseconds > milliseconds { high = middle } else { low = middle + 1 }
        }
        return versions.count - low
    }
}

extension Document {
    /// The number of newest versions that contain this number of undoable steps, from here or from
    /// below all scopes. Abandoned versions and versions that will join with their scope lie among
    /// them: at most three times the number are kept with them.
    func versionsHolding(steps count: Int) -> Int {
        let versions = history.state.versions
        var place = Int(history.state.scopes.first?.opening ?? history.state.current)
        for _ in 0..<count where versions[place].parent >= 0 {
            place = Int(versions[place].parent)
        }
        // With the version that is being made.
        return min(versions.count + 1 - place, 4 * (count + 1))
    }

    /// Slack above the bound, so that trimming is rare.
    static func slack(_ bound: Int) -> Int { max(8, bound / 8) }

    /// Forgets old versions.
    mutating func trim(keeping count: Int) {
        let (before, first) = (history.state.versions.count, history.state.versions[0].id)
        history.trim(keeping: count)
        extent.trimTime = time
        extent.trimmedCount = history.state.versions.count
        extent.bytes = extent.bytes * extent.trimmedCount / before
        let oldest = history.state.versions[0]
        // A version that a scope became is older than its name.
        if oldest.id != first { oldestRevision = min(oldest.id, oldest.steps.last ?? oldest.id) }
        formerTrackings.removeAll { $0.end <= oldestRevision }
    }
}

extension Document {
    /// The error for a history's error: a version that was trimmed is not one that never existed.
    func error(_ error: VersionError) -> ChangeError {
        if case .unknownVersion(let version) = error, version < oldestRevision, version >= 0 {
            return .trimmed(oldest: oldestRevision)
        }
        return .version(error)
    }
}
