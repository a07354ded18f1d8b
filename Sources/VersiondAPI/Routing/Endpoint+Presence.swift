import AccessControl
import HTTPServing

// The endpoints of presence.

extension Endpoint {
    static let presence = [
        Endpoint(
            method: .get, template: document + "/presence", id: "listPresence", right: .read,
            summary: "List the present clients and their states.",
            response: .schema("Presence"), problems: [.noPresence],
            handler: .document(DocumentsAPI.listPresence)),
        Endpoint(
            method: .put, template: document + "/presence/{client}", id: "putPresence",
            right: .read, summary: "Join the document, or update the state of the client.",
            query: [
                parameter(
                    "ttl", "Duration", "The time until the presence expires: 5s to 60s.",
                    default: HumanDuration.text(Limits.presenceDefault)),
                parameter("revision", "Revision", "The revision to which the state refers."),
            ],
            body: .value, response: .nothing,
            problems: [.noPresence, .foreignPresence, .tooManyPresent],
            handler: .documentPart(DocumentsAPI.setPresence)),
        Endpoint(
            method: .delete, template: document + "/presence/{client}", id: "deletePresence",
            right: .read, summary: "Leave the document.", response: .nothing,
            problems: [.noPresence, .foreignPresence],
            handler: .documentPart(DocumentsAPI.endPresence)),
    ]
}
