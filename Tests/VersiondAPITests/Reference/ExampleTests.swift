import Foundation
import JSONSchemas
import JSONTree
import Journaling
import TestSupport
import Testing

@testable import VersiondAPI

/// The examples of the reference, sent to a daemon: what comes back is what is described.
@Suite struct ExampleTests {
    /// Times and numbers of the examples begin here.
    private static let start = 1_769_860_800_000
    /// Responses that a page does not show: they are long.
    private static let long: Set = [
        "readMetrics", "readDescription", "listProblems", "openWebUI", "readWebUIFile",
        "readClient", "readClientTypes", "exportChanges",
    ]

    @Test func `every call has an example and a description`() {
        for endpoint in Endpoint.all {
            #expect(Example.shown(endpoint.id) != nil, "\(endpoint.id)")
            #expect(!endpoint.description.isEmpty, "\(endpoint.id)")
        }
        #expect(Example.all.allSatisfy { $0.method != nil })
    }

    @Test func `examples succeed, and their responses are described and shown`() throws {
        // A database would have its own clock.
        let daemon = try LocalDaemon(journal: InMemoryJournal())
        daemon.time.set(milliseconds: ExampleTests.start)
        var responses: [(id: String, text: String)] = []
        for example in Example.all {
            daemon.time.advance(by: 10_000)
            let method = try #require(example.method)
            let fields = Dictionary(uniqueKeysWithValues: example.fields.map { $0 })
            // An export leaves its connection in the middle of a stream.
            let connection = try RawConnection(port: daemon.server.port)
            let answer = try connection.request(
                method.rawValue, example.target, fields, body: example.body)
            #expect((200..<308).contains(answer.status), "\(example.curl)\n\(answer.text)")
            try compare(answer, with: example)
            if responses.contains(where: { $0.id == example.id }) { continue }
            responses.append((example.id, "\(answer.status)" + ExampleTests.shown(answer, example)))
        }
        let file = "Sources/VersiondAPI/Describing/Example+Responses.swift"
        let lines = responses.map { ExampleTests.wrapped("\($0.id) \($0.text)") }
        let isCurrent = try ReferencePage.isCurrent(file) { _ in
            """
            // Scripts/reference writes this file.

            extension Example {
                static let responseText = #\"""
            \(lines.joined(separator: "\n"))
                    \"""#
            }

            """
        }
        #expect(isCurrent, "Run Scripts/reference.")
    }

    /// The body as it is shown, without what differs each time.
    private static func shown(_ answer: Answer, _ example: Example) -> String {
        if answer.body.isEmpty || long.contains(example.id) { return "" }
        guard answer["content-type"]?.contains("json") == true, let json = try? answer.json else {
            return " " + JSON(answer.text).description
        }
        let text = " " + json.description.replacing(#""version":"test""#, with: #""version":"…""#)
        return json["ticket"]?.string.map { text.replacing($0, with: "vd_…") } ?? text
    }

    /// A line of the source as lines of at most 100 columns, which Swift joins again.
    private static func wrapped(_ line: String) -> String {
        var lines = [""]
        for character in line {
            let length = lines[lines.count - 1].utf8.count
            if length >= 86 || length >= 60 && lines[lines.count - 1].last == "," {
                lines.append("")
            }
            lines[lines.count - 1].append(character)
        }
        return lines.map { "        " + $0 }.joined(separator: "\\#\n")
    }

    // MARK: Comparing with the description

    private static let schemas = JSON(
        members: (Schemas.all.members ?? []).map { ($0.name, $0.value) }
            + [("ProblemCode", ["type": "string"])])

    private func compare(_ answer: Answer, with example: Example) throws {
        let endpoint = try #require(Endpoint.all.first { $0.id == example.id })
        let described = OpenAPI.operation(endpoint)["responses"]?["\(answer.status)"]
        #expect(described != nil, "\(example.id): \(answer.status)")
        guard answer["content-type"]?.contains("application/json") == true,
            let schema = described?["content"]?["application/json"]?["schema"]
        else { return }
        let body = try answer.json
        let rule = try JSONSchema(
            JSON(
                members: (schema.members ?? []).map { ($0.name, $0.value) }
                    + [("components", ["schemas": ExampleTests.schemas])]))
        let violations = try rule.violations(in: body, most: 9, stepsMax: .max)
        #expect(violations.isEmpty, "\(example.id): \(violations) in \(body)")
        let unknown = undescribed(body, [schema], at: example.id)
        #expect(unknown.isEmpty, "\(unknown)")
    }

    /// The members that no schema of a value describes.
    private func undescribed(_ value: JSON, _ schemas: [JSON], at path: String) -> [String] {
        let parts = schemas.flatMap(alternatives)
        if let elements = value.elements {
            let items = parts.compactMap { $0["items"] }
            return elements.flatMap { undescribed($0, items, at: path) }
        }
        // A schema without properties describes any object.
        guard let members = value.members, parts.contains(where: { $0["properties"] != nil }) else {
            return []
        }
        return members.flatMap { name, value in
            let found = parts.compactMap { $0["properties"]?[name] }
            let others = parts.compactMap { $0["additionalProperties"] }.filter { $0 != false }
            if found.isEmpty && others.isEmpty { return ["\(path).\(name)"] }
            return undescribed(value, found + others, at: "\(path).\(name)")
        }
    }

    /// A schema with those that it refers to and is made of.
    private func alternatives(_ schema: JSON) -> [JSON] {
        let name = schema.referencedName
        let parts = ["allOf", "oneOf", "anyOf"].flatMap { schema[$0]?.elements ?? [] }
        let named = name.flatMap { ExampleTests.schemas[$0] }.map { [$0] } ?? []
        return [schema] + (parts + named).flatMap(alternatives)
    }
}
