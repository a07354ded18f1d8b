import AccessControl
import Documents
import JSONTree
import Journaling
import TestSupport
import Testing

/// A merge of all drafts of a prefix as one step.
@Suite struct MergeOfManyTests {
    @Test func `20: all drafts of a prefix are merged in one transaction`() throws {
        let scene = try DraftsScene()
        try scene.edit("spring~/menu", #"{"a":2}"#)
        try scene.edit("spring~/wine", #"{"b":3}"#)
        try scene.edit("menu", #"{"b":5}"#)
        let made = try scene.merged(
            "", "?label=spring", ["Versiond-Actor": "cyd", "Versiond-Prompt-By": "dan"])
        #expect(try scene.values("menu", "wine") == [["a": 2, "b": 5], ["a": 1, "b": 3]])
        #expect(made["transaction"] == "menu@2" && made["unchanged"]?.texts == [])
        let changes = try #require(made["changes"]?.elements)
        #expect(changes.map { $0["document"] } == ["spring~/menu", "spring~/wine"])
        #expect(changes.map { $0["change"]?["into"] } == ["menu@2", "wine@1"])
        #expect(changes.allSatisfy { $0["left"] == 0 })
        let origin = try #require(changes[0]["origin"])
        #expect(origin["document"] == "menu" && origin["patch"]?.count == 1)
        #expect(origin["change"]?["from"] == "spring~/menu@1")
        #expect(origin["change"]?["actor"] == "cyd" && origin["change"]?["promptBy"] == "dan")
        #expect(origin["change"]?["label"] == "spring")
        #expect(origin["change"]?["authors"]?.texts == ["ada"])
        let parts = try scene.succeed("GET", "/v1/transactions/menu@2")["parts"]?.elements
        #expect(
            parts?.compactMap { $0["document"]?.string }
                == ["menu", "spring~/menu", "spring~/wine", "wine"])
        // The drafts stay as they are, and have nothing new.
        #expect(try scene.value("spring~/menu") == ["a": 2, "b": 1])
        #expect(try scene.merged()["transaction"] == .null)
    }

    @Test func `20: a dry run of a merge of drafts shows all and changes nothing`() throws {
        let scene = try DraftsScene()
        try scene.edit("spring~/menu", #"{"a":2}"#)
        let before = scene.daemon.store.lastSequence
        let dry = try scene.merged(#","end":true"#, "?dryRun")
        #expect(dry["dryRun"] == true && dry["transaction"] == .null)
        let changes = try #require(dry["changes"]?.elements)
        #expect(changes.map { $0["change"]?["kind"] } == ["delete", "delete"])
        #expect(changes[0]["origin"]?["patch"]?.count == 1)
        #expect(changes[1]["origin"]?["change"] == .null)
        #expect(scene.daemon.store.lastSequence == before)
    }

    @Test func `20: conflicts of all drafts refuse the merge and are named`() throws {
        let scene = try DraftsScene()
        try scene.make("beer", #"{"a":1}"#)
        try scene.copy("beer", as: "spring~/beer")
        for name in ["beer", "menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        for name in ["menu", "wine"] { try scene.edit(name, #"{"a":3}"#) }
        for query in ["", "?dryRun"] {
            let refused = try scene.refused(409, "conflict", "", query)
            #expect(refused["document"] == "spring~/menu" && refused["revision"] == 1)
            #expect(refused["conflicts"]?.texts == ["/a"] && refused["with"]?.numbers == [1])
            #expect(refused["places"]?[0]?["draft"] == 2 && refused["places"]?[0]?["origin"] == 3)
            let expected = ["spring~/menu", "spring~/wine"].map { name -> JSON in
                ["document": JSON(name), "revision": 1, "conflicts": ["/a"], "with": [1]]
            }
            #expect(refused["skipped"] == JSON(elements: expected))
        }
        #expect(try scene.value("beer") == ["a": 1])
    }

    @Test func `20: conflicts of drafts are decided by place or for all`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] {
            try scene.edit("spring~/" + name, #"{"a":2,"b":2}"#)
            try scene.edit(name, #"{"a":3}"#)
        }
        let rest = try scene.refused(
            409, "conflict", #","resolve":{"spring~/menu":{"/a":"draft"}}"#)
        #expect(rest["skipped"]?.elements?.map { $0["document"] } == ["spring~/wine"])
        let none = try scene.refused(
            400, "malformed-request", #","resolve":{"spring~/menu":{"/b":"draft"}}"#)
        #expect(none["path"] == "/b" && none["document"] == "spring~/menu")
        let other = try scene.refused(
            400, "malformed-request", #","resolve":{"menu":{"/a":"draft"}}"#, "?conflict=draft")
        #expect(other["detail"]?.string?.contains("menu is not a draft") == true)
        let made = try scene.merged(
            #","resolve":{"spring~/menu":{"/a":"draft"}}"#, "?conflict=origin")
        #expect(made["changes"]?.count == 2)
        #expect(try scene.values("menu", "wine") == [["a": 2, "b": 2], ["a": 3, "b": 2]])
    }

    @Test func `20: a place with a number needs the revision of the draft`() throws {
        let scene = try DraftsScene(#"{"l":[{"id":1,"v":1}]}"#)
        for (name, value) in [("spring~/menu", 2), ("menu", 3)] {
            try scene.succeed(
                "PATCH", DraftsScene.path(name),
                #"[{"op":"replace","path":"/l/0/v","value":\#(value)}]"#, LocalDaemon.patch)
        }
        let resolve = #","resolve":{"spring~/menu":{"/l/0/v":"draft"}}"#
        let unsaid = try scene.refused(400, "malformed-request", resolve)
        #expect(unsaid["detail"]?.string?.contains("revision of spring~/menu") == true)
        _ = try scene.merged(resolve + #","match":{"spring~/menu":1}"#)
        #expect(try scene.value("menu") == ["l": [["id": 1, "v": 2]]])
    }

    @Test func `20: match is about drafts, origins and other documents`() throws {
        let scene = try DraftsScene()
        try scene.make("note", "1")
        try scene.edit("spring~/menu", #"{"a":2}"#)
        for (match, document) in [
            (#"{"menu":7}"#, "menu"), (#"{"spring~/menu":0}"#, "spring~/menu"),
            (#"{"wine":1}"#, "wine"), (#"{"spring~/wine":1}"#, "spring~/wine"),
            (#"{"note":1}"#, "note"), (#"{"none":0}"#, "none"),
        ] {
            let refused = try scene.refused(412, "stale-revision", #","match":\#(match)"#)
            #expect(refused["document"] == JSON(document))
        }
        _ = try scene.merged(#","match":{"menu":0,"spring~/menu":1,"wine":0,"note":0}"#)
        #expect(try scene.value("menu") == ["a": 2, "b": 1])
        try scene.refused(400, "malformed-request", "", "", ["If-Match": "\"1\""])
        let many = (0...200).map { #""d\#($0)":1"# }.joined(separator: ",")
        try scene.refused(400, "malformed-request", ",\"match\":{\(many)}")
    }

    @Test func `20: a document that is no draft refuses the merge of its prefix`() throws {
        let scene = try DraftsScene()
        try scene.edit("spring~/menu", #"{"a":2}"#)
        try scene.make("spring~/new", "{}")
        let refused = try scene.refused(409, "no-origin")
        #expect(refused["document"] == "spring~/new")
        try scene.succeed("DELETE", DraftsScene.path("spring~/new"))
        #expect(try scene.merged()["changes"]?.count == 1)
        #expect(try scene.value("menu") == ["a": 2, "b": 1])
    }

    @Test func `20: a draft without edits is left out and named`() throws {
        let scene = try DraftsScene()
        let none = try scene.merged()
        #expect(none["transaction"] == .null && none["changes"]?.count == 0)
        #expect(none["unchanged"]?.texts == ["spring~/menu", "spring~/wine"])
        #expect(try scene.merged(prefix: "autumn~/")["unchanged"]?.texts == [])
        try scene.edit("spring~/wine", #"{"a":2}"#)
        let made = try scene.merged()
        #expect(made["unchanged"]?.texts == ["spring~/menu"])
        #expect(made["transaction"] == "spring~/wine@2")
    }

    @Test func `20: an origin that is gone refuses the merge of the prefix`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        try scene.succeed("DELETE", DraftsScene.path("wine"))
        let refused = try scene.refused(410, "origin-gone")
        #expect(refused["document"] == "spring~/wine" && refused["origin"] == "wine")
    }

    @Test func `20: two drafts of one document are not merged as one step`() throws {
        let scene = try DraftsScene()
        try scene.copy("menu", as: "spring~/other")
        try scene.edit("spring~/menu", #"{"a":2}"#)
        // One of them has nothing new.
        #expect(try scene.merged("", "?dryRun")["changes"]?.count == 1)
        try scene.edit("spring~/other", #"{"b":2}"#)
        let refused = try scene.refused(409, "overlapping-drafts")
        #expect(refused["document"] == "menu")
        #expect(refused["documents"]?.texts == ["spring~/menu", "spring~/other"])
    }

    @Test func `20: a draft of a draft of the prefix is merged first, by itself`() throws {
        let scene = try DraftsScene()
        try scene.copy("spring~%2Fmenu", as: "spring~/menu~eve")
        try scene.edit("spring~/menu", #"{"a":2}"#)
        try scene.edit("spring~/menu~eve", #"{"b":2}"#)
        let refused = try scene.refused(409, "overlapping-drafts")
        #expect(refused["document"] == "spring~/menu")
        try scene.succeed("POST", DraftsScene.path("spring~/menu~eve") + "/merge")
        let made = try scene.merged()
        #expect(try scene.value("menu") == ["a": 2, "b": 2])
        #expect(made["unchanged"]?.texts == ["spring~/menu~eve", "spring~/wine"])
    }

    @Test func `20: more drafts than the limit are refused`() throws {
        let scene = try DraftsScene()
        for number in 0..<99 { try scene.copy("menu", as: "spring~/d\(number)") }
        let refused = try scene.refused(422, "too-many-documents")
        #expect(refused["detail"]?.string?.hasSuffix("can have: 100.") == true)
        try scene.succeed("DELETE", DraftsScene.path("spring~/d0"))
        #expect(try scene.merged()["unchanged"]?.count == 100)
    }
}

// MARK: Large documents, other clients

extension MergeOfManyTests {
    @Test func `20: drafts that are too large together are refused, and one is not`() throws {
        let scene = try DraftsScene(requestBytesMax: 30_000)
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        let refused = try scene.refused(413, "documents-too-large")
        #expect(refused["bytesMax"] == 30_000)
        for name in ["menu", "wine"] { _ = try scene.merged(prefix: "spring~/" + name) }
        #expect(try scene.values("menu", "wine") == [["a": 2, "b": 1], ["a": 2, "b": 1]])
    }

    @Test func `20: edits of other clients meanwhile stay, and each is merged once`() async throws {
        let scene = try DraftsScene()
        let store = scene.daemon.store
        let edits = Task {
            for number in 1...200 {
                let name = number.isMultiple(of: 2) ? "menu" : "spring~/wine"
                let edit = ChangeRequest.Edit.mergePatch(["b": JSON(number)])
                let request = ChangeRequest(.append(edit, tag: nil, grouping: nil))
                _ = try await store.change(DocumentID(name)!, request)
            }
        }
        for number in 1...20 {
            for name in ["menu", "wine"] {
                try scene.edit("spring~/" + name, "{\"a\":\(number)}")
            }
            let made = try scene.merge()
            #expect([200, 503].contains(made.status), "\(made.text)")
        }
        try await edits.value
        _ = try scene.merged()
        #expect(
            try scene.values("menu", "wine") == [["a": 20, "b": 200], ["a": 20, "b": 199]])
    }
}

// MARK: Undo, end, retries

extension MergeOfManyTests {
    func undo(_ scene: DraftsScene, _ name: String = "menu@1") throws -> JSON {
        try scene.succeed("POST", "/v1/undo", #"{"transaction":"\#(name)"}"#)
    }

    @Test func `20: a merge of drafts is undone as one and made again`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        _ = try scene.merged()
        try scene.edit("wine", #"{"b":7}"#)
        _ = try undo(scene)
        #expect(try scene.values("menu", "wine") == [["a": 1, "b": 1], ["a": 1, "b": 7]])
        try scene.succeed("POST", "/v1/redo", #"{"transaction":"wine@1"}"#)
        #expect(try scene.merged()["transaction"] == .null, "it is in effect")
        _ = try undo(scene)
        #expect(try scene.merged()["changes"]?.count == 2)
        #expect(try scene.values("menu", "wine") == [["a": 2, "b": 1], ["a": 2, "b": 7]])
    }

    @Test func `19: no request takes one document out of a merge of drafts`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        _ = try scene.merged("", "", ["Versiond-Actor": "cyd"])
        let shared = try scene.send("POST", "/v1/documents/menu/undo")
        #expect(shared.status == 409 && shared.code == "part-of-transaction", "\(shared.text)")
        #expect(try shared.json["documents"]?.texts == ["wine"])
        let version = try scene.succeed("GET", "/v1/documents/menu/versions")["versions"]?[0]
        #expect(version?["transaction"]?["id"] == "menu@1")
        let own = try scene.succeed(
            "POST", "/v1/documents/wine/undo", #"{"actor":"cyd"}"#, ["Versiond-Actor": "cyd"])
        #expect(own["change"]?["skipped"] == [], "\(own)")
        #expect(try scene.values("menu", "wine") == [["a": 1, "b": 1], ["a": 1, "b": 1]])
        #expect(try scene.merged()["changes"]?.count == 2)
        try scene.succeed("POST", "/v1/documents/menu/undo?alone")
        #expect(try scene.values("menu", "wine") == [["a": 1, "b": 1], ["a": 2, "b": 1]])
        #expect(try scene.merged()["unchanged"]?.texts == ["spring~/wine"])
    }

    @Test func `20: with end all drafts are deleted, and come back with the undo`() throws {
        let scene = try DraftsScene()
        try scene.edit("spring~/menu", #"{"a":2}"#)
        let made = try scene.merged(#","end":true"#)
        #expect(made["changes"]?.elements?.map { $0["change"]?["kind"] } == ["delete", "delete"])
        #expect(made["changes"]?[1]?["change"]?["skipped"] == nil)
        let gone: JSON = "document-deleted"
        #expect(
            try scene.values("menu", "spring~/menu", "spring~/wine")
                == [["a": 2, "b": 1], gone, gone])
        _ = try undo(scene)
        #expect(
            try scene.values("menu", "spring~/menu", "spring~/wine")
                == [["a": 1, "b": 1], ["a": 2, "b": 1], ["a": 1, "b": 1]])
        #expect(try scene.merged(#","end":true"#)["changes"]?.count == 2)
    }

    @Test func `20: a draft that gave way to its origin stays settled`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        try scene.edit("wine", #"{"a":3}"#)
        let made = try scene.merged("", "?conflict=origin")
        #expect(made["changes"]?[1]?["origin"]?["change"] == .null)
        #expect(made["changes"]?[1]?["change"]?["kind"] == "merge")
        // The change of the origin that it gave way to is none of the merge.
        try scene.succeed("POST", "/v1/documents/wine/undo")
        #expect(try scene.merged()["unchanged"]?.texts == ["spring~/menu", "spring~/wine"])
    }

    @Test(arguments: [false, true])
    func `13: a merge of drafts is carried out once for a key`(ends: Bool) throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        let key = ["Idempotency-Key": "one"]
        let more = ends ? #","end":true"# : ""
        let first = try scene.merge(more, "", key)
        #expect(first.status == 200, "\(first.text)")
        for name in ["menu", "wine"] { try scene.edit(name, #"{"later":1}"#) }
        let again = try scene.merge(more, "", key)
        #expect(again["idempotent-replayed"] == "true", "\(again.text)")
        let (one, other) = (try first.json, try again.json)
        #expect(one["transaction"] == other["transaction"])
        #expect(one["changes"]?.count == 2 && other["changes"]?.count == 2)
        for index in 0..<2 {
            let (made, told) = (one["changes"]?[index], other["changes"]?[index])
            for name in ["document", "revision", "left"] { #expect(made?[name] == told?[name]) }
            for name in ["document", "revision", "patch"] {
                #expect(made?["origin"]?[name] == told?["origin"]?[name])
            }
        }
        for name in ["menu", "wine"] { try scene.edit(name, #"{"later":2}"#) }
        if ends {
            for name in ["menu", "wine"] { try scene.copy(name, as: "spring~/" + name) }
        }
        try scene.edit("spring~/wine", #"{"a":3}"#)
        let mixed = try scene.merge(more, "?label=x", key)
        #expect(mixed.status == 422 && mixed.code == "other-request", "\(mixed.text)")
    }
}

// MARK: Rights, daemons

extension MergeOfManyTests {
    var list: AccessList {
        var list = AccessList()
        func add(_ name: String, _ rights: Rights, prefix: String = "") {
            list.add(
                tokenHash: Token.hash(of: name), Grant(name: name, rights: rights, prefix: prefix))
        }
        add("root", .all)
        add("bob", [.read, .write])
        add("ci", [.read, .propose])
        add("inside", [.read, .write], prefix: "spring~/")
        add("reader", .read)
        return list
    }

    static func bearer(_ token: String) -> [String: String] {
        ["Authorization": "Bearer \(token)"]
    }

    @Test func `20: a token that may not write each origin merges nothing`() throws {
        let scene = try DraftsScene(access: list, token: "root")
        try scene.succeed("PATCH", DraftsScene.path("spring~/menu"), #"{"a":2}"#, LocalDaemon.merge)
        let ci = try scene.refused(403, "forbidden", "", "", Self.bearer("ci"))
        #expect(ci["right"] == "write" && ci["document"] == "menu")
        try scene.refused(403, "forbidden", "", "", Self.bearer("reader"))
        // The origin is hidden, whether it is there or not.
        for isThere in [true, false] {
            if !isThere { try scene.succeed("DELETE", "/v1/documents/menu") }
            let hidden = try scene.refused(403, "forbidden", "", "", Self.bearer("inside"))
            #expect(hidden["document"] == "spring~/menu" && hidden["origin"] == nil)
            #expect(hidden["detail"]?.string?.contains("origin of spring~/menu") == true)
        }
        try scene.refused(
            403, "forbidden", #","match":{"menu":0}"#, "", Self.bearer("inside"))
    }

    @Test func `20: the repetition of a merge names no origin that the token does not cover`()
        throws
    {
        let scene = try DraftsScene(access: list, token: "root")
        for name in ["menu", "spring~/menu"] {
            try scene.succeed(
                "PATCH", DraftsScene.path(name), #"{"a":\#(name.count)}"#, LocalDaemon.merge)
        }
        let key = ["Idempotency-Key": "one"].by("inside")
        _ = try scene.merged("", "?conflict=origin", key.merging(Self.bearer("root")) { $1 })
        let hidden = try scene.refused(
            403, "forbidden", "", "?conflict=origin", key.merging(Self.bearer("inside")) { $1 })
        #expect(hidden["document"] == "spring~/menu" && hidden["origin"] == nil)
    }

    @Test func `20: the right to write is enough to end drafts and to undo that`() throws {
        let scene = try DraftsScene(access: list, token: "bob")
        for name in ["menu", "wine"] {
            try scene.succeed(
                "PATCH", DraftsScene.path("spring~/" + name), #"{"a":2}"#, LocalDaemon.merge)
        }
        _ = try scene.merged(#","end":true"#)
        _ = try undo(scene)
        #expect(try scene.value("spring~/wine") == ["a": 2, "b": 1])
        _ = try scene.merged(#","end":true"#)
        try scene.succeed("POST", "/v1/documents/menu/undo", #"{"actor":"bob"}"#)
        #expect(try scene.values("menu", "wine") == [["a": 1, "b": 1], ["a": 1, "b": 1]])
        #expect(try scene.value("spring~/wine") == ["a": 2, "b": 1])
    }

    @Test func `20: a merge of drafts has what another daemon has stored`() throws {
        let shared = InMemoryJournal(isShared: true)
        let scene = try DraftsScene(journal: shared)
        let far = try LocalDaemon(journal: shared)
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        _ = try scene.merged("", "?dryRun")
        let edits = [("menu", #"{"b":5}"#), ("spring~/wine", #"{"b":6}"#)]
        for (name, patch) in edits {
            let edited = try far.client.request(
                "PATCH", DraftsScene.path(name), LocalDaemon.merge, body: patch)
            #expect(edited.status == 200, "\(edited.text)")
        }
        _ = try scene.merged()
        #expect(try scene.values("menu", "wine") == [["a": 2, "b": 5], ["a": 2, "b": 6]])
        let undone = try far.client.request(
            "POST", "/v1/undo", LocalDaemon.json, body: #"{"transaction":"menu@2"}"#)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try scene.merged()["changes"]?.count == 2)
    }
}
