import JSONTree
import TestSupport

@testable import VersiondAPI

/// The schemas of `/openapi.json` as tables of members.
struct SchemaPage {
    /// All schemas by name, with the meaning of each member.
    let schemas: JSON
    /// Schemas that one call alone uses: they are shown at the call.
    let inline: Set<String>

    init(_ description: JSON) {
        schemas = description["components"]?["schemas"] ?? [:]
        let paths = description["paths"]?.description ?? ""
        let all = schemas
        let names = all.members?.map(\.name) ?? []
        inline = Set(
            names.filter { name in
                let reference = "#/components/schemas/\(name)\""
                let users = (all.members ?? []).filter { $0.value.description.contains(reference) }
                let uses = paths.components(separatedBy: reference).count - 1
                return users.isEmpty && uses == 1 && SchemaPage.isShape(all[name])
            })
    }

    /// Whether it has members of its own.
    private static func isShape(_ schema: JSON?) -> Bool {
        ["properties", "allOf", "anyOf"].contains { schema?[$0] != nil }
    }

    /// The shapes that several calls share, each with a heading.
    var shapes: String {
        (schemas.members ?? []).filter { SchemaPage.isShape($0.value) && !inline.contains($0.name) }
            .sorted { $0.name < $1.name }
            .map { "### \($0.name)\n\n\(members(of: $0.value))" }.joined(separator: "\n")
    }

    /// The simple types.
    var types: String {
        let simple = (schemas.members ?? []).filter { !SchemaPage.isShape($0.value) }
        return simple.sorted { $0.name < $1.name }.map { name, schema in
            let examples = schema["examples"]?.elements?.map { "`\($0.string ?? "\($0)")`" } ?? []
            let example = examples.isEmpty ? "" : " Example: \(examples.joined(separator: ", "))."
            let isAny = schema["type"] == nil && schema["enum"] == nil
            let meaning = isAny ? "" : schema["description"]?.string.map { " " + $0 } ?? ""
            let bounds = SchemaPage.bounds(schema)
            let type = name == "ProblemCode" ? "a code of [Problems](Problems.md)" : type(schema)
            return "### \(name)\n\n\(type.prefix(1).uppercased() + type.dropFirst())\(bounds)."
                + "\(meaning)\(example)\n"
        }.joined(separator: "\n")
    }

    private static func bounds(_ schema: JSON) -> String {
        let ranges = [
            ("minimum", "maximum", ""), ("minLength", "maxLength", " characters"),
            ("minItems", "maxItems", " items"),
        ]
        let found = ranges.compactMap { least, most, unit -> String? in
            switch (schema[least], schema[most]) {
            case (let least?, let most?): "\(least) to \(most)\(unit)"
            case (let least?, nil): "at least \(least)\(unit)"
            case (nil, let most?): "at most \(most)\(unit)"
            case (nil, nil): nil
            }
        }
        let pattern = schema["pattern"]?.string.map { ["matching `\($0)`"] } ?? []
        return (found + pattern).map { ", " + $0 }.joined()
    }

    /// The members of a shape as a table, after the shapes that it contains.
    func members(of schema: JSON) -> String {
        let parts = ["allOf", "anyOf"].flatMap { schema[$0]?.elements ?? [] }
        let named = parts.filter { $0["$ref"] != nil }.map(type)
        let whole = schema["anyOf"] == nil ? "and these" : "or these"
        var text = schema["description"]?.string.map { $0 + "\n\n" } ?? ""
        if !named.isEmpty {
            text += "The members of \(named.joined(separator: ", ")), \(whole):\n\n"
        }
        let rows = ([schema] + parts).flatMap { self.rows(of: $0, "") }
        return text + ReferencePage.table(["member", "type", "required", "meaning"], rows)
    }

    private func rows(of schema: JSON, _ path: String) -> [[String]] {
        let required = Set(schema["required"]?.elements?.compactMap(\.string) ?? [])
        return (schema["properties"]?.members ?? []).flatMap { name, member -> [[String]] in
            let row = [
                "`\(path)\(name)`", type(member), required.contains(name) ? "yes" : "",
                member["description"]?.string ?? "",
            ]
            let items = member["items"]
            let inner = items?["properties"] == nil ? member : items ?? member
            let mark = items?["properties"] == nil ? "." : "[]."
            return [row] + rows(of: inner, path + name + mark)
        }
    }

    /// The type of several values.
    private func types(_ schema: JSON) -> String {
        let type = type(schema)
        return ["string", "integer", "object"].contains(type) ? type + "s" : type
    }

    /// The type of a value, with a link to its description.
    func type(_ schema: JSON) -> String {
        if let name = schema.referencedName {
            return inline.contains(name) ? name : "[\(name)](#\(name.lowercased()))"
        }
        if let options = schema["oneOf"]?.elements {
            return options.map(type).joined(separator: " or ")
        }
        if let value = schema["const"] { return "`\(value.string ?? "\(value)")`" }
        if let values = schema["enum"]?.elements {
            return values.filter { $0 != "" }.map { "`\($0.string ?? "\($0)")`" }
                .joined(separator: ", ")
        }
        let names = schema["type"]?.elements?.compactMap(\.string) ?? [schema["type"]?.string ?? ""]
        return names.map { name in
            switch name {
            case "": "any JSON"
            case "array": "array of " + (schema["items"].map(types) ?? "any JSON")
            case "object":
                schema["additionalProperties"].flatMap { $0 == false ? nil : $0 }
                    .map { "object of \(type($0))" } ?? "object"
            default: name
            }
        }.joined(separator: " or ")
    }
}

extension JSON {
    /// The name of the schema that `$ref` refers to.
    var referencedName: String? {
        self["$ref"]?.string?.split(separator: "/").last.map(String.init)
    }
}
