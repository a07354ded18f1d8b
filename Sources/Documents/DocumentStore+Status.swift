import Journaling
import SelectiveUndo
import VersioningKit

// How a document fares, and what could be undone and redone.

extension DocumentStore {
    /// The document and how it fares. What needs dry runs is asked one after the other, so a change
    /// in between may be seen by the later ones only.
    public func status(
        _ id: DocumentID, _ question: StatusQuestion,
        reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        status(id) { [self] result in
            guard case .success(let status) = result else { return reply(result) }
            shared(status, question) { [self] result in
                guard case .success(let status) = result, let actor = question.actor else {
                    return reply(result)
                }
                own(status, actor, question, reply)
            }
        }
    }

    /// Whether the caller may do what shared undo and redo would do.
    private func shared(
        _ status: DocumentStatus, _ question: StatusQuestion,
        _ reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        if question.mayUndoOthers { return reply(.success(status)) }
        let id = status.document.id
        dryRun(id, .move(.undo(count: 1)), question) { [self] undo in
            dryRun(id, .move(.redo(count: 1)), question) { redo in
                var status = status
                if case .failure = undo { status.hasUndo = false }
                if case .failure = redo { status.hasRedo = false }
                reply(.success(status))
            }
        }
    }

    private func own(
        _ status: DocumentStatus, _ actor: String, _ question: StatusQuestion,
        _ reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        let id = status.document.id
        dryRun(id, .revert(OwnUndoRequest(.actor(actor))), question) { [self] undo in
            let redo = OwnUndoRequest(.actor(actor), isRedo: true)
            dryRun(id, .revert(redo), question) { redo in
                let steps = Result { () throws(ChangeError) in
                    (undo: try OwnStep(undo), redo: try OwnStep(redo))
                }
                guard case .success(let (undo, redo)) = steps else {
                    return reply(steps.map { _ in status })
                }
                self.named(id, undo) { [self] undo in
                    named(id, redo) { redo in
                        reply(
                            undo.flatMap { undo in
                                redo.map { redo in
                                    var status = status
                                    status.own = OwnStatus(actor: actor, undo: undo, redo: redo)
                                    return status
                                }
                            })
                    }
                }
            }
        }
    }

    /// So many changes are looked through for the one that names a version.
    private static let changesNamed = 64

    /// The step with the change that names its version, which the journal has.
    private func named(
        _ id: DocumentID, _ step: OwnStep?,
        _ reply: @escaping @Sendable (Result<OwnStep?, ChangeError>) -> Void
    ) {
        guard let step, let newest = step.changes.max() ?? step.version, step.isAllowed else {
            return reply(.success(step))
        }
        changes(of: id, upTo: newest, limit: DocumentStore.changesNamed) { result in
            reply(
                result.map { changes in
                    var step = step
                    let own = Set(step.changes.isEmpty ? [newest] : step.changes)
                    let members = changes.filter { own.contains($0.revision) }
                    step.subject = members.last { $0.label != nil } ?? members.last
                    return step
                })
        }
    }

    private func dryRun(
        _ id: DocumentID, _ action: ChangeRequest.Action, _ question: StatusQuestion,
        _ reply: @escaping @Sendable (Result<Outcome, ChangeError>) -> Void
    ) {
        var request = ChangeRequest(action, actor: question.caller)
        request.isDryRun = true
        request.isQuestion = true
        request.mayUndoOthers = question.mayUndoOthers
        change(id, request, reply: reply)
    }
}
