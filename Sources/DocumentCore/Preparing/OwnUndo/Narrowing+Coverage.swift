import Naming
import SelectiveUndo

extension Narrowing {
    /// The knowledge of a narrow history: it has some changes and those that interact with them.
    struct Coverage: Sendable {
        /// The changes.
        let targets: Set<Int>
        /// The actor whose next own undo or redo it knows, if there is one.
        private let actor: Name?
        private let isRedo: Bool
        /// The revision up to which something is left out.
        private let end: Int

        fileprivate init(_ targets: Set<Int>, _ request: OwnUndoRequest, at revision: Int) {
            self.targets = targets
            if case .actor(let actor) = request.target { self.actor = actor } else { actor = nil }
            isRedo = request.isRedo
            end = revision
        }

        /// Whether it has what the actor's next undo takes.
        func undoes(_ actor: Name) -> Bool { !isRedo && self.actor == actor }

        /// Whether its result of a request is right. `since`: the change that put an edit into
        /// effect, or took it out.
        func covers(
            _ request: OwnUndoRequest, _ undo: OwnUndo, since: (Int) -> Int?
        ) -> Bool {
            let reversal = undo.reversal
            let named = Set(reversal.flipped + reversal.skipped.map(\.change))
            guard named.isSubset(of: targets) else { return false }
            guard case .actor(let actor) = request.target else { return covers(request) }
            // An invisible undo may have stopped at a change outside `targets`.
            guard request.isRedo else { return covers(request) && undo.version != nil }
            // All undos since then are known; of those before, the one that it was made for.
            return named.allSatisfy { since($0) ?? 0 > end }
                || (isRedo && self.actor == actor && named == targets)
        }

        /// Whether a request is refused for its reason.
        func covers(_ request: OwnUndoRequest, _ error: OwnUndoError) -> Bool {
            guard case .conflicts(let conflicts) = error,
                targets.isSuperset(of: conflicts.map(\.change))
            else { return false }
            if case .actor = request.target, request.isRedo { return false }
            return covers(request)
        }

        private func covers(_ request: OwnUndoRequest) -> Bool {
            switch request.target {
            case .actor(let actor): undoes(actor)
            case .change(let revision): targets.contains(revision)
            case .changes(let revisions): targets.isSuperset(of: revisions)
            case .parts(let parts): targets.isSuperset(of: parts.changes.map(\.revision))
            }
        }
    }

    /// The coverage of a history made for a request. `revision`: the newest that it has.
    func coverage(of request: OwnUndoRequest, at revision: Int) -> Coverage {
        Coverage(targets, request, at: revision)
    }
}
