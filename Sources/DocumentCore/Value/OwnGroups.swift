import Naming
import VersioningKit

/// Each actor's open version: the quick edits that own undo takes together, no matter who edits in
/// between.
///
/// The shared line has no holes, so there another actor's edit ends a version; here it does not.
/// Groups do not survive a restart.
struct OwnGroups: Sendable {
    struct Group: Sendable {
        /// The revision of its first edit.
        let first: Int
        let began: Duration
        fileprivate var last: Duration
        fileprivate var grouping: Grouping
    }

    /// Above this number, groups whose time is over are removed, and if need be all.
    private static let countMax = 1_024

    private var groups: [Name: Group] = [:]

    /// The group that an edit of an actor joins.
    func group(of actor: Name, at time: Duration, _ grouping: Grouping) -> Group? {
        guard let group = groups[actor] else { return nil }
        let joins = grouping.joins(
            group.grouping, began: group.began, last: group.last, at: time)
        return joins ? group : nil
    }

    /// Adds an edit; `first` is the revision of the group's first edit, if it joins one.
    mutating func note(
        _ revision: Int, by actor: Name, first: Int?, at time: Duration, _ grouping: Grouping
    ) {
        if grouping == .none { return close(of: actor) }
        if first != nil, var group = groups[actor] {
            group.last = max(group.last, time)
            group.grouping = grouping
            groups[actor] = group
            return
        }
        if groups.count >= OwnGroups.countMax { forget(at: time) }
        groups[actor] = Group(first: revision, began: time, last: time, grouping: grouping)
    }

    mutating func close(of actor: Name) {
        if !groups.isEmpty { groups[actor] = nil }
    }

    mutating func closeAll() {
        if !groups.isEmpty { groups = [:] }
    }

    private mutating func forget(at time: Duration) {
        groups = groups.filter { time - $0.value.last <= $0.value.grouping.window }
        if groups.count >= OwnGroups.countMax { groups = [:] }
    }
}
