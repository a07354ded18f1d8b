/// Every kind of problem. `Documentation/Reference/Problems.md` has the same table; a test compares
/// them.
extension Problem.Kind {
    private init(_ code: String, _ status: Int, _ title: String, _ hint: String) {
        self.init(code: code, status: status, title: title, hint: hint)
    }

    static let malformedJSON = Self(
        "malformed-json", 400, "The body is not valid JSON",
        "`offset` is the position of the fault. Send UTF-8 without a byte order mark, with "
            + "unique member names in each object.")
    static let malformedPatch = Self(
        "malformed-patch", 400, "The body is not a valid patch",
        "`operation` is the index of the invalid operation. Send an array of RFC 6902 "
            + "operations; versiond also accepts `str_ins`, `str_del` and `str_replace`.")
    static let malformedRequest = Self(
        "malformed-request", 400, "The request is invalid",
        "Correct the fault that `detail` describes. For the body of a command, `errors` lists "
            + "all faults by pointer.")
    static let badFraming = Self(
        "bad-framing", 400, "The end of the request is ambiguous",
        "Send either one Content-Length or a chunked body. The daemon closes the connection.")
    static let badField = Self(
        "bad-field", 400, "A header field is malformed",
        "Send each single-valued field once and without control characters. The daemon closes "
            + "the connection.")
    static let badTarget = Self(
        "bad-target", 400, "The request target is malformed",
        "Percent-encode each name in the path as UTF-8; `/` in a name is `%2F`.")
    static let unauthorized = Self(
        "unauthorized", 401, "A valid token is required",
        "Send `Authorization: Bearer vd_…`. The operator creates tokens with `versiond token "
            + "create`.")
    static let tokenExpired = Self(
        "token-expired", 401, "The token has expired",
        "Get a new token and send the request again.")
    static let tokenNotYet = Self(
        "token-not-yet", 401, "The token is not valid yet",
        "Synchronize the clocks of the daemon and of the token's issuer. The daemon accepts a "
            + "difference of 30 s.")
    static let unknownIssuer = Self(
        "unknown-issuer", 401, "The issuer of the token is unknown",
        "Set `iss` to the name of a registered issuer, or register the issuer with `versiond "
            + "token issuer add`.")
    static let badSignature = Self(
        "bad-signature", 401, "The signature of the token is invalid",
        "Sign the token with a key of its issuer: `alg` must be the issuer's algorithm, and "
            + "`kid` one of its keys.")
    static let badClaims = Self(
        "bad-claims", 401, "A claim of the token is invalid",
        "Correct the claim that `detail` names in the application that signs the token.")
    static let forbidden = Self(
        "forbidden", 403, "The token does not permit this request",
        "Use a token that has the `right` and covers the `document` or `prefix`.")
    static let undoTooLate = Self(
        "undo-too-late", 403, "An edit of a run is too old to be undone",
        "Nothing was changed. A rule for the `prefix` limits undo to the time in `within`. Keep "
            + "older edits with `since`, or ask an actor with the right `admin`.")
    static let crossOrigin = Self(
        "cross-origin", 403, "The origin of the web page is not allowed",
        "Add the origin to the setting `origins`, or use a client that sends no `Origin`.")
    static let foreignPresence = Self(
        "foreign-presence", 403, "The client name belongs to another actor",
        "Generate a random name of 8 to 64 letters, digits, hyphens and underscores.")
    static let foreignEdit = Self(
        "foreign-edit", 403, "The change belongs to another actor",
        "Undo your own changes with `{\"actor\":\"…\"}`, or use a token with the right "
            + "`undo-others`.")
    static let quotaReached = Self(
        "quota-reached", 403, "A quota is exhausted",
        "`prefix` or `token` names the quota, and `measure` and `max` its limit. A daily quota "
            + "is reset at 0:00 UTC. Otherwise delete documents, or ask the operator to raise "
            + "the quota.")
    static let unknownRoute = Self(
        "unknown-route", 404, "The path is unknown",
        "`GET /openapi.json` lists all paths. In the name of a document, write `/` as `%2F`.")
    static let noPresence = Self(
        "no-presence", 404, "Presence is disabled for the document",
        "Set `{\"presence\":true}` with `PATCH …/settings`.")
    static let unknownDocument = Self(
        "unknown-document", 404, "The document does not exist",
        "Create it with PUT: `curl -X PUT -H 'Content-Type: application/json' -d '{}'` and the "
            + "same URL.")
    static let unknownValue = Self(
        "unknown-value", 404, "The path does not exist in the value",
        "Read the document or the snapshot without `path` to see its members.")
    static let unknownVersion = Self(
        "unknown-version", 404, "The version does not exist",
        "`GET …/versions` lists all versions. To return to a state that is not a version, use "
            + "`POST …/restore`.")
    static let unknownRevision = Self(
        "unknown-revision", 404, "The revision does not exist",
        "`GET …/status` returns the head. A feed without `cursor` begins with the next change.")
    static let unknownTag = Self(
        "unknown-tag", 404, "The tag does not exist",
        "`GET …/tags` lists all tags.")
    static let unknownSnapshot = Self(
        "unknown-snapshot", 404, "The snapshot does not exist",
        "`GET …/snapshots` lists all snapshots.")
    static let unknownRun = Self(
        "unknown-run", 404, "The run does not exist",
        "`GET /v1/runs` lists all runs. In the path, `/` in the name of a run is `%2F`.")
    static let unknownRestorePoint = Self(
        "unknown-restore-point", 404, "The restore point does not exist",
        "`GET /v1/restore-points` lists all restore points. In the path, `/` in the name is `%2F`. "
            + "A restore point with `ttl` ends by itself.")
    static let restorePointExists = Self(
        "restore-point-exists", 412, "The restore point exists",
        "Choose another name, or omit `If-None-Match` to move the restore point.")
    static let tooManyRestorePoints = Self(
        "too-many-restore-points", 409, "There are too many restore points",
        "Delete restore points that are no longer needed, or set `ttl`.")
    static let runOpen = Self(
        "run-open", 409, "The run is open",
        "Nothing was changed. The runs in `runs` end at `expires` if they do not edit before. "
            + "Wait, or send `\"close\":true`, which closes them in the same step.")
    static let tooManyOpenRuns = Self(
        "too-many-open-runs", 409, "There are too many open runs",
        "Close runs that are over, or open them with a shorter `ttl`.")
    static let unknownProblem = Self(
        "unknown-problem", 404, "The problem code is unknown",
        "`GET /problems` lists all codes.")
    static let methodNotAllowed = Self(
        "method-not-allowed", 405, "The path does not support this method",
        "Use a method that the field `Allow` lists.")
    static let testFailed = Self(
        "test-failed", 409, "A test operation failed",
        "Nothing was changed. `found` is the current value. Read the document before you retry.")
    static let textNotFound = Self(
        "text-not-found", 409, "The text to replace does not occur in the string",
        "Nothing was changed. Read the string at `path` again, and copy `find` from it letter by "
            + "letter: spaces, line ends and accents count. With `base`, the text of the base is "
            + "searched.")
    static let textNotUnique = Self(
        "text-not-unique", 409, "The text to replace occurs more than once in the string",
        "Nothing was changed. Extend `find` by the words around it until it occurs once. `count` "
            + "is the number of places, and `positions` has the first ten, in UTF-16 code units.")
    static let nothingToUndo = Self(
        "nothing-to-undo", 409, "There is nothing to undo",
        "`available` is the number of versions that can be undone. `GET …/status` shows the next "
            + "one, with `actor=` that of one actor. Shared undo stays in the current scope. If "
            + "`selected` is 0, no edit matches. `skipped` lists documents that stay as they "
            + "are, with the reason.")
    static let nothingToRedo = Self(
        "nothing-to-redo", 409, "There is nothing to redo",
        "`available` is the number of versions that can be redone. `GET …/status` shows the next "
            + "one, with `actor=` that of one actor. An edit after an undo starts a new branch; "
            + "`goto` returns to the old one.")
    static let notOnPath = Self(
        "not-on-path", 409, "The version is not on the path of this undo or redo",
        "Use `goto`. Undo reaches only earlier versions of the current branch, and redo only "
            + "later ones.")
    static let outsideScope = Self(
        "outside-scope", 409, "The version is outside the current scope",
        "Pop or discard the scope first.")
    static let rootScope = Self(
        "root-scope", 409, "No scope is open",
        "Push a scope before you pop or discard one.")
    static let foreignScope = Self(
        "foreign-scope", 409, "The scope belongs to another actor",
        "Ask the `owner` to close it, or send `{\"force\":true}`.")
    static let notInEffect = Self(
        "not-in-effect", 409, "The change is not in effect",
        "The change is already undone or redone, is on another branch, or is not an edit. `GET "
            + "…/history` lists edits.")
    static let conflict = Self(
        "conflict", 409, "The change conflicts with later changes",
        "`conflicts` lists the places, and `with` the revisions. Send `conflict=mine` to "
            + "override the later changes, or `conflict=theirs` to omit the conflicting part; "
            + "for a draft, `conflict=draft`, `conflict=origin` or `resolve`. `dryRun=true` "
            + "shows the result without a change.")
    static let baseTooOld = Self(
        "base-too-old", 409, "Too many changes followed the base",
        "Nothing was changed. Read the document and repeat the edit on `head`. `GET /v1` returns "
            + "the limits of a merge.")
    static let changeTooOld = Self(
        "change-too-old", 409, "Too many changes followed the change",
        "Nothing was changed. An own undo needs the changes since `reached` in memory, and they "
            + "exceed the limit. Read the old state with `?at=` and edit the document, or give "
            + "the daemon more memory.")
    static let earlierLife = Self(
        "earlier-life", 409, "The document was deleted and created again after the base",
        "Nothing was changed. The current history begins at revision `begun`. Read the document "
            + "and repeat the edit.")
    static let noOrigin = Self(
        "no-origin", 409, "The document is not a draft",
        "Create a draft with `PUT …?copyOf=NAME`.")
    static let otherHistory = Self(
        "other-history", 409, "The reference belongs to another history",
        "Nothing was changed. If `number` is present, the daemon lost a part of its history, for "
            + "example by a restored backup: read the document again, and follow its feed from "
            + "that revision. If `origin` is present, name the document from which the draft was "
            + "copied.")
    static let needsChanges = Self(
        "needs-changes", 409, "A selected change depends on other changes",
        "Nothing was merged. Also select the revisions in `needs`.")
    static let merged = Self(
        "merged", 409, "The draft was merged after the update",
        "The merge contains the update, so an undo of the update would propose to revert it in "
            + "the origin. Edit the draft instead.")
    static let overlappingDrafts = Self(
        "overlapping-drafts", 409, "Two drafts of the prefix change the same document",
        "Nothing was merged. `documents` lists the drafts. Merge one of them with `POST …/merge`, "
            + "a draft of a draft first, and repeat the request.")
    static let wrongOwn = Self(
        "wrong-own", 409, "`own` names an invalid change",
        "Nothing was changed. List, in order, complete edits of the same actor on the same "
            + "`base`, each sent with the preceding ones as `own`. A key names an edit only after "
            + "it is stored. Otherwise read the document and continue from its head.")
    static let notDeleted = Self(
        "not-deleted", 409, "The document is not deleted",
        "Nothing was changed. The document exists.")
    static let documentExists = Self(
        "document-exists", 409, "The name of the document is in use",
        "Use another name. A deleted document keeps its name and its history.")
    static let movedValue = Self(
        "moved-value", 409, "A selected value was moved",
        "Nothing was changed. Also select `path`, or a place that contains it.")
    static let tooManySnapshots = Self(
        "too-many-snapshots", 409, "The document has too many snapshots",
        "Delete a snapshot.")
    static let tooManyTags = Self(
        "too-many-tags", 409, "The document has too many tags",
        "Delete a tag.")
    static let versionMismatch = Self(
        "version-mismatch", 409, "The document does not match the stored version",
        "Nothing was changed. This indicates damaged data or a fault of versiond: run `versiond "
            + "check` and report the result.")
    static let documentDeleted = Self(
        "document-deleted", 410, "The document was deleted",
        "Restore it with `POST …/undelete`, or create a new document with PUT. If it was "
            + "renamed, `GET /v1/history?prefix=…&limit=1` returns the new name.")
    static let originGone = Self(
        "origin-gone", 410, "The origin of the draft does not exist",
        "The origin was deleted, erased, renamed, or created again. The draft is unchanged: edit "
            + "it, copy it, or name the origin with `PUT …/origin`.")
    static let documentPurged = Self(
        "document-purged", 410, "The document was erased",
        "The content cannot be restored. PUT creates a new document under this name.")
    static let trimmed = Self(
        "trimmed", 410, "The revision was removed from the history",
        "`oldest` is the oldest revision in the history. Read the document and continue from its "
            + "head.")
    static let staleRevision = Self(
        "stale-revision", 412, "The precondition failed",
        "`head` is the newest revision. Read the changes since then (`missed`), then retry with "
            + "the new `If-Match`. PUT without `If-Match` creates a missing document.")
    static let tagExists = Self(
        "tag-exists", 412, "The tag already exists",
        "Send the request without `If-None-Match` to move the tag.")
    static let snapshotExists = Self(
        "snapshot-exists", 412, "The snapshot already exists",
        "Send the request without `If-None-Match` to replace the snapshot.")
    static let bodyTooLarge = Self(
        "body-too-large", 413, "The body is too large",
        "Send a patch instead of the whole value, or raise `bodyBytesMax`.")
    static let documentTooLarge = Self(
        "document-too-large", 413, "The document would be too large",
        "Split the document, or raise `documentBytesMax` or `valuesMax`.")
    static let partOfTransaction = Self(
        "part-of-transaction", 409, "The change is a part of a transaction",
        "Nothing was changed. `documents` lists the documents of the other parts. Send `alone` "
            + "to undo only this part, or `together` to undo all parts.")
    static let tooManyDocuments = Self(
        "too-many-documents", 422, "The request selects too many documents",
        "Nothing was changed. Use a longer prefix, name fewer documents, or select fewer runs.")
    static let documentsTooLarge = Self(
        "documents-too-large", 413, "The documents are too large for one request",
        "Nothing was changed. Select fewer documents. One request may use a third of the "
            + "daemon's memory and at most 1 GiB: `bytesMax`.")
    static let unknownTransaction = Self(
        "unknown-transaction", 404, "The transaction does not exist",
        "The name of a transaction has the form `NAME@REVISION`, as in `menu@8`. `GET …/history` "
            + "returns it as `transaction` of a change.")
    static let tooManyChanges = Self(
        "too-many-changes", 422, "The request selects too many changes",
        "Nothing was changed. Undo the changes in parts: narrow the selection with `since`, "
            + "`until` and `paths`.")
    static let tooManyOperations = Self(
        "too-many-operations", 413, "The patch has too many operations",
        "Split the patch, or PUT the whole value.")
    static let targetTooLong = Self(
        "target-too-long", 414, "The request target is too long",
        "Shorten the names and the query.")
    static let unsupportedMediaType = Self(
        "unsupported-media-type", 415, "The media type or encoding of the body is not supported",
        "Send a supported type, for example `-H 'Content-Type: application/json'`. The field "
            + "`Accept-Patch` lists the types of patches. The only supported encoding is gzip.")
    static let unknownHost = Self(
        "unknown-host", 421, "The host of the request is unknown",
        "Use an address on which the daemon listens, or add the host to the setting `hosts`.")
    static let otherRequest = Self(
        "other-request", 422, "The idempotency key was used for another request",
        "Generate a new `Idempotency-Key` for each change. `change` is the revision that the "
            + "first request created.")
    static let tooLongToCopy = Self(
        "too-long-to-copy", 422, "The history is too long to copy",
        "Nothing was copied. Set `retention` to shorten the history, or copy the value without "
            + "it.")
    static let patchDoesNotApply = Self(
        "patch-does-not-apply", 422, "The patch does not apply to the document",
        "Nothing was changed. `operation` and `path` locate the fault. Read the document before "
            + "you retry.")
    static let schemaViolation = Self(
        "schema-violation", 422, "The result violates the schema of the document",
        "Nothing was changed. `errors` lists the violations by pointer. `GET …/settings` returns "
            + "the schema.")
    static let schemaTooCostly = Self(
        "schema-too-costly", 422, "The validation of the schema takes too long",
        "Simplify the schema, or reduce the document.")
    static let tooDeep = Self(
        "too-deep", 422, "The document would be nested too deeply",
        "Flatten the value, or raise `depthMax`.")
    static let matchRequired = Self(
        "match-required", 428, "The change requires `If-Match`",
        "The setting `requireMatch` applies. Read the document and send its `ETag` as "
            + "`If-Match`.")
    static let tooManyRequests = Self(
        "too-many-requests", 429, "The token exceeds its request rate",
        "Retry after the time in `Retry-After`.")
    static let tooManyFields = Self(
        "too-many-fields", 431, "The request has too many header fields",
        "Send fewer header fields.")
    static let clientGone = Self(
        "client-gone", 499, "The client closed the connection",
        "Nothing was changed. Keep the connection open until the response arrives.")
    static let damagedJournal = Self(
        "damaged-journal", 500, "The stored data is damaged",
        "Run `versiond check`, and restore a backup.")
    static let unknownMethod = Self(
        "unknown-method", 501, "The method is unknown",
        "Use GET, HEAD, PUT, PATCH, POST, DELETE or OPTIONS.")
    static let journalUnavailable = Self(
        "journal-unavailable", 503, "The journal is unavailable",
        "Nothing was changed. Retry after the time in `Retry-After`; if the field is missing, "
            + "restart the daemon.")
    static let overtaken = Self(
        "overtaken", 503, "Concurrent changes prevented the change",
        "Nothing was changed. Retry after the time in `Retry-After`.")
    static let indexing = Self(
        "indexing", 503, "The index of runs is incomplete",
        "After an upgrade or an import, the daemon reads older changes in the background. Retry "
            + "after the time in `Retry-After`.")
    static let tooManyPresent = Self(
        "too-many-present", 503, "The limit on present clients is reached",
        "A document has at most 512 clients, and all states take at most 32 MiB. A token may use "
            + "at most as much as remains for the other tokens. Continue without presence.")
    static let tooManyStreams = Self(
        "too-many-streams", 503, "The limit on open streams is reached",
        "Retry later, poll with `wait=30s`, or raise `streamsMax`.")
    static let tooMuchToSend = Self(
        "too-much-to-send", 503, "Large responses use all of the available memory",
        "Nothing was changed. Retry after the time in `Retry-After`.")
    static let tooMuchToReceive = Self(
        "too-much-to-receive", 503, "Large request bodies use all of the available memory",
        "Nothing was changed. Retry after the time in `Retry-After`.")
    static let stopping = Self(
        "stopping", 503, "The daemon is stopping",
        "Nothing was changed. Retry.")
    static let journalUncertain = Self(
        "journal-uncertain", 503, "The outcome of the change is uncertain",
        "The database did not confirm the commit and cannot be queried now. Retry with the same "
            + "`Idempotency-Key` after the time in `Retry-After`, or read the document first.")
    static let outcomeUnknown = Self(
        "outcome-unknown", 504, "The outcome of the change is unknown",
        "The disk did not confirm the commit. Restart the daemon, and read the document before "
            + "you retry.")
    static let erasureUnfinished = Self(
        "erasure-unfinished", 503, "The erased data is not yet overwritten on the disk",
        "No request returns the erased data. The daemon overwrites the rest as soon as possible; "
            + "free space on the disk.")
    static let quotaFull = Self(
        "quota-full", 507, "The storage quota is exhausted",
        "Nothing was stored. `prefix` or `token` names the quota. Erase documents with `?purge`, "
            + "shorten histories with `retention`, or ask the operator to raise the quota.")
    static let journalFull = Self(
        "journal-full", 507, "The disk is full",
        "Nothing was stored. Free space on the disk; the daemon then resumes writing.")

    /// Every kind, in the order of the statuses.
    static let all: [Self] = [
        malformedJSON, malformedPatch, malformedRequest, badFraming, badField, badTarget,
        unauthorized, tokenExpired, tokenNotYet, unknownIssuer, badSignature, badClaims, forbidden,
        crossOrigin, foreignPresence, foreignEdit, quotaReached, undoTooLate, unknownRoute,
        noPresence,
        unknownDocument,
        unknownValue, unknownVersion, unknownRevision, unknownTag, unknownSnapshot,
        unknownTransaction, unknownRun, unknownRestorePoint,
        unknownProblem, methodNotAllowed, testFailed, textNotFound, textNotUnique, nothingToUndo,
        nothingToRedo,
        notOnPath,
        outsideScope, rootScope, foreignScope, notInEffect, partOfTransaction, noOrigin,
        overlappingDrafts, otherHistory,
        needsChanges, merged, conflict, tooManyRestorePoints, runOpen, tooManyOpenRuns,
        baseTooOld, changeTooOld, earlierLife,
        wrongOwn, notDeleted, documentExists, movedValue, tooManySnapshots,
        tooManyTags, versionMismatch, documentDeleted, originGone, documentPurged, trimmed,
        staleRevision,
        tagExists,
        snapshotExists, restorePointExists, bodyTooLarge, documentTooLarge, documentsTooLarge,
        tooManyOperations,
        targetTooLong,
        unsupportedMediaType, unknownHost, otherRequest, tooLongToCopy, patchDoesNotApply,
        schemaViolation, schemaTooCostly, tooDeep,
        tooManyChanges, tooManyDocuments,
        matchRequired, tooManyRequests, tooManyFields, clientGone, damagedJournal, unknownMethod,
        journalUnavailable, overtaken, indexing,
        tooManyPresent, tooManyStreams, tooMuchToSend, tooMuchToReceive, stopping, journalUncertain,
        erasureUnfinished,
        outcomeUnknown, quotaFull, journalFull,
    ]
}
