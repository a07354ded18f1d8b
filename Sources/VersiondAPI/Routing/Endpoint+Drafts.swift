import AccessControl
import HTTPServing

// What can be done with a draft.

extension Endpoint {
    private static let sides = parameter(
        "conflict", "DraftPolicy", "What gives way where others changed the same.")
    private static let problems: [Problem.Kind] = [.noOrigin, .originGone, .baseTooOld]

    static let drafts = [
        Endpoint(
            method: .get, template: document + "/origin", id: "readOrigin", right: .read,
            summary: "What stands between a draft and its origin.",
            query: [parameter("brief", "Flag", "Without the patches.")],
            response: .schema("DraftComparison"), problems: problems,
            handler: .document(DocumentsAPI.origin)),
        Endpoint(
            method: .put, template: document + "/origin", id: "changeOrigin", right: .write,
            summary: "Say what name the origin has now.",
            query: [label, dryRun], body: .required("OriginName"),
            problems: [.noOrigin, .otherHistory],
            handler: .document(DocumentsAPI.nameOrigin)),
        Endpoint(
            method: .delete, template: document + "/origin", id: "deleteOrigin", right: .write,
            summary: "Make the draft a document of its own.",
            query: [label, dryRun], problems: [.noOrigin],
            handler: .document(DocumentsAPI.leaveOrigin)),
        Endpoint(
            method: .get, template: document + "/drafts", id: "listDrafts", right: .read,
            summary: "Drafts of the document, and what each would change.",
            query: [cursor("Prefix"), limit], response: .list("Drafts"),
            handler: .document(DocumentsAPI.drafts)),
        Endpoint(
            method: .post, template: document + "/update", id: "updateDraft", right: .write,
            summary: "Take over what is new in the origin.",
            query: [label, dryRun, sides], body: .command("UpdateDraft"),
            problems: problems + [.conflict, .unknownRevision, .unknownVersion, .unknownTag],
            handler: .document(DocumentsAPI.update)),
        Endpoint(
            method: .post, template: document + "/merge", id: "mergeDraft", right: .write,
            summary: "Bring a draft, or a part of it, into its origin, as one step.",
            query: [label, dryRun, sides], body: .command("MergeDraft"),
            response: .schema("DraftMerge"),
            problems: problems + [
                .conflict, .needsChanges, .movedValue, .notInEffect, .unknownRevision,
                .unknownVersion, .unknownTag, .versionMismatch,
            ],
            handler: .document(DocumentsAPI.merge)),
    ]
}
