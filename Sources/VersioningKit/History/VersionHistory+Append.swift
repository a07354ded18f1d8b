public import Naming

extension VersionHistory {
    /// Whether an edit of `actor` at `time` would join the open group.
    public func joins(actor: Name, at time: Duration, grouping: Grouping) -> Bool {
        guard let group = openGroup, group.actor == actor else { return false }
        return grouping.joins(group.grouping, began: group.began, last: group.last, at: time)
    }

    /// Records a step: as a new version named `id`, or as a part of the open group.
    ///
    /// `joining` is what `joins` said when the edit was made; it is stored with the edit, so that
    /// replay makes the same versions whatever the settings are by then. `began`: when the edits
    /// that it joins began, if that was before the version.
    public mutating func append(
        _ step: Step, id: VersionID, joining: Bool = false, actor: Name = .nobody,
        at time: Duration = .zero, grouping: Grouping = .none, began: Duration? = nil
    ) {
        if joining {
            state.versions[Int(state.current)].steps.append(step)
            if var group = openGroup {
                group.last = Swift.max(group.last, time)
                group.grouping = grouping
                openGroup = group
            }
            return
        }
        addVersion(id, parent: state.current, .one(step))
        openGroup =
            grouping == .none
            ? nil : OpenGroup(actor: actor, began: began ?? time, last: time, grouping: grouping)
    }

    mutating func addVersion(_ id: VersionID, parent: Int32, _ steps: Steps<Step>) {
        precondition(id > state.versions[state.versions.count - 1].id, "version ids grow")
        let place = Int32(state.versions.count)
        let depth = state.versions[Int(parent)].depth + 1
        // First, because it copies what is shared, and that once is enough.
        state.versions.append(
            Version(id: id, parent: parent, redo: -1, depth: depth, steps: steps))
        state.versions[Int(parent)].redo = place
        state.current = place
    }

    /// Ends the open group: the next edit begins a new version.
    public mutating func seal() {
        openGroup = nil
    }

    /// The time at which the open group ends without further edits, or `nil` if none is open.
    public var sealDeadline: Duration? {
        openGroup.map { group in
            min(group.last + group.grouping.window, group.began + group.grouping.max)
        }
    }
}
