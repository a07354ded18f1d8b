import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Restore of several documents.

extension DocumentsAPI {
    /// `POST /v1/restore`: `{"prefix":"menus/","to":"2026-01-31T12:00:00Z"}` puts back what all
    /// documents of a prefix were then, or at a position in the order of commits. A restore point
    /// has a prefix of its own.
    func restoreDocuments(_ call: Call) throws(Problem) {
        try call.noConditions()
        let body = try call.command()
        if !body.present(["made", "deleted"]).isEmpty { try call.needs(.admin) }
        taskOfAll(call) { [self] past throws(Problem) in
            try await once(call, also: { $0.describe(Since()) }) { () async throws(Problem) in
                let restoring = try Restoring(body, call)
                let places = try await call.found(try restoring.documents(past))
                try await withMemory(call) { memory async throws(Problem) in
                    call.send(try await restored(call, places, restoring, memory))
                }
            }
        }
    }

    /// Documents that were made, deleted or erased since then.
    fileprivate struct Since {
        var made: [DocumentID] = []
        var deleted: [DocumentID] = []
        var purged: [DocumentID] = []
    }

    fileprivate struct Restoring: Sendable {
        let to: Timestamp?
        /// Where `to` is `nil`.
        let position: Int
        let deletesMade: Bool
        let bringsBack: Bool
        let request: ChangeRequest
        let token: RequestToken?
        let prefix: String
        var members: [TransactionRequest.Member] = []
        var since = Since()

        /// A request is refused if another one ended, or began, the life of a document that had
        /// been looked up; then it begins again, up to this number of times.
        static let attemptsMax = 20

        init(_ body: JSON, _ call: Call) throws(Problem) {
            let address = body.address("to")
            let bound = try call.boundOfMany(address, "to")
            (to, position) = (bound.time, bound.position ?? 0)
            deletesMade = body["made"] != nil
            bringsBack = body["deleted"] != nil
            request = try call.request(.nothing, label: try call.label(), Precondition())
            token = try call.token()
            var point: RestorePoint?
            if case .restorePoint(let name)? = address { point = try call.restorePoint(name) }
            prefix = try call.grant.narrowed(body["prefix"]?.string ?? point?.prefix ?? "")
        }

        func documents(_ past: JournalPast) throws(ChangeError) -> [DocumentRevision] {
            if let to { return try past.documents(changedAfter: to, prefix: prefix) }
            return try past.documents(changedAfter: position, prefix: prefix)
        }
    }

    /// Puts back what differs. Returns the response.
    private func restored(
        _ call: Call, _ places: [DocumentRevision], _ restoring: Restoring, _ memory: RequestMemory
    ) async throws(Problem) -> HTTPResponse {
        for _ in 0...Restoring.attemptsMax {
            let found = try await resolved(call, places, restoring, memory)
            let since = found.since
            guard !found.members.isEmpty else { return call.restored(since) }
            var whole = call.transactionOfMany(found.members, token: restoring.token)
            whole.memory = memory
            let outcome: TransactionOutcome
            do throws(TransactionRefusal) {
                outcome = try await store.transact(whole, isLarge: call.isInBackground)
            } catch {
                if error.refusal.error.isAboutLife { continue }
                throw call.problem(error)
            }
            return try call.transacted(outcome) { $0.describe(since) }
        }
        throw Problem(ChangeError.overtaken)
    }

    /// Looks up what each document was.
    private func resolved(
        _ call: Call, _ places: [DocumentRevision], _ restoring: Restoring, _ memory: RequestMemory
    ) async throws(Problem) -> Restoring {
        var restoring = restoring
        var trimmed = TrimmedDocuments()
        for (index, place) in places.enumerated() {
            if index > 0 { await store.takeTurn(of: call.owner) }
            guard restoring.members.count <= TransactionRequest.documentsMax else {
                throw Problem(ChangeError.tooManyDocuments(max: TransactionRequest.documentsMax))
            }
            let isAlone = index == places.count - 1 && restoring.members.isEmpty
            let room = memory.room(beside: restoring.members, isAlone: isAlone)
            do throws(Problem) {
                let (head, past) = try await call.found(
                    await store.past(of: place.document, within: room, while: call.isAwaited),
                    about: place.document)
                try restoring.add(place, head, past, call)
                try memory.checkRoom(for: restoring.members, isAlone: isAlone)
            } catch {
                try trimmed.note(error.with("document", .text(place.document.name)), place)
            }
        }
        if let problem = trimmed.problem { throw problem }
        return restoring
    }
}

/// The documents whose state then is forgotten; nothing is restored if there are any.
private struct TrimmedDocuments {
    private var first: Problem?
    private var names: [String] = []

    /// The limit on names in a response.
    private static let countMax = 100

    /// Throws any other problem.
    mutating func note(_ problem: Problem, _ place: DocumentRevision) throws(Problem) {
        guard problem.kind == .trimmed else { throw problem }
        first = first ?? problem
        names.append(place.document.name)
    }

    /// The problem of the first one, which names all.
    var problem: Problem? {
        var text = JSONText()
        text.array(names.prefix(TrimmedDocuments.countMax)) { $0.value(JSON($1)) }
        return first?.with("documents", .json(text.bytes))
    }
}

extension DocumentsAPI.Restoring {
    /// Adds what is to be done to a document, which was another one before a revision.
    fileprivate mutating func add(
        _ place: DocumentRevision, _ head: Document, _ past: DocumentPast, _ call: Call
    ) throws(Problem) {
        var then: Document?
        do throws(ChangeError) {
            then = place.revision == 0 ? nil : try past.document(at: place.revision - 1)
            let oldest = head.oldestRevision
            if let then, then.revision < oldest { throw .trimmed(oldest: oldest) }
        } catch {
            // Erased data cannot be restored.
            guard case .purged = error else {
                throw call.problem(error, about: place.document)
            }
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
    /// The documents that were created, deleted and erased since.
    fileprivate mutating func describe(_ since: DocumentsAPI.Since) {
        texts("madeSince", since.made.map(\.name))
        texts("deletedSince", since.deleted.map(\.name))
        texts("purgedSince", since.purged.map(\.name))
    }
}
