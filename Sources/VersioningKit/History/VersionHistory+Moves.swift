import Naming

extension VersionHistory {
    /// The version that a move would end at. Changes nothing.
    public func target(of move: Move) throws(VersionError) -> VersionID {
        let place =
            switch move {
            case .undo(let count): try climb(count)
            case .redo(let count): try descend(count)
            case .undoScope: hasUndo ? opening : try climb(1)
            case .redoScope: try descend(Swift.max(1, redoCount))
            case .undoTo(let target): try ancestor(target)
            case .redoTo(let target): try descendant(target)
            case .goTo(let target): try inScope(try place(of: target))
            }
        return state.versions[Int(place)].id
    }

    /// The version of a name or a number.
    public func version(of target: Move.Target) throws(VersionError) -> VersionID {
        state.versions[Int(try place(of: target))].id
    }

    private func climb(_ count: Int) throws(VersionError) -> Int32 {
        var (place, left) = (state.current, count)
        while left > 0 {
            guard place != opening else { throw .nothingToUndo(available: count - left) }
            guard left > Int(VersionHistory.walked) else {
                (place, left) = (state.versions[Int(place)].parent, left - 1)
                continue
            }
            let depth = state.versions[Int(place)].depth
            place = climb(place, to: Swift.max(opening, Int32(clamping: Int(place) - left)))
            left -= Int(depth - state.versions[Int(place)].depth)
        }
        return place
    }

    private func descend(_ count: Int) throws(VersionError) -> Int32 {
        var (place, left) = (state.current, count)
        while left > 0 {
            // Each step leads at least one place on.
            let end = Int(place) + Swift.min(left, state.versions.count)
            let (next, passed) = follow(place, to: Int32(clamping: end))
            guard next >= 0 else { throw .nothingToRedo(available: count - left + passed) }
            (place, left) = (next, left - passed)
        }
        return place
    }

    private func place(of target: Move.Target) throws(VersionError) -> Int32 {
        switch target {
        case .version(let id):
            guard let place = place(of: id) else { throw .unknownVersion(id) }
            return place
        case .tag(let tag):
            guard let place = state.tags[tag] else { throw .unknownTag(tag) }
            return place
        }
    }

    private func inScope(_ place: Int32) throws(VersionError) -> Int32 {
        guard let scope = state.scopes.last else { return place }
        guard place >= scope.start || place == scope.opening else { throw .outsideScope }
        return place
    }

    private func ancestor(_ target: Move.Target) throws(VersionError) -> Int32 {
        let end = try inScope(try place(of: target))
        guard climb(state.current, to: end) == end else { throw .notOnPath(target) }
        return end
    }

    private func descendant(_ target: Move.Target) throws(VersionError) -> Int32 {
        let end = try inScope(try place(of: target))
        guard follow(state.current, to: end).place == end else { throw .notOnPath(target) }
        return end
    }

    /// The steps between the current version and `id`: first those to undo, then those to do.
    public func route(to id: VersionID) -> Route<Step> {
        var route = Route<Step>()
        guard let target = place(of: id) else { return route }
        var (from, to) = (state.current, target)
        var ahead: [[Step]] = []
        // A parent is before its children, so the later of the two places can climb.
        while from != to {
            if from > to {
                route.undone += state.versions[Int(from)].steps.list.reversed()
                from = state.versions[Int(from)].parent
            } else {
                ahead.append(state.versions[Int(to)].steps.list)
                to = state.versions[Int(to)].parent
            }
        }
        route.redone = ahead.reversed().flatMap { $0 }
        return route
    }

    /// The steps that lead to the current version, the newest first. Each takes O(1).
    public var stepsBack: StepsBack<Step> { StepsBack(self) }

    /// Makes `id` the current version. Ends the open group.
    ///
    /// Redo leads back along the way that was come.
    public mutating func move(to id: VersionID) {
        seal()
        guard let target = place(of: id) else { return }
        defer { state.current = target }
        // Most moves are one step back.
        if current.parent == target { return lead(from: target, on: state.current) }
        let last = ancestor(of: state.current, and: target)
        let one = lead(from: last, to: state.current)
        let other = lead(from: last, to: target)
        // Where both ways part, redo has always led to the older side.
        guard let next = one ?? other else { return }
        lead(from: last, on: Swift.min(next, other ?? next))
    }
}
