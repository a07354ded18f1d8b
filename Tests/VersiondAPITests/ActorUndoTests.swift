import JSONTree
import TestSupport
import Testing

/// Rule 12: undo of own edits below later ones of others.
@Suite struct ActorUndoTests {
    @Test func `12: an actor's last version is undone past the edits of others, and comes back`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"dish":"soup","price":1,"list":[1,2,3]}"#)
        try daemon.as("ada").merge(#"{"price":2}"#)
        try daemon.as("bob").merge(#"{"dish":"stew"}"#)
        let undo = try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#, ["Versiond-Actor": "ada"])
        #expect(
            try undo.json["patch"]?.description == #"[{"op":"replace","path":"/price","value":1}]"#)
        #expect(
            try undo.json["change"]?["kind"] == "undo" && undo.json["change"]?["undone"] == [1])
        #expect(try daemon.value() == ["dish": "stew", "price": 1, "list": [1, 2, 3]])
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).code == "nothing-to-undo")
        let redo = try daemon.menu("POST", "/redo", #"{"actor":"ada"}"#)
        #expect(try redo.json["change"]?["kind"] == "redo")
        #expect(try daemon.value()["price"] == 2)
        #expect(try daemon.menu("POST", "/redo", #"{"actor":"ada"}"#).code == "nothing-to-redo")
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).status == 200)
    }

    @Test func `12: one change is undone and redone by its number, and indexes shift`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"["a","b","c"]"#)
        try daemon.succeed("PATCH", "", #"[{"op":"remove","path":"/2"}]"#, LocalDaemon.patch)
        try daemon.succeed(
            "PATCH", "", #"[{"op":"add","path":"/0","value":"new"}]"#, LocalDaemon.patch)
        #expect(try daemon.menu("POST", "/undo", #"{"revision":1}"#).status == 200)
        #expect(try daemon.value() == ["new", "a", "b", "c"])
        #expect(try daemon.menu("POST", "/undo", #"{"revision":1}"#).code == "not-in-effect")
        #expect(try daemon.menu("POST", "/redo", #"{"revision":1}"#).status == 200)
        #expect(try daemon.value() == ["new", "a", "b"])
        #expect(try daemon.menu("POST", "/redo", #"{"revision":1}"#).code == "not-in-effect")
        #expect(try daemon.menu("POST", "/undo", #"{"revision":99}"#).code == "not-in-effect")
    }

    @Test func `12: a conflict is told with its places and changes nothing; force overrides`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"dish":"soup","wine":null}"#)
        try daemon.as("ada").merge(#"{"dish":"stew"}"#)
        let add = #"[{"op":"add","path":"/side","value":{"name":"rice"}}]"#
        let ada = LocalDaemon.patch.by("ada")
        try daemon.succeed("PATCH", "", add, ada)
        try daemon.as("bob").merge(#"{"side":{"price":3}}"#)
        let before = try daemon.value()
        let refused = try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#)
        #expect(refused.status == 409 && refused.code == "conflict")
        #expect(try refused.json["conflicts"] == ["/side/price"] && refused.json["with"] == [3])
        #expect(try refused.json["revision"] == 3 && daemon.value() == before)
        let skipped = try daemon.menu("POST", "/undo?conflict=theirs", #"{"actor":"ada"}"#)
        let change = try skipped.json["change"]
        #expect(change?["undone"] == [1] && change?["passed"] == [])
        #expect(
            change?["skipped"]
                == [["revision": 2, "conflicts": ["/side/price"], "with": [3]]])
        #expect(try daemon.value()["dish"] == "soup")
        let forced = try daemon.menu("POST", "/undo?conflict=mine", #"{"actor":"ada"}"#)
        #expect(try forced.status == 200 && forced.json["change"]?["conflict"] == "mine")
        #expect(try daemon.value()["side"] == nil)
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(
            try daemon.value()["side"] == ["name": "rice", "price": 3],
            "it is a version like any other")
    }

    @Test func `12: a dry run only tells`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"price":1,"dish":"soup"}"#)
        try daemon.as("ada").merge(#"{"price":2}"#)
        try daemon.as("bob").merge(#"{"dish":"stew"}"#)
        for body in [#"{"actor":"ada"}"#, nil] {
            let told = try daemon.menu("POST", "/undo?dryRun", body)
            #expect(try told.json["dryRun"] == true && told.json["revision"] == 2)
            #expect(try told.json["patch"]?.count == 1 && told["etag"] == "\"2\"")
        }
        #expect(try daemon.value() == ["price": 2, "dish": "stew"])
        #expect(try daemon.menu("POST", "/redo?dryRun", nil).code == "nothing-to-redo")
    }

    @Test func `12: a burst of quick edits is taken back as one`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"text":"","n":0}"#)
        for text in ["a", "ab", "abc"] {
            try daemon.as("ada").merge("{\"text\":\"\(text)\"}", "?debounce=5s")
        }
        try daemon.as("bob").merge(#"{"n":1}"#)
        #expect(
            try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).json["change"]?["undone"] == [
                1, 2, 3,
            ])
        #expect(try daemon.value() == ["text": "", "n": 1])
        #expect(try daemon.menu("POST", "/redo", #"{"actor":"ada"}"#).status == 200)
        #expect(try daemon.value() == ["text": "abc", "n": 1])
    }

    @Test func `7: a scope stands in nobody's way who undoes their own`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        try daemon.as("ada").merge(#"{"a":2}"#)
        try daemon.succeed("POST", "/scopes/push", nil, ["Versiond-Actor": "bob"])
        #expect(try daemon.menu("POST", "/undo").code == "nothing-to-undo", "the shared one stays")
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).status == 200)
        #expect(try daemon.value() == ["a": 1])
        #expect(try daemon.menu("POST", "/redo", #"{"revision":1}"#).status == 200)
        #expect(try daemon.value() == ["a": 2])
    }

    @Test(arguments: [
        #"{"actor":"a","revision":1}"#, #"{"actor":1}"#, #"{"revision":"1"}"#,
        #"{"revision":-1}"#, #"{"force":true}"#, #"{"to":7}"#, #"{"to":"lunch"}"#,
        #"{"change":1}"#, #"{"dryRun":true}"#,
    ])
    func `12: what cannot be meant is refused`(body: String) throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        #expect(try daemon.menu("POST", "/undo", body).code == "malformed-request")
    }
}
