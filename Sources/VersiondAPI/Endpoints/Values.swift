import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Reading and changing values.

extension DocumentsAPI {
    /// `DELETE`: ends the document; its history stays. With `?purge` nothing is left of it.
    func delete(_ call: Call, _ id: DocumentID) throws(Problem) {
        if call.flag("purge") {
            // A client that may write a draft may delete it; only an administrator may erase it.
            try call.needs(.admin)
            return try purgeAll(call, id)
        }
        var request = ChangeRequest(
            .delete, actor: try call.actor(), label: try call.label(),
            precondition: try call.precondition())
        request.token = try call.token()
        request.promptBy = try call.promptBy()
        change(call, id, request) { outcome throws(Problem) in
            HTTPResponse(
                status: 204,
                fields: call.fields(of: outcome)
                    + [call.entityTag(outcome.document.revision)])
        }
    }

    /// `PUT`: creates the document, or appends a whole new value; with `?copyOf=`, the value of
    /// another document.
    func put(_ call: Call, _ id: DocumentID) throws(Problem) {
        // A part would be taken for the whole (RFC 9110 section 14.5).
        guard call.fields["content-range"] == nil else {
            throw Problem(
                .malformedRequest, "PUT does not support Content-Range.",
                hint: "Use PATCH: [{\"op\":\"replace\",\"path\":\"/price\",\"value\":5}]"
            )
        }
        if let source = call.query("copyOf") { return try copy(call, id, source) }
        guard call.query("withHistory") == nil else {
            throw Problem(
                .malformedRequest, "withHistory requires copyOf.",
                hint: "Example: PUT …?copyOf=menu&withHistory=true")
        }
        guard call.mediaType == MediaType.json else {
            throw call.unsupported([MediaType.json], example: MediaType.json)
        }
        try submit(call, id, .put(try call.value()), base: try call.base())
    }

    /// `PATCH`: appends a diff.
    func patch(_ call: Call, _ id: DocumentID) throws(Problem) {
        let type = call.mediaType
        if type == MediaType.json { return try appendEdit(call, id, try editInside(call)) }
        guard let type, MediaType.patches.contains(type) else {
            throw call.unsupported(MediaType.patches, example: MediaType.jsonPatch)
        }
        try appendEdit(call, id, try edit(call))
    }

    /// `{"patch":[…]}` or `{"merge":{…}}`, for clients that support one media type only. A body
    /// without either is most likely a patch with the wrong media type.
    private func editInside(_ call: Call) throws(Problem) -> ChangeRequest.Edit {
        let value = try call.value(levelsDown: 1 + JSONPatch.levels)
        let forms = ["patch", "merge"].compactMap { name in value[name].map { (name, $0) } }
        guard forms.count == 1, let (form, edit) = forms.first else {
            throw call.unsupported(
                MediaType.patches, example: MediaType.jsonPatch,
                "A PATCH with application/json is {\"patch\":[…]} or {\"merge\":{…}}")
        }
        let others = (value.members ?? []).map(\.name).filter { $0 != form }
        if let other = others.first, !call.preferences.isLenient {
            throw Problem(
                malformed: JSONPointer(names: [other]).description,
                "This member is unknown.", hint: "Use only merge and patch.")
        }
        return try call.edit(form, edit)
    }

    /// `POST …/append`: appends an edit in any of the three forms.
    func append(_ call: Call, _ id: DocumentID) throws(Problem) {
        guard let type = call.mediaType, MediaType.edits.contains(type) else {
            throw call.unsupported(MediaType.edits, example: MediaType.json)
        }
        try appendEdit(call, id, try edit(call))
    }

    private func appendEdit(
        _ call: Call, _ id: DocumentID, _ edit: ChangeRequest.Edit
    ) throws(Problem) {
        var tag: Name?
        if let name = call.query("tag") { tag = Name(try Limits.checkName(name, "A tag")) }
        try submit(
            call, id, .append(edit, tag: tag, grouping: try grouping(call)),
            base: try call.base())
    }

    private func edit(_ call: Call) throws(Problem) -> ChangeRequest.Edit {
        switch call.mediaType {
        case MediaType.jsonPatch:
            return try call.edit("patch", call.value(levelsDown: JSONPatch.levels))
        case MediaType.mergePatch: return .mergePatch(try call.value())
        default: return .value(try call.value())
        }
    }

    /// `?debounce=500ms`: the window for this edit; `?group=KEY`: what it belongs to.
    private func grouping(_ call: Call) throws(Problem) -> Grouping? {
        if let key = call.query("group") {
            guard call.query("debounce") == nil else {
                throw Problem(
                    .malformedRequest, "group and debounce exclude each other.",
                    hint: "Omit debounce: group has no time limit.")
            }
            guard !key.isEmpty else {
                throw Problem(.malformedRequest, "group must not be empty.")
            }
            return .keyed(try call.name(key, of: "group"), window: Limits.debounceMax)
        }
        guard let text = call.query("debounce") else { return nil }
        guard let window = HumanDuration.parse(text), window <= Limits.debounceMax else {
            throw Problem(
                .malformedRequest, "debounce must be a duration up to one hour.",
                hint: "Write it like 500ms, 2s or 1m; 0 turns grouping off.")
        }
        return Grouping(window: window, longest: nil)
    }
}

// MARK: Reading

extension DocumentsAPI {
    /// `GET`: the value, or a place in it.
    func read(_ call: Call, _ id: DocumentID) throws(Problem) {
        let precondition = try call.precondition()
        let pointer = try DocumentsAPI.pointer(call)
        let isLocal = call.isLocal
        if let text = call.query("at") {
            let address = try call.state(text, named: "at")
            return respond(call, reading: id) { head, past throws(Problem) in
                let document = try address.found(head, past, for: call)
                if let response = try call.conditional(precondition, document.revision) {
                    return response
                }
                return try call.value(of: document, at: pointer ?? .root)
            }
        }
        if pointer != nil || Call.prefersText(call.fields) {
            return store.read(id, isLocal: isLocal) { [self] result in
                answer(call, result, at: pointer ?? .root, precondition)
            }
        }
        store.read(id, isLocal: isLocal, rendering: DocumentsAPI.line) { result in
            call.respond { () throws(Problem) in
                let found = try call.found(result)
                if let response = try call.conditional(precondition, found.revision) {
                    return response
                }
                return call.json(found.bytes, revision: found.revision)
            }
        }
    }

    /// Responds with a place in a document; with a large one on a worker thread.
    private func answer(
        _ call: Call, _ result: Result<Document, ChangeError>, at pointer: JSONPointer,
        _ precondition: Precondition
    ) {
        do throws(Problem) {
            let document = try call.found(result)
            if let response = try call.conditional(precondition, document.revision) {
                return call.send(response)
            }
            let bytes = document.tree[pointer]?.byteCount ?? 0
            guard bytes > Limits.bodyOnLoopBytesMax else {
                return call.send(try call.value(of: document, at: pointer))
            }
            try inBackground(call, document.id, bytes) { call throws(Problem) in
                call.send(try call.value(of: document, at: pointer))
            }
        } catch {
            call.refuse(error)
        }
    }

    /// `?path=`
    static func pointer(_ call: Call) throws(Problem) -> JSONPointer? {
        guard let text = call.query("path") else { return nil }
        guard let pointer = JSONPointer(parsing: text) else {
            throw Problem(
                .malformedRequest, "path must be a JSON Pointer.",
                hint: "A pointer is empty or begins with /. In a name, ~ is ~0 and / is ~1.")
        }
        return pointer
    }

    /// A value as JSON text with a line end.
    private static func line(_ value: JSON) -> [UInt8] { value.serialized() + [0x0a] }

    /// A document that is not deleted, and its past.
}

extension Call {
    /// A document that is not deleted, and its past.
    func living(
        _ body: @autoclosure () async throws(ChangeError) -> (head: Document, past: DocumentPast),
        about id: DocumentID? = nil
    ) async throws(Problem) -> (head: Document, past: DocumentPast) {
        let found = try await found(await body(), about: id)
        if let absence = found.head.absence { throw problem(absence, about: id) }
        return found
    }

    func found<Value>(
        _ body: @autoclosure () async throws(ChangeError) -> Value, about id: DocumentID? = nil
    ) async throws(Problem) -> Value {
        do throws(ChangeError) { return try await body() } catch { throw problem(error, about: id) }
    }

    func found<Value>(
        _ result: Result<Value, ChangeError>, about id: DocumentID? = nil
    ) throws(Problem) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let error): throw problem(error, about: id)
        }
    }

    /// 304 or 412, if the conditions of a reading request say so.
    func conditional(_ precondition: Precondition, _ revision: Int) throws(Problem) -> HTTPResponse?
    {
        if let match = precondition.match, !match.contains(revision) {
            throw problem(.stale(head: revision))
        }
        if let noneMatch = precondition.noneMatch, noneMatch.contains(revision) {
            return HTTPResponse(status: 304, fields: [entityTag(revision)])
        }
        return nil
    }

    /// A value inside a document; scalars as plain text if the client asks for text.
    func value(of document: Document, at pointer: JSONPointer) throws(Problem) -> HTTPResponse {
        guard let value = document.tree[pointer] else {
            throw Problem(.unknownValue, "The document has no value at \(pointer).")
                .with("path", .text(pointer.description))
        }
        return self.value(value, revision: document.revision)
    }

    /// A value alone; scalars as plain text if the client asks for text.
    func value(_ value: JSON, revision: Int) -> HTTPResponse {
        guard Call.prefersText(fields), !value.isContainer else {
            return json(value.serialized(), revision: revision)
        }
        var response = DocumentsAPI.plain((value.string ?? value.description) + "\n")
        response.fields.append(entityTag(revision))
        return response
    }
}

// MARK: Changing

extension DocumentsAPI {
    /// Carries out an action and answers with the change. It has `label` if the client gave none.
    func submit(
        _ call: Call, _ id: DocumentID, _ action: ChangeRequest.Action,
        label: String? = nil, precondition: Precondition? = nil, base: EditBase? = nil,
        start: DraftStart? = nil
    ) throws(Problem) {
        if !call.preferences.usesTextOperations, action.hasTextOperations {
            // A client that sends text operations can also read them.
            var speaking = call
            speaking.preferences.usesTextOperations = true
            return try submit(
                speaking, id, action, label: label, precondition: precondition, base: base,
                start: start)
        }
        let condition: Precondition
        if let precondition {
            condition = precondition
        } else {
            condition = try call.precondition()
        }
        var request = try call.request(
            action, label: try call.label() ?? Limits.label(label), condition)
        request.isDryRun = call.isDryRun
        request.base = base
        request.start = start
        request.token = try call.token()
        if call.flag("alone") { request.parts = .alone }
        if call.flag("together") { request.parts = .together }
        change(call, id, request) { outcome throws(Problem) in try call.changed(outcome, id) }
    }

    private func change(
        _ call: Call, _ id: DocumentID, _ request: ChangeRequest,
        _ makeResponse: @escaping @Sendable (Outcome) throws(Problem) -> HTTPResponse
    ) {
        store.change(
            id, request, isLarge: call.isInBackground, mayReach: call.reach(for: request)
        ) { [self] result in
            switch result {
            case .success(let outcome):
                call.note(outcome)
                respond(call, outcome, makeResponse)
            case .failure(let refusal):
                let error = refusal.error
                let numbering = call.numbering
                let problem = call.problem(error, about: refusal.place)
                    .naming(refusal.place, unless: id)
                    .linking(to: id, since: request.precondition.match, error, numbering)
                    .linking(to: id, since: error, numbering)
                call.refuse(problem.describing(refusal.document, for: call))
            }
        }
    }
}

extension ChangeRequest.Action {
    /// Whether it is a patch that edits inside texts.
    fileprivate var hasTextOperations: Bool {
        if case .append(.patch(let patch), _, _) = self { patch.hasTextOperations } else { false }
    }
}

extension DocumentsAPI {
    /// Refuses a request, for example because what it names is gone; but one that was carried out
    /// before gets the response of that time.
    func refuseUnlessRepeated(_ call: Call, _ id: DocumentID, _ problem: Problem) {
        guard let token = try? call.token() else { return call.refuse(problem) }
        store.change(id, .repeating(token)) { [self] result in
            switch result {
            case .success(let outcome) where outcome.isRepeated:
                call.note(outcome)
                respond(call, outcome) { outcome throws(Problem) in try call.changed(outcome, id) }
            case .failure(let refusal):
                guard case .otherRequest = refusal.error else { return call.refuse(problem) }
                call.refuse(call.problem(refusal.error))
            case .success: call.refuse(problem)
            }
        }
    }

    /// Responds with the outcome of a change: not on the commit thread, where others wait, and
    /// about what is large not on the event loop either.
    func respond(
        _ call: Call, _ outcome: Outcome,
        _ makeResponse: @escaping @Sendable (Outcome) throws(Problem) -> HTTPResponse
    ) {
        respond(call, isLong: call.isLong(outcome)) { () throws(Problem) in
            try makeResponse(outcome)
        }
    }
}

extension Call {
    /// Whether the token covers documents with other parts of a transaction; only for requests that
    /// may undo or redo parts.
    fileprivate func reach(
        for request: ChangeRequest
    ) -> @Sendable (DocumentID) -> Bool {
        request.mayTakeParts ? mayChange : DocumentStore.anywhere
    }

    /// Whether the client may change a document.
    var mayChange: @Sendable (DocumentID) -> Bool {
        { [grant] in grant.covers($0.name) && grant.mayWrite($0.name) }
    }

    /// A request by the client.
    func request(
        _ action: ChangeRequest.Action, label: String?, _ precondition: Precondition
    ) throws(Problem) -> ChangeRequest {
        var request = ChangeRequest(
            action, actor: try actor(), label: label, precondition: precondition)
        if let promptBy = try promptBy() { request.promptBy = promptBy }
        request.owner = owner
        request.mayUndoOthers = grant.rights.contains(.undoOthers)
        request.mayDelete = grant.rights.contains(.admin)
        request.tokenName = Name(grant.name)
        return request
    }

    /// Counts the change that a request made, if it made one.
    func note(_ outcome: Outcome) {
        guard case .made(let made, let isRepeated) = outcome else { return }
        observer?.changed(made.change.kind.name, isRepeated: isRepeated)
        guard let kept = made.change.versionsKept,
            let held = made.document.holdingTag(keeping: kept)
        else { return }
        observer?.kept(held.version, of: made.document.id.name, by: held.tag.text)
    }

    /// The response to a changing request.
    func changed(_ outcome: Outcome, _ id: DocumentID) throws(Problem) -> HTTPResponse {
        var fields = fields(of: outcome)
        // A PUT that created a document, a tag or a snapshot (RFC 9110 section 9.3.4).
        let makesName = outcome.isNewName && method == .put && !outcome.isDryRun
        let isCreated = outcome.isCreated || makesName
        if outcome.isCreated {
            fields.append(
                (name: "Location", value: "/v1/documents/\(PercentEncoding.encode(id.name))"))
        } else if isCreated {
            fields.append(location)
        }
        if preferences.result == .minimal && !outcome.isDryRun {
            fields.append(entityTag(outcome.withDocument { $0.revision }, of: id))
            return HTTPResponse(status: isCreated ? 201 : 204, fields: fields)
        }
        let (patch, missed) = try patches(of: outcome)
        var text = jsonText()
        text.object { text in
            text.describe(outcome, patch, missed)
            if preferences.describesOwnUndo, let own = outcome.own { text.describe(own) }
            if outcome.isDryRun { text.member("dryRun", true) }
            if preferences.result == .representation { text.member("value", outcome.tree) }
        }
        return json(
            text, status: isCreated ? 201 : 200, revision: outcome.revision, of: id, fields: fields)
    }

    /// The applied patch, and the changes that the client missed.
    func patches(
        of outcome: Outcome
    ) throws(Problem) -> (patch: [UInt8], missed: [UInt8]) {
        let patch = try patchText(outcome.edits, on: outcome.before)
        let missed = try outcome.merge.map { merge throws(Problem) in
            try patchText(merge.missed, on: merge.sentTree, shortenedUpTo: 256)
        }
        return (patch, missed ?? [])
    }

    fileprivate func fields(of outcome: Outcome) -> [(name: String, value: String)] {
        preferences.applied + replayed(outcome.isRepeated)
    }

    /// A patch for this client: strict RFC 6902, or with text operations.
    ///
    /// Searches for a shorter patch with the same effect, up to `editsMax` edits: comparing both
    /// ends takes some 5 µs for each, on the event loop.
    func patchText(
        _ patch: ReversiblePatch, on tree: JSON, shortenedUpTo editsMax: Int = .max
    ) throws(Problem) -> [UInt8] {
        let speaksText = preferences.usesTextOperations
        let patch = patch.count > editsMax ? patch : patch.shortened(on: tree)
        do {
            return try (speaksText ? patch.textOperations : patch.operations(on: tree)).serialized()
        } catch {
            throw Problem(error)
        }
    }
}

extension Problem {
    /// A problem of another document than the one that was to be changed.
    fileprivate func naming(_ place: DocumentID?, unless id: DocumentID) -> Problem {
        guard let place, place != id else { return self }
        var problem = with("document", .text(place.name))
        problem.hint += " Send alone to undo or redo only the part in this document."
        return problem
    }

    /// A problem about the head, with the way to what the client has missed.
    fileprivate func linking(
        to id: DocumentID, since match: Precondition.Revisions?, _ error: ChangeError,
        _ numbering: Numbering
    ) -> Problem {
        guard case .stale(let head) = error else { return self }
        // Behind the head, or there is nothing that was missed.
        guard kind == .staleRevision, case .these(let revisions)? = match,
            let since = revisions.max(), let head, since < head
        else { return self }
        let path = Problem.feed(of: id, after: numbering.shown(since))
        return withField("Link", "<\(path)>; rel=\"related\"").with("missed", .text(path))
    }

    /// A conflict with others' changes, with the way to them.
    fileprivate func linking(
        to id: DocumentID, since error: ChangeError, _ numbering: Numbering
    ) -> Problem {
        guard case .mergeConflicts(_, let base) = error else { return self }
        let path = Problem.feed(of: id, after: numbering.shown(base))
        return withField("Link", "<\(path)>; rel=\"related\"")
    }

    private static func feed(of id: DocumentID, after cursor: Int) -> String {
        "/v1/documents/\(PercentEncoding.encode(id.name))/feed?cursor=\(cursor)"
    }

    /// The problem with what every response about a document says, if there is a document.
    func describing(_ document: Document?, for call: Call) -> Problem {
        guard let document, document.absence == nil,
            !members.contains(where: { $0.name == "revision" })
        else { return self }
        let history = document.history
        let revision = call.numbering(of: document.id).shown(document.revision)
        return with("revision", .number(revision))
            .with("hasUndo", .flag(history.hasUndo)).with("hasRedo", .flag(history.hasRedo))
            .with("scopeLevel", .number(history.scopeLevel))
    }
}
