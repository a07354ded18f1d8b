import Compression
import Foundation
import HTTPServing
import JSONTree
import Testing

@testable import VersiondAPI

/// The descriptions of the interface, against the interface itself.
@Suite struct DescriptionTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: Endpoint.all.map { "\($0.method.rawValue) \($0.template)" })
    func `every endpoint is found by its path and its method`(name: String) throws {
        let endpoint = try #require(
            Endpoint.all.first { "\($0.method.rawValue) \($0.template)" == name })
        let segments = endpoint.template.split(separator: "/").map {
            $0 == "{client}" ? "client-1" : $0.hasPrefix("{") ? "x" : String($0)
        }
        let match = try Endpoint.router.match(segments)
        #expect(match.path.template == endpoint.template)
        #expect(match.path.endpoint(endpoint.method)?.id == endpoint.id)
        #expect((match.document != nil) == endpoint.isAboutDocument)
        let methods = Endpoint.all.filter { $0.template == endpoint.template }.map(\.method)
        for method in [HTTPMethod.get, .put, .patch, .post, .delete] {
            #expect((match.path.endpoint(method) != nil) == methods.contains(method))
            #expect(match.path.allow.contains(method.rawValue) == methods.contains(method))
        }
    }

    @Test func `no two endpoints have one name, or one method of one path`() {
        #expect(Set(Endpoint.all.map(\.id)).count == Endpoint.all.count)
        let calls = Set(Endpoint.all.map { "\($0.method.rawValue) \($0.template)" })
        #expect(calls.count == Endpoint.all.count)
    }

    @Test(arguments: [
        "/nowhere", "/v1/documents/a/b", "/v1/documents/a/tags/t/x", "/v2",
        "/v1/documents/a/undo/b",
        "/v1/documents/a/snapshots/s/other", "/V1",
    ])
    func `nothing else is found`(path: String) {
        #expect(throws: Problem.self) {
            try Endpoint.router.match(path.split(separator: "/").map(String.init))
        }
    }

    @Test func `names in braces are free, and names of calls are not reserved`() throws {
        let match = try Endpoint.router.match(["v1", "documents", "undo", "tags", "append"])
        #expect(match.document?.name == "undo" && match.part == "append")
        #expect(try Endpoint.router.match(["healthz"]).path.template == "/livez")
    }

    @Test func `the description refers only to what it has, and names every problem`() throws {
        let text = OpenAPI.document(.init(version: "1")).description
        let schemas = try #require(try JSON(parsing: Array(text.utf8))["components"]?["schemas"])
        for match in text.matches(of: /#\/components\/schemas\/([A-Za-z]+)/) {
            #expect(schemas[String(match.1)] != nil, "\(match.1)")
        }
        #expect(Schemas.all.count > 30)
        #expect(schemas["ProblemCode"]?["enum"]?.count == Problem.Kind.all.count)
    }

    @Test func `the documentation site is linked if the operator named it`() throws {
        let site = "https://docs.example/"
        let (none, named) = (try LocalDaemon(), try LocalDaemon(documentation: site))
        for (daemon, url) in [(none, nil), (named, site)] {
            let first = try daemon.client.request("GET", "/v1").json
            #expect(first["links"]?["documentation"]?.string == url)
            let description = try daemon.client.request("GET", "/openapi.json").json
            #expect(description["externalDocs"]?["url"]?.string == url)
        }
    }

    @Test func `problems that pages name by status and code exist`() throws {
        let known = Set(Problem.Kind.all.map { "\($0.status) `\($0.code)`" })
        let folder = DescriptionTests.root.appending(path: "Documentation")
        var count = 0
        for part in ["Guide", "Reference", "Operations"] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: folder.appending(path: part).path)
            for name in names where name.hasSuffix(".md") {
                let page = try String(
                    contentsOf: folder.appending(path: "\(part)/\(name)"), encoding: .utf8)
                for match in page.matches(of: /\b[45][0-9][0-9] `[a-z-]+`/) {
                    #expect(known.contains(String(match.0)), "\(part)/\(name): \(match.0)")
                    count += 1
                }
            }
        }
        #expect(count > 40)
    }

    @Test func `the web UI is complete, asks nobody else, and takes no text for markup`() throws {
        let daemon = try LocalDaemon()
        let page = try daemon.client.request("GET", "/ui/")
        #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
        #expect(
            page["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'")
                == true)
        #expect(try daemon.client.request("GET", "/ui").body == page.body)
        let parts = page.text.matches(of: /(?:href|src)="(\/[^"]*)"/).map { String($0.1) }
        #expect(parts == ["/ui/icon.svg", "/ui/look.css", "/ui/look.js"])
        #expect(try daemon.client.request("GET", "/ui/look.css").status == 200)
        let icon = try daemon.client.request("GET", "/ui/icon.svg")
        #expect(icon.status == 200 && icon["content-type"]?.hasPrefix("image/svg+xml") == true)
        let later = ["drafts.js", "edit.js", "filing.js", "keys.js", "restoring.js", "runs.js"]
        for name in ["look.js", "valuestore.js"] + later {
            let script = try daemon.client.request("GET", "/ui/" + name)
            #expect(
                script.status == 200 && script["content-type"] == "text/javascript; charset=utf-8")
            #expect(!script.text.contains("innerHTML") && !script.text.contains("\nimport "))
            // A part imports what the page has loaded, and nothing else.
            let imports = script.text.matches(of: /}from"([^"]*)"/).map { String($0.1) }
            #expect(imports == (later.contains(name) ? ["./look.js"] : []))
            // But for the name of SVG's elements.
            #expect(script.text.matches(of: /https?:\/\/(?!www\.w3\.org)/).isEmpty)
            let found = script.text.matches(of: /\$\("([a-z-]+)"\)/)
            #expect(name != "look.js" || found.count > 100)
            for match in found { #expect(page.text.contains("id=\"\(match.1)\""), "\(match.1)") }
        }
        #expect(try daemon.client.request("GET", "/ui/nothing").code == "unknown-route")
    }

    @Test func `what browsers get is sent as small as gzip makes it, and only when it is new`()
        throws
    {
        let daemon = try LocalDaemon()
        for path in ["/ui/", "/ui/look.css", "/ui/look.js", "/client.js"] {
            let plain = try daemon.client.request("GET", path)
            let packed = try daemon.client.request(
                "GET", path, ["Accept-Encoding": "gzip"])
            #expect(packed["content-encoding"] == "gzip" && plain["content-encoding"] == nil)
            #expect(try Gzip.decode(packed.body, bytesMax: 1 << 20) == plain.body)
            #expect(packed.body.count < Gzip.encode(plain.body).count)
            let tag = try #require(plain["etag"])
            let known = try daemon.client.request("GET", path, ["If-None-Match": tag])
            #expect(known.status == 304 && known.body.isEmpty && known["etag"] == tag)
            let old = try daemon.client.request("GET", path, ["If-None-Match": "\"1\""])
            #expect(old.status == 200 && old.body == plain.body)
        }
    }

    @Test func `the client and the page that uses it are complete, and ask nobody else`() throws {
        let daemon = try LocalDaemon()
        let page = try daemon.client.request("GET", "/ui/together")
        #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
        let parts = page.text.matches(of: /(?:href|src)="([^"]*)"/).map { String($0.1) }
        #expect(parts == ["/ui/icon.svg", "/ui/together.css", "/ui/together.js", "/ui/", "/ui/"])
        for part in parts { #expect(try daemon.client.request("GET", part).status == 200) }
        let script = try daemon.client.request("GET", "/ui/together.js").text
        // The parts that both pages share have their elements in the other one.
        let program = script.split(separator: "const togetherModule").last ?? ""
        let found = program.matches(of: /\$\("([a-z-]+)"\)/)
        #expect(found.count > 20)
        for match in found { #expect(page.text.contains("id=\"\(match.1)\""), "\(match.1)") }
        let client = try daemon.client.request("GET", "/client.js")
        #expect(client["content-type"] == "text/javascript; charset=utf-8")
        #expect(!client.text.contains("\nimport "))
        let types = try daemon.client.request("GET", "/client.d.ts").text
        for name in ["open", "SharedDocument", "bindTextarea", "canUndo", "onchange"] {
            #expect(types.contains(name) && client.text.contains(name), "\(name)")
        }
    }

    @Test func `a word that means nothing in a query is refused`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
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
