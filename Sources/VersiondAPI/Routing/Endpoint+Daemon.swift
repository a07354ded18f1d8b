import AccessControl
import HTTPServing

extension Endpoint {
    /// The table of endpoints.
    static let all: [Endpoint] =
        daemon + transactions + values + drafts + presence + moves + names + past

    /// The table, ready to be searched.
    static let router = Router(all, aliases: ["/healthz": "/livez"])

    // MARK: Query parameters

    static let tag = parameter("tag", "Name", "The tag of the new version.")
    static let label = Parameter(
        name: "label", schema: "Name", meaning: "A description that is stored with the change.")
    static let consistency = parameter(
        "consistency", "Consistency",
        "local: the last state known to this daemon, without a query of the shared database.")
    static let debounce = Parameter(
        name: "debounce", schema: "Duration",
        meaning: "Overrides the setting debounce: edits within this time become one version.")
    static let group = parameter(
        "group", "Name",
        "Edits of one actor with the same group become one version; excludes debounce.")
    static let dryRun = parameter(
        "dryRun", "Flag", "Return the result without a change.")
    static let pointer = Parameter(
        name: "path", schema: "Pointer",
        meaning: "A JSON Pointer that limits the request to this place.")
    static let prefix = Parameter(
        name: "prefix", schema: "Prefix", meaning: "Limits the result to names with this prefix.")
    static let documents = parameter(
        "documents", "DocumentList", "Limits the result to these documents.")
    static let limit = Parameter(
        name: "limit", schema: "Limit", meaning: "The maximum number of results.")

    static let alone = parameter(
        "alone", "Flag",
        "If the change is a part of a transaction, apply only the part in this document.")
    static let together = parameter(
        "together", "Flag", "If the version is a part of a transaction, undo all of its parts.")

    static let conflict = parameter(
        "conflict", "ConflictPolicy",
        "The policy for conflicts; by default reject.")

    /// The beginning of a page. Its schema depends on the list.
    static func cursor(_ schema: String) -> Parameter {
        parameter("cursor", schema, "The `next` of the previous page.")
    }

    static func parameter(
        _ name: String, _ schema: String, _ meaning: String
    ) -> Parameter {
        Parameter(name: name, schema: schema, meaning: meaning)
    }

    static let feedParameters = [
        cursor("Position"),
        parameter("wait", "Duration", "The maximum time that a page waits for its first change."),
        limit,
        parameter("heartbeat", "Duration", "The maximum time between two messages of a stream."),
        parameter("patch", "FeedPatch", "stored: return patches as stored, with text operations."),
        parameter("ticket", "Anything", "A ticket that replaces the token."),
        parameter("keyPrefix", "KeyPrefix", "Return idempotency keys that begin with this text."),
        parameter(
            "presence", "Anything", "true, or the name of a client: also return presence events."),
    ]

    // MARK: The daemon itself

    private static let daemon = [
        Endpoint(
            method: .get, template: "/v1", id: "readDiscovery", right: nil,
            summary: "Return the version, the limits and the capabilities of the daemon.",
            response: .schema("Discovery"),
            handler: .daemon(DocumentsAPI.discovery)),
        Endpoint(
            method: .get, template: "/v1/documents", id: "listDocuments", right: .read,
            summary: "List documents in the order of their names.",
            query: [prefix, cursor("Prefix"), limit],
            response: .list("Documents"),
            handler: .daemon(DocumentsAPI.list)),
        Endpoint(
            method: .get, template: "/v1/history", id: "listChanges", right: .read,
            summary: "List the changes of several documents, newest first.",
            query: [prefix, documents, cursor("Revision"), limit] + ChangeFilter.parametersOfMany,
            response: .list("Recent"),
            handler: .daemon(DocumentsAPI.recent)),
        Endpoint(
            method: .get, template: "/v1/whoami", id: "readCaller", right: .read,
            summary: "Return the name and the rights of the token.",
            response: .schema("Caller"),
            handler: .daemon(DocumentsAPI.whoAmI)),
        Endpoint(
            method: .get, template: "/v1/feed", id: "followDocuments", right: .read,
            summary: "Follow the changes of several documents.",
            query: [prefix, documents] + feedParameters, response: .feed,
            problems: [.unknownRevision, .tooManyStreams],
            handler: .daemon(DocumentsAPI.feed)),
        Endpoint(
            method: .post, template: "/v1/tickets", id: "makeTicket", right: .read,
            summary: "Create a short-lived ticket that replaces the token in the URL of a feed.",
            response: .schema("Ticket"), handler: .daemon(DocumentsAPI.makeTicket)),
        Endpoint(
            method: .get, template: "/v1/export", id: "exportChanges", right: .admin,
            summary: "Export all changes as lines for `versiond import`.",
            response: .lines, problems: [.tooManyStreams], isAboutAll: true,
            handler: .daemon(DocumentsAPI.export)),
        Endpoint(
            method: .get, template: "/livez", id: "checkLiveness", right: nil,
            summary: "Check whether the daemon runs.",
            response: .text,
            handler: .daemon(DocumentsAPI.alive)),
        Endpoint(
            method: .get, template: "/readyz", id: "checkReadiness", right: nil,
            summary: "Check whether the daemon accepts requests.",
            query: [parameter("verbose", "Flag", "Return the result of each check.")],
            response: .text,
            problems: [.stopping, .journalUnavailable],
            handler: .daemon(DocumentsAPI.ready)),
        Endpoint(
            method: .get, template: "/metrics", id: "readMetrics", right: .read,
            summary: "Return metrics in the format of Prometheus.",
            response: .text, isAboutAll: true,
            handler: .daemon(DocumentsAPI.metrics)),
        Endpoint(
            method: .get, template: "/openapi.json", id: "readDescription", right: nil,
            summary: "Return this description.",
            response: .schema("Anything"),
            handler: .daemon(DocumentsAPI.openAPI)),
        Endpoint(
            method: .get, template: "/problems", id: "listProblems", right: nil,
            summary: "List all kinds of problems.", response: .schema("ProblemKinds"),
            handler: .daemon(DocumentsAPI.problems)),
        Endpoint(
            method: .get, template: "/problems/{code}", id: "readProblem", right: nil,
            summary: "Return a kind of problem; the `type` of a problem leads here.",
            response: .schema("ProblemKind"),
            problems: [.unknownProblem],
            handler: .part(DocumentsAPI.problem)),
        Endpoint(
            method: .get, template: "/", id: "openStart", right: nil,
            summary: "Redirect to the web UI.", response: .redirection,
            handler: .daemon(DocumentsAPI.start)),
        Endpoint(
            method: .get, template: "/ui/", id: "openWebUI", right: nil,
            summary: "Return the start page of the web UI.", response: .file,
            handler: .daemon(DocumentsAPI.index)),
        Endpoint(
            method: .get, template: "/client.js", id: "readClient", right: nil,
            summary: "Return the client library for browsers.", response: .file,
            handler: .daemon(DocumentsAPI.client)),
        Endpoint(
            method: .get, template: "/client.d.ts", id: "readClientTypes", right: nil,
            summary: "Return the type definitions of the client library.", response: .file,
            handler: .daemon(DocumentsAPI.clientTypes)),
        Endpoint(
            method: .get, template: "/ui/{file}", id: "readWebUIFile", right: nil,
            summary: "Return a file of the web UI.",
            response: .file,
            problems: [.unknownRoute],
            handler: .part(DocumentsAPI.file)),
    ]
}
