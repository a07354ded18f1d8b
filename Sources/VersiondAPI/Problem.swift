import HTTPServing

/// An error in HTTP words (RFC 9457).
struct Problem: Error, Sendable {
    /// One kind of problem: the last part of its `type`, its status, and what it means.
    struct Kind: Sendable, Equatable {
        let code: String
        let status: Int
        let title: String
    }

    let kind: Kind
    /// What happened this time.
    let detail: String
    /// What to do about it.
    var hint: String?
    /// Further members: where, and what is there instead.
    var members: [(name: String, value: Value)] = []
    var fields: [(name: String, value: String)] = []

    enum Value: Sendable {
        case number(Int)
        case flag(Bool)
        case text(String)
        case json([UInt8])
    }

    init(_ kind: Kind, _ detail: String, hint: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.hint = hint
    }

    func with(_ name: String, _ value: Value) -> Problem {
        var problem = self
        problem.members.append((name: name, value: value))
        return problem
    }

    func withField(_ name: String, _ value: String) -> Problem {
        var problem = self
        problem.fields.append((name: name, value: value))
        return problem
    }
}

extension Problem.Kind {
    private init(_ code: String, _ status: Int, _ title: String) {
        self.init(code: code, status: status, title: title)
    }

    static let malformedJSON = Self("malformed-json", 400, "The body is not JSON")
    static let malformedPatch = Self("malformed-patch", 400, "The body is not a patch")
    static let malformedRequest = Self("malformed-request", 400, "The request cannot be understood")
    static let badFraming = Self("bad-framing", 400, "The request's end is ambiguous")
    static let badField = Self("bad-field", 400, "A header field is malformed")
    static let badTarget = Self("bad-target", 400, "The request target is malformed")
    static let unauthorized = Self("unauthorized", 401, "A token is needed")
    static let forbidden = Self("forbidden", 403, "The token does not allow this")
    static let tooManyRequests = Self("too-many-requests", 429, "The rate of the token is used up")
    static let crossOrigin = Self("cross-origin", 403, "A web page may not do this")
    static let unknownRoute = Self("unknown-route", 404, "There is nothing at this path")
    static let unknownDocument = Self("unknown-document", 404, "There is no such document")
    static let unknownValue = Self("unknown-value", 404, "The document has no such value")
    static let unknownVersion = Self("unknown-version", 404, "There is no such version")
    static let unknownRevision = Self("unknown-revision", 404, "There is no such revision")
    static let unknownTag = Self("unknown-tag", 404, "There is no such tag")
    static let unknownProblem = Self("unknown-problem", 404, "There is no such kind of problem")
    static let methodNotAllowed = Self("method-not-allowed", 405, "The method cannot be used here")
    static let testFailed = Self("test-failed", 409, "A test operation said no")
    static let nothingToUndo = Self("nothing-to-undo", 409, "There is nothing to undo")
    static let nothingToRedo = Self("nothing-to-redo", 409, "There is nothing to redo")
    static let notOnPath = Self("not-on-path", 409, "The tagged version is on another branch")
    static let outsideScope = Self("outside-scope", 409, "The version is outside the current scope")
    static let rootScope = Self("root-scope", 409, "No scope is open")
    static let unknownSnapshot = Self("unknown-snapshot", 404, "There is no such snapshot")
    static let snapshotExists = Self("snapshot-exists", 412, "The snapshot exists already")
    static let tooManySnapshots = Self("too-many-snapshots", 409, "There is no room for snapshots")
    static let foreignScope = Self("foreign-scope", 409, "The scope is somebody else's")
    static let foreignEdit = Self("foreign-edit", 403, "The change is somebody else's")
    static let otherRequest = Self("other-request", 422, "The key marked another request")
    static let trimmed = Self("trimmed", 410, "The history does not reach so far back")
    static let notInEffect = Self("not-in-effect", 409, "The change is not in effect")
    static let conflict = Self("conflict", 409, "Later edits touched the same places")
    static let versionMismatch = Self(
        "version-mismatch", 409, "The document is not what the reversion was made from")
    static let documentDeleted = Self("document-deleted", 410, "The document was deleted")
    static let staleRevision = Self("stale-revision", 412, "The condition does not hold")
    static let tagExists = Self("tag-exists", 412, "The tag exists already")
    static let bodyTooLarge = Self("body-too-large", 413, "The body is too large")
    static let documentTooLarge = Self("document-too-large", 413, "The document would be too large")
    static let tooManyOperations = Self("too-many-operations", 413, "The patch is too long")
    static let targetTooLong = Self("target-too-long", 414, "The request target is too long")
    static let unknownHost = Self("unknown-host", 421, "The request is for another host")
    static let unsupportedMediaType = Self(
        "unsupported-media-type", 415, "The body's media type is not one for this")
    static let patchDoesNotApply = Self(
        "patch-does-not-apply", 422, "The patch does not fit the document")
    static let tooDeep = Self("too-deep", 422, "The document would nest too deeply")
    static let tooManyFields = Self(
        "too-many-fields", 431, "The request has too many header fields")
    static let internalError = Self("internal-error", 500, "Something is wrong with the daemon")
    static let damagedJournal = Self("damaged-journal", 500, "What was stored cannot be read")
    static let unknownMethod = Self("unknown-method", 501, "The method is not known")
    static let journalUnavailable = Self(
        "journal-unavailable", 503, "Nothing can be stored at present")
    static let tooManyStreams = Self("too-many-streams", 503, "Too many clients follow a feed")
    static let stopping = Self("stopping", 503, "The daemon is about to stop")
    static let outcomeUnknown = Self(
        "outcome-unknown", 504, "Nobody knows whether the change was stored")
    static let journalFull = Self("journal-full", 507, "There is no room to store the change")

    /// Every kind, in the order of the statuses.
    static let all: [Self] = [
        malformedJSON, malformedPatch, malformedRequest, badFraming, badField, badTarget,
        unauthorized, forbidden, crossOrigin, foreignEdit,
        unknownRoute, unknownDocument, unknownValue, unknownVersion, unknownRevision, unknownTag,
        unknownSnapshot,
        unknownProblem, methodNotAllowed, testFailed, nothingToUndo, nothingToRedo, notOnPath,
        outsideScope, rootScope, foreignScope, notInEffect, conflict, tooManySnapshots,
        versionMismatch, documentDeleted, trimmed,
        staleRevision, tagExists,
        snapshotExists,
        bodyTooLarge, documentTooLarge, tooManyOperations, targetTooLong, unsupportedMediaType,
        unknownHost, otherRequest, patchDoesNotApply, tooDeep, tooManyRequests, tooManyFields,
        internalError,
        damagedJournal,
        unknownMethod,
        journalUnavailable, tooManyStreams, stopping, outcomeUnknown, journalFull,
    ]
}

extension Problem {
    /// The answer: `application/problem+json`, or two lines of text for those who ask for text.
    func response(asText: Bool = false) -> HTTPResponse {
        var fields = fields
        fields.append((name: "Cache-Control", value: "no-store"))
        if asText {
            fields.append((name: "Content-Type", value: "text/plain; charset=utf-8"))
            let lines = ["error: \(detail)"] + (hint.map { ["hint: \($0)"] } ?? [])
            let text = lines.map { $0 + "\n" }.joined()
            return HTTPResponse(status: kind.status, fields: fields, body: Array(text.utf8))
        }
        fields.append((name: "Content-Type", value: "application/problem+json"))
        return HTTPResponse(status: kind.status, fields: fields, body: json)
    }

    /// The problem as JSON text.
    var json: [UInt8] {
        var text = JSONText()
        text.object { text in
            text.member("type", "/problems/\(kind.code)")
            text.member("title", kind.title)
            text.member("status", kind.status)
            text.member("detail", detail)
            text.member("code", kind.code)
            if let hint { text.member("hint", hint) }
            for (name, value) in members {
                switch value {
                case .number(let number): text.member(name, number)
                case .flag(let flag): text.member(name, flag)
                case .text(let string): text.member(name, string)
                case .json(let bytes): text.member(name, raw: bytes)
                }
            }
        }
        return text.line
    }
}
