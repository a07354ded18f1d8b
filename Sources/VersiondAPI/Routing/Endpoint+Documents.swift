import AccessControl
import HTTPServing

// The endpoints of a document.

extension Endpoint {
    static let document = "/v1/documents/{document}"

    /// The base of an edit.
    private static let base = [
        parameter("base", "Address", "The state on which the edit was made.", default: "head"),
        parameter("own", "RevisionList", "Own changes after base that this state includes: 9,10."),
        conflict,
    ]
    private static let baseProblems: [Problem.Kind] = [
        .conflict, .baseTooOld, .earlierLife, .wrongOwn, .trimmed, .unknownRevision,
        .unknownVersion, .unknownTag,
    ]

    static let values = [
        Endpoint(
            method: .get, template: document, id: "readDocument", right: .read,
            summary: "Return the value, or a place in it.",
            query: [
                parameter("at", "Address", "A revision, tag, snapshot or time.", default: "head"),
                pointer, consistency,
            ], response: .value,
            problems: [.unknownValue, .unknownRevision, .unknownTag, .unknownSnapshot, .trimmed],
            handler: .document(DocumentsAPI.read)),
        Endpoint(
            method: .put, template: document, id: "putDocument", right: .write,
            summary: "Create the document, or replace its value.",
            query: [
                label, dryRun,
                parameter(
                    "copyOf", "Origin",
                    "Copy the value of another document; requires an empty body."),
                parameter("withHistory", "Flag", "With copyOf: also copy the history."),
            ] + base,
            body: .value,
            problems: baseProblems + [.unknownSnapshot, .documentExists, .tooLongToCopy],
            handler: .document(DocumentsAPI.put)),
        Endpoint(
            method: .patch, template: document, id: "patchDocument", right: .write,
            summary: "Apply a JSON Patch or a merge patch.",
            query: [tag, label, debounce, group, dryRun] + base,
            body: .edit("Edit", besides: MediaType.patches),
            problems: baseProblems + [
                .malformedPatch, .testFailed, .textNotFound, .textNotUnique, .patchDoesNotApply,
                .tooManyOperations, .tooManyTags,
            ],
            handler: .document(DocumentsAPI.patch)),
        Endpoint(
            method: .delete, template: document, id: "deleteDocument", right: .admin,
            draftRight: .propose,
            summary: "Delete the document and keep its history, or erase both.",
            query: [
                label,
                parameter("purge", "Flag", "Erase the document and its history permanently."),
            ],
            response: .nothing,
            handler: .document(DocumentsAPI.delete)),
        Endpoint(
            method: .post, template: document + "/undelete", id: "undeleteDocument", right: .admin,
            summary: "Restore the deleted document with its history, tags and snapshots.",
            query: [label, dryRun], problems: [.notDeleted],
            handler: .document(DocumentsAPI.undelete)),
        Endpoint(
            method: .post, template: document + "/rename", id: "renameDocument", right: .admin,
            summary: "Rename the document; its history is kept.",
            query: [label, dryRun], body: .required("Rename"),
            problems: [.documentExists, .tooLongToCopy],
            handler: .document(DocumentsAPI.rename)),
        Endpoint(
            method: .post, template: document + "/purge", id: "purgeDocument", right: .admin,
            summary: "Erase places from all states of the document permanently.",
            query: [label, dryRun], body: .required("Purge"), response: .schema("Erasure"),
            problems: [.movedValue],
            handler: .document(DocumentsAPI.purge)),
        Endpoint(
            method: .post, template: document + "/append", id: "appendEdit", right: .write,
            summary: "Apply a JSON Patch, a merge patch or a whole value.",
            query: [tag, label, debounce, group, dryRun] + base,
            body: .edit("Anything", besides: MediaType.patches),
            problems: baseProblems + [
                .malformedPatch, .testFailed, .textNotFound, .textNotUnique, .patchDoesNotApply,
                .tooManyOperations, .tooManyTags,
            ],
            handler: .document(DocumentsAPI.append)),
    ]

    static let moves = [
        Endpoint(
            method: .post, template: document + "/undo", id: "undo", right: .write,
            summary: "Undo versions or changes.",
            query: [label, dryRun, conflict, alone, together], body: .command("Move"),
            problems: [
                .nothingToUndo, .unknownTag, .unknownVersion, .unknownRevision, .notOnPath,
                .outsideScope, .notInEffect, .conflict, .foreignEdit, .versionMismatch, .rootScope,
                .trimmed, .partOfTransaction, .tooManyDocuments, .documentsTooLarge, .changeTooOld,
                .undoTooLate,
            ],
            handler: .document(DocumentsAPI.undo)),
        Endpoint(
            method: .post, template: document + "/redo", id: "redo", right: .write,
            summary: "Redo versions or changes.",
            query: [label, dryRun, conflict, alone], body: .command("Move"),
            problems: [
                .nothingToRedo, .unknownTag, .unknownVersion, .unknownRevision, .notOnPath,
                .outsideScope, .notInEffect, .conflict, .foreignEdit, .versionMismatch, .rootScope,
                .trimmed, .partOfTransaction, .tooManyDocuments, .documentsTooLarge, .changeTooOld,
            ],
            handler: .document(DocumentsAPI.redo)),
        Endpoint(
            method: .post, template: document + "/goto", id: "goToVersion", right: .write,
            summary: "Go to a version; a repeated request has no effect.",
            query: [label, dryRun, alone],
            body: .required("GoTo"),
            problems: [
                .unknownVersion, .unknownTag, .unknownRevision, .outsideScope, .foreignEdit,
                .versionMismatch, .trimmed, .partOfTransaction,
            ],
            handler: .document(DocumentsAPI.goTo)),
        Endpoint(
            method: .post, template: document + "/restore", id: "restoreState", right: .write,
            summary: "Restore another state of the document, or places of it.",
            query: [label, dryRun], body: .required("Restore"),
            problems: [
                .unknownRevision, .unknownVersion, .unknownTag, .unknownSnapshot, .trimmed,
                .patchDoesNotApply, .foreignEdit, .conflict,
            ],
            handler: .document(DocumentsAPI.restoreState)),
        Endpoint(
            method: .post, template: document + "/seal", id: "sealVersion", right: .write,
            summary: "End the open group of edits.", response: .schema("Status"),
            handler: .document(DocumentsAPI.seal)),
        Endpoint(
            method: .get, template: document + "/status", id: "readStatus", right: .read,
            summary: "Return what can be undone and redone.",
            query: [
                parameter(
                    "actor", "Actor", "Also return what own undo and redo of this actor would do."),
                consistency,
            ],
            response: .schema("Status"),
            handler: .document(DocumentsAPI.status)),
    ]

    static let settings = [
        Endpoint(
            method: .get, template: document + "/settings", id: "readSettings", right: .read,
            summary: "Return the settings of the document.", response: .schema("SettingsResponse"),
            handler: .document(DocumentsAPI.readSettings)),
        Endpoint(
            method: .patch, template: document + "/settings", id: "changeSettings", right: .admin,
            summary: "Change settings; null restores the default.",
            query: [label, dryRun],
            body: .required("Settings"),
            handler: .document(DocumentsAPI.changeSettings)),
        Endpoint(
            method: .get, template: document + "/scopes", id: "listScopes", right: .read,
            summary: "List the open scopes, outermost first.", response: .schema("Scopes"),
            handler: .document(DocumentsAPI.scopes)),
        Endpoint(
            method: .post, template: document + "/scopes/push", id: "pushScope", right: .write,
            summary: "Open a scope.", query: [label, dryRun], body: .command("PushScope"),
            handler: .document(DocumentsAPI.pushScope)),
        Endpoint(
            method: .post, template: document + "/scopes/pop", id: "popScope", right: .write,
            summary: "Close the scope and turn its changes into one version.",
            query: [label, dryRun],
            body: .command("CloseScope"),
            problems: [.rootScope, .foreignScope],
            handler: .document(DocumentsAPI.popScope)),
        Endpoint(
            method: .post, template: document + "/scopes/discard", id: "discardScope",
            right: .write,
            summary: "Close the scope and undo the edits of its owner.",
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
            summary: "List all tags.",
            response: .schema("Tags"),
            handler: .document(DocumentsAPI.tags)),
        Endpoint(
            method: .get, template: document + "/tags/{tag}", id: "readTag", right: .read,
            summary: "Return the version that a tag names.", response: .schema("TagResponse"),
            problems: [.unknownTag],
            handler: .documentPart(DocumentsAPI.readTag)),
        Endpoint(
            method: .put, template: document + "/tags/{tag}", id: "putTag", right: .write,
            summary: "Tag a version, or move a tag.", query: [label, dryRun],
            body: .command("PutTag"),
            problems: [
                .unknownVersion, .unknownTag, .unknownRevision, .tagExists, .tooManyTags, .trimmed,
            ],
            handler: .documentPart(DocumentsAPI.putTag)),
        Endpoint(
            method: .delete, template: document + "/tags/{tag}", id: "deleteTag", right: .write,
            summary: "Delete a tag.", query: [label, dryRun],
            problems: [.unknownTag],
            handler: .documentPart(DocumentsAPI.deleteTag)),
        Endpoint(
            method: .get, template: document + "/snapshots", id: "listSnapshots", right: .read,
            summary: "List all snapshots without their values.", response: .schema("Snapshots"),
            handler: .document(DocumentsAPI.snapshots)),
        Endpoint(
            method: .get, template: document + "/snapshots/{snapshot}", id: "readSnapshot",
            right: .read,
            summary: "Return the value of a snapshot, or a place in it.", query: [pointer],
            response: .value,
            problems: [.unknownSnapshot, .unknownValue],
            handler: .documentPart(DocumentsAPI.readSnapshot)),
        Endpoint(
            method: .put, template: document + "/snapshots/{snapshot}", id: "putSnapshot",
            right: .write,
            summary: "Create a snapshot of the document, or of places in it.",
            query: [label, dryRun],
            body: .command("PutSnapshot"),
            problems: [.snapshotExists, .tooManySnapshots],
            handler: .documentPart(DocumentsAPI.putSnapshot)),
        Endpoint(
            method: .delete, template: document + "/snapshots/{snapshot}", id: "deleteSnapshot",
            right: .write,
            summary: "Delete a snapshot.", query: [label, dryRun],
            problems: [.unknownSnapshot],
            handler: .documentPart(DocumentsAPI.deleteSnapshot)),
        Endpoint(
            method: .post, template: document + "/snapshots/{snapshot}/restore",
            id: "restoreSnapshot",
            right: .write,
            summary: "Restore a snapshot as one version.", query: [label, dryRun],
            problems: [.unknownSnapshot, .patchDoesNotApply, .foreignEdit, .trimmed, .conflict],
            handler: .documentPart(DocumentsAPI.restoreSnapshot)),
    ]

    static let past = [
        Endpoint(
            method: .get, template: document + "/history", id: "listHistory", right: .read,
            summary: "List the changes of the document, newest first.",
            query: [
                cursor("Revision"), limit,
                parameter(
                    "branches", "Branches", "all: also return the edits of other branches.",
                    default: "current"),
            ] + ChangeFilter.parameters + [consistency],
            response: .list("History"),
            problems: ChangeFilter.problems,
            handler: .document(DocumentsAPI.history)),
        Endpoint(
            method: .get, template: document + "/history/{revision}", id: "readChange",
            right: .read,
            summary: "Return one change.", query: [consistency],
            response: .schema("ChangeResponse"),
            problems: [.unknownRevision, .trimmed],
            handler: .documentPart(DocumentsAPI.change)),
        Endpoint(
            method: .get, template: document + "/versions", id: "listVersions", right: .read,
            summary: "List the versions and their tree, newest first.",
            query: [
                cursor("Revision"), limit,
                parameter("summary", "Flag", "Also return a summary of each version."),
            ] + ChangeFilter.parameters + [consistency],
            response: .list("Versions"), problems: ChangeFilter.problems,
            handler: .document(DocumentsAPI.versions)),
        Endpoint(
            method: .get, template: document + "/activity", id: "readActivity", right: .read,
            summary: "Return the number of changes per time span and actor.",
            query: [
                parameter(
                    "spans", "Limit", "The number of time spans.",
                    default: "\(DocumentsAPI.spansDefault)"), consistency,
            ], response: .schema("Activity"), problems: [.trimmed],
            handler: .document(DocumentsAPI.activity)),
        Endpoint(
            method: .get, template: document + "/blame", id: "readBlame", right: .read,
            summary: "Return the change and the actor that last set each value.",
            query: [
                pointer,
                parameter("at", "Address", "A revision, version, tag or time.", default: "head"),
                consistency,
            ], response: .schema("Blame"),
            problems: [.unknownValue, .unknownRevision, .unknownVersion, .unknownTag, .trimmed],
            handler: .document(DocumentsAPI.blame)),
        Endpoint(
            method: .get, template: document + "/diff", id: "readDiff", right: .read,
            summary: "Return the patch from one state to another.",
            query: [
                Parameter(
                    name: "from", schema: "Address", meaning: "The first state.", isRequired: true),
                parameter("to", "Address", "The second state.", default: "head"), consistency,
            ], response: .schema("Diff"),
            problems: [.unknownRevision, .unknownTag, .unknownSnapshot, .trimmed],
            handler: .document(DocumentsAPI.diff)),
        Endpoint(
            method: .get, template: document + "/feed", id: "followDocument", right: .read,
            summary: "Follow the changes of the document.", query: feedParameters,
            response: .feed,
            problems: [.unknownRevision, .trimmed, .tooManyStreams],
            handler: .document(DocumentsAPI.feed)),
    ]
}
