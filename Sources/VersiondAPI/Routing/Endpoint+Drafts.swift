import AccessControl
import HTTPServing

// The endpoints of drafts.

extension Endpoint {
    private static let sides = parameter(
        "conflict", "DraftPolicy", "The policy for conflicts.", default: "reject")
    private static let problems: [Problem.Kind] = [.noOrigin, .originGone, .baseTooOld]

    static let drafts = [
        Endpoint(
            method: .get, template: document + "/origin", id: "readOrigin", right: .read,
            summary: "Compare a draft with its origin.",
            query: [parameter("brief", "Flag", "Omit the patches.")],
            response: .schema("DraftComparison"), problems: problems,
            handler: .document(DocumentsAPI.origin)),
        Endpoint(
            method: .put, template: document + "/origin", id: "changeOrigin", right: .write,
            summary: "Set the current name of the origin.",
            query: [label, dryRun], body: .required("OriginName"),
            problems: [.noOrigin, .otherHistory],
            handler: .document(DocumentsAPI.nameOrigin)),
        Endpoint(
            method: .delete, template: document + "/origin", id: "deleteOrigin", right: .write,
            summary: "Detach the draft from its origin.",
            query: [label, dryRun], problems: [.noOrigin],
            handler: .document(DocumentsAPI.leaveOrigin)),
        Endpoint(
            method: .get, template: document + "/drafts", id: "listDrafts", right: .read,
            summary: "List the drafts of the document and their changes.",
            query: [cursor("Prefix"), limit(default: Limits.draftsPageDefault)],
            response: .list("Drafts"),
            handler: .document(DocumentsAPI.drafts)),
        Endpoint(
            method: .post, template: document + "/update", id: "updateDraft", right: .write,
            summary: "Apply the new changes of the origin to the draft.",
            query: [label, dryRun, sides], body: .command("UpdateDraft"),
            problems: problems + [.conflict, .unknownRevision, .unknownVersion, .unknownTag],
            handler: .document(DocumentsAPI.update)),
        Endpoint(
            method: .post, template: document + "/merge", id: "mergeDraft", right: .write,
            summary: "Apply the draft, or a part of it, to its origin as one version.",
            query: [label, dryRun, sides], body: .command("MergeDraft"),
            response: .schema("DraftMerge"),
            problems: problems + [
                .conflict, .needsChanges, .movedValue, .notInEffect, .unknownRevision,
                .unknownVersion, .unknownTag, .versionMismatch,
            ],
            handler: .document(DocumentsAPI.merge)),
        Endpoint(
            method: .post, template: "/v1/merge", id: "mergeDrafts", right: .propose,
            summary: "Merge all drafts of a prefix into their origins as one step.",
            query: [label, dryRun, sides], body: .required("MergeOfMany"),
            response: .schema("DraftsMerge"),
            problems: problems + [
                .conflict, .staleRevision, .overlappingDrafts, .tooManyDocuments,
                .documentsTooLarge, .versionMismatch,
            ],
            handler: .daemon(DocumentsAPI.mergeDrafts)),
    ]
}
