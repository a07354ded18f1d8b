import HTTPServing

extension Operation {
    private static let label = Parameter(
        name: "label", schema: "Name", meaning: "A word for people, kept with the change.")
    private static let debounce = Parameter(
        name: "debounce", schema: "Duration",
        meaning: "Quick edits within this time are one version; stands in for the setting once.")
    private static let dryRun = parameter(
        "dryRun", "Flag", "Change nothing; the answer says what would be changed.")
    private static let pointer = Parameter(
        name: "path", schema: "Pointer", meaning: "A JSON Pointer: only this place.")
    private static let prefix = Parameter(
        name: "prefix", schema: "Prefix", meaning: "Only documents whose names begin so.")
    private static let limit = Parameter(
        name: "limit", schema: "Limit", meaning: "How many at most.")

    private static func parameter(
        _ name: String, _ schema: String, _ meaning: String
    ) -> Parameter {
        Parameter(name: name, schema: schema, meaning: meaning)
    }

    private static let feedWords = [
        parameter("since", "Position", "What is known already; -1 for nothing."),
        parameter("wait", "Duration", "How long a page waits for its first change."),
        limit, parameter("heartbeat", "Duration", "How long a stream may be silent."),
    ]

    /// Everything that can be done.
    static let all: [Operation] = looking + values + moves + marks + past

    private static let looking = [
        Operation(
            method: .get, path: "/v1", id: "discover", summary: "Name, versions, limits.",
            answer: .schema("Discovery")),
        Operation(
            method: .get, path: "/v1/documents", id: "listDocuments",
            summary: "Documents in the order of their names.",
            query: [prefix, limit, parameter("cursor", "Name", "Where the last page ended.")],
            answer: .schema("Documents")),
        Operation(
            method: .get, path: "/v1/feed", id: "followDocuments",
            summary: "What is committed to any document of a prefix.",
            query: [prefix] + feedWords, answer: .feed),
        Operation(
            method: .get, path: "/livez", id: "isAlive", summary: "Whether the daemon runs.",
            answer: .text),
        Operation(
            method: .get, path: "/readyz", id: "isReady", summary: "Whether it takes work.",
            answer: .text),
        Operation(
            method: .get, path: "/metrics", id: "measure", summary: "Counts for Prometheus.",
            answer: .text),
        Operation(
            method: .get, path: "/openapi.json", id: "describe", summary: "This description.",
            answer: .schema("Anything")),
        Operation(
            method: .get, path: "/problems", id: "listProblems",
            summary: "Every kind of problem.", answer: .schema("ProblemKinds")),
        Operation(
            method: .get, path: "/problems/{code}", id: "explainProblem",
            summary: "What a problem's type leads to.", answer: .schema("ProblemKind")),
        Operation(
            method: .get, path: "/ui/", id: "look", summary: "A page for looking.", answer: .page),
        Operation(
            method: .get, path: "/ui/{file}", id: "lookFile", summary: "A part of that page.",
            answer: .page),
    ]

    private static let document = "/v1/documents/{document}"

    private static let values = [
        Operation(
            method: .get, path: document, id: "read", summary: "The value, or a place in it.",
            query: [
                parameter("at", "Address", "Which state: a revision, tag, snapshot or time."),
                pointer,
            ], answer: .value),
        Operation(
            method: .put, path: document, id: "put",
            summary: "Make the document, or append a whole new value.", query: [label, dryRun],
            body: .value([MediaType.json])),
        Operation(
            method: .patch, path: document, id: "patch", summary: "Append a diff.",
            query: [label, debounce, dryRun], body: .value(MediaType.patches)),
        Operation(
            method: .delete, path: document, id: "delete",
            summary: "End the document; its history stays.", query: [label], answer: .nothing),
        Operation(
            method: .post, path: document + "/append", id: "append",
            summary: "Append an edit in any of three forms.",
            query: [parameter("tag", "Name", "A name for the version."), label, debounce, dryRun],
            body: .value(MediaType.edits)),
    ]

    private static let moves = [
        Operation(
            method: .post, path: document + "/undo", id: "undo", summary: "Undo.",
            query: [label], body: .command("Move")),
        Operation(
            method: .post, path: document + "/redo", id: "redo", summary: "Redo.",
            query: [label], body: .command("Move")),
        Operation(
            method: .post, path: document + "/goto", id: "goTo",
            summary: "Go to a version, from wherever.", query: [label], body: .needed("GoTo")),
        Operation(
            method: .post, path: document + "/seal", id: "seal",
            summary: "End the open group of quick edits.", answer: .schema("Status")),
        Operation(
            method: .get, path: document + "/status", id: "status",
            summary: "What can be undone and redone.",
            query: [parameter("actor", "Name", "Also what this actor's own undo would do.")],
            answer: .schema("Status")),
        Operation(
            method: .get, path: document + "/settings", id: "readSettings",
            summary: "What is set.", answer: .schema("SettingsAnswer")),
        Operation(
            method: .patch, path: document + "/settings", id: "set",
            summary: "Set something; null sets what is built in.", query: [label],
            body: .needed("Settings")),
        Operation(
            method: .get, path: document + "/scopes", id: "listScopes",
            summary: "The open scopes, outermost first.", answer: .schema("Scopes")),
        Operation(
            method: .post, path: document + "/scopes/push", id: "pushScope",
            summary: "Open a scope.", query: [label], body: .command("PushScope")),
        Operation(
            method: .post, path: document + "/scopes/pop", id: "popScope",
            summary: "Close the scope; it becomes one version.", query: [label],
            body: .command("CloseScope")),
        Operation(
            method: .post, path: document + "/scopes/discard", id: "discardScope",
            summary: "Close the scope and take back what its owner did in it.", query: [label],
            body: .command("DiscardScope")),
    ]

    private static let marks = [
        Operation(
            method: .get, path: document + "/tags", id: "listTags", summary: "Every tag.",
            answer: .schema("Tags")),
        Operation(
            method: .get, path: document + "/tags/{tag}", id: "readTag",
            summary: "The version that a tag names.", answer: .schema("TagAnswer")),
        Operation(
            method: .put, path: document + "/tags/{tag}", id: "putTag",
            summary: "Name a version, or move a name.", query: [label], body: .command("PutTag")),
        Operation(
            method: .delete, path: document + "/tags/{tag}", id: "deleteTag",
            summary: "Forget a name.", query: [label]),
        Operation(
            method: .get, path: document + "/snapshots", id: "listSnapshots",
            summary: "Every snapshot, without its values.", answer: .schema("Snapshots")),
        Operation(
            method: .get, path: document + "/snapshots/{key}", id: "readSnapshot",
            summary: "What a snapshot holds, or one place of it.", query: [pointer],
            answer: .value),
        Operation(
            method: .put, path: document + "/snapshots/{key}", id: "putSnapshot",
            summary: "Take a snapshot of the whole, or of chosen places.", query: [label],
            body: .command("PutSnapshot")),
        Operation(
            method: .delete, path: document + "/snapshots/{key}", id: "deleteSnapshot",
            summary: "Forget a snapshot.", query: [label]),
        Operation(
            method: .post, path: document + "/snapshots/{key}/restore", id: "restore",
            summary: "Put back what a snapshot holds, as one version.", query: [label],
            body: .command("Restore")),
    ]

    private static let past = [
        Operation(
            method: .get, path: document + "/history", id: "history",
            summary: "Who did what, the newest first.",
            query: [
                parameter("before", "Revision", "Only older changes."), limit,
                parameter("branches", "Branches", "Also edits of abandoned futures."), pointer,
            ], answer: .schema("History")),
        Operation(
            method: .get, path: document + "/history/{revision}", id: "readChange",
            summary: "One change.", answer: .schema("ChangeRecord")),
        Operation(
            method: .get, path: document + "/diff", id: "diff",
            summary: "The patch from one state to another.",
            query: [
                Parameter(name: "from", schema: "Address", meaning: "Needed.", isNeeded: true),
                parameter("to", "Address", "The head, if nothing is said."),
            ], answer: .schema("Diff")),
        Operation(
            method: .get, path: document + "/feed", id: "follow",
            summary: "Changes after a revision, as they come.", query: feedWords, answer: .feed),
    ]
}
