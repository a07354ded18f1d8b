import JSONTree
import TestSupport
import Testing

/// Settings: what has versions, how much history stays, how arrays are compared.
@Suite struct SettingsTests {
    private func note(_ settings: String = "{}") throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.succeed(
            "PUT", "",
            #"{"text":"a","lastUpdated":1,"items":[{"id":1,"seen":0},{"id":2,"seen":0}]}"#)
        if settings != "{}" {
            #expect(try daemon.menu("PATCH", "/settings", settings).status == 200)
        }
        return daemon
    }

    @Test func `settings are read back, merged, and set back by null`() throws {
        let daemon = try note(
            #"{"debounce":"500ms","ignored":["/lastUpdated"],"retention":{"count":100,"age":"30d"}}"#
        )
        try daemon.succeed(
            "PATCH", "/settings",
            #"{"identity":["key"],"retention":{"bytes":5000,"age":null},"tracked":"/text"}"#)
        let settings = try daemon.menu("GET", "/settings").json["settings"]
        #expect(
            settings?.description
                == #"{"debounce":{"window":"500ms","max":"10s"},"ignored":["/lastUpdated"],"tracked":"/text","identity":["key"],"requireMatch":false,"schema":null,"enforce":"edits","presence":true,"retention":{"count":100,"bytes":5000,"age":null}}"#
        )
        let back =
            #"{"debounce":null,"ignored":null,"tracked":null,"identity":null,"retention":null}"#
        try daemon.succeed("PATCH", "/settings", back)
        #expect(
            try daemon.menu("GET", "/settings").json["settings"]?.description
                == #"{"debounce":null,"ignored":[],"tracked":"","identity":["id"],"requireMatch":false,"schema":null,"enforce":"edits","presence":true,"retention":{"count":null,"bytes":null,"age":null}}"#
        )
        #expect(try daemon.menu("PATCH", "/settings", back).json["change"] == .null)
    }

    @Test func `V4: patterns have a limit together, since all are looked for in every edit`() throws
    {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        func settings(_ depth: Int) throws -> Answer {
            let patterns = (0..<32).map {
                "\"\(String(repeating: "/*", count: depth - 1))/n\($0)\""
            }
            return try daemon.menu(
                "PATCH", "/settings", "{\"ignored\":[\(patterns.joined(separator: ","))]}")
        }
        #expect(try settings(16).status == 200)
        let refused = try settings(17)
        #expect(refused.status == 400 && refused.text.contains("512 segments"), "\(refused.text)")
    }

    @Test func `11: an edit of ignored places is stored and told, but is no version`() throws {
        let daemon = try note(#"{"ignored":["/lastUpdated","/items/*/seen"]}"#)
        try daemon.succeed("PATCH", "", #"{"text":"b"}"#, LocalDaemon.merge)
        let touch = try daemon.menu("PATCH", "", #"{"lastUpdated":2}"#, LocalDaemon.merge).json
        #expect(
            touch["revision"] == 3 && touch["version"] == 2
                && touch["change"]?["makesVersion"] == false)
        #expect(
            touch["patch"]?.description == #"[{"op":"replace","path":"/lastUpdated","value":2}]"#)
        #expect(
            try daemon.menu("GET", "/feed?cursor=2").json["events"]?[0]?["patch"] == touch["patch"])
        try daemon.succeed(
            "PATCH", "", #"[{"op":"replace","path":"/items/1/seen","value":9}]"#, LocalDaemon.patch)
        let undo = try daemon.menu("POST", "/undo").json
        #expect(undo["patch"]?.description == #"[{"op":"replace","path":"/text","value":"a"}]"#)
        let value = try daemon.value()
        #expect(
            value["lastUpdated"] == 2 && value["items"]?[1]?["seen"] == 9 && value["text"] == "a")
        try daemon.redo()
        #expect(try daemon.value()["text"] == "b")
    }

    @Test func `11: of an edit of both, undo takes back the tracked part only`() throws {
        let daemon = try note(#"{"ignored":["/lastUpdated","/items/*/seen"]}"#)
        let both = try daemon.menu(
            "PUT", "",
            #"{"text":"b","lastUpdated":7,"items":[{"id":3,"seen":3},{"id":1,"seen":1},{"id":2,"seen":0}]}"#
        ).json
        #expect(both["version"] == 2 && both["change"]?["kind"] == "append")
        try daemon.undo()
        #expect(
            try daemon.menu("GET").text
                == #"{"text":"a","lastUpdated":7,"items":[{"id":1,"seen":1},{"id":2,"seen":0}]}"#
                + "\n")
        #expect(try daemon.menu("GET", "?at=2").json["lastUpdated"] == 7)
    }

    @Test func `11: only the tracked place has versions`() throws {
        let daemon = try note(#"{"tracked":"/items"}"#)
        #expect(
            try daemon.menu("PATCH", "", #"{"text":"b"}"#, LocalDaemon.merge).json["hasUndo"]
                == false)
        try daemon.succeed("PATCH", "", #"{"items":[]}"#, LocalDaemon.merge)
        try daemon.succeed("PATCH", "", #"{"text":"c"}"#, LocalDaemon.merge)
        try daemon.undo()
        #expect(try daemon.value()["items"]?.count == 2 && daemon.value()["text"] == "c")
    }

    @Test func `11: what is ignored may change, and older versions are still undone`() throws {
        let daemon = try note(#"{"identity":["id"]}"#)
        try daemon.succeed("PATCH", "", #"{"text":"b","lastUpdated":2}"#, LocalDaemon.merge)
        try daemon.set(#"{"ignored":["/lastUpdated"]}"#)
        try daemon.succeed("PATCH", "", #"{"lastUpdated":3}"#, LocalDaemon.merge)
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(try daemon.value()["text"] == "a")
    }

    @Test func `11: undo leaves alone what older versions edited and is ignored now`() throws {
        let daemon = try LocalDaemon()
        let ada = ["Versiond-Actor": "ada"]
        try daemon.put(#"{"a":1,"seen":0,"log":[]}"#)
        try daemon.succeed("PUT", "", #"{"a":2,"seen":1,"log":[1,2]}"#, ada)
        try daemon.set(#"{"ignored":["/seen","/log"]}"#)
        try daemon.succeed("PATCH", "", #"{"seen":5,"log":null}"#, LocalDaemon.merge)
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(try daemon.value().description == #"{"a":1,"seen":5}"#)
        #expect(try daemon.menu("POST", "/redo").status == 200)
        #expect(try daemon.value().description == #"{"a":2,"seen":5}"#)
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).status == 200)
        #expect(try daemon.value().description == #"{"a":1,"seen":5}"#)
    }

    @Test(arguments: [
        (#"{"a":1,"c":0}"#, "/a", "/b", #"{"ignored":["/a"]}"#, #"{"a":7}"#, #"{"c":0,"a":7}"#),
        (
            #"{"a":1,"c":0}"#, "/a", "/b", #"{"ignored":["/b"]}"#, #"{"b":9}"#,
            #"{"c":0,"b":9,"a":1}"#
        ),
        (#"{"a":1,"c":0}"#, "/a", "/b", #"{"ignored":["/b"]}"#, #"{"b":null}"#, #"{"c":0,"a":1}"#),
        (
            #"{"in":{},"out":{"v":1}}"#, "/out/v", "/in/v", #"{"tracked":"/in"}"#,
            #"{"out":null}"#, #"{"in":{}}"#
        ),
    ])
    func `11: a move past what is ignored now is undone on the side that has versions`(
        start: String, from: String, to: String, settings: String, untracked: String, end: String
    ) throws {
        let daemon = try LocalDaemon()
        try daemon.succeed("PUT", "", start)
        let move = #"[{"op":"move","from":"\#(from)","path":"\#(to)"}]"#
        try daemon.succeed("PATCH", "", move, LocalDaemon.patch)
        try daemon.succeed("PATCH", "/settings", settings)
        try daemon.succeed("PATCH", "", untracked, LocalDaemon.merge)
        let before = try daemon.value()
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(try daemon.value() == JSON(parsing: Array(end.utf8)))
        #expect(try daemon.menu("POST", "/redo").status == 200)
        #expect(try daemon.value() == before)
    }

    @Test func `11: what was taken away and put back whole is undone in its parts`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":{"x":1,"y":1}}"#)
        let patch = #"[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":{"x":2,"y":2}}]"#
        try daemon.succeed("PATCH", "", patch, LocalDaemon.patch)
        try daemon.set(#"{"ignored":["/a/x"]}"#)
        try daemon.succeed("PATCH", "", #"{"a":{"x":9}}"#, LocalDaemon.merge)
        try daemon.undo()
        #expect(try daemon.value() == ["a": ["x": 9, "y": 1]])
    }

    @Test func `11: what was ignored for a while is not undone beyond that while`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1,"log":[]}"#)
        try daemon.put(#"{"a":2,"log":[1,2]}"#)
        try daemon.set(#"{"ignored":["/log"]}"#)
        try daemon.succeed("PATCH", "", #"{"log":[]}"#, LocalDaemon.merge)
        try daemon.set(#"{"ignored":null}"#)
        try daemon.succeed("PATCH", "", #"{"log":["x"]}"#, LocalDaemon.merge)
        #expect(try daemon.menu("POST", "/undo", #"{"count":2}"#).status == 200)
        #expect(try daemon.value().description == #"{"a":1,"log":[]}"#)
        #expect(try daemon.menu("POST", "/redo", #"{"count":2}"#).status == 200)
        #expect(try daemon.value().description == #"{"a":2,"log":["x"]}"#)
    }

    @Test func `11: undo goes past the time when more had versions`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1,"o":{"n":0}}"#)
        try daemon.put(#"{"a":2,"o":{"n":1}}"#)
        try daemon.set(#"{"tracked":"/a"}"#)
        try daemon.succeed("PATCH", "", #"{"o":null}"#, LocalDaemon.merge)
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(try daemon.value().description == #"{"a":1}"#)
    }

    @Test func `history is bounded by count, and what is forgotten is gone`() throws {
        let daemon = try note(#"{"retention":{"count":10}}"#)
        for number in 0..<100 { try daemon.put("\(number)") }
        let status = try daemon.menu("GET", "/status").json
        let undoCount = try #require(status["undoCount"]?.int)
        #expect(undoCount >= 10 && undoCount <= 18)
        let oldest = try #require(status["oldestRevision"]?.int)
        #expect(oldest == 101 - undoCount)
        for (method, rest, body) in [
            ("POST", "/undo", #"{"revision":5}"#), ("GET", "?at=5", nil),
            ("GET", "/history/5", nil),
            ("GET", "/feed?cursor=5", nil),
            ("GET", "/diff?from=5", nil),
            ("POST", "/goto", #"{"to":"version:5"}"#),
        ] {
            let answer = try daemon.menu(method, rest, body)
            #expect(answer.status == 410 && answer.code == "trimmed", "\(rest)")
            #expect(try answer.json["oldest"]?.int == oldest)
        }
        #expect(try daemon.menu("GET", "/feed").json["events"]?[0]?["revision"]?.int == oldest)
        #expect(try daemon.menu("GET", "/history?limit=1000").json["next"] == .null)
        let undone = try daemon.menu("POST", "/undo", "{\"count\":\(undoCount)}").json
        #expect(undone["hasUndo"] == false && undone["version"]?.int == oldest)
    }

    @Test func `a tag keeps its version, and what leads there`() throws {
        let daemon = try note(#"{"retention":{"count":5}}"#)
        try daemon.succeed("POST", "/append?tag=keep", "0")
        for number in 1..<60 { try daemon.put("\(number)") }
        #expect(try daemon.menu("POST", "/undo", #"{"to":"tag:keep"}"#).status == 200)
        #expect(try daemon.value() == 0)
        try daemon.succeed("DELETE", "/tags/keep")
        try daemon.succeed("POST", "/redo", #"{"scope":true}"#)
        for number in 60..<90 { try daemon.put("\(number)") }
        #expect(try daemon.menu("GET", "?at=2").code == "trimmed")
    }

    @Test func `history is bounded by age and by bytes`() throws {
        let daemon = try note(#"{"retention":{"age":"1h"}}"#)
        for number in 0..<100 {
            try daemon.put("\(number)")
            daemon.time.advance(by: 120_000)
        }
        let count = try #require(try daemon.menu("GET", "/status").json["undoCount"]?.int)
        #expect(count >= 30 && count <= 36)
        let other = try note(#"{"retention":{"bytes":2000}}"#)
        for number in 0..<200 { _ = try other.menu("PUT", "", "\(number)") }
        let kept = try #require(try other.menu("GET", "/status").json["undoCount"]?.int)
        #expect(kept >= 8 && kept <= 120, "\(kept)")
    }

    @Test func `whatever is forgotten, the newest edit can be undone`() throws {
        let daemon = try note(#"{"retention":{"age":"1s","bytes":1024}}"#)
        for number in 0..<60 {
            #expect(
                try daemon.menu("PUT", "", "\"\(number)\(String(repeating: "y", count: 30))\"")
                    .json["hasUndo"] == true)
            daemon.time.advance(by: 2_500)
        }
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(try daemon.value().string?.hasPrefix("58") == true)
    }

    @Test func `a tag on a version that a scope became is found as long as it is kept`() throws {
        let daemon = try note(#"{"retention":{"count":1}}"#)
        try daemon.succeed("POST", "/scopes/push")
        for value in ["1", "2"] { try daemon.succeed("PUT", "", value) }
        try daemon.tag("rel")
        try daemon.succeed("POST", "/scopes/pop")
        for number in 3..<40 { try daemon.put("\(number)") }
        #expect(try daemon.menu("GET", "?at=tag:rel").json == 2)
        let count = try #require(try daemon.menu("GET", "/status").json["versionCount"]?.int)
        #expect(count == 38, "what leads to a tag stays, too")
    }

    @Test func `6: a tag on an edit of ignored places names the current version`() throws {
        let daemon = try note(#"{"ignored":["/lastUpdated"]}"#)
        try daemon.succeed("PATCH", "", #"{"text":"b"}"#, LocalDaemon.merge)
        try daemon.succeed("POST", "/append?tag=rel", #"{"lastUpdated":2}"#, LocalDaemon.merge)
        #expect(try daemon.menu("GET", "/tags/rel").json["version"] == 2)
    }

    @Test func `13: a document may want every change to say what it was written against`() throws {
        let daemon = try note(#"{"requireMatch":true}"#)
        let refused = try daemon.menu("PUT", "", "1")
        #expect(
            try refused.status == 428 && refused.code == "match-required"
                && refused.json["head"] == 1)
        #expect(refused["etag"] == "\"1\"")
        for (method, rest) in [
            ("POST", "/undo"), ("PUT", "/tags/t"), ("DELETE", ""), ("POST", "/scopes/push"),
        ] {
            #expect(try daemon.menu(method, rest).status == 428, "\(rest)")
        }
        #expect(try daemon.menu("PUT", "", "1", ["If-Match": "\"1\""]).status == 200)
        #expect(
            try daemon.menu("POST", "/scopes/push", #"{"ttl":"1s"}"#, ["If-Match": "*"]).status
                == 200)
        daemon.time.advance(by: 2_000)
        #expect(
            try daemon.menu("PUT", "", "2", ["If-Match": "*"]).json["scopeLevel"] == 0,
            "time needs no If-Match")
    }

    @Test func `elements are known by the members that are set`() throws {
        let daemon = try note(#"{"identity":["key"]}"#)
        try daemon.succeed(
            "PUT", "", #"[{"key":"a","n":1,"m":[1,2,3]},{"key":"b","n":1,"m":[1,2,3]}]"#)
        let moved = try daemon.menu(
            "PUT", "", #"[{"key":"b","n":2,"m":[1,2,3]},{"key":"a","n":2,"m":[1,2,3]}]"#)
        #expect(try moved.json["patch"]?.elements?.contains { $0["op"] == "move" } == true)
    }

    @Test(arguments: [
        #"{}"#, #"{"ignored":["/items/0"]}"#, #"{"ignored":["/items/0/seen"]}"#,
        #"{"tracked":"/items/1"}"#, #"{"ignored":"/a"}"#, #"{"ignored":[""]}"#, #"{"tracked":"a"}"#,
        #"{"identity":[1]}"#,
        #"{"retention":{"count":0}}"#, #"{"retention":{"age":"1ms"}}"#, #"{"history":5}"#,
        #"{"debounce":{"max":"1s"}}"#, #"{"debounce":"2h"}"#,
    ])
    func `what is no setting is refused`(body: String) throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        #expect(try daemon.menu("PATCH", "/settings", body).code == "malformed-request")
        #expect(try daemon.menu("GET", "/status").json["revision"] == 0)
    }

    @Test func `all that is wrong with a command is told at once, unless the client is lenient`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let body =
            #"{"ignored":1,"debounce":{"window":"x","mux":"1s"},"retention":{"count":-1,"byte":2},"colour":"red"}"#
        let problem = try daemon.menu("PATCH", "/settings", body).json
        let pointers = problem["errors"]?.elements?.compactMap { $0["pointer"]?.string }
        #expect(
            pointers?.sorted() == [
                "/colour", "/debounce/mux", "/debounce/window", "/ignored", "/retention/byte",
                "/retention/count",
            ])
        let flood = "{" + (0..<5_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        #expect(
            try daemon.menu("POST", "/undo", flood).body.count < 4_096,
            "but not more than anybody reads")
        #expect(
            try daemon.menu(
                "POST", "/undo", "{\"x\":\"\(String(repeating: "x", count: 300_000))\"}"
            ).code == "body-too-large")
        let lenient = try daemon.menu(
            "PATCH", "/settings", #"{"debounce":"1s","colour":"red"}"#,
            ["Prefer": "handling=lenient"])
        #expect(lenient.status == 200 && lenient["preference-applied"] == "handling=lenient")
    }
}
