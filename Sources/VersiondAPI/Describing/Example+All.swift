// The session of examples.

extension Example {
    private static let menu = "/v1/documents/menu"
    private static let draft = "/v1/documents/menu~ada"

    static let all =
        values + moves + settings + names + past + drafts + presence + several + life + daemon

    private static let values = [
        Example("putDocument", menu, by: "ada", #"{"dish":"soup","price":4}"#),
        Example(
            "patchDocument", menu + "?label=dearer", by: "ada", #"{"price":5}"#,
            as: "application/merge-patch+json"),
        Example(
            "appendEdit", menu + "/append", by: "bob",
            #"[{"op":"replace","path":"/dish","value":"stew"}]"#,
            as: "application/json-patch+json"),
        Example("readDocument", menu),
    ]

    private static let moves = [
        Example("readStatus", menu + "/status?actor=ada"),
        Example("undo", menu + "/undo", by: "ada", #"{"actor":"ada"}"#),
        Example("redo", menu + "/redo", by: "ada", #"{"actor":"ada"}"#),
        Example("putTag", menu + "/tags/lunch", by: "ada"),
        Example("goToVersion", menu + "/goto", by: "ada", #"{"to":"version:1"}"#),
        Example(
            "restoreState", menu + "/restore", by: "ada",
            #"{"from":"tag:lunch","paths":["/dish"]}"#),
        Example("sealVersion", menu + "/seal"),
    ]

    private static let settings = [
        Example(
            "changeSettings", menu + "/settings", by: "ada",
            #"{"debounce":"500ms","retention":{"count":1000}}"#),
        Example("readSettings", menu + "/settings"),
        Example(
            "pushScope", menu + "/scopes/push", by: "ada", #"{"ttl":"1h","policy":"discard"}"#),
        Example("listScopes", menu + "/scopes"),
        Example("appendEdit", menu + "/append", by: "ada", #"{"dish":"pie","price":5}"#),
        Example("popScope", menu + "/scopes/pop", by: "ada"),
        Example("pushScope", menu + "/scopes/push", by: "ada"),
        Example("appendEdit", menu + "/append", by: "ada", #"{"dish":"pie","price":9}"#),
        Example("discardScope", menu + "/scopes/discard", by: "ada"),
    ]

    private static let names = [
        Example("listTags", menu + "/tags"),
        Example("readTag", menu + "/tags/lunch"),
        Example("putSnapshot", menu + "/snapshots/spring", by: "ada", #"{"paths":["/price"]}"#),
        Example("listSnapshots", menu + "/snapshots"),
        Example("readSnapshot", menu + "/snapshots/spring"),
        Example("appendEdit", menu + "/append", by: "bob", #"{"dish":"pie","price":7}"#),
        Example("restoreSnapshot", menu + "/snapshots/spring/restore", by: "ada"),
        Example("deleteSnapshot", menu + "/snapshots/spring", by: "ada"),
        Example("deleteTag", menu + "/tags/lunch", by: "ada"),
    ]

    private static let past = [
        Example("listHistory", menu + "/history?path=/dish&limit=2"),
        Example("readChange", menu + "/history/2"),
        Example("listVersions", menu + "/versions?limit=1&summary"),
        Example("readActivity", menu + "/activity?spans=2"),
        Example("readBlame", menu + "/blame?path=/dish"),
        Example("readDiff", menu + "/diff?from=0"),
        Example("followDocument", menu + "/feed?cursor=0&limit=1"),
    ]

    private static let drafts = [
        Example("putDocument", draft + "?copyOf=menu", by: "ada"),
        Example("appendEdit", draft + "/append", by: "ada", #"{"dish":"pie","price":6}"#),
        Example("appendEdit", menu + "/append", by: "bob", #"{"dish":"salad","price":5}"#),
        Example("listDrafts", menu + "/drafts"),
        Example("readOrigin", draft + "/origin"),
        Example("updateDraft", draft + "/update", by: "ada", #"{"to":"head"}"#),
        Example("mergeDrafts", "/v1/merge?dryRun", by: "bob", #"{"prefix":"menu~"}"#),
        Example("mergeDraft", draft + "/merge", by: "bob", #"{"paths":["/price"]}"#),
        Example("changeOrigin", draft + "/origin", by: "ada", #"{"document":"menu"}"#),
        Example("deleteOrigin", draft + "/origin", by: "ada"),
    ]

    private static let presence = [
        Example(
            "putPresence", menu + "/presence/k3f9a0b1?ttl=30s&revision=7", by: "ada",
            #"{"caret":3}"#),
        Example("listPresence", menu + "/presence"),
        Example("deletePresence", menu + "/presence/k3f9a0b1", by: "ada"),
    ]

    private static let several = [
        Example(
            "makeTransaction", "/v1/transactions?label=stock", by: "ada",
            #"{"changes":[{"document":"menu","merge":{"price":8}},{"document":"stock","value":3}]}"#
        ),
        Example("readTransaction", "/v1/transactions/menu@22"),
        Example(
            "patchDocument", menu + "?label=new+price", by: "agent/run-17", #"{"price":9}"#,
            as: "application/merge-patch+json"),
        Example(
            "putRestorePoint", "/v1/restore-points/menus%2Fbefore", by: "ada",
            #"{"prefix":"menu"}"#),
        Example("listRestorePoints", "/v1/restore-points"),
        Example("readRestorePoint", "/v1/restore-points/menus%2Fbefore"),
        Example("deleteRestorePoint", "/v1/restore-points/menus%2Fbefore", by: "ada"),
        Example("openRun", "/v1/runs/agent%2Frun-17?ttl=10m", by: "agent/run-17"),
        Example("listRuns", "/v1/runs?prefix=menu"),
        Example("readRun", "/v1/runs/agent%2Frun-17"),
        Example("closeRun", "/v1/runs/agent%2Frun-17/close", by: "agent/run-17"),
        Example("undoEdits", "/v1/undo", by: "ada", #"{"all":{"actor":"bob"},"prefix":"menu"}"#),
        Example("redoEdits", "/v1/redo", by: "ada", #"{"all":{"actor":"bob"},"prefix":"menu"}"#),
        Example(
            "restoreDocuments", "/v1/restore", by: "ada",
            #"{"prefix":"menu","to":"2026-01-31T12:00:30Z"}"#),
        Example("listDocuments", "/v1/documents?prefix=menu"),
        Example("listChanges", "/v1/history?prefix=menu&limit=1"),
        Example("followDocuments", "/v1/feed?documents=menu&cursor=0&limit=1"),
        Example("makeTicket", "/v1/tickets"),
        Example("exportChanges", "/v1/export"),
    ]

    private static let life = [
        Example("renameDocument", menu + "/rename", by: "ada", #"{"name":"dinner"}"#),
        Example(
            "purgeDocument", "/v1/documents/dinner/purge", by: "ada", #"{"paths":["/price"]}"#),
        Example("deleteDocument", "/v1/documents/dinner", by: "ada"),
        Example("undeleteDocument", "/v1/documents/dinner/undelete", by: "ada"),
    ]

    private static let daemon = [
        Example("readDiscovery", "/v1"),
        Example("readCaller", "/v1/whoami"),
        Example(
            "sendAgentMessage", "/mcp",
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","#
                + #""params":{"name":"list","arguments":{}}}"#),
        Example("readProtectedResource", "/.well-known/oauth-protected-resource"),
        Example("checkLiveness", "/livez"),
        Example("checkReadiness", "/readyz?verbose"),
        Example("readMetrics", "/metrics"),
        Example("readDescription", "/openapi.json"),
        Example("listProblems", "/problems"),
        Example("readProblem", "/problems/nothing-to-undo"),
        Example("openStart", "/"),
        Example("openWebUI", "/ui/"),
        Example("readWebUIFile", "/ui/look.js"),
        Example("readClient", "/client.js"),
        Example("readClientTypes", "/client.d.ts"),
    ]
}
