import AccessControl
import HTTPServing

extension Endpoint {
    /// The table of endpoints.
    static let all: [Endpoint] =
        daemon + transactions + values + drafts + presence + moves + names + past

    /// The table, ready to be searched.
    static let router = Router(all, aliases: ["/healthz": "/livez"])

    // MARK: Query parameters

    static let tag = parameter("tag", "Name", "A name for the version.")
    static let label = Parameter(
        name: "label", schema: "Name", meaning: "A text for people, kept with the change.")
    static let consistency = parameter(
        "consistency", "Consistency",
        "local: as this daemon knows it, without asking the database that daemons share.")
    static let debounce = Parameter(
        name: "debounce", schema: "Duration",
        meaning: "Quick edits within this time are one version; stands in for the setting once.")
    static let group = parameter(
        "group", "Name", "Edits of one actor with one group are one version; not with debounce.")
    static let dryRun = parameter(
        "dryRun", "Flag", "Change nothing; the response says what would change.")
    static let pointer = Parameter(
        name: "path", schema: "Pointer", meaning: "A JSON Pointer: only this place.")
    static let prefix = Parameter(
        name: "prefix", schema: "Prefix", meaning: "Only documents whose names begin so.")
    static let documents = parameter("documents", "DocumentList", "Only these documents.")
    static let limit = Parameter(
        name: "limit", schema: "Limit", meaning: "How many at most.")

    static let alone = parameter(
        "alone", "Flag", "A part of a transaction is taken in this document only.")
    static let together = parameter(
        "together", "Flag", "If the last version is a part of a transaction, all of that is taken.")

    static let conflict = parameter(
        "conflict", "ConflictPolicy", "What gives way where others changed the same.")

    /// Where a page begins. What it is made of differs from list to list.
    static func cursor(_ schema: String) -> Parameter {
        parameter("cursor", schema, "Where the last page ended: its next.")
    }

    static func parameter(
        _ name: String, _ schema: String, _ meaning: String
    ) -> Parameter {
        Parameter(name: name, schema: schema, meaning: meaning)
    }

    static let feedParameters = [
        cursor("Position"),
        parameter("wait", "Duration", "How long a page waits for its first change."),
        limit, parameter("heartbeat", "Duration", "How long a stream may be silent."),
        parameter("patch", "FeedPatch", "Patches as they are stored, with text operations."),
        parameter("ticket", "Anything", "A ticket, where no token can be sent."),
        parameter("keyPrefix", "KeyPrefix", "Changes whose idempotency key begins so show it."),
        parameter("presence", "Anything", "true, or a client's name: who is there is told, too."),
    ]

    // MARK: The daemon itself

    private static let daemon = [
        Endpoint(
            method: .get, template: "/v1", id: "readDiscovery", right: nil,
            summary: "Name, versions, limits.",
            response: .schema("Discovery"),
            handler: .daemon(DocumentsAPI.discovery)),
        Endpoint(
            method: .get, template: "/v1/documents", id: "listDocuments", right: .read,
            summary: "Documents in the order of their names.",
            query: [prefix, cursor("Prefix"), limit],
            response: .list("Documents"),
            handler: .daemon(DocumentsAPI.list)),
        Endpoint(
            method: .get, template: "/v1/history", id: "listChanges", right: .read,
            summary: "Who did what to any document of a prefix, the newest first.",
            query: [prefix, documents, cursor("Revision"), limit] + ChangeFilter.parametersOfMany,
            response: .list("Recent"),
            handler: .daemon(DocumentsAPI.recent)),
        Endpoint(
            method: .get, template: "/v1/whoami", id: "readCaller", right: .read,
            summary: "Whose token this is, and what it may.",
            response: .schema("Caller"),
            handler: .daemon(DocumentsAPI.whoAmI)),
        Endpoint(
            method: .get, template: "/v1/feed", id: "followDocuments", right: .read,
            summary: "What is committed to any document of a prefix.",
            query: [prefix, documents] + feedParameters, response: .feed,
            problems: [.unknownRevision, .tooManyStreams],
            handler: .daemon(DocumentsAPI.feed)),
        Endpoint(
            method: .post, template: "/v1/tickets", id: "makeTicket", right: .read,
            summary: "A short-lived stand-in for the token, for a feed's address.",
            response: .schema("Ticket"), handler: .daemon(DocumentsAPI.makeTicket)),
        Endpoint(
            method: .get, template: "/v1/export", id: "exportChanges", right: .admin,
            summary: "All changes as lines, which `versiond import` takes: a backup.",
            response: .lines, problems: [.tooManyStreams], isAboutAll: true,
            handler: .daemon(DocumentsAPI.export)),
        Endpoint(
            method: .get, template: "/livez", id: "checkLiveness", right: nil,
            summary: "Whether the daemon runs.",
            response: .text,
            handler: .daemon(DocumentsAPI.alive)),
        Endpoint(
            method: .get, template: "/readyz", id: "checkReadiness", right: nil,
            summary: "Whether it takes work.",
            query: [parameter("verbose", "Flag", "Each check by its name.")], response: .text,
            problems: [.stopping, .journalUnavailable],
            handler: .daemon(DocumentsAPI.ready)),
        Endpoint(
            method: .get, template: "/metrics", id: "readMetrics", right: .read,
            summary: "Counts for Prometheus.",
            response: .text, isAboutAll: true,
            handler: .daemon(DocumentsAPI.metrics)),
        Endpoint(
            method: .get, template: "/openapi.json", id: "readDescription", right: nil,
            summary: "This description.",
            response: .schema("Anything"),
            handler: .daemon(DocumentsAPI.openAPI)),
        Endpoint(
            method: .get, template: "/problems", id: "listProblems", right: nil,
            summary: "Every kind of problem.", response: .schema("ProblemKinds"),
            handler: .daemon(DocumentsAPI.problems)),
        Endpoint(
            method: .get, template: "/problems/{code}", id: "readProblem", right: nil,
            summary: "What a problem's type leads to.", response: .schema("ProblemKind"),
            problems: [.unknownProblem],
            handler: .part(DocumentsAPI.problem)),
        Endpoint(
            method: .get, template: "/", id: "openStart", right: nil,
            summary: "Leads to the web UI.", response: .redirection,
            handler: .daemon(DocumentsAPI.start)),
        Endpoint(
            method: .get, template: "/ui/", id: "openWebUI", right: nil,
            summary: "The web UI.", response: .file,
            handler: .daemon(DocumentsAPI.index)),
        Endpoint(
            method: .get, template: "/client.js", id: "readClient", right: nil,
            summary: "A document in a browser, that several people edit at once.", response: .file,
            handler: .daemon(DocumentsAPI.client)),
        Endpoint(
            method: .get, template: "/client.d.ts", id: "readClientTypes", right: nil,
            summary: "The types of that.", response: .file,
            handler: .daemon(DocumentsAPI.clientTypes)),
        Endpoint(
            method: .get, template: "/ui/{file}", id: "readWebUIFile", right: nil,
            summary: "A part of the web UI.",
            response: .file,
            problems: [.unknownRoute],
            handler: .part(DocumentsAPI.file)),
    ]
}
