import JSONTree
import SelectiveUndo
import VersioningKit

/// Own undo and redo: changes go out of effect, or return, although later changes follow them.
extension Preparation {
    func reverting(
        _ request: OwnUndoRequest, _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        var next: [Int]?
        if let question = request.question {
            next = try own.next(question, in: self)
            if let next, let known = try result(question, next) { return known }
        }
        let undo: OwnUndo
        do throws(PreparationError) {
            var wanted = request
            wanted.endsAtParts = self.request.parts != .alone
            wanted.keepsUpdatesBefore = document.draft?.lastMerge ?? 0
            undo = try perform(try need(request), &own, of: request, beginningWith: next) {
                effects throws(OwnUndoError) in try effects.revert(wanted, on: document.tree)
            }
        } catch {
            if case .refused(.keepsParts(let parts)) = error {
                throw try refusal(keeping: parts)
            }
            // An actor who may not do it does not learn of conflicts.
            if case .refused(.conflicts(let conflicts)) = error, let first = conflicts.first {
                try checkOwner(of: try context.change(first.change, .alone))
            }
            throw error
        }
        try checkOwner(undo.actor, of: undo.version ?? undo.reversal.passed.first ?? 0)
        try checkKept(undo.keptParts)
        try checkUpdates(undo.reversal.undone)
        try checkParts(undo.parts)
        var prepared = try recorded(undo) { .revert($0) }
        prepared.isInvisibleUndo = undo.isOpen
        return prepared
    }

    /// Throws if transactions of which a part would be taken, or put back, are not those that the
    /// request knows of.
    func checkParts(_ parts: [Int]) throws(PreparationError) {
        switch request.parts {
        case .alone: return
        case .whole where parts.isEmpty, .together where parts.isEmpty: return
        case .whole where request.source == .clock: return
        case .these(let known):
            // Named changes are taken whether they are in effect or not.
            let all = request.action.partsNamed.union(parts)
            guard known != all else { return }
            throw .refused(.partOfTransaction(revisions: all.sorted(), documents: []))
        case .whole, .together:
            throw .refused(.partOfTransaction(revisions: parts, documents: []))
        }
    }

    /// Throws if an update of a draft would go, on which a later merge rests.
    func checkUpdates(_ revisions: [Int]) throws(PreparationError) {
        guard let last = document.draft?.lastMerge else { return }
        for revision in revisions where revision < last {
            try checkUpdate(try context.change(revision, .alone))
        }
    }

    /// The same of one change.
    func checkUpdate(_ change: Change) throws(PreparationError) {
        guard case .update = change.kind, let last = document.draft?.lastMerge,
            change.revision < last
        else { return }
        throw .refused(.draft(.mergedSince(update: change.revision)))
    }

    private func need(_ request: OwnUndoRequest) throws(PreparationError) -> EffectCache.Need {
        switch request.target {
        case .actor(let actor): return request.isRedo ? .redo(actor) : .undo(actor)
        case .change(let revision): return try need([revision])
        case .changes(let revisions): return try need(revisions)
        case .parts(let parts): return try need(parts.changes.map(\.revision))
        }
    }

    private func need(_ revisions: [Int]) throws(PreparationError) -> EffectCache.Need {
        let (first, last) = (revisions.min() ?? 0, revisions.max() ?? 0)
        if first < document.oldestRevision {
            throw .refused(.trimmed(oldest: document.oldestRevision))
        }
        guard last <= document.revision else { throw .refused(.notInEffect(revision: last)) }
        return .from(first)
    }

    /// Does something to the document's effect history, which is made or made longer if need be.
    ///
    /// `request`: what is done, if a narrow history may do. `next`: the changes that it begins
    /// with, if it is an actor's next undo or redo and they were looked up. `readsAhead`: twice as
    /// many changes are read as the last time, for actors that undo step by step.
    func perform(
        _ need: EffectCache.Need, _ own: inout OwnUndoLookup, of request: OwnUndoRequest? = nil,
        beginningWith next: [Int]? = nil, readsAhead: Bool = true,
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo
    ) throws(PreparationError) -> OwnUndo {
        if let undo = try attempt(need, &own, request, body) { return undo }
        if let request, let narrowing = try narrowing(request, &own, next),
            let history = try effectHistory(narrowing)
        {
            let coverage = narrowing.coverage(of: request, at: document.revision)
            own.effects.keep(history, count: 0, coverage)
            if let undo = try attempt(need, &own, request, body) { return undo }
        }
        // The history covers the whole tree, and the result is compared with it.
        try context.known.charge(bytes: document.tree.byteCount)
        try context.known.charge(values: document.tree.valueCount)
        var reader = EffectReader(self)
        var count = readsAhead ? own.effects.count * 2 : 0
        while true {
            try reader.read(need, atLeast: count)
            own.effects.keep(try reader.effectHistory(), count: reader.count)
            if let undo = try attempt(need, &own, request, body) {
                // The whole tree was read anyway, so the result is also compared.
                if own.effects.makes(undo.tree) { return undo }
                own.effects.drop()
                throw .refused(.mismatch(version: history.currentID))
            }
            // Twice as many each time: all attempts cost at most twice as much as the last.
            guard !reader.isAtEnd else { throw .refused(.mismatch(version: history.currentID)) }
            try reader.checkRoom()
            count = max(64, reader.count * 2)
        }
    }

    private func attempt(
        _ need: EffectCache.Need, _ own: inout OwnUndoLookup, _ request: OwnUndoRequest?,
        _ body: (inout EffectHistory) throws(OwnUndoError) -> OwnUndo
    ) throws(PreparationError) -> OwnUndo? {
        do throws(OwnUndoError) {
            return try own.effects.perform(request, body)
        } catch {
            throw .refused(changeError(error, need))
        }
    }

    private func changeError(_ error: OwnUndoError, _ need: EffectCache.Need) -> ChangeError {
        switch error {
        case .nothing:
            switch need {
            case .undo(let actor): .nothingOwn(actor: actor, isRedo: false)
            case .redo(let actor): .nothingOwn(actor: actor, isRedo: true)
            case .from(let revision): .notInEffect(revision: revision)
            }
        case .kept(let parts): .keepsParts(revisions: parts)
        case .notInEffect(let revision): .notInEffect(revision: revision)
        case .conflicts(let conflicts): .conflicts(conflicts)
        case .needsOlder, .diverged: .mismatch(version: history.currentID)
        }
    }

    /// The change of an own undo. Untracked places stay as they are.
    func recorded(
        _ undo: OwnUndo, _ kind: (Reversal) -> Change.Kind
    ) throws(PreparationError) -> Prepared {
        let (tree, patch) = try tracked(undo)
        try checkLimits(tree)
        var prepared = recorded(kind(undo.reversal.sorted), patch, tree: tree)
        prepared.unaffected = undo.unaffected
        return prepared
    }

    private func tracked(_ undo: OwnUndo) throws(PreparationError) -> (JSON, ReversiblePatch) {
        let tracking = document.settings.tracking
        if tracking.isWhole { return (undo.tree, undo.patch) }
        guard
            let edits = edits(from: document.tree, to: undo.tree, where: tracking.covers)
        else { throw .refused(.mismatch(version: history.currentID)) }
        return (edits.tree, edits.patch)
    }
}

extension ChangeRequest.Action {
    /// Parts of transactions that it names by their revisions.
    fileprivate var partsNamed: Set<Int> {
        switch self {
        case .revertAll(_, let also, _): also
        case .takeBack(let revisions, _, _): Set(revisions)
        default: []
        }
    }
}
