import JSONTree
import TestSupport

@testable import VersiondAPI

/// `Reference/Calls.md`, from the table of endpoints and `/openapi.json`.
struct CallsPage {
    private let description = OpenAPI.document(.init(version: ""))
    let schemas: SchemaPage

    init() { schemas = SchemaPage(description) }

    private static func name(_ endpoint: Endpoint) -> String {
        "\(endpoint.method.rawValue) \(endpoint.template)"
    }

    /// The anchor of a heading.
    private static func anchor(_ heading: String) -> String {
        String(
            heading.lowercased().compactMap { character in
                character == " " || character == "-"
                    ? "-" : character.isLetter || character.isNumber ? character : nil
            })
    }

    /// All calls, with links to their descriptions.
    var index: String {
        Endpoint.sections.map { section in
            let rows = section.endpoints.map { endpoint in
                let name = CallsPage.name(endpoint)
                let right = endpoint.right?.names.last ?? "–"
                let anchor = CallsPage.anchor(name)
                // The anchor of a path without letters differs between generators of sites.
                let link = anchor.hasSuffix("-") ? "`\(name)`" : "[`\(name)`](#\(anchor))"
                return [link, right, endpoint.summary]
            }
            return "**[\(section.title)](#\(CallsPage.anchor(section.title)))**\n\n"
                + ReferencePage.table(["call", "right", "meaning"], rows)
        }.joined(separator: "\n")
    }

    /// The header fields of changes, which include those of the other calls about a document.
    var fields: String {
        let change = Endpoint.all.first { $0.isChange && $0.isAboutDocument }
        let rows = parameters(of: change, in: "header").map { parameter in
            ["`\(parameter["name"]?.string ?? "")`", parameter["description"]?.string ?? ""]
        }
        return ReferencePage.table(["field", "meaning"], rows)
    }

    /// The problems of many calls.
    var problems: String {
        let rows = Problem.Kind.common.map { [$0.of, CallsPage.codes($0.kinds)] }
        return ReferencePage.table(["calls", "problems"], rows)
    }

    /// The calls by subject.
    var calls: String {
        Endpoint.sections.map { section in
            "## \(section.title)\n\nThe guide: [\(section.title)](../\(section.guide)).\n\n"
                + section.endpoints.map(call).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private func call(_ endpoint: Endpoint) -> String {
        let right = endpoint.right.flatMap(\.names.last).map { "right `\($0)`" } ?? "no token"
        let parts = [
            "### \(CallsPage.name(endpoint))",
            "\(endpoint.summary) \(endpoint.description)",
            "`\(endpoint.id)`, \(right)", query(endpoint), body(endpoint), responses(endpoint),
            example(endpoint),
        ]
        return parts.filter { !$0.isEmpty }.map { $0.trimmingSuffix("\n") }
            .joined(separator: "\n\n") + "\n"
    }

    private func operation(_ endpoint: Endpoint) -> JSON? {
        description["paths"]?[endpoint.template]?[endpoint.method.rawValue.lowercased()]
    }

    private func parameters(of endpoint: Endpoint?, in place: String) -> [JSON] {
        let all = endpoint.flatMap { operation($0)?["parameters"]?.elements } ?? []
        return all.filter { $0["in"]?.string == place }
    }

    private func query(_ endpoint: Endpoint) -> String {
        let rows = endpoint.query.map { parameter in
            [
                "`\(parameter.name)`", schemas.type(["$ref": JSON("/" + parameter.schema)]),
                parameter.isRequired ? "required" : parameter.fallback, parameter.meaning,
            ]
        }
        return ReferencePage.table(["query", "type", "default", "meaning"], rows)
    }

    private func body(_ endpoint: Endpoint) -> String {
        guard let body = operation(endpoint)?["requestBody"] else { return "" }
        let schema = body["content"]?["application/json"]?["schema"] ?? [:]
        let isRequired = body["required"] == true
        let note = body["description"]?.string.map { " \($0)" } ?? ""
        return
            "**Body** (\(isRequired ? "required" : "optional")): \(schemas.type(schema)).\(note)\n"
            + table(schema)
    }

    /// The members of a schema that has no section of its own.
    private func table(_ schema: JSON) -> String {
        guard let name = schema.referencedName, schemas.inline.contains(name),
            let schema = schemas.schemas[name]
        else { return "" }
        return "\n" + schemas.members(of: schema)
    }

    private func responses(_ endpoint: Endpoint) -> String {
        var tables = ""
        let successes = (operation(endpoint)?["responses"]?.members ?? []).filter { $0.name < "4" }
        let rows = successes.map { status, response in
            let content = response["content"]?.members ?? []
            let types = content.map { type, media in
                let schema = media["schema"] ?? [:]
                if type == "application/json" { tables += table(schema) }
                return type == "application/json" ? schemas.type(schema) : "`\(type)`"
            }
            return [
                status, types.joined(separator: ", "), response["description"]?.string ?? "",
            ]
        }
        let problems = Dictionary(grouping: endpoint.problems, by: \.status)
            .sorted { $0.key < $1.key }
            .map { ["\($0.key)", "[Problem](#problem)", CallsPage.codes($0.value)] }
        return ReferencePage.table(["status", "body", "meaning"], rows + problems) + tables
    }

    private static func codes(_ kinds: [Problem.Kind]) -> String {
        kinds.map { "`\($0.code)`" }.joined(separator: ", ")
    }

    private func example(_ endpoint: Endpoint) -> String {
        guard let example = Example.shown(endpoint.id) else { return "" }
        let request = "```sh\n\(example.curl)\n```"
        guard let response = Example.responses[endpoint.id], let body = response.body else {
            return request
        }
        let isText = body.string != nil
        let text = body.string ?? ReferencePage.layout(body)
        return request + "\n\n```\(isText ? "text" : "json")\n\(text.trimmingSuffix("\n"))\n```"
    }
}

extension String {
    /// The text without its last characters, if they are these.
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self
        while text.last == suffix { text.removeLast() }
        return text
    }
}
