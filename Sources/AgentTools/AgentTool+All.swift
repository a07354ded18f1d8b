extension AgentTool {
    private static let document = Argument(
        name: "document", kind: .name, description: "the document's name", isRequired: true)
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

    private static let run = Argument(
        name: "run", kind: .name,
        description: "the run that the change belongs to, as begin_run returned it")
    private static let limit = Argument(
        name: "limit", kind: .integer, description: "the maximum number; default 20")
    /// The arguments that undo and redo of a run share.
    private static let selection = [
        Argument(name: "document", kind: .name, description: "only in this document"),
        Argument(name: "documents", kind: .texts, description: "only in these documents"),
        Argument(
            name: "keep", kind: .places,
            description: """
                documents that stay as they are (true), or places in them: \
                {"menu": ["/price"], "stock": true}
                """),
        Argument(
            name: "match", kind: .revisions,
            description: "the revisions that you have read, of documents with indices in keep"),
        conflict, why, run, dryRun,
    ]

    /// The tools, with reads first.
    public static let all = reading + writing

    private static let reading: [AgentTool] = [
        AgentTool(
            name: "list", title: "List documents",
            description: "Lists the names of documents.",
            arguments: [
                Argument(
                    name: "prefix", kind: .text, description: "the prefix of the names"),
                Argument(
                    name: "limit", kind: .integer, description: "the maximum number; default 100"
                ),
            ], begin: list),
        AgentTool(
            name: "read", title: "Read a document",
            description: """
                Reads a document, a place in it, or an earlier state. Returns value and revision; \
                send the revision to edit as base.
                """,
            arguments: [document, place, state], begin: read),
        AgentTool(
            name: "history", title: "Show the history of a document",
            description: """
                Lists the versions of a document, newest first, with actor, time, label and a \
                summary of the changes.
                """,
            arguments: [
                document,
                limit,
                Argument(
                    name: "actor", kind: .text, description: "only versions of this person or agent"
                ),
                place,
            ], begin: history),
        AgentTool(
            name: "blame", title: "Show the last change of each value",
            description: "Returns the actor and the time of the last change of each value.",
            arguments: [document, place, state], begin: blame),
        AgentTool(
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
            ], begin: diff),
        AgentTool(
            name: "runs", title: "List or review runs",
            description: """
                Lists runs, the one with the newest edit first. With run, returns the documents of \
                that run and the effect of its undo at each place.
                """,
            arguments: [
                Argument(
                    name: "prefix", kind: .text, description: "the prefix of the documents' names"),
                Argument(name: "run", kind: .name, description: "the run to review"), limit,
            ], begin: runs),
    ]

    private static let writing: [AgentTool] = [
        AgentTool(
            name: "begin_run", title: "Begin a run",
            description: """
                Opens a new run, and returns its name. Send it as run with each edit of one task, \
                so that the edits can be reviewed and undone together. Changes no document.
                """,
            arguments: [why], isReading: false, begin: beginRun),
        AgentTool(
            name: "end_run", title: "End a run",
            description: """
                Closes a run when its task is done, so that people can undo it. A run without an \
                edit for 10 minutes ends by itself.
                """,
            arguments: [run], isReading: false, begin: endRun),
        AgentTool(
            name: "create", title: "Create a document",
            description: "Creates a document. Fails if the name is in use.",
            arguments: [
                document,
                Argument(name: "value", kind: .value, description: "any JSON", isRequired: true),
                why, run, dryRun,
            ], isReading: false, begin: create),
        AgentTool(
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
                base, conflict, why, run, dryRun,
            ], isReading: false, begin: edit),
        AgentTool(
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
                base, why, run, dryRun,
            ], isReading: false, begin: replaceText),
        AgentTool(
            name: "propose", title: "Propose an edit",
            description: """
                Applies the edit to a draft of the document, which a person reviews and merges. \
                Further proposals of this run for the same document use the same draft.
                """,
            arguments: [
                document,
                Argument(
                    name: "patch", kind: .patch, description: "the operations", isRequired: true),
                why, run,
            ], isReading: false, begin: propose),
        AgentTool(
            name: "undo_run", title: "Undo a run",
            description: """
                Undoes all edits of this run, in all documents or in some, as one step. Later \
                edits by others are kept. A document or draft that this run created is deleted.
                """,
            arguments: selection, isReading: false, begin: undoRun),
        AgentTool(
            name: "redo_run", title: "Redo a run",
            description: "Redoes what the newest undo of this run undid, as one step.",
            arguments: selection, isReading: false, begin: redoRun),
    ]
}
