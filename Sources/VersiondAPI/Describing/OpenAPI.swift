import AccessControl
import HTTPServing
import JSONTree

/// The OpenAPI 3.1 description of all endpoints.
enum OpenAPI {
    /// The approximate memory that its generation needs.
    static let workBytes = 4 << 20

    /// The description of this daemon.
    static func document(_ identity: DocumentsAPI.Identity) -> JSON {
        var paths: [(String, JSON)] = []
        for endpoint in Endpoint.all where !paths.contains(where: { $0.0 == endpoint.template }) {
            let here = Endpoint.all.filter { $0.template == endpoint.template }
            var members = here.map { ($0.method.rawValue.lowercased(), operation($0)) }
            let names = pathParameters(endpoint.template)
            if names.count > 0 { members.insert(("parameters", names), at: 0) }
            paths.append((endpoint.template, JSON(members: members)))
        }
        let info: JSON = [
            "title": "versiond", "version": JSON(identity.version),
            "summary": "A durable, shared undo history for any JSON document.",
            "license": ["name": "MIT", "identifier": "MIT"],
        ]
        var members: [(String, JSON)] = [
            ("openapi", "3.1.0"), ("info", info),
            // Relative to this description.
            ("servers", [["url": "/"]]), ("paths", JSON(members: paths)),
            ("components", components), ("security", [[:], ["token": []]]),
        ]
        if !identity.documentation.isEmpty {
            members.append(("externalDocs", ["url": JSON(identity.documentation)]))
        }
        return JSON(members: members)
    }

    private static var components: JSON {
        let codes = Problem.Kind.all.map { JSON($0.code) }
        let schemas =
            (Schemas.described.members ?? []).map { ($0.name, $0.value) } + [
                ("ProblemCode", ["type": "string", "enum": JSON(elements: codes)] as JSON)
            ]
        return [
            "schemas": JSON(members: schemas),
            "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            "headers": [
                "ETag": ["description": "The revision, in quotes.", "schema": ["type": "string"]]
            ],
        ]
    }

    private static func reference(_ schema: String) -> JSON {
        ["$ref": JSON("#/components/schemas/\(schema)")]
    }

    private static let pathSchemas = ["revision": "Revision", "client": "ClientName"]

    private static func pathParameters(_ path: String) -> JSON {
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
        return JSON(
            elements: names.map { name in
                [
                    "name": JSON(name), "in": "path", "required": true,
                    "schema": reference(pathSchemas[name] ?? "PathName"),
                ]
            })
    }

    /// The description of a call.
    static func operation(_ endpoint: Endpoint) -> JSON {
        let example = Example.shown(endpoint.id)
        var members: [(String, JSON)] = [
            ("operationId", JSON(endpoint.id)), ("summary", JSON(endpoint.summary)),
            ("description", JSON(endpoint.description)),
        ]
        let parameters = endpoint.query.map(query) + fields(of: endpoint)
        members.append(("parameters", JSON(elements: parameters)))
        if let body = body(endpoint.body, example) { members.append(("requestBody", body)) }
        members.append(("responses", responses(endpoint)))
        if endpoint.right == nil { members.append(("security", JSON(elements: []))) }
        if let example {
            let code: JSON = ["lang": "Shell", "source": JSON(example.curl)]
            members.append(("x-codeSamples", [code]))
        }
        return JSON(members: members)
    }

    private static func query(_ parameter: Endpoint.Parameter) -> JSON {
        [
            "name": JSON(parameter.name), "in": "query",
            "required": JSON(parameter.isRequired),
            "description": JSON(
                parameter.fallback.isEmpty
                    ? parameter.meaning : "\(parameter.meaning) Default: \(parameter.fallback)."),
            "schema": reference(parameter.schema),
        ]
    }

    private static func field(
        _ name: String, _ meaning: String, _ schema: JSON = ["type": "string"]
    ) -> JSON {
        [
            "name": JSON(name), "in": "header", "required": false, "description": JSON(meaning),
            "schema": schema,
        ]
    }

    private static func fields(of endpoint: Endpoint) -> [JSON] {
        guard endpoint.isAboutDocument else { return [] }
        var fields = [field("If-None-Match", "* or quoted revisions that the client already has.")]
        if endpoint.isChange {
            fields += [
                field("If-Match", "Quoted revisions, one of which must be the head."),
                field(
                    "Idempotency-Key", "A key that makes the request safe to retry.",
                    ["type": "string", "minLength": 1, "maxLength": JSON(Limits.tokenBytesMax)]),
                field("Versiond-Actor", "The actor of the change; percent-encoded."),
                field(
                    "Versiond-Prompt-By",
                    "The requester, who asked the actor for the change; percent-encoded. "
                        + "Recorded as `promptBy`, and not verified."),
                field(
                    "Prefer",
                    "return=minimal, return=representation, text-operations, own-undo."),
            ]
        }
        return fields
    }

    private static func body(_ body: Endpoint.Body, _ example: Example?) -> JSON? {
        let isJSON = example?.mediaType == MediaType.json
        let value = isJSON ? example?.body.flatMap { try? JSON(parsing: Array($0.utf8)) } : nil
        func content(_ types: [String], _ schema: JSON) -> JSON {
            JSON(members: types.map { ($0, media(schema, value)) })
        }
        switch body {
        case .none: return nil
        case .command(let schema):
            return ["required": false, "content": content([MediaType.json], reference(schema))]
        case .required(let schema):
            return ["required": true, "content": content([MediaType.json], reference(schema))]
        case .value:
            return ["required": true, "content": content([MediaType.json], reference("Anything"))]
        case .edit(let schema, let others):
            let words = others.map { "`\($0)`" }.joined(separator: " and ")
            return [
                "required": true, "content": content([MediaType.json], reference(schema)),
                "description": JSON("Also accepts \(words)."),
            ]
        }
    }

    private static func media(_ schema: JSON, _ example: JSON?) -> JSON {
        guard let example else { return ["schema": schema] }
        return ["schema": schema, "example": example]
    }

    private static func responses(_ endpoint: Endpoint) -> JSON {
        let example = Example.responses[endpoint.id]
        let successes = successes(of: endpoint)
        var responses = successes.map { status, meaning, content in
            let value = example?.status == status ? example?.body : nil
            return (status, response(meaning, content, value))
        }
        if !endpoint.isChange && endpoint.isAboutDocument {
            responses.append(("304", response("Not modified.", [])))
        }
        if endpoint.isOfAgents {
            responses.append(("202", response("The message needs no answer.", [])))
        }
        let problem = refusal(of: endpoint)
        let problems = Dictionary(grouping: Problem.Kind.possible(in: endpoint), by: \.status)
        for (status, kinds) in problems.sorted(by: { $0.key < $1.key }) {
            let codes = kinds.map { "`\($0.code)`: \($0.title)." }.joined(separator: " ")
            responses.append(("\(status)", response(codes, problem)))
        }
        responses.append(("default", response("Any other problem (RFC 9457).", problem)))
        return JSON(members: responses)
    }

    private typealias Content = [(type: String, schema: JSON)]

    /// A problem; a message that is refused also has an answer of its protocol.
    private static func refusal(of endpoint: Endpoint) -> Content {
        let problem: Content = [("application/problem+json", reference("Problem"))]
        return endpoint.isOfAgents
            ? problem + [(MediaType.json, reference("AgentMessage"))] : problem
    }

    private static func response(
        _ meaning: String, _ content: Content, _ example: JSON? = nil
    ) -> JSON {
        var response: [(String, JSON)] = [("description", JSON(meaning))]
        if !content.isEmpty {
            // The first type is that of the example.
            let types = content.enumerated().map { place, content in
                (content.type, media(content.schema, place == 0 ? example : nil))
            }
            response.append(("content", JSON(members: types)))
        }
        return JSON(members: response)
    }

    private static func successes(
        of endpoint: Endpoint
    ) -> [(status: String, meaning: String, content: Content)] {
        func json(_ schema: String) -> Content { [(MediaType.json, reference(schema))] }
        func text(_ types: String...) -> Content { types.map { ($0, ["type": "string"]) } }
        switch endpoint.response {
        case .change:
            let made = ("201", "As 200, if the request created what it names.", json("Change"))
            return [
                ("200", "The change and the resulting state of the document.", json("Change"))
            ] + (endpoint.creates ? [made] : []) + [
                ("204", "The same without a body, if the client prefers `return=minimal`.", [])
            ]
        case .value: return [("200", "The value.", json("Anything") + text("text/plain"))]
        case .schema(let name):
            let made = ("201", "As 200, if the request created what it names.", json(name))
            return [("200", "The current state.", json(name))] + (endpoint.creates ? [made] : [])
        case .list(let name):
            return [
                ("200", "A page, or one object on each line.", json(name) + text(MediaType.lines))
            ]
        case .feed:
            let content = json("FeedPage") + text(MediaType.lines, MediaType.events)
            return [("200", "Changes in order.", content)]
        case .lines:
            // Generators do not support lines and leave an undescribed body unparsed.
            return [("200", "One object on each line (\(MediaType.lines)).", [])]
        case .text: return [("200", "The current state.", text("text/plain"))]
        case .file:
            let types = text("text/html", "text/css", "text/javascript", "text/plain")
            return [("200", "A file for browsers.", types)]
        case .redirection: return [("307", "The address is in `Location`.", [])]
        case .nothing: return [("204", "Done.", [])]
        }
    }
}

extension Problem.Kind {
    /// Problems of many endpoints: which endpoints, and the problems.
    static let common: [(of: String, isOf: @Sendable (Endpoint) -> Bool, kinds: [Problem.Kind])] = [
        ("All calls", { _ in true }, [.malformedRequest]),
        (
            "Calls that need a right", { $0.right != nil },
            [
                .unauthorized, .tokenExpired, .tokenNotYet, .unknownIssuer, .badSignature,
                .badClaims, .forbidden, .crossOrigin, .tooManyRequests,
            ]
        ),
        (
            "Calls about a document", \.isAboutDocument,
            [
                .unknownDocument, .documentDeleted, .documentPurged, .staleRevision,
                .damagedJournal, .journalUnavailable, .overtaken,
            ]
        ),
        // The revision of a change may belong to a lost history.
        (
            "Calls with an address of a state", { $0.problems.contains(.unknownRevision) },
            [.otherHistory]
        ),
        (
            "Changes", \.isChange,
            [
                .otherRequest, .matchRequired, .stopping, .journalFull, .outcomeUnknown,
                .journalUncertain, .schemaViolation, .schemaTooCostly, .quotaReached, .quotaFull,
            ]
        ),
        (
            "Calls with a body", \.body.isPresent,
            [.malformedJSON, .unsupportedMediaType, .bodyTooLarge]
        ),
        ("Calls with a value or an edit", \.body.isEdit, [.documentTooLarge, .tooDeep]),
    ]

    /// The problems of an endpoint, in addition to those of HTTP itself.
    static func possible(in endpoint: Endpoint) -> [Problem.Kind] {
        common.filter { $0.isOf(endpoint) }.flatMap(\.kinds) + endpoint.problems
    }
}

extension DocumentsAPI {
    /// `GET /openapi.json`: made each time, some 7 ms, so not on the event loop.
    func openAPI(_ call: Call) throws(Problem) {
        try inBackground(call, nil, OpenAPI.workBytes) { [identity] call in
            call.send(call.json(OpenAPI.document(identity).serialized()))
        }
    }
}
