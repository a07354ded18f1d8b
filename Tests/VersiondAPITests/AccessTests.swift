import AccessControl
import HTTPServing
import JSONTree
import TestSupport
import Testing
import VersiondAPI

/// The rights of clients, over HTTP.
@Suite struct AccessTests {
    private func list() -> AccessList {
        var list = AccessList()
        func add(
            _ name: String, _ rights: Rights, prefix: String = "", expiry: Int? = nil,
            rate: Grant.Rate? = nil
        ) {
            list.add(
                tokenHash: Token.hash(of: name),
                Grant(name: name, rights: rights, prefix: prefix, expiry: expiry, rate: rate))
        }
        add("reader", .read)
        add("ada", [.read, .write])
        add("bob", [.read, .write, .undoOthers])
        add("root", .all)
        add("ci", [.read, .write], prefix: "builds/")
        add("old", .all, expiry: 1_000_001)
        add("slow", .all, rate: .init(requests: 3, seconds: 60))
        return list
    }

    private static func bearer(_ token: String, _ more: [String: String] = [:]) -> [String: String]
    {
        more.merging(["Authorization": "Bearer \(token)"]) { $1 }
    }

    private func daemon() throws -> LocalDaemon {
        let daemon = try LocalDaemon(access: list())
        #expect(try daemon.menu("PUT", "", #"{"n":0}"#, AccessTests.bearer("root")).status == 201)
        return daemon
    }

    @Test func `7: a scope whose time is over takes back no more than its owner may`() throws {
        let daemon = try daemon()
        func push(_ token: String, _ ttl: String = "1s") throws {
            let body = "{\"ttl\":\"\(ttl)\",\"policy\":\"discard\"}"
            #expect(
                try daemon.menu("POST", "/scopes/push", body, AccessTests.bearer(token)).status
                    == 200)
        }
        func put(_ token: String, _ body: String) throws {
            #expect(try daemon.menu("PUT", "", body, AccessTests.bearer(token)).status == 200)
        }
        func value() throws -> JSON? {
            daemon.time.advance(by: 2_000)
            // Any request closes what is over.
            try daemon.succeed("POST", "/seal", nil, AccessTests.bearer("root"))
            let redo = try daemon.menu("POST", "/redo", nil, AccessTests.bearer("root"))
            #expect(redo.code == "nothing-to-redo")
            return try daemon.menu("GET", "", nil, AccessTests.bearer("root")).json["n"]
        }
        try push("ada")
        try put("bob", #"{"n":1}"#)
        #expect(try value() == 1, "bob's edit stays")
        try push("ada")
        try put("ada", #"{"n":2}"#)
        #expect(try value() == 1, "ada's own is taken back")
        try push("ada")
        try push("bob", "1h")
        try put("bob", #"{"n":3}"#)
        #expect(try value() == 3, "nor is a scope of another inside it")
        try push("bob")
        try put("ada", #"{"n":4}"#)
        #expect(try value() == 4, "what others did in it stays, whatever bob may")
    }

    @Test func `without a token, or with a wrong one, nothing is told and nothing done`() throws {
        let daemon = try daemon()
        for fields in [
            [:], AccessTests.bearer("nobody"), ["Authorization": "Basic cm9vdDpyb290"],
            ["Authorization": "Bearer"],
        ] {
            let answer = try daemon.menu("GET", "", nil, fields)
            #expect(
                answer.status == 401 && answer.code == "unauthorized"
                    && answer["www-authenticate"]?.hasPrefix("Bearer realm=") == true)
            #expect(try daemon.menu("PUT", "", "1", fields).status == 401)
            #expect(try daemon.client.request("GET", "/v1/feed", fields).status == 401)
            #expect(try daemon.client.request("GET", "/metrics", fields).status == 401)
        }
        for open in ["/v1", "/livez", "/readyz", "/problems", "/openapi.json"] {
            #expect(try daemon.client.request("GET", open).status == 200, "\(open)")
        }
        daemon.time.advance(by: 2)
        #expect(try daemon.menu("GET", "", nil, AccessTests.bearer("old")).code == "token-expired")
    }

    @Test func `each right opens what it is for, and no more`() throws {
        let daemon = try daemon()
        let reader = AccessTests.bearer("reader")
        #expect(try daemon.menu("GET", "", nil, reader).status == 200)
        for (method, rest, body) in [
            ("PUT", "", "1"), ("POST", "/undo", nil), ("POST", "/seal", nil),
            ("PUT", "/tags/t", nil), ("POST", "/scopes/push", nil),
        ] as [(String, String, String?)] {
            let answer = try daemon.menu(method, rest, body, reader)
            #expect(answer.status == 403 && answer.code == "forbidden", "\(method) \(rest)")
            #expect(try answer.json["right"] == "write")
        }
        let ada = AccessTests.bearer("ada")
        #expect(try daemon.menu("PUT", "", #"{"n":1}"#, ada).status == 200)
        #expect(try daemon.menu("PATCH", "/settings", #"{"debounce":"1s"}"#, ada).status == 403)
        #expect(try daemon.menu("DELETE", "", nil, ada).status == 403)
        #expect(
            try daemon.menu("PATCH", "/settings", #"{"debounce":"1s"}"#, AccessTests.bearer("root"))
                .status == 200)
    }

    @Test
    func
        `the actor is the token's name, and another one is refused, unless it may speak for others`()
        throws
    {
        let daemon = try daemon()
        let named = ["Versiond-Actor": "eve"]
        try daemon.succeed("PUT", "", "0", AccessTests.bearer("ada"))
        let refused = try daemon.menu("PUT", "", "1", AccessTests.bearer("ada", named))
        #expect(
            refused.status == 403 && refused.code == "forbidden" && refused.text.contains("eve"))
        #expect(try daemon.menu("GET", "", nil, AccessTests.bearer("ada")).text == "0\n")
        #expect(
            try daemon.menu("PUT", "", "2", AccessTests.bearer("root", named)).json["change"]?[
                "actor"] == "eve")
        #expect(
            try daemon.menu("PUT", "", "3", AccessTests.bearer("root")).json["change"]?["actor"]
                == "root")
    }

    @Test func `a token acts for its runs, and takes back what any of them did (N5)`() throws {
        let daemon = try daemon()
        func run(_ name: String) -> [String: String] {
            AccessTests.bearer("ada", ["Versiond-Actor": name])
        }
        try daemon.succeed("PUT", "", #"{"n":0,"m":0}"#, AccessTests.bearer("bob"))
        let change = try daemon.menu("PUT", "", #"{"n":1,"m":0}"#, run("ada/run-17"))
        #expect(try change.json["change"]?["actor"] == "ada/run-17", "\(change.text)")
        try daemon.succeed("PUT", "", #"{"n":1,"m":1}"#, run("ada/run-18"))
        let status = try daemon.menu(
            "GET", "/status?actor=ada/run-17", nil, AccessTests.bearer("ada"))
        #expect(try status.json["own"]?["undo"]?["allowed"] == true, "\(status.text)")
        let undone = try daemon.menu(
            "POST", "/undo", #"{"actor":"ada/run-17"}"#, run("ada/run-18"))
        #expect(undone.status == 200, "\(undone.text)")
        let value = try daemon.menu("GET", "", nil, AccessTests.bearer("ada"))
        #expect(value.text == "{\"n\":0,\"m\":1}\n")
        #expect(
            try daemon.menu(
                "POST", "/undo", #"{"actor":"ada/run-18"}"#, AccessTests.bearer("bob")
            ).status == 200, "who may undo others")
        for name in ["ada/", "adam", "ad", "bob/ada", "Ada/run-1"] {
            #expect(try daemon.menu("PUT", "", "1", run(name)).code == "forbidden", "\(name)")
        }
        #expect(try daemon.menu("PUT", "", "1", run("ada")).status == 200)
    }

    @Test func `what others did is taken back with the right to do so only`() throws {
        let daemon = try daemon()
        let (ada, bob) = (AccessTests.bearer("ada"), AccessTests.bearer("bob"))
        try daemon.succeed("PUT", "", #"{"n":1}"#, ada)
        try daemon.succeed("PUT", "", #"{"n":1,"m":1}"#, bob)
        for (rest, body) in [
            ("/undo", nil), ("/undo", #"{"actor":"bob"}"#), ("/undo", #"{"revision":2}"#),
            ("/goto", #"{"to":"version:0"}"#),
        ] as [(String, String?)] {
            let answer = try daemon.menu("POST", rest, body, ada)
            #expect(answer.status == 403 && answer.code == "foreign-edit", "\(rest) \(body ?? "")")
        }
        #expect(
            try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#, ada).status == 200, "one's own")
        #expect(try daemon.menu("POST", "/undo", #"{"count":3}"#, bob).status == 200)
        try daemon.succeed("POST", "/scopes/push", nil, bob)
        #expect(
            try daemon.menu("POST", "/scopes/discard", #"{"force":true}"#, ada).code == "forbidden")
        #expect(try daemon.menu("POST", "/scopes/discard", nil, ada).code == "foreign-scope")
    }

    @Test func `pages of other origins cannot take a value in as an image or a script (T26)`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        #expect(try daemon.menu("GET")["cross-origin-resource-policy"] == "same-origin")
    }

    @Test func `a prefix bounds documents, lists and feeds`() throws {
        let daemon = try daemon()
        let ci = AccessTests.bearer("ci", LocalDaemon.json)
        #expect(
            try daemon.client.request("PUT", "/v1/documents/builds%2F1", ci, body: "1").status
                == 201)
        #expect(try daemon.menu("GET", "", nil, ci).code == "forbidden")
        #expect(
            try daemon.client.request("GET", "/v1/documents/none", ci).status == 403,
            "nothing is told about others")
        for query in ["", "?prefix=b", "?prefix=builds/"] {
            let list = try daemon.client.request("GET", "/v1/documents" + query, ci).json[
                "documents"]
            #expect(list?.elements?.map { $0["document"] } == ["builds/1"])
            #expect(
                try daemon.client.request("GET", "/v1/feed" + query, ci).json["events"]?.count == 1
            )
        }
        #expect(
            try daemon.client.request("GET", "/v1/documents?prefix=menu", ci).code == "forbidden")
        #expect(try daemon.client.request("GET", "/v1/feed?prefix=menu", ci).code == "forbidden")
    }

    @Test func `a token's rate is told, and kept`() throws {
        let daemon = try daemon()
        let slow = AccessTests.bearer("slow")
        let first = try daemon.menu("GET", "", nil, slow)
        #expect(
            first["ratelimit-policy"] == "\"token\";q=3;w=60"
                && first["ratelimit"]?.hasPrefix("\"token\";r=2;t=") == true)
        for _ in 0..<2 { try daemon.succeed("GET", "", nil, slow) }
        let refused = try daemon.menu("GET", "", nil, slow)
        #expect(
            refused.status == 429 && refused.code == "too-many-requests"
                && refused["retry-after"] == "20")
        #expect(try daemon.menu("GET", "", nil, AccessTests.bearer("ada")).status == 200)
        daemon.time.advance(by: 20_000)
        #expect(try daemon.menu("GET", "", nil, slow).status == 200)
    }

    @Test func `another list counts at once`() throws {
        let daemon = try daemon()
        daemon.access.replace(with: AccessList())
        #expect(try daemon.menu("GET", "", nil, AccessTests.bearer("root")).status == 401)
        daemon.access.replace(with: .open)
        #expect(try daemon.menu("GET").status == 200)
    }

    @Test func `who may not write is refused before the body is sent`() throws {
        let daemon = try daemon()
        daemon.client.send(
            "PUT /v1/documents/menu HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 100000\r\nContent-Type: application/json\r\n\r\n"
        )
        #expect(daemon.client.receive()?.status == 401)
        let other = try RawConnection(port: daemon.server.port)
        other.send(
            "PUT /v1/documents/menu HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada\r\nExpect: 100-continue\r\nContent-Length: 1\r\nContent-Type: application/json\r\n\r\n"
        )
        #expect(other.receive(hasBody: false)?.status == 100)
        other.send("5")
        #expect(other.receive()?.status == 200)
    }

    @Test func `who follows is told, and told no more, when the token is taken away`() throws {
        let daemon = try daemon()
        let feed = try RawConnection(port: daemon.server.port)
        #expect(
            try feed.open(
                "/v1/documents/menu/feed",
                AccessTests.bearer("reader", ["Accept": "application/x-ndjson"])
            ).status == 200)
        #expect(feed.line()?.contains("bookmark") == true)
        var list = AccessList()
        list.add(tokenHash: Token.hash(of: "root"), Grant(name: "root", rights: .all))
        daemon.access.replace(with: list)
        try daemon.succeed("PUT", "", #"{"secret":1}"#, AccessTests.bearer("root"))
        #expect(feed.line()?.contains("unauthorized") == true && feed.line() == nil)
    }

    @Test func `who follows is told when the time of the token is over`() throws {
        var list = list()
        list.add(
            tokenHash: Token.hash(of: "guest"),
            Grant(name: "guest", rights: .read, expiry: 1_005_000))
        let daemon = try LocalDaemon(access: list)
        func put(_ value: String) throws {
            let answer = try daemon.menu("PUT", "", value, AccessTests.bearer("root"))
            #expect(answer.status < 300)
        }
        try put("0")
        let feed = try RawConnection(port: daemon.server.port)
        _ = try feed.open(
            "/v1/documents/menu/feed",
            AccessTests.bearer("guest", ["Accept": "application/x-ndjson"]))
        #expect(feed.line()?.contains("bookmark") == true)
        for value in 1...3 {
            daemon.time.advance(by: 1_000)
            try put("\(value)")
            #expect(feed.line()?.contains("\"event\":\"change\"") == true)
        }
        daemon.time.advance(by: 2_000)
        try put("4")
        #expect(feed.line()?.contains("token-expired") == true && feed.line() == nil)
    }

    @Test func `those without a name cannot take one`() throws {
        var list = list()
        list = AccessList(anonymous: Grant(name: "", rights: [.read, .write]))
        list.add(tokenHash: Token.hash(of: "ada"), Grant(name: "ada", rights: [.read, .write]))
        let daemon = try LocalDaemon(access: list)
        try daemon.succeed("PUT", "", "0", AccessTests.bearer("ada"))
        try daemon.succeed("PUT", "", "1", AccessTests.bearer("ada"))
        #expect(try daemon.menu("POST", "/undo").code == "foreign-edit")
        for name in ["ada", "/ada"] {
            let named = ["Versiond-Actor": name]
            #expect(try daemon.menu("POST", "/undo", nil, named).code == "forbidden")
            #expect(try daemon.menu("PUT", "", "2", named).code == "forbidden")
        }
        #expect(try daemon.menu("PUT", "", "2").json["change"]?["actor"] == nil)
    }

    @Test func `what is counted about all is not for those who may see some`() throws {
        let daemon = try daemon()
        #expect(
            try daemon.client.request("GET", "/metrics", AccessTests.bearer("ci")).code
                == "forbidden")
        #expect(
            try daemon.client.request("GET", "/metrics", AccessTests.bearer("reader")).status == 200
        )
    }

    // MARK: Tickets

    @Test func `a ticket opens a feed for a minute, and what it opened goes on`() throws {
        let daemon = try daemon()
        let made = try daemon.client.request("POST", "/v1/tickets", AccessTests.bearer("reader"))
        #expect(made.status == 200 && made["cache-control"] == "no-store", "\(made.text)")
        let ticket = try #require(made.json["ticket"]?.string)
        let feed = "/v1/documents/menu/feed?cursor=-1&ticket=\(ticket)"
        #expect(try daemon.client.request("GET", feed).status == 200)
        #expect(
            try daemon.client.request("GET", "/v1/feed?cursor=0&ticket=\(ticket)").status == 200)
        // Nothing but feeds.
        #expect(try daemon.menu("GET", "?ticket=\(ticket)").status == 401)
        #expect(try daemon.client.request("POST", "/v1/tickets").status == 401)
        let stream = try RawConnection(port: daemon.server.port)
        _ = try stream.open(
            "/v1/documents/menu/feed?ticket=\(ticket)", ["Accept": "application/x-ndjson"])
        #expect(stream.line()?.contains("bookmark") == true)
        daemon.time.advance(by: 60_000)
        #expect(try daemon.client.request("GET", feed).code == "unauthorized")
        #expect(try daemon.menu("PUT", "", "1", AccessTests.bearer("ada")).status == 200)
        #expect(stream.line()?.contains("\"event\":\"change\"") == true, "it goes on")
        // The token is revoked, and another actor's change shows it.
        var others = AccessList()
        others.add(tokenHash: Token.hash(of: "ada"), Grant(name: "ada", rights: .all))
        daemon.access.replace(with: others)
        #expect(try daemon.menu("PUT", "", "2", AccessTests.bearer("ada")).status == 200)
        #expect(stream.line()?.contains("unauthorized") == true, "its token is gone")
    }

    // MARK: Web pages

    @Test func `the daemon's own pages may do everything`() throws {
        let daemon = try LocalDaemon()
        let own = [
            ["Origin": "http://localhost"],
            ["Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"],
        ]
        for page in own {
            #expect((200..<300).contains(try daemon.menu("PUT", "", "1", page).status))
        }
        let others = [
            ["Origin": "http://localhost:81"], ["Origin": "http://localhost.evil.example"],
            ["Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"],
            ["Origin": "http://localhost", "Sec-Fetch-Site": "same-site"], ["Origin": "null"],
        ]
        for page in others {
            #expect(try daemon.menu("PUT", "", "2", page).code == "cross-origin", "\(page)")
        }
    }

    @Test func `web pages that are named may do everything, others may only read`() throws {
        let daemon = try LocalDaemon(origins: ["https://app.example"])
        let page = ["Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"]
        let created = try daemon.menu("PUT", "", "1", page)
        #expect(
            created.status == 201 && created["access-control-allow-origin"] == "https://app.example"
        )
        #expect(
            created["access-control-expose-headers"]?.contains("ETag") == true
                && created["vary"] == "Origin")
        for origin in [
            "https://evil.example", "https://app.example.evil.example", "http://app.example",
            "null",
        ] {
            let refused = try daemon.menu("PUT", "", "2", ["Origin": origin])
            #expect(refused.code == "cross-origin" && refused["access-control-allow-origin"] == nil)
            #expect(
                try daemon.menu("GET", "", nil, ["Origin": origin])["access-control-allow-origin"]
                    == nil)
        }
        let problem = try daemon.menu("GET", "/tags/no", nil, page)
        #expect(
            problem.status == 404 && problem["access-control-allow-origin"] != nil,
            "pages may read problems")
    }

    @Test func `a page that is named may read every refusal, also of what is too large`() throws {
        let origin = "https://app.example"
        var limits = Limits()
        limits.bodyBytesMax = 1_000
        let daemon = try LocalDaemon(limits: limits, access: list(), origins: [origin])
        let page = ["Origin": origin, "Content-Type": "application/json"]
        let large = String(repeating: " ", count: 3_000_000)
        func refusal(_ body: String, _ path: String, _ fields: [String: String]) throws -> Answer {
            let answer = try daemon.client.request(
                "PUT", path, page.merging(fields) { $1 }, body: body)
            #expect(answer["access-control-allow-origin"] == origin, "\(path): \(answer.status)")
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(answer["cross-origin-resource-policy"] == "same-origin")
            return answer
        }
        let menu = "/v1/documents/menu"
        let admin = AccessTests.bearer("root")
        // All on one connection: each body was read.
        #expect(try refusal(large, menu, admin).code == "body-too-large")
        #expect(try refusal(large, menu, [:]).code == "unauthorized")
        #expect(try refusal(large, "/nowhere", admin).code == "unknown-route")
        let long = String(repeating: "a", count: 9_000)
        #expect(try refusal("1", "/v1/documents/\(long)", admin).code == "target-too-long")
    }

    @Test func `a browser that asks first is told what its page may send`() throws {
        let daemon = try LocalDaemon(access: list(), origins: ["https://app.example"])
        let ask = ["Access-Control-Request-Method": "PATCH"]
        let answer = try daemon.client.request(
            "OPTIONS", "/v1/documents/menu", ask.merging(["Origin": "https://app.example"]) { $1 })
        #expect(
            answer.status == 204
                && answer["access-control-allow-methods"]?.contains("PATCH") == true)
        #expect(
            answer["access-control-allow-headers"]?.contains("If-Match") == true
                && answer["access-control-max-age"] == "600")
        #expect(
            answer["accept-patch"] == "application/json-patch+json, application/merge-patch+json")
        let evil = try daemon.client.request(
            "OPTIONS", "/v1/documents/menu", ask.merging(["Origin": "https://evil.example"]) { $1 })
        #expect(
            evil["access-control-allow-methods"] == nil
                && evil["access-control-allow-origin"] == nil)
    }
}
