import HTTPServing
import Journaling

/// Finds the endpoint of a request, from the table.
struct Router: Sendable {
    /// A path of the table, with the endpoints for its methods.
    final class Path: Sendable {
        let template: String
        let endpoints: [Endpoint]
        /// The methods of the path, as `Allow` lists them.
        let allow: String

        fileprivate init(_ template: String, _ endpoints: [Endpoint]) {
            self.template = template
            self.endpoints = endpoints
            let methods = endpoints.flatMap { endpoint -> [HTTPMethod] in
                endpoint.method == .get ? [.get, .head] : [endpoint.method]
            }
            allow = (methods + [.options]).map(\.rawValue).joined(separator: ", ")
        }

        /// The endpoint for a method; HEAD is a GET without a body.
        func endpoint(_ method: HTTPMethod) -> Endpoint? {
            let method = method == .head ? .get : method
            return endpoints.first { $0.method == method }
        }
    }

    /// A path that was found, with its parameters.
    struct Match: Sendable {
        let path: Path
        var document: DocumentID?
        /// Another parameter: a tag, a snapshot, a revision, a code or a file.
        var part = ""
    }

    /// The continuations of a segment.
    private final class Node: Sendable {
        let path: Path?
        /// Few, so that a linear search is faster than hashing.
        let literals: [(segment: String, node: Node)]
        /// The name and the node of a parameter.
        let parameter: (name: String, node: Node)?

        /// The node for the segments before `depth` that all these paths share.
        init(_ paths: [(segments: [String], path: Path)], depth: Int = 0) {
            path = paths.first { $0.segments.count == depth }?.path
            let longer = paths.filter { $0.segments.count > depth }
            let groups = Dictionary(grouping: longer) { $0.segments[depth] }
            literals = groups.filter { !$0.key.hasPrefix("{") }
                .map { ($0.key, Node($0.value, depth: depth + 1)) }
            parameter = groups.first { $0.key.hasPrefix("{") }.map {
                (
                    name: String($0.key.dropFirst().dropLast()),
                    node: Node($0.value, depth: depth + 1)
                )
            }
        }
    }

    private let root: Node

    /// `aliases` are other paths of templates.
    init(_ endpoints: [Endpoint], aliases: [String: String] = [:]) {
        var paths: [(segments: [String], path: Path)] = []
        for (template, endpoints) in Dictionary(grouping: endpoints, by: \.template) {
            let path = Path(template, endpoints)
            let names = [template] + aliases.filter { $0.value == template }.map(\.key)
            paths += names.map { ($0.split(separator: "/").map(String.init), path) }
        }
        root = Node(paths)
    }

    /// The path that these segments lead to. Throws for parameters that cannot be names.
    func match(_ segments: [String]) throws(Problem) -> Match {
        var node = root
        var document: DocumentID?
        var part = ""
        for segment in segments {
            if let next = node.literals.first(where: { $0.segment == segment })?.node {
                node = next
            } else if let (name, next) = node.parameter {
                node = next
                if name == "document" {
                    document = try Router.document(segment)
                } else {
                    part = try Router.part(name, segment)
                }
            } else {
                throw Router.unknown(segments)
            }
        }
        guard let path = node.path else { throw Router.unknown(segments) }
        return Match(path: path, document: document, part: part)
    }

    static func unknown(_ segments: [String]) -> Problem {
        Problem(.unknownRoute, "The path /\(segments.joined(separator: "/")) is unknown.")
    }

    private static func document(_ name: String) throws(Problem) -> DocumentID {
        guard let id = DocumentID(name) else {
            throw Problem(
                .malformedRequest, "A document's name has 1 to \(DocumentID.bytesMax) bytes.")
        }
        return id
    }

    private static func part(_ name: String, _ text: String) throws(Problem) -> String {
        switch name {
        case "client": _ = try DocumentsAPI.client(text)
        case "tag": try Limits.checkName(text, "A tag")
        case "snapshot": try Limits.checkName(text, "A snapshot's name")
        default: break
        }
        return text
    }
}
