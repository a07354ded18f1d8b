import HTTPServing
import Journaling

/// What a path names, and what can be done with it.
enum Route: Sendable, Equatable {
    case discovery
    case livez, readyz
    case problems
    case problem(String)
    case documents
    case document(DocumentID, Part)

    /// A document, or something of it.
    enum Part: Sendable, Equatable {
        case value
        case append, undo, redo, goTo, seal
        case status, settings
        case history
        case change(String)
        case tags
        case tag(String)
        case scopes, pushScope, popScope, discardScope
    }

    /// Tags are names for people; this is plenty.
    static let tagBytesMax = 256

    init(_ segments: [String]) throws(Problem) {
        switch segments {
        case ["v1"]: self = .discovery
        case ["livez"], ["healthz"]: self = .livez
        case ["readyz"]: self = .readyz
        case ["problems"]: self = .problems
        case ["v1", "documents"]: self = .documents
        default:
            if segments.count == 2 && segments[0] == "problems" {
                self = .problem(segments[1])
            } else if segments.count >= 3 && segments[0] == "v1" && segments[1] == "documents" {
                self = .document(
                    try Route.document(segments[2]), try Part(Array(segments.dropFirst(3))))
            } else {
                throw Route.unknown
            }
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
        case .discovery, .livez, .readyz, .problems, .problem, .documents: [.get, .head]
        case .document(_, let part): part.methods
        }
    }
}

extension Route.Part {
    init(_ segments: [String]) throws(Problem) {
        switch segments {
        case []: self = .value
        case ["append"]: self = .append
        case ["undo"]: self = .undo
        case ["redo"]: self = .redo
        case ["goto"]: self = .goTo
        case ["seal"]: self = .seal
        case ["status"]: self = .status
        case ["settings"]: self = .settings
        case ["history"]: self = .history
        case ["tags"]: self = .tags
        case ["scopes"]: self = .scopes
        case ["scopes", "push"]: self = .pushScope
        case ["scopes", "pop"]: self = .popScope
        case ["scopes", "discard"]: self = .discardScope
        default:
            guard segments.count == 2 else { throw Route.unknown }
            switch segments[0] {
            case "history": self = .change(segments[1])
            case "tags": self = .tag(try Route.Part.tagName(segments[1]))
            default: throw Route.unknown
            }
        }
    }

    static func tagName(_ name: String) throws(Problem) -> String {
        guard !name.isEmpty, name.utf8.count <= Route.tagBytesMax else {
            throw Problem(.malformedRequest, "A tag has 1 to \(Route.tagBytesMax) bytes.")
        }
        return name
    }

    var methods: [HTTPMethod] {
        switch self {
        case .value: [.get, .head, .put, .patch, .delete]
        case .append, .undo, .redo, .goTo, .seal, .pushScope, .popScope, .discardScope: [.post]
        case .status, .history, .change, .tags, .scopes: [.get, .head]
        case .settings: [.get, .head, .patch]
        case .tag: [.get, .head, .put, .delete]
        }
    }
}
