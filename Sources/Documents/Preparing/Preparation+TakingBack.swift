import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Taking back what is a part of a transaction, whatever it is; and the creation of a document.
extension Preparation {
    /// Undoes or redoes the change of a revision in a document that is there.
    func takingBack(
        _ revision: Int, isRedo: Bool, _ policy: ConflictPolicy, _ effects: inout EffectCache
    ) throws(PreparationError) -> Prepared {
        guard revision <= document.revision else {
            throw .refused(.notInEffect(revision: revision))
        }
        if revision >= document.oldestRevision {
            let change = try context.change(revision, .alone)
            switch change.kind {
            case .create where !isRedo, .undelete where !isRedo:
                return try deleting(since: change, policy)
            case .delete where isRedo:
                // It was undone: the document is there again since the next change.
                return try deleting(since: try context.change(revision + 1, .alone), policy)
            default: break
            }
        }
        return try reverting(
            OwnUndoRequest(.change(revision), isRedo: isRedo, policy: policy), &effects)
    }

    /// The same in a document that is deleted: it comes back, if that is what is wanted.
    func bringingBack(_ revision: Int, isRedo: Bool) throws(PreparationError) -> Prepared {
        let absence = ChangeError.deleted(revision: document.revision)
        guard revision <= document.revision, revision >= document.oldestRevision else {
            throw .refused(absence)
        }
        let isBack: Bool
        switch try context.change(revision, .alone).kind {
        case .delete: isBack = !isRedo && revision == document.revision
        case .create, .undelete: isBack = isRedo
        default: isBack = false
        }
        guard isBack else { throw .refused(absence) }
        return recorded(.undelete)
    }

    /// Deletes the document, if its creation is meant and nobody else has worked in it; `nil` if
    /// not.
    func uncreating(
        _ selection: ChangeSelection, _ also: Set<Int>
    ) throws(PreparationError) -> Prepared? {
        let root = history.state.versions[0].id
        guard selection.takesCreation, document.oldestRevision <= root else { return nil }
        let creation = try context.change(root, .alone)
        guard selection.includes(creation: creation) else { return nil }
        let other = try otherWork(since: creation) { change in
            change.actor == creation.actor
                && (!change.makesVersion || change.reversal != nil || selection.includes(change))
        }
        guard other.isEmpty else { return nil }
        try checkOwner(of: creation)
        var parts = also
        if creation.transaction != nil { parts.insert(root) }
        try checkParts(Array(parts))
        return recorded(.delete)
    }

    /// Deletes the document again, which is there since a change.
    private func deleting(
        since change: Change, _ policy: ConflictPolicy
    ) throws(PreparationError) -> Prepared {
        try checkOwner(of: change)
        let others = try otherWork(since: change) { $0.actor == change.actor }
        if !others.isEmpty && policy != .mine {
            let conflict = Conflict(change: change.revision, places: [.root], with: others)
            throw .refused(.conflicts([conflict]))
        }
        try checkParts(change.transaction == nil ? [] : [change.revision])
        return recorded(.delete)
    }

    /// The changes since another one that do not go with it. O(changes since then).
    private func otherWork(
        since change: Change, _ goesWithIt: (Change) -> Bool
    ) throws(PreparationError) -> [Int] {
        var others: [Int] = []
        var revision = change.revision + 1
        while revision <= document.revision, others.count < Preparation.othersMax {
            let later = try context.change(revision, .forward)
            if !goesWithIt(later) { others.append(revision) }
            revision += 1
        }
        return others
    }

    /// So many changes of others are named.
    private static let othersMax = 100
}
