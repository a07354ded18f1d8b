import AccessControl
import HTTPServing
import JSONTree
import Signatures
import TestSupport
import Testing

/// Users of an application, whose tokens it signs, over HTTP.
@Suite struct SignedAccessTests {
    private let shop = TokenSigning()

    private func list(_ issuers: [Issuer]? = nil) throws -> AccessList {
        let key = try #require(VerifyingKey(secret: shop.secret))
        var list = AccessList()
        list.add(tokenHash: Token.hash(of: "root"), Grant(name: "root", rights: .all))
        for issuer in issuers ?? [
            Issuer(
                name: "shop", algorithm: .hs256, keys: [.init(key)],
                rights: [.read, .propose, .write], prefix: "shop/")
        ] {
            list.add(issuer)
        }
        return list
    }

    /// The token of a subject; the test's clock begins at 1,000 s.
    private func bearer(
        _ subject: String, exp: Int = 1_600, _ more: String = "", _ fields: [String: String] = [:]
    ) -> [String: String] {
        let claims =
            #"{"iss":"shop","sub":"\#(subject)","exp":\#(exp)\#(more.isEmpty ? "" : ",")\#(more)}"#
        return fields.merging(["Authorization": "Bearer \(shop.token(claims))"]) { $1 }
    }

    private static let json = ["Content-Type": "application/json"]

    @Test func `a token for an agent proves who asks for its changes`() throws {
        let daemon = try LocalDaemon(access: try list())
        func put(_ claims: String, _ fields: [String: String] = [:]) throws -> Answer {
            let token = bearer("ada", claims, fields.merging(SignedAccessTests.json) { $1 })
            return try daemon.client.request(
                "PUT", "/v1/documents/shop%2Fa", token, body: "\(Int.random(in: 0..<1_000_000))")
        }
        let act = #""act":{"sub":"agent"}"#
        let change = try put(act, ["Versiond-Actor": "agent/run-1"]).json["change"]
        #expect(change?["actor"] == "agent/run-1" && change?["promptBy"] == "ada")
        #expect(try put(act).json["change"]?["actor"] == "agent")
        #expect(try put(act, ["Versiond-Prompt-By": "ada"]).json["change"]?["promptBy"] == "ada")
        #expect(try put(act, ["Versiond-Prompt-By": "bob"]).code == "forbidden")
        // Neither the user nor another agent.
        for actor in ["ada", "ada/run-1", "agent2", "bob"] {
            #expect(try put(act, ["Versiond-Actor": actor]).code == "forbidden", "\(actor)")
        }
        // Without an agent the client states it.
        let stated = try put("", ["Versiond-Prompt-By": "bob"]).json["change"]
        #expect(stated?["actor"] == "ada" && stated?["promptBy"] == "bob")
        for bad in [#""act":"agent""#, #""act":{}"#, #""act":{"sub":""}"#, #""act":{"sub":7}"#] {
            #expect(try put(bad).code == "bad-claims", "\(bad)")
        }
        let caller = try daemon.client.request("GET", "/v1/whoami", bearer("ada", act)).json
        #expect(caller["name"] == "agent" && caller["promptBy"] == "ada")
        let slash = try daemon.client.request(
            "GET", "/v1/whoami", bearer("ada", #""act":{"sub":"a/b"}"#)
        ).json
        #expect(slash["name"] == "a%2Fb")
    }

    @Test func `users edit and take back what is theirs, where their tokens say`() throws {
        let daemon = try LocalDaemon(access: try list())
        func call(
            _ method: String, _ path: String, _ user: [String: String], _ body: String? = nil
        )
            throws -> Answer
        {
            try daemon.client.request(
                method, path, user.merging(SignedAccessTests.json) { $1 }, body: body)
        }
        let ada = bearer("ada", #""versiond":{"prefix":"shop/a/","documents":["shop/all"]}"#)
        let bob = bearer("bob")
        #expect(try call("PUT", "/v1/documents/shop%2Fall", bob, "[]").status == 201)
        #expect(try call("PUT", "/v1/documents/shop%2Fa%2F1", ada, "1").status == 201)
        let edit = try call("PUT", "/v1/documents/shop%2Fall", ada, "[1]")
        #expect(try edit.status == 200 && edit.json["change"]?["actor"] == "ada")
        let undo = try call("POST", "/v1/documents/shop%2Fall/undo", bob, nil)
        #expect(undo.code == "foreign-edit")
        #expect(try call("POST", "/v1/documents/shop%2Fall/undo", ada, nil).status == 200)
        for path in ["/v1/documents/shop%2Fb", "/v1/documents/blog", "/v1/documents/shop%2Fall2"] {
            let refused = try call("PUT", path, ada, "1")
            #expect(refused.code == "forbidden")
            #expect(try refused.json["prefix"] == "shop/a/")
        }
        let listed = try call("GET", "/v1/documents", ada).json["documents"]?.elements
        #expect(listed?.map { $0["document"]?.string } == ["shop/a/1"], "only those of the prefix")
        let who = try call("GET", "/v1/whoami", ada).json
        #expect(who["name"] == "ada" && who["documents"]?.description == #"["shop/all"]"#)
        #expect(who["prefix"] == "shop/a/" && who["expires"] == "1970-01-01T00:27:10.000Z")
        #expect(
            try call("PUT", "/v1/documents/shop%2Fall", ["Authorization": "x"], "1").status == 401)
    }

    @Test func `who has documents only, and no prefix, has no lists`() throws {
        let daemon = try LocalDaemon(access: try list())
        let ada = bearer("ada", #""versiond":{"documents":["shop/all"]}"#)
        for path in ["/v1/documents", "/v1/feed?cursor=-1", "/v1/history", "/metrics"] {
            let refused = try daemon.client.request("GET", path, ada)
            #expect(refused.status == 403, "\(path)")
        }
        for list in ["feed?cursor=-1&", "history?"] {
            let path = "/v1/\(list)documents=shop%2Fall"
            #expect(try daemon.client.request("GET", path, ada).status == 200, "\(path)")
        }
        let feed = try RawConnection(port: daemon.server.port)
        let lines = ada.merging(["Accept": "application/x-ndjson"]) { $1 }
        #expect(try feed.open("/v1/feed?documents=shop%2Fall", lines).status == 200)
        #expect(feed.line()?.contains("bookmark") == true)
        let root = ["Authorization": "Bearer root"].merging(SignedAccessTests.json) { $1 }
        for name in ["blog", "shop%2Fall"] {
            let path = "/v1/documents/\(name)"
            #expect(try daemon.client.request("PUT", path, root, body: "1").status == 201)
        }
        #expect(feed.line()?.contains(#""document":"shop/all""#) == true)
        #expect(
            try daemon.client.request("GET", "/v1/feed?cursor=-1&documents=shop%2Fb", ada).code
                == "forbidden")
    }

    @Test func `a token that counts for nothing says why`() throws {
        let daemon = try LocalDaemon(access: try list())
        let good = shop.token(#"{"iss":"shop","sub":"ada","exp":1600}"#)
        let wrong = TokenSigning(secret: String(repeating: "x", count: 32))
        for (token, code) in [
            (shop.token(#"{"iss":"shop","sub":"ada","exp":970}"#), "token-expired"),
            (shop.token(#"{"iss":"shop","sub":"ada","exp":1600,"nbf":1031}"#), "token-not-yet"),
            (shop.token(#"{"iss":"blog","sub":"ada","exp":1600}"#), "unknown-issuer"),
            (wrong.token(#"{"iss":"shop","sub":"ada","exp":1600}"#), "bad-signature"),
            (shop.token(#"{"iss":"shop","exp":1600}"#), "bad-claims"),
            (good.dropLast(43) + String(repeating: "A", count: 43), "bad-signature"),
            (good + "!", "unauthorized"),
        ] {
            let refused = try daemon.client.request(
                "GET", "/v1/documents/shop%2Fall", ["Authorization": "Bearer \(token)"])
            #expect(refused.status == 401 && refused.code == code, "\(token): \(refused.text)")
            #expect(
                refused["www-authenticate"] == #"Bearer realm="versiond", error="invalid_token""#)
            let parts = token.split(separator: ".")
            #expect(!refused.text.contains(parts[parts.count - 1]), "no secrets")
        }
    }

    @Test func `a quiet stream ends when its token does, and when it is revoked`() throws {
        let daemon = try LocalDaemon(isTimeReal: true, access: try list())
        func follow(_ user: [String: String]) throws -> RawConnection {
            let feed = try RawConnection(port: daemon.server.port)
            let fields = user.merging(["Accept": "application/x-ndjson"]) { $1 }
            #expect(try feed.open("/v1/feed?heartbeat=60s", fields).status == 200)
            #expect(feed.line()?.contains("bookmark") == true)
            return feed
        }
        let (short, long) = (try follow(bearer("ada", exp: 1_010)), try follow(bearer("bob")))
        daemon.time.advance(by: 41_000)
        #expect(short.line()?.contains("token-expired") == true && short.line() == nil)
        daemon.access.replace(with: try list([]))
        #expect(long.line()?.contains("unknown-issuer") == true && long.line() == nil)
    }

    @Test func `100 followers get another token each, and miss nothing`() throws {
        let daemon = try LocalDaemon(streamsMax: 128, access: try list())
        let root = ["Authorization": "Bearer root"]
        func put(_ value: Int) throws {
            let fields = root.merging(SignedAccessTests.json) { $1 }
            let answer = try daemon.client.request(
                "PUT", "/v1/documents/shop%2Fall", fields, body: "\(value)")
            #expect(answer.status < 300)
        }
        func follow(_ user: Int, exp: Int, from cursor: Int) throws -> RawConnection {
            let feed = try RawConnection(port: daemon.server.port)
            let fields = bearer("user-\(user)", exp: exp, "", ["Accept": "application/x-ndjson"])
            #expect(
                try feed.open("/v1/documents/shop%2Fall/feed?cursor=\(cursor)", fields).status
                    == 200)
            #expect(feed.line()?.contains("bookmark") == true)
            return feed
        }
        try put(0)
        var feeds = try (0..<100).map { try follow($0, exp: 1_010, from: 0) }
        try put(1)
        for feed in feeds { #expect(feed.line()?.contains(#""revision":1"#) == true) }
        daemon.time.advance(by: 41_000)
        try put(2)
        for feed in feeds {
            #expect(feed.line()?.contains("token-expired") == true && feed.line() == nil)
        }
        feeds = try (0..<100).map { try follow($0, exp: 2_000, from: 1) }
        try put(3)
        for feed in feeds {
            #expect(feed.line()?.contains(#""revision":2"#) == true)
            #expect(feed.line()?.contains(#""revision":3"#) == true)
        }
    }

    @Test func `who may only propose undoes no part of what is no draft`() throws {
        let daemon = try LocalDaemon(access: try list())
        func call(_ method: String, _ path: String, _ allow: String, _ body: String?) throws
            -> Answer
        {
            let user = bearer("ada", #""versiond":{"allow":["\#(allow)"]}"#)
            let fields = user.merging(SignedAccessTests.json) { $1 }
            return try daemon.client.request(method, "/v1/\(path)", fields, body: body)
        }
        for name in ["shop%2Fmenu", "shop%2Fmenu~x"] {
            #expect(try call("PUT", "documents/\(name)", "write", #"{"a":1}"#).status == 201)
        }
        let both = #"""
            {"changes":[{"document":"shop/menu","merge":{"a":2}},{"document":"shop/menu~x","merge":{"a":2}}]}
            """#
        #expect(try call("POST", "transactions", "write", both).status == 200)
        let undo = "documents/shop%2Fmenu~x/undo"
        let refused = try call("POST", undo, "propose", #"{"actor":"ada"}"#)
        #expect(refused.status != 200, "\(refused.text)")
        #expect(
            try call("GET", "documents/shop%2Fmenu", "read", nil).text == #"{"a":2}"# + "\n")
        #expect(try call("POST", undo, "write", #"{"actor":"ada"}"#).status == 200)
    }

    @Test func `a merge that is asked for again shows the origin to those alone who reach it`()
        throws
    {
        let daemon = try LocalDaemon(access: try list())
        func call(
            _ method: String, _ path: String, _ reach: String, _ body: String? = nil,
            _ more: [String: String] = [:]
        ) throws -> Answer {
            let user = bearer("kim", #""versiond":{\#(reach)}"#, more)
            let fields = user.merging(SignedAccessTests.json) { $1 }
            return try daemon.client.request(method, "/v1/documents/\(path)", fields, body: body)
        }
        let (wide, narrow) = (#""prefix":"shop/""#, #""documents":["shop/o~d"]"#)
        #expect(try call("PUT", "shop%2Fo", wide, #"{"secret":1}"#).status == 201)
        #expect(try call("PUT", "shop%2Fo~d?copyOf=shop%2Fo", wide).status == 201)
        #expect(try call("PUT", "shop%2Fo~d", wide, #"{"secret":2}"#).status == 200)
        let key = ["Idempotency-Key": "\"k1\""]
        let merge = "shop%2Fo~d/merge"
        #expect(try call("POST", merge, wide, "{}", key).status == 200)
        #expect(try call("POST", merge, wide, "{}", key).status == 200)
        let refused = try call("POST", merge, narrow, "{}", key)
        #expect(refused.code == "forbidden" && !refused.text.contains("secret"), "\(refused.text)")
    }

    @Test func `an export ends when its token does`() throws {
        let daemon = try LocalDaemon(isTimeReal: true, access: try list())
        let root = ["Authorization": "Bearer root"].merging(SignedAccessTests.json) { $1 }
        // More than fits between the daemon and a client that does not read.
        let text = "\"" + String(repeating: "x", count: 4 << 20) + "\""
        for number in 0..<8 {
            let path = "/v1/documents/d\(number)"
            #expect(try daemon.client.request("PUT", path, root, body: text).status == 201)
        }
        let export = try RawConnection(port: daemon.server.port)
        export.send(
            "GET /v1/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root\r\n\r\n")
        daemon.access.replace(with: AccessList())
        let all = String(decoding: export.rest(), as: UTF8.self)
        #expect(all.contains("unauthorized") && all.utf8.count < 30 << 20, "\(all.utf8.count)")
    }

    @Test func `a ticket of a signed token opens a feed, and ends with it`() throws {
        let daemon = try LocalDaemon(access: try list())
        let made = try daemon.client.request("POST", "/v1/tickets", bearer("ada", exp: 1_010))
        let ticket = try #require(made.json["ticket"]?.string)
        let feed = "/v1/feed?cursor=-1&prefix=shop%2F&ticket=\(ticket)"
        #expect(try daemon.client.request("GET", feed).status == 200)
        daemon.time.advance(by: 40_001)
        #expect(try daemon.client.request("GET", feed).code == "token-expired")
    }
}
