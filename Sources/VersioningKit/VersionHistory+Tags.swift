extension VersionHistory {
    /// Names the current version. A name that exists moves. Ends the open group.
    public mutating func tagCurrent(_ tag: String) {
        seal()
        state.tags[tag] = state.current
    }

    /// Names version `id`, which exists.
    public mutating func tag(_ id: VersionID, as tag: String) {
        seal()
        state.tags[tag] = place(of: id) ?? state.current
    }

    /// Forgets a name.
    public mutating func removeTag(_ tag: String) {
        seal()
        state.tags[tag] = nil
    }

    /// The version that `tag` names.
    public func version(tagged tag: String) -> VersionID? {
        state.tags[tag].map { state.versions[Int($0)].id }
    }

    /// Every tag, the version it names, and the level of the scope that the version belongs to.
    public var tags: [(name: String, version: VersionID, scopeLevel: Int)] {
        state.tags.map { name, place in
            let level = state.scopes.prefix { $0.start <= place }.count
            return (name, state.versions[Int(place)].id, level)
        }
    }
}
