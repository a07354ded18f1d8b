import Naming
import SelectiveUndo

extension Narrowing {
    /// What a line can say that knows what has to do with some changes, and nothing of others.
    struct Reach: Sendable {
        /// The changes.
        let targets: Set<Int>
        /// Of whose own undo or redo it says what is next; `nil` if of nobody's.
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

        /// Whether what it has of an actor is what the actor's next undo takes.
        func undoes(_ actor: Name) -> Bool { !isRedo && self.actor == actor }

        /// Whether what it says of a request is so. `since`: which change put an edit into effect,
        /// or took it out.
        func covers(
            _ request: OwnUndoRequest, _ undo: OwnUndo, since: (Int) -> Int?
        ) -> Bool {
            let reversal = undo.reversal
            let named = Set(reversal.flipped + reversal.skipped.map(\.change))
            guard named.isSubset(of: targets) else { return false }
            guard case .actor(let actor) = request.target else { return covers(request) }
            // Where nothing can be seen, it may have stopped at what is none of the changes.
            guard request.isRedo else { return covers(request) && undo.version != nil }
            // All undos since then are known; of those before, the one that it was made for.
            return named.allSatisfy { since($0) ?? 0 > end }
                || (isRedo && self.actor == actor && named == targets)
        }

        /// Whether a request is refused for what it says.
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
            }
        }
    }

    /// What a line that is made for a request can say. `revision`: the newest one that it knows.
    func reach(of request: OwnUndoRequest, at revision: Int) -> Reach {
        Reach(targets, request, at: revision)
    }
}
