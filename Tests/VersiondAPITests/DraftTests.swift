import JSONTree
import Journaling
import TestSupport
import Testing

/// Drafts over HTTP: what the worked cases do not have.
@Suite struct DraftTests {
    // MARK: Making one

    @Test func `20: a copy is a draft: it knows its origin, and has its settings`() throws {
        let scene = try DraftScene(
            settings: #"{"identity":["sku"],"ignored":["/seen"],"debounce":"2s"}"#)
        let first = try scene.succeed("GET", "menu~ada/history?limit=1")
        #expect(first["changes"]?.elements?[0]["copyOf"] == "menu@1")
        let settings = try scene.succeed("GET", "menu~ada/settings")["settings"]
        #expect(settings?["identity"]?.texts == ["sku"])
        #expect(settings?["ignored"]?.texts == ["/seen"])
        let found = try scene.origin()
        #expect(found["origin"] == "menu" && found["base"] == 1 && found["head"] == 1)
        #expect(found["ahead"]?["edits"] == 0 && found["behind"]?["edits"] == 0)
    }

    @Test func `20: a draft begins at the state that is copied, with its history or not`() throws {
        let scene = try DraftScene()
        try scene.edit("menu", #"{"a":2}"#)
        try scene.edit("menu", #"{"a":3}"#)
        try scene.succeed("PUT", "menu~old?copyOf=menu@1")
        let found = try scene.succeed("GET", "menu~old/origin")
        #expect(found["base"] == 1 && found["behind"]?["changes"]?.numbers == [2])
        try scene.succeed("PUT", "menu~copy?copyOf=menu&withHistory=true")
        #expect(try scene.succeed("GET", "menu~copy/origin")["base"] == 2)
        try scene.succeed("PUT", "menu/snapshots/s")
        try scene.succeed("PUT", "menu~snapshot?copyOf=menu@snapshot:s")
        try scene.refuse(409, "no-origin", "GET", "menu~snapshot/origin")
    }

    @Test func `20: a document that is no draft has no origin`() throws {
        let scene = try DraftScene()
        for (method, path) in [("GET", "origin"), ("POST", "update"), ("POST", "merge")] {
            try scene.refuse(409, "no-origin", method, "menu/" + path)
        }
        try scene.refuse(404, "unknown-document", "GET", "none/origin")
    }

    // MARK: Conflicts

    @Test func `20: conflicts show both values, and are decided place by place`() throws {
        let scene = try DraftScene(#"{"a":1,"b":1,"c":1}"#)
        try scene.edit("menu~ada", #"{"a":2,"b":2,"c":2}"#)
        try scene.edit("menu", #"{"a":3,"b":3}"#)
        let refused = try scene.refuse(409, "conflict", "POST", "menu~ada/merge")
        #expect(refused["conflicts"]?.texts == ["/a", "/b"] && refused["with"]?.numbers == [1])
        let place = try #require(refused["places"]?.elements?[0])
        #expect(place["common"] == 1 && place["draft"] == 2 && place["origin"] == 3)
        #expect(place["changes"]?.numbers == [1] && place["with"]?.numbers == [1])
        let rest = try scene.refuse(
            409, "conflict", "POST", "menu~ada/merge", #"{"resolve":{"/a":"draft"}}"#)
        #expect(rest["conflicts"]?.texts == ["/b"])
        let other = try scene.refuse(
            400, "malformed-request", "POST", "menu~ada/merge", #"{"resolve":{"/c":"draft"}}"#)
        #expect(other["path"] == "/c" && other["conflicts"]?.texts == ["/a", "/b"])
        let body = #"{"resolve":{"/a":"draft","/b":"origin"}}"#
        let tried = try scene.succeed("POST", "menu~ada/merge?dryRun", body)
        #expect(tried["dryRun"] == true && tried["origin"]?["patch"]?.count == 2)
        #expect(try scene.value("menu")["a"] == 3)
        try scene.succeed("POST", "menu~ada/merge", body)
        #expect(try scene.value("menu") == ["a": 2, "b": 3, "c": 2])
        #expect(try scene.value("menu~ada") == ["a": 2, "b": 2, "c": 2])
        // Decided conflicts stay decided, also in the draft.
        try scene.succeed("POST", "menu~ada/update")
        #expect(try scene.value("menu~ada") == ["a": 2, "b": 3, "c": 2])
    }

    @Test func `20: a decision about a place goes before that about what is around it`() throws {
        let scene = try DraftScene(#"{"x":{"a":1,"b":1}}"#)
        try scene.edit("menu~ada", #"{"x":{"a":2,"b":2}}"#)
        try scene.edit("menu", #"{"x":{"a":3,"b":3}}"#)
        try scene.succeed(
            "POST", "menu~ada/merge", #"{"resolve":{"/x":"origin","/x/b":"draft"}}"#)
        #expect(try scene.value("menu") == ["x": ["a": 3, "b": 2]])
    }

    @Test func `20: a large value is shown by its size, and what is not there not at all`() throws {
        let scene = try DraftScene(#"{"a":1,"b":1}"#)
        let long = String(repeating: "x", count: 5_000)
        try scene.edit("menu~ada", "{\"a\":\"\(long)\",\"b\":null}")
        try scene.edit("menu", #"{"a":2,"b":2}"#)
        let places = try #require(try scene.origin()["places"]?.elements)
        #expect(places[0]["draft"] == ["bytes": 5_002] && places[0]["origin"] == 2)
        #expect(places[1]["draft"] == nil && places[1]["common"] == 1)
    }

    @Test func `20: a conflict in an element is named as the draft has it`() throws {
        let scene = try DraftScene(#"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#)
        let patch = LocalDaemon.patch
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"replace","path":"/l/1/v","value":5}]"#, patch)
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"add","path":"/l/0","value":{"id":0}}]"#, patch)
        try scene.succeed(
            "PATCH", "menu", #"[{"op":"replace","path":"/l/1/v","value":6}]"#, patch)
        try scene.succeed("PATCH", "menu", #"[{"op":"remove","path":"/l/0"}]"#, patch)
        let place = try #require(try scene.origin()["places"]?.elements?[0])
        #expect(place["path"] == "/l/2/v" && place["common"] == 2)
        #expect(place["draft"] == 5 && place["origin"] == 6)
        try scene.succeed("POST", "menu~ada/merge", #"{"resolve":{"/l/2/v":"draft"}}"#)
        #expect(try scene.value("menu") == ["l": [["id": 0], ["id": 2, "v": 5]]])
    }

    // MARK: Parts

    @Test func `20: a part by changes has what they made, and asks for what it rests on`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu~ada", #"{"x":{}}"#)
        try scene.edit("menu~ada", #"{"x":{"y":1}}"#, by: "cyd")
        let refused = try scene.refuse(
            409, "needs-changes", "POST", "menu~ada/merge", #"{"changes":[3]}"#)
        #expect(refused["needs"]?.numbers == [2])
        try scene.refuse(409, "not-in-effect", "POST", "menu~ada/merge", #"{"changes":[9]}"#)
        let merged = try scene.succeed("POST", "menu~ada/merge", #"{"changes":[2,3]}"#)
        #expect(try scene.value("menu") == ["a": 1, "b": 1, "x": ["y": 1]])
        let authors = merged["origin"]?["change"]?["authors"]?.texts
        #expect(authors == ["ada", "cyd"] && merged["left"] == 1)
        let rest = try scene.succeed("POST", "menu~ada/merge")
        #expect(rest["origin"]?["change"]?["authors"]?.texts == ["ada"])
        #expect(try scene.value("menu") == scene.value("menu~ada"))
    }

    @Test func `20: a part by a state has what there was; what came later stays`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("PUT", "menu~ada/tags/approved")
        try scene.edit("menu~ada", #"{"b":2}"#)
        try scene.succeed("POST", "menu~ada/merge", #"{"at":"tag:approved"}"#)
        #expect(try scene.value("menu") == ["a": 2, "b": 1])
        try scene.refuse(
            404, "unknown-tag", "POST", "menu~ada/merge", #"{"at":"tag:none"}"#)
    }

    @Test func `20: a move is merged whole or not at all`() throws {
        let scene = try DraftScene(#"{"l":[1,2],"m":[]}"#)
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"move","from":"/l/0","path":"/m/0"}]"#,
            LocalDaemon.patch)
        let refused = try scene.refuse(
            409, "moved-value", "POST", "menu~ada/merge", #"{"paths":["/m"]}"#)
        #expect(refused["path"] == "/l/0")
        try scene.succeed("POST", "menu~ada/merge", #"{"paths":["/m","/l"]}"#)
        #expect(try scene.value("menu") == ["l": [2], "m": [1]])
    }

    @Test func `20: a part in an element takes no removal of another that had its index`() throws {
        let scene = try DraftScene(#"{"l":[{"n":"Pie"},{"n":"Tea"},{"n":"Cake"}]}"#)
        try scene.succeed(
            "PATCH", "menu~ada",
            #"[{"op":"remove","path":"/l/1"},{"op":"replace","path":"/l/1/n","value":"Bun"}]"#,
            LocalDaemon.patch)
        let part = try scene.succeed("POST", "menu~ada/merge", #"{"paths":["/l/1/n"]}"#)
        #expect(part["left"] == 1)
        #expect(try scene.value("menu")["l"] == [["n": "Pie"], ["n": "Tea"], ["n": "Bun"]])
        // The removal has the place that the element had.
        #expect(try scene.origin()["ahead"]?["paths"]?.texts == ["/l/1"])
        try scene.succeed("POST", "menu~ada/merge", #"{"paths":["/l/1"]}"#)
        #expect(try scene.value("menu")["l"] == [["n": "Pie"], ["n": "Bun"]])
    }

    @Test func `20: paths, changes and at contradict each other`() throws {
        let scene = try DraftScene()
        for body in [
            #"{"paths":["/a"],"changes":[1]}"#, #"{"changes":[]}"#, #"{"paths":["a"]}"#,
            #"{"resolve":{"/a":"mine"}}"#, #"{"resolve":["/a"]}"#, #"{"at":"origin"}"#,
            #"{"match":"x"}"#, #"{"other":1}"#,
        ] {
            try scene.refuse(400, "malformed-request", "POST", "menu~ada/merge", body)
        }
        try scene.refuse(400, "malformed-request", "POST", "menu~ada/merge?conflict=mine")
    }

    // MARK: Conditions

    @Test func `20: what was reviewed is what is merged`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu", #"{"b":2}"#)
        let match = ["If-Match": "\"1\""]
        try scene.refuse(
            412, "stale-revision", "POST", "menu~ada/merge", "{}", ["If-Match": "\"0\""])
        let other = try scene.refuse(
            412, "stale-revision", "POST", "menu~ada/merge", #"{"match":0}"#, match)
        #expect(other["document"] == "menu" && other["head"] == 1)
        try scene.succeed("POST", "menu~ada/merge", #"{"match":"1"}"#, match)
        #expect(try scene.value("menu") == ["a": 2, "b": 2])
    }

    @Test func `20: nothing to merge or update is said, and changes nothing`() throws {
        let scene = try DraftScene()
        let merged = try scene.succeed("POST", "menu~ada/merge")
        #expect(merged["change"] == .null && merged["origin"]?["change"] == .null)
        #expect(merged["left"] == 0)
        #expect(try scene.succeed("POST", "menu~ada/update")["change"] == .null)
        #expect(try scene.send("GET", "menu~ada")["etag"] == "\"0\"")
    }

    @Test func `13: an update and a merge are carried out once for a key`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu", #"{"b":2}"#)
        for path in ["update", "merge"] {
            let key = ["Idempotency-Key": path]
            let first = try scene.send("POST", "menu~ada/" + path, "{}", key)
            try scene.edit("menu", "{\"later\":\"\(path)\"}")
            let again = try scene.send("POST", "menu~ada/" + path, "{}", key)
            #expect(again["idempotent-replayed"] == "true" && again.status == 200)
            let (one, other) = (try first.json, try again.json)
            #expect(one["revision"] == other["revision"] && one["patch"] == other["patch"])
            #expect(one["origin"]?["revision"] == other["origin"]?["revision"])
            let mixed = try scene.send(
                "POST", "menu~ada/" + path, #"{"resolve":{}}"#, key)
            #expect(mixed.status == 422, "\(mixed.text)")
        }
    }

    @Test func `20: with end a draft of which nothing is left is deleted, and comes back`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2,"b":2}"#)
        try scene.succeed("POST", "menu~ada/merge", #"{"paths":["/a"],"end":true}"#)
        #expect(try scene.send("GET", "menu~ada").status == 200)
        try scene.succeed("POST", "menu~ada/merge", #"{"end":true}"#)
        #expect(try scene.send("GET", "menu~ada").status == 410)
        try scene.succeed("POST", "menu~ada/undelete")
        #expect(try scene.origin()["ahead"]?["edits"] == 0)
    }

    @Test func `20: with end a draft that has nothing new is deleted, once for a key`() throws {
        let scene = try DraftScene()
        try scene.edit("menu", #"{"b":2}"#)
        let key = ["Idempotency-Key": "end"]
        let dry = try scene.succeed("POST", "menu~ada/merge?dryRun", #"{"end":true}"#)
        #expect(dry["change"]?["kind"] == "delete" && dry["origin"]?["change"] == .null)
        for isAgain in [false, true] {
            let ended = try scene.send("POST", "menu~ada/merge", #"{"end":true}"#, key)
            #expect(ended.status == 200 && (ended["idempotent-replayed"] != nil) == isAgain)
            #expect(try ended.json["revision"] == 1 && ended.json["left"] == 0)
            #expect(try ended.json["origin"]?["change"] == .null)
        }
        #expect(try scene.send("GET", "menu~ada").status == 410)
        try scene.succeed("POST", "menu~ada/undelete")
        let found = try scene.origin()
        #expect(found["ahead"]?["edits"] == 0 && found["behind"]?["edits"] == 1)
    }

    @Test func `20: a refusal names the origin only where that is to blame`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        let part = try scene.refuse(
            404, "unknown-revision", "POST", "menu~ada/merge", #"{"at":7}"#)
        #expect(part["document"] == nil)
        let update = try scene.refuse(
            404, "unknown-revision", "POST", "menu~ada/update", #"{"to":7}"#)
        #expect(update["document"] == "menu")
    }

    // MARK: Undo

    @Test func `20: an update under a merge is not undone, and own undo passes it`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu", #"{"b":2}"#)
        try scene.succeed("POST", "menu~ada/update", "{}", ["Versiond-Actor": "ada"])
        try scene.succeed("POST", "menu~ada/merge")
        try scene.refuse(409, "merged", "POST", "menu~ada/undo")
        try scene.refuse(409, "merged", "POST", "menu~ada/goto", #"{"to":"version:0"}"#)
        try scene.refuse(409, "merged", "POST", "menu~ada/undo", #"{"revision":2}"#)
        try scene.succeed(
            "POST", "menu~ada/undo", #"{"actor":"ada"}"#, ["Versiond-Actor": "ada"])
        #expect(try scene.value("menu~ada") == ["a": 1, "b": 2])
        let all = try scene.daemon.client.request(
            "POST", "/v1/undo", LocalDaemon.json,
            body: #"{"all":{"actor":"ada"},"documents":["menu~ada"]}"#)
        #expect(all.code == "nothing-to-undo", "\(all.text)")
    }

    @Test func `20: a merge is one step of the origin, which anybody may see and undo`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu~ada", #"{"b":2}"#)
        try scene.succeed("POST", "menu~ada/merge?label=spring", "{}", ["Versiond-Actor": "cyd"])
        let version = try #require(
            try scene.succeed("GET", "menu/versions?summary")["versions"]?.elements?.first)
        #expect(version["label"] == "spring" && version["actors"]?.texts == ["cyd"])
        #expect(version["transaction"] == nil, "undo takes nothing in the draft")
        #expect(version["summary"]?["sentence"]?.string?.hasPrefix("merged menu~ada: ") == true)
        let blame = try scene.succeed("GET", "menu/blame?path=/a")
        let change = try #require(blame["changes"]?.elements?.first)
        #expect(change["authors"]?.texts == ["ada"] && change["actor"] == "cyd")
        try scene.succeed("POST", "menu/undo")
        #expect(try scene.value("menu") == ["a": 1, "b": 1])
        try scene.succeed("POST", "menu/redo")
        #expect(try scene.origin()["ahead"]?["edits"] == 0)
    }

    @Test func `20: a merge is undone by its number as a transaction, too`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("POST", "menu~ada/merge")
        try scene.edit("menu", #"{"b":3}"#)
        let undone = try scene.daemon.client.request(
            "POST", "/v1/undo", LocalDaemon.json, body: #"{"transaction":"menu@1"}"#)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try scene.value("menu") == ["a": 1, "b": 3])
        #expect(try scene.value("menu~ada") == ["a": 2, "b": 1])
        #expect(try scene.origin()["ahead"]?["edits"] == 1, "the merge is void")
        let redone = try scene.daemon.client.request(
            "POST", "/v1/redo", LocalDaemon.json, body: #"{"transaction":"menu@1"}"#)
        #expect(redone.status == 200, "\(redone.text)")
        #expect(try scene.value("menu") == ["a": 2, "b": 3])
        #expect(try scene.origin()["ahead"]?["edits"] == 0)
    }

    @Test func `20: blame says who made each place of a merge in the draft`() throws {
        let journal = InMemoryJournal()
        let scene = try DraftScene(
            #"{"a":1,"t":"hot soup","l":[{"v":1}],"x":{"y":0,"z":0}}"#, journal: journal)
        try scene.edit("menu~ada", #"{"a":2,"x":{"y":1}}"#)
        try scene.edit("menu~ada", #"{"x":{"z":2}}"#, by: "eve")
        for (position, word, actor) in [(0, "very ", "ada"), (13, "!", "eve")] {
            try scene.succeed(
                "PATCH", "menu~ada",
                #"[{"op":"str_ins","path":"/t","pos":\#(position),"str":"\#(word)"}]"#,
                LocalDaemon.patch.by(actor))
        }
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"add","path":"/l/0","value":{"v":9}}]"#,
            LocalDaemon.patch.by("eve"))
        try scene.edit("menu", #"{"b":1}"#)
        try scene.succeed("POST", "menu~ada/merge", "{}", ["Versiond-Actor": "cyd"])
        // It stays theirs wherever it goes.
        try scene.succeed(
            "PATCH", "menu", #"[{"op":"add","path":"/l/0","value":{"v":0}}]"#,
            LocalDaemon.patch.by("bob"))
        scene.daemon.stop()
        // All of it is in the journal.
        let daemon = try LocalDaemon(journal: journal)
        let blame: JSON = try daemon.client.request("GET", "/v1/documents/menu/blame").json
        let places = Dictionary(
            (blame["places"]?.elements ?? []).map { ($0["path"]?.string ?? "", $0) }
        ) { first, _ in first }
        #expect(places["/a"]?["author"] == "ada" && places["/b"]?["author"] == nil)
        #expect(places["/l/1"]?["author"] == "eve" && places["/l/0"]?["author"] == nil)
        #expect(places["/x/z"]?["author"] == "eve" && places["/x/y"]?["author"] == "ada")
        let runs = places["/t"]?["text"]?.elements ?? []
        #expect(runs.map { $0["count"]?.int } == [5, 8, 1], "\(runs)")
        #expect(runs.map { $0["author"]?.string } == ["ada", nil, "eve"], "\(runs)")
    }

    // MARK: Other states and documents

    @Test func `20: the common state has an address`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu~ada", #"{"b":2}"#)
        #expect(try scene.succeed("GET", "menu~ada?at=origin") == ["a": 1, "b": 1])
        let difference = try scene.succeed("GET", "menu~ada/diff?from=origin")
        #expect(difference["from"] == "origin" && difference["patch"]?.count == 2)
        try scene.succeed("POST", "menu~ada/restore", #"{"from":"origin","paths":["/a"]}"#)
        #expect(try scene.value("menu~ada") == ["a": 1, "b": 2])
        try scene.refuse(
            400, "malformed-request", "PATCH", "menu~ada?base=origin", "{}", LocalDaemon.merge)
        try scene.refuse(409, "no-origin", "GET", "menu?at=origin")
    }

    @Test func `20: a draft is brought up to a state of the origin`() throws {
        let scene = try DraftScene()
        try scene.edit("menu", #"{"a":2}"#)
        try scene.edit("menu", #"{"b":2}"#)
        try scene.succeed("POST", "menu~ada/update", #"{"to":1}"#)
        #expect(try scene.value("menu~ada") == ["a": 2, "b": 1])
        #expect(try scene.origin()["behind"]?["edits"] == 1)
        #expect(try scene.succeed("POST", "menu~ada/update", #"{"to":0}"#)["change"] == .null)
        try scene.refuse(404, "unknown-revision", "POST", "menu~ada/update", #"{"to":7}"#)
    }

    @Test func `20: an origin that is gone leaves the draft, which says so`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("DELETE", "menu")
        for path in ["update", "merge"] {
            let refused = try scene.refuse(410, "origin-gone", "POST", "menu~ada/" + path)
            #expect(refused["origin"] == "menu")
        }
        try scene.refuse(410, "origin-gone", "PUT", "menu~ada/origin", #"{"document":"menu"}"#)
        // Another life of that name is another document.
        try scene.succeed("PUT", "menu", #"{"a":1,"b":1}"#)
        try scene.refuse(410, "origin-gone", "GET", "menu~ada/origin")
        try scene.refuse(
            409, "other-history", "PUT", "menu~ada/origin", #"{"document":"menu"}"#)
        try scene.succeed("DELETE", "menu~ada/origin")
        try scene.refuse(409, "no-origin", "GET", "menu~ada/origin")
        #expect(try scene.value("menu~ada")["a"] == 2)
    }

    @Test func `20: an origin is followed to its new name, and can be named`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("POST", "menu/rename", #"{"name":"dinner"}"#)
        #expect(try scene.origin()["origin"] == "dinner")
        #expect(try scene.succeed("GET", "menu~ada?at=origin") == ["a": 1, "b": 1])
        try scene.succeed("PUT", "other", #"{"a":1}"#)
        try scene.refuse(
            409, "other-history", "PUT", "menu~ada/origin", #"{"document":"other"}"#)
        try scene.refuse(
            409, "other-history", "PUT", "menu~ada/origin", #"{"document":"none"}"#)
        let named = try scene.succeed("PUT", "menu~ada/origin", #"{"document":"dinner"}"#)
        #expect(named["change"]?["origin"] == "dinner")
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("dinner") == ["a": 2, "b": 1])
        #expect(try scene.origin()["origin"] == "dinner")
    }

    @Test func `20: drafts are listed with what each would change, page by page`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("PUT", "menu~bob?copyOf=menu")
        try scene.succeed("PUT", "menu~no", "{}")
        try scene.edit("menu", #"{"a":3}"#)
        let page = try scene.succeed("GET", "menu/drafts")
        let drafts = try #require(page["drafts"]?.elements)
        #expect(drafts.compactMap { $0["document"]?.string } == ["menu~ada", "menu~bob"])
        #expect(drafts[0]["ahead"]?["edits"] == 1 && drafts[0]["conflicts"]?.texts == ["/a"])
        #expect(drafts[0]["actors"]?.texts == ["ada"] && drafts[1]["ahead"]?["edits"] == 0)
        #expect(page["next"] == .null)
        let first = try scene.succeed("GET", "menu/drafts?limit=1")
        #expect(first["next"] == "menu~ada" && first["drafts"]?.count == 1)
        let second = try scene.succeed("GET", "menu/drafts?limit=1&cursor=menu~ada")
        #expect(second["drafts"]?.elements?[0]["document"] == "menu~bob")
        try scene.refuse(404, "unknown-document", "GET", "none/drafts")
    }

    @Test func `20: a draft of a draft is merged edge by edge`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("PUT", "menu~ada~x?copyOf=menu~ada")
        try scene.edit("menu~ada~x", #"{"b":2}"#, by: "cyd")
        try scene.succeed("POST", "menu~ada~x/merge")
        #expect(try scene.value("menu") == ["a": 1, "b": 1])
        let merged = try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu") == ["a": 2, "b": 2])
        #expect(merged["origin"]?["change"]?["from"] == "menu~ada@2")
    }
}
