import JSONTree
public import Naming
import VersioningKit

extension Document {
    /// What all snapshots hold, as JSON text.
    var snapshotBytes: Int { snapshots.values.reduce(0) { $0 + $1.byteCount } }

    /// The document as it would be if the snapshot were restored.
    public func restored(from key: Name) throws(ChangeError) -> Document {
        guard let snapshot = snapshots[key] else { throw .unknownSnapshot(key) }
        var copy = self
        do { copy.tree = try snapshot.restored(in: tree) } catch { throw .patch(error) }
        return copy
    }
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

    func restore(_ key: Name) throws(PreparationError) -> Prepared {
        guard let snapshot = document.snapshots[key] else { throw .refused(.unknownSnapshot(key)) }
        let target: JSON
        do { target = try snapshot.restored(in: document.tree) } catch {
            throw .refused(.patch(error))
        }
        try checkLimits(target)
        let (tree, patch) = difference(from: document.tree, to: target)
        if patch.isEmpty { return unchanged }
        if !request.mayUndoOthers {
            try checkOwners(of: patch) { $0 <= snapshot.revision }
        }
        let edit = split(patch, leadingTo: tree)
        return recorded(edit.tracked.isEmpty ? .touch(tag: nil) : .restore(key), edit)
    }

    /// What stood at some places in another state of the document, as one edit.
    func putBack(
        _ pointers: [JSONPointer], of source: JSON, _ steps: Set<Int>
    ) throws(PreparationError) -> Prepared {
        let places = pointers.map { Snapshot.Place(pointer: $0, value: source[$0]) }
        let target: JSON
        do { target = try places.restored(in: document.tree, like: source) } catch {
            throw .refused(.patch(error))
        }
        try checkLimits(target)
        let (tree, patch) = difference(from: document.tree, to: target)
        if patch.isEmpty { return unchanged }
        // From a step on that leads to both, all older ones do.
        if !request.mayUndoOthers { try checkOwners(of: patch) { steps.contains($0) } }
        let edit = split(patch, leadingTo: tree)
        return recorded(
            edit.tracked.isEmpty ? .touch(tag: nil) : .append(joins: false, tag: nil), edit)
    }

    /// Throws if putting back `patch` takes back what others did since a step that it keeps: they
    /// edited one of its places. Of an array, all elements count as one place.
    private func checkOwners(
        of patch: ReversiblePatch, upTo isKept: (Int) -> Bool
    ) throws(PreparationError) {
        let places = patch.pointers.map(\.aboveNumbers)
        var effects = EffectsLookedBack()
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
