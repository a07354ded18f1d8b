import DocumentCore
import JSONTree
public import Journaling
import SelectiveUndo
import Threading
import VersioningKit

// The available undo and redo.

extension DocumentStore {
    /// The status of a document with the answers to a question. They are dry runs, one after the
    /// other: a change that is made meanwhile may be seen by the later ones only. `reply` is called
    /// at once if memory has the document and nothing has to be looked up.
    public func status(
        _ id: DocumentID, _ question: StatusQuestion, isLocal: Bool = false,
        reply: @escaping @Sendable (Result<DocumentStatus, ChangeError>) -> Void
    ) {
        status(id, isLocal: isLocal) { [self] result in
            guard case .success(let status) = result, question.needsDryRuns || status.needsHolder
            else { return reply(result) }
            let executor = WorkQueue.Executor(pasts, owner: id.name)
            task(on: executor, reply: reply) { [self] () async throws(ChangeError) in
                try await self.status(status, question, isLocal: isLocal)
            }
        }
    }

    private func status(
        _ found: DocumentStatus, _ question: StatusQuestion, isLocal: Bool
    ) async throws(ChangeError) -> DocumentStatus {
        var status = found
        let id = status.document.id
        if status.needsHolder { try? await addHolder(to: &status, isLocal: isLocal) }
        guard question.needsDryRuns else { return status }
        guard isOpen else { throw DocumentStore.closed }
        var results: [Result<Outcome, ChangeError>] = []
        for request in question.dryRuns {
            do throws(Refusal) {
                results.append(.success(try await outcome(of: request, in: id)))
            } catch {
                results.append(.failure(error.error))
            }
        }
        return try await self.status(status, with: question.answers(in: results), question)
    }

    /// Looks up when the version of the oldest tag was made, which bounds the history by its age.
    private func addHolder(
        to status: inout DocumentStatus, isLocal: Bool
    ) async throws(ChangeError) {
        let document = status.document
        guard let oldest = document.oldestTag else { return }
        let change = try await past(of: document.id, isLocal: isLocal).past
            .change(at: oldest.version)
        if document.isTooOld(change.time) {
            status.heldBy = HoldingTag(tag: oldest.name, version: oldest.version)
        }
    }

    /// Looks up what is about to be undone or redone, if there is anything.
    private func status(
        _ status: DocumentStatus, with answers: StatusQuestion.Answers, _ question: StatusQuestion
    ) async throws(ChangeError) -> DocumentStatus {
        let id = status.document.id
        if answers.own?.undo == nil, answers.own?.redo == nil {
            let newest = status.document.history.stepsBack.first { _ in true }
            let change = newest.flatMap { loadedHost(id)?.recentChange(at: $0) }
            if question.actor == nil || newest == nil || change != nil {
                return status.with(answers, next: change?.transaction)
            }
        }
        var whole = try status.with(answers, of: question, DocumentPast(id, journal))
        if let own = whole.own {
            whole.own = OwnStatus(
                actor: own.actor, undo: try await reached(own.undo, in: id, question),
                redo: try await reached(own.redo, in: id, question))
        }
        return whole
    }

    /// A step that is allowed only if the caller may reach the other parts of the transaction that
    /// it takes, or puts back, a part of.
    private func reached(
        _ step: OwnStep?, in id: DocumentID, _ question: StatusQuestion
    ) async throws(ChangeError) -> OwnStep? {
        guard var step, step.isAllowed, let part = step.subject, part.transaction != nil else {
            return step
        }
        let others = try await others(of: [part.revision], in: id)
        step.isAllowed = others.allSatisfy { question.mayReach($0.document) }
        return step
    }
}

extension DocumentStatus {
    /// Whether age bounds the history, and a tag may hold it.
    fileprivate var needsHolder: Bool {
        heldBy == nil && document.settings.bounds.age != nil && document.oldestTag != nil
    }
}

extension StatusQuestion {
    fileprivate var needsDryRuns: Bool {
        actor != nil || !mayUndoOthers
    }

    /// The results of the dry runs.
    fileprivate struct Answers {
        var hasUndo: Bool?
        var hasRedo: Bool?
        var own: OwnStatus?
    }

    /// The answers in the results of the dry runs, in their order.
    fileprivate func answers(
        in results: [Result<Outcome, ChangeError>]
    ) throws(ChangeError) -> Answers {
        var answers = Answers()
        var results = results[...]
        if !mayUndoOthers {
            answers.hasUndo = results.popFirst()?.isSuccess
            answers.hasRedo = results.popFirst()?.isSuccess
        }
        if let actor, let undo = results.popFirst(), let redo = results.popFirst() {
            answers.own = OwnStatus(actor: actor, undo: try OwnStep(undo), redo: try OwnStep(redo))
        }
        return answers
    }

    /// Shared undo and redo, where the caller may not do all of it; and if an actor is named, that
    /// actor's own undo and redo.
    fileprivate var dryRuns: [ChangeRequest] {
        var actions: [ChangeRequest.Action] = []
        if !mayUndoOthers { actions += [.move(.undo(count: 1)), .move(.redo(count: 1))] }
        if let actor {
            actions.append(.revert(OwnUndoRequest(.actor(actor))))
            actions.append(.revert(OwnUndoRequest(.actor(actor), isRedo: true)))
        }
        return actions.map { action in
            var request = ChangeRequest(action, actor: caller)
            request.isDryRun = true
            request.isQuestion = true
            // With all its parts: what a transaction does elsewhere is not asked about.
            request.parts = .alone
            request.mayUndoOthers = mayUndoOthers
            request.mayDelete = mayDelete
            request.tokenName = tokenName
            return request
        }
    }
}

extension DocumentStatus {
    /// The status with answers, and with the transaction that shared undo would take a part of.
    fileprivate func with(
        _ answers: StatusQuestion.Answers, next transaction: TransactionPart?
    ) -> DocumentStatus {
        var status = self
        status.hasUndo = answers.hasUndo ?? hasUndo
        status.hasRedo = answers.hasRedo ?? hasRedo
        status.own = answers.own
        if answers.own != nil { status.nextTransaction = transaction }
        return status
    }

    /// The same, with what is named looked up. Blocks.
    fileprivate func with(
        _ answers: StatusQuestion.Answers, of question: StatusQuestion, _ past: DocumentPast
    ) throws(ChangeError) -> DocumentStatus {
        var answers = answers
        var transaction: TransactionPart?
        if let own = answers.own {
            if let newest = document.history.stepsBack.first(where: { _ in true }) {
                transaction = try past.change(at: newest).transaction
            }
            answers.own = OwnStatus(
                actor: own.actor, undo: try own.undo?.named(past), redo: try own.redo?.named(past))
        }
        return with(answers, next: transaction)
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
