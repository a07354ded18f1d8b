import AccessControl
import HTTPServing

// What can be done with several documents together.

extension Endpoint {
    private static let transaction = "/v1/transactions/{transaction}"

    /// What may refuse a member.
    private static let memberProblems: [Problem.Kind] = [
        .conflict, .baseTooOld, .earlierLife, .wrongOwn, .trimmed, .unknownRevision,
        .unknownVersion, .unknownTag, .unknownSnapshot, .malformedPatch, .testFailed,
        .patchDoesNotApply, .tooManyOperations, .tooManyTags, .notInEffect, .foreignEdit,
        .versionMismatch, .partOfTransaction, .changeTooOld, .documentsTooLarge,
    ]
    private static let undoProblems: [Problem.Kind] = [
        .conflict, .notInEffect, .foreignEdit, .versionMismatch, .trimmed, .tooManyDocuments,
        .changeTooOld, .documentsTooLarge,
    ]

    static let transactions = [
        Endpoint(
            method: .post, template: "/v1/transactions", id: "makeTransaction", right: .write,
            summary: "Change several documents, or none of them.",
            query: [label, dryRun], body: .required("TransactionBody"),
            response: .schema("TransactionResponse"), problems: memberProblems,
            handler: .daemon(DocumentsAPI.transact)),
        Endpoint(
            method: .get, template: transaction, id: "readTransaction", right: .read,
            summary: "The parts of a transaction, and which are in effect.",
            response: .schema("Transaction"), problems: [.unknownTransaction],
            handler: .part(DocumentsAPI.transaction)),
        Endpoint(
            method: .post, template: transaction + "/undo", id: "undoTransaction", right: .write,
            summary: "Undo all its parts, past what came later.",
            query: [label, dryRun, conflict], response: .schema("TransactionResponse"),
            problems: undoProblems + [.unknownTransaction],
            handler: .part(DocumentsAPI.undoTransaction)),
        Endpoint(
            method: .post, template: transaction + "/redo", id: "redoTransaction", right: .write,
            summary: "Redo all its parts.",
            query: [label, dryRun, conflict], response: .schema("TransactionResponse"),
            problems: undoProblems + [.unknownTransaction],
            handler: .part(DocumentsAPI.redoTransaction)),
        Endpoint(
            method: .post, template: "/v1/undo", id: "undoEdits", right: .write,
            summary: "Take back all edits that are named, in whatever documents.",
            query: [label, dryRun, conflict], body: .required("UndoOfMany"),
            response: .schema("TransactionResponse"),
            problems: undoProblems + [.nothingToUndo, .tooManyChanges, .partOfTransaction],
            handler: .daemon(DocumentsAPI.undoEdits)),
        Endpoint(
            method: .post, template: "/v1/restore", id: "restoreDocuments", right: .write,
            summary: "Put back what the documents of a prefix were at a time.",
            query: [label, dryRun], body: .required("RestoreOfMany"),
            response: .schema("RestoreResponse"),
            problems: [
                .tooManyDocuments, .documentsTooLarge, .foreignEdit, .trimmed, .patchDoesNotApply,
            ],
            handler: .daemon(DocumentsAPI.restoreDocuments)),
    ]
}
