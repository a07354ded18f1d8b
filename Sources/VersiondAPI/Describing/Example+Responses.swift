// Scripts/reference writes this file.

extension Example {
    static let responseText = #"""
        putDocument 201 {"document":"menu","revision":0,"version":0,\#
        "patch":[{"op":"replace","path":"","value":{"dish":"soup","price":4}}],\#
        "change":{"revision":0,"kind":"create","actor":"ada","time":"2026-01-31T12:00:10.000Z"\#
        },"hasUndo":false,"hasRedo":false,"scopeLevel":0}
        patchDocument 200 {"document":"menu","revision":1,"version":1,\#
        "patch":[{"op":"replace","path":"/price","value":5}],"change":{"revision":1,\#
        "kind":"append","joins":false,"actor":"ada","time":"2026-01-31T12:00:20.000Z",\#
        "label":"dearer"},"hasUndo":true,"hasRedo":false,"scopeLevel":0}
        appendEdit 200 {"document":"menu","revision":2,"version":2,"patch":[{"op":"replace",\#
        "path":"/dish","value":"stew"}],"change":{"revision":2,"kind":"append",\#
        "joins":false,"actor":"bob","time":"2026-01-31T12:00:30.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0}
        readDocument 200 {"dish":"stew","price":5}
        readStatus 200 {"document":"menu","revision":2,"version":2,"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0,"undoCount":2,"redoCount":0,"versionCount":3,\#
        "oldestRevision":0,"bytes":25,"time":"2026-01-31T12:00:30.000Z",\#
        "openGroup":null,"own":{"actor":"ada","hasUndo":true,"hasRedo":false,\#
        "undo":{"allowed":true,"version":1,"label":"dearer","time":"2026-01-31T12:00:20.000Z",\#
        "revisions":[1],"paths":["/price"]},"redo":null},"lastError":null}
        undo 200 {"document":"menu","revision":3,"version":3,"patch":[{"op":"replace",\#
        "path":"/price","value":4}],"change":{"revision":3,"kind":"undo",\#
        "undone":[1],"redone":[],"passed":[],"skipped":[],"actor":"ada",\#
        "time":"2026-01-31T12:01:00.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}
        redo 200 {"document":"menu","revision":4,"version":4,"patch":[{"op":"replace",\#
        "path":"/price","value":5}],"change":{"revision":4,"kind":"redo",\#
        "undone":[],"redone":[1],"passed":[],"skipped":[],"actor":"ada",\#
        "time":"2026-01-31T12:01:10.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}
        putTag 201 {"document":"menu","revision":5,"version":4,"patch":[],\#
        "change":{"revision":5,"kind":"tag","tag":"lunch","version":4,\#
        "actor":"ada","time":"2026-01-31T12:01:20.000Z"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        goToVersion 200 {"document":"menu","revision":6,"version":1,\#
        "patch":[{"op":"replace","path":"/dish","value":"soup"}],"change":{"revision":6,\#
        "kind":"goto","version":1,"actor":"ada","time":"2026-01-31T12:01:30.000Z"},\#
        "hasUndo":true,"hasRedo":true,"scopeLevel":0}
        restoreState 200 {"document":"menu","revision":7,"version":7,\#
        "patch":[{"op":"replace","path":"/dish","value":"stew"}],"change":{"revision":7,\#
        "kind":"append","joins":false,"actor":"ada","time":"2026-01-31T12:01:40.000Z",\#
        "label":"restored from tag:lunch"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}
        sealVersion 200 {"document":"menu","revision":7,"version":7,\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0,"undoCount":2,\#
        "redoCount":0,"versionCount":6,"oldestRevision":0,"bytes":25,\#
        "time":"2026-01-31T12:01:40.000Z","openGroup":null,"lastError":null}
        changeSettings 200 {"document":"menu","revision":8,"version":7,\#
        "patch":[],"change":{"revision":8,"kind":"settings","actor":"ada",\#
        "time":"2026-01-31T12:02:00.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}
        readSettings 200 {"document":"menu","revision":8,"version":7,\#
        "settings":{"debounce":{"window":"500ms","max":"10s"},"ignored":[],\#
        "tracked":"","identity":["id"],"requireMatch":false,"schema":null,\#
        "enforce":"edits","presence":true,"retention":{"count":1000,\#
        "bytes":null,"age":null}},"hasUndo":true,"hasRedo":false,"scopeLevel":0}
        pushScope 200 {"document":"menu","revision":9,"version":7,"patch":[],\#
        "change":{"revision":9,"kind":"push-scope","expires":"2026-01-31T13:02:20.000Z",\#
        "policy":"discard","actor":"ada","time":"2026-01-31T12:02:20.000Z"},\#
        "hasUndo":false,"hasRedo":false,"scopeLevel":1}
        listScopes 200 {"document":"menu","revision":9,"version":7,"scopes":[{"scopeLevel":1,\#
        "version":7,"owner":"ada","expires":"2026-01-31T13:02:20.000Z",\#
        "policy":"discard"}],"hasUndo":false,"hasRedo":false,"scopeLevel":1}
        popScope 200 {"document":"menu","revision":11,"version":11,"patch":[],\#
        "change":{"revision":11,"kind":"pop-scope","isChanged":true,\#
        "actor":"ada","time":"2026-01-31T12:02:50.000Z"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        discardScope 200 {"document":"menu","revision":14,"version":11,\#
        "patch":[{"op":"replace","path":"/price","value":5}],"change":{"revision":14,\#
        "kind":"discard-scope","actor":"ada","time":"2026-01-31T12:03:20.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0}
        listTags 200 {"document":"menu","revision":14,"version":11,"tags":[{"tag":"lunch",\#
        "version":4,"scopeLevel":0,"isCurrent":false}],"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        readTag 200 {"document":"menu","tag":"lunch","version":4,"scopeLevel":0,\#
        "isCurrent":false}
        putSnapshot 201 {"document":"menu","revision":15,"version":11,\#
        "patch":[],"change":{"revision":15,"kind":"snapshot","snapshot":"spring",\#
        "paths":["/price"],"actor":"ada","time":"2026-01-31T12:03:50.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0}
        listSnapshots 200 {"document":"menu","revision":15,"version":11,\#
        "snapshots":[{"snapshot":"spring","revision":15,"actor":"ada",\#
        "time":"2026-01-31T12:03:50.000Z","paths":["/price"]}],"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        readSnapshot 200 {"document":"menu","snapshot":"spring","revision":15,\#
        "actor":"ada","time":"2026-01-31T12:03:50.000Z","paths":["/price"],\#
        "values":{"/price":5}}
        restoreSnapshot 200 {"document":"menu","revision":17,"version":17,\#
        "patch":[{"op":"replace","path":"/price","value":5}],"change":{"revision":17,\#
        "kind":"restore","snapshot":"spring","actor":"ada","time":"2026-01-31T12:04:30.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0}
        deleteSnapshot 200 {"document":"menu","revision":18,"version":17,\#
        "patch":[],"change":{"revision":18,"kind":"remove-snapshot",\#
        "snapshot":"spring","actor":"ada","time":"2026-01-31T12:04:40.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0}
        deleteTag 200 {"document":"menu","revision":19,"version":17,\#
        "patch":[],"change":{"revision":19,"kind":"remove-tag","tag":"lunch",\#
        "actor":"ada","time":"2026-01-31T12:04:50.000Z"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        listHistory 200 {"document":"menu","revision":19,"changes":[{"revision":10,\#
        "kind":"append","joins":false,"actor":"ada","time":"2026-01-31T12:02:40.000Z",\#
        "version":10,"patch":[{"op":"replace","path":"/dish","value":"pie"}]},\#
        {"revision":7,"kind":"append","joins":false,"actor":"ada","time":"2026-01-31T12:01:40.\#
        000Z","label":"restored from tag:lunch","version":7,"patch":[{"op":"replace",\#
        "path":"/dish","value":"stew"}]}],"next":7,"path":"/dish","hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        readChange 200 {"document":"menu","revision":2,"kind":"append",\#
        "joins":false,"actor":"bob","time":"2026-01-31T12:00:30.000Z",\#
        "version":2,"patch":[{"op":"replace","path":"/dish","value":"stew"}]}
        listVersions 200 {"document":"menu","revision":19,"version":17,\#
        "versions":[{"version":17,"parent":16,"standing":"current","scopeLevel":0,\#
        "first":17,"last":17,"edits":1,"inEffect":true,"tags":[],"snapshots":[],\#
        "summary":{"sentence":"restored spring: changed the price from 7 to 5",\#
        "parts":[{"words":"restored "},{"object":"spring"},{"words":": changed the "},\#
        {"object":"price"},{"words":" from "},{"old":"7"},{"words":" to "},\#
        {"new":"5"}],"values":[],"count":1},"kind":"restore","actors":["ada"],\#
        "began":"2026-01-31T12:04:30.000Z","ended":"2026-01-31T12:04:30.000Z",\#
        "paths":["/price"]}],"next":17,"previous":null,"newer":0,"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        readActivity 200 {"document":"menu","revision":19,"began":"2026-01-31T12:00:10.000Z",\#
        "ended":"2026-01-31T12:04:50.000Z","spanCount":2,"isSampled":false,\#
        "spans":[{"index":0,"first":0,"last":9,"changeCount":10,"shares":[{"actor":"ada",\#
        "changeCount":9},{"actor":"bob","changeCount":1}]},{"index":1,\#
        "first":10,"last":19,"changeCount":10,"shares":[{"actor":"ada",\#
        "changeCount":9},{"actor":"bob","changeCount":1}]}]}
        readBlame 200 {"document":"menu","revision":19,"version":17,\#
        "first":0,"places":[{"path":"/dish","revision":10}],"changes":[{"revision":10,\#
        "kind":"append","joins":false,"actor":"ada","time":"2026-01-31T12:02:40.000Z",\#
        "version":10}]}
        readDiff 200 {"document":"menu","from":0,"to":19,"patch":[{"op":"replace",\#
        "path":"/dish","value":"pie"},{"op":"replace","path":"/price",\#
        "value":5}]}
        followDocument 200 {"document":"menu","events":[{"event":"change",\#
        "document":"menu","revision":1,"version":1,"patch":[{"op":"replace",\#
        "path":"/price","value":5}],"change":{"revision":1,"kind":"append",\#
        "joins":false,"actor":"ada","time":"2026-01-31T12:00:20.000Z",\#
        "label":"dearer"},"hasUndo":true,"hasRedo":false,"scopeLevel":0}],\#
        "next":1}
        listDrafts 200 {"document":"menu","drafts":[{"document":"menu~ada",\#
        "revision":1,"base":19,"ahead":{"changes":[1],"edits":1},"behind":{"changes":[20],\#
        "edits":1},"conflicts":[],"changed":"2026-01-31T12:06:20.000Z",\#
        "actors":["ada"]}],"next":null}
        readOrigin 200 {"document":"menu~ada","revision":1,"origin":"menu",\#
        "base":19,"head":20,"ahead":{"changes":[1],"edits":1,"paths":["/price"],\#
        "patch":[{"op":"replace","path":"/price","value":6}]},"behind":{"changes":[20],\#
        "edits":1,"paths":["/dish"],"patch":[{"op":"replace","path":"/dish",\#
        "value":"salad"}]},"conflicts":[],"with":[],"places":[]}
        updateDraft 200 {"document":"menu~ada","revision":2,"version":2,\#
        "patch":[{"op":"replace","path":"/dish","value":"salad"}],"change":{"revision":2,\#
        "kind":"update","from":"menu@20","actor":"ada","time":"2026-01-31T12:07:00.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0}
        mergeDrafts 200 {"transaction":null,"changes":[{"document":"menu~ada",\#
        "revision":2,"version":2,"patch":[],"change":{"revision":3,"kind":"merge",\#
        "into":"menu@21","actor":"bob","time":"2026-01-31T12:07:10.000Z"},\#
        "hasUndo":true,"hasRedo":false,"scopeLevel":0,"left":0,"origin":{"document":"menu",\#
        "revision":20,"version":20,"patch":[{"op":"replace","path":"/price",\#
        "value":6}],"change":{"revision":21,"kind":"append","joins":false,\#
        "from":"menu~ada@2","authors":["ada"],"base":20,"actor":"bob",\#
        "time":"2026-01-31T12:07:10.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}}],"unchanged":[],"dryRun":true}
        mergeDraft 200 {"document":"menu~ada","revision":3,"version":2,\#
        "patch":[],"change":{"revision":3,"kind":"merge","into":"menu@21",\#
        "transaction":{"id":"menu@21","part":2,"count":2},"actor":"bob",\#
        "time":"2026-01-31T12:07:20.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0,"left":0,"origin":{"document":"menu","revision":21,\#
        "version":21,"patch":[{"op":"replace","path":"/price","value":6}],\#
        "change":{"revision":21,"kind":"append","joins":false,"from":"menu~ada@2",\#
        "authors":["ada"],"transaction":{"id":"menu@21","part":1,"count":2},\#
        "base":20,"actor":"bob","time":"2026-01-31T12:07:20.000Z"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}}
        changeOrigin 200 {"document":"menu~ada","revision":3,"version":2,\#
        "patch":[],"change":null,"hasUndo":true,"hasRedo":false,"scopeLevel":0}
        deleteOrigin 200 {"document":"menu~ada","revision":4,"version":2,\#
        "patch":[],"change":{"revision":4,"kind":"origin","origin":null,\#
        "actor":"ada","time":"2026-01-31T12:07:40.000Z"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        putPresence 204
        listPresence 200 {"document":"menu","clients":[{"client":"k3f9a0b1",\#
        "actor":"ada","state":{"caret":3},"revision":7,"time":"2026-01-31T12:07:50.000Z"}]}
        deletePresence 204
        makeTransaction 200 {"transaction":"menu@22","changes":[{"document":"menu",\#
        "revision":22,"version":22,"patch":[{"op":"replace","path":"/price",\#
        "value":8}],"change":{"revision":22,"kind":"append","joins":false,\#
        "transaction":{"id":"menu@22","part":1,"count":2},"actor":"ada",\#
        "time":"2026-01-31T12:08:20.000Z","label":"stock"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0},{"document":"stock","revision":0,\#
        "version":0,"patch":[{"op":"replace","path":"","value":3}],"change":{"revision":0,\#
        "kind":"create","transaction":{"id":"menu@22","part":2,"count":2},\#
        "actor":"ada","time":"2026-01-31T12:08:20.000Z","label":"stock"},\#
        "hasUndo":false,"hasRedo":false,"scopeLevel":0}]}
        readTransaction 200 {"transaction":"menu@22","actor":"ada","time":"2026-01-31T12:08:20\#
        .000Z","parts":[{"document":"menu","revision":22,"kind":"append",\#
        "label":"stock","inEffect":true},{"document":"stock","revision":0,\#
        "kind":"create","label":"stock","inEffect":true}]}
        putRestorePoint 201 {"restorePoint":"menus/before","prefix":"menu",\#
        "cursor":31,"actor":"ada","time":"2026-01-31T12:08:50.000Z"}
        listRestorePoints 200 {"restorePoints":[{"restorePoint":"menus/before",\#
        "prefix":"menu","cursor":31,"actor":"ada","time":"2026-01-31T12:08:50.000Z"}],\#
        "next":null}
        readRestorePoint 200 {"restorePoint":"menus/before","prefix":"menu",\#
        "cursor":31,"actor":"ada","time":"2026-01-31T12:08:50.000Z"}
        deleteRestorePoint 204
        openRun 201 {"run":"agent/run-17","open":true,"expires":"2026-01-31T12:19:30.000Z"}
        listRuns 200 {"runs":[{"run":"agent/run-17","label":"new price",\#
        "began":"2026-01-31T12:08:40.000Z","ended":"2026-01-31T12:08:40.000Z",\#
        "documentCount":1,"edits":1,"undoneCount":0,"effect":"all","open":true,\#
        "expires":"2026-01-31T12:19:30.000Z"}],"next":null}
        readRun 200 {"run":"agent/run-17","label":"new price","began":"2026-01-31T12:08:40.000\#
        Z","ended":"2026-01-31T12:08:40.000Z","documentCount":1,"edits":1,\#
        "undoneCount":0,"effect":"all","open":true,"expires":"2026-01-31T12:19:30.000Z",\#
        "documents":[{"document":"menu","revision":23,"edits":1,"undoneCount":0,\#
        "summary":{"sentence":"changed the price from 8 to 9","parts":[{"words":"changed the "\#
        },{"object":"price"},{"words":" from "},{"old":"8"},{"words":" to "},\#
        {"new":"9"}],"values":[],"count":1},"revisions":[23],"places":[{"path":"/price",\#
        "outcome":"reverts","value":9,"reverted":8}]}],"other":[],"next":null}
        closeRun 200 {"run":"agent/run-17","open":false}
        undoEdits 200 {"transaction":"menu@24","changes":[{"document":"menu",\#
        "revision":24,"version":24,"patch":[{"op":"replace","path":"/dish",\#
        "value":"pie"}],"change":{"revision":24,"kind":"undo","undone":[16,\#
        20,21],"redone":[],"passed":[],"skipped":[],"of":"bob","all":{"actor":"bob"},\#
        "transaction":{"id":"menu@24","part":1,"count":1},"actor":"ada",\#
        "time":"2026-01-31T12:10:10.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}]}
        redoEdits 200 {"transaction":"menu@25","changes":[{"document":"menu",\#
        "revision":25,"version":25,"patch":[{"op":"replace","path":"/dish",\#
        "value":"salad"}],"change":{"revision":25,"kind":"redo","undone":[],\#
        "redone":[16,20,21],"passed":[],"skipped":[],"of":"bob","all":{"actor":"bob"},\#
        "transaction":{"id":"menu@25","part":1,"count":1},"actor":"ada",\#
        "time":"2026-01-31T12:10:20.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}]}
        restoreDocuments 200 {"transaction":"menu@26","changes":[{"document":"menu",\#
        "revision":26,"version":26,"patch":[{"op":"replace","path":"/dish",\#
        "value":"stew"},{"op":"replace","path":"/price","value":5}],\#
        "change":{"revision":26,"kind":"append","joins":false,"transaction":{"id":"menu@26",\#
        "part":1,"count":1},"actor":"ada","time":"2026-01-31T12:10:30.000Z",\#
        "label":"restored from 2"},"hasUndo":true,"hasRedo":false,"scopeLevel":0}],\#
        "madeSince":["menu~ada"],"deletedSince":[],"purgedSince":[]}
        listDocuments 200 {"documents":[{"document":"menu","revision":26},\#
        {"document":"menu~ada","revision":4}],"next":null}
        listChanges 200 {"changes":[{"cursor":37,"document":"menu","revision":26,\#
        "kind":"append","joins":false,"transaction":{"id":"menu@26",\#
        "part":1,"count":1},"actor":"ada","time":"2026-01-31T12:10:30.000Z",\#
        "label":"restored from 2","paths":["/dish","/price"]}],"next":37}
        followDocuments 200 {"events":[{"event":"change","cursor":1,\#
        "document":"menu","revision":0,"version":0,"patch":[{"op":"replace",\#
        "path":"","value":{"dish":"soup","price":4}}],"change":{"revision":0,\#
        "kind":"create","actor":"ada","time":"2026-01-31T12:00:10.000Z"},\#
        "hasUndo":false,"hasRedo":false,"scopeLevel":0}],"next":1}
        makeTicket 200 {"ticket":"vd_…","ttl":"1m"}
        exportChanges 200
        renameDocument 201 {"document":"dinner","revision":27,"version":26,\#
        "patch":[],"change":{"revision":27,"kind":"rename","copyOf":"menu@26",\#
        "actor":"ada","time":"2026-01-31T12:11:30.000Z"},"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        purgeDocument 200 {"document":"dinner","revision":28,"version":26,\#
        "change":{"revision":28,"kind":"purge","paths":["/price"],"actor":"ada",\#
        "time":"2026-01-31T12:11:40.000Z"},"erased":12,"hasUndo":true,\#
        "hasRedo":false,"scopeLevel":0}
        deleteDocument 204
        undeleteDocument 200 {"document":"dinner","revision":30,"version":26,\#
        "patch":[],"change":{"revision":30,"kind":"undelete","actor":"ada",\#
        "time":"2026-01-31T12:12:00.000Z"},"hasUndo":true,"hasRedo":false,\#
        "scopeLevel":0}
        readDiscovery 200 {"name":"versiond","version":"…","api":"v1",\#
        "links":{"documents":"/v1/documents","history":"/v1/history",\#
        "feed":"/v1/feed","whoami":"/v1/whoami","description":"/openapi.json",\#
        "problems":"/problems","ui":"/ui/"},"limits":{"bodyBytesMax":16777216,\#
        "documentBytesMax":67108864,"valuesMax":1000000,"depthMax":128,\#
        "numberBytesMax":1024,"operationsMax":10000,"pageMax":1000,"snapshotsMax":256,\#
        "mergeRevisionsMax":10000,"mergeBytesMax":16777216,"mergePairsMax":1000000,\#
        "tagsMax":10000,"nameBytesMax":256,"transactionDocumentsMax":100,\#
        "undoDocumentsMax":1000,"selectionChangesMax":10000,"waitMax":"1m",\#
        "keysRemembered":"1d","keysMax":4096},"capabilities":["json-patch",\#
        "merge-patch","text-operations","debounce","tags","scopes","goto",\#
        "if-match","merge","actor-undo","change-undo","dry-run","snapshots",\#
        "diff","feed","idempotency-key","ignored","tracked","retention",\#
        "gzip","versions","blame","restore","copy","rename","undelete",\#
        "purge","export","tickets","selection-undo","restore-points",\#
        "runs","open-runs","transactions","drafts","presence","schemas",\#
        "mcp"]}
        readCaller 200 {"name":"","rights":["read","write","undo-others",\#
        "admin"],"prefix":""}
        sendAgentMessage 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",\#
        "text":"{\"documents\":[\"dinner\",\"menu~ada\",\"stock\"]}"}],\#
        "structuredContent":{"documents":["dinner","menu~ada","stock"]},\#
        "resultType":"complete"}}
        readProtectedResource 200 {"resource":"http://localhost/mcp",\#
        "scopes_supported":["read","propose","write"],"bearer_methods_supported":["header"]}
        checkLiveness 200 "ok\n"
        checkReadiness 200 "[+] journal\n[+] serving\nready\n"
        readMetrics 200
        readDescription 200
        listProblems 200
        readProblem 200 {"type":"/problems/nothing-to-undo","code":"nothing-to-undo",\#
        "status":409,"title":"There is nothing to undo","hint":"`available` is the number of v\#
        ersions that can be undone. `GET …/status` shows the next one,\#
         with `actor=` that of one actor. Shared undo stays in the current scope. If `selected\#
        ` is 0, no edit matches. `skipped` lists documents that stay as they are,\#
         with the reason."}
        openStart 307
        openWebUI 200
        readWebUIFile 200
        readClient 200
        readClientTypes 200
        """#
}
