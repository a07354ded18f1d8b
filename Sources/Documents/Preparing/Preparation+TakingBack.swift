import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

/// Taking back parts of transactions, whatever they are; also what makes a document and ends it.
extension Preparation {
    /// Undoes or redoes changes in a document that is there.
    func takingBack(
        _ revisions: [Int], isRedo: Bool, _ policy: ConflictPolicy, _ effects: inout EffectCache
    ) throws(PreparationError) -> Prepared {
        for revision in revisions where revision <= document.revision {
            guard revision >= document.oldestRevision else { continue }
            let change = try context.change(revision, .alone)
            switch (change.kind, isRedo) {
            case (.create, false), (.undelete, false), (.delete, true):
                return try deleting(change, revisions, policy)
            case (.create, true), (.undelete, true), (.delete, false):
                throw .refused(.notInEffect(revision: revision))
            default: break
            }
        }
        let target: OwnUndoRequest.Target =
            revisions.count == 1 ? .change(revisions[0]) : .changes(revisions)
        return try reverting(OwnUndoRequest(target, isRedo: isRedo, policy: policy), &effects)
    }

    /// The same in a document that is deleted: it comes back, if one of the changes was its
    /// deletion, or was taken back by that.
    func bringingBack(
        _ revisions: [Int], isRedo: Bool
    ) throws(PreparationError) -> Prepared {
        let causes = try causes(of: try context.change(document.revision, .alone))
        for cause in causes where revisions.contains(cause.revision) {
            if case .delete = cause.kind, isRedo { continue }
            if case .delete = cause.kind {} else if !isRedo { continue }
            try checkRight(to: causes)
            return takingBack(cause.revision, by: .undelete)
        }
        throw .refused(.deleted(revision: document.revision))
    }

    /// A change that began or ended the document's life, and those that it takes back, in turn.
    private func causes(of change: Change) throws(PreparationError) -> [Change] {
        var causes = [change]
        while let next = causes.last?.takesBack, next >= document.oldestRevision {
            causes.append(try context.change(next, .alone))
        }
        return causes
    }

    /// What goes back to a creation belongs to whoever made the document; a deletion is another
    /// matter.
    private func checkRight(to causes: [Change]) throws(PreparationError) {
        guard let first = causes.last else { return }
        if case .create = first.kind { return try checkOwner(of: first) }
        if !request.mayDelete { throw .refused(.deletionForbidden) }
    }

    /// Deletes the document, if its creation is meant and nobody else has worked in it; `nil` if
    /// not. If it is meant for the sake of a transaction, it is that or a conflict.
    func uncreating(
        _ selection: ChangeSelection, _ also: Set<Int>, _ policy: ConflictPolicy
    ) throws(PreparationError) -> Prepared? {
        let root = history.state.versions[0].id
        guard document.oldestRevision <= root else { return nil }
        let creation = try context.change(root, .alone)
        if also.contains(root) { return try deleting(creation, Array(also), policy) }
        guard selection.includes(creation: creation) else { return nil }
        let rest = try work(since: creation) { change in
            change.actor == creation.actor
                && (!change.makesVersion || change.reversal != nil || selection.includes(change))
        }
        guard rest.others.isEmpty else { return nil }
        try checkOwner(of: creation)
        try checkParts(Array(also.union(rest.parts).union(creation.isPart ? [root] : [])))
        return takingBack(root, by: .delete)
    }

    /// Deletes the document: takes back its creation or its return, or deletes it again.
    private func deleting(
        _ taken: Change, _ revisions: [Int], _ policy: ConflictPolicy
    ) throws(PreparationError) -> Prepared {
        let rest = try work(since: taken) { $0.actor == taken.actor }
        let causes = try causes(of: rest.turn ?? taken)
        var others = rest.others
        if case .create = taken.kind {
            // Of another life, it has no effect on this one.
            guard taken.revision == history.state.versions[0].id else {
                throw .refused(.notInEffect(revision: taken.revision))
            }
            try checkOwner(of: taken)
        } else {
            guard causes.contains(where: { $0.revision == taken.revision }) else {
                throw .refused(.notInEffect(revision: taken.revision))
            }
            try checkRight(to: causes)
            others = others.filter { $0 > causes[0].revision }
        }
        if !others.isEmpty && policy != .mine {
            let conflict = Conflict(change: taken.revision, places: [.root], with: others)
            throw .refused(.conflicts([conflict]))
        }
        try checkParts(revisions)
        return takingBack(taken.revision, by: .delete)
    }

    private func takingBack(_ revision: Int, by kind: Change.Kind) -> Prepared {
        var prepared = recorded(kind)
        prepared.change?.takesBack = revision
        return prepared
    }

    /// What was done in a document since a change.
    private struct Work {
        /// What does not go with that change.
        var others: [Int] = []
        /// What is a part of a transaction.
        var parts: [Int] = []
        /// The last change that began or ended its life.
        var turn: Change?
    }

    /// O(changes since then).
    private func work(
        since change: Change, _ goesWithIt: (Change) -> Bool
    ) throws(PreparationError) -> Work {
        var work = Work()
        var revision = change.revision + 1
        while revision <= document.revision {
            let later = try context.change(revision, .forward)
            let isTurn = later.kind.traits.lifecycle != .goesOn
            if isTurn { work.turn = later }
            if later.isPart && !isTurn { work.parts.append(revision) }
            if !isTurn, !goesWithIt(later), work.others.count < Preparation.othersMax {
                work.others.append(revision)
            }
            revision += 1
        }
        return work
    }

    /// So many changes of others are named.
    private static let othersMax = 100
}
