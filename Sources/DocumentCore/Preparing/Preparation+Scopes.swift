import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// Opening and closing scopes.
extension Preparation {
    func pushScope(_ lifetime: Duration?, _ policy: ScopeExpiry.Policy) -> Prepared {
        let deadline = time.duration + (lifetime ?? Document.scopeLifetime)
        return recorded(.pushScope(ScopeExpiry(deadline: deadline, policy: policy)))
    }

    func popScope(_ isForced: Bool) throws(PreparationError) -> Prepared {
        let (opening, owner) = try scopeToClose(isForced)
        return recorded(
            .popScope(
                isChanged: try isChanged(since: opening),
                owner: owner == request.actor ? nil : owner))
    }

    /// Undoes the scope owner's changes in the scope; with `isAll`, or if no other actor changed
    /// anything in it, goes back to the state at its opening.
    func discardScope(
        _ isForced: Bool, isAll: Bool, _ policy: ConflictPolicy,
        _ own: inout OwnUndoLookup
    ) throws(PreparationError) -> Prepared {
        let (opening, owner) = try scopeToClose(isForced)
        guard opening != history.currentID else { return recorded(.discardScope(nil)) }
        let steps = history.route(to: opening).undone
        let work = isAll ? [] : try self.work(of: owner, in: steps)
        if isAll || work.count == steps.count {
            let (tree, patch) = try travelled(to: opening)
            return recorded(.discardScope(nil), patch, tree: tree)
        }
        if let first = work.first { try checkOwner(of: context.change(first.revision, .alone)) }
        let need = EffectCache.Need.from(steps.last ?? document.revision)
        let undo = try perform(need, &own) { line throws(OwnUndoError) in
            let (off, on) = Preparation.reversed(work, on: line)
            return try line.revert(
                off: off, on: on, actor: owner, policy: policy, on: document.tree)
        }
        try checkParts(undo.parts)
        return try recorded(undo) { .discardScope($0) }
    }

    /// A change of a scope's owner in it, and what it undid or redid. There may be very many.
    private typealias OwnersWork = (revision: Int, reversal: Reversal?)

    /// An owner's changes in a scope, oldest first. Updates on which a later merge depends stay.
    private func work(
        of owner: Name, in steps: some Sequence<Int>
    ) throws(PreparationError) -> [OwnersWork] {
        var work: [OwnersWork] = []
        for step in steps {
            try context.read(step) { change in
                guard change.actor == owner, !isKept(change) else { return }
                // Changes that an inner scope restored are as they were before that.
                var reversal: Reversal?
                if case .revert(let made) = change.kind { reversal = made }
                work.append((revision: step, reversal: reversal))
            }
        }
        return work.reversed()
    }

    /// The changes to take out of effect and those to restore, so that no change of an actor in the
    /// scope remains.
    private static func reversed(
        _ work: [OwnersWork], on line: EffectHistory
    ) -> (off: [ChangePart], on: [ChangePart]) {
        let own = Set(work.map(\.revision))
        var (off, on): ([ChangePart], [ChangePart]) = ([], [])
        for change in work {
            guard let reversal = change.reversal else {
                off.append(ChangePart(change.revision))
                continue
            }
            // Operations that another actor has undone or redone since stay as they are.
            func held(_ revision: Int) -> ChangePart? {
                own.contains(revision) ? nil : line.held(revision, by: change.revision)
            }
            on += reversal.undone.compactMap(held)
            off += reversal.redone.compactMap(held)
        }
        return (off, on)
    }

    /// The version that the scope was opened at and its owner, if the client may close it.
    private func scopeToClose(
        _ isForced: Bool
    ) throws(PreparationError) -> (opening: Int, owner: Name) {
        let owner = history.state.scopes.last?.owner ?? .nobody
        guard isForced || owner == .nobody || owner == request.actor else {
            throw .refused(.foreignScope(owner: owner))
        }
        do { return (try history.scopeOpening(), owner) } catch { throw .refused(.version(error)) }
    }
}

extension Document {
    /// The request that closes an expired scope, or a scope inside one. An inner scope of another
    /// owner that has not expired is popped: only its owner may discard it.
    func closing(at now: Timestamp) -> ChangeRequest? {
        guard exists, let expired = history.expiredScope(at: now.duration),
            let scope = history.state.scopes.last
        else { return nil }
        let isOver = scope.expiry.map { $0.deadline <= now.duration } ?? false
        let policy =
            isOver ? scope.expiry?.policy : scope.owner == expired.owner ? expired.policy : .pop
        var request = ChangeRequest(
            policy ?? .pop == .pop
                ? .popScope(isForced: true)
                : .discardScope(isForced: true, isAll: false, policy: .theirs),
            actor: scope.owner, label: "the scope's time was over")
        request.source = .clock
        return request
    }
}

/// The end of a scope whose time is over, prepared.
package struct ScopeClosing: Sendable {
    let request: ChangeRequest
    let prepared: Prepared
    /// The reason why the scope's changes cannot be undone: the scope is popped instead.
    let refusal: ChangeError?
}

extension ChangeRequest {
    /// Prepares it, which closes a scope whose time is over. A scope that cannot be discarded must
    /// not block everything that comes after it.
    func closingScope(
        _ prepare: (ChangeRequest) throws(PreparationError) -> Prepared
    ) throws(PreparationError) -> ScopeClosing {
        do throws(PreparationError) {
            return ScopeClosing(request: self, prepared: try prepare(self), refusal: nil)
        } catch {
            guard case .refused(let refusal) = error, refusal.isAboutDiscarding else {
                throw error
            }
            var popping = self
            popping.action = .popScope(isForced: true)
            return ScopeClosing(
                request: popping, prepared: try prepare(popping), refusal: refusal)
        }
    }
}

extension ChangeError {
    /// Whether the error says that a scope's changes cannot be undone, or may not be.
    fileprivate var isAboutDiscarding: Bool {
        switch self {
        case .mismatch, .foreignEdit, .invalid, .schemaTooCostly, .changeTooOld: true
        default: false
        }
    }
}
