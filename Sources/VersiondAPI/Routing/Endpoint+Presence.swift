import AccessControl
import HTTPServing

// Who is in a document.

extension Endpoint {
    static let presence = [
        Endpoint(
            method: .get, template: document + "/presence", id: "listPresence", right: .read,
            summary: "Who is in the document, and what they show.",
            response: .schema("Presence"), problems: [.noPresence],
            handler: .document(DocumentsAPI.listPresence)),
        Endpoint(
            method: .put, template: document + "/presence/{client}", id: "putPresence",
            right: .read, summary: "Be in the document, and show something to others.",
            query: [
                parameter("ttl", "Duration", "How long, if it is not renewed: 5s to 60s."),
                parameter("revision", "Revision", "Where the state holds."),
            ],
            body: .value, response: .nothing,
            problems: [.noPresence, .foreignPresence, .tooManyPresent],
            handler: .documentPart(DocumentsAPI.setPresence)),
        Endpoint(
            method: .delete, template: document + "/presence/{client}", id: "deletePresence",
            right: .read, summary: "Leave.", response: .nothing,
            problems: [.noPresence, .foreignPresence],
            handler: .documentPart(DocumentsAPI.endPresence)),
    ]
}
