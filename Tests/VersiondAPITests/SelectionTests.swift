import AccessControl
import JSONTree
import TestSupport
import Testing

/// Rule 18: all edits of an actor, with a label, since a state or at places, are undone as one
/// step.
@Suite struct SelectionTests {
    /// A document in which an agent worked for a while, and bob in between.
    private func scene(_ daemon: LocalDaemon) throws {
        try daemon.put(#"{"items":[],"note":"","n":0}"#)
        for n in 1...10 {
            let add = #"[{"op":"add","path":"/items/-","value":{"id":"# + "\(n)}}]"
            try daemon.succeed("PATCH", "?label=run-42", add, LocalDaemon.patch.by("agent-7"))
            try daemon.as("bob").merge(#"{"n":"# + "\(n)}")
        }
        try daemon.as("agent-7").merge(#"{"note":"done"}"#, "?label=run-43")
    }

    private func undo(
        _ daemon: LocalDaemon, _ all: String, _ query: String = "", by actor: String = "agent-7"
    ) throws -> Answer {
        try daemon.client.request(
            "POST", "/v1/undo" + query, LocalDaemon.json.by(actor), body: body(all))
    }

    /// The body of an undo in the document `menu`.
    private func body(_ all: String) -> String { #"{"all":\#(all),"documents":["menu"]}"# }

    /// The change that the undo made in it.
    private func change(_ answer: Answer) throws -> JSON? {
        try answer.json["changes"]?[0]?["change"]
    }

    @Test func `18: all that an actor did is taken back as one step, and one redo puts it back`()
        throws
    {
        let daemon = try LocalDaemon()
        try scene(daemon)
        let before = try daemon.value()
        let undone = try undo(daemon, #"{"actor":"agent-7"}"#)
        #expect(undone.status == 200)
        let change = try change(undone)
        #expect(change?["kind"] == "undo" && change?["undone"]?.count == 11)
        #expect(change?["all"] == ["actor": "agent-7"] && change?["of"] == nil)
        #expect(try undone.json["changes"]?[0]?["version"] == 22, "one version")
        #expect(try daemon.value() == ["items": [], "note": "", "n": 10])
        #expect(try daemon.menu("POST", "/redo", #"{"actor":"agent-7"}"#).status == 200)
        #expect(try daemon.value() == before)
        try daemon.succeed("POST", "/undo")
        #expect(try daemon.value() == ["items": [], "note": "", "n": 10], "a version like any")
        try daemon.succeed("POST", "/undo")
        #expect(try daemon.value() == before)
    }

    @Test func `18: undo of that undo by its revision puts all back, whoever made the edits`()
        throws
    {
        let daemon = try LocalDaemon()
        try scene(daemon)
        let before = try daemon.value()
        let undone = try undo(daemon, #"{"since":"0"}"#, by: "dan")
        #expect(try change(undone)?["undone"]?.count == 21)
        #expect(try daemon.value() == ["items": [], "note": "", "n": 0])
        #expect(try daemon.menu("POST", "/undo", #"{"revision":22}"#).status == 200)
        #expect(try daemon.value() == before)
    }

    @Test func `18: a label, a state and places narrow what is taken back`() throws {
        let daemon = try LocalDaemon()
        try scene(daemon)
        let before = try daemon.value()
        for (all, count) in [
            (#"{"label":"run-42"}"#, 10), (#"{"label":"run-4"}"#, 0),
            (#"{"actor":"agent-7","since":"version:9"}"#, 6),
            (#"{"actor":"agent-7","since":"9","until":"13"}"#, 2),
            (#"{"paths":["/n"]}"#, 10), (#"{"paths":["/note","/items"]}"#, 11),
            (#"{"paths":["/items/0"]}"#, 1), (#"{"since":"version:0"}"#, 21),
            (#"{"until":"1970-01-01T00:00:00Z"}"#, 0),
            (#"{"actor":"bob","paths":["/items"]}"#, 0),
        ] {
            let told = try undo(daemon, all, "?dryRun")
            if count == 0 {
                #expect(told.status == 409 && told.code == "nothing-to-undo", "\(all)")
                #expect(try told.json["selected"] == 0)
            } else {
                #expect(try change(told)?["undone"]?.count == count, "\(all)")
            }
        }
        #expect(try daemon.value() == before)
    }

    @Test func `18: what is out of effect is not taken back again`() throws {
        let daemon = try LocalDaemon()
        try scene(daemon)
        try daemon.succeed("POST", "/undo", #"{"revision":1}"#)
        let undone = try undo(daemon, #"{"label":"run-42"}"#)
        #expect(try change(undone)?["undone"]?.count == 9)
        #expect(try undo(daemon, #"{"label":"run-42"}"#).code == "nothing-to-undo")
    }

    @Test func `18: later work of others is a conflict, which theirs leaves and mine hides`() throws
    {
        let daemon = try LocalDaemon()
        try scene(daemon)
        let bob = LocalDaemon.patch.by("bob")
        let edit = #"[{"op":"add","path":"/items/3/price","value":5}]"#
        try daemon.succeed("PATCH", "", edit, bob)
        let before = try daemon.value()
        let refused = try undo(daemon, #"{"actor":"agent-7"}"#)
        #expect(refused.status == 409 && refused.code == "conflict")
        #expect(try refused.json["conflicts"] == ["/items/3/price"] && refused.json["with"] == [22])
        #expect(try daemon.value() == before, "nothing is half done")
        let told = try undo(daemon, #"{"actor":"agent-7"}"#, "?conflict=mine&dryRun")
        #expect(try change(told)?["undone"]?.count == 11)
        let taken = try undo(daemon, #"{"actor":"agent-7"}"#, "?conflict=theirs")
        let change = try change(taken)
        #expect(change?["undone"]?.count == 10 && change?["skipped"]?.count == 1)
        #expect(try daemon.value()["items"] == [["id": 4, "price": 5]])
    }

    @Test func `18: edits inside what is taken back, and taken back with it, are no conflict`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"l":[]}"#)
        let patches = [
            ("ada", #"[{"op":"add","path":"/l/0","value":{"v":1}}]"#),
            ("bob", #"[{"op":"replace","path":"/l/0/v","value":2}]"#),
        ]
        for (actor, patch) in patches {
            try daemon.succeed("PATCH", "", patch, LocalDaemon.patch.by(actor))
        }
        #expect(try undo(daemon, #"{"actor":"ada"}"#).code == "conflict")
        #expect(try undo(daemon, #"{"since":"0"}"#).status == 200)
        #expect(try daemon.value() == ["l": []])
    }

    @Test func `18: bad input says what is wrong, and nothing is done`() throws {
        let daemon = try LocalDaemon()
        try scene(daemon)
        for (all, status, code) in [
            ("{}", 400, "malformed-request"), ("true", 400, "malformed-request"),
            (#"{"who":"ada"}"#, 400, "malformed-request"),
            (#"{"actor":"ada"},"actor":"ada""#, 400, "malformed-request"),
            (#"{"since":"snapshot:x"}"#, 400, "malformed-request"),
            (#"{"since":"tag:x"}"#, 404, "unknown-tag"),
            (#"{"until":"99"}"#, 404, "unknown-revision"),
            (#"{"paths":["x"]}"#, 400, "malformed-request"),
            (#"{"paths":[]}"#, 400, "malformed-request"),
        ] {
            let refused = try undo(daemon, all)
            #expect(refused.status == status && refused.code == code, "\(all): \(refused.text)")
        }
        #expect(try daemon.menu("GET").json["n"] == 10)
    }

    @Test func `18: what others did needs the right to undo others; the own runs do not`() throws {
        var list = AccessList()
        for (name, rights) in [("agent", [.read, .propose, .write]), ("root", .all)]
            as [(String, Rights)]
        {
            list.add(tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        let daemon = try LocalDaemon(access: list)
        func fields(_ token: String, _ actor: String? = nil) -> [String: String] {
            let known = ["Authorization": "Bearer vd_\(token)"]
            return actor.map { known.by($0) } ?? known
        }
        try daemon.succeed("PUT", "", #"{"n":0}"#, fields("root"))
        for n in 1...3 {
            try daemon.succeed(
                "PATCH", "", #"{"a"# + "\(n)\":\(n)}",
                LocalDaemon.merge.merging(fields("agent", "agent/run-\(n)")) { $1 })
        }
        try daemon.succeed(
            "PATCH", "", #"{"n":1}"#, LocalDaemon.merge.merging(fields("root")) { $1 })
        func undo(_ all: String) throws -> Answer {
            try daemon.client.request(
                "POST", "/v1/undo", LocalDaemon.json.merging(fields("agent")) { $1 },
                body: body(all))
        }
        let all = try undo(#"{"since":"0"}"#)
        #expect(all.status == 403 && all.code == "foreign-edit")
        #expect(try undo(#"{"actor":"agent/run-2"}"#).status == 200)
        #expect(try daemon.menu("GET", "", nil, fields("root")).json == ["n": 1, "a1": 1, "a3": 3])
    }

    @Test func `13: an undo of many with an idempotency key is carried out once`() throws {
        let daemon = try LocalDaemon()
        try scene(daemon)
        let fields = LocalDaemon.json.by("agent-7").merging(["Idempotency-Key": "k1"]) { $1 }
        let body = body(#"{"actor":"agent-7","since":"version:0"}"#)
        for isRepeated in [false, true] {
            let undone = try daemon.client.request("POST", "/v1/undo", fields, body: body)
            #expect(try change(undone)?["undone"]?.count == 11)
            #expect((undone["idempotent-replayed"] == "true") == isRepeated)
        }
        #expect(try daemon.menu("GET", "/history?limit=1").json["next"] == 22)
    }
}
