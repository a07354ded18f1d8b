extension MCPTool {
    private static let document = Argument(
        name: "document", kind: .text, description: "the document's name", isRequired: true)
    private static let place = Argument(
        name: "path", kind: .text,
        description: "a JSON Pointer: /items/0/name; by default the whole document")
    private static let state = Argument(
        name: "at", kind: .text,
        description: "a state: a revision, version:3, tag:lunch, a time, or an age: 1h")
    private static let dryRun = Argument(
        name: "dry_run", kind: .flag, description: "return the result without a change")
    private static let why = Argument(
        name: "why", kind: .text, description: "the reason, shown in the history")
    private static let base = Argument(
        name: "base", kind: .integer, description: "the revision that you have read")
    private static let conflict = Argument(
        name: "conflict", kind: .oneOf(["reject", "mine", "theirs"]),
        description: "the policy for conflicts with changes after base; by default reject")

    /// The tools, with reads first.
    static let all = reading + writing

    private static let reading: [MCPTool] = [
        MCPTool(
            name: "list", title: "List documents",
            description: "Lists the names of documents.",
            arguments: [
                Argument(
                    name: "prefix", kind: .text, description: "the prefix of the names"),
                Argument(
                    name: "limit", kind: .integer, description: "the maximum number; default 100"
                ),
            ]),
        MCPTool(
            name: "read", title: "Read a document",
            description: """
                Reads a document, a place in it, or an earlier state. Returns value and revision; \
                send the revision to edit as base.
                """,
            arguments: [document, place, state]),
        MCPTool(
            name: "history", title: "Show the history of a document",
            description: """
                Lists the versions of a document, newest first, with actor, time, label and a \
                summary of the changes.
                """,
            arguments: [
                document,
                Argument(
                    name: "limit", kind: .integer, description: "the maximum number; default 20"),
                Argument(
                    name: "actor", kind: .text, description: "only versions of this person or agent"
                ),
                place,
            ]),
        MCPTool(
            name: "blame", title: "Show the last change of each value",
            description: "Returns the actor and the time of the last change of each value.",
            arguments: [document, place, state]),
        MCPTool(
            name: "diff", title: "Compare two states of a document",
            description: """
                Returns a JSON Patch from one state of a document to another. In a draft, from \
                "origin" returns the changes of the draft.
                """,
            arguments: [
                document,
                Argument(
                    name: "from", kind: .text, description: "a state, as in read",
                    isRequired: true),
                Argument(name: "to", kind: .text, description: "a state; by default the newest"),
            ]),
    ]

    private static let writing: [MCPTool] = [
        MCPTool(
            name: "create", title: "Create a document",
            description: "Creates a document. Fails if the name is in use.",
            arguments: [
                document,
                Argument(name: "value", kind: .value, description: "any JSON", isRequired: true),
                why, dryRun,
            ], isReading: false),
        MCPTool(
            name: "edit", title: "Edit a document",
            description: """
                Applies a JSON Patch (RFC 6902) atomically. With base, the revision that you have \
                read, paths refer to that revision, and later edits by others are kept. undo_run \
                undoes all edits of this run.
                """,
            arguments: [
                document,
                Argument(
                    name: "patch", kind: .patch, description: "the operations", isRequired: true),
                base, conflict, why, dryRun,
            ], isReading: false),
        MCPTool(
            name: "replace_text", title: "Replace text in a document",
            description: """
                Replaces a part of a string that occurs exactly once. Copy old exactly, with \
                enough of the text around it to occur once, and repeat that in new. With base, the \
                string of that revision is searched, and later edits by others are kept.
                """,
            arguments: [
                document,
                Argument(
                    name: "path", kind: .text,
                    description: "the string, as a JSON Pointer: /items/0/name", isRequired: true),
                Argument(
                    name: "old", kind: .text, description: "the text to replace, not empty",
                    isRequired: true),
                Argument(
                    name: "new", kind: .text, description: "the text in its place, may be empty",
                    isRequired: true),
                base, why, dryRun,
            ], isReading: false),
        MCPTool(
            name: "propose", title: "Propose an edit",
            description: """
                Applies the edit to a draft of the document, which a person reviews and merges. \
                Further proposals of this run for the same document use the same draft.
                """,
            arguments: [
                document,
                Argument(
                    name: "patch", kind: .patch, description: "the operations", isRequired: true),
                why,
            ], isReading: false),
        MCPTool(
            name: "undo_run", title: "Undo this run",
            description: """
                Undoes all edits of this run, in all documents or in one, as one step. Later edits \
                by others are kept. A document or draft that this run created is deleted.
                """,
            arguments: [
                Argument(
                    name: "document", kind: .text, description: "only in this document"), dryRun,
            ], isReading: false),
    ]
}
