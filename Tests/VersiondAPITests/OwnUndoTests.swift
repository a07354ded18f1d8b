import AccessControl
import JSONTree
import TestSupport
import Testing

/// Own undo among other people, over HTTP: groups, scopes, rights, status, dry runs, texts.
@Suite struct OwnUndoTests {
    private func edit(
        _ daemon: LocalDaemon, _ actor: String, _ body: String, _ query: String = ""
    ) throws -> Answer {
        try daemon.menu(
            "PATCH", query, body, LocalDaemon.merge.by(actor))
    }

    private func own(
        _ daemon: LocalDaemon, _ verb: String, _ actor: String, _ more: String = ""
    ) throws -> Answer {
        try daemon.menu(
            "POST", "/\(verb)", "{\"actor\":\"\(actor)\"\(more)}", ["Versiond-Actor": actor])
    }

    private func type(
        _ daemon: LocalDaemon, _ actor: String, _ path: String, _ position: Int, _ text: String
    ) throws {
        let body =
            "[{\"op\":\"str_ins\",\"path\":\"\(path)\",\"pos\":\(position),\"str\":\"\(text)\"}]"
        let fields = LocalDaemon.patch.by(actor)
        #expect(try daemon.menu("PATCH", "?debounce=5s", body, fields).status == 200)
    }

    @Test func `2: three people typing in turns undo a word each, whoever typed between (B3, G1)`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"ada":"","bob":"","cyd":""}"#)
        let actors = ["ada", "bob", "cyd"]
        for (position, letter) in "hello".enumerated() {
            for actor in actors {
                try type(daemon, actor, "/\(actor)", position, String(letter))
                daemon.time.advance(by: 100)
            }
        }
        #expect(
            try daemon.menu("GET", "/status").json["versionCount"] == 16, "the line has no holes")
        for actor in actors {
            let undo = try own(daemon, "undo", actor)
            #expect(
                try undo.json["change"]?["undone"]?.count == 5 && undo.json["patch"]?.count == 1)
        }
        #expect(try daemon.value() == ["ada": "", "bob": "", "cyd": ""])
        for actor in actors { #expect(try own(daemon, "redo", actor).status == 200) }
        #expect(try daemon.value() == ["ada": "hello", "bob": "hello", "cyd": "hello"])
        #expect(try daemon.menu("GET", "/history/4").json["group"] == 1)
    }

    @Test func `2: an own version ends after the window and after max, and by commands`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"t":""}"#)
        func groups() throws -> [Int?] {
            let changes = try daemon.menu("GET", "/history?limit=100").json["changes"]?.elements
            return (changes ?? []).reversed().filter { $0["kind"] == "append" }
                .map { $0["group"]?.int }
        }
        try type(daemon, "ada", "/t", 0, "a")
        try type(daemon, "ada", "/t", 1, "b")
        daemon.time.advance(by: 5_001)
        try type(daemon, "ada", "/t", 2, "c")
        try daemon.succeed("PUT", "/tags/x", nil, ["Versiond-Actor": "bob"])
        try type(daemon, "ada", "/t", 3, "d")
        #expect(try groups() == [nil, 1, nil, nil])
        _ = try own(daemon, "undo", "ada")
        try type(daemon, "ada", "/t", 3, "e")
        #expect(try groups().last == .some(nil), "her own undo ends her own version")
    }

    @Test func `2: edits with one group are one version, however long they take`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0,"b":0}"#)
        for (number, group) in ["drag", "drag", "drag", "drop", "drop"].enumerated() {
            try daemon.as("ada").merge(#"{"n":\#(number + 1)}"#, "?group=\(group)")
            try daemon.as("bob").merge(#"{"b":\#(number + 1)}"#)
            daemon.time.advance(by: 600_000)
        }
        #expect(try own(daemon, "undo", "ada").json["change"]?["undone"] == [7, 9])
        #expect(try own(daemon, "undo", "ada").json["change"]?["undone"] == [1, 3, 5])
        #expect(try daemon.value() == ["n": 0, "b": 5])
        // An own undo ends it, and so does an edit without it.
        try daemon.as("ada").merge(#"{"n":7}"#, "?group=drop")
        try daemon.as("ada").merge(#"{"n":8}"#, "?debounce=5s")
        try daemon.as("ada").merge(#"{"n":9}"#, "?group=drop")
        #expect(try own(daemon, "undo", "ada").json["change"]?["undone"] == [15])
        #expect(try own(daemon, "undo", "ada").json["change"]?["undone"] == [14])
        for query in ["?group=", "?group=a&debounce=1s"] {
            let answer = try daemon.menu("PATCH", query, "{}", LocalDaemon.merge)
            #expect(answer.status == 400 && answer.code == "malformed-request", "\(query)")
        }
    }

    @Test func `7: a popped scope is one step for its owner, whoever edited in it (B4)`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        try daemon.succeed("POST", "/scopes/push", nil, ["Versiond-Actor": "agent"])
        for n in 1...3 { try daemon.as("agent").merge("{\"n\":\(n)}") }
        try daemon.as("bob").merge(#"{"b":1}"#)
        try daemon.as("agent").merge(#"{"m":4}"#)
        let pop = try daemon.menu("POST", "/scopes/pop", nil, ["Versiond-Actor": "agent"]).json
        try daemon.as("eve").merge(#"{"k":5}"#)
        #expect(try own(daemon, "undo", "agent").json["change"]?["undone"] == [2, 3, 4, 6])
        #expect(try daemon.value() == ["n": 0, "b": 1, "k": 5])
        #expect(try own(daemon, "redo", "agent").status == 200)
        #expect(try daemon.value() == ["n": 3, "b": 1, "m": 4, "k": 5])
        let revision = try #require(pop["revision"]?.int)
        #expect(try daemon.menu("POST", "/undo", "{\"revision\":\(revision)}").status == 200)
        #expect(try daemon.value() == ["n": 0, "b": 1, "k": 5], "the pop names its version")
    }

    @Test func `7: discard takes back what its owner did, and others' edits stay (B9)`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        try daemon.succeed(
            "POST", "/scopes/push", #"{"ttl":"1s","policy":"discard"}"#,
            ["Versiond-Actor": "agent"])
        try daemon.as("agent").merge(#"{"a":1}"#)
        try daemon.as("eve").merge(#"{"b":1}"#)
        daemon.time.advance(by: 2_000)
        let next = try edit(daemon, "eve", #"{"c":1}"#)
        #expect(try next.json["scopeLevel"] == 0)
        #expect(try daemon.value() == ["a": 0, "b": 1, "c": 1])
        let history = try daemon.menu("GET", "/history").json["changes"]?.elements ?? []
        #expect(history.contains { $0["actor"] == "eve" && $0["revision"] == 3 })
        #expect(try own(daemon, "redo", "agent").status == 200, "it is an own undo of the agent")
        #expect(try daemon.value()["a"] == 1)
    }

    @Test func `7: discard with all takes everything`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0}"#)
        try daemon.succeed("POST", "/scopes/push", nil, ["Versiond-Actor": "agent"])
        try daemon.as("agent").merge(#"{"a":1}"#)
        try daemon.as("eve").merge(#"{"b":1}"#)
        let body = #"{"all":true}"#
        let told = try daemon.menu(
            "POST", "/scopes/discard?dryRun", body, ["Versiond-Actor": "agent"])
        #expect(try told.json["dryRun"] == true && told.json["patch"]?.count == 2)
        let all = try daemon.menu(
            "POST", "/scopes/discard", #"{"all":true}"#, ["Versiond-Actor": "agent"])
        #expect(try all.status == 200 && daemon.value() == ["a": 0])
    }

    @Test func `7: discard puts back what its owner undid in the scope`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        try daemon.as("agent").merge(#"{"a":1}"#)
        try daemon.succeed("POST", "/scopes/push", nil, ["Versiond-Actor": "agent"])
        _ = try own(daemon, "undo", "agent")
        try daemon.as("eve").merge(#"{"b":1}"#)
        let discard = try daemon.menu(
            "POST", "/scopes/discard", nil, ["Versiond-Actor": "agent"])
        #expect(try discard.status == 200 && discard.json["change"]?["redone"] == [1])
        #expect(try daemon.value() == ["a": 1, "b": 1])
        let revision = try #require(discard.json["revision"]?.int)
        #expect(try daemon.menu("POST", "/undo", "{\"revision\":\(revision)}").status == 200)
        #expect(try daemon.value() == ["a": 0, "b": 1], "as if it had not been discarded")
        #expect(try daemon.menu("POST", "/redo", "{\"revision\":\(revision)}").status == 200)
        #expect(try daemon.value() == ["a": 1, "b": 1])
    }

    @Test
    func `7: scopes live ten minutes after their owner's last edit; others are free (B10, B11)`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        try daemon.as("ada").merge(#"{"a":1}"#)
        let push = try daemon.menu("POST", "/scopes/push", nil, ["Versiond-Actor": "bob"])
        #expect(try push.json["change"]?["policy"] == "pop")
        #expect(try own(daemon, "undo", "ada").status == 200)
        #expect(try daemon.menu("POST", "/redo", #"{"revision":1}"#).status == 200)
        daemon.time.advance(by: 590_000)
        try daemon.as("bob").merge(#"{"b":1}"#)
        daemon.time.advance(by: 590_000)
        #expect(try edit(daemon, "ada", #"{"a":2}"#).json["scopeLevel"] == 1, "bob was there")
        daemon.time.advance(by: 20_000)
        #expect(try edit(daemon, "ada", #"{"a":3}"#).json["scopeLevel"] == 0)
        #expect(try daemon.value() == ["a": 3, "b": 1])
    }

    @Test func `7: agents that nest finish each their own work (B11)`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        for agent in ["one", "two"] {
            try daemon.succeed("POST", "/scopes/push", nil, ["Versiond-Actor": agent])
        }
        try daemon.as("one").merge(#"{"one":1}"#)
        try daemon.as("two").merge(#"{"two":2}"#)
        try daemon.succeed("POST", "/scopes/pop", nil, ["Versiond-Actor": "two"])
        let discard = try daemon.menu("POST", "/scopes/discard", nil, ["Versiond-Actor": "one"])
        #expect(try discard.status == 200 && daemon.value() == ["n": 0, "two": 2])
    }

    @Test func `12: an own undo's patch is as short as a shared one's (B5b)`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"x":0,"y":0,"z":0}"#)
        for frame in 1...300 {
            try daemon.as("ada").merge("{\"x\":\(frame),\"y\":\(-frame)}", "?debounce=5s")
        }
        try daemon.as("bob").merge(#"{"z":1}"#)
        #expect(try own(daemon, "undo", "ada").json["patch"]?.count == 2)
        #expect(try daemon.value() == ["x": 0, "y": 0, "z": 1])
        #expect(try own(daemon, "redo", "ada").json["patch"]?.count == 2)
    }

    @Test func `14: what is stored keeps identity, what is sent may be shorter (B12)`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#)
        let fields = LocalDaemon.patch.by("bob")
        try daemon.succeed(
            "PATCH", "", #"[{"op":"replace","path":"/l/0/v","value":7}]"#, fields)
        try daemon.succeed(
            "PUT", "", #"{"l":[{"id":1,"v":7},{"id":2,"v":9},{"id":3,"v":3}]}"#,
            ["Versiond-Actor": "ada"])
        #expect(try own(daemon, "undo", "bob").status == 200)
        #expect(
            try daemon.value()
                == ["l": [["id": 1, "v": 1], ["id": 2, "v": 9], ["id": 3, "v": 3]]])
    }

    @Test func `12: an own undo that memory is too small for changes nothing, and says so`()
        throws
    {
        let daemon = try LocalDaemon(undoBytesMax: 50_000)
        try daemon.put(#"{"n":0}"#)
        #expect(try edit(daemon, "ada", #"{"n":1}"#).status == 200)
        for number in 2...200 {
            #expect(try edit(daemon, "bob", "{\"n\":\(number)}").status == 200)
        }
        for body in [#"{"actor":"ada"}"#, #"{"revision":1}"#] {
            let refused = try daemon.menu("POST", "/undo", body, ["Versiond-Actor": "ada"])
            #expect(refused.status == 409 && refused.code == "change-too-old", "\(refused.text)")
            #expect(try refused.json["head"] == 200)
            #expect(try (refused.json["reached"]?.int ?? 0) > 100)
        }
        #expect(try daemon.value() == ["n": 200])
        // A status request reports that it cannot be done.
        let status = try daemon.menu("GET", "/status?actor=ada")
        #expect(try status.status == 200 && status.json["own"]?["hasUndo"] == false)
        #expect(try own(daemon, "undo", "bob").status == 200, "what is near is undone")
    }

    @Test func `8: the status says what an own undo would do`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        func own(_ actor: String) throws -> JSON {
            try #require(try daemon.menu("GET", "/status?actor=\(actor)").json["own"])
        }
        #expect(
            try own("ada")
                == ["actor": "ada", "hasUndo": false, "hasRedo": false, "undo": nil, "redo": nil])
        try daemon.as("ada").merge(#"{"a":1}"#, "?label=first")
        try daemon.as("bob").merge(#"{"b":1}"#)
        let undo = try own("ada")
        #expect(undo["hasUndo"] == true && undo["hasRedo"] == false)
        #expect(undo["undo"]?["label"] == "first" && undo["undo"]?["paths"] == ["/a"])
        #expect(undo["undo"]?["version"] == 1 && undo["undo"]?["time"] != nil)
        #expect(try daemon.menu("GET", "/status").json["revision"] == 2, "nothing was done")
        _ = try self.own(daemon, "undo", "ada")
        let redo = try own("ada")
        #expect(redo["hasUndo"] == false && redo["redo"]?["revisions"] == [1])
    }

    @Test(arguments: Seeds.of(8, from: 1))
    func `8: a response says what the status would say of an own undo (T20)`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let daemon = try LocalDaemon()
        try daemon.put(#"{"ada":0,"bob":0,"shared":0}"#)
        var known = 0
        for step in 0..<60 {
            let actor = random.once(in: 2) ? "ada" : "bob"
            let fields = ["Versiond-Actor": actor, "Prefer": "own-undo"]
            let answer =
                switch random.below(6) {
                case 0, 1:
                    try daemon.menu(
                        "PATCH", "", #"{"\#(actor)":\#(step)}"#,
                        LocalDaemon.merge.merging(fields) { $1 })
                case 2: try daemon.menu("POST", "/undo", #"{"actor":"\#(actor)"}"#, fields)
                case 3: try daemon.menu("POST", "/redo", #"{"actor":"\#(actor)"}"#, fields)
                case 4: try daemon.menu("POST", random.once(in: 2) ? "/undo" : "/redo", "", fields)
                default:
                    try daemon.menu(
                        "PATCH", "", #"{"shared":\#(step)}"#,
                        LocalDaemon.merge.merging(fields) { $1 })
                }
            guard let own = try answer.json["own"] else { continue }
            known += 1
            let status = try daemon.menu("GET", "/status?actor=\(actor)").json["own"]
            #expect(own["actor"] == JSON(actor))
            #expect(own["hasUndo"] == status?["hasUndo"], "step \(step): \(answer.text)")
            #expect(own["hasRedo"] == status?["hasRedo"], "step \(step): \(answer.text)")
        }
        #expect(known > 15)
        let plain = try daemon.menu("PATCH", "", #"{"a":1}"#, LocalDaemon.merge)
        #expect(try plain.json["own"] == nil, "only for who asks")
    }

    @Test func `13: an own undo that is sent again gets the same answer`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0,"l":[]}"#)
        try daemon.as("ada").merge(#"{"n":1}"#)
        let ada = LocalDaemon.patch.by("ada")
        let bob = LocalDaemon.patch.by("bob")
        try daemon.succeed("PATCH", "", #"[{"op":"add","path":"/l/0","value":{"v":1}}]"#, ada)
        try daemon.succeed("PATCH", "", #"[{"op":"replace","path":"/l/0/v","value":2}]"#, bob)
        let answers = try (0..<2).map { _ in
            try daemon.menu(
                "POST", "/undo?conflict=theirs", #"{"actor":"ada"}"#,
                ["Versiond-Actor": "ada", "Idempotency-Key": "k"])
        }
        #expect(try answers[0].json["change"]?["skipped"]?.count == 1)
        #expect(answers[0].body == answers[1].body && answers[1]["idempotent-replayed"] == "true")
    }

    @Test func `14: a value keeps its identity when it is moved onto another`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":{"v":1},"d":0}"#)
        try daemon.as("bob").merge(#"{"a":{"v":2}}"#)
        let move = #"[{"op":"move","from":"/a","path":"/d"}]"#
        let ada = LocalDaemon.patch.by("ada")
        let moved = try daemon.menu("PATCH", "", move, ada)
        #expect(
            try moved.json["patch"]
                == [
                    ["op": "remove", "path": "/d"], ["op": "move", "from": "/a", "path": "/d"],
                ])
        #expect(try own(daemon, "undo", "bob").json["change"]?["undone"] == [1])
        #expect(try daemon.value() == ["d": ["v": 1]])
        #expect(try own(daemon, "undo", "ada").status == 200)
        #expect(try daemon.value() == ["a": ["v": 1], "d": 0])
    }

    @Test func `14: the feed says what the answer said`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"l":[1,2,3,4,5,6,7,8],"x":0}"#)
        let answer = try daemon.menu("PUT", "", #"{"l":[8,1,7,2,6,3,5,4,9],"y":[1]}"#).json
        let feed = try daemon.menu("GET", "/feed?cursor=0").json
        #expect(feed["events"]?[0]?["patch"] == answer["patch"])
    }

    @Test func `8: the texts say what is true for an own undo (B23)`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0}"#)
        try daemon.as("bob").merge(#"{"a":1}"#)
        let undo = try own(daemon, "undo", "ada")
        #expect(try undo.json["detail"] == "No edit by ada is in effect.")
        let redo = try own(daemon, "redo", "ada")
        #expect(try redo.json["detail"] == "No undo by ada can be redone.")
    }

    @Test(arguments: [
        ("PUT", "?dryRun", #"{"a":5}"#), ("PATCH", "?dryRun=true", #"{"a":5}"#),
        ("POST", "/append?dryRun", #"{"a":5}"#), ("POST", "/undo?dryRun", nil),
        ("POST", "/goto?dryRun", #"{"to":"version:0"}"#),
        ("POST", "/restore?dryRun", #"{"from":"0"}"#), ("POST", "/snapshots/s/restore?dryRun", nil),
        ("PUT", "/snapshots/t?dryRun", nil), ("DELETE", "/snapshots/s?dryRun", nil),
        ("PUT", "/tags/u?dryRun", nil), ("DELETE", "/tags/t?dryRun", nil),
        ("PATCH", "/settings?dryRun", #"{"debounce":"1s"}"#),
        ("POST", "/scopes/push?dryRun", nil), ("POST", "/scopes/pop?dryRun", nil),
        ("POST", "/scopes/discard?dryRun", nil),
    ])
    func `9: a dry run says what would be, and changes nothing (B25)`(
        method: String, path: String, body: String?
    ) throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0}"#)
        #expect(try daemon.menu("PUT", "/snapshots/s").status == 201)
        #expect(try daemon.menu("PUT", "/tags/t").status == 201)
        if path.contains("scopes/pop") || path.contains("discard") {
            try daemon.succeed("POST", "/scopes/push")
        }
        try daemon.succeed("PATCH", "", #"{"a":1}"#, LocalDaemon.merge)
        let before = try daemon.menu("GET", "/status").json["revision"]
        let type = path == "?dryRun=true" ? LocalDaemon.merge : LocalDaemon.json
        let told = try daemon.menu(method, path, body, type)
        #expect(try told.status == 200 && told.json["dryRun"] == true, "\(told.body)")
        #expect(try daemon.value() == ["a": 1])
        #expect(try daemon.menu("GET", "/status").json["revision"] == before)
    }

    @Test func `9: a dry run of a document that is not there makes none`() throws {
        let daemon = try LocalDaemon()
        let told = try daemon.menu(
            "PUT", "?dryRun", "5", ["Prefer": "return=representation"])
        #expect(try told.status == 200 && told.json["revision"] == nil as JSON)
        #expect(try told.json["value"] == 5 && told["etag"] == nil)
        #expect(try daemon.menu("GET").status == 404)
        #expect(try daemon.menu("PUT", "?dryRun=maybe", "5").code == "malformed-request")
    }

    @Test func `12: a policy for conflicts is for own undo`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        for body in ["{}", #"{"count":1}"#, #"{"scope":true}"#, #"{"to":"version:0"}"#] {
            let refused = try daemon.menu("POST", "/undo?conflict=theirs", body)
            #expect(refused.code == "malformed-request", "\(body)")
        }
        #expect(try daemon.menu("POST", "/undo?conflict=skip", #"{"actor":"a"}"#).status == 400)
    }
}
