import AccessControl
import HTTPServing

// What can be done with a document.

extension Endpoint {
    static let document = "/v1/documents/{document}"

    /// How an edit says what it was made on.
    private static let base = [
        parameter("base", "Address", "The state that the edit was made on, if not the newest."),
        parameter("own", "RevisionList", "Own changes since base that the state has, too."),
        conflict,
    ]
    private static let baseProblems: [Problem.Kind] = [
        .conflict, .baseTooOld, .earlierLife, .wrongOwn, .trimmed, .unknownRevision,
        .unknownVersion, .unknownTag,
    ]

    static let values = [
        Endpoint(
            method: .get, template: document, id: "readDocument", right: .read,
            summary: "The value, or a place in it.",
            query: [
                parameter("at", "Address", "Which state: a revision, tag, snapshot or time."),
                pointer, consistency,
            ], response: .value,
            problems: [.unknownValue, .unknownRevision, .unknownTag, .unknownSnapshot, .trimmed],
            handler: .document(DocumentsAPI.read)),
        Endpoint(
            method: .put, template: document, id: "putDocument", right: .write,
            summary: "Make the document, or append a whole new value.",
            query: [
                label, dryRun,
                parameter("copyOf", "Origin", "No body: the value is another document's."),
                parameter("withHistory", "Flag", "With copyOf: all that led to it, too."),
            ] + base,
            body: .value,
            problems: baseProblems + [.unknownSnapshot, .documentExists, .tooLongToCopy],
            handler: .document(DocumentsAPI.put)),
        Endpoint(
            method: .patch, template: document, id: "patchDocument", right: .write,
            summary: "Append a diff.",
            query: [tag, label, debounce, group, dryRun] + base,
            body: .edit("Edit", besides: MediaType.patches),
            problems: baseProblems + [
                .malformedPatch, .testFailed, .patchDoesNotApply, .tooManyOperations, .tooManyTags,
            ],
            handler: .document(DocumentsAPI.patch)),
        Endpoint(
            method: .delete, template: document, id: "deleteDocument", right: .admin,
            draftRight: .propose,
            summary: "End the document; its history stays, unless it is erased.",
            query: [label, parameter("purge", "Flag", "Erase it and its history, for good.")],
            response: .nothing,
            handler: .document(DocumentsAPI.delete)),
        Endpoint(
            method: .post, template: document + "/undelete", id: "undeleteDocument", right: .admin,
            summary: "Bring the deleted document back, with its history, tags and snapshots.",
            query: [label, dryRun], problems: [.notDeleted],
            handler: .document(DocumentsAPI.undelete)),
        Endpoint(
            method: .post, template: document + "/rename", id: "renameDocument", right: .admin,
            summary: "Give the document another name, with its history.",
            query: [label, dryRun], body: .required("Rename"),
            problems: [.documentExists, .tooLongToCopy],
            handler: .document(DocumentsAPI.rename)),
        Endpoint(
            method: .post, template: document + "/purge", id: "purgeDocument", right: .admin,
            summary: "Erase places from every state of the document, for good.",
            query: [label, dryRun], body: .required("Purge"), response: .schema("Erasure"),
            problems: [.movedValue],
            handler: .document(DocumentsAPI.purge)),
        Endpoint(
            method: .post, template: document + "/append", id: "appendEdit", right: .write,
            summary: "Append an edit in any of three forms.",
            query: [tag, label, debounce, group, dryRun] + base,
            body: .edit("Anything", besides: MediaType.patches),
            problems: baseProblems + [
                .malformedPatch, .testFailed, .patchDoesNotApply, .tooManyOperations, .tooManyTags,
            ],
            handler: .document(DocumentsAPI.append)),
    ]

    static let moves = [
        Endpoint(
            method: .post, template: document + "/undo", id: "undo", right: .write,
            summary: "Undo.",
            query: [label, dryRun, conflict, alone, together], body: .command("Undo"),
            problems: [
                .nothingToUndo, .unknownTag, .unknownVersion, .unknownRevision, .notOnPath,
                .outsideScope, .notInEffect, .conflict, .foreignEdit, .versionMismatch, .rootScope,
                .trimmed, .tooManyChanges, .partOfTransaction, .tooManyDocuments,
                .documentsTooLarge, .changeTooOld,
            ],
            handler: .document(DocumentsAPI.undo)),
        Endpoint(
            method: .post, template: document + "/redo", id: "redo", right: .write,
            summary: "Redo.",
            query: [label, dryRun, conflict, alone], body: .command("Move"),
            problems: [
                .nothingToRedo, .unknownTag, .unknownVersion, .unknownRevision, .notOnPath,
                .outsideScope, .notInEffect, .conflict, .foreignEdit, .versionMismatch, .rootScope,
                .trimmed, .partOfTransaction, .tooManyDocuments, .documentsTooLarge, .changeTooOld,
            ],
            handler: .document(DocumentsAPI.redo)),
        Endpoint(
            method: .post, template: document + "/goto", id: "goToVersion", right: .write,
            summary: "Go to a version, from wherever.", query: [label, dryRun, alone],
            body: .required("GoTo"),
            problems: [
                .unknownVersion, .unknownTag, .unknownRevision, .outsideScope, .foreignEdit,
                .versionMismatch, .trimmed, .partOfTransaction,
            ],
            handler: .document(DocumentsAPI.goTo)),
        Endpoint(
            method: .post, template: document + "/restore", id: "restoreState", right: .write,
            summary: "Put back what stood in another state, or chosen places of it.",
            query: [label, dryRun], body: .required("Restore"),
            problems: [
                .unknownRevision, .unknownVersion, .unknownTag, .unknownSnapshot, .trimmed,
                .patchDoesNotApply, .foreignEdit, .conflict,
            ],
            handler: .document(DocumentsAPI.restoreState)),
        Endpoint(
            method: .post, template: document + "/seal", id: "sealVersion", right: .write,
            summary: "End the open group of quick edits.", response: .schema("Status"),
            handler: .document(DocumentsAPI.seal)),
        Endpoint(
            method: .get, template: document + "/status", id: "readStatus", right: .read,
            summary: "What can be undone and redone.",
            query: [
                parameter("actor", "Actor", "Also what this actor's own undo would do.")
            ] + SelectionQuery.parameters + [consistency],
            response: .schema("Status"),
            problems: ChangeFilter.problems + [.tooManyChanges],
            handler: .document(DocumentsAPI.status)),
        Endpoint(
            method: .get, template: document + "/settings", id: "readSettings", right: .read,
            summary: "What is set.", response: .schema("SettingsResponse"),
            handler: .document(DocumentsAPI.readSettings)),
        Endpoint(
            method: .patch, template: document + "/settings", id: "changeSettings", right: .admin,
            summary: "Change settings; null restores the default.",
            query: [label, dryRun],
            body: .required("Settings"),
            handler: .document(DocumentsAPI.changeSettings)),
        Endpoint(
            method: .get, template: document + "/scopes", id: "listScopes", right: .read,
            summary: "The open scopes, outermost first.", response: .schema("Scopes"),
            handler: .document(DocumentsAPI.scopes)),
        Endpoint(
            method: .post, template: document + "/scopes/push", id: "pushScope", right: .write,
            summary: "Open a scope.", query: [label, dryRun], body: .command("PushScope"),
            handler: .document(DocumentsAPI.pushScope)),
        Endpoint(
            method: .post, template: document + "/scopes/pop", id: "popScope", right: .write,
            summary: "Close the scope; it becomes one version.", query: [label, dryRun],
            body: .command("CloseScope"),
            problems: [.rootScope, .foreignScope],
            handler: .document(DocumentsAPI.popScope)),
        Endpoint(
            method: .post, template: document + "/scopes/discard", id: "discardScope",
            right: .write,
            summary: "Close the scope and take back what its owner did in it.",
            query: [label, dryRun, conflict, alone],
            body: .command("DiscardScope"),
            problems: [
                .rootScope, .foreignScope, .conflict, .foreignEdit, .versionMismatch,
                .partOfTransaction, .changeTooOld,
            ],
            handler: .document(DocumentsAPI.discardScope)),
    ]

    static let names = [
        Endpoint(
            method: .get, template: document + "/tags", id: "listTags", right: .read,
            summary: "Every tag.",
            response: .schema("Tags"),
            handler: .document(DocumentsAPI.tags)),
        Endpoint(
            method: .get, template: document + "/tags/{tag}", id: "readTag", right: .read,
            summary: "The version that a tag names.", response: .schema("TagResponse"),
            problems: [.unknownTag],
            handler: .documentPart(DocumentsAPI.readTag)),
        Endpoint(
            method: .put, template: document + "/tags/{tag}", id: "putTag", right: .write,
            summary: "Name a version, or move a name.", query: [label, dryRun],
            body: .command("PutTag"),
            problems: [
                .unknownVersion, .unknownTag, .unknownRevision, .tagExists, .tooManyTags, .trimmed,
            ],
            handler: .documentPart(DocumentsAPI.putTag)),
        Endpoint(
            method: .delete, template: document + "/tags/{tag}", id: "deleteTag", right: .write,
            summary: "Forget a name.", query: [label, dryRun],
            problems: [.unknownTag],
            handler: .documentPart(DocumentsAPI.deleteTag)),
        Endpoint(
            method: .get, template: document + "/snapshots", id: "listSnapshots", right: .read,
            summary: "Every snapshot, without its values.", response: .schema("Snapshots"),
            handler: .document(DocumentsAPI.snapshots)),
        Endpoint(
            method: .get, template: document + "/snapshots/{snapshot}", id: "readSnapshot",
            right: .read,
            summary: "What a snapshot holds, or one place of it.", query: [pointer],
            response: .value,
            problems: [.unknownSnapshot, .unknownValue],
            handler: .documentPart(DocumentsAPI.readSnapshot)),
        Endpoint(
            method: .put, template: document + "/snapshots/{snapshot}", id: "putSnapshot",
            right: .write,
            summary: "Take a snapshot of the whole, or of chosen places.",
            query: [label, dryRun],
            body: .command("PutSnapshot"),
            problems: [.snapshotExists, .tooManySnapshots],
            handler: .documentPart(DocumentsAPI.putSnapshot)),
        Endpoint(
            method: .delete, template: document + "/snapshots/{snapshot}", id: "deleteSnapshot",
            right: .write,
            summary: "Forget a snapshot.", query: [label, dryRun],
            problems: [.unknownSnapshot],
            handler: .documentPart(DocumentsAPI.deleteSnapshot)),
        Endpoint(
            method: .post, template: document + "/snapshots/{snapshot}/restore",
            id: "restoreSnapshot",
            right: .write,
            summary: "Put back what a snapshot holds, as one version.", query: [label, dryRun],
            problems: [.unknownSnapshot, .patchDoesNotApply, .foreignEdit, .trimmed, .conflict],
            handler: .documentPart(DocumentsAPI.restoreSnapshot)),
    ]

    static let past = [
        Endpoint(
            method: .get, template: document + "/history", id: "listHistory", right: .read,
            summary: "Who did what, the newest first.",
            query: [
                cursor("Revision"), limit,
                parameter("branches", "Branches", "Also edits of abandoned futures."),
            ] + ChangeFilter.parameters + [consistency],
            response: .list("History"),
            problems: ChangeFilter.problems,
            handler: .document(DocumentsAPI.history)),
        Endpoint(
            method: .get, template: document + "/history/{revision}", id: "readChange",
            right: .read,
            summary: "One change.", query: [consistency], response: .schema("ChangeResponse"),
            problems: [.unknownRevision, .trimmed],
            handler: .documentPart(DocumentsAPI.change)),
        Endpoint(
            method: .get, template: document + "/versions", id: "listVersions", right: .read,
            summary: "The versions and the tree that they make, the newest first.",
            query: [
                cursor("Revision"), limit,
                parameter("summary", "Flag", "Also what each did, in words."),
            ] + ChangeFilter.parameters + [consistency],
            response: .list("Versions"), problems: ChangeFilter.problems,
            handler: .document(DocumentsAPI.versions)),
        Endpoint(
            method: .get, template: document + "/activity", id: "readActivity", right: .read,
            summary: "When something was done, how much, and by whom.",
            query: [
                parameter("spans", "Limit", "In how many spans of time."), consistency,
            ], response: .schema("Activity"), problems: [.trimmed],
            handler: .document(DocumentsAPI.activity)),
        Endpoint(
            method: .get, template: document + "/blame", id: "readBlame", right: .read,
            summary: "Who made a place, and all in it, what it is.",
            query: [
                pointer, parameter("at", "Address", "Which state; the head, if nothing is said."),
                consistency,
            ], response: .schema("Blame"),
            problems: [.unknownValue, .unknownRevision, .unknownVersion, .unknownTag, .trimmed],
            handler: .document(DocumentsAPI.blame)),
        Endpoint(
            method: .get, template: document + "/diff", id: "readDiff", right: .read,
            summary: "The patch from one state to another.",
            query: [
                Parameter(name: "from", schema: "Address", meaning: "Needed.", isRequired: true),
                parameter("to", "Address", "The head, if nothing is said."), consistency,
            ], response: .schema("Diff"),
            problems: [.unknownRevision, .unknownTag, .unknownSnapshot, .trimmed],
            handler: .document(DocumentsAPI.diff)),
        Endpoint(
            method: .get, template: document + "/feed", id: "followDocument", right: .read,
            summary: "Changes in their order, as they come.", query: feedParameters,
            response: .feed,
            problems: [.unknownRevision, .trimmed, .tooManyStreams],
            handler: .document(DocumentsAPI.feed)),
    ]
}
