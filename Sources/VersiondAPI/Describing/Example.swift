import HTTPServing
import JSONTree

/// An example of a call. All examples run in the order of `Example.all`, as one session; the ones
/// that prepare others are not shown.
struct Example: Sendable {
    /// The endpoint's id.
    let id: String
    /// The path and the query.
    let target: String
    let actor: String
    let mediaType: String
    let body: String?

    init(
        _ id: String, _ target: String, by actor: String = "", _ body: String? = nil,
        as mediaType: String = MediaType.json
    ) {
        self.id = id
        self.target = target
        self.actor = actor
        self.mediaType = mediaType
        self.body = body
    }

    /// The example that is shown for an endpoint: the first one.
    static func shown(_ id: String) -> Example? { all.first { $0.id == id } }

    var method: HTTPMethod? { Endpoint.all.first { $0.id == id }?.method }

    /// The header fields of the request.
    var fields: [(name: String, value: String)] {
        let actors = actor.isEmpty ? [] : [(name: "Versiond-Actor", value: actor)]
        return actors + (body == nil ? [] : [(name: "Content-Type", value: mediaType)])
    }

    /// The request at a shell.
    var curl: String {
        let method = method ?? .get
        let isPlain = !target.contains { "?&~".contains($0) }
        let url = isPlain ? "localhost:8080" + target : "'localhost:8080\(target)'"
        let parts = [
            ["curl"], method == .get ? [] : ["-X \(method.rawValue)"], [url],
            fields.map { "-H '\($0.name): \($0.value)'" }, body.map { ["-d '\($0)'"] } ?? [],
        ]
        return parts.joined().reduce(into: "") { text, part in
            let line = text.split(separator: "\n").last ?? ""
            let isLong = line.utf8.count + part.utf8.count > 96
            text += text.isEmpty ? part : (isLong ? " \\\n  " : " ") + part
        }
    }

    /// The status and the body of the response to a shown example. A text is a JSON string.
    struct Response: Sendable {
        let status: String
        let body: JSON?
    }

    /// The responses by the ids of endpoints.
    static let responses = Dictionary(
        uniqueKeysWithValues: responseText.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            let body = parts.count > 2 ? try? JSON(parsing: Array(parts[2].utf8)) : nil
            return (parts[0], Response(status: parts[1], body: body))
        })
}
