import Journaling
public import Naming
import VersioningKit

/// A tag that keeps old versions that the bounds on the history want forgotten.
public struct HoldingTag: Sendable, Equatable {
    public let tag: Name
    /// The version that it names.
    public let version: Int

    package init(tag: Name, version: Int) {
        self.tag = tag
        self.version = version
    }
}

extension Document {
    /// The tag of the oldest version that has one.
    package var oldestTag: (name: Name, version: Int, place: Int)? {
        let oldest = history.state.tags.min { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let oldest else { return nil }
        let place = Int(oldest.value)
        return (oldest.key, history.state.versions[place].id, place)
    }

    /// The oldest tag, if its version is none of the `count` newest.
    public func holdingTag(keeping count: Int) -> HoldingTag? {
        guard let oldest = oldestTag, oldest.place < history.state.versions.count - count
        else { return nil }
        return HoldingTag(tag: oldest.name, version: oldest.version)
    }

    /// The oldest tag, if the bounds on the number or the bytes of versions want its version
    /// forgotten.
    package var holdingTag: HoldingTag? {
        let (bounds, total) = (settings.bounds, history.state.versions.count)
        if bounds.isUnlimited || history.state.tags.isEmpty { return nil }
        var kept = total
        if let count = bounds.count {
            let wanted = max(count + 1, versionsHolding(steps: count))
            kept = min(kept, wanted + Document.slack(count))
        }
        if let bytes = bounds.bytes, extent.bytes > bytes + Document.slack(bytes) {
            kept = min(kept, total * bytes / extent.bytes)
        }
        return holdingTag(keeping: kept)
    }

    /// Whether the bound on age wants forgotten what was made at a time.
    package func isTooOld(_ time: Timestamp) -> Bool {
        guard let age = settings.bounds.age?.milliseconds else { return false }
        return self.time.milliseconds - time.milliseconds > age + max(1_000, Document.slack(age))
    }
}
