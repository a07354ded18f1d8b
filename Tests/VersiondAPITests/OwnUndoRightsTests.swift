import AccessControl
import JSONTree
import TestSupport
import Testing

/// The rights of own and other undo, with tokens: `ada` and `eve` may write, `root` may do
/// everything.
@Suite struct OwnUndoRightsTests {
    private func daemon() throws -> LocalDaemon {
        var list = AccessList()
        for (name, rights) in [
            ("ada", [.read, .write]), ("eve", [.read, .write]), ("root", .all),
        ]
            as [(String, Rights)]
        {
            list.add(
                tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        let daemon = try LocalDaemon(access: list)
        try daemon.succeed("PUT", "", #"{"a":0,"b":0,"l":[]}"#, bearer("root"))
        return daemon
    }

    private func bearer(_ token: String) -> [String: String] {
        ["Authorization": "Bearer vd_\(token)"]
    }

    private func edit(_ daemon: LocalDaemon, _ token: String, _ body: String) throws {
        let fields = LocalDaemon.merge.merging(bearer(token)) { $1 }
        #expect(try daemon.menu("PATCH", "", body, fields).status == 200)
    }

    private func post(
        _ daemon: LocalDaemon, _ token: String, _ path: String, _ body: String? = nil
    ) throws -> Answer {
        try daemon.menu("POST", path, body, bearer(token))
    }

    @Test func `12: redo of another's change needs the right that its undo needs (B20)`() throws {
        let daemon = try daemon()
        try edit(daemon, "ada", #"{"a":1}"#)
        #expect(try post(daemon, "eve", "/undo", #"{"actor":"ada"}"#).code == "foreign-edit")
        #expect(try post(daemon, "ada", "/undo", #"{"actor":"ada"}"#).status == 200)
        for body in [#"{"actor":"ada"}"#, #"{"revision":1}"#] {
            #expect(try post(daemon, "eve", "/redo", body).code == "foreign-edit")
        }
        #expect(try post(daemon, "eve", "/undo", #"{"revision":2}"#).code == "foreign-edit")
        #expect(try post(daemon, "root", "/redo", #"{"actor":"ada"}"#).status == 200)
    }

    @Test func `12: shared redo of another's version needs the right, too`() throws {
        let daemon = try daemon()
        try edit(daemon, "ada", #"{"a":1}"#)
        #expect(try post(daemon, "ada", "/undo").status == 200)
        #expect(try post(daemon, "eve", "/redo").code == "foreign-edit")
        #expect(try post(daemon, "eve", "/goto", #"{"to":"version:1"}"#).code == "foreign-edit")
        #expect(try post(daemon, "ada", "/redo").status == 200)
    }

    @Test func `12: force needs the right to undo others`() throws {
        let daemon = try daemon()
        try edit(daemon, "ada", #"{"a":1}"#)
        let forced = try post(daemon, "ada", "/undo?conflict=mine", #"{"actor":"ada"}"#)
        #expect(try forced.status == 403 && forced.json["right"] == "undo-others")
    }

    @Test func `8: hasUndo of the status is about what the caller may do`() throws {
        let daemon = try daemon()
        try edit(daemon, "ada", #"{"a":1}"#)
        func has(_ token: String) throws -> [JSON?] {
            let status = try daemon.menu("GET", "/status", nil, bearer(token)).json
            return [status["hasUndo"], status["hasRedo"]]
        }
        #expect(try has("ada") == [true, false] && has("eve") == [false, false])
        #expect(try has("root") == [true, false])
        _ = try post(daemon, "ada", "/undo")
        #expect(try has("ada") == [false, true] && has("eve") == [false, false])
        let own = try daemon.menu("GET", "/status?actor=ada", nil, bearer("eve")).json["own"]
        #expect(own?["hasUndo"] == false)
        _ = try post(daemon, "ada", "/redo")
        let other = try daemon.menu("GET", "/status?actor=ada", nil, bearer("eve")).json["own"]
        #expect(other?["hasUndo"] == false && other?["undo"]?["allowed"] == false)
    }

    @Test func `8: what is in conflict is told to those only who may undo it`() throws {
        let daemon = try daemon()
        let patch = LocalDaemon.patch.merging(bearer("ada")) { $1 }
        let other = LocalDaemon.patch.merging(bearer("root")) { $1 }
        try daemon.succeed("PATCH", "", #"[{"op":"add","path":"/l/0","value":{"v":1}}]"#, patch)
        try daemon.succeed("PATCH", "", #"[{"op":"replace","path":"/l/0/v","value":2}]"#, other)
        let own = try daemon.menu("GET", "/status?actor=ada", nil, bearer("ada")).json["own"]
        #expect(own?["undo"]?["conflicts"] == ["/l/0/v"] && own?["undo"]?["version"] == 1)
        #expect(own?["undo"]?["allowed"] == true && own?["undo"]?["time"] != nil)
        let told = try daemon.menu("GET", "/status?actor=ada", nil, bearer("eve")).json["own"]
        #expect(told?["hasUndo"] == false && told?["undo"]?["allowed"] == false)
        #expect(told?["undo"]?["conflicts"] == nil)
        #expect(try post(daemon, "eve", "/undo", #"{"actor":"ada"}"#).code == "foreign-edit")
    }

    @Test func `18: a change names documents elsewhere to those only who may know of them`() throws
    {
        var list = AccessList()
        for (name, prefix) in [("root", ""), ("part", "menu")] {
            list.add(
                tokenHash: Token.hash(of: "vd_\(name)"),
                Grant(name: name, rights: .all, prefix: prefix))
        }
        let daemon = try LocalDaemon(access: list)
        for name in ["menu", "menu2", "pay"] {
            for (actor, body) in [
                ("root", "{}"), ("agent/1", #"{"o":{}}"#), ("eve", #"{"o":{"salary":1}}"#),
            ] where actor != "eve" || name != "menu" {
                let fields = LocalDaemon.json.by(actor).merging(bearer("root")) { $1 }
                _ = try daemon.client.request("PUT", "/v1/documents/" + name, fields, body: body)
            }
        }
        let undone = try daemon.client.request(
            "POST", "/v1/undo?conflict=theirs",
            LocalDaemon.json.merging(bearer("root")) { $1 },
            body: #"{"all":{"actor":"agent/1"}}"#)
        #expect(undone.text.contains("salary"), "\(undone.text)")
        // Also in a feed, which shares texts, in any order of readers.
        let (some, all) = (["menu2"], ["menu2", "pay"])
        for (token, known) in [("part", some), ("root", all), ("part", some)] {
            for path in ["history?", "feed?cursor=-1&"] {
                let read = try daemon.menu("GET", "/" + path + "limit=10", nil, bearer(token))
                #expect(read.text.contains("pay") == (token == "root"), "\(path) \(read.text)")
            }
            let history = try daemon.menu("GET", "/history", nil, bearer(token)).json
            let skipped = try #require(
                history["changes"]?.elements?.compactMap { $0["skipped"] }.first)
            #expect(skipped.elements?.compactMap { $0["document"]?.string } == known)
            let stream = try RawConnection(port: daemon.server.port)
            let lines = bearer(token).merging(["Accept": "application/x-ndjson"]) { $1 }
            let opened = try stream.open("/v1/documents/menu/feed?cursor=-1", lines)
            #expect(opened.status == 200)
            var text = ""
            while !text.contains("\"undo\""), let line = stream.line() { text += line }
            #expect(text.contains("menu2") && text.contains("pay") == (token == "root"))
        }
    }

    @Test func `12: restore counts as taking back what it takes back`() throws {
        let daemon = try daemon()
        try daemon.succeed("PUT", "/snapshots/s", nil, bearer("ada"))
        try edit(daemon, "ada", #"{"a":1}"#)
        #expect(try post(daemon, "ada", "/snapshots/s/restore").status == 200)
        try edit(daemon, "eve", #"{"b":1}"#)
        let refused = try post(daemon, "ada", "/snapshots/s/restore")
        #expect(try refused.code == "foreign-edit" && refused.json["change"]?["revision"] == 4)
        #expect(try post(daemon, "root", "/snapshots/s/restore").status == 200)
    }

    @Test func `7: a scope's owner without the right discards only what is hers`() throws {
        let daemon = try daemon()
        _ = try post(daemon, "ada", "/scopes/push")
        try edit(daemon, "ada", #"{"a":1}"#)
        try edit(daemon, "eve", #"{"b":1}"#)
        let all = try post(daemon, "ada", "/scopes/discard", #"{"all":true}"#)
        #expect(all.code == "foreign-edit")
        #expect(try post(daemon, "ada", "/scopes/discard").status == 200)
        let value = try daemon.menu("GET", "", nil, bearer("ada")).json
        #expect(value == ["a": 0, "b": 1, "l": []])
    }
}
