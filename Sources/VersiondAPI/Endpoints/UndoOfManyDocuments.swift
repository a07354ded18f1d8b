import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo

// Undo and redo of edits in several documents as one step.

extension DocumentsAPI {
    /// `POST /v1/undo`: `{"all":{"actor":"agent/run-17"},"prefix":"menus/"}` undoes all that is
    /// selected, in all documents of a prefix, or in `documents`; `{"transaction":"menu@8"}` all
    /// parts of a transaction.
    func undoEdits(_ call: Call) throws(Problem) {
        let undoing = try UndoOfMany(call, isRedo: false)
        switch undoing.target {
        case .transaction(let place, let name): undoTransaction(call, place, name, undoing)
        case .named(let query, let documents):
            task(call, of: documents[0]) { [self] () async throws(Problem) in
                try await once(call) { () async throws(Problem) in
                    var selection = try await selection(call, query, in: documents)
                    let last = try await call.found(await store.lastSequence(reaching: .max))
                    store.findBeginnings(of: &selection, in: documents, upTo: last)
                    try await undo(call, documents, selection, undoing)
                }
            }
        case .below(let query, let prefix):
            taskOfAll(call) { [self] past throws(Problem) in
                try await once(call) { () async throws(Problem) in
                    var selection = try query.ofMany(call)
                    let documents = try await documents(call, &selection, prefix, past)
                    try await undo(call, documents, selection, undoing)
                }
            }
        }
    }

    /// `POST /v1/redo`: puts back what the newest undo of many edits took that took something of
    /// what is selected and holds it out of effect: in all its documents. With `transaction`, all
    /// parts of that.
    func redoEdits(_ call: Call) throws(Problem) {
        let undoing = try UndoOfMany(call, isRedo: true)
        switch undoing.target {
        case .transaction(let place, let name): undoTransaction(call, place, name, undoing)
        case .named(let query, let documents):
            taskOfAll(call) { [self] past throws(Problem) in
                try await once(call) { () async throws(Problem) in
                    let selection = try await selection(call, query, in: documents)
                    try await redo(call, selection, in: documents, "", past, undoing)
                }
            }
        case .below(let query, let prefix):
            taskOfAll(call) { [self] past throws(Problem) in
                try await once(call) { () async throws(Problem) in
                    try await redo(call, query.ofMany(call), in: nil, prefix, past, undoing)
                }
            }
        }
    }

    /// The documents of a prefix with edits of a selection.
    private func documents(
        _ call: Call, _ selection: inout SelectionOfMany, _ prefix: String, _ past: JournalPast
    ) async throws(Problem) -> [DocumentID] {
        // Otherwise changes that another daemon has stored would be left out.
        let last = try await call.found(await store.lastSequence(reaching: .max))
        return try await call.found(
            try store.documents(with: &selection, prefix: prefix, upTo: last, past))
    }

    /// The selection in documents that are named: only in one it is bounded by its states.
    private func selection(
        _ call: Call, _ query: SelectionQuery, in documents: [DocumentID]
    ) async throws(Problem) -> SelectionOfMany {
        guard documents.count == 1, !query.isPlain else { return try query.ofMany(call) }
        let document = documents[0]
        let (head, past) = try await call.found(
            await store.past(of: document, while: call.isAwaited), about: document)
        var selection = try query.bounded(in: head, past, for: call)
        selection.takesCreation = true
        return SelectionOfMany(selection)
    }

    private func undo(
        _ call: Call, _ documents: [DocumentID], _ selection: SelectionOfMany,
        _ undoing: UndoOfMany
    ) async throws(Problem) {
        guard !documents.isEmpty else { throw call.problem(.nothingSelected) }
        let members = try documents.map { document throws(Problem) in
            try undoing.member(document, selection, for: call)
        }
        let whole = try undoing.whole(
            members, widens: !undoing.isAlone, for: call)
        var isNamed = false
        if case .named = undoing.target { isNamed = true }
        transact(call, whole, showsAbsent: isNamed)
    }

    /// Undoes, or redoes, all parts of a transaction.
    private func undoTransaction(
        _ call: Call, _ place: DocumentRevision, _ name: String, _ undoing: UndoOfMany
    ) {
        task(call, of: place.document) { [self] () async throws(Problem) in
            try await once(call) { () async throws(Problem) in
                let parts = try await parts(call, place, name)
                let marks = parts.marks
                let members = parts.map { part in
                    // A merge has no other part that could be taken: the draft's is a mark.
                    var member = undoing.member(
                        part.place, isRedo: undoing.isRedo, isPart: part.change?.isPart ?? true)
                    // The draft need not remember it.
                    if marks.contains(part.place) { member.maySkip = true }
                    return member
                }
                let whole = try undoing.whole(
                    members, widens: undoing.keepsSomething, for: call)
                transact(call, whole, isRedo: undoing.isRedo)
            }
        }
    }
}

// MARK: Redo

extension DocumentsAPI {
    /// `documents`: those that are named; else all of a prefix.
    private func redo(
        _ call: Call, _ selection: SelectionOfMany, in documents: [DocumentID]?, _ prefix: String,
        _ past: JournalPast, _ undoing: UndoOfMany
    ) async throws(Problem) {
        let last = try await call.found(await store.lastSequence(reaching: .max))
        let found = try await call.found(
            await store.newestUndo(
                of: selection, in: documents, prefix: prefix, upTo: last, past))
        guard let found else { throw Problem.nothingHeld }
        let isMeant = { (document: DocumentID) -> Bool in
            documents?.contains(document) ?? document.name.utf8.starts(with: prefix.utf8)
        }
        let all = try await call.found(await store.transaction(of: found))
        let parts = all.filter { !undoing.isAlone || isMeant($0.place.document) }
        for part in parts { try call.checkReach(of: part.place.document) }
        // To undo an undo is to redo.
        let members =
            all.isEmpty
            ? [undoing.member(found, isRedo: false, isPart: false)]
            : parts.map { part in
                undoing.member(part.place, isRedo: false, isPart: part.change?.isPart ?? true)
            }
        let whole = try undoing.whole(
            members, widens: undoing.keepsSomething, for: call)
        transact(call, whole, isRedo: true)
    }
}

extension Problem {
    fileprivate static var nothingHeld: Problem {
        Problem(
            .nothingToRedo, "No undo holds an edit that matches `all` out of effect.",
            hint: "Own redo redoes an own undo.")
    }
}
