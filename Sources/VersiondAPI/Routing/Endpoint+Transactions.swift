import AccessControl
import HTTPServing

// The endpoints that change several documents.

extension Endpoint {
    private static let transaction = "/v1/transactions/{transaction}"

    /// The problems of a member.
    private static let memberProblems: [Problem.Kind] = [
        .conflict, .baseTooOld, .earlierLife, .wrongOwn, .trimmed, .unknownRevision,
        .unknownVersion, .unknownTag, .unknownSnapshot, .malformedPatch, .testFailed,
        .textNotFound, .textNotUnique, .patchDoesNotApply, .tooManyOperations, .tooManyTags,
        .notInEffect, .foreignEdit, .undoTooLate,
        .versionMismatch, .partOfTransaction, .changeTooOld, .documentsTooLarge,
    ]
    private static let undoProblems: [Problem.Kind] = [
        .conflict, .notInEffect, .foreignEdit, .versionMismatch, .trimmed, .tooManyDocuments,
        .changeTooOld, .documentsTooLarge, .tooManyChanges, .partOfTransaction, .staleRevision,
        .unknownTransaction, .unknownRevision, .unknownVersion, .unknownTag, .unknownSnapshot,
        .runOpen, .indexing, .undoTooLate,
    ]

    static let transactions = [
        Endpoint(
            method: .post, template: "/v1/transactions", id: "makeTransaction", right: .write,
            summary: "Change several documents atomically.",
            query: [label, dryRun], body: .required("TransactionBody"),
            response: .schema("TransactionResponse"), problems: memberProblems,
            handler: .daemon(DocumentsAPI.transact)),
        Endpoint(
            method: .get, template: transaction, id: "readTransaction", right: .read,
            summary: "Return the parts of a transaction and whether each is in effect.",
            response: .schema("Transaction"), problems: [.unknownTransaction],
            handler: .part(DocumentsAPI.transaction)),
        Endpoint(
            method: .post, template: "/v1/undo", id: "undoEdits", right: .propose,
            summary: "Undo a selection of edits, or a transaction, as one step.",
            query: [label, dryRun, conflict, alone], body: .required("UndoOfMany"),
            response: .schema("TransactionResponse"),
            problems: undoProblems + [.nothingToUndo],
            handler: .daemon(DocumentsAPI.undoEdits)),
        Endpoint(
            method: .post, template: "/v1/redo", id: "redoEdits", right: .propose,
            summary: "Redo what the newest undo of selected edits, or of a transaction, took.",
            query: [label, dryRun, conflict, alone], body: .required("UndoOfMany"),
            response: .schema("TransactionResponse"),
            problems: undoProblems + [.nothingToRedo],
            handler: .daemon(DocumentsAPI.redoEdits)),
        Endpoint(
            method: .post, template: "/v1/restore", id: "restoreDocuments", right: .write,
            summary:
                "Restore the documents of a prefix to their state at a time or a restore point.",
            query: [label, dryRun], body: .required("RestoreOfMany"),
            response: .schema("RestoreResponse"),
            problems: [
                .tooManyDocuments, .documentsTooLarge, .foreignEdit, .trimmed, .patchDoesNotApply,
                .unknownRestorePoint,
            ],
            handler: .daemon(DocumentsAPI.restoreDocuments)),
    ]
}
