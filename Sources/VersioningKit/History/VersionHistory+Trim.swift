extension VersionHistory {
    /// Forgets old versions: all but the newest `count`, those that tags and open scopes name, the
    /// current one, and what leads from one of these to another. The oldest that is left is then
    /// where undo ends. O(versions).
    public mutating func trim(keeping count: Int) {
        guard count < state.versions.count, let kept = places(keeping: count) else { return }
        var newPlaces = [Int32](repeating: -1, count: state.versions.count)
        for (new, old) in kept.enumerated() { newPlaces[Int(old)] = Int32(new) }
        func place(_ old: Int32) -> Int32 { old < 0 ? -1 : newPlaces[Int(old)] }
        var versions = PersistentArray<Version>()
        for old in kept {
            let version = state.versions[Int(old)]
            versions.append(
                Version(
                    id: version.id, parent: place(version.parent), redo: place(version.redo),
                    depth: version.depth, steps: version.steps))
        }
        let scopes = state.scopes.map { scope in
            Scope(
                opening: place(scope.opening), start: Int32(kept.count { $0 < scope.start }),
                outerRedo: place(scope.outerRedo), owner: scope.owner, expiry: scope.expiry)
        }
        state = State(
            versions: versions, current: place(state.current), scopes: scopes,
            tags: state.tags.mapValues(place))
    }

    /// The places that stay, in order, or `nil` if all do.
    private func places(keeping count: Int) -> [Int32]? {
        let total = state.versions.count
        var isKept = [Bool](repeating: false, count: total)
        let pinned = [state.current] + state.scopes.map(\.opening) + state.tags.values
        for place in pinned { isKept[Int(place)] = true }
        for place in (total - max(1, count))..<total { isKept[place] = true }
        // From the newest on, each brings its parent, until all come from the one that is left.
        var left = isKept.count { $0 }
        var kept: [Int32] = []
        for place in stride(from: total - 1, through: 0, by: -1) where isKept[place] {
            kept.append(Int32(place))
            if left == 1 { break }
            let parent = Int(state.versions[place].parent)
            if isKept[parent] { left -= 1 } else { isKept[parent] = true }
        }
        return kept.count == total ? nil : kept.reversed()
    }
}
