import AccessControl
import JSONTree
import Journaling
import Naming
import TestSupport
import Testing

/// Drafts combined with all other features of a document.
@Suite struct DraftEdgeTests {
    // MARK: Rights

    private var list: AccessList {
        var list = AccessList()
        for (name, rights) in [
            ("root", Rights.all), ("ci", [.read, .propose]), ("ada", [.read, .propose, .write]),
            ("reader", .read),
        ] {
            list.add(tokenHash: Token.hash(of: name), Grant(name: name, rights: rights))
        }
        list.add(
            tokenHash: Token.hash(of: "inside"),
            Grant(name: "inside", rights: [.read, .propose], prefix: "menu~"))
        return list
    }

    private static func bearer(_ name: String) -> [String: String] {
        ["Authorization": "Bearer \(name)"]
    }

    @Test func `20: who may propose writes drafts, and merges nothing`() throws {
        let scene = try DraftScene(access: list, token: "root")
        let ci = DraftEdgeTests.bearer("ci")
        let patch = LocalDaemon.merge.merging(ci) { $1 }
        try scene.succeed("PUT", "menu~ci?copyOf=menu", nil, ci)
        try scene.succeed("PATCH", "menu~ci", #"{"a":2}"#, patch)
        try scene.succeed("POST", "menu~ci/undo", nil, ci)
        try scene.succeed("POST", "menu~ci/redo", nil, ci)
        try scene.edit("menu", #"{"b":2}"#, by: "root")
        try scene.succeed("POST", "menu~ci/update", nil, ci)
        try scene.refuse(403, "forbidden", "PATCH", "menu", #"{"a":9}"#, patch)
        let refused = try scene.refuse(403, "forbidden", "POST", "menu~ci/merge", nil, ci)
        #expect(refused["right"] == "write" && refused["document"] == "menu")
        try scene.refuse(403, "forbidden", "POST", "menu~ci/merge?dryRun", nil, ci)
        try scene.refuse(403, "forbidden", "DELETE", "menu~ci?purge", nil, ci)
        try scene.succeed("POST", "menu~ci/merge", nil, DraftEdgeTests.bearer("ada"))
        #expect(try scene.value("menu") == ["a": 2, "b": 2])
        try scene.succeed("DELETE", "menu~ci", nil, ci)
        try scene.refuse(403, "forbidden", "DELETE", "menu", nil, ci)
    }

    @Test func `20: who only reads sees what stands between, and changes nothing`() throws {
        let scene = try DraftScene(access: list, token: "root")
        let reader = DraftEdgeTests.bearer("reader")
        #expect(try scene.send("GET", "menu~ada/origin", nil, reader).status == 200)
        #expect(try scene.send("GET", "menu/drafts", nil, reader).status == 200)
        for path in ["update", "merge"] {
            try scene.refuse(403, "forbidden", "POST", "menu~ada/" + path, nil, reader)
        }
        try scene.refuse(403, "forbidden", "DELETE", "menu~ada/origin", nil, reader)
    }

    @Test func `20: an origin outside a token's prefix is neither read nor taken from`() throws {
        let scene = try DraftScene(access: list, token: "root")
        let inside = DraftEdgeTests.bearer("inside")
        for (method, path) in [
            ("GET", "menu~ada/origin"), ("POST", "menu~ada/update"), ("POST", "menu~ada/merge"),
            ("GET", "menu~ada?at=origin"),
        ] {
            let refused = try scene.refuse(403, "forbidden", method, path, nil, inside)
            // The words are about drafts, not about transactions.
            let detail = refused["detail"]?.string ?? ""
            #expect(detail.contains("origin") && refused["document"] == "menu", "\(refused)")
            #expect(refused["hint"]?.string?.contains("alone") != true, "\(refused)")
        }
    }

    // MARK: Values

    @Test func `20: at places that the origin ignores neither side has edits`() throws {
        let scene = try DraftScene(
            #"{"a":1,"seen":0,"l":[{"id":1,"seen":0}]}"#,
            settings: #"{"ignored":["/seen","/l/*/seen"]}"#)
        try scene.edit("menu~ada", #"{"a":2,"seen":5}"#)
        try scene.edit("menu", #"{"seen":7}"#)
        let found = try scene.origin()
        #expect(found["ahead"]?["edits"] == 1 && found["behind"]?["edits"] == 0)
        #expect(found["conflicts"]?.texts == [])
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu") == ["a": 2, "seen": 7, "l": [["id": 1, "seen": 0]]])
        try scene.edit("menu", #"{"a":3,"seen":8}"#)
        try scene.succeed("POST", "menu~ada/update")
        #expect(try scene.value("menu~ada") == ["a": 3, "seen": 5, "l": [["id": 1, "seen": 0]]])
        try scene.succeed("POST", "menu~ada/undo")
        #expect(try scene.value("menu~ada")["a"] == 2)
        #expect(try scene.origin()["ahead"]?["edits"] == 0)
    }

    @Test func `20: texts that were sent as a whole are merged by what differs in them`() throws {
        let scene = try DraftScene(#"{"t":"the soup is hot and the bread is fresh"}"#)
        try scene.edit("menu~ada", #"{"t":"the onion soup is hot and the bread is fresh"}"#)
        try scene.edit("menu", #"{"t":"the soup is hot and the bread is warm"}"#)
        try scene.succeed("POST", "menu~ada/merge")
        #expect(
            try scene.value("menu") == ["t": "the onion soup is hot and the bread is warm"])
        try scene.edit("menu~ada", #"{"t":"the onion soup is cold and the bread is fresh"}"#)
        try scene.edit("menu", #"{"t":"the onion soup is mild and the bread is warm"}"#)
        try scene.refuse(409, "conflict", "POST", "menu~ada/merge")
    }

    @Test func `20: numbers are merged as they were written`() throws {
        let scene = try DraftScene(#"{"a":1.50,"b":1}"#)
        try scene.edit("menu~ada", #"{"b":2.00}"#)
        try scene.edit("menu", #"{"a":1.10}"#)
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.send("GET", "menu").text == "{\"a\":1.10,\"b\":2.00}\n")
    }

    @Test func `20: the whole value may be another one on either side`() throws {
        let scene = try DraftScene("1")
        try scene.succeed("PUT", "menu~ada", "2")
        try scene.succeed("PUT", "menu", "3")
        let place = try #require(try scene.origin()["places"]?.elements?.first)
        #expect(place["path"] == "" && place["draft"] == 2 && place["origin"] == 3)
        try scene.succeed("POST", "menu~ada/merge", #"{"resolve":{"":"draft"}}"#)
        #expect(try scene.value("menu") == 2)
    }

    @Test func `20: an update that was undone leaves whole texts whole`() throws {
        let scene = try DraftScene(#"{"t":"the soup is hot and the bread is fresh"}"#)
        try scene.succeed(
            "PATCH", "menu", #"[{"op":"str_ins","path":"/t","pos":4,"str":"onion "}]"#,
            LocalDaemon.patch)
        try scene.edit("menu~ada", #"{"t":"the stew is hot and the bread is old"}"#)
        let before = try scene.send("POST", "menu~ada/merge?dryRun")
        let ada = ["Versiond-Actor": "ada"]
        try scene.succeed("POST", "menu~ada/update?conflict=origin", "{}", ada)
        try scene.succeed("POST", "menu~ada/undo", #"{"actor":"ada"}"#, ada)
        let after = try scene.send("POST", "menu~ada/merge?dryRun")
        #expect(before.status == after.status)
        #expect(try before.json["origin"]?["patch"] == after.json["origin"]?["patch"])
        #expect(try before.json["conflicts"] == after.json["conflicts"])
    }

    @Test func `20: what is ignored later, and was moved before, does not stand in the way`() throws
    {
        let scene = try DraftScene(
            #"{"l":[{"id":1,"v":1},{"id":2,"v":2},{"id":3,"v":3}],"o":{"x":1}}"#)
        try scene.succeed(
            "PATCH", "menu",
            #"[{"op":"add","path":"/l/2/w","value":8},{"op":"move","from":"/l/1/v","path":"/l/0"}]"#,
            LocalDaemon.patch)
        try scene.succeed("PATCH", "menu/settings", #"{"ignored":["/l/*/v","/o"]}"#)
        try scene.edit("menu~ada", #"{"new":1,"o":{"x":2}}"#)
        #expect(try scene.origin()["ahead"]?["paths"]?.texts == ["/new"])
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu")["new"] == 1 && scene.value("menu")["o"] == ["x": 1])
        try scene.succeed("POST", "menu~ada/update")
        #expect(try scene.value("menu~ada")["l"]?.count == 4)
        #expect(try scene.value("menu~ada")["o"] == ["x": 2])
    }

    @Test func `20: a place that is decided is decided for all edits there`() throws {
        let scene = try DraftScene(#"{"t":"the soup is hot and the bread is fresh","u":1}"#)
        let text = #"{"t":"our broth is warm and our bun is old","u":2}"#
        try scene.edit("menu~ada", text)
        try scene.edit("menu", #"{"t":"a stew was cold but a roll was new","u":3}"#)
        for side in ["origin", "draft"] {
            let body = "{\"resolve\":{\"/t\":\"\(side)\",\"/u\":\"\(side)\"}}"
            let tried = try scene.succeed("POST", "menu~ada/merge?dryRun", body)
            let change = tried["origin"]?["change"]
            #expect((change == .null) == (side == "origin"), "\(side): \(tried)")
        }
        let one = try scene.refuse(
            409, "conflict", "POST", "menu~ada/merge", #"{"resolve":{"/t":"origin"}}"#)
        #expect(one["conflicts"]?.texts == ["/u"])
    }

    // MARK: Histories

    @Test func `20: a state that is not on the way from the common one is compared`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("POST", "menu~ada/merge")
        try scene.succeed("POST", "menu~ada/undo")
        let same = try scene.succeed("POST", "menu~ada/merge?dryRun", #"{"at":"head"}"#)
        #expect(same["origin"]?["patch"] == [["op": "replace", "path": "/a", "value": 1]])
        try scene.edit("menu~ada", #"{"b":5}"#)
        let merged = try scene.succeed("POST", "menu~ada/merge", #"{"at":"version:0"}"#)
        #expect(merged["left"] == 1)
        #expect(try scene.value("menu") == ["a": 1, "b": 1])
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu") == ["a": 1, "b": 5])
    }

    @Test func `20: shared undo below the record compares values`() throws {
        let scene = try DraftScene()
        try scene.edit("menu", #"{"a":2}"#)
        try scene.edit("menu", #"{"a":3}"#)
        try scene.succeed("PUT", "menu~bob?copyOf=menu")
        try scene.edit("menu~bob", #"{"b":2}"#)
        for _ in 0..<2 { try scene.succeed("POST", "menu/undo") }
        let found = try scene.succeed("GET", "menu~bob/origin")
        #expect(found["behind"]?["edits"] == 1 && found["behind"]?["changes"]?.numbers == [])
        try scene.succeed("POST", "menu~bob/merge")
        #expect(try scene.value("menu") == ["a": 1, "b": 2])
    }

    @Test func `20: a scope of either side does not stand in the way`() throws {
        let scene = try DraftScene()
        try scene.succeed("POST", "menu/scopes/push", "{}", ["Versiond-Actor": "bob"])
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("POST", "menu~ada/merge", "{}", ["Versiond-Actor": "cyd"])
        try scene.succeed("POST", "menu/scopes/discard", nil, ["Versiond-Actor": "bob"])
        #expect(try scene.value("menu")["a"] == 2)
        try scene.succeed("POST", "menu~ada/scopes/push", "{}", ["Versiond-Actor": "ada"])
        try scene.edit("menu", #"{"b":2}"#)
        try scene.succeed("POST", "menu~ada/update", "{}", ["Versiond-Actor": "ada"])
        try scene.edit("menu~ada", #"{"a":3}"#)
        try scene.succeed("POST", "menu~ada/merge")
        try scene.succeed("POST", "menu~ada/scopes/discard", nil, ["Versiond-Actor": "ada"])
        // Edits from the origin stay below the merge.
        #expect(try scene.value("menu~ada") == ["a": 2, "b": 2])
    }

    @Test func `20: a merge names what it is about, where changes must have a condition`() throws {
        let scene = try DraftScene(settings: #"{"requireMatch":true}"#)
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu")["a"] == 2)
    }

    @Test func `20: a purge takes a place out of what a draft knows, too`() throws {
        let journal = try LocalDaemon.newJournal()
        let scene = try DraftScene(#"{"a":1,"mail":"m@1","x":{"mail":"m@1"}}"#, journal: journal)
        try scene.edit("menu~ada", #"{"a":2,"mail":"m@2","x":{"mail":"m@2"}}"#)
        try scene.edit("menu", #"{"mail":"m@3"}"#)
        try scene.succeed("POST", "menu~ada/update?conflict=draft")
        let draft = try #require(DocumentID("menu~ada"))
        func known() throws -> [String] {
            let entries = try journal.entries(of: draft, from: 0, limit: 100)
            return ["m@1", "m@2", "m@3"].filter { mail in
                entries.contains { $0.body.contains(mail.utf8) }
            }
        }
        #expect(try known() == ["m@1", "m@2", "m@3"])
        try scene.succeed("POST", "menu~ada/purge", #"{"paths":["/mail","/x/mail"]}"#)
        #expect(try known() == [])
        #expect(try scene.value("menu~ada") == ["a": 2, "x": [:]])
        // The origin has it still: it is not taken away there without a word.
        let found = try scene.origin()
        #expect(found["ahead"]?["edits"] == 1, "\(found)")
        try scene.succeed("POST", "menu~ada/merge", #"{"paths":["/a"]}"#)
        #expect(try scene.value("menu")["mail"] == "m@3")
    }

    @Test func `20: a purge of the origin names the drafts that have it still`() throws {
        let scene = try DraftScene(#"{"a":1,"mail":"m1"}"#)
        try scene.succeed("PUT", "menu~other", "{}")
        let purged = try scene.succeed("POST", "menu/purge", #"{"paths":["/mail"]}"#)
        #expect(purged["drafts"]?.texts == ["menu~ada"] && purged["erased"] == 1)
        #expect(try scene.value("menu~ada")["mail"] == "m1")
        // It does not come back unseen.
        let found = try scene.origin()
        #expect(found["ahead"]?["edits"] == 0 && found["behind"]?["paths"]?.texts == ["/mail"])
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu") == ["a": 1])
    }

    @Test func `20: a draft goes along when it is exported, deleted and brought back`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.succeed("DELETE", "menu~ada")
        try scene.succeed("POST", "menu~ada/undelete")
        #expect(try scene.origin()["ahead"]?["changes"]?.numbers == [1])
        try scene.succeed("POST", "menu~ada/rename", #"{"name":"menu~eve"}"#)
        #expect(try scene.succeed("GET", "menu~eve/origin")["origin"] == "menu")
        try scene.succeed("POST", "menu~eve/merge")
        #expect(try scene.value("menu")["a"] == 2)
    }

    @Test func `20: the record stays however short a history is`() throws {
        let scene = try DraftScene(settings: #"{"retention":{"count":3}}"#)
        try scene.succeed("PATCH", "menu~ada/settings", #"{"retention":{"count":3}}"#)
        for number in 0..<20 {
            try scene.edit("menu~ada", "{\"a\":\(100 + number)}")
            try scene.edit("menu", "{\"b\":\(200 + number)}")
        }
        let found = try scene.origin()
        #expect(found["ahead"]?["edits"] == 1 && found["behind"]?["edits"] == 1)
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.value("menu") == ["a": 119, "b": 219])
    }

    @Test func `20: a restart changes nothing, not even the order of members`() throws {
        let journal = InMemoryJournal()
        let first = try DraftScene(journal: journal)
        try first.edit("menu", #"{"x":1,"a":null}"#)
        try first.edit("menu", #"{"a":1}"#)
        try first.edit("menu~ada", #"{"b":null,"c":3}"#)
        try first.edit("menu~ada", #"{"b":1,"d":2}"#)
        try first.succeed("POST", "menu~ada/update")
        try first.succeed("POST", "menu~ada/merge", #"{"paths":["/d"]}"#)
        let found = try first.origin()
        let texts = try ["menu", "menu~ada"].map { try first.send("GET", $0).text }
        first.daemon.stop()
        let second = try LocalDaemon(journal: journal)
        let answer = try second.client.request("GET", "/v1/documents/menu~ada/origin")
        #expect(try answer.json == found)
        for (name, text) in zip(["menu", "menu~ada"], texts) {
            #expect(try second.client.request("GET", "/v1/documents/" + name).text == text)
        }
    }

    /// The tag of the response is the draft's revision, which an edit of the origin does not change.
    @Test func `20: a client that has a comparison receives it again when the origin changes`()
        throws
    {
        let scene = try DraftScene()
        let tag = try #require(try scene.send("GET", "menu~ada/origin")["etag"])
        try scene.edit("menu", #"{"b":2}"#)
        let answer = try scene.send(
            "GET", "menu~ada/origin", nil, ["If-None-Match": tag])
        #expect(answer.status == 200)
        #expect(try answer.json["behind"]?["edits"] == 1)
    }

    @Test func `20: the feed tells what happened to either side`() throws {
        let scene = try DraftScene()
        try scene.edit("menu~ada", #"{"a":2}"#)
        try scene.edit("menu", #"{"b":2}"#)
        try scene.succeed("POST", "menu~ada/update")
        try scene.succeed("POST", "menu~ada/merge")
        let draft = try scene.succeed("GET", "menu~ada/feed?cursor=1")["events"]?.elements ?? []
        #expect(draft.compactMap { $0["change"]?["kind"]?.string } == ["update", "merge"])
        #expect(draft[0]["change"]?["from"] == "menu@1" && draft[1]["patch"]?.count == 0)
        let origin = try scene.succeed("GET", "menu/feed?cursor=1")["events"]?.elements ?? []
        #expect(origin.count == 1 && origin[0]["change"]?["from"] == "menu~ada@2")
    }
}
