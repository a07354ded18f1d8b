import AccessControl
import HTTPServing
import JSONTree

/// The description of everything that can be done, for programs (OpenAPI 3.1).
enum OpenAPI {
    /// The description of this version.
    static func document(version: String) -> JSON {
        var paths: [(String, JSON)] = []
        for operation in Operation.all where !paths.contains(where: { $0.0 == operation.path }) {
            let here = Operation.all.filter { $0.path == operation.path }
            var members = here.map { ($0.method.rawValue.lowercased(), describe($0)) }
            let names = pathParameters(operation.path)
            if names.count > 0 { members.insert(("parameters", names), at: 0) }
            paths.append((operation.path, JSON(members: members)))
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "versiond", "version": JSON(version),
                "summary": "A durable, shared undo history for any JSON document.",
                "license": ["name": "MIT", "identifier": "MIT"],
            ],
            "paths": JSON(members: paths),
            "components": components,
            "security": [[:], ["token": []]],
        ]
    }

    private static var components: JSON {
        let codes = Problem.Kind.all.map { JSON($0.code) }
        let schemas =
            (Schemas.all.members ?? []).map { ($0.name, $0.value) } + [
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

    private static func pathParameters(_ path: String) -> JSON {
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
        return JSON(
            elements: names.map { name in
                [
                    "name": JSON(name), "in": "path", "required": true,
                    "schema": reference(name == "revision" ? "Revision" : "Name"),
                ]
            })
    }

    private static func describe(_ operation: Operation) -> JSON {
        var members: [(String, JSON)] = [
            ("operationId", JSON(operation.id)), ("summary", JSON(operation.summary)),
        ]
        let parameters = operation.query.map(query) + fields(of: operation)
        members.append(("parameters", JSON(elements: parameters)))
        if let body = body(operation.body) { members.append(("requestBody", body)) }
        members.append(("responses", responses(operation)))
        return JSON(members: members)
    }

    private static func query(_ parameter: Operation.Parameter) -> JSON {
        [
            "name": JSON(parameter.name), "in": "query",
            "required": JSON(parameter.isNeeded),
            "description": JSON(parameter.meaning), "schema": reference(parameter.schema),
        ]
    }

    private static func field(_ name: String, _ meaning: String) -> JSON {
        [
            "name": JSON(name), "in": "header", "required": false, "description": JSON(meaning),
            "schema": ["type": "string"],
        ]
    }

    private static func fields(of operation: Operation) -> [JSON] {
        guard operation.path.contains("{document}") else { return [] }
        var fields = [field("If-None-Match", "* or quoted revisions that are known already.")]
        if operation.isChange {
            fields += [
                field("If-Match", "Quoted revisions, one of which must be the head."),
                field("Idempotency-Key", "A mark, so that sending it again does nothing more."),
                field("Versiond-Actor", "Who does it, where no token says so."),
                field("Prefer", "return=minimal, return=representation, text-operations."),
            ]
        }
        return fields
    }

    private static func body(_ body: Operation.Body) -> JSON? {
        func content(_ types: [String], _ schema: JSON) -> JSON {
            JSON(members: types.map { ($0, ["schema": schema] as JSON) })
        }
        switch body {
        case .none: return nil
        case .command(let schema):
            return ["required": false, "content": content([MediaType.json], reference(schema))]
        case .needed(let schema):
            return ["required": true, "content": content([MediaType.json], reference(schema))]
        case .value(let types):
            let members = types.map { type -> (String, JSON) in
                (type, ["schema": reference(type == MediaType.jsonPatch ? "Patch" : "Anything")])
            }
            return ["required": true, "content": JSON(members: members)]
        }
    }

    private static func responses(_ operation: Operation) -> JSON {
        var members: [(String, JSON)] = []
        func add(_ status: String, _ meaning: String, _ content: [(String, JSON)]) {
            var response: [(String, JSON)] = [("description", JSON(meaning))]
            if !content.isEmpty {
                let types = content.map { ($0.0, ["schema": $0.1] as JSON) }
                response.append(("content", JSON(members: types)))
            }
            members.append((status, JSON(members: response)))
        }
        let json = { (schema: String) in [(MediaType.json, reference(schema))] }
        switch operation.answer {
        case .change:
            add("200", "What was changed, and what can be done next.", json("Change"))
            add("201", "The document was made.", json("Change"))
            add("204", "As with 200, if only that was preferred.", [])
        case .value:
            add("200", "The value.", json("Anything") + [("text/plain", ["type": "string"])])
        case .schema(let name):
            let isList = operation.query.contains { $0.name == "limit" }
            let lines = isList ? [(MediaType.lines, ["type": "string"] as JSON)] : []
            add("200", "As it is now.", json(name) + lines)
        case .feed:
            let streams = [MediaType.lines, MediaType.events]
            add("200", "Changes.", json("FeedPage") + streams.map { ($0, ["type": "string"]) })
        case .text: add("200", "As it is now.", [("text/plain", ["type": "string"])])
        case .page:
            let types = ["text/html", "text/css", "text/javascript"]
            add("200", "For browsers.", types.map { ($0, ["type": "string"]) })
        case .nothing: add("204", "It is done.", [])
        }
        if !operation.isChange { add("304", "It is as the client knows it.", []) }
        add(
            "default", "A problem (RFC 9457).", [("application/problem+json", reference("Problem"))]
        )
        return JSON(members: members)
    }
}

extension DocumentsAPI {
    /// `GET /openapi.json`
    func openAPI(_ call: Call) -> HTTPResponse {
        call.json(OpenAPI.document(version: identity.version).serialized())
    }
}
