import JSONTree

// The meaning of each member. `/openapi.json` and the reference show the same text.

extension Schemas {
    /// All schemas, in which each member without a description has its meaning.
    static let described = JSON(
        members: (all.members ?? []).map { ($0.name, describe($0.value, $0.name)) })

    /// The meaning of a member at a path of names: `Blame.places.path`. A member of one schema may
    /// have a text of its own; otherwise a name has one meaning everywhere.
    static func meaning(_ path: String) -> String? {
        meanings[path] ?? path.split(separator: ".").last.flatMap { meanings[String($0)] }
    }

    private static func describe(_ schema: JSON, _ path: String) -> JSON {
        guard let members = schema.members else { return schema }
        return JSON(
            members: members.map { name, value in
                switch name {
                case "properties":
                    let properties = (value.members ?? []).map { name, value in
                        (name, describe(value, member: "\(path).\(name)"))
                    }
                    return (name, JSON(members: properties))
                case "items": return (name, describe(value, path))
                case "allOf", "anyOf", "oneOf":
                    return (name, JSON(elements: (value.elements ?? []).map { describe($0, path) }))
                default: return (name, value)
                }
            })
    }

    private static func describe(_ schema: JSON, member path: String) -> JSON {
        let described = describe(schema, path)
        guard schema["description"] == nil, let meaning = meaning(path) else { return described }
        return JSON(
            members: (described.members ?? []).map { ($0.name, $0.value) }
                + [("description", JSON(meaning))])
    }

    /// By a path, or by a name alone.
    static let meanings = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let halves = line.split(separator: ": ", maxSplits: 1)
            return (String(halves[0]), String(halves[1]))
        })

    private static let text = """
        AgentMessage.error: The error, with `code` and `message`, if the message was refused.
        AgentMessage.id: The name of the request: a string or a number. Without it the message is \
        a notification.
        AgentMessage.result: The result of the request.
        jsonrpc: The version of JSON-RPC.
        method: The method: `tools/call`, `tools/list`, `server/discover`, `initialize`, `ping`.
        params: The parameters of the method.
        resource: The address of `POST /mcp`.
        authorization_servers: The issuers of the daemon whose `iss` begins with `https://`.
        scopes_supported: The rights that tools need.
        bearer_methods_supported: Tokens are accepted in the field `Authorization`.
        actor: The actor. In a response without an actor the member is missing.
        actors: The actors of the changes.
        ahead: The edits of the draft since the common state.
        all: The selected edits.
        allowed: Whether the caller may do it now. False with conflicts.
        api: The version of the API.
        author: The author of the edit in the draft, if the change merged a draft.
        authors: The authors of the merged edits.
        began: The time of the first change.
        behind: The edits of the origin since the common state.
        capabilities: The supported features.
        change: The change; null if the request changed nothing.
        changeCount: The number of changes.
        changed: The time of the last change.
        client: The name that the client chose.
        clients: The clients that are present.
        code: The code of the problem, for programs. It never changes.
        common: The value in the common state.
        conflicts: The places with conflicts.
        copyOf: The copied state: NAME@REVISION.
        cursor: The position in the order of commits.
        debounce: How quick edits of one actor form one version; null: each edit is a version.
        deletedDocuments: The documents that were deleted although they have later changes.
        detail: The fault, for people.
        document: The name of the document.
        documents: The documents.
        draft: The value in the draft.
        drafts: The drafts of the document.
        dryRun: true if the request changed nothing because of `dryRun`.
        edited: The time of the last edit in the group.
        ended: The time of the last change.
        enforce: The changes that may not break the schema: `edits`, `all`, or `warn`, which only \
        reports violations.
        erased: The number of changes that contained the data.
        errors: All faults of the body, or all violations of the schema.
        event: The kind of the item: `change`, `seal` (a group has ended) or `bookmark` (a \
        position).
        events: The items in order.
        expires: The time at which it ends by itself.
        force: Close the scope of another actor. Needs the right `undo-others`.
        group: The first change of the group, if edits of other actors are between.
        hasRedo: Whether redo is possible.
        hasUndo: Whether undo is possible.
        heldBy: The oldest tag that protects versions from retention.
        hint: The remedy, for people.
        id: The name of the transaction: NAME@REVISION of its first part.
        identity: The members that identify objects in arrays when values are compared.
        ignored: Places without versions, with * for any element or member. Their edits are stored \
        and published, but undo never changes them.
        index: The index of the span.
        into: The state of the origin after the merge: NAME@REVISION.
        isChanged: Whether the scope contained changes.
        isCurrent: Whether it is the current version.
        isSampled: Whether the counts are those of an even sample, because there are many changes.
        joins: Whether the edit joined the open version.
        kind: The kind of change.
        label: The description that the client gave.
        lastError: The last fault of the document; null for none.
        left: The number of net edits that remain ahead of the origin.
        len: The number of UTF-16 code units that `str_del` removes.
        limits: The limits of the daemon, in bytes, counts and durations.
        links: Paths of calls to begin with.
        madeSince: The documents that were created since.
        makesVersion: false if the edit made no version, because all its places are untracked.
        max: The maximum age of a group.
        merge: A merge patch (RFC 7396).
        missed: The patch from the base with the edit as sent to the new revision.
        missedBytes: The size of `missed`, which was omitted because it is long.
        new: The new value.
        documentCount: The number of documents.
        effect: How much of the run is in effect: `all`, `part` or `none`.
        outcome: The effect of an undo at the place: `reverts` (the value changes), `conflict` (an \
        edit stays because of later edits of other actors) or `kept` (the run created the \
        document, which stays because of other edits).
        reverted: The value that an undo would restore; missing if there would be none.
        revertedBytes: The size of `reverted`, which was omitted because it is long.
        run: The name of the run: an actor with a `/`.
        runs: The runs.
        undoneCount: The number of edits that are not in effect.
        valueBytes: The size of `value`, which was omitted because it is long.
        RunInfo.began: The time of the first edit; without edits, of the opening.
        RunInfo.edits: The number of edits, without those that the run itself has undone.
        RunInfo.ended: The time of the last edit; without edits, of the opening.
        RunInfo.label: The label of the first edit that has one; without one, the label with which \
        the run was opened, while it is open.
        RunInfo.expires: When the open run ends by itself, if it does not edit. Edits in all \
        documents count.
        Run.other: The changes of the run that its undo does not undo, because they are not edits; \
        at most 100.
        Run.other.document: The document of the change.
        Run.other.kind: The kind of the change.
        Run.other.revision: The revision of the change.
        RunInfo.open: Whether the run is open.
        RunInfo.requesters: The requesters of the edits (`promptBy`), if there are any.
        RunDocument.absent: The reason why an undo does nothing: the document does not exist any \
        more, or the daemon refuses the undo.
        RunDocument.edits: The number of edits in the document.
        RunDocument.passed: The edits that an undo would take out of effect without a visible \
        change, because later edits have replaced them.
        RunDocument.places: The effect of an undo at each place; at most 100 places that change.
        RunDocument.revisions: The edits that an undo would take out of effect.
        RunDocument.summary: The visible effect of the edits, in words.
        RunPlace.path: The place in the document as it is now, as a JSON Pointer.
        RunPlace.revision: The edit that stays.
        RunPlace.value: The value now; missing if there is none.
        newer: The number of versions above the first one of the page.
        next: The `cursor` of the next page; null for none.
        of: The actor of the undone changes, if the change has another actor.
        offset: The byte offset of the fault in the body.
        old: The previous value.
        oldestRevision: The oldest revision that can be read.
        op: The operation.
        openGroup: The group that the next edit of its actor may join; null for none.
        operation: The index of the invalid operation of a patch.
        origin: The value in the origin.
        owner: The actor that opened the scope.
        parent: The version before it on its branch; null for version 0.
        part: The number of the part, from 1.
        parts: The parts.
        passed: The revisions that changed their effect without a visible result.
        patch: The JSON Patch (RFC 6902) to apply to the previous value.
        patchBytes: The size of `patch`, which was omitted because it is long.
        path: The place, as a JSON Pointer.
        paths: The places, as JSON Pointers.
        places: The places.
        pointer: The JSON Pointer of the fault in the body.
        policy: How the scope closes by itself: `pop` or `discard`.
        pos: The position in the text, in UTF-16 code units.
        prefix: The beginning of the names.
        presence: Whether clients can show their presence.
        promptBy: The requester, who asked the actor for the change. Proven only by a signed token \
        with the claim `act`.
        Caller.promptBy: The requester of all changes, as the token proves it.
        purgedSince: The documents that were erased since. They cannot be restored.
        redoCount: The number of versions that can be redone.
        redone: The revisions that are in effect again.
        renamedTo: The new name of the document.
        requestId: The name of the request in the log of the daemon.
        requesters: The requesters of the changes (`promptBy`), if there are any.
        requireMatch: Whether each change must have `If-Match`.
        resolve: The policies for single places.
        restore: The state to restore, and the places.
        retention: The bounds of the history; versions beyond them are removed.
        revision: The revision.
        rights: The rights.
        schema: The JSON Schema of the value; null for none.
        scopeLevel: The number of open scopes.
        scopes: The open scopes, outermost first.
        sentence: The whole sentence, without the actor.
        settings: The settings.
        shares: The number of changes of each actor.
        snapshot: The name of the snapshot.
        snapshots: The snapshots.
        spanCount: The number of spans, including empty ones.
        standing: The position relative to the current version: `current`, `undo` or `redo` (it \
        leads there), or `aside` (on another branch).
        state: The state of the client, any JSON.
        status: The HTTP status.
        str: The text that `str_ins` or `str_replace` inserts, or that `str_del` expects.
        summary: The version in words.
        tag: The tag.
        tags: The tags.
        text: The stretches of an edited text.
        ticket: The ticket.
        time: The time.
        title: The kind of problem, for people.
        tracked: The only place with versions; the empty pointer is the whole document.
        transaction: The transaction that the change is a part of.
        type: The path of the description of the problem.
        undoCount: The number of versions that can be undone.
        undone: The revisions that are no longer in effect.
        values: The replaced values, at most three.
        version: The version.
        versionCount: The number of versions that the history contains.
        versions: The versions, newest first.
        violations: The number of places that break the schema.
        window: The maximum time between two edits of a group.
        with: The revisions that conflict.
        wonSince: With `patch=stored`: the change restored what others removed after this revision.
        Activity.spans.first: The first revision of the span.
        Activity.spans.last: The last revision of the span.
        Activity.spans: The spans of time that have changes.
        Bounds.age: The maximum age of a version; null for no bound.
        Bounds.bytes: The maximum size of the patches; null for no bound.
        Bounds.count: The maximum number of versions; null for no bound.
        Blame.changes: The changes that `places` names, oldest first, without patches.
        Blame.first: The oldest revision that was searched.
        Blame.places.path: The place. Places in it that are not listed have the same change.
        Blame.places.revision: The change that made the value; null if it is not known.
        Blame.places.text.count: The length in UTF-16 code units.
        Blame.places.text.revision: The change that made the stretch; null if it is not known.
        Blame.revision: The revision of the state.
        Blame.version: The version of the state.
        Caller.documents: Further permitted documents.
        Caller.expires: The time at which the token expires; missing if it does not.
        Caller.prefix: The prefix of permitted names. If missing, only `documents`.
        Caller.name: The name of the token; empty without tokens.
        Change.base: The base of the edit, as a revision.
        Change.conflicts: The places whose conflict the policy decided.
        Change.dryRun: true if nothing was changed because the query has `dryRun`.
        Change.value: The whole value, with `Prefer: return=representation`.
        Change.with: The revisions with which the edit conflicted.
        Change.own: Own undo and redo of the actor, with `Prefer: own-undo`.
        ChangeInfo.all: The selection of the undone edits.
        ChangeInfo.base: The revision on which the edit was made, if it was merged.
        ChangeInfo.conflict: `mine` if it was made with `conflict=mine`.
        ChangeInfo.from: The merged state of the draft, or the state of the origin to which the \
        draft was updated: NAME@REVISION.
        ChangeInfo.deletedDocuments.revision: The revision that created it.
        ChangeInfo.deletedDocuments.with: The later changes in it.
        ChangeInfo.origin: The new name of the origin; null if the draft was detached from it.
        ChangeInfo.version: The version that the change made, joined or went to.
        ChangeInfo.tag: The tag that it set, moved or deleted.
        ChangeInfo.paths: The places of the snapshot, of the erasure, or of the edit.
        ChangeInfo.kept: The places that stay as they are, because the request keeps them.
        ChangeInfo.skipped: The changes that stay as they are, because of later work.
        Diff.from: The first state, as a revision or an address.
        Diff.patch: The patch from the first state to the second one.
        Diff.to: The second state, as a revision or an address.
        Discovery.name: Always `versiond`.
        Discovery.version: The version of the daemon.
        DiscardScope.all: Undo the edits of all actors. Needs the right `undo-others`.
        Draft.base: The revision of the common state in the origin.
        Draft.conflicts: The places that both changed.
        DraftComparison.base: The revision of the common state in the origin.
        DraftComparison.conflicts: The places that both changed.
        DraftComparison.head: The newest revision of the origin.
        DraftComparison.origin: The name of the origin.
        DraftComparison.places: The places that both changed, with their values.
        DraftConflict.changes: The changes of the draft at this place.
        DraftConflict.with: The changes of the origin at this place.
        DraftMerge.origin: The change of the origin and its state.
        DraftSide.changes: The changes since the common state.
        DraftSide.edits: The number of net edits.
        DraftSide.patch: The net edits as a patch. Missing with `brief`.
        Drafts.document: The name of the origin.
        DraftsMerge.changes: The drafts that were merged or deleted, with their origins.
        DraftsMerge.transaction: The name of the transaction; null if nothing was changed.
        DraftsMerge.unchanged: The drafts that have nothing to merge and stay.
        Edit.patch: A JSON Patch (RFC 6902), also with `str_ins`, `str_del` and `str_replace`.
        Erasure.drafts: The drafts of the document, which still contain the data.
        Fault.detail: The fault, for people.
        FeedItem.cursor: The position in the order of commits, in `/v1/feed`.
        FeedItem.key: The idempotency key of the request, if it begins with `keyPrefix`.
        FeedPage.next: The `cursor` of the next page.
        GoTo.to: The version to go to.
        History.path: The place before the oldest change of the page, if the query has `path`.
        Member.base: The state on which the edit was made.
        Member.conflict: The policy for conflicts of this member.
        Member.delete: Delete the document. Needs the right `admin`.
        Member.label: A description that is stored with the change.
        Member.match: The required revision, or `*` for any.
        Member.merge: A merge patch (RFC 7396).
        Member.noneMatch: A revision that the document must not have, or `*`: it must not exist.
        Member.own: Own changes after the base that the state of the client includes.
        Member.patch: A JSON Patch (RFC 6902).
        Member.tag: The tag of the new version.
        Member.undo: The change to undo.
        Member.value: The whole new value.
        MemberOutcome.kept: The empty path: the request keeps the whole document.
        MemberOutcome.absent: The code of the reason, if nothing could be done in the document.
        MergeDraft.at: The state of the draft up to which edits are merged.
        MergeDraft.changes: The changes of the draft whose edits are merged.
        MergeDraft.end: Delete the draft in the same commit if no edit is left.
        MergeDraft.match: The required revision of the origin.
        MergeDraft.paths: The places whose edits are merged.
        Move.actor: Own undo of the last version of this actor, or redo of the last own undo.
        Move.count: The number of versions; by default 1.
        Move.revision: The change to undo or redo. Later changes stay.
        Move.scope: true: all versions that the scope permits.
        Move.to: The version to go to.
        OpenGroup.began: The time of its first edit.
        OpenGroup.version: The version that the group forms.
        OriginName.document: The name of the origin.
        OwnStatus.hasRedo: Whether the caller can redo now.
        OwnStatus.hasUndo: Whether the caller can undo now.
        OwnStatus.redo: The next own redo; null for none.
        OwnStatus.undo: The next own undo; null for none.
        OwnStep.label: The label of the version.
        OwnStep.passed: The revisions without visible effect, which it skips.
        OwnStep.revisions: The changes that it undoes or redoes.
        OwnStep.version: The version that it undoes or redoes.
        Part.document: The name that the document has now.
        Part.inEffect: Whether the part is in effect; null if it is too old to say.
        Part.kind: The kind of change; missing if it cannot be read.
        PartInfo.count: The number of parts.
        PatchOperation.find: The text that `str_replace` replaces. It occurs exactly once in the \
        string; bytes are compared.
        PatchOperation.from: The place that `move` and `copy` read.
        PatchOperation.value: The value of `add`, `replace` and `test`.
        Presence.clients.actor: The actor of the client.
        Presence.clients.revision: The revision to which the state refers.
        Presence.clients.time: The time at which the client joined.
        Problem.available: The number of versions that can be undone or redone.
        Problem.bytesMax: The limit on the memory of the documents together.
        Problem.conflicts: The places where later work conflicts.
        Problem.count: The number of places at which `find` of a `str_replace` occurs.
        Problem.document: The document of the fault, if the request names several.
        Problem.documents: The documents that have the other parts of the transaction, or the \
        drafts that change the same document.
        Problem.found: The value that a `test` found.
        Problem.head: The newest revision.
        Problem.max: The limit of the quota.
        Problem.measure: The measure of the quota.
        Problem.member: The index of the refused member of a transaction.
        Problem.oldest: The oldest revision that can be read, or the oldest edit that is undone \
        too late.
        Problem.path: The place of the fault in the document, as a JSON Pointer.
        Problem.places: The places that both the draft and its origin changed, with their values.
        Problem.positions: The first ten of these places, in UTF-16 code units.
        Problem.prefix: The prefix of the token, of the quota, or of the rule.
        Problem.right: The missing right.
        Problem.expires: When the last of the open runs ends by itself, if it does not edit.
        Problem.run: The run of the quota.
        Problem.runs: The open runs.
        Problem.selected: The number of selected edits.
        Problem.skipped: The changes that an undo left in each document, or the drafts in \
        conflict with their origins, with the reason.
        Problem.token: The token of the quota.
        Problem.within: The time in which edits of a run can be undone.
        Purge.paths: The places to erase, from all revisions.
        OpenRun.expires: When the run ends by itself, if it does not edit.
        OpenRun.open: Whether the run is open.
        PutSnapshot.paths: The places of the snapshot. Without it, the whole document.
        PutRestorePoint.at: An earlier position. Without it, the present one.
        PutRestorePoint.prefix: The documents of a restore, by the beginning of their names. \
        Without it, all documents of the token.
        PutTag.at: The version to tag. Without it, the current version.
        PushScope.policy: How the scope closes by itself; by default `pop`.
        PushScope.ttl: The time without changes of the owner after which the scope closes; by \
        default 10m.
        Read.revision: The revision of the document.
        Read.scopeLevel: The number of open scopes.
        Read.version: The current version.
        Recent.changes: The changes, newest first.
        History.changes: The changes, newest first.
        MergeOfMany.end: Delete each draft in the same commit.
        MergeOfMany.match: The revisions at which drafts, origins or other documents have to be.
        MergeOfMany.prefix: The prefix of the names of the drafts.
        MergeOfMany.resolve: For each draft, the policies for conflicts at single places.
        Rename.name: The new name.
        Restore.from: The state to restore.
        Restore.paths: The places to restore, in the state `from`. Without it, the whole document.
        RestoreOfMany.deleted: `undelete`: restore documents that were deleted since. Needs `admin`.
        RestoreOfMany.made: `delete`: delete documents that were created since. Needs `admin`.
        RestoreOfMany.prefix: The beginning of the names. Without it, that of the restore point, \
        or all documents of the token.
        RestoreOfMany.to: The time or the position.
        RestorePoint.cursor: The position in the order of commits.
        RestorePoint.expires: When it ends by itself.
        RestorePoint.prefix: The documents of a restore, by the beginning of their names.
        RestorePoint.restorePoint: The name.
        RestorePoint.time: When it was created or last moved.
        RestorePoints.restorePoints: The restore points.
        RestoreResponse.deletedSince: The documents that were deleted since.
        Scope.scopeLevel: The level of the scope, from 1.
        Scope.version: The version at which the scope was opened.
        Selection.actor: The actor of the edits.
        Selection.label: The label of the edits.
        Selection.paths: The places that contain everything that the edit changed.
        Selection.since: Only edits after this state.
        Selection.until: Only edits up to this state.
        Settings.retention.age: The maximum age of a version.
        Settings.retention.bytes: The maximum size of the patches.
        Settings.retention.count: The maximum number of versions.
        Skipped.absent: The code of the reason, if the part could not be found.
        Skipped.document: The document of the part, if it is another one.
        SnapshotInfo.paths: The places of the snapshot; missing for the whole document.
        SnapshotInfo.revision: The revision of its state.
        Status.bytes: The size of the value as JSON text.
        Status.own: Own undo and redo of the `actor` of the query.
        Status.time: The time of the last change.
        Status.transaction: The transaction of which shared undo would undo a part.
        Summary.count: The number of places that changed.
        Summary.parts: The parts of the sentence. The name of the member is the kind: `words`, \
        `object`, `old`, `new`, `quote` or `person`.
        Tag.scopeLevel: The level of the scope of the version.
        Tag.version: The version that it names.
        Ticket.ttl: The time in which a stream can begin.
        Transaction.transaction: The name of the transaction.
        TransactionBody.changes: The members, one for each document.
        TransactionResponse.changes: The result of each member.
        TransactionResponse.transaction: The name of the transaction; null if nothing was changed.
        UndoOfMany.close: Close open runs whose edits it takes. Without it, they are refused.
        UndoOfMany.documents: The names of the documents.
        UndoOfMany.keep: For each document, true or the places that stay as they are.
        UndoOfMany.match: The revisions at which documents have to be.
        UndoOfMany.resolve: For each document, the policies for conflicts at single places.
        UndoOfMany.transaction: A name of the transaction, as `menu@8`.
        UpdateDraft.to: The state of the origin up to which changes are applied; by default head.
        Version.edits: The number of its edits.
        Version.first: Its first revision.
        Version.inEffect: Whether any of its edits is in effect; missing if it is too old to say.
        Version.last: Its last revision.
        Version.paths: Some places that it changed.
        Version.scopeLevel: The level of its scope.
        Version.snapshots: The names of snapshots of its state.
        Version.tags: The tags that name it.
        Version.version: Its id: the revision of its first change.
        Versions.next: The `cursor` of the older page; null for none.
        Versions.previous: The `cursor` of the newer page; null for none.
        """
}
