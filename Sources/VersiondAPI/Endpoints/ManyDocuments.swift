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
                    call.refuse(call.problem(error))
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
            return call.refuse(call.problem(error))
        }
        guard !documents.isEmpty else {
            return call.refuse(call.problem(.nothingSelected))
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
            to: to, cursor: try cursor.map { shown throws(Problem) in try call.position(shown) },
            deletesMade: deletesMade ?? false,
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
                call.refuse(call.problem(error))
            }
        }
        if !isTaken { throw Problem(HTTPFault.stopping) }
    }

    /// What differs may have been put back by the same request before.
    private func begin(
        _ call: Call, _ places: [DocumentRevision], _ restoring: Restoring
    ) {
        var restoring = restoring
        restoring.places = places
        guard let token = restoring.token, !places.isEmpty else {
            return resolve(call, places, restoring)
        }
        repeating(
            call, token, in: places.map(\.document), also: { $0.describe(Since()) }
        ) { [self, restoring] in resolve(call, places, restoring) }
    }

    /// Documents that were made, deleted or erased since then.
    fileprivate struct Since {
        var made: [DocumentID] = []
        var deleted: [DocumentID] = []
        var purged: [DocumentID] = []
    }

    fileprivate struct Restoring: Sendable {
        let to: Timestamp?
        let cursor: Int?
        let deletesMade: Bool
        let bringsBack: Bool
        let request: ChangeRequest
        let token: RequestToken?
        /// The documents that have changed since then, each with its first revision after it.
        var places: [DocumentRevision] = []
        var members: [TransactionRequest.Member] = []
        var since = Since()
        /// How often it was refused because another request ended, or began, the life of a document
        /// that had been looked up.
        var attempts = 0

        static let attemptsMax = 20

        /// The same, with nothing looked up yet.
        var again: Restoring {
            var again = self
            (again.members, again.since) = ([], Since())
            again.attempts += 1
            return again
        }

        func documents(
            _ past: JournalPast, _ prefix: String
        ) throws(ChangeError) -> [DocumentRevision] {
            if let to { return try past.documents(changedAfter: to, prefix: prefix) }
            return try past.documents(changedAfter: cursor ?? 0, prefix: prefix)
        }
    }

    private func resolve(_ call: Call, _ places: [DocumentRevision], _ restoring: Restoring) {
        withMemory(call) { [self] memory throws(Problem) in
            resolve(call, places, restoring, memory)
        }
    }

    /// Looks up, one document after the other, what it was, and puts back what differs.
    private func resolve(
        _ call: Call, _ places: [DocumentRevision], _ restoring: Restoring,
        _ memory: RequestMemory
    ) {
        guard let place = places.first else { return restore(call, restoring, memory) }
        guard restoring.members.count <= TransactionRequest.documentsMax else {
            let error = ChangeError.tooManyDocuments(max: TransactionRequest.documentsMax)
            return call.refuse(call.problem(error))
        }
        let isAlone = places.count == 1 && restoring.members.isEmpty
        let room = memory.room(beside: restoring.members, isAlone: isAlone)
        store.withPast(
            of: place.document, within: room, while: call.isAwaited
        ) { [self] found in
            do throws(Problem) {
                let (head, past) = try call.found(found, about: place.document)
                var next = restoring
                try next.add(place, head, past, call)
                try memory.checkRoom(for: next.members, isAlone: isAlone)
                resolve(call, Array(places.dropFirst()), next, memory)
            } catch {
                if memory.beginsAgain(after: error) { return }
                call.refuse(error.with("document", .text(place.document.name)))
            }
        }
    }

    private func restore(_ call: Call, _ restoring: Restoring, _ memory: RequestMemory) {
        let since = restoring.since
        guard !restoring.members.isEmpty else { return call.send(call.restored(since)) }
        var whole = call.transaction(of: restoring.members, token: restoring.token)
        whole.memory = memory
        store.transact(whole, isLarge: call.isInBackground) { [self] result in
            if case .failure(let refusal) = result, refusal.refusal.error.isAboutLife {
                guard restoring.attempts < Restoring.attemptsMax else {
                    return call.refuse(Problem(ChangeError.overtaken))
                }
                return resolve(call, restoring.places, restoring.again)
            }
            respond(call, result, memory, showsAbsent: true) { text in text.describe(since) }
        }
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
            guard case .purged = error else {
                throw call.problem(error, about: place.document)
            }
            then = nil
        }
        if try isPurged(since: place, past, call) { since.purged.append(place.document) }
        let was = then?.absence == nil ? then : nil
        var request = request
        request.namesChanges = true
        switch (was, head.absence == nil) {
        case (nil, true):
            since.made.append(place.document)
            guard deletesMade else { return }
            request.action = .delete
        case (.some, false):
            since.deleted.append(place.document)
            guard bringsBack else { return }
            request.action = .undelete
        case (nil, false): return
        case (let was?, true):
            guard was.tree != head.tree else { return }
            request.action = try call.puttingBack(
                [.root], from: .revision(was.revision), was, head, past)
            let shown = call.numbering(of: was.id).shown(was.revision)
            request.label = request.label ?? "restored from \(shown)"
        }
        members.append(TransactionRequest.Member(place.document, request))
    }

    /// Whether a document was erased at a revision or later: then nothing is left of that one.
    private func isPurged(
        since place: DocumentRevision, _ past: DocumentPast, _ call: Call
    ) throws(Problem) -> Bool {
        do throws(ChangeError) {
            return try past.change(at: place.revision).kind == .purge([])
        } catch {
            throw call.problem(error, about: place.document)
        }
    }
}

extension ChangeError {
    /// Whether the document is there, and should not be, or is not there, and should be.
    fileprivate var isAboutLife: Bool {
        switch self {
        case .unknownDocument, .deleted, .purged, .notDeleted: true
        default: false
        }
    }
}

extension Call {
    /// The response when nothing differs.
    fileprivate func restored(_ since: DocumentsAPI.Since) -> HTTPResponse {
        json(transaction: nil, [], isDryRun: isDryRun) { $0.describe(since) }
    }
}

extension JSONText {
    /// What was made, deleted and erased since.
    fileprivate mutating func describe(_ since: DocumentsAPI.Since) {
        texts("madeSince", since.made.map(\.name))
        texts("deletedSince", since.deleted.map(\.name))
        texts("purgedSince", since.purged.map(\.name))
    }
}
