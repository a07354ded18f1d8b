import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

/// Undo of parts of transactions, of any kind; also of changes that create and end a document.
extension Preparation {
    /// Undoes or redoes changes in a document that is there.
    func takingBack(
        _ revisions: [Int], isRedo: Bool, _ policy: ConflictPolicy, _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        var prepared = try takenBack(revisions, isRedo: isRedo, policy, &own)
        prepared.change?.selection = try selection(of: revisions)
        return prepared
    }

    /// The selection of an undo of many edits, which its redo, and the undo of that, have as well:
    /// a later redo finds them by it.
    private func selection(of revisions: [Int]) throws(PreparationError) -> ChangeSelection? {
        guard revisions.count == 1, revisions[0] >= document.oldestRevision,
            revisions[0] <= document.revision
        else { return nil }
        return try context.change(revisions[0], .alone).selection
    }

    private func takenBack(
        _ revisions: [Int], isRedo: Bool, _ policy: ConflictPolicy, _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        for revision in revisions where revision <= document.revision {
            guard revision >= document.oldestRevision else { continue }
            let change = try context.change(revision, .alone)
            switch (change.kind, isRedo) {
            case (.create, false), (.undelete, false), (.delete, true):
                try checkStays(try causes(of: change))
                return try deleting(change, revisions, policy)
            case (.create, true), (.undelete, true), (.delete, false):
                throw .refused(.notInEffect(revision: revision))
            default: break
            }
        }
        return try reverting(
            OwnUndoRequest(target(revisions), isRedo: isRedo, policy: policy), &own)
    }

    private func target(_ revisions: [Int]) -> OwnUndoRequest.Target {
        if let choice = request.choice {
            return .parts(ChosenParts(revisions.map { ChangePart($0) }, choice))
        }
        return revisions.count == 1 ? .change(revisions[0]) : .changes(revisions)
    }

    /// Throws if the request keeps something in a document that would go, or would come back: that
    /// needs the document, or needs that it stays away.
    private func checkStays(_ causes: [Change]) throws(PreparationError) {
        guard let first = causes.last, let parts = keptParts(by: first) else { return }
        throw try refusal(keeping: parts)
    }

    /// The undo in a deleted document: the document is restored if one of the changes was its
    /// deletion, or was undone by it.
    func bringingBack(
        _ revisions: [Int], isRedo: Bool
    ) throws(PreparationError) -> Prepared {
        let causes = try causes(of: try context.change(document.revision, .alone))
        for cause in causes where revisions.contains(cause.revision) {
            // A deletion is undone; the changes that it undid are redone.
            let isEnd = cause.kind == .delete
            if isEnd == isRedo { continue }
            try checkRight(to: causes)
            try checkStays(causes)
            var prepared = takingBack(cause.revision, by: .undelete)
            prepared.change?.selection = cause.selection
            return prepared
        }
        if let cause = causes.first(where: { revisions.contains($0.revision) }) {
            throw .refused(.notInEffect(revision: cause.revision))
        }
        throw .refused(.deleted(revision: document.revision))
    }

    /// A change that began or ended the document's life, and recursively the changes that it
    /// undoes.
    private func causes(of change: Change) throws(PreparationError) -> [Change] {
        var causes = [change]
        while let next = causes.last?.takesBack, next >= document.oldestRevision {
            causes.append(try context.change(next, .alone))
        }
        return causes
    }

    /// Only the document's creator may undo to its creation; a deletion by a client needs another
    /// right.
    private func checkRight(to causes: [Change]) throws(PreparationError) {
        guard let first = causes.last else { return }
        if case .create = first.kind { return try checkOwner(of: first) }
        // A merge deletes a draft without that right, and so does its undo restore it.
        if first.kind == .delete, first.draft != nil { return try checkOwner(of: first) }
        if !request.mayDelete { throw .refused(.deletionForbidden) }
    }

    /// The parts of transactions among the change that began a document's life; `nil` if the
    /// request keeps nothing in the document.
    private func keptParts(by first: Change) -> [Int]? {
        guard let choice = request.choice,
            !choice.kept.isEmpty || choice.keptChanges.contains(first.revision)
        else { return nil }
        return first.isPart ? [first.revision] : []
    }

    /// The result of undoing a selection that may include the creation.
    enum Uncreating {
        case deleted(Prepared)
        /// It stays: there is work in it that is not meant.
        case stays(Conflict)
        /// It stays, because the request keeps something in it. With its creation, if that is a
        /// part of a transaction.
        case isKept([Int])
        /// Its creation is not meant.
        case isNotMeant
    }

    /// Deletes the document if the selection includes its creation and the document holds no other
    /// work. As a part of a transaction, other work is a conflict.
    func uncreating(
        _ selection: ChangeSelection, _ also: Set<Int>, _ policy: ConflictPolicy
    ) throws(PreparationError) -> Uncreating {
        let root = history.state.versions[0].id
        guard document.oldestRevision <= root,
            also.contains(root) || selection.mayInclude(creationAt: root)
        else { return .isNotMeant }
        let creation = try context.change(root, .alone)
        // After a trim, the oldest version is an edit.
        guard case .create = creation.kind else { return .isNotMeant }
        if also.contains(root) {
            // Other parts of transactions go with the document, as below.
            let parts = try work(since: creation) { _ in true }.parts
            return .deleted(try deleting(creation, Array(also.union(parts)), policy))
        }
        guard selection.includes(creation: creation) else { return .isNotMeant }
        // The kept values need the document.
        if let parts = keptParts(by: creation) { return .isKept(parts) }
        // The deletion includes all changes of the document.
        var selection = selection
        selection.head = nil
        let rest = try work(since: creation) { change in
            // An undo of the edits adds no work, also one by another actor.
            if change.reversal != nil { return true }
            return change.actor == creation.actor
                && (!change.makesVersion || selection.part(of: change) != nil)
        }
        guard rest.others.isEmpty else {
            return .stays(Conflict(change: root, places: [.root], with: rest.others))
        }
        try checkOwner(of: creation)
        try checkParts(Array(also.union(rest.parts).union(creation.isPart ? [root] : [])))
        return .deleted(takingBack(root, by: .delete))
    }

    /// Deletes the document: undoes its creation or its return, or deletes it again.
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
        var parts: [Int] = []
        for revision in revisions where revision <= document.revision {
            if try context.change(revision, .alone).isPart { parts.append(revision) }
        }
        try checkParts(parts)
        var prepared = takingBack(taken.revision, by: .delete)
        prepared.goesAlong = (rest.own + others).sorted()
        return prepared
    }

    private func takingBack(_ revision: Int, by kind: Change.Kind) -> Prepared {
        var prepared = recorded(kind)
        prepared.change?.takesBack = revision
        return prepared
    }

    /// The work in a document since a change.
    private struct Work {
        /// Changes that do not go with that change.
        var others: [Int] = []
        /// Versions that go with that change.
        var own: [Int] = []
        /// Changes that are parts of a transaction.
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
            if !isTurn, !goesWithIt(later) {
                if work.others.count < Preparation.othersMax { work.others.append(revision) }
            } else if later.makesVersion, work.own.count < Preparation.othersMax {
                work.own.append(revision)
            }
            revision += 1
        }
        return work
    }

    /// The limit on changes of others, and on own ones, that are named.
    private static let othersMax = 100
}
