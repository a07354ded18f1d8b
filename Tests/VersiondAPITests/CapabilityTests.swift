import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// `GET /v1` names what a client can ask for, so that it need not try. A new call or setting must
/// say here which of these words it belongs to.
@Suite struct CapabilityTests {
    /// The calls of each capability; those of none every daemon has had from the beginning.
    private static let calls: [String: [String]] = [
        "": [
            "readDiscovery", "listDocuments", "listChanges", "readCaller", "checkLiveness",
            "checkReadiness", "readMetrics", "readDescription", "listProblems", "readProblem",
            "openStart", "openWebUI", "readClient", "readClientTypes", "readWebUIFile",
            "readDocument", "putDocument", "deleteDocument", "appendEdit", "undo", "redo",
            "sealVersion", "readStatus", "readSettings", "changeSettings", "listHistory",
            "readChange", "readActivity",
        ],
        "feed": ["followDocuments", "followDocument"], "tickets": ["makeTicket"],
        "export": ["exportChanges"], "json-patch": ["patchDocument"],
        "undelete": ["undeleteDocument"], "rename": ["renameDocument"],
        "purge": ["purgeDocument"], "goto": ["goToVersion"],
        "restore": ["restoreState", "restoreDocuments"],
        "scopes": ["listScopes", "pushScope", "popScope", "discardScope"],
        "tags": ["listTags", "readTag", "putTag", "deleteTag"],
        "snapshots": [
            "listSnapshots", "readSnapshot", "putSnapshot", "deleteSnapshot", "restoreSnapshot",
        ],
        "versions": ["listVersions"], "blame": ["readBlame"], "diff": ["readDiff"],
        "drafts": [
            "readOrigin", "changeOrigin", "deleteOrigin", "listDrafts", "updateDraft",
            "mergeDraft", "mergeDrafts",
        ],
        "presence": ["listPresence", "putPresence", "deletePresence"],
        "transactions": [
            "makeTransaction", "readTransaction",
        ],
        "selection-undo": ["undoEdits", "redoEdits"], "runs": ["listRuns", "readRun"],
        "open-runs": ["openRun", "closeRun"],
        "mcp": ["sendAgentMessage", "readProtectedResource"],
        "restore-points": [
            "listRestorePoints", "readRestorePoint", "putRestorePoint", "deleteRestorePoint",
        ],
    ]
    private static let settings: [String: [String]] = [
        "": ["identity"], "debounce": ["debounce"], "ignored": ["ignored"],
        "tracked": ["tracked"], "if-match": ["requireMatch"], "schemas": ["schema", "enforce"],
        "presence": ["presence"], "retention": ["retention"],
    ]
    /// The form of a body, a field or a parameter of calls.
    private static let forms: Set<String> = [
        "merge-patch", "text-operations", "merge", "actor-undo", "change-undo", "dry-run",
        "idempotency-key", "gzip", "copy",
    ]

    @Test func `every call and every setting belongs to a capability, and each is named`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        let list = try daemon.client.request("GET", "/v1").json["capabilities"]?.elements ?? []
        let named = list.compactMap(\.string)
        let wanted = CapabilityTests.forms.union(CapabilityTests.calls.keys)
            .union(CapabilityTests.settings.keys).subtracting([""])
        #expect(Set(named) == wanted && named.count == wanted.count)
        let calls = CapabilityTests.calls.values.joined().sorted()
        #expect(calls == Endpoint.all.map(\.id).sorted())
        let known = try daemon.menu("GET", "/settings").json["settings"]
        let settings = known?.members?.map(\.name) ?? []
        #expect(CapabilityTests.settings.values.joined().sorted() == settings.sorted())
    }
}
