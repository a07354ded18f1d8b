import JSONTree
public import Journaling
import SelectiveUndo
import VersioningKit

// What could be undone and redone.

extension DocumentStore {
    /// The status of a document with the answers to a question. They are dry runs, one after the
    /// other: a change that is made meanwhile may be seen by the later ones only.
    public func status(
        _ id: DocumentID, _ question: StatusQuestion, isLocal: Bool = false,
        reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        status(id, isLocal: isLocal) { [self] result in
            guard case .success(let status) = result, question.needsDryRuns else {
                return reply(result)
            }
            dryRuns(id, question.dryRuns, []) { [self] results in
                withPast(of: id, isLocal: isLocal) { found in
                    reply(
                        Result { () throws(ChangeError) in
                            try status.answering(question, results, found.get().past)
                        })
                }
            }
        }
    }

    /// Carries out dry runs, one after the other.
    private func dryRuns(
        _ id: DocumentID, _ requests: [ChangeRequest], _ results: [Result<Outcome, ChangeError>],
        _ reply: @escaping @Sendable ([Result<Outcome, ChangeError>]) -> Void
    ) {
        guard let next = requests.first else { return reply(results) }
        change(id, next) { [self] result in
            dryRuns(id, Array(requests.dropFirst()), results + [result.mapError(\.error)], reply)
        }
    }
}

extension StatusQuestion {
    fileprivate var needsDryRuns: Bool {
        actor != nil || selection != nil || !mayUndoOthers
    }

    /// Shared undo and redo; if an actor is named, that actor's own undo and redo; and last an undo
    /// of many edits, if that is asked about.
    fileprivate var dryRuns: [ChangeRequest] {
        var actions: [ChangeRequest.Action] = [.move(.undo(count: 1)), .move(.redo(count: 1))]
        if let actor {
            actions.append(.revert(OwnUndoRequest(.actor(actor))))
            actions.append(.revert(OwnUndoRequest(.actor(actor), isRedo: true)))
        }
        if let selection { actions.append(.revertAll(selection, also: [], .reject)) }
        return actions.map { action in
            var request = ChangeRequest(action, actor: caller)
            request.isDryRun = true
            request.isQuestion = true
            // With all its parts: what a transaction does elsewhere is not asked about.
            request.parts = .alone
            request.mayUndoOthers = mayUndoOthers
            request.family = family
            return request
        }
    }
}

extension DocumentStatus {
    /// The status with what the dry runs of a question resulted in. Blocks.
    fileprivate func answering(
        _ question: StatusQuestion, _ results: [Result<Outcome, ChangeError>], _ past: DocumentPast
    ) throws(ChangeError) -> DocumentStatus {
        var status = self
        if !question.mayUndoOthers {
            status.hasUndo = results[0].isSuccess
            status.hasRedo = results[1].isSuccess
        }
        if let actor = question.actor {
            status.nextTransaction =
                try document.history.stepsBack.first { _ in true }
                .map { step throws(ChangeError) in try past.change(at: step).transaction } ?? nil
            status.own = OwnStatus(
                actor: actor, undo: try OwnStep(results[2])?.named(past),
                redo: try OwnStep(results[3])?.named(past))
        }
        if question.selection != nil, let last = results.last {
            status.all = SelectionStatus(step: try OwnStep(last))
        }
        return status
    }
}

extension OwnStep {
    /// How many changes are searched for the one that names a version.
    private static let changesSearched = 64

    /// The step with the change that names its version.
    fileprivate func named(_ past: DocumentPast) throws(ChangeError) -> OwnStep {
        guard let newest = changes.max() ?? version, isAllowed else { return self }
        let found = try past.changes(upTo: newest, limit: OwnStep.changesSearched)
        let own = Set(changes.isEmpty ? [newest] : changes)
        let members = found.filter { own.contains($0.revision) }
        var step = self
        step.subject = members.last { $0.label != nil } ?? members.last
        return step
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
