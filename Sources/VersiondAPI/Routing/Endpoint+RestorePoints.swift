import AccessControl
import HTTPServing

// Calls about names for positions in the order of commits.

extension Endpoint {
    private static let restorePoint = "/v1/restore-points/{name}"

    static let restorePoints = [
        Endpoint(
            method: .get, template: "/v1/restore-points", id: "listRestorePoints", right: .read,
            summary: "List restore points in the order of their names.",
            query: [prefix, cursor("Prefix"), limit], response: .list("RestorePoints"),
            handler: .daemon(DocumentsAPI.restorePoints)),
        Endpoint(
            method: .get, template: restorePoint, id: "readRestorePoint", right: .read,
            summary: "Return a restore point.", response: .schema("RestorePoint"),
            problems: [.unknownRestorePoint], handler: .part(DocumentsAPI.restorePoint)),
        Endpoint(
            method: .put, template: restorePoint, id: "putRestorePoint", right: .write,
            summary: "Name the present position in the order of commits, or an earlier one.",
            query: [
                label,
                parameter(
                    "ttl", "Duration", "The time after which the restore point ends: 1s to 3650d."),
            ],
            body: .command("PutRestorePoint"), response: .schema("RestorePoint"),
            problems: [
                .unknownRestorePoint, .restorePointExists, .tooManyRestorePoints, .unknownRevision,
                .otherHistory,
            ],
            handler: .part(DocumentsAPI.putRestorePoint)),
        Endpoint(
            method: .delete, template: restorePoint, id: "deleteRestorePoint", right: .write,
            summary: "Delete a restore point.", query: [label], response: .nothing,
            problems: [.unknownRestorePoint], handler: .part(DocumentsAPI.deleteRestorePoint)),
    ]
}
