import Foundation
import HTTPServing
import JSONTree
import Testing

@testable import VersiondAPI

/// What is said about the surface, against what it is.
@Suite struct DescriptionTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func document(_ name: String) throws -> String {
        try String(
            contentsOf: DescriptionTests.root.appending(path: "Documentation/\(name)"),
            encoding: .utf8)
    }

    private func route(_ path: String) throws -> Route {
        try Route(path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : String($0) })
    }

    @Test(arguments: Operation.all.map { "\($0.method.rawValue) \($0.path)" })
    func `every operation leads where the router goes`(name: String) throws {
        let operation = try #require(
            Operation.all.first { "\($0.method.rawValue) \($0.path)" == name })
        let route = try route(operation.path)
        #expect(route.template == operation.path && route.methods.contains(operation.method))
        let described = Operation.all.filter { $0.path == operation.path }.map(\.method)
        let implied: [HTTPMethod] = described.contains(.get) ? [.head] : []
        #expect(Set(route.methods) == Set(described + implied))
        #expect(Operation.find(operation.method, route)?.id == operation.id)
    }

    @Test func `every part of a document has its operations`() {
        let described = Set(Operation.all.map(\.path))
        let id = DocumentRoutes.all
        #expect(id.allSatisfy { described.contains($0.template) })
        #expect(
            Set(id.map(\.template)).count == described.filter { $0.contains("{document}") }.count)
        #expect(Set(Operation.all.map(\.id)).count == Operation.all.count)
    }

    @Test func `the description refers only to what it has, and names every problem`() throws {
        let text = OpenAPI.document(version: "1").description
        let schemas = try #require(try JSON(parsing: Array(text.utf8))["components"]?["schemas"])
        for match in text.matches(of: /#\/components\/schemas\/([A-Za-z]+)/) {
            #expect(schemas[String(match.1)] != nil, "\(match.1)")
        }
        #expect(Schemas.all.count > 30)
        #expect(schemas["ProblemCode"]?["enum"]?.count == Problem.Kind.all.count)
    }

    @Test func `HTTP.md has every call, with its right and the words of its query`() throws {
        let lines = try document("HTTP.md").split(separator: "\n").map(String.init)
        for operation in Operation.all {
            let route = try route(operation.path)
            let right = route.right(operation.method)?.names.last ?? "–"
            let line = lines.first {
                $0.hasPrefix("| `\(operation.method.rawValue) \(operation.path)` |")
            }
            let words = operation.query.map { "`\($0.name)`" }.joined(separator: " ")
            #expect(
                line?.contains("| \(right) | \(words)") == true,
                "\(operation.method.rawValue) \(operation.path)")
        }
        #expect(
            lines.count {
                $0.hasPrefix("| `GET /") || $0.hasPrefix("| `P") && $0.contains("` | ")
                    || $0.hasPrefix("| `DELETE /")
            } >= Operation.all.count)
    }

    @Test func `Problems.md has every problem, and no other`() throws {
        let lines = try document("Problems.md").split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }.map(String.init)
        let expected = Problem.Kind.all.map {
            "| `\($0.code)` | \($0.status) | \($0.title) | \($0.remedy) |"
        }
        #expect(lines == expected)
        #expect(Problem.Kind.all.map(\.status) == Problem.Kind.all.map(\.status).sorted())
        #expect(Set(Problem.Kind.all.map(\.code)).count == Problem.Kind.all.count)
    }

    @Test func `the page for looking is complete, asks nobody else, and only reads`() throws {
        let daemon = try LocalDaemon()
        let page = try daemon.client.request("GET", "/ui/")
        #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
        #expect(
            page["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'")
                == true)
        #expect(try daemon.client.request("GET", "/ui").body == page.body)
        let parts = page.text.matches(of: /(?:href|src)="([^"]*)"/).map { String($0.1) }
        #expect(parts == ["/ui/look.css", "/ui/look.js"])
        for part in parts { #expect(try daemon.client.request("GET", part).status == 200) }
        let script = try daemon.client.request("GET", "/ui/look.js").text
        #expect(!script.contains("method") && !script.contains("innerHTML"))
        for match in script.matches(of: /getElementById|\$\('([a-z]+)'\)/) {
            if let id = match.1 { #expect(page.text.contains("id=\"\(id)\""), "\(id)") }
        }
        #expect(try daemon.client.request("GET", "/ui/nothing").code == "unknown-route")
    }

    @Test func `a word that means nothing in a query is refused`() throws {
        let daemon = try LocalDaemon()
        _ = try daemon.menu("PUT", "", "0")
        for (method, rest) in [
            ("GET", "?pat=/a"), ("PUT", "?debounce=1s"), ("GET", "/status?at=1"),
            ("GET", "?path=&path="), ("POST", "/undo?count=1"),
        ] {
            #expect(
                try daemon.menu(method, rest, method == "GET" ? nil : "{}").code
                    == "malformed-request", "\(rest)")
        }
        #expect(try daemon.menu("GET", "?pretty").status == 200)
        #expect(try daemon.client.request("GET", "/v1?x=1").code == "malformed-request")
    }
}

/// One route of each kind.
private enum DocumentRoutes {
    static let all: [Route.Part] = [
        .value, .append, .undo, .redo, .goTo, .seal, .status, .settings, .history, .diff, .feed,
        .change("1"), .tags, .tag("t"),
        .snapshots, .snapshot("s"), .restore("s"), .scopes, .pushScope, .popScope, .discardScope,
    ]
}
