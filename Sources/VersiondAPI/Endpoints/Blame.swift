import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// The last change of each value.

extension DocumentsAPI {
    /// `GET …/blame?path=&at=`: the changes that set the value at a place and the values in it.
    func blame(_ call: Call, _ id: DocumentID) throws(Problem) {
        let pointer = try DocumentsAPI.pointer(call) ?? .root
        let address = try call.state(call.query("at") ?? "head", named: "at")
        guard address.isRevision else {
            throw Problem(
                .malformedRequest, "A snapshot has no edits.",
                hint: "Use the version of the snapshot: at=version:3.")
        }
        respond(call, reading: id) { head, past throws(Problem) in
            let document = try address.found(head, past, for: call)
            let authorship: DocumentAuthorship?
            do throws(ChangeError) {
                authorship = try past.authorship(of: document, under: pointer)
            } catch {
                throw call.problem(error)
            }
            guard let authorship else {
                throw Problem(.unknownValue, "The document has no value at \(pointer).")
                    .with("path", .text(pointer.description))
            }
            return call.json(authorship, of: document, head)
        }
    }
}

extension Call {
    fileprivate func json(
        _ authorship: DocumentAuthorship, of document: Document, _ head: Document
    ) -> HTTPResponse {
        var text = jsonText()
        text.object { text in
            text.document(document.id)
            text.revision("revision", document.revision)
            text.revision("version", document.history.currentID)
            text.revision("first", authorship.first)
            text.name("places")
            text.array(authorship.places) { $0.describe($1) }
            text.name("changes")
            let changes = authorship.changes.values.sorted { $0.revision < $1.revision }
            text.array(changes) { text, change in
                text.object { $0.describe(change, in: head) }
            }
        }
        return json(text, revision: document.revision)
    }
}

extension JSONText {
    fileprivate mutating func describe(_ place: Authorship) {
        object { text in
            text.member("path", place.place.description)
            text.revision("revision", place.revision)
            if let author = place.author { text.member("author", author.text) }
            if place.runs.isEmpty { return }
            text.name("text")
            text.array(place.runs) { text, run in
                text.object { text in
                    text.member("count", run.count)
                    text.revision("revision", run.revision)
                    if let author = run.author { text.member("author", author.text) }
                }
            }
        }
    }

    /// A change, and the version that it made, joined or went to.
    mutating func describe(_ change: Change, in document: Document) {
        describe(change)
        let isTold =
            switch change.kind {
            case .move, .tag: true
            default: false
            }
        if !isTold, let version = document.version(of: change) { revision("version", version) }
    }
}
