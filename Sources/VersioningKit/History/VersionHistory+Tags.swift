public import Naming

extension VersionHistory {
    /// Names the current version. A name that exists moves. Ends the open group.
    public mutating func tagCurrent(_ tag: Name) {
        seal()
        state.tags[tag] = state.current
    }

    /// Names version `id`, which exists.
    public mutating func tag(_ id: VersionID, as tag: Name) {
        seal()
        state.tags[tag] = place(of: id) ?? state.current
    }

    /// Forgets a name.
    public mutating func removeTag(_ tag: Name) {
        seal()
        state.tags[tag] = nil
    }

    /// The version that `tag` names.
    public func version(tagged tag: Name) -> VersionID? {
        state.tags[tag].map { state.versions[Int($0)].id }
    }

    /// Every tag, the version it names, and the level of the scope that the version belongs to.
    public var tags: [(name: Name, version: VersionID, scopeLevel: Int)] {
        state.tags.map { name, place in
            let level = state.scopes.prefix { $0.start <= place }.count
            return (name, state.versions[Int(place)].id, level)
        }
    }

    /// The versions of a scope: those on the way of undo, from the one at its opening to the last
    /// one in it, and those that redo would reach, the nearest first. `nil` if no scope is open at
    /// that level. O(versions in the scope).
    public func path(inScopeLevel level: Int) -> (undo: [VersionID], redo: [VersionID])? {
        guard level >= 0 && level <= scopeLevel else { return nil }
        let opening = level == 0 ? 0 : state.scopes[level - 1].opening
        let inner = level < scopeLevel ? state.scopes[level] : nil
        var (undo, redo): ([VersionID], [VersionID]) = ([], [])
        var place = inner?.opening ?? state.current
        var next = inner?.outerRedo ?? current.redo
        while place != opening {
            undo.append(state.versions[Int(place)].id)
            place = state.versions[Int(place)].parent
        }
        undo.append(state.versions[Int(opening)].id)
        while next >= 0 {
            redo.append(state.versions[Int(next)].id)
            next = state.versions[Int(next)].redo
        }
        return (undo.reversed(), redo)
    }
}
