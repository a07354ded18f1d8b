import Documents

// The description of each call, in addition to its summary.

extension Endpoint {
    /// Further sentences about the call, as Markdown.
    var description: String { Endpoint.descriptions[id] ?? "" }

    private static let descriptions = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let halves = line.split(separator: ": ", maxSplits: 1)
            return (String(halves[0]), String(halves[1]))
        })

    private static let text = """
        readDocument: With `Accept: text/plain` a text, number or truth value is returned as \
        plain text. The `ETag` is the revision.
        putDocument: The daemon compares a new value with the current one and stores the \
        differences. Equal values make no change. `copyOf=menu@version:12` copies a state of \
        another document.
        patchDocument: `Content-Type` names the form of the edit: \
        `application/json-patch+json` (RFC 6902), `application/merge-patch+json` (RFC 7396), or \
        `application/json` with one member, `patch` or `merge`. The operations `str_ins`, \
        `str_del` and `str_replace` edit inside texts.
        deleteDocument: `undelete` restores a deleted document. `purge` erases the document and \
        its history permanently. For a draft, a document with `~` in its name, the right \
        `propose` is enough.
        undeleteDocument: The document has its versions, tags and snapshots again.
        renameDocument: Requests with the former name are then about a document that does not \
        exist. Drafts follow their origin.
        purgeDocument: No revision contains the data afterwards. Drafts and copies of the \
        document keep it. `dryRun` counts the changes that contain it.
        appendEdit: The same as `patchDocument`, and with `application/json` the body is a whole \
        value, as for `putDocument`.
        undo: Without a body, undoes the last version, whichever actors made it. With `actor` \
        or `revision`, later changes stay, and a later edit of the same place is a conflict.
        redo: Without a body, redoes the version that was undone last. With `actor` or \
        `revision`, later changes stay.
        goToVersion: The version can be on any branch.
        restoreState: Makes one new edit, so that undo reverts it. Each place follows its element: \
        an index in `paths` names the element that had it in the state `from`.
        sealVersion: The next edit begins a new version. Makes no change if no group is open.
        readStatus: With `actor`, also for own undo of this actor. The response respects the \
        rights of the caller.
        readSettings: A new document has the defaults, or those of the rule for its prefix.
        changeSettings: The body is a merge patch. Settings that it omits stay as they are.
        listScopes: Shared undo and redo stay inside the innermost scope.
        pushScope: The scope closes by itself if its owner makes no change for `ttl`.
        popScope: `force` closes the scope of another actor and needs the right `undo-others`.
        discardScope: Edits of other actors stay, unless `all` is set.
        listTags: Includes the tags of all scopes and branches.
        readTag: `isCurrent` is true if the document is at that version now.
        putTag: Without a body, tags the current version. 201 if the tag is new. With \
        `If-None-Match: *` an existing tag is not moved.
        deleteTag: The version stays.
        listSnapshots: `readSnapshot` returns the value.
        readSnapshot: A snapshot of the whole document is returned as its value, one of places as \
        an object with `values` by place.
        putSnapshot: 201 if the name is new; otherwise the snapshot is replaced. With \
        `If-None-Match: *` an existing snapshot is not replaced.
        deleteSnapshot: The history stays.
        restoreSnapshot: Only the places of the snapshot change.
        listHistory: With `path`, only changes of this place, which the daemon follows through \
        shifts and moves; `path` in the response is where the place was before the page. A page \
        may have fewer changes than `limit`.
        readChange: The patch leads from the previous revision to this one.
        listVersions: `parent` forms the tree, and `standing` is the position relative to the \
        current version. `path` names the place as it was called at the time of the version. A \
        page may have fewer versions than `limit`.
        readActivity: The spans have equal lengths. Spans without changes are omitted.
        readBlame: Names the change of the place, and of each place in it that another change \
        made. A change that was undone is never named.
        readDiff: Each state can be older or newer than the other, or a snapshot.
        followDocument: Returns a page, or with `Accept: application/x-ndjson` or \
        `text/event-stream` a stream. A cursor is a revision; a page without one begins with \
        revision 0, a stream with the next change.
        readOrigin: The daemon compares both with their common state. A change that was undone \
        does not count.
        changeOrigin: The new origin must have the history that the draft was copied from, as \
        after a rename or a restored backup.
        deleteOrigin: The draft becomes an ordinary document.
        listDrafts: Lists the documents whose names begin with the name and `~`, and whose origin \
        is this document. A page may have fewer drafts than `limit`.
        updateDraft: One version of the draft. Undo reverts it.
        mergeDraft: One change of the origin and one of the draft, both or neither. The draft \
        keeps its value. `If-Match` is about the draft, `match` about the origin.
        listPresence: Presence is in no history, and a restart of the daemon forgets it.
        putPresence: The body is the state that other clients see: any JSON of at most 2 KiB. \
        The client renews it before `ttl` ends, or follows the feed with its name.
        deletePresence: The other clients see at once that the client left.
        listDocuments: Deleted documents are omitted, so that a page may have fewer documents \
        than `limit`. Names are ordered by their bytes.
        listChanges: The changes have no patches. `since` and `until` are times, restore points or \
        positions.
        followDocuments: Returns a page, or with `Accept: application/x-ndjson` or \
        `text/event-stream` a stream. A cursor is a position in the order of commits.
        makeTicket: `EventSource` of browsers cannot send a token. A stream that began with a \
        ticket continues while the token is valid, for a day at most.
        exportChanges: A backup. A token with a prefix cannot export.
        makeTransaction: Each member names its document once, and one of `value`, `patch`, \
        `merge`, `restore`, `undo` and `delete`. A member with only `match` or `noneMatch` is a \
        condition. If the daemon refuses one member, it changes no document.
        readTransaction: The name of any part is a name of the transaction.
        mergeDrafts: One transaction. Each living document of the prefix must be a draft, and the \
        right `write` is needed for each origin. A conflict in one draft refuses all, and \
        `skipped` lists the conflicts of all. At most \(MergeOfMany.draftsMax) drafts.
        undoEdits: One transaction. `prefix` or `documents` limits `all`; otherwise it searches \
        all documents of the token. A document that the selected edits created is deleted, if it \
        contains no other work. A conflict in one document refuses all. For drafts, the right \
        `propose` is enough.
        redoEdits: Finds the newest undo by `all` that took one of the selected edits and still \
        holds it out of effect, and puts back all that this undo took, in all its documents. The \
        next redo is about the undo before. With `transaction`, puts back its parts.
        listRestorePoints: Those that ended by themselves are omitted, so that a page may have \
        fewer than `limit`.
        readRestorePoint: `cursor` is the position: every change with a smaller number is before \
        it, in all documents.
        putRestorePoint: 201 if the name is new; otherwise the restore point moves, unless \
        `If-None-Match: *`. A retry needs an `Idempotency-Key`, or moves it again. A restore \
        point of another actor moves only with the right `undo-others`.
        deleteRestorePoint: No document changes. A restore point of another actor needs the right \
        `undo-others`.
        listRuns: A run is every edit of an actor with a `/` in its name, for example \
        `agent/run-17`. `since`, `until` and `cursor` are about the last edit. Without `prefix`, \
        open runs without edits are listed from their opening. A page scans 1,000 runs at most, so \
        that it can be empty although `next` is not null.
        readRun: Changes nothing, and needs no other right than `read`. A page has at most 100 \
        documents. `POST /v1/undo` with \
        `{"all":{"actor":"agent/run-17"}}` undoes the run.
        openRun: 201 if the run was not open, else 200. Each edit of the run prolongs the time. \
        Undo and redo of edits of an open run are 409 `run-open`. The run must be below the \
        token's name, unless the token has the right `undo-others` for all documents.
        closeRun: A repetition has no effect. An edit of a closed run is an edit like any other.
        restoreDocuments: One transaction. Each document gets its value of that time or position \
        as a new edit. Documents that were created or deleted since stay so, unless the body has \
        `made` or `deleted`.
        sendAgentMessage: One request in, one JSON response out; 202 for a notification. A problem \
        of a tool is a result with `isError`. The calls of a tool have the rights of the token, \
        and belong to the run that the argument `run` names. Versions 2025-03-26 to 2026-07-28.
        readProtectedResource: The path with `/mcp` at its end is the same. A 401 of `POST /mcp` \
        names it.
        readDiscovery: Clients read here how old a base may be, and which features the daemon has.
        readCaller: Without tokens the name is empty.
        checkLiveness: `/healthz` is the same.
        checkReadiness: 503 while the daemon stops, or if the journal cannot store changes.
        readMetrics: A token with a prefix cannot read metrics.
        readDescription: OpenAPI 3.1, made from the same tables as the reference.
        listProblems: The reference has the same list.
        readProblem: The path is the `type` of a problem.
        openStart: The path of the web UI is `/ui/`.
        openWebUI: The page asks for a token if the daemon has tokens.
        readWebUIFile: A file that changed with the version has another `ETag`.
        readClient: One file, without dependencies.
        readClientTypes: For TypeScript.
        """
}
