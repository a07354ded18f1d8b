import HTTPServing
import Journaling

/// What a path names, and what can be done with it.
enum Route: Sendable, Equatable {
    case discovery
    case livez, readyz, metrics, openAPI
    case problems
    case problem(String)
    /// A file of the page for looking.
    case page(String)
    case documents
    case feed
    case document(DocumentID, Part)

    /// A document, or something of it.
    enum Part: Sendable, Equatable {
        case value
        case append, undo, redo, goTo, seal
        case status, settings
        case history, diff, feed
        case change(String)
        case tags
        case tag(String)
        case snapshots
        case snapshot(String), restore(String)
        case scopes, pushScope, popScope, discardScope
    }

    /// Tags are names for people; this is plenty.
    static let tagBytesMax = 256

    init(_ segments: [String]) throws(Problem) {
        switch (segments.count, segments.first) {
        case (1, "v1"): self = .discovery
        case (1, "livez"), (1, "healthz"): self = .livez
        case (1, "readyz"): self = .readyz
        case (1, "metrics"): self = .metrics
        case (1, "openapi.json"): self = .openAPI
        case (1, "problems"): self = .problems
        case (2, "problems"): self = .problem(segments[1])
        case (1, "ui"): self = .page("")
        case (2, "ui"): self = .page(segments[1])
        case (2, "v1") where segments[1] == "feed": self = .feed
        case (2..., "v1") where segments[1] == "documents":
            self =
                segments.count == 2
                ? .documents
                : .document(try Route.document(segments[2]), try Part(segments[3...]))
        default: throw Route.unknown
        }
    }

    static let unknown = Problem(
        .unknownRoute, "There is nothing at this path.", hint: "GET /v1 tells what there is.")

    private static func document(_ name: String) throws(Problem) -> DocumentID {
        guard let id = DocumentID(name) else {
            throw Problem(
                .malformedRequest, "A document's name has 1 to \(DocumentID.bytesMax) bytes.")
        }
        return id
    }

    /// The methods that may be used.
    var methods: [HTTPMethod] {
        switch self {
        case .discovery, .livez, .readyz, .metrics, .openAPI, .problems, .problem, .page,
            .documents, .feed:
            [.get, .head]
        case .document(_, let part): part.methods
        }
    }
}

extension Route {
    /// The document that it is about.
    var document: DocumentID? { if case .document(let id, _) = self { id } else { nil } }

    /// The path with names for what differs.
    var template: String {
        switch self {
        case .discovery: "/v1"
        case .livez: "/livez"
        case .readyz: "/readyz"
        case .metrics: "/metrics"
        case .openAPI: "/openapi.json"
        case .problems: "/problems"
        case .problem: "/problems/{code}"
        case .page(let name): name.isEmpty ? "/ui/" : "/ui/{file}"
        case .documents: "/v1/documents"
        case .feed: "/v1/feed"
        case .document(_, let part): part.template
        }
    }
}

extension Route.Part {
    /// The path with names for what differs.
    var template: String {
        switch self {
        case .value: "/v1/documents/{document}"
        case .append: "/v1/documents/{document}/append"
        case .undo: "/v1/documents/{document}/undo"
        case .redo: "/v1/documents/{document}/redo"
        case .goTo: "/v1/documents/{document}/goto"
        case .seal: "/v1/documents/{document}/seal"
        case .status: "/v1/documents/{document}/status"
        case .settings: "/v1/documents/{document}/settings"
        case .history: "/v1/documents/{document}/history"
        case .change: "/v1/documents/{document}/history/{revision}"
        case .diff: "/v1/documents/{document}/diff"
        case .feed: "/v1/documents/{document}/feed"
        case .tags: "/v1/documents/{document}/tags"
        case .tag: "/v1/documents/{document}/tags/{tag}"
        case .snapshots: "/v1/documents/{document}/snapshots"
        case .snapshot: "/v1/documents/{document}/snapshots/{key}"
        case .restore: "/v1/documents/{document}/snapshots/{key}/restore"
        case .scopes: "/v1/documents/{document}/scopes"
        case .pushScope: "/v1/documents/{document}/scopes/push"
        case .popScope: "/v1/documents/{document}/scopes/pop"
        case .discardScope: "/v1/documents/{document}/scopes/discard"
        }
    }
}

extension Route.Part {
    init(_ segments: ArraySlice<String>) throws(Problem) {
        guard let first = segments.first else {
            self = .value
            return
        }
        let second = segments.dropFirst().first
        switch (segments.count, first, second ?? "") {
        case (1, "append", _): self = .append
        case (1, "undo", _): self = .undo
        case (1, "redo", _): self = .redo
        case (1, "goto", _): self = .goTo
        case (1, "seal", _): self = .seal
        case (1, "status", _): self = .status
        case (1, "settings", _): self = .settings
        case (1, "history", _): self = .history
        case (1, "diff", _): self = .diff
        case (1, "feed", _): self = .feed
        case (1, "tags", _): self = .tags
        case (1, "scopes", _): self = .scopes
        case (1, "snapshots", _): self = .snapshots
        case (2, "snapshots", let key): self = .snapshot(try Route.Part.snapshotKey(key))
        case (3, "snapshots", let key) where segments.last == "restore":
            self = .restore(try Route.Part.snapshotKey(key))
        case (2, "history", let revision): self = .change(revision)
        case (2, "tags", let name): self = .tag(try Route.Part.tagName(name))
        case (2, "scopes", "push"): self = .pushScope
        case (2, "scopes", "pop"): self = .popScope
        case (2, "scopes", "discard"): self = .discardScope
        default: throw Route.unknown
        }
    }

    static func tagName(_ name: String) throws(Problem) -> String {
        guard !name.isEmpty, name.utf8.count <= Route.tagBytesMax else {
            throw Problem(.malformedRequest, "A tag has 1 to \(Route.tagBytesMax) bytes.")
        }
        return name
    }

    static func snapshotKey(_ key: String) throws(Problem) -> String {
        guard !key.isEmpty, key.utf8.count <= Route.tagBytesMax else {
            throw Problem(
                .malformedRequest, "A snapshot's key has 1 to \(Route.tagBytesMax) bytes.")
        }
        return key
    }

    var methods: [HTTPMethod] {
        switch self {
        case .value: [.get, .head, .put, .patch, .delete]
        case .append, .undo, .redo, .goTo, .seal, .pushScope, .popScope, .discardScope: [.post]
        case .status, .history, .diff, .feed, .change, .tags, .scopes: [.get, .head]
        case .settings: [.get, .head, .patch]
        case .snapshots: [.get, .head]
        case .restore: [.post]
        case .tag, .snapshot: [.get, .head, .put, .delete]
        }
    }
}
