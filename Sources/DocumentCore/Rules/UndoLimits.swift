import Journaling
import Naming
import SelectiveUndo

/// The time after which edits of runs are undone with the right `admin` only, by the prefix of
/// documents.
package struct UndoLimits: Sendable, Equatable {
    let rules: [DocumentRules.Rule]
    let now: Timestamp

    /// `rules`: those with a limit.
    package init(_ rules: [DocumentRules.Rule], at now: Timestamp) {
        self.rules = rules
        self.now = now
    }
}

extension Preparation {
    /// Throws if own undo, or the undo of a selection or a transaction, would take an edit of a run
    /// that is older than a rule allows. Shared undo and restoring move the document.
    func checkUndoLimits(_ prepared: Prepared) throws(PreparationError) {
        guard let limits = request.undoLimits else { return }
        let taken = prepared.taken
        let rules = limits.rules.filter { document.id.isBelow($0.prefix) }
        guard !taken.isEmpty,
            let rule = rules.min(by: { $0.undoWithin ?? .zero < $1.undoWithin ?? .zero }),
            let within = rule.undoWithin
        else { return }
        for revision in taken.sorted() {
            let edit = try context.change(revision, .alone)
            let age = limits.now.milliseconds - edit.time.milliseconds
            if edit.actor.isRun, age > within.milliseconds {
                throw .refused(
                    .undoTooLate(prefix: Name(rule.prefix), within: within, oldest: revision))
            }
        }
    }
}

extension Prepared {
    /// The revisions that an undo takes out of effect, also those that go with a deletion. The
    /// discard of a scope does not count as an undo.
    fileprivate var taken: [Int] {
        guard let change else { return [] }
        if case .revert(let reversal) = change.kind { return reversal.undone + goesAlong }
        return (change.takesBack.map { [$0] } ?? []) + goesAlong
    }
}
