import Documents
import HTTPServing
import JSONTree
import Journaling

// The difference between two states.

extension DocumentsAPI {
    /// `GET …/diff?from=&to=`: the patch that leads from one state to another; `to` is the head, if
    /// nothing else is said.
    func diff(_ call: Call, _ id: DocumentID) throws(Problem) {
        guard let from = call.query("from") else {
            throw Problem(
                .malformedRequest, "from is missing.", hint: "Example: GET …/diff?from=0&to=head")
        }
        let start = try call.state(from, named: "from")
        let end = try call.state(call.query("to") ?? "head", named: "to")
        respond(call, reading: id) { head, past throws(Problem) in
            return try call.difference(
                (start, try start.found(head, past, for: call)),
                (end, try end.found(head, past, for: call)), id)
        }
    }
}

extension StateAddress {
    /// The state in a response: its revision, if it has one.
    fileprivate func name(of document: Document, _ numbering: Numbering) -> JSON {
        if case .snapshot(let key) = self { return JSON("snapshot:\(key)") }
        if case .origin = self { return "origin" }
        return JSON(numbering.shown(document.revision))
    }
}

extension Call {
    /// The patch from one state to another.
    fileprivate func difference(
        _ from: (StateAddress, Document), _ to: (StateAddress, Document), _ id: DocumentID
    ) throws(Problem) -> HTTPResponse {
        let (before, after) = (from.1.tree, to.1.tree)
        let patch = try patchText(before.diff(to: after), on: before)
        var text = jsonText()
        text.object { text in
            text.document(id)
            text.member("from", from.0.name(of: from.1, numbering))
            text.member("to", to.0.name(of: to.1, numbering))
            text.member("patch", raw: patch)
        }
        return json(text, fields: preferences.applied)
    }
}
