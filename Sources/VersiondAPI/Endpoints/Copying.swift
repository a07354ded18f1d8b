import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// A document that begins as another one was.

extension DocumentsAPI {
    /// `PUT …?copyOf=menu@version:12`: copies the value at that address. The label names the
    /// source, and a new document is a draft of it. With `withHistory=true`, the history up to
    /// there is also copied.
    func copy(_ call: Call, _ id: DocumentID, _ source: String) throws(Problem) {
        guard call.bytes.isEmpty else {
            throw Problem(
                .malformedRequest, "copyOf excludes a body.",
                hint: "Omit the body.")
        }
        let (origin, shown) = try DocumentsAPI.origin(source)
        try call.checkReach(of: origin)
        let address = try call.state(shown, about: origin)
        if call.flag("withHistory") { return try copyHistory(call, id, origin, address) }
        change(call, id, reading: origin) { [self] head, past throws(Problem) in
            let then = try address.found(head, past, for: call)
            try submit(
                call, id, .put(then.tree), label: "copied from \(source)",
                base: try call.base(),
                start: address.isRevision ? DraftStart(at: then, head.settings) : nil)
        }
    }

    private func copyHistory(
        _ call: Call, _ id: DocumentID, _ origin: DocumentID, _ address: StateAddress
    ) throws(Problem) {
        guard try call.base() == nil else {
            throw Problem(
                .malformedRequest, "withHistory excludes base.")
        }
        guard address.isRevision else {
            throw Problem(
                .malformedRequest, "A snapshot has no history.",
                hint: "Example: copyOf=menu@7, copyOf=menu@version:3 or copyOf=menu@tag:draft.")
        }
        var request = try copyRequest(call, of: origin)
        request.lastRevision = { head, past throws(ChangeError) in
            try address.revision(head, past)
        }
        copy(call, request, as: id)
    }

    /// `POST …/rename` with `{"name":"dinner-menu"}`: the document and its history have that name.
    func rename(_ call: Call, _ id: DocumentID) throws(Problem) {
        let name = try call.command().document("name")
        try call.checkReach(of: name)
        var request = try copyRequest(call, of: id)
        request.isRename = true
        copy(call, request, as: name)
    }

    /// A name that a path can have: `.` and `..` mean something else there, and NUL is refused.
    static func reachable(_ name: String) -> DocumentID? {
        name == "." || name == ".." || name.utf8.contains(0) ? nil : DocumentID(name)
    }

    private func copyRequest(
        _ call: Call, of origin: DocumentID
    ) throws(Problem) -> CopyRequest {
        var request = CopyRequest(
            of: origin, actor: try call.actor(), label: try call.label(),
            precondition: try call.precondition())
        request.token = try call.token()
        request.promptBy = try call.promptBy()
        request.isDryRun = call.isDryRun
        request.tokenName = Name(call.grant.name)
        return request
    }

    private func copy(_ call: Call, _ request: CopyRequest, as id: DocumentID) {
        task(call, of: request.origin) { [self] () async throws(Problem) in
            let outcome = try await call.found(
                await store.copy(request, as: id, while: call.isAwaited))
            call.note(outcome)
            call.send(try call.changed(outcome, id))
        }
    }

    /// `menu@version:12`, or `menu` for its current state. Names and tags may also contain an @:
    /// the address begins after the first @ that an address follows.
    private static func origin(_ text: String) throws(Problem) -> (DocumentID, Address) {
        for end in text.utf8.indices where text.utf8[end] == UInt8(ascii: "@") {
            let rest = String(text[text.utf8.index(after: end)...])
            if let address = try? Address(rest, named: "copyOf"),
                let id = DocumentID(String(text[..<end]))
            {
                return (id, address)
            }
        }
        guard let id = DocumentID(text) else {
            throw Problem(
                .malformedRequest, "copyOf must be NAME or NAME@STATE.",
                hint: "Example: copyOf=menu, copyOf=menu@version:12 or copyOf=menu@tag:draft.")
        }
        return (id, .state(.head))
    }
}

extension Call {
    /// Throws if the client may not speak of a document.
    func checkReach(of document: DocumentID) throws(Problem) {
        guard grant.covers(document.name) else {
            throw Problem(outOfReach: grant)
        }
    }
}
