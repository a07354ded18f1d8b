import AccessControl
import Documents
import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// Rules for many documents: defaults and quotas.
@Suite struct DocumentRuleTests {
    private func daemon(_ rules: String, access: AccessList = .open) throws -> LocalDaemon {
        let daemon = try LocalDaemon(access: access)
        daemon.store.rules = try DocumentRules(reading: JSON(parsing: Array(rules.utf8)))
        return daemon
    }

    private func put(
        _ daemon: LocalDaemon, _ name: String, _ body: String = "{}",
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        try daemon.client.request(
            "PUT", "/v1/documents/\(name)", LocalDaemon.json.merging(fields) { $1 }, body: body)
    }

    private func settings(_ daemon: LocalDaemon, _ name: String) throws -> JSON? {
        try daemon.client.request("GET", "/v1/documents/\(name)/settings").json["settings"]
    }

    @Test func `A new document begins with the settings of its prefix, and keeps them`() throws {
        let daemon = try daemon(
            #"{"rules":[{"prefix":"forms","defaults":{"debounce":"2s","identity":["key"]}}]}"#)
        #expect(try put(daemon, "forms1").status == 201)
        #expect(try put(daemon, "menu").status == 201)
        let first = try settings(daemon, "forms1")
        #expect(first?["identity"]?[0] == "key" && first?["debounce"]?["window"] == "2s")
        #expect(try settings(daemon, "menu")?["debounce"] == .null)
        daemon.store.rules = DocumentRules()
        #expect(try settings(daemon, "forms1") == first)
        #expect(try put(daemon, "forms2").status == 201)
        #expect(try settings(daemon, "forms2")?["debounce"] == .null)
    }

    @Test func `Documents that a transaction or a copy makes begin with them, too`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"f","defaults":{"requireMatch":true}}]}"#)
        let body = #"{"changes":[{"document":"f1","value":1},{"document":"g1","value":1}]}"#
        #expect(
            try daemon.client.request("POST", "/v1/transactions", LocalDaemon.json, body: body)
                .status == 200)
        #expect(try daemon.client.request("PUT", "/v1/documents/f2?copyOf=g1").status == 201)
        for (name, expected) in [("f1", true), ("f2", true), ("g1", false)] {
            #expect(try settings(daemon, name)?["requireMatch"]?.bool == expected, "\(name)")
        }
    }

    @Test func `A schema by prefix guards documents from their first value on`() throws {
        let daemon = try daemon(
            #"{"rules":[{"prefix":"form","defaults":{"schema":{"required":["title"]}}}]}"#)
        #expect(try put(daemon, "form1").code == "schema-violation")
        #expect(try daemon.client.request("GET", "/v1/documents/form1").status == 404)
        #expect(try put(daemon, "form1", #"{"title":"a"}"#).status == 201)
        #expect(try put(daemon, "form1").code == "schema-violation")
    }

    @Test func `Documents beyond the quota are not made, and what ends makes room`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"f","quota":{"documents":2}}]}"#)
        #expect(try put(daemon, "f1").status == 201)
        #expect(try put(daemon, "f2").status == 201)
        let refused = try put(daemon, "f3")
        #expect(refused.status == 403 && refused.code == "quota-reached", "\(refused.text)")
        #expect(try refused.json["prefix"] == "f" && refused.json["max"] == 2)
        #expect(try put(daemon, "f3", "1", ["If-None-Match": "*"]).code == "quota-reached")
        #expect(
            try daemon.client.request("PUT", "/v1/documents/f3?copyOf=f1").code == "quota-reached")
        #expect(
            try daemon.client.request("PUT", "/v1/documents/f3?copyOf=f1&withHistory").code
                == "quota-reached")
        #expect(try put(daemon, "g1").status == 201)
        #expect(try put(daemon, "f1", "1").status == 200)
        #expect(try daemon.client.request("DELETE", "/v1/documents/f1").status == 204)
        #expect(try put(daemon, "f3").status == 201)
        #expect(
            try daemon.client.request("POST", "/v1/documents/f1/undelete").code
                == "quota-reached")
    }

    @Test func `Erasing makes room, and undo of a transaction makes none`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"f","quota":{"documents":2}}]}"#)
        for name in ["f1", "f2"] { #expect(try put(daemon, name).status == 201) }
        let both =
            #"{"changes":[{"document":"f1","delete":true},{"document":"f2","delete":true}]}"#
        let deleted = try daemon.client.request(
            "POST", "/v1/transactions", LocalDaemon.json, body: both)
        #expect(deleted.status == 200, "\(deleted.text)")
        for name in ["f3", "f4"] { #expect(try put(daemon, name).status == 201) }
        #expect(
            try daemon.client.request(
                "POST", "/v1/undo", LocalDaemon.json, body: #"{"transaction":"f1@1"}"#
            ).code == "quota-reached")
        #expect(try daemon.client.request("DELETE", "/v1/documents/f3?purge").status == 204)
        #expect(try put(daemon, "f5").status == 201)
        #expect(try put(daemon, "f6").code == "quota-reached")
    }

    @Test func `A draft begins without the schema of its prefix`() throws {
        let daemon = try daemon(
            #"{"rules":[{"prefix":"f","defaults":{"schema":{"required":["a"]}}}]}"#)
        #expect(try put(daemon, "f1", #"{"a":1}"#).status == 201)
        #expect(
            try daemon.client.request("PUT", "/v1/documents/f1~ada?copyOf=f1").status == 201)
        #expect(try settings(daemon, "f1~ada")?["schema"] == .null)
        #expect(try put(daemon, "f1~ada").status == 200)
    }

    @Test func `Without room for bytes nothing grows, and deleting goes on`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"f","quota":{"bytes":2000}}]}"#)
        let long = "\"\(String(repeating: "a", count: 1_000))\""
        #expect(try put(daemon, "f1", long).status == 201)
        #expect(try put(daemon, "f2", long).status == 201)
        let refused = try put(daemon, "f1", "1")
        #expect(refused.status == 507 && refused.code == "quota-full", "\(refused.text)")
        #expect(try daemon.client.request("POST", "/v1/documents/f1/undo").status == 409)
        #expect(try daemon.client.request("GET", "/v1/documents/f1").status == 200)
        #expect(try daemon.client.request("DELETE", "/v1/documents/f1").status == 204)
    }

    @Test func `Changes of a day are counted until the day ends`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"","quota":{"changesPerDay":3}}]}"#)
        for value in 0..<3 { #expect(try put(daemon, "menu", "\(value)").status < 300) }
        let refused = try put(daemon, "menu", "7")
        #expect(refused.code == "quota-reached")
        #expect(try refused.json["daily"] == true && refused.json["measure"] == "changes")
        #expect(try put(daemon, "menu", "2").status == 200)
        daemon.time.advance(by: 86_400_000)
        #expect(try put(daemon, "menu", "8").status == 200)
    }

    @Test func `A token has a quota of its own, also for drafts of an application's users`()
        throws
    {
        var access = AccessList()
        for name in ["shop/ada", "shop/bob", "ci"] {
            access.add(tokenHash: Token.hash(of: "vd_" + name), Grant(name: name, rights: .all))
        }
        let daemon = try daemon(
            """
            {"tokens":[{"namePrefix":"shop/","quota":{"changesPerDay":2,"documentsPerDay":1}},
                       {"name":"ci","quota":{"bytesPerDay":10}}]}
            """, access: access)
        func by(_ name: String) -> [String: String] { ["Authorization": "Bearer vd_" + name] }
        #expect(try put(daemon, "a", "1", by("shop/ada")).status == 201)
        #expect(try put(daemon, "b", "1", by("shop/ada")).code == "quota-reached")
        #expect(try put(daemon, "a", "2", by("shop/ada")).status == 200)
        let refused = try put(daemon, "a", "3", by("shop/ada"))
        #expect(refused.code == "quota-reached")
        #expect(try refused.json["token"] == "shop/ada")
        #expect(try put(daemon, "b", "1", by("shop/bob")).status == 201)
        #expect(try put(daemon, "c", "\"long enough\"", by("ci")).status == 201)
        #expect(try put(daemon, "c", "1", by("ci")).code == "quota-reached")
    }

    @Test func `An undo that takes a transaction as a whole counts each change once`() throws {
        var access = AccessList()
        access.add(tokenHash: Token.hash(of: "vd_ada"), Grant(name: "ada", rights: .all))
        let daemon = try daemon(
            #"{"tokens":[{"name":"ada","quota":{"changesPerDay":7}}]}"#, access: access)
        let fields = LocalDaemon.json.merging(["Authorization": "Bearer vd_ada"]) { $1 }
        func post(_ path: String, _ body: String) throws -> Int {
            try daemon.client.request("POST", path, fields, body: body).status
        }
        let ada = ["Authorization": "Bearer vd_ada"]
        for name in ["a", "b"] { #expect(try put(daemon, name, "1", ada).status == 201) }
        let both = #"{"changes":[{"document":"a","value":2},{"document":"b","value":2}]}"#
        #expect(try post("/v1/transactions", both) == 200)
        #expect(try post("/v1/documents/a/undo", #"{"revision":1}"#) == 200)
        #expect(try put(daemon, "a", "3", ada).status == 200)
        #expect(try put(daemon, "a", "4", ada).code == "quota-reached")
    }

    @Test(arguments: [
        "[]", #"{"rule":[]}"#, #"{"rules":[{"defaults":{}}]}"#,
        #"{"rules":[{"prefix":"a"},{"prefix":"a"}]}"#,
        #"{"rules":[{"prefix":"a","defaults":{"debounce":7}}]}"#,
        #"{"rules":[{"prefix":"a","defaults":{"schema":{"type":"text"}}}]}"#,
        #"{"rules":[{"prefix":"a","quota":{"documents":-1}}]}"#,
        #"{"rules":[{"prefix":"a","quota":{"pages":1}}]}"#,
        #"{"tokens":[{"quota":{}}]}"#, #"{"tokens":[{"name":"a","namePrefix":"b"}]}"#,
        #"{"tokens":[{"name":"a","quota":{"documents":1}}]}"#,
    ])
    func `Rules that cannot be understood are refused as a whole`(_ text: String) {
        #expect(throws: DocumentRules.Fault.self) {
            try DocumentRules(reading: JSON(parsing: Array(text.utf8)))
        }
    }
}
