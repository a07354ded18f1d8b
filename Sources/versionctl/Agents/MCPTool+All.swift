extension MCPTool {
    private static let document = Argument(
        name: "document", kind: .text, description: "the document's name", isRequired: true)
    private static let place = Argument(
        name: "path", kind: .text, description: "a JSON Pointer: /items/0/name; all if left out")
    private static let state = Argument(
        name: "at", kind: .text,
        description: "a state: a revision, version:3, tag:lunch, a time, or how long ago: 1h")
    private static let dryRun = Argument(
        name: "dry_run", kind: .flag, description: "say what would happen, and change nothing")
    private static let why = Argument(
        name: "why", kind: .text, description: "a few words for people who read the history")
    private static let conflict = Argument(
        name: "conflict", kind: .oneOf(["reject", "mine", "theirs"]),
        description: "what wins where others changed the same since base; reject if left out")

    /// What an agent can do, reading first.
    static let all = reading + writing

    private static let reading: [MCPTool] = [
        MCPTool(
            name: "list", title: "List documents",
            description: "Lists the names of documents.",
            arguments: [
                Argument(
                    name: "prefix", kind: .text, description: "what their names begin with"),
                Argument(
                    name: "limit", kind: .integer, description: "at most so many; 100 if left out"),
            ]),
        MCPTool(
            name: "read", title: "Read a document",
            description: """
                Reads a document, a place in it, or one of its earlier states. Returns value and \
                revision: give the revision to edit as base.
                """,
            arguments: [document, place, state]),
        MCPTool(
            name: "history", title: "Show the history of a document",
            description: """
                Lists the versions of a document, the newest first: who made them, when, why, and \
                what they changed in words.
                """,
            arguments: [
                document,
                Argument(
                    name: "limit", kind: .integer, description: "at most so many; 20 if left out"),
                Argument(name: "actor", kind: .text, description: "of this person or agent alone"),
                place,
            ]),
        MCPTool(
            name: "blame", title: "Show who wrote what",
            description: "Shows who made each place of a document what it is, and when.",
            arguments: [document, place, state]),
        MCPTool(
            name: "diff", title: "Compare two states of a document",
            description: """
                Returns a JSON Patch that leads from one state of a document to another. In a \
                draft, from "origin" shows what the draft would change.
                """,
            arguments: [
                document,
                Argument(
                    name: "from", kind: .text, description: "a state, as in read",
                    isRequired: true),
                Argument(name: "to", kind: .text, description: "a state; now if left out"),
            ]),
    ]

    private static let writing: [MCPTool] = [
        MCPTool(
            name: "create", title: "Create a document",
            description: "Stores a new document. Fails if there is one of the name.",
            arguments: [
                document,
                Argument(name: "value", kind: .value, description: "any JSON", isRequired: true),
                why, dryRun,
            ], isReading: false),
        MCPTool(
            name: "edit", title: "Edit a document",
            description: """
                Changes a document by a JSON Patch (RFC 6902): all of it happens, or nothing. With \
                base, the revision that you have read, what others changed since is kept, and \
                paths are meant as they were in it. undo_run takes back whatever you did.
                """,
            arguments: [
                document,
                Argument(
                    name: "patch", kind: .patch, description: "the operations", isRequired: true),
                Argument(
                    name: "base", kind: .integer, description: "the revision that you have read"),
                conflict, why, dryRun,
            ], isReading: false),
        MCPTool(
            name: "propose", title: "Propose an edit",
            description: """
                Makes the edit in a draft of the document instead, for people to look at and to \
                merge. Further proposals of this run for the same document go into the same draft.
                """,
            arguments: [
                document,
                Argument(
                    name: "patch", kind: .patch, description: "the operations", isRequired: true),
                why,
            ], isReading: false),
        MCPTool(
            name: "undo_run", title: "Take back this run",
            description: """
                Takes back all edits of this run, in all documents or in one, as one step. What \
                others did since stays.
                """,
            arguments: [
                Argument(
                    name: "document", kind: .text, description: "in this document alone"), dryRun,
            ], isReading: false),
    ]
}
