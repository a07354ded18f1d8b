import Documents
import JSONTree
import TestSupport
import Testing

/// Rules 18 and 19: whatever a request names and does not do, its response says.
@Suite struct TransactionLeftTests {
    private let own = #"{"actor":"u"}"#

    // MARK: Creation and return of documents

    @Test(arguments: [
        [#"{"document":"n","value":{"n":1}}"#],
        [#"{"document":"n","value":{"n":1}}"#, #"{"document":"s","match":0}"#],
    ])
    func `19: a transaction that only makes a document is undone and redone`(changes: [String])
        throws
    {
        let scene = try PartScene()
        try scene.make("s")
        let name = try scene.transact(changes)
        for _ in 1...2 {
            try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#)
            #expect(try scene.values("n") == ["document-deleted"])
            #expect(
                try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#, is: 409).code
                    == "not-in-effect")
            try scene.send("POST", "redo", #"{"transaction":"\#(name)"}"#)
            #expect(try scene.values("n") == [1])
        }
        try scene.edit("n", #"{"n":2}"#, by: "bob")
        #expect(
            try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#, is: 409).code
                == "conflict")
    }

    @Test func `19: the undo of a restore that only brought a document back deletes it again`()
        throws
    {
        let scene = try PartScene()
        try scene.make("s")
        let cursor = try scene.send("GET", "feed?cursor=0").json["next"]?.int ?? 0
        try scene.send("DELETE", "documents/s", is: 204)
        let body = #"{"prefix":"s","to":"cursor:\#(cursor)","deleted":"undelete"}"#
        let name = try scene.send("POST", "restore", body).json["transaction"]?.string ?? ""
        #expect(try scene.values("s") == [0])
        try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#)
        #expect(try scene.values("s") == ["document-deleted"])
        try scene.send("POST", "redo", #"{"transaction":"\#(name)"}"#)
        #expect(try scene.values("s") == [0])
    }

    @Test func `19: the undo of a deletion is undone, and so on`() throws {
        let scene = try PartScene()
        try scene.make("s")
        var name = try scene.transact([#"{"document":"s","delete":true}"#])
        for number in 1...5 {
            let answer = try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#).json
            name = answer["transaction"]?.string ?? ""
            let isThere = !number.isMultiple(of: 2)
            #expect(try scene.values("s") == [isThere ? 0 : "document-deleted"])
        }
    }

    @Test func `19: the redo of an undo that deleted a document says that it is in effect`() throws
    {
        let scene = try PartScene()
        try scene.make("w", by: "u")
        let undone = try scene.send("POST", "undo", #"{"all":{"actor":"u"},"prefix":"w"}"#).json
        let name = undone["transaction"]?.string ?? ""
        let again = try scene.send("POST", "redo", #"{"transaction":"\#(name)"}"#, is: 409)
        #expect(again.code == "not-in-effect")
        try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#)
        #expect(try scene.values("w") == [0])
    }

    // MARK: Own undo

    /// `a` and `b`, changed together; bob has worked in what was added to `b`.
    private func conflict() throws -> PartScene {
        let scene = try PartScene()
        try scene.make("a", "b")
        try scene.transact([
            #"{"document":"a","merge":{"n":1}}"#, #"{"document":"b","merge":{"o":{}}}"#,
        ])
        try scene.edit("b", #"{"o":{"v":2}}"#, by: "bob")
        return scene
    }

    @Test(arguments: ["", "&dryRun"])
    func `19: own undo names the parts that it leaves for a conflict elsewhere`(query: String)
        throws
    {
        let scene = try conflict()
        let path = "documents/a/undo?conflict=theirs" + query
        let change = try scene.send("POST", path, own).json["change"]
        let left: JSON = ["document": "b", "revision": 1, "conflicts": ["/o/v"], "with": [2]]
        #expect(change?["undone"] == [1] && change?["skipped"] == [left])
        if !query.isEmpty { return }
        let stored = try scene.send("GET", "documents/a/history/2").json
        #expect(stored["skipped"] == [left])
        let feed = try scene.send("GET", "documents/a/feed?cursor=1").json["events"]
        #expect(feed?[0]?["change"]?["skipped"] == [left])
    }

    @Test func `19: own undo and redo name the parts that are out of effect, or in it, elsewhere`()
        throws
    {
        let scene = try PartScene()
        try scene.make("a", "b")
        try scene.transact("a", "b")
        try scene.send("POST", "documents/b/undo?alone", own)
        let undone = try scene.send("POST", "documents/a/undo", own).json["change"]
        #expect(
            undone?["skipped"] == [["document": "b", "revision": 1, "absent": "not-in-effect"]])
        try scene.edit("a", #"{"m":1}"#, by: "bob")
        let redone = try scene.send("POST", "documents/a/redo", own).json["change"]
        #expect(redone?["redone"] == [1] && redone?["skipped"] == [])
        #expect(try scene.values("a", "b") == [1, 0])
    }

    @Test func `19: of several parts in one document, those out of effect are named`() throws {
        let scene = try PartScene()
        try scene.make("a", "b")
        try scene.transact("a", "b", query: "?label=X")
        try scene.transact("a", "b", to: #"{"m":2}"#, query: "?label=X")
        try scene.send("POST", "documents/b/undo?alone", #"{"revision":1}"#)
        let body = #"{"all":{"label":"X"},"documents":["a"]}"#
        let change = try scene.send("POST", "undo", body).json["changes"]?[0]?["change"]
        #expect(
            change?["skipped"] == [["document": "b", "revision": 1, "absent": "not-in-effect"]])
        #expect(try scene.send("GET", "documents/b").json == ["n": 0])
    }

    @Test func `19: a transaction's own undo stores what it left in its first part`() throws {
        let scene = try conflict()
        let undone = try scene.send("POST", "undo?conflict=theirs", #"{"transaction":"a@1"}"#).json
        #expect(undone["changes"]?[1]?["conflicts"] == ["/o/v"])
        let stored = try scene.send("GET", "documents/a/history/2").json
        #expect(stored["skipped"]?[0]?["document"] == "b")
    }

    @Test(arguments: ["", "?dryRun"])
    func `19: own undo that deletes a document names what goes with it`(query: String) throws {
        let scene = try PartScene()
        try scene.make("a")
        try scene.transact([
            #"{"document":"a","merge":{"n":1}}"#, #"{"document":"d","value":{"n":1}}"#,
        ])
        try scene.edit("d", #"{"n":2}"#, by: "u")
        let change = try scene.send("POST", "documents/a/undo" + query, own).json["change"]
        #expect(change?["deletedDocuments"] == [["document": "d", "revision": 0, "with": [1]]])
        #expect(change?["skipped"] == [])
    }

    // MARK: Selections over documents

    private let all = #"{"all":{"actor":"u"},"prefix":"w"}"#

    @Test func `18: an undo over documents names the documents that stay for other work in them`()
        throws
    {
        let scene = try PartScene()
        try scene.make("w-a")
        try scene.make("w-made", "w-mixed", by: "u")
        for name in ["w-made", "w-mixed"] { try scene.edit(name, #"{"by":"ada"}"#, by: "ada") }
        for name in ["w-a", "w-mixed"] { try scene.edit(name, #"{"n":1}"#, by: "u") }
        let undone = try scene.send("POST", "undo", all).json
        let changes = try #require(undone["changes"]?.elements)
        #expect(changes.map { $0["document"] } == ["w-a", "w-made", "w-mixed"])
        #expect(changes[1] == ["document": "w-made", "conflicts": [""], "with": [1]])
        let left: JSON = ["revision": 0, "conflicts": [""], "with": [1]]
        #expect(changes[2]["change"]?["skipped"] == [left])
        #expect(try scene.values("w-a", "w-made", "w-mixed") == [0, 0, 0])
        let again = try scene.send("POST", "undo", all, is: 409)
        let problem = try again.json
        #expect(problem["code"] == "nothing-to-undo" && problem["selected"] == 2)
        let both = ["w-made", "w-mixed"].map { name -> JSON in
            ["document": JSON(name), "revision": 0, "conflicts": [""], "with": [1]]
        }
        #expect(problem["skipped"] == JSON(elements: both))
        let none = #"{"all":{"actor":"x"},"documents":["w-a"]}"#
        #expect(try scene.send("POST", "undo", none, is: 409).json["selected"] == 0)
    }

    @Test func `18: own work under another label keeps a document, and the response names it`()
        throws
    {
        let scene = try PartScene()
        try scene.send("PUT", "documents/w?label=run-1", #"{"n":0}"#, is: 201)
        try scene.send("PATCH", "documents/w?label=run-2", #"{"n":1}"#)
        let body = #"{"all":{"label":"run-1"},"documents":["w"]}"#
        let refused = try scene.send("POST", "undo", body, is: 409).json
        #expect(refused["selected"] == 1 && refused["skipped"]?[0]?["with"] == [1])
    }

    @Test func `18: an undo over documents names the parts elsewhere that it left`() throws {
        let scene = try PartScene()
        try scene.make("w", "far")
        try scene.transact("w", "far")
        try scene.send("DELETE", "documents/far", is: 204)
        let changes = try scene.send("POST", "undo", all).json["changes"]?.elements
        #expect(changes?.map { $0["document"] } == ["w", "far"])
        #expect(changes?[1]["absent"] == "document-deleted")
    }

    // MARK: As it was

    @Test func `17: a restore names the documents that were erased since`() throws {
        let scene = try PartScene()
        try scene.make("s-erased", "s-again", "s")
        let cursor = try scene.send("GET", "feed?cursor=0").json["next"]?.int ?? 0
        let before = RFC3339.text(scene.daemon.time.now)
        scene.daemon.time.advance(by: 60_000)
        for name in ["s-erased", "s-again"] {
            try scene.send("DELETE", "documents/\(name)?purge", is: 204)
        }
        try scene.make("s-again")
        for to in [#""to":"cursor:\#(cursor)""#, #""to":"\#(before)""#] {
            let told = try scene.send("POST", "restore?dryRun", #"{"prefix":"s",\#(to)}"#).json
            #expect(told["purgedSince"] == ["s-again", "s-erased"], "\(to)")
            #expect(told["madeSince"] == ["s-again"] && told["deletedSince"] == [])
        }
        let later = try scene.send("GET", "feed?cursor=0").json["next"]?.int ?? 0
        try scene.edit("s-again", #"{"n":1}"#, by: "u")
        let told = try scene.send(
            "POST", "restore?dryRun", #"{"prefix":"s","to":"cursor:\#(later)"}"#)
        #expect(try told.json["purgedSince"] == [] && told.json["madeSince"] == [])
    }
}
