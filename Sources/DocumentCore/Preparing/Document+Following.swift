package import JSONTree
import SelectiveUndo
import VersioningKit

// Where places of an old state are now.

extension FollowedPlaces {
    /// Follows them through the next change.
    package mutating func follow(_ change: Change) throws(ChangeError) {
        do {
            try follow(
                change.edits, at: change.revision, returning: change.returning,
                reverting: change.reverted)
        } catch {
            throw .mismatch(version: change.revision)
        }
    }

    /// The edits that restore the places; throws if another value occupies one of them.
    package func restored() throws(ChangeError) -> Restoration {
        do { return try restoration() } catch { throw .displaced(error.places, since: start) }
    }
}

extension Change {
    fileprivate var reverted: FollowedPlaces.Reverted {
        if case .move(let version, _) = kind { return .all(after: version) }
        return .changes(Set(reversal?.flipped ?? []))
    }
}

extension Document {
    /// Places of a state of the document.
    package func places(
        _ pointers: [JSONPointer], in then: JSON, at revision: Int, since start: Int? = nil
    ) -> FollowedPlaces {
        FollowedPlaces(
            pointers, in: then, at: revision, since: start, options: settings.diffOptions)
    }

    /// Follows places of a state that is not a revision, by comparing the values.
    package func compared(
        _ pointers: [JSONPointer], in then: JSON
    ) throws(ChangeError) -> FollowedPlaces {
        try places(
            pointers, in: then, followedBy: then.diff(to: tree, options: settings.diffOptions))
    }

    /// Places of the state with other places put back.
    package func places(
        _ pointers: [JSONPointer], amidst held: FollowedPlaces
    ) throws(ChangeError) -> FollowedPlaces {
        let patch = try held.restored().patch
        guard let then = try? tree.applying(patch) else { throw .mismatch(version: revision) }
        return try places(pointers, in: then, followedBy: patch.inverse, since: held.start)
    }

    private func places(
        _ pointers: [JSONPointer], in then: JSON, followedBy patch: ReversiblePatch,
        since start: Int? = nil
    ) throws(ChangeError) -> FollowedPlaces {
        var places = places(pointers, in: then, at: revision, since: start)
        if places.isWhole { return places }
        do { try places.follow(patch, at: revision) } catch { throw .mismatch(version: revision) }
        return places
    }

    /// Follows the content of a snapshot of places whose later changes are forgotten.
    package func named(_ snapshot: Snapshot) throws(ChangeError) -> FollowedPlaces {
        let then: JSON
        do { then = try snapshot.restored(in: tree) } catch { throw .patch(error) }
        return try named(snapshot.places.map(\.pointer), in: then)
    }

    /// Places of a state whose changes since are forgotten: by names. Elements are not known.
    package func named(
        _ pointers: [JSONPointer], in then: JSON
    ) throws(ChangeError) -> FollowedPlaces {
        for pointer in pointers where then.hasElement(on: pointer) || tree.hasElement(on: pointer) {
            throw .trimmed(oldest: oldestRevision)
        }
        return try compared(pointers, in: then)
    }
}

extension JSON {
    /// Whether a pointer leads through an array.
    fileprivate func hasElement(on pointer: JSONPointer) -> Bool {
        pointer.containers.contains { self[$0]?.kind == .array }
    }
}
