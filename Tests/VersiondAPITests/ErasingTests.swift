import AccessControl
import Documents
import JSONTree
import TestSupport
import Testing
import VersiondAPI

/// 17 and 4 as clients see them: purge and undelete.
@Suite struct ErasingTests {
    @Test func `17: a place is erased from the value, history, feed and snapshots`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"email":"ada@example.com","name":"Ada"}"#)
        try daemon.put(#"{"email":"ada@example.org","name":"Ada"}"#)
        try daemon.succeed("PUT", "/snapshots/s", "{}")
        try daemon.put(#"{"email":"ada@example.org","name":"Bob"}"#)
        let body = #"{"paths":["/email"]}"#
        let dry = try daemon.menu("POST", "/purge?dryRun", body)
        #expect(try dry.status == 200 && dry.json["erased"] == 2 && dry.json["dryRun"] == true)
        #expect(try daemon.value()["email"] != nil, "nothing happened yet")
        let erased = try daemon.menu(
            "POST", "/purge?label=on%20demand", #"{"paths":["/email"]}"#, ["Versiond-Actor": "root"]
        )
        #expect(erased.status == 200 && erased["etag"] == "\"4\"", "\(erased.text)")
        #expect(try erased.json["change"]?["kind"] == "purge")
        #expect(try erased.json["change"]?["paths"] == ["/email"])
        #expect(try erased.json["change"]?["label"] == "on demand")
        for rest in [
            "", "?at=0", "?at=1", "/history?branches=all", "/history/0", "/snapshots/s",
            "/feed?cursor=-1", "/diff?from=0&to=4",
        ] {
            let answer = try daemon.menu("GET", rest)
            #expect(answer.status == 200 && !answer.text.contains("example"), "\(rest)")
        }
        #expect(try daemon.value() == ["name": "Bob"])
        try daemon.undo()
        #expect(try daemon.value() == ["name": "Ada"], "undo works on")
        let nothing = try daemon.menu("POST", "/purge", #"{"paths":["/email"]}"#)
        #expect(try nothing.json["erased"] == 0 && nothing.json["change"] == .null)
    }

    @Test func `17: an erased document is gone for good, and that is recorded`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"secret":"x"}"#)
        let gone = try daemon.menu("DELETE", "?purge", nil, ["Versiond-Actor": "root"])
        #expect(gone.status == 204 && gone["etag"] == "\"1\"", "\(gone.text)")
        for rest in ["", "?at=0", "/history", "/status", "/diff?from=0"] {
            let answer = try daemon.menu("GET", rest)
            #expect(answer.status == 410 && answer.code == "document-purged", "\(rest)")
        }
        #expect(try daemon.menu("POST", "/undelete").code == "document-purged")
        #expect(try daemon.menu("DELETE", "?purge").code == "document-purged")
        let feed = try daemon.client.request("GET", "/v1/feed?cursor=0")
        #expect(!feed.text.contains("secret") && feed.text.contains("\"root\""))
        #expect(try daemon.menu("PUT", "", "1").status == 201)
        #expect(try daemon.menu("GET", "?at=0").code == "document-purged")
        #expect(try daemon.value() == 1)
    }

    @Test func `17: conditions, wrong places and moved values erase nothing`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"mail":"x"}"#)
        let move = #"[{"op":"move","from":"/mail","path":"/email"}]"#
        try daemon.succeed("PATCH", "", move, LocalDaemon.patch)
        func refusal(_ body: String, _ fields: [String: String] = [:]) throws -> Answer {
            let answer = try daemon.menu("POST", "/purge", body, fields)
            #expect(try daemon.menu("GET")["etag"] == "\"1\"")
            return answer
        }
        for paths in [#"[""]"#, "[]", #"["/users/3"]"#, #"["email"]"#, "7", "null"] {
            let answer = try refusal("{\"paths\":\(paths)}")
            #expect(answer.code == "malformed-request", "\(paths): \(answer.text)")
        }
        #expect(try refusal("{}").code == "malformed-request")
        let stale = try refusal(#"{"paths":["/email"]}"#, ["If-Match": "\"0\""])
        #expect(stale.status == 412)
        let moved = try refusal(#"{"paths":["/email"]}"#)
        #expect(moved.status == 409 && moved.code == "moved-value")
        #expect(try moved.json["path"] == "/mail" && moved.json["change"]?["revision"] == 1)
        #expect(try daemon.menu("DELETE", "?purge=maybe").code == "malformed-request")
        #expect(try daemon.menu("DELETE", "?purge", nil, ["If-Match": "\"0\""]).status == 412)
        let unknown = try daemon.client.request("DELETE", "/v1/documents/none?purge", [:])
        #expect(unknown.code == "unknown-document")
    }

    @Test func `17: followers receive the change that records it, and may go on`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"email":"x","n":0}"#)
        let feed = try RawConnection(port: daemon.server.port)
        let lines = ["Accept": "application/x-ndjson"]
        #expect(try feed.open("/v1/documents/menu/feed?cursor=0", lines).status == 200)
        try daemon.succeed("POST", "/purge", #"{"paths":["/email"]}"#)
        try daemon.succeed("PATCH", "", #"{"n":1}"#, LocalDaemon.merge)
        var text = ""
        while !text.contains("\"revision\":2"), let line = feed.line() { text += line + "\n" }
        #expect(text.contains("\"kind\":\"purge\"") && !text.contains("\"x\""))
    }

    @Test func `4: a deleted document comes back whole`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        try daemon.put("2")
        try daemon.tag("best")
        try daemon.succeed("PUT", "/snapshots/s", "{}")
        #expect(try daemon.menu("POST", "/undelete").code == "not-deleted")
        try daemon.delete()
        #expect(try daemon.menu("GET").code == "document-deleted")
        let back = try daemon.menu("POST", "/undelete", nil, ["Versiond-Actor": "ada"])
        #expect(try back.status == 200 && back.json["change"]?["kind"] == "undelete")
        #expect(try daemon.value() == 2)
        #expect(try daemon.menu("GET", "/tags/best").status == 200)
        #expect(try daemon.menu("GET", "/snapshots/s").status == 200)
        try daemon.undo()
        #expect(try daemon.value() == 1, "its versions are there")
        let list = try daemon.client.request("GET", "/v1/documents", [:])
        #expect(list.text.contains("menu"))
    }

    @Test func `17: only an admin may erase and bring back`() throws {
        var list = AccessList()
        for (name, rights) in [("bob", [.read, .write, .undoOthers] as Rights), ("root", .all)] {
            list.add(tokenHash: Token.hash(of: name), Grant(name: name, rights: rights))
        }
        let daemon = try LocalDaemon(access: list)
        func send(_ method: String, _ rest: String, _ body: String?, _ name: String) throws -> Int {
            try daemon.menu(method, rest, body, ["Authorization": "Bearer \(name)"]).status
        }
        #expect(try send("PUT", "", #"{"a":1}"#, "root") == 201)
        let calls: [(String, String, String?)] = [
            ("POST", "/purge", #"{"paths":["/a"]}"#), ("DELETE", "", nil),
            ("POST", "/undelete", nil), ("DELETE", "?purge", nil),
        ]
        for (method, rest, body) in calls {
            #expect(try send(method, rest, body, "bob") == 403)
            #expect([200, 204].contains(try send(method, rest, body, "root")))
        }
    }
}
