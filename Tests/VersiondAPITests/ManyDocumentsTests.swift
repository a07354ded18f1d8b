import AccessControl
import JSONTree
import TestSupport
import Testing

/// Rule 18 over documents: all work of an actor is undone in one change, including the documents
/// that it made; and documents return to earlier states.
@Suite struct ManyDocumentsTests {
    private let daemon: LocalDaemon

    init() throws {
        var list = AccessList()
        for (name, rights) in [
            ("agent", [.read, .write]), ("bob", [.read, .write]), ("root", .all),
        ] as [(String, Rights)] {
            list.add(tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        list.add(
            tokenHash: Token.hash(of: "vd_far"),
            Grant(name: "far", rights: [.read, .write, .undoOthers], prefix: "menus/"))
        daemon = try LocalDaemon(access: list)
        for name in ["menus/1", "menus/2", "notes/1"] { try edit("root", name, #"{"n":0}"#) }
    }

    private func send(
        _ token: String, _ method: String, _ path: String, _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        var all = ["Authorization": "Bearer vd_\(token)"].merging(fields) { $1 }
        if body != nil, all["Content-Type"] == nil { all["Content-Type"] = "application/json" }
        return try daemon.client.request(method, path, all, body: body)
    }

    private func path(_ name: String) -> String {
        "/v1/documents/" + name.replacing("/", with: "%2F")
    }

    private func edit(
        _ token: String, _ name: String, _ value: String, as actor: String? = nil,
        _ query: String = ""
    ) throws {
        daemon.time.advance(by: 1_000)
        let put = try send(token, "PUT", path(name) + query, value, actor.map { [:].by($0) } ?? [:])
        #expect((200..<300).contains(put.status), "\(put.text)")
    }

    private func value(_ name: String) throws -> JSON {
        try send("root", "GET", path(name)).json
    }

    /// An agent's run over three documents of a prefix, one of which it makes, and one outside it.
    private func run() throws {
        try edit("agent", "menus/1", #"{"n":1}"#, as: "agent/run-17")
        try edit("bob", "menus/1", #"{"n":1,"bob":true}"#)
        try edit("agent", "menus/2", #"{"n":2}"#, as: "agent/run-17")
        try edit("agent", "menus/3", #"{"n":3}"#, as: "agent/run-17")
        try edit("agent", "notes/1", #"{"n":4}"#, as: "agent/run-17")
        try edit("agent", "menus/2", #"{"n":2,"other":1}"#, as: "agent/run-18")
    }

    private let all = #"{"all":{"actor":"agent/run-17"},"prefix":"menus/"}"#

    @Test func `18: what a run did in all documents of a prefix is taken back as one change (N4)`()
        throws
    {
        try run()
        let told = try send("agent", "POST", "/v1/undo?dryRun", all)
        #expect(try told.json["changes"]?.count == 3 && told.json["dryRun"] == true)
        #expect(try value("menus/1") == ["n": 1, "bob": true])
        let undone = try send("agent", "POST", "/v1/undo", all)
        #expect(undone.status == 200)
        #expect(try undone.json["transaction"] == "menus/1@3")
        #expect(try undone.json["changes"]?[0]?["change"]?["all"] == ["actor": "agent/run-17"])
        #expect(try value("menus/1") == ["n": 0, "bob": true])
        #expect(try value("menus/2") == ["n": 0, "other": 1])
        #expect(try value("menus/3")["code"] == "document-deleted", "it was made by the run (N6)")
        #expect(try value("notes/1") == ["n": 4], "it is beside the prefix")
        let again = try send("agent", "POST", "/v1/undo", all)
        #expect(again.status == 409 && again.code == "nothing-to-undo")
        let redo = try send("agent", "POST", "/v1/undo", #"{"transaction":"menus/1@3"}"#)
        #expect(redo.status == 200)
        #expect(try value("menus/1") == ["n": 1, "bob": true] && value("menus/3") == ["n": 3])
        #expect(try value("menus/2") == ["n": 2, "other": 1])
    }

    @Test func `18: a document that somebody else has worked in stays, and the edits go (N6)`()
        throws
    {
        try run()
        try edit("bob", "menus/3", #"{"n":3,"bob":1}"#)
        try edit("agent", "menus/3", #"{"n":9,"bob":1}"#, as: "agent/run-17")
        #expect(try send("agent", "POST", "/v1/undo", all).status == 200)
        #expect(try value("menus/3") == ["n": 3, "bob": 1])
    }

    @Test
    func `18: documents are named, and those without anything to take back are said to be so`()
        throws
    {
        try run()
        let body = #"{"all":{"actor":"agent/run-17"},"documents":["notes/1","menus/2","none"]}"#
        let undone = try send("agent", "POST", "/v1/undo", body).json
        let changes = try #require(undone["changes"]?.elements)
        #expect(changes.map { $0["absent"] } == [nil, nil, "unknown-document"])
        #expect(try value("notes/1") == ["n": 0] && value("menus/1")["n"] == 1)
    }

    @Test func `18: a conflict in one document refuses all, and theirs leaves it`() throws {
        try run()
        try edit("agent", "menus/1", #"{"n":1,"bob":true,"l":[{"id":1}]}"#, as: "agent/run-17")
        try edit("bob", "menus/1", #"{"n":1,"bob":true,"l":[{"id":1,"v":2}]}"#)
        try edit(
            "agent", "menus/1", #"{"n":1,"bob":true,"l":[{"id":2},{"id":1,"v":2}]}"#,
            as: "agent/run-17")
        try edit("bob", "menus/1", #"{"n":1,"bob":true,"l":[{"id":2,"v":3},{"id":1,"v":2}]}"#)
        let refused = try send("agent", "POST", "/v1/undo", all)
        #expect(refused.code == "conflict")
        #expect(try refused.json["document"] == "menus/1" && refused.json["member"] == 0)
        #expect(try value("menus/2") == ["n": 2, "other": 1], "nothing is half done")
        #expect(try send("agent", "POST", "/v1/undo?conflict=theirs", all).status == 200)
        #expect(try value("menus/2") == ["n": 0, "other": 1] && value("menus/1")["n"] == 0)
        #expect(try value("menus/1")["l"]?[0]?["v"] == 3)
    }

    @Test func `18: what others did needs the right, and a token takes back only where it reaches`()
        throws
    {
        try run()
        let others = #"{"all":{"since":"1970-01-01T00:00:01Z"},"prefix":"menus/"}"#
        #expect(try send("bob", "POST", "/v1/undo", others).code == "foreign-edit")
        #expect(
            try send("far", "POST", "/v1/undo", all.replacing("menus/", with: "notes/")).status
                == 403)
        let named = #"{"all":{"actor":"agent/run-17"},"documents":["notes/1"]}"#
        #expect(try send("far", "POST", "/v1/undo", named).status == 403)
        #expect(
            try send("far", "POST", "/v1/undo", #"{"all":{"actor":"agent/run-17"}}"#).status == 200)
        #expect(try value("notes/1") == ["n": 4] && value("menus/1")["n"] == 0)
    }

    @Test func `18: what is a part of a transaction is taken with its other parts, wherever`()
        throws
    {
        let both =
            #"{"changes":[{"document":"menus/1","merge":{"n":7}},"#
            + #"{"document":"notes/1","merge":{"n":7}}]}"#
        let fields = [:].by("agent/run-17")
        #expect(try send("agent", "POST", "/v1/transactions", both, fields).status == 200)
        func check(_ step: String, _ has: String) throws {
            for (token, isAllowed) in [("far", false), ("agent", true)] {
                let path = "/v1/documents/menus%2F1/status?actor=agent/run-17"
                let own = try send(token, "GET", path).json["own"]
                #expect(own?[step]?["allowed"] == JSON(isAllowed), "\(step) by \(token)")
                #expect(own?[has] == JSON(isAllowed))
            }
        }
        try check("undo", "hasUndo")
        let own = #"{"actor":"agent/run-17"}"#
        for call in ["undo", "redo"] {
            let path = "/v1/documents/menus%2F1/\(call)"
            #expect(try send("far", "POST", path, own).status == 403, "\(call)")
            #expect(try send("agent", "POST", path, own).status == 200, "\(call)")
            if call == "undo" { try check("redo", "hasRedo") }
        }
        // A token hears of no document that it does not cover, by whichever call.
        let path = "/v1/documents/menus%2F1/undo"
        for (path, body) in [("/v1/undo", all), (path, own), (path, #"{"count":1}"#)] {
            let refused = try send("far", "POST", path, body)
            #expect(refused.status == (body.contains("count") ? 409 : 403), "\(body)")
            #expect(!refused.text.contains("notes/1"), "\(refused.text)")
            // A reader of JSON refuses a member that occurs twice.
            _ = try refused.json
        }
        #expect(try send("agent", "POST", "/v1/undo", all).status == 200)
        #expect(try value("menus/1") == ["n": 0] && value("notes/1") == ["n": 0])
    }

    @Test func `18: bad input says what is wrong`() throws {
        for body in [
            "{}", #"{"all":{}}"#, #"{"all":{"actor":"a","since":"7"}}"#,
            #"{"all":{"actor":"a"},"prefix":"m","documents":["a"]}"#,
            #"{"all":{"actor":"a"},"documents":[]}"#,
            #"{"all":{"actor":"a"},"documents":["a","a"]}"#,
        ] {
            #expect(
                try send("root", "POST", "/v1/undo", body).code == "malformed-request", "\(body)")
        }
    }

    @Test func `18: a thousand documents are undone and redone as one step, and no more`() throws {
        func make(_ numbers: Range<Int>) throws {
            let members = numbers.map { #"{"document":"many/\#($0)","value":1}"# }
            let body = #"{"changes":[\#(members.joined(separator: ","))]}"#
            #expect(try send("agent", "POST", "/v1/transactions", body).status == 200)
        }
        for start in stride(from: 0, to: 900, by: 100) { try make(start..<start + 100) }
        for number in 900..<1_000 { try edit("agent", "many/\(number)", "1") }
        let many = #"{"all":{"actor":"agent"},"prefix":"many/"}"#
        let undone = try send("agent", "POST", "/v1/undo", many)
        #expect(try undone.json["changes"]?.count == 1_000, "\(undone.text.prefix(300))")
        let part = try send("agent", "GET", "/v1/documents/many%2F999/history/1").json
        #expect(part["transaction"]?["part"] == 1_000)
        #expect(try value("many/0")["code"] == "document-deleted")
        let redone = try send("agent", "POST", "/v1/redo", many)
        #expect(try redone.json["changes"]?.count == 1_000, "\(redone.text.prefix(300))")
        #expect(try value("many/999") == 1)
        try edit("agent", "many/1000", "1")
        #expect(try send("agent", "POST", "/v1/undo", many).code == "too-many-documents")
        #expect(try value("many/0") == 1)
    }

    @Test func `13: an undo over documents with an idempotency key is carried out once`() throws {
        try run()
        let key = ["Idempotency-Key": "u-1"]
        let first = try send("agent", "POST", "/v1/undo", all, key)
        let again = try send("agent", "POST", "/v1/undo", all, key)
        #expect(again["idempotent-replayed"] == "true")
        #expect(try again.json["transaction"] == first.json["transaction"])
    }

    // MARK: As it was

    private func restore(_ token: String, _ body: String, _ query: String = "") throws -> Answer {
        try send(token, "POST", "/v1/restore" + query, body)
    }

    @Test func `19: documents become what they were, and what was made or deleted since is said`()
        throws
    {
        try edit("root", "menus/4", #"{"n":4}"#)
        let cursor = try send("root", "GET", "/v1/feed?cursor=0&limit=500").json["next"]?.int ?? 0
        let time = daemon.time.now
        try run()
        #expect(try send("root", "DELETE", path("menus/4")).status == 204)
        let at = RFC3339Text(time.milliseconds)
        for to in [#""to":"\#(at)""#, #""to":"cursor:\#(cursor)""#] {
            let body = #"{"prefix":"menus/",\#(to)}"#
            let told = try restore("root", body, "?dryRun").json
            #expect(told["changes"]?.count == 2, "\(to)")
            #expect(told["madeSince"] == ["menus/3"] && told["deletedSince"] == ["menus/4"])
        }
        let body = #"{"prefix":"menus/","to":"\#(at)","made":"delete","deleted":"undelete"}"#
        #expect(try restore("bob", body).status == 403)
        let restored = try restore("root", body).json
        #expect(restored["changes"]?.count == 4)
        #expect(try value("menus/1") == ["n": 0] && value("menus/2") == ["n": 0])
        #expect(try value("menus/3")["code"] == "document-deleted" && value("menus/4") == ["n": 4])
        #expect(try value("notes/1") == ["n": 4])
        let name = try #require(restored["transaction"]?.string)
        #expect(try send("root", "POST", "/v1/undo", #"{"transaction":"\#(name)"}"#).status == 200)
        #expect(try value("menus/1") == ["n": 1, "bob": true] && value("menus/3") == ["n": 3])
        #expect(try value("menus/4")["code"] == "document-deleted")
    }

    @Test func `19: a restore that finds nothing else says so, and bad input is refused`() throws {
        let now = RFC3339Text(daemon.time.now.milliseconds)
        let same = try restore("root", #"{"prefix":"menus/","to":"\#(now)"}"#).json
        #expect(same["transaction"] == .null && same["changes"] == [])
        for body in [
            "{}", #"{"to":"version:3"}"#, #"{"cursor":3}"#, #"{"to":"\#(now)","cursor":3}"#,
            #"{"to":"\#(now)","made":"keep"}"#,
        ] {
            #expect(try restore("root", body).code == "malformed-request", "\(body)")
        }
        try run()
        let old = #"{"prefix":"menus/","to":"\#(now)"}"#
        #expect(try restore("bob", old).code == "foreign-edit", "it takes back what others did")
    }
}

/// A time as requests have it.
private func RFC3339Text(_ milliseconds: Int) -> String {
    let seconds = milliseconds / 1_000
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    let fraction = "\(1_000 + milliseconds % 1_000)".dropFirst()
    return "1970-01-\(two(1 + seconds / 86_400))T\(clock).\(fraction)Z"
}
