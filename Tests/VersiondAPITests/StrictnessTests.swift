import JSONTree
import TestSupport
import Testing

/// Requirements of HTTP, and inputs that the description forbids.
@Suite struct StrictnessTests {
    private let daemon: LocalDaemon

    init() throws {
        daemon = try LocalDaemon()
        try daemon.put(#"{"price":1}"#)
    }

    @Test func `N9: what a PUT has made is 201 and has a place; what it replaced is 200`() throws {
        for path in ["/tags/lunch%2Fnew", "/snapshots/draft"] {
            let made = try daemon.menu("PUT", path)
            #expect(made.status == 201, "\(path): \(made.text)")
            #expect(made["location"] == "/v1/documents/menu" + path)
            #expect(try daemon.client.request("GET", "/v1/documents/menu" + path).status == 200)
            let again = try daemon.menu("PUT", path)
            #expect(again.status == 200 && again["location"] == nil, "\(path): \(again.text)")
        }
        let minimal = try daemon.menu("PUT", "/tags/other", nil, ["Prefer": "return=minimal"])
        #expect(minimal.status == 201)
    }

    @Test func `N9: a repeated request has the status of the first one`() throws {
        let key = ["Idempotency-Key": "k"]
        #expect(try daemon.menu("PUT", "/tags/lunch", nil, key).status == 201)
        let again = try daemon.menu("PUT", "/tags/lunch", nil, key)
        #expect(again.status == 201 && again["idempotent-replayed"] == "true")
    }

    @Test func `N9: a part of a value cannot be PUT`() throws {
        let refused = try daemon.menu("PUT", "", "{}", ["Content-Range": "bytes 0-1/2"])
        #expect(refused.status == 400 && refused.text.contains("PATCH"), "\(refused.text)")
        #expect(try daemon.menu("GET").text == #"{"price":1}"# + "\n")
    }

    @Test func `N10: a client that knows one media type edits, too`() throws {
        let edits = [
            (#"{"patch":[{"op":"replace","path":"/price","value":2}]}"#, #"{"price":2}"#),
            (#"{"merge":{"dish":"soup"}}"#, #"{"price":2,"dish":"soup"}"#),
        ]
        for (body, value) in edits {
            let made = try daemon.menu("PATCH", "?label=one", body)
            #expect(made.status == 200, "\(made.text)")
            #expect(try daemon.menu("GET").text == value + "\n")
        }
        for body in ["{}", #"{"price":3}"#, #"{"patch":[],"merge":{}}"#, "[]", "7"] {
            let refused = try daemon.menu("PATCH", "", body)
            #expect(refused.code == "unsupported-media-type", "\(refused.text)")
            #expect(refused.text.contains("merge-patch+json"))
        }
        #expect(try daemon.menu("PATCH", "", #"{"patch":{"a":1}}"#).code == "malformed-patch")
    }

    @Test(arguments: ["two+words", "two%20words"])
    func `a plus in a query is a space, as forms and most libraries write it`(
        label: String
    ) throws {
        let made = try daemon.menu("PUT", "?label=\(label)", "2").json
        #expect(made["change"]?["label"] == "two words")
        #expect(try daemon.menu("PUT", "?label=C%2B%2B", "3").json["change"]?["label"] == "C++")
        // In a path it means itself.
        try daemon.succeed("PUT", "/tags/a+b")
        #expect(try daemon.menu("GET", "/tags/a%2Bb").status == 200)
        let listed = try daemon.client.request("GET", "/v1/history?documents=menu&q=two+words")
        #expect(try listed.json["changes"]?.elements?.count == 1, "\(listed.text)")
    }

    @Test func `N20: what was not missed has no link`() throws {
        let ahead = try daemon.menu(
            "PATCH", "", "{}", LocalDaemon.merge.merging(["If-Match": "\"7\""]) { $1 })
        #expect(ahead.status == 412 && ahead["link"] == nil && !ahead.text.contains("\"missed\":"))
        let behind = try {
            try daemon.put(#"{"price":2}"#)
            return try daemon.menu(
                "PATCH", "", "{}", LocalDaemon.merge.merging(["If-Match": "\"0\""]) { $1 })
        }()
        #expect(behind["link"]?.contains("feed?cursor=0") == true)
        let none = try daemon.client.request(
            "PATCH", "/v1/documents/none", LocalDaemon.merge.merging(["If-Match": "\"1\""]) { $1 },
            body: "{}")
        #expect(none.status == 412 && none["link"] == nil)
        #expect(none.text.contains("PUT without If-Match creates"), "\(none.text)")
    }

    @Test func `N21: who asks for an old name learns where the new one is said`() throws {
        try daemon.succeed("POST", "/rename", #"{"name":"dinner"}"#)
        let gone = try daemon.menu("GET")
        #expect(gone.status == 410 && gone.text.contains("/v1/history?prefix="), "\(gone.text)")
        let history = try daemon.client.request("GET", "/v1/history?prefix=menu&limit=1")
        #expect(history.text.contains("renamed to dinner"), "\(history.text)")
    }

    @Test func `N22: OPTIONS of the root is about the root, and of * about the server`() throws {
        let root = try daemon.client.request("OPTIONS", "/")
        let allow = root["allow"] ?? ""
        #expect(allow.contains("GET") && !allow.contains("PUT"), "\(allow)")
        let server = try daemon.client.request("OPTIONS", "*")
        #expect(server["allow"]?.contains("PUT") == true)
    }

    @Test(arguments: [
        "/v1/history?label=", "/readyz?verbose=AAA", "/v1/history?kind=bogus",
        "/v1/documents?limit=0", "/v1/documents?limit=1001", "/v1/documents?limit=x",
        "/v1/documents/menu/history?branches=some", "/v1/documents/menu/feed?cursor=-2",
        "/v1/documents?prefix=" + String(repeating: "p", count: 257),
        "/v1/history?q=" + String(repeating: "q", count: 257), "/v1/documents?pretty=maybe",
    ])
    func `N23: a query that the description forbids is refused`(path: String) throws {
        let refused = try daemon.client.request("GET", path)
        #expect(refused.status == 400, "\(path): \(refused.status) \(refused.text)")
        #expect(refused.text.contains(" must be ") || refused.text.contains(" has "))
    }

    @Test(arguments: [
        "/readyz?verbose", "/v1/history?kind=create", "/v1/documents?pretty",
        "/v1/documents/menu/status?actor=", "/v1/documents?cursor=&prefix=",
        "/v1/documents/menu?at=head",
        "/v1/documents?limit=1000",
    ])
    func `N23: a query that the description allows is taken`(path: String) throws {
        #expect(try daemon.client.request("GET", path).status == 200)
    }

    @Test func `V9: a target's authority is checked like the field Host`() throws {
        let other = try LocalDaemon(hosts: ["localhost"])
        try other.put("1")
        let path = "/v1/documents/menu"
        #expect(try other.client.request("GET", "http://localhost:80" + path).status == 200)
        let foreign = try other.client.request("GET", "http://elsewhere.example" + path)
        #expect(foreign.status == 421 && foreign.text.contains("unknown-host"), "\(foreign.text)")
    }

    @Test func `N28: the first call says where to go on, and not what runs here`() throws {
        let first = try daemon.client.request("GET", "/v1").json
        #expect(first["libraries"] == nil)
        for link in try #require(first["links"]?.members) {
            let path = try #require(link.value.string)
            let status = try daemon.client.request("GET", path).status
            #expect(status == 200, "\(link)")
        }
    }
}
