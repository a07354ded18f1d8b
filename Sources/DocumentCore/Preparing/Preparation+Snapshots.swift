import JSONTree
import Naming
import VersioningKit

extension Document {
    /// The size of all snapshots, as JSON text.
    var snapshotBytes: Int { snapshots.values.reduce(0) { $0 + $1.byteCount } }
}

/// Taking, forgetting and putting back snapshots.
extension Preparation {
    func snapshot(
        _ key: Name, _ pointers: [JSONPointer], isNew: Bool
    ) throws(PreparationError) -> Prepared {
        let known = document.snapshots[key]
        if isNew && known != nil { throw .refused(.snapshotExists(key)) }
        if known == nil && document.snapshots.count >= Snapshot.countMax {
            throw .refused(.tooManySnapshots(max: Snapshot.countMax))
        }
        let places = pointers.map { Snapshot.Place(pointer: $0, value: document.tree[$0]) }
        // Taken again of the same: nothing new.
        if known?.places == places { return unchanged }
        let held = document.snapshotBytes - (known?.byteCount ?? 0)
        // A snapshot of the whole always finds room.
        let most = max(Snapshot.bytesMax, context.limits.documentBytesMax)
        guard held + Snapshot.byteCount(of: places) <= most else {
            throw .refused(.tooManySnapshots(max: document.snapshots.count))
        }
        return recorded(.snapshot(key, pointers))
    }

    func removeSnapshot(_ key: Name) throws(PreparationError) -> Prepared {
        guard document.snapshots[key] != nil else { throw .refused(.unknownSnapshot(key)) }
        return recorded(.removeSnapshot(key))
    }

    /// `found`: the places of the snapshot, as far as they were followed without a lock.
    func restore(
        _ key: Name, _ found: FollowedPlaces?
    ) throws(PreparationError) -> Prepared {
        guard let snapshot = document.snapshots[key] else { throw .refused(.unknownSnapshot(key)) }
        let known = found.flatMap { $0.start == snapshot.revision ? $0 : nil }
        let places = if let known { known } else { try followed(snapshot) }
        let edit = try restored(places)
        if edit.patch.isEmpty { return unchanged }
        if !request.mayUndoOthers {
            try checkOwners(of: edit.patch) { $0 <= snapshot.revision }
        }
        return recorded(edit, as: .restore(key))
    }

    /// Restores the values that places had in another state of the document, as one edit.
    func putBack(_ places: FollowedPlaces, _ steps: Set<Int>) throws(PreparationError) -> Prepared {
        let edit = try restored(places)
        if edit.patch.isEmpty { return unchanged }
        // From a step on that leads to both, all older ones do.
        if !request.mayUndoOthers { try checkOwners(of: edit.patch) { steps.contains($0) } }
        return recorded(edit, as: .append(joins: false, tag: nil))
    }

    /// The edits that restore places.
    private struct Restored {
        let tree: JSON
        let patch: ReversiblePatch
        /// The revision of the state that they are from, if something comes back that was removed.
        var returnsSince: Int?
    }

    private func recorded(_ edit: Restored, as kind: Change.Kind) -> Prepared {
        let parts = split(edit.patch, leadingTo: edit.tree)
        if parts.tracked.isEmpty { return recorded(.touch(tag: nil), parts) }
        var prepared = recorded(kind, parts)
        // Marks restored elements as the ones that were removed, for own undo, merges, and later
        // restorations.
        prepared.change?.sent = edit.returnsSince.map {
            SentEdit(base: $0, ownCount: 0, patch: .empty, isPartial: true)
        }
        return prepared
    }

    private func restored(_ found: FollowedPlaces) throws(PreparationError) -> Restored {
        if let whole = found.whole {
            try checkLimits(whole)
            let (tree, patch) = difference(from: document.tree, to: whole)
            return Restored(tree: tree, patch: patch)
        }
        var places = found
        let restoration: FollowedPlaces.Restoration
        while places.revision < document.revision {
            let change = try context.change(places.revision + 1, .forward)
            do throws(ChangeError) { try places.follow(change) } catch { throw .refused(error) }
        }
        do throws(ChangeError) { restoration = try places.restored() } catch {
            throw .refused(error)
        }
        guard let tree = try? document.tree.applying(restoration.patch) else {
            throw .refused(.mismatch(version: places.start))
        }
        try checkLimits(tree)
        return Restored(
            tree: tree, patch: tree == document.tree ? .empty : restoration.patch,
            returnsSince: restoration.isReturn ? places.start : nil)
    }

    /// The places of a snapshot, as they were when it was taken.
    private func followed(_ snapshot: Snapshot) throws(PreparationError) -> FollowedPlaces {
        let pointers = snapshot.places.map(\.pointer)
        if snapshot.isWhole {
            let whole = snapshot.places[0].value ?? .null
            return document.places(pointers, in: whole, at: snapshot.revision)
        }
        guard snapshot.revision >= document.oldestRevision else {
            do throws(ChangeError) { return try document.named(snapshot) } catch {
                throw .refused(error)
            }
        }
        var past = PastTrees(document, context)
        let then = try past.tree(before: snapshot.revision + 1)
        return document.places(pointers, in: then, at: snapshot.revision)
    }

    /// Throws if restoring by `patch` would undo work of other actors after a step that it keeps,
    /// that is, edits of one of its places. All elements of an array count as one place.
    private func checkOwners(
        of patch: ReversiblePatch, upTo isKept: (Int) -> Bool
    ) throws(PreparationError) {
        let places = patch.pointers.map(\.aboveNumbers)
        var effects = BackwardEffectScan()
        for step in history.stepsBack {
            if isKept(step) { return }
            let change = try context.change(step)
            if let reversal = change.reversal { effects.note(reversal) }
            guard !request.owns(change.actor), effects.isInEffect(step) else { continue }
            let touched = change.patch.pointers.map(\.aboveNumbers)
            if touched.contains(where: { one in
                places.contains { $0.inside(one) != nil || one.inside($0) != nil }
            }) {
                throw .refused(.foreignEdit(revision: step, actor: change.actor))
            }
        }
    }
}
