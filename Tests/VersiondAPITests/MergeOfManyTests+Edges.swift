import Documents
import JSONTree
import Journaling
import TestSupport
import Testing

// Retries, limits and overlaps of a merge of all drafts of a prefix.

extension MergeOfManyTests {
    private static let key = ["Idempotency-Key": "one"]

    /// A scene in which both drafts have an edit, and were merged with a key.
    private func repeated(_ more: String = "", journal: (any Journal)? = nil) throws -> DraftsScene
    {
        let scene = try DraftsScene(journal: journal)
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        _ = try scene.merged(more, "", Self.key)
        return scene
    }

    @Test func `13: a merge is repeated though there are more drafts than the limit now`() throws {
        let scene = try repeated()
        for number in 0..<99 { try scene.copy("menu", as: "spring~/d\(number)") }
        #expect(try scene.merge("", "", Self.key)["idempotent-replayed"] == "true")
        try scene.refused(422, "too-many-documents", "", "", ["Idempotency-Key": "two"])
    }

    @Test func `13: a merge of drafts is repeated where its drafts are gone`() throws {
        let resolve = #","resolve":{"spring~/menu":{"/a":"draft"}}"#
        let scene = try DraftsScene()
        for name in ["menu", "spring~/menu"] { try scene.edit(name, #"{"a":2,"b":2}"#) }
        try scene.edit("menu", #"{"a":3}"#)
        try scene.edit("spring~/wine", #"{"a":2}"#)
        let first = try scene.merged(resolve, "", Self.key)
        try scene.succeed("DELETE", DraftsScene.path("spring~/menu"))
        try scene.succeed(
            "POST", DraftsScene.path("spring~/wine") + "/rename", #"{"name":"autumn~/wine"}"#)
        let again = try scene.merge(resolve, "", Self.key)
        #expect(again["idempotent-replayed"] == "true", "\(again.text)")
        let told = try again.json
        #expect(told["transaction"] == first["transaction"] && told["changes"]?.count == 2)
        // Another request is about the drafts that are there.
        try scene.refused(400, "malformed-request", resolve, "", ["Idempotency-Key": "two"])
    }

    @Test func `13: the repetition of a merge of drafts takes no more memory than the merge`()
        throws
    {
        let journal = InMemoryJournal(isShared: true)
        _ = try repeated(journal: journal)
        for (bytes, status) in [(1 << 30, 200), (1_000, 413)] {
            let daemon = try LocalDaemon(journal: journal, requestBytesMax: bytes)
            let again = try daemon.client.request(
                "POST", "/v1/merge", LocalDaemon.json.merging(Self.key) { $1 },
                body: #"{"prefix":"spring~/"}"#)
            #expect(again.status == status, "\(again.text)")
        }
    }

    @Test func `13: a merge with a large origin is repeated`() throws {
        let scene = try DraftsScene()
        let text = String(repeating: "x", count: 700_000)
        try scene.edit("menu", #"{"long":"\#(text)"}"#)
        try scene.copy("menu", as: "spring~/long")
        for name in ["menu", "spring~/long"] { try scene.edit(name, #"{"a":\#(name.count)}"#) }
        _ = try scene.merged("", "?conflict=origin", Self.key)
        let again = try scene.merge("", "?conflict=origin", Self.key)
        #expect(again["idempotent-replayed"] == "true", "\(again.text.prefix(300))")
        // And where an origin is gone.
        try scene.succeed("DELETE", "/v1/documents/menu?purge=true")
        #expect(try scene.merge("", "?conflict=origin", Self.key).status == 200)
    }

    @Test(arguments: ["own", "together"])
    func `19: an undo in one origin brings back more than fifty ended drafts`(way: String) throws {
        let scene = try DraftsScene()
        for number in 0..<51 {
            try scene.make("o\(number)", "1")
            try scene.copy("o\(number)", as: "big~/\(number)")
            try scene.succeed("PUT", DraftsScene.path("big~/\(number)"), "2", [:].by("ada"))
        }
        let cyd = ["Versiond-Actor": "cyd"]
        _ = try scene.merged(#","end":true"#, "", cyd, prefix: "big~/")
        if way == "own" {
            try scene.succeed("POST", "/v1/documents/o0/undo", #"{"actor":"cyd"}"#, cyd)
        } else {
            try scene.succeed("POST", "/v1/documents/o0/undo?together", nil, cyd)
        }
        #expect(try scene.values("o0", "o50", "big~/50") == [1, 1, 2])
    }

    @Test func `20: a key with which a draft was deleted does not stop a merge`() throws {
        let scene = try DraftsScene()
        let key = ["Idempotency-Key": "nightly"]
        try scene.copy("menu", as: "spring~/old")
        try scene.succeed("DELETE", "/v1/documents/spring~%2Fold", nil, key)
        try scene.edit("spring~/menu", #"{"a":2}"#)
        #expect(try scene.merged(#","end":true"#, "", key)["changes"]?.count == 2)
        let again = try scene.merged(#","end":true"#, "", key)
        #expect(again["changes"]?.count == 2, "the same request is not carried out again")
    }

    @Test func `20: a token merges all drafts of a prefix, or none`() throws {
        let scene = try DraftsScene(access: list, token: "root")
        let part = try scene.refused(
            403, "forbidden", "", "", Self.bearer("inside"), prefix: "spring")
        #expect(part["document"] == nil && part["detail"]?.string?.contains("inside") == true)
        try scene.refused(400, "malformed-request", prefix: "")
    }

    @Test func `20: a draft of a draft without edits of its own is refused as well`() throws {
        let scene = try DraftsScene()
        try scene.copy("spring~%2Fmenu", as: "spring~/menu~eve")
        try scene.edit("spring~/menu~eve", #"{"b":2}"#)
        let refused = try scene.refused(409, "overlapping-drafts")
        #expect(refused["document"] == "spring~/menu")
        #expect(refused["documents"]?.texts == ["spring~/menu", "spring~/menu~eve"])
    }

    @Test func `20: a draft that gives way leaves its origin to another draft`() throws {
        let scene = try DraftsScene()
        try scene.copy("menu", as: "spring~/other")
        try scene.edit("spring~/menu", #"{"a":2}"#)
        try scene.edit("spring~/other", #"{"b":9}"#)
        try scene.edit("menu", #"{"b":5}"#)
        for query in ["&dryRun", ""] {
            let made = try scene.merged("", "?conflict=origin" + query)
            let origins = try #require(made["changes"]?.elements?.map { $0["origin"]?["patch"] })
            #expect(origins.map { $0?.count } == [1, 0])
        }
        #expect(try scene.value("menu") == ["a": 2, "b": 5])
        let rest = try scene.merged()
        #expect(rest["unchanged"]?.count == 3)
    }
}

// MARK: Undo

extension MergeOfManyTests {
    private func edits(of draft: String, in scene: DraftsScene) throws -> Int? {
        try scene.succeed("GET", DraftsScene.path(draft) + "/origin")["ahead"]?["edits"]?.int
    }

    @Test(arguments: ["", #","end":true"#])
    func `20: a draft that gave way is as before when the merge of all is undone`(
        more: String
    ) throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        try scene.edit("wine", #"{"a":3}"#)
        for _ in 1...2 {
            let made = try scene.merged(more, "?conflict=origin")
            #expect(made["changes"]?.count == 2)
            _ = try undo(scene, made["transaction"]?.string ?? "")
            #expect(try edits(of: "spring~/wine", in: scene) == 1)
            #expect(try edits(of: "spring~/menu", in: scene) == 1)
            let refused = try scene.refused(409, "conflict")
            #expect(refused["document"] == "spring~/wine")
        }
        let made = try scene.merged("", "?conflict=origin")
        let name = made["transaction"]?.string ?? ""
        _ = try undo(scene, name)
        try scene.succeed("POST", "/v1/redo", #"{"transaction":"\#(name)"}"#)
        #expect(try edits(of: "spring~/wine", in: scene) == 0)
        // Also where the document that was changed has another name.
        try scene.succeed("POST", DraftsScene.path("menu") + "/rename", #"{"name":"food"}"#)
        #expect(try edits(of: "spring~/wine", in: scene) == 0)
        _ = try undo(scene, name)
        #expect(try edits(of: "spring~/wine", in: scene) == 1)
    }

    @Test func `20: drafts that all gave way stay settled`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] {
            try scene.edit("spring~/" + name, #"{"a":2}"#)
            try scene.edit(name, #"{"a":3}"#)
        }
        let made = try scene.merged("", "?conflict=origin")
        let undone = try scene.send(
            "POST", "/v1/undo", #"{"transaction":"\#(made["transaction"]?.string ?? "")"}"#)
        #expect(undone.status == 409, "\(undone.text)")
        #expect(try edits(of: "spring~/wine", in: scene) == 0)
    }

    /// Has a draft forget its mark; `wholly`: also that it was one.
    private func forget(_ draft: String, in scene: DraftsScene, wholly: Bool) async throws {
        try scene.succeed(
            "PATCH", DraftsScene.path(draft) + "/settings", #"{"retention":{"count":1}}"#)
        let id = try #require(DocumentID(draft))
        for number in 0..<(wholly ? 4_200 : 40) {
            _ = try await scene.daemon.store.change(id, ChangeRequest(.put(["a": JSON(number)])))
        }
        guard wholly else { return }
        scene.daemon.time.advance(by: 48 * 3_600_000)
        try scene.edit(draft, #"{"a":-1}"#)
        #expect(try Forgetting.forget(id, in: scene.journal, at: scene.daemon.time.now))
    }

    @Test(arguments: ["transaction", "own", "together"], [false, true])
    func `20: a merge of drafts is undone though a draft has forgotten it`(
        way: String, wholly: Bool
    ) async throws {
        let scene = try DraftsScene(journal: InMemoryJournal())
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        let cyd = ["Versiond-Actor": "cyd"]
        _ = try scene.merged("", "", cyd)
        try await forget("spring~/menu", in: scene, wholly: wholly)
        switch way {
        case "own":
            try scene.succeed("POST", "/v1/documents/menu/undo", #"{"actor":"cyd"}"#, cyd)
        case "together":
            try scene.succeed("POST", "/v1/documents/menu/undo?together", nil, cyd)
        default: _ = try undo(scene)
        }
        #expect(try scene.values("menu", "wine") == [["a": 1, "b": 1], ["a": 1, "b": 1]])
    }

    @Test func `20: a merge of drafts is not undone where an origin has forgotten it`() throws {
        let scene = try DraftsScene()
        for name in ["menu", "wine"] { try scene.edit("spring~/" + name, #"{"a":2}"#) }
        _ = try scene.merged()
        try scene.succeed(
            "PATCH", DraftsScene.path("menu") + "/settings", #"{"retention":{"count":1}}"#)
        for number in 3..<43 { try scene.edit("menu", "{\"a\":\(number)}") }
        let refused = try scene.send("POST", "/v1/undo", #"{"transaction":"wine@1"}"#)
        #expect(refused.code == "trimmed" && refused.status == 410, "\(refused.text)")
        #expect(try refused.json["document"] == "menu")
        #expect(try scene.value("wine") == ["a": 2, "b": 1])
    }
}
