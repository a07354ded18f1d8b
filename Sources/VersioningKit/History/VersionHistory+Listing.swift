public import Naming

extension VersionHistory {
    /// The position of a version relative to the current one.
    public enum Standing: Sendable, Equatable {
        case current
        /// Undo comes to it.
        case behind
        /// Redo comes to it, in its scope.
        case ahead
        /// Only `goTo` comes to it: an abandoned future, or what is inside a closed scope.
        case aside
    }

    /// A version as a list shows it.
    public struct ListedVersion {
        /// The version.
        public let id: VersionID
        /// The version that it was made on; `nil` for the first.
        public let parent: VersionID?
        /// The steps from the parent, oldest first.
        public let steps: [Step]
        /// The position relative to the current version.
        public let standing: Standing
        /// The level of the open scope that it belongs to.
        public let scopeLevel: Int
        /// In the order of their bytes.
        public let tags: [Name]
    }

    /// Versions with ids below `id`, or all, the newest first; up to `limit`. O(limit +
    /// rows, and versions between them and the current version + tags).
    public func list(before id: VersionID? = nil, limit: Int) -> [ListedVersion] {
        let end = id.map { firstPlace(from: $0) } ?? state.versions.count
        let range = Swift.max(0, end - limit)..<end
        let standings = standings(in: range)
        let tags = tagsByPlace(in: range)
        return range.reversed().map { place in
            let version = state.versions[place]
            return ListedVersion(
                id: version.id,
                parent: version.parent < 0 ? nil : state.versions[Int(version.parent)].id,
                steps: version.steps.list,
                standing: standings[place - range.lowerBound],
                scopeLevel: state.scopes.prefix { $0.start <= place }.count,
                tags: tags[place]?.sorted() ?? [])
        }
    }

    /// The version that is `count` versions above one, or the newest if there are fewer; `nil` if
    /// there is none above it. O(log n).
    public func version(_ count: Int, above id: VersionID) -> VersionID? {
        let place = firstPlace(from: id)
        let last = state.versions.count - 1
        return place < last ? state.versions[Swift.min(place + count, last)].id : nil
    }

    /// How many versions have ids above one. O(log n).
    public func count(above id: VersionID) -> Int {
        Swift.max(0, state.versions.count - 1 - firstPlace(from: id))
    }

    private func standings(in range: Range<Int>) -> [Standing] {
        var standings = [Standing](repeating: .aside, count: range.count)
        func note(_ place: Int32, _ standing: Standing) {
            guard range.contains(Int(place)) else { return }
            standings[Int(place) - range.lowerBound] = standing
        }
        for start in startsAhead {
            var place = follow(start, to: Int32(range.lowerBound)).place
            while place >= 0 && place < range.upperBound {
                note(place, .ahead)
                place = state.versions[Int(place)].redo
            }
        }
        // A parent is before its children: below the range there is nothing to find.
        var place = climb(state.current, to: Int32(clamping: range.upperBound))
        while place >= range.lowerBound {
            note(place, place == state.current ? .current : .behind)
            place = state.versions[Int(place)].parent
        }
        return standings
    }

    private func tagsByPlace(in range: Range<Int>) -> [Int: [Name]] {
        var found: [Int: [Name]] = [:]
        for (tag, place) in state.tags where range.contains(Int(place)) {
            found[Int(place), default: []].append(tag)
        }
        return found
    }
}

extension VersionHistory where Step == VersionID {
    /// The version that an edit belongs to, where versions are named by the first of their edits;
    /// `nil` if that version is not known any more. O(log n + its edits).
    public func version(ofStep step: Step) -> VersionID? {
        let place = firstPlace(from: step + 1) - 1
        guard place >= 0 else { return nil }
        let version = state.versions[place]
        return version.id == step || version.steps.list.contains(step) ? version.id : nil
    }
}

extension VersionHistory.ListedVersion: Sendable where Step: Sendable {}
