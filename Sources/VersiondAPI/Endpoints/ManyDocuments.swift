import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// What is taken back, or put back, in whatever documents it was done.

extension DocumentsAPI {
    /// `POST /v1/undo`: `{"all":{"actor":"agent/run-17"},"prefix":"menus/"}` takes back all that is
    /// named, in all documents of a prefix, or in `documents`, as one change.
    func undoEdits(_ call: Call) throws(Problem) {
        try call.noConditions()
        var body = try ControlBody(call)
        let query = body.object("all") { SelectionQuery(&$0) }
        if body.present(["all"]).isEmpty { body.fault("all", "all says which edits.") }
        let prefix = body.text("prefix", "the beginning of names") ?? ""
        let named = DocumentsAPI.documents(&body)
        try body.finish(hint: "-d '{\"all\":{\"actor\":\"agent/run-17\"},\"prefix\":\"menus/\"}'")
        let policy = call.conflictPolicy
        if policy == .mine { try call.needsRightToUndoOthers() }
        guard let selection = try query?.ofMany() else { return }
        let undoing = Undoing(
            selection: selection, policy: policy, isNamed: named != nil,
            request: try call.request(.nothing, label: try call.label(), Precondition()),
            token: try call.token())
        if let named {
            for document in named { try call.checkReach(of: document) }
            return undo(call, named, undoing)
        }
        let reach = try call.grant.narrowed(prefix)
        store.lastSequence(reaching: .max) { [store] last in
            let isTaken = store.withJournalPast(
                for: call.grant.name, while: call.isAwaited
            ) { [self] past in
                do throws(ChangeError) {
                    // What another daemon has stored and is not known here would be left out.
                    let last = try last.get()
                    undo(
                        call, try past.documents(with: selection, prefix: reach, upTo: last),
                        undoing)
                } catch {
                    call.refuse(Problem(error))
                }
            }
            if !isTaken { call.refuse(Problem(HTTPFault.stopping)) }
        }
    }

    /// What is to be undone.
    private struct Undoing: Sendable {
        let selection: ChangeSelection
        let policy: ConflictPolicy
        /// Whether the documents were named, so that each is in the response.
        let isNamed: Bool
        let request: ChangeRequest
        let token: RequestToken?
    }

    private func undo(_ call: Call, _ documents: [DocumentID], _ undoing: Undoing) {
        guard documents.count <= TransactionRequest.documentsMax else {
            let error = ChangeError.tooManyDocuments(max: TransactionRequest.documentsMax)
            return call.refuse(Problem(error))
        }
        guard !documents.isEmpty else {
            return call.refuse(Problem(ChangeError.nothingSelected))
        }
        var whole = call.transaction(
            of: documents.map { document in
                TransactionRequest.Member(
                    document, undoing.request,
                    takingBack: .revertAll(undoing.selection, also: [], undoing.policy),
                    undoing.policy)
            }, token: undoing.token)
        whole.mustChange = true
        whole.widens = true
        let grant = call.grant
        whole.mayReach = { grant.covers($0.name) && grant.mayWrite($0.name) }
        transact(call, whole, showsAbsent: undoing.isNamed)
    }

    /// `documents`: names, which may be left out.
    static func documents(_ body: inout ControlBody) -> [DocumentID]? {
        let most = TransactionRequest.documentsMax
        let documents = body.member("documents", "1 to \(most) names") { value in
            ControlBody.list(value, 1...most) { DocumentsAPI.reachable($0) }
        }
        if documents.map({ Set($0).count != $0.count }) ?? false {
            body.fault("documents", "documents names each once.")
        }
        if documents != nil, body.present(["prefix"]) == ["prefix"] {
            body.fault("documents", "Only one of prefix and documents can be meant.")
        }
        return documents
    }
}

// MARK: As they were

extension DocumentsAPI {
    /// `POST /v1/restore`: `{"prefix":"menus/","to":"2026-01-31T12:00:00Z"}` puts back what all
    /// documents of a prefix were then; or at `cursor`, a number in the order of commits.
    func restoreDocuments(_ call: Call) throws(Problem) {
        try call.noConditions()
        var body = try ControlBody(call)
        let prefix = body.text("prefix", "the beginning of names") ?? ""
        let to = body.member("to", "a time, like 2026-01-31T12:00:00Z") { value in
            value.string.flatMap { RFC3339.parse($0) }
        }
        let cursor = body.number("cursor", 0...Limits.sequenceMax)
        if body.present(["to", "cursor"]).count != 1 {
            body.fault("to", "Either to or cursor says when it was.")
        }
        let deletesMade = body.member("made", "\"delete\"") { $0.string == "delete" ? true : nil }
        let bringsBack = body.member("deleted", "\"undelete\"") {
            $0.string == "undelete" ? true : nil
        }
        try body.finish(hint: "-d '{\"prefix\":\"menus/\",\"to\":\"2026-01-31T12:00:00Z\"}'")
        if deletesMade ?? false || bringsBack ?? false { try call.needs(.admin) }
        let restoring = Restoring(
            to: to, cursor: cursor, deletesMade: deletesMade ?? false,
            bringsBack: bringsBack ?? false,
            request: try call.request(.nothing, label: try call.label(), Precondition()),
            token: try call.token())
        let reach = try call.grant.narrowed(prefix)
        let isTaken = store.withJournalPast(
            for: call.grant.name, while: call.isAwaited
        ) { [self] past in
            do throws(ChangeError) {
                begin(call, try restoring.documents(past, reach), restoring)
            } catch {
                call.refuse(Problem(error))
            }
        }
        if !isTaken { throw Problem(HTTPFault.stopping) }
    }

    /// What differs may have been put back by the same request before.
    private func begin(
        _ call: Call, _ places: [DocumentRevision], _ restoring: Restoring
    ) {
        guard let token = restoring.token, !places.isEmpty else {
            return resolve(call, places, restoring)
        }
        repeating(
            call, token, in: places.map(\.document), also: { $0.describe((made: [], deleted: [])) }
        ) { [self] () throws(Problem) in resolve(call, places, restoring) }
    }

    fileprivate struct Restoring: Sendable {
        let to: Timestamp?
        let cursor: Int?
        let deletesMade: Bool
        let bringsBack: Bool
        let request: ChangeRequest
        let token: RequestToken?
        var members: [TransactionRequest.Member] = []
        /// Documents that were made, or deleted, since then.
        var made: [DocumentID] = []
        var deleted: [DocumentID] = []

        func documents(
            _ past: JournalPast, _ prefix: String
        ) throws(ChangeError) -> [DocumentRevision] {
            if let to { return try past.documents(changedAfter: to, prefix: prefix) }
            return try past.documents(changedAfter: cursor ?? 0, prefix: prefix)
        }
    }

    /// Looks up, one document after the other, what it was, and puts back what differs.
    private func resolve(
        _ call: Call, _ places: [DocumentRevision], _ restoring: Restoring
    ) {
        guard let place = places.first else { return restore(call, restoring) }
        guard restoring.members.count <= TransactionRequest.documentsMax else {
            let error = ChangeError.tooManyDocuments(max: TransactionRequest.documentsMax)
            return call.refuse(Problem(error))
        }
        store.withPast(of: place.document, while: call.isAwaited) { [self] found in
            do throws(Problem) {
                let (head, past) = try DocumentsAPI.found(found)
                var next = restoring
                try next.add(place, head, past, call)
                resolve(call, Array(places.dropFirst()), next)
            } catch {
                call.refuse(error.with("document", .text(place.document.name)))
            }
        }
    }

    private func restore(_ call: Call, _ restoring: Restoring) {
        let listed = (made: restoring.made, deleted: restoring.deleted)
        guard !restoring.members.isEmpty else { return call.send(call.restored(listed)) }
        let whole = call.transaction(of: restoring.members, token: restoring.token)
        transact(call, whole, also: { text in text.describe(listed) })
    }
}

extension DocumentsAPI.Restoring {
    /// Adds what is to be done to a document, which was another one before a revision.
    fileprivate mutating func add(
        _ place: DocumentRevision, _ head: Document, _ past: DocumentPast, _ call: Call
    ) throws(Problem) {
        let then: Document?
        do throws(ChangeError) {
            then = place.revision == 0 ? nil : try past.document(at: place.revision - 1)
        } catch {
            // What was erased since can not come back.
            guard case .purged = error else { throw Problem(error) }
            then = nil
        }
        let was = then?.absence == nil ? then : nil
        var request = request
        request.namesChanges = true
        switch (was, head.absence == nil) {
        case (nil, true):
            made.append(place.document)
            guard deletesMade else { return }
            request.action = .delete
        case (.some, false):
            deleted.append(place.document)
            guard bringsBack else { return }
            request.action = .undelete
        case (nil, false): return
        case (let was?, true):
            guard was.tree != head.tree else { return }
            request.action = try call.puttingBack(
                [.root], from: .revision(was.revision), head, past)
            request.label = request.label ?? "restored from \(was.revision)"
        }
        members.append(TransactionRequest.Member(place.document, request))
    }
}

extension Call {
    /// The response when nothing differs.
    fileprivate func restored(
        _ listed: (made: [DocumentID], deleted: [DocumentID])
    ) -> HTTPResponse {
        json(transaction: nil, [], isDryRun: isDryRun) { $0.describe(listed) }
    }
}

extension JSONText {
    /// What was made, and what was deleted, since.
    fileprivate mutating func describe(_ listed: (made: [DocumentID], deleted: [DocumentID])) {
        texts("madeSince", listed.made.map(\.name))
        texts("deletedSince", listed.deleted.map(\.name))
    }
}
