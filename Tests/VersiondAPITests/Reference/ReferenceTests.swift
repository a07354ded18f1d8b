import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// The pages of the reference that describe HTTP, against the tables in the code.
@Suite struct ReferenceTests {
    @Test func `Calls.md is made from the table of calls`() throws {
        let page = CallsPage()
        let parts = [
            ("index", page.index), ("fields", page.fields), ("problems", page.problems),
            ("calls", page.calls), ("shapes", page.schemas.shapes), ("types", page.schemas.types),
        ]
        for (part, text) in parts {
            #expect(
                try ReferencePage.isCurrent("Calls.md", part, text),
                "\(part): run Scripts/reference.")
        }
        let headings = (page.calls + page.schemas.shapes + page.schemas.types)
            .split(separator: "\n").filter { $0.hasPrefix("#") }.map { $0.lowercased() }
        #expect(Set(headings).count == headings.count)
    }

    @Test func `Problems.md is made from the kinds of problems`() throws {
        let kinds = Problem.Kind.all
        let rows = kinds.map { ["`\($0.code)`", "\($0.status)", $0.title, $0.hint] }
        let table = ReferencePage.table(["code", "status", "meaning", "what to do"], rows)
        let schemas = CallsPage().schemas
        let problem = try #require(schemas.schemas["Problem"])
        let members = schemas.members(of: problem).replacing("](#", with: "](Calls.md#")
        for (part, text) in [("problems", table), ("members", members)] {
            #expect(
                try ReferencePage.isCurrent("Problems.md", part, text),
                "\(part): run Scripts/reference.")
        }
        #expect(kinds.map(\.status) == kinds.map(\.status).sorted())
        #expect(Set(kinds.map(\.code)).count == kinds.count)
    }

    @Test func `Settings.md has the settings of a document`() throws {
        let page = CallsPage().schemas
        let schema = try #require(page.schemas["Settings"])
        let defaults = try LocalDaemon().newSettings()
        let rows = (schema["properties"]?.members ?? []).map { name, member in
            let value = defaults[name].map { "`\($0)`" } ?? ""
            return ["`\(name)`", value, member["description"]?.string ?? ""]
        }
        let table = ReferencePage.table(["setting", "default", "meaning"], rows)
        #expect(
            try ReferencePage.isCurrent("Settings.md", "document", table),
            "Run Scripts/reference.")
    }

    /// One name has one meaning, or the table says where it has another.
    @Test func `every member has a meaning, and every meaning a member`() {
        var paths: [String] = []
        for (name, schema) in Schemas.described.members ?? [] { collect(schema, name, &paths) }
        #expect(paths.allSatisfy { Schemas.meaning($0) != nil }, "\(paths)")
        let used = paths.map { path in
            Schemas.meanings[path] == nil
                ? path.split(separator: ".").last.map(String.init) ?? "" : path
        }
        #expect(Set(Schemas.meanings.keys).subtracting(used).isEmpty)
    }

    /// Collects the paths of members.
    private func collect(_ schema: JSON, _ path: String, _ paths: inout [String]) {
        for (name, member) in schema["properties"]?.members ?? [] {
            paths.append("\(path).\(name)")
            collect(member, "\(path).\(name)", &paths)
        }
        for part in ["allOf", "anyOf"].flatMap({ schema[$0]?.elements ?? [] }) {
            collect(part, path, &paths)
        }
        if let items = schema["items"] { collect(items, path, &paths) }
    }
}

extension LocalDaemon {
    /// The settings of a new document.
    fileprivate func newSettings() throws -> JSON {
        try put("0")
        return try menu("GET", "/settings").json["settings"] ?? [:]
    }
}
