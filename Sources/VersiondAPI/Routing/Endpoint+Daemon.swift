import AccessControl
import HTTPServing

extension Endpoint {
    /// The table of endpoints.
    static let all = sections.flatMap(\.endpoints)

    /// The table by subject, each with its page of the guide.
    static let sections: [(title: String, guide: String, endpoints: [Endpoint])] = [
        ("Values", "Guide/Editing.md", values),
        ("Undo and redo", "Guide/Undo.md", moves),
        ("Settings and scopes", "Guide/Editing.md#scopes", settings),
        ("Tags and snapshots", "Guide/History.md#states", names),
        ("History", "Guide/History.md", past),
        ("Drafts of a document", "Guide/Drafts.md", drafts),
        ("Presence of clients", "Guide/Feeds.md#presence", presence),
        ("Several documents", "Guide/Feeds.md", several),
        ("Transactions", "Guide/Transactions.md", transactions),
        ("Restore points", "Guide/RestorePoints.md", restorePoints),
        ("Runs", "Guide/Runs.md", runs),
        ("Agents", "Guide/Agents.md", agents),
        ("The daemon", "Operations/Operating.md", daemon),
        ("Files for browsers", "Guide/WebUI.md", files),
    ]

    /// The table, ready to be searched.
    static let router = Router(
        all, aliases: ["/healthz": "/livez", resourcePath + agentPath: resourcePath])

    // MARK: Query parameters

    static let tag = parameter("tag", "Name", "The tag of the new version.")
    static let label = Parameter(
        name: "label", schema: "Name", meaning: "A description that is stored with the change.")
    static let consistency = parameter(
        "consistency", "Consistency",
        "local: the last state known to this daemon, without a query of the shared database.",
        default: "strong")
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
    static let limit = limit(default: Limits.pageDefault)

    static func limit(default fallback: Int) -> Parameter {
        parameter("limit", "Limit", "The maximum number of results.", default: "\(fallback)")
    }

    static let alone = parameter(
        "alone", "Flag",
        "If the change is a part of a transaction, apply only the part in this document.")
    static let together = parameter(
        "together", "Flag", "If the version is a part of a transaction, undo all of its parts.")

    static let conflict = parameter(
        "conflict", "ConflictPolicy",
        "The policy for conflicts.", default: "reject")

    /// The beginning of a page. Its schema depends on the list.
    static func cursor(_ schema: String) -> Parameter {
        parameter("cursor", schema, "The `next` of the previous page.")
    }

    static func parameter(
        _ name: String, _ schema: String, _ meaning: String, default fallback: String = ""
    ) -> Parameter {
        Parameter(name: name, schema: schema, meaning: meaning, default: fallback)
    }

    static let feedParameters = [
        cursor("Position"),
        parameter("wait", "Duration", "The maximum time that a page waits for its first change."),
        limit,
        parameter(
            "heartbeat", "Duration", "The maximum time between two messages of a stream.",
            default: HumanDuration.text(Limits.heartbeatDefault)),
        parameter(
            "patch", "FeedPatch", "stored: return patches as stored, with text operations.",
            default: "strict"),
        parameter("ticket", "Anything", "A ticket that replaces the token."),
        parameter("keyPrefix", "KeyPrefix", "Return idempotency keys that begin with this text."),
        parameter(
            "presence", "Anything", "true, or the name of a client: also return presence events."),
    ]

    private static let several = [
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
    ]

    // MARK: The daemon itself

    private static let daemon = [
        Endpoint(
            method: .get, template: "/v1", id: "readDiscovery", right: nil,
            summary: "Return the version, the limits and the capabilities of the daemon.",
            response: .schema("Discovery"),
            handler: .daemon(DocumentsAPI.discovery)),
        Endpoint(
            method: .get, template: "/v1/whoami", id: "readCaller", right: .read,
            summary: "Return the name and the rights of the token.",
            response: .schema("Caller"),
            handler: .daemon(DocumentsAPI.whoAmI)),
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
    ]

    private static let files = [
        Endpoint(
            method: .get, template: "/", id: "openStart", right: nil,
            summary: "Redirect to the web UI.", response: .redirection,
            handler: .daemon(DocumentsAPI.start)),
        Endpoint(
            method: .get, template: "/ui/", id: "openWebUI", right: nil,
            summary: "Return the start page of the web UI.", response: .file,
            handler: .daemon(DocumentsAPI.index)),
        Endpoint(
            method: .get, template: "/ui/{file}", id: "readWebUIFile", right: nil,
            summary: "Return a file of the web UI.",
            response: .file,
            problems: [.unknownRoute],
            handler: .part(DocumentsAPI.file)),
        Endpoint(
            method: .get, template: "/client.js", id: "readClient", right: nil,
            summary: "Return the client library for browsers.", response: .file,
            handler: .daemon(DocumentsAPI.client)),
        Endpoint(
            method: .get, template: "/client.d.ts", id: "readClientTypes", right: nil,
            summary: "Return the type definitions of the client library.", response: .file,
            handler: .daemon(DocumentsAPI.clientTypes)),
    ]
}
