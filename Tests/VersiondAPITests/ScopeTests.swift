import JSONTree
import Journaling
import TestSupport
import Testing

/// Rule 7: who may close a scope, and scopes that close by themselves.
@Suite struct ScopeTests {
    private static let ada = ["Versiond-Actor": "ada"]
    private static let bob = ["Versiond-Actor": "bob"]

    private func scoped(_ body: String? = nil) throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        #expect(try daemon.menu("POST", "/scopes/push", body, ScopeTests.ada).status == 200)
        try daemon.succeed("PUT", "", "1", ScopeTests.ada)
        return daemon
    }

    @Test(arguments: ["pop", "discard"])
    func `7: a scope is closed by its owner, or by force`(end: String) throws {
        let daemon = try scoped()
        let refused = try daemon.menu("POST", "/scopes/\(end)", nil, ScopeTests.bob)
        #expect(
            try refused.status == 409 && refused.code == "foreign-scope"
                && refused.json["owner"] == "ada")
        #expect(
            try daemon.menu("POST", "/scopes/\(end)", #"{"force":true}"#, ScopeTests.bob).status
                == 200)
        let again = try scoped()
        #expect(try again.menu("POST", "/scopes/\(end)", nil, ScopeTests.ada).status == 200)
    }

    @Test(arguments: [("pop", 1), ("discard", 0)])
    func `7: a scope closes by itself when its time is over, as its policy says`(
        policy: String, value: Int
    ) throws {
        let daemon = try scoped(#"{"ttl":"10m","policy":"\#(policy)"}"#)
        let scope = try daemon.menu("GET", "/scopes").json["scopes"]?[0]
        #expect(
            scope?["policy"]?.string == policy && scope?["expires"] != nil
                && scope?["owner"] == "ada")
        daemon.time.advance(by: 599_999)
        #expect(daemon.checkDeadlines() == [daemon.time.now.advanced(by: 1)])
        daemon.time.advance(by: 1)
        #expect(daemon.checkDeadlines() == [])
        // No client waits for this change, so it may take a moment.
        try until { try daemon.menu("GET", "/status").json["scopeLevel"] == 0 }
        #expect(try daemon.value() == JSON(value))
        let change = try daemon.menu("GET", "/history/3").json
        #expect(
            change["kind"]?.string == "\(policy)-scope"
                && change["label"] == "the scope's time was over")
    }

    @Test func `7: whoever comes after the time finds the scope closed, inner ones first`() throws {
        let daemon = try scoped(#"{"ttl":"10m"}"#)
        try daemon.succeed("POST", "/scopes/push")
        try daemon.put("2")
        daemon.time.advance(by: 600_000)
        let next = try daemon.menu("PUT", "", "3").json
        #expect(next["scopeLevel"] == 0 && next["revision"] == 7)
        try daemon.succeed("POST", "/undo", #"{"count":2}"#)
        #expect(try daemon.value() == 0)
    }

    @Test func `7: a deleted document's scopes need no check of their deadlines`() throws {
        let daemon = try scoped(#"{"ttl":"1s"}"#)
        try daemon.succeed("DELETE", "", nil, ScopeTests.ada)
        daemon.time.advance(by: 5_000)
        #expect(daemon.checkDeadlines() == [])
        #expect(try daemon.menu("PUT", "", "5").json["scopeLevel"] == 0)
    }

    @Test(arguments: [
        #"{"ttl":"0"}"#, #"{"ttl":5}"#, #"{"ttl":"31d"}"#, #"{"policy":"keep"}"#,
        #"{"ttl":"1m","policy":"keep"}"#, #"{"owner":"x"}"#,
    ])
    func `what is no scope is refused`(body: String) throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        #expect(try daemon.menu("POST", "/scopes/push", body).code == "malformed-request")
        #expect(try daemon.menu("GET", "/status").json["scopeLevel"] == 0)
    }
}
