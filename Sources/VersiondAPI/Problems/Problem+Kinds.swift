/// Every kind of problem. `Documentation/Reference/Problems.md` has the same table; a test compares
/// them.
extension Problem.Kind {
    private init(_ code: String, _ status: Int, _ title: String, _ hint: String) {
        self.init(code: code, status: status, title: title, hint: hint)
    }

    static let malformedJSON = Self(
        "malformed-json", 400, "The body is not JSON",
        "`offset` says where. Send UTF-8 without a byte order mark; each name stands "
            + "once in an object.")
    static let malformedPatch = Self(
        "malformed-patch", 400, "The body is not a patch",
        "`operation` says which. A patch is an array of RFC 6902 operations; "
            + "`str_ins` and `str_del` are known, too.")
    static let malformedRequest = Self(
        "malformed-request", 400, "The request cannot be understood",
        "`detail` says what is wrong; for a command's body, `errors` lists everything "
            + "that is, by pointer.")
    static let badFraming = Self(
        "bad-framing", 400, "The request's end is ambiguous",
        "Send one Content-Length, or chunks; never both. The connection is closed.")
    static let badField = Self(
        "bad-field", 400, "A header field is malformed",
        "Send each single-valued field once, without control characters. The "
            + "connection is closed.")
    static let badTarget = Self(
        "bad-target", 400, "The request target is malformed",
        "Percent-encode each name in the path as UTF-8; `/` inside a name is `%2F`.")
    static let unauthorized = Self(
        "unauthorized", 401, "A token is needed",
        "Send `Authorization: Bearer vd_…`; `versiond token create` makes a token.")
    static let tokenExpired = Self(
        "token-expired", 401, "The time of the token is over",
        "Get a new one, and send the request again.")
    static let tokenNotYet = Self(
        "token-not-yet", 401, "The time of the token has not come",
        "The clocks of the daemon and of whoever signed it differ by more than 30 s.")
    static let unknownIssuer = Self(
        "unknown-issuer", 401, "The token's issuer is not known",
        "`versiond token issuer add` makes it known; `iss` in the token must be its name.")
    static let badSignature = Self(
        "bad-signature", 401, "The token's signature is not its issuer's",
        "`alg` must be the issuer's algorithm, and `kid` one of its keys.")
    static let badClaims = Self(
        "bad-claims", 401, "The token claims what cannot be granted",
        "`detail` says which claim. Mend what signs the token.")
    static let forbidden = Self(
        "forbidden", 403, "The token does not allow this",
        "`right` or `prefix` says what is missing. Use a token that has it.")
    static let crossOrigin = Self(
        "cross-origin", 403, "A web page may not do this",
        "Name the page in the setting `origins`, or use a client that sends no "
            + "`Origin`.")
    static let foreignPresence = Self(
        "foreign-presence", 403, "The client belongs to somebody else",
        "Make another name at random, of 8 to 64 letters, digits, hyphens and underscores.")
    static let foreignEdit = Self(
        "foreign-edit", 403, "The change is somebody else's",
        "Undo your own changes with `{\"actor\":\"…\"}`, or use a token with the "
            + "right `undo-others`.")
    static let quotaReached = Self(
        "quota-reached", 403, "A quota has no room for this",
        "`prefix` or `token` says whose quota, `measure` and `max` which. Ask the operator.")
    static let unknownRoute = Self(
        "unknown-route", 404, "There is nothing at this path",
        "`GET /openapi.json` lists what there is.")
    static let noPresence = Self(
        "no-presence", 404, "The document does not show who is in it",
        "The setting `presence` is false.")
    static let unknownDocument = Self(
        "unknown-document", 404, "There is no such document",
        "Make it: `curl -X PUT -H 'Content-Type: application/json' -d '{}'` and the same URL.")
    static let unknownValue = Self(
        "unknown-value", 404, "There is no such value",
        "The document, or the snapshot, has nothing at `path`. Read the whole to "
            + "see what it has.")
    static let unknownVersion = Self(
        "unknown-version", 404, "There is no such version",
        "`GET …/versions` lists versions.")
    static let unknownRevision = Self(
        "unknown-revision", 404, "There is no such revision",
        "`GET …/status` shows the head.")
    static let unknownTag = Self(
        "unknown-tag", 404, "There is no such tag",
        "`GET …/tags` lists tags.")
    static let unknownSnapshot = Self(
        "unknown-snapshot", 404, "There is no such snapshot",
        "`GET …/snapshots` lists snapshots.")
    static let unknownProblem = Self(
        "unknown-problem", 404, "There is no such kind of problem",
        "`GET /problems` lists them.")
    static let methodNotAllowed = Self(
        "method-not-allowed", 405, "The method cannot be used here",
        "`Allow` says which can.")
    static let testFailed = Self(
        "test-failed", 409, "A test operation failed",
        "Nothing was changed. `found` is what is there; read the document and decide "
            + "again.")
    static let nothingToUndo = Self(
        "nothing-to-undo", 409, "There is nothing to undo",
        "`GET …/status` shows what can be undone, with `actor=` by one actor; `available` says how "
            + "much. Shared undo does not leave the current scope. `selected` is 0 where no "
            + "edit is one of those that were named; `skipped` has those that stay, and why.")
    static let nothingToRedo = Self(
        "nothing-to-redo", 409, "There is nothing to redo",
        "`GET …/status` shows what can be redone, with `actor=` by one actor; `available` says how "
            + "much. An edit after undo begins another branch; `goto` reaches the old one.")
    static let notOnPath = Self(
        "not-on-path", 409, "The tagged version is on another branch",
        "It is on another branch, or the other way: undo goes back, redo goes on. `goto` goes "
            + "there directly.")
    static let outsideScope = Self(
        "outside-scope", 409, "The version is outside the current scope",
        "Pop or discard the scope first.")
    static let rootScope = Self(
        "root-scope", 409, "No scope is open",
        "Only a scope that was pushed can be popped or discarded.")
    static let foreignScope = Self(
        "foreign-scope", 409, "The scope is somebody else's",
        "`owner` says whose. Send `{\"force\":true}` to close it nevertheless.")
    static let notInEffect = Self(
        "not-in-effect", 409, "The change is not in effect",
        "It was undone already, or redone already, is no edit, or is on another branch. "
            + "`GET …/history` shows edits.")
    static let conflict = Self(
        "conflict", 409, "Later work of others would be lost",
        "`conflicts` says where, `with` by which revisions. Send `conflict=mine` "
            + "to have yours nevertheless (an own undo then hides the later work), or "
            + "`conflict=theirs` to have only what is not in conflict. A dry run changes nothing.")
    static let baseTooOld = Self(
        "base-too-old", 409, "Too much has happened since the base",
        "Nothing was changed. `GET /v1` says how much can be merged. Read the document, make the "
            + "edit again on `head`, or ask whoever made it.")
    static let changeTooOld = Self(
        "change-too-old", 409, "Too much has happened since the change",
        "Nothing was changed. All that was done since `reached` in the same places is held in "
            + "memory for an own undo. Edit the document instead, with what an old state had "
            + "(`?at=`); or give the daemon more memory.")
    static let earlierLife = Self(
        "earlier-life", 409, "The base is of an earlier life of the document",
        "Nothing was changed. The document was deleted since, and began anew at `begun`. Read it.")
    static let noOrigin = Self(
        "no-origin", 409, "The document is no draft",
        "`PUT …?copyOf=NAME` makes a draft of a document; its origin was taken away, or it never "
            + "had one.")
    static let otherHistory = Self(
        "other-history", 409, "That is of another history",
        "Nothing was changed. A `number` is of a history that was lost, as when a backup was "
            + "restored: read the document again. An `origin` is not the document that the draft "
            + "is from: name the one that has its history.")
    static let needsChanges = Self(
        "needs-changes", 409, "A chosen change does nothing without others",
        "Nothing was merged. `needs` says which: choose these, too.")
    static let merged = Self(
        "merged", 409, "The draft was merged since",
        "The origin has what the update brought; without it the draft would propose to take that "
            + "back; a redo there may always bring the merge back. Edit the draft instead.")
    static let wrongOwn = Self(
        "wrong-own", 409, "The change is not one of yours on that base",
        "Nothing was changed. `own` names, in order, changes of the same actor that were sent with "
            + "the same `base` and those before them as `own`, and of which nothing gave way. Read "
            + "the document, and go on from its head.")
    static let notDeleted = Self(
        "not-deleted", 409, "The document is not deleted",
        "Nothing was changed, and nothing need be: it is there.")
    static let documentExists = Self(
        "document-exists", 409, "There is, or was, a document of this name",
        "Choose another name: the history of a deleted document is kept, too.")
    static let movedValue = Self(
        "moved-value", 409, "Something that is to be erased was moved elsewhere",
        "Nothing was erased: at `path` it would be left. Name that place, too.")
    static let tooManySnapshots = Self(
        "too-many-snapshots", 409, "There is no room for snapshots",
        "Delete some: each may hold a whole value.")
    static let tooManyTags = Self(
        "too-many-tags", 409, "There is no room for tags",
        "Delete some.")
    static let versionMismatch = Self(
        "version-mismatch", 409, "The document is not what the reversion was made from",
        "Nothing was reverted. Run `versiond check`, and report it: this should not "
            + "happen.")
    static let documentDeleted = Self(
        "document-deleted", 410, "The document was deleted",
        "`POST …/undelete` brings it back as it was, and PUT begins a new one under its name. If "
            + "it was renamed, its last change says so: `GET /v1/history?prefix=…&limit=1`.")
    static let originGone = Self(
        "origin-gone", 410, "The draft's origin is gone",
        "It was deleted, erased, renamed, or began anew. The draft is as it was: edit it, copy it, "
            + "or name the origin with `PUT …/origin`.")
    static let documentPurged = Self(
        "document-purged", 410, "The document was erased",
        "Nothing of it is left. PUT begins a new one under its name.")
    static let trimmed = Self(
        "trimmed", 410, "The history does not reach so far back",
        "`oldest` is the first revision that is kept. Read the document, and go on "
            + "from there.")
    static let staleRevision = Self(
        "stale-revision", 412, "The condition does not hold",
        "`head` is the newest revision; `missed` and the `Link` lead to what came "
            + "since. Decide again.")
    static let tagExists = Self(
        "tag-exists", 412, "The tag exists already",
        "Leave out `If-None-Match` to move it.")
    static let snapshotExists = Self(
        "snapshot-exists", 412, "The snapshot exists already",
        "Leave out `If-None-Match` to replace it.")
    static let bodyTooLarge = Self(
        "body-too-large", 413, "The body is too large",
        "Send a patch instead of the whole, or raise `bodyBytesMax`.")
    static let documentTooLarge = Self(
        "document-too-large", 413, "The document would be too large",
        "Split the document, or raise `documentBytesMax` or `valuesMax`.")
    static let partOfTransaction = Self(
        "part-of-transaction", 409, "Only a part of a transaction would be taken",
        "Nothing was changed. `documents` have the other parts. Own undo takes all of it; with "
            + "`alone` only this document's part is taken, with `together` one undo takes all.")
    static let tooManyDocuments = Self(
        "too-many-documents", 422, "Too many documents are to be changed together",
        "Nothing was changed. Name fewer, by a longer prefix or by their names.")
    static let documentsTooLarge = Self(
        "documents-too-large", 413, "The documents are too large to be changed together",
        "Nothing was changed. Name fewer documents at once. One request may take a third of the "
            + "daemon's memory, 1 GiB at most: `bytesMax`.")
    static let unknownTransaction = Self(
        "unknown-transaction", 404, "There is no such transaction",
        "Its name is that of a document, @, and the revision of a part of it there, as "
            + "`transaction` in a change says.")
    static let tooManyChanges = Self(
        "too-many-changes", 422, "Too much is to be taken back at once",
        "Nothing was changed. Take it back in parts: `since`, `until` and `paths` narrow what is "
            + "meant.")
    static let tooManyOperations = Self(
        "too-many-operations", 413, "The patch is too long",
        "Send it in parts, or PUT the whole value.")
    static let targetTooLong = Self(
        "target-too-long", 414, "The request target is too long",
        "Shorten names and query.")
    static let unsupportedMediaType = Self(
        "unsupported-media-type", 415, "The body's media type is not one for this",
        "Say what it is: `-H 'Content-Type: application/json'`. `Accept-Patch` lists "
            + "the kinds of patch.")
    static let unknownHost = Self(
        "unknown-host", 421, "The request is for another host",
        "Use the address that the daemon says it listens on, or name the host in the "
            + "setting `hosts`.")
    static let otherRequest = Self(
        "other-request", 422, "The key was used for another request",
        "Make a new `Idempotency-Key` for each change; `change` is the revision that "
            + "it made.")
    static let tooLongToCopy = Self(
        "too-long-to-copy", 422, "The history is too long to be copied",
        "Nothing was copied. Bound the history, or copy the value alone.")
    static let patchDoesNotApply = Self(
        "patch-does-not-apply", 422, "The patch does not fit the document",
        "Nothing was changed. `operation` and `path` say where; read the document "
            + "and decide again.")
    static let schemaViolation = Self(
        "schema-violation", 422, "The document's schema does not allow this",
        "`errors` says where and what. `GET …/settings` shows the schema.")
    static let schemaTooCostly = Self(
        "schema-too-costly", 422, "Checking the schema would take too long",
        "Make the schema simpler, or the document smaller.")
    static let tooDeep = Self(
        "too-deep", 422, "The document would nest too deeply",
        "Flatten the value, or raise `depthMax`.")
    static let matchRequired = Self(
        "match-required", 428, "The change must say what it was written against",
        "Read the document, and send its `ETag` as `If-Match`. The setting `requireMatch` wants it."
    )
    static let tooManyRequests = Self(
        "too-many-requests", 429, "The rate of the token is used up",
        "Wait as long as `Retry-After` says.")
    static let tooManyFields = Self(
        "too-many-fields", 431, "The request has too many header fields",
        "Send fewer.")
    static let clientGone = Self(
        "client-gone", 499, "The client has closed its side",
        "Nothing was done. Keep the connection open until the response has come.")
    static let damagedJournal = Self(
        "damaged-journal", 500, "What was stored cannot be read",
        "Run `versiond check`, and restore a backup.")
    static let unknownMethod = Self(
        "unknown-method", 501, "The method is not known",
        "Use GET, HEAD, PUT, PATCH, POST, DELETE or OPTIONS.")
    static let journalUnavailable = Self(
        "journal-unavailable", 503, "The journal cannot be reached at present",
        "Nothing was changed. Try again when `Retry-After` is over; without it, "
            + "restart the daemon.")
    static let overtaken = Self(
        "overtaken", 503, "Other changes came first each time",
        "Nothing was changed. Send the request again when `Retry-After` is over.")
    static let tooManyPresent = Self(
        "too-many-present", 503, "As many are present as may be",
        "A document has 512 clients, and all together show 32 MiB; a token has at most as much as "
            + "it leaves to others. Continue without presence.")
    static let tooManyStreams = Self(
        "too-many-streams", 503, "Too many clients follow a feed",
        "Try again later, ask with `wait=30s` instead, or raise `streamsMax`.")
    static let tooMuchToSend = Self(
        "too-much-to-send", 503, "Too many large responses are under way",
        "Nothing was done. Try again when `Retry-After` is over.")
    static let tooMuchToReceive = Self(
        "too-much-to-receive", 503, "Too many large requests are under way",
        "Nothing was done. Try again when `Retry-After` is over.")
    static let stopping = Self(
        "stopping", 503, "The daemon is about to stop",
        "Nothing was done. Try again.")
    static let journalUncertain = Self(
        "journal-uncertain", 503, "The change may be stored or not",
        "The store did not confirm, and cannot be asked now. Send the request again with the same "
            + "`Idempotency-Key` when `Retry-After` is over, or read the document first.")
    static let outcomeUnknown = Self(
        "outcome-unknown", 504, "Nobody knows whether the change was stored",
        "The disk did not confirm. Restart the daemon, and read the document before "
            + "you try again.")
    static let erasureUnfinished = Self(
        "erasure-unfinished", 503, "Erased, and not yet overwritten on the disk",
        "Nothing returns what was erased. The daemon overwrites what is left of it on the disk "
            + "as soon as it can; make room there.")
    static let quotaFull = Self(
        "quota-full", 507, "A quota has no room for more bytes",
        "Nothing was stored. Erase what is not needed (`?purge`), bound histories (`retention`), "
            + "or ask the operator.")
    static let journalFull = Self(
        "journal-full", 507, "There is no room to store the change",
        "Nothing was stored. Make room on the disk; writing goes on by itself.")

    /// Every kind, in the order of the statuses.
    static let all: [Self] = [
        malformedJSON, malformedPatch, malformedRequest, badFraming, badField, badTarget,
        unauthorized, tokenExpired, tokenNotYet, unknownIssuer, badSignature, badClaims, forbidden,
        crossOrigin, foreignPresence, foreignEdit, quotaReached, unknownRoute, noPresence,
        unknownDocument,
        unknownValue, unknownVersion, unknownRevision, unknownTag, unknownSnapshot,
        unknownTransaction,
        unknownProblem, methodNotAllowed, testFailed, nothingToUndo, nothingToRedo, notOnPath,
        outsideScope, rootScope, foreignScope, notInEffect, partOfTransaction, noOrigin,
        otherHistory,
        needsChanges, merged, conflict,
        baseTooOld, changeTooOld, earlierLife,
        wrongOwn, notDeleted, documentExists, movedValue, tooManySnapshots,
        tooManyTags, versionMismatch, documentDeleted, originGone, documentPurged, trimmed,
        staleRevision,
        tagExists,
        snapshotExists, bodyTooLarge, documentTooLarge, documentsTooLarge, tooManyOperations,
        targetTooLong,
        unsupportedMediaType, unknownHost, otherRequest, tooLongToCopy, patchDoesNotApply,
        schemaViolation, schemaTooCostly, tooDeep,
        tooManyChanges, tooManyDocuments,
        matchRequired, tooManyRequests, tooManyFields, clientGone, damagedJournal, unknownMethod,
        journalUnavailable, overtaken,
        tooManyPresent, tooManyStreams, tooMuchToSend, tooMuchToReceive, stopping, journalUncertain,
        erasureUnfinished,
        outcomeUnknown, quotaFull, journalFull,
    ]
}
