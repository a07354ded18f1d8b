import JSONTree
import TestSupport
import Testing

/// The rules of meaning, as clients see them. Numbers are those of the design.
@Suite struct RuleTests {
    @Test func `3: undo takes back the last version, whoever made it`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"price":1}"#)
        try daemon.succeed(
            "PATCH", "", #"{"price":2}"#,
            LocalDaemon.merge.by("ada"))
        let undo = try daemon.menu("POST", "/undo", nil, ["Versiond-Actor": "bob"])
        #expect(undo.status == 200 && undo["etag"] == "\"2\"")
        #expect(
            try undo.json["patch"]?.description == #"[{"op":"replace","path":"/price","value":1}]"#)
        #expect(try undo.json["change"]?["actor"] == "bob")
        #expect(try daemon.value() == ["price": 1])
    }

    @Test func `4: a version keeps its id through undo and redo`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        let append = try daemon.menu("PUT", "?label=dearer", "2")
        #expect(try append.json["version"] == 1)
        try daemon.undo()
        let redo = try daemon.menu("POST", "/redo")
        #expect(try redo.json["version"] == 1 && redo.json["revision"] == 3)
        #expect(try daemon.menu("GET", "/history/1").json["label"] == "dearer")
    }

    @Test func `4: creating a document cannot be undone`() throws {
        let daemon = try LocalDaemon()
        let created = try daemon.menu("PUT", "", "1")
        #expect(created.status == 201 && created["location"] == "/v1/documents/menu")
        #expect(try daemon.menu("POST", "/undo").code == "nothing-to-undo")
    }

    @Test func `5: append after undo forks, and goto reaches the old future`() throws {
        let daemon = try LocalDaemon()
        for value in ["0", "1", "2"] { try daemon.succeed("PUT", "", value) }
        try daemon.undo()
        let fork = try daemon.menu("PUT", "", "9")
        #expect(try fork.json["hasRedo"] == false)
        let old = try daemon.menu("POST", "/goto", #"{"to":"version:2"}"#)
        #expect(try old.json["version"] == 2 && daemon.value() == 2)
        let again = try daemon.menu("POST", "/goto", #"{"to":"version:2"}"#)
        #expect(try again.status == 200 && again.json["change"] == .null, "goto is absolute")
    }

    @Test func `6: undo and redo to a tag`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        try daemon.succeed("POST", "/append?tag=one", "1")
        for value in ["2", "3"] { try daemon.succeed("PUT", "", value) }
        try daemon.tag("three")
        #expect(try daemon.menu("POST", "/undo", #"{"to":"tag:one"}"#).json["version"] == 1)
        #expect(try daemon.value() == 1)
        let there = try daemon.menu("POST", "/undo", #"{"to":"tag:one"}"#)
        #expect(try there.json["change"] == .null)
        try daemon.succeed("POST", "/redo", #"{"to":"tag:three"}"#)
        #expect(try daemon.value() == 3)
        #expect(try daemon.menu("POST", "/undo", #"{"to":"tag:no"}"#).code == "unknown-tag")
        let tags = try daemon.menu("GET", "/tags").json["tags"]
        #expect(tags?.elements?.map { $0["tag"] } == ["one", "three"])
        #expect(tags?[1]?["isCurrent"] == true)
    }

    @Test func `6: undo and redo to any address of a version on the way`() throws {
        let daemon = try LocalDaemon()
        for value in ["0", "1", "2", "3"] { try daemon.put(value) }
        #expect(try daemon.menu("POST", "/undo", #"{"to":"version:1"}"#).status == 200)
        #expect(try daemon.value() == 1)
        #expect(try daemon.menu("POST", "/redo", #"{"to":"2"}"#).status == 200)
        #expect(try daemon.value() == 2)
        let ahead = try daemon.menu("POST", "/undo", #"{"to":"version:3"}"#)
        #expect(ahead.status == 409 && ahead.code == "not-on-path", "\(ahead.text)")
        try daemon.put("9")
        let aside = try daemon.menu("POST", "/redo", #"{"to":"version:3"}"#)
        #expect(aside.code == "not-on-path", "\(aside.text)")
        for (to, code) in [
            ("version:99", "unknown-version"), ("99", "unknown-revision"),
            ("snapshot:s", "unknown-version"), ("lunch", "malformed-request"),
        ] {
            let refused = try daemon.menu("POST", "/undo", "{\"to\":\"\(to)\"}")
            #expect(refused.code == code, "\(to): \(refused.text)")
        }
    }

    @Test func `6: a tag names the version at any address`() throws {
        let daemon = try LocalDaemon()
        for value in ["0", "1", "2"] { try daemon.put(value) }
        for (name, address, version) in [
            ("a", "version:1", 1), ("b", "tag:a", 1), ("c", "2", 2), ("d", "head", 2),
        ] {
            let made = try daemon.menu("PUT", "/tags/\(name)", "{\"at\":\"\(address)\"}")
            #expect(made.status == 201, "\(address): \(made.text)")
            #expect(try daemon.menu("GET", "/tags/\(name)").json["version"]?.int == version)
        }
        let none = try daemon.menu("PUT", "/tags/e", #"{"at":"tag:no"}"#)
        #expect(none.status == 404 && none.code == "unknown-tag")
        let tagged = try daemon.menu("PATCH", "?tag=f", #"{"x":1}"#, LocalDaemon.merge)
        #expect(try tagged.json["change"]?["tag"] == "f")
        #expect(try daemon.menu("GET", "/tags/f").json["isCurrent"] == true)
    }

    @Test func `6: a tag moves, unless only its creation was asked for`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        try daemon.succeed("PUT", "/tags/t", nil, ["If-None-Match": "*"])
        try daemon.put("1")
        let refused = try daemon.menu("PUT", "/tags/t", nil, ["If-None-Match": "*"])
        #expect(refused.status == 412 && refused.code == "tag-exists")
        #expect(try daemon.menu("GET", "/tags/t").json["version"] == 0)
        try daemon.tag("t")
        #expect(try daemon.menu("GET", "/tags/t").json["version"] == 2)
        #expect(try daemon.menu("DELETE", "/tags/t").status == 200)
        #expect(try daemon.menu("GET", "/tags/t").status == 404)
    }

    @Test func `7: scopes push, pop and discard`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        try daemon.succeed("POST", "/scopes/push", nil, ["Versiond-Actor": "ada"])
        let inside = try daemon.menu("GET", "/scopes").json
        #expect(inside["scopeLevel"] == 1 && inside["scopes"]?[0]?["owner"] == "ada")
        for value in ["1", "2"] { try daemon.succeed("PUT", "", value) }
        #expect(try daemon.menu("POST", "/undo", #"{"count":3}"#).code == "nothing-to-undo")
        #expect(try daemon.value() == 2, "all or nothing")
        try daemon.succeed("POST", "/scopes/pop", nil, ["Versiond-Actor": "ada"])
        try daemon.undo()
        #expect(try daemon.value() == 0)
        try daemon.redo()
        try daemon.succeed("POST", "/scopes/push")
        try daemon.put("5")
        let discard = try daemon.menu("POST", "/scopes/discard")
        #expect(try discard.json["patch"]?[0]?["value"] == 2)
        #expect(try daemon.menu("POST", "/scopes/pop").code == "root-scope")
        #expect(try daemon.menu("POST", "/scopes/discard").code == "root-scope")
        #expect(try daemon.value() == 2)
    }

    @Test func `8: empty undo and redo are answers that tell the state`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        for (path, code) in [("/undo", "nothing-to-undo"), ("/redo", "nothing-to-redo")] {
            let answer = try daemon.menu("POST", path)
            #expect(answer.status == 409 && answer.code == code)
            let problem = try answer.json
            #expect(problem["hasUndo"] == false && problem["hasRedo"] == false)
            #expect(problem["scopeLevel"] == 0 && problem["revision"] == 0)
        }
    }

    @Test func `9: a patch that fails in the middle changes nothing`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        let answer = try daemon.menu(
            "PATCH", "",
            #"[{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/b/c"}]"#,
            LocalDaemon.patch)
        #expect(answer.status == 422 && answer.code == "patch-does-not-apply")
        #expect(try answer.json["operation"] == 1 && answer.json["path"] == "/b/c")
        #expect(try daemon.value() == ["a": 1])
        #expect(try daemon.menu("GET", "/status").json["revision"] == 0)
    }

    @Test func `13: If-Match refuses what was written against another revision`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        try daemon.succeed("PUT", "", "1", ["If-Match": "\"0\""])
        let stale = try daemon.menu("PUT", "", "2", ["If-Match": "\"0\""])
        #expect(stale.status == 412 && stale.code == "stale-revision" && stale["etag"] == "\"1\"")
        #expect(try stale.json["head"] == 1)
        for path in ["/undo", "/scopes/push", "/goto"] {
            let body = path == "/goto" ? #"{"to":"version:0"}"# : nil
            #expect(try daemon.menu("POST", path, body, ["If-Match": "\"0\""]).status == 412)
        }
        #expect(try daemon.menu("PUT", "", "3", ["If-Match": "W/\"1\""]).status == 412)
        #expect(try daemon.menu("PUT", "", "3", ["If-None-Match": "*"]).status == 412)
        #expect(try daemon.value() == 1)
        #expect(try daemon.menu("GET", "", nil, ["If-None-Match": "\"1\""]).status == 304)
        #expect(try daemon.menu("GET", "", nil, ["If-None-Match": "\"0\""]).status == 200)
    }

    @Test func `14: whole documents, merge patches and JSON patches all come out as RFC 6902`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1,"b":[1,2,3]}"#)
        let whole = try daemon.menu("PUT", "", #"{"a":1,"b":[1,3]}"#)
        #expect(try whole.json["patch"]?.description == #"[{"op":"remove","path":"/b/1"}]"#)
        let merge = try daemon.menu("POST", "/append", #"{"a":null,"c":"x"}"#, LocalDaemon.merge)
        #expect(try merge.json["patch"]?.count == 2)
        let patch = try daemon.menu(
            "POST", "/append", #"[{"op":"move","from":"/c","path":"/d"}]"#, LocalDaemon.patch)
        #expect(try patch.json["patch"]?.description == #"[{"op":"move","from":"/c","path":"/d"}]"#)
        #expect(try daemon.menu("POST", "/undo", #"{"count":3}"#).status == 200)
        #expect(try daemon.value() == ["a": 1, "b": [1, 2, 3]])
    }

    @Test func `14: text edits are replacements in strict patches, and splices for who sends them`()
        throws
    {
        let daemon = try LocalDaemon()
        let text = String(repeating: "lorem ipsum ", count: 20)
        try daemon.put(#"{"text":"\#(text)"}"#)
        let insert = #"[{"op":"str_ins","path":"/text","pos":6,"str":"X"}]"#
        let keystroke = try daemon.menu("PATCH", "", insert, LocalDaemon.patch)
        #expect(try keystroke.json["patch"]?.description == insert)
        let strict = try daemon.menu("POST", "/undo")
        #expect(try strict.json["patch"]?[0]?["op"] == "replace")
        #expect(try daemon.menu("POST", "/redo").json["patch"]?[0]?["op"] == "replace")
        let undo = try daemon.menu("POST", "/undo", nil, ["Prefer": "text-operations"])
        #expect(
            try undo.json["patch"]?.description
                == #"[{"op":"str_del","path":"/text","pos":6,"len":1}]"#)
        #expect(undo["preference-applied"] == "text-operations")
        let history = try daemon.menu("GET", "/history/1")
        #expect(try history.json["patch"]?[0]?["op"] == "replace")
    }

    @Test func `15: numbers and strings come back as they were written`() throws {
        let daemon = try LocalDaemon()
        let text =
            #"{"z":1.0,"a":1e400,"n":-0,"big":12345678901234567890123,"é":"\u0001😀\\","e":0.10}"#
        try daemon.succeed("PUT", "", text)
        #expect(try daemon.menu("GET").text == text + "\n")
        let test = #"[{"op":"test","path":"/z","value":1},{"op":"add","path":"/ok","value":true}]"#
        #expect(try daemon.menu("PATCH", "", test, LocalDaemon.patch).status == 200)
    }

    @Test func `Prefer chooses what comes back`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let minimal = try daemon.menu("PUT", "", "1", ["Prefer": "return=minimal"])
        #expect(minimal.status == 204 && minimal["etag"] == "\"1\"" && minimal.body.isEmpty)
        let whole = try daemon.menu("PUT", "", "2", ["Prefer": "return=representation"])
        #expect(try whole.json["value"] == 2)
    }

    @Test func `two clients edit one document, and one undoes the other's last version`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"log":[]}"#)
        let clients = try ["ada", "bob"].map { ($0, try RawConnection(port: daemon.server.port)) }
        var revisions: [JSON?] = []
        for round in 0..<20 {
            for (name, client) in clients {
                let body = #"[{"op":"add","path":"/log/-","value":"\#(name) \#(round)"}]"#
                let fields = LocalDaemon.patch.by(name)
                let answer = try client.request(
                    "PATCH", "/v1/documents/menu", fields, body: body)
                revisions.append(try answer.json["revision"])
            }
        }
        #expect(revisions == (1...40).map { JSON($0) })
        let undo = try clients[0].1.request(
            "POST", "/v1/documents/menu/undo", ["Versiond-Actor": "ada"])
        #expect(try undo.json["patch"]?.description == #"[{"op":"remove","path":"/log/39"}]"#)
        let seen = try clients[1].1.request("GET", "/v1/documents/menu?path=/log")
        #expect(try seen.json.count == 39 && seen.json[38] == "ada 19")
        let history = try clients[1].1.request("GET", "/v1/documents/menu/history?limit=1000")
        let changes = try #require(try history.json["changes"]?.elements)
        #expect(changes.map { $0["revision"] } == (0...41).reversed().map { JSON($0) })
        #expect(changes[0]["actor"] == "ada" && changes[1]["actor"] == "bob")
    }
}
