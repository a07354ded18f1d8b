import JSONTree
import Journaling
import TestSupport
import Testing

/// Rule 19 where a document of a transaction is renamed, copied, deleted or erased.
@Suite struct TransactionRenameTests {
    private let own = #"{"actor":"u"}"#

    /// `a` and `b`, changed together; then `a` is called `z`.
    private func renamed(_ journal: (any Journal)? = nil) throws -> PartScene {
        let scene = try PartScene(journal)
        try scene.make("a", "b")
        try scene.transact("a", "b")
        try scene.rename("a", "z")
        return scene
    }

    @Test(arguments: ["z", "b"])
    func `19: own undo of a renamed document takes the whole transaction`(name: String) throws {
        let scene = try renamed()
        try scene.send("POST", "documents/\(name)/undo", own)
        #expect(try scene.values("z", "b") == [0, 0])
        try scene.send("POST", "documents/\(name == "z" ? "b" : "z")/redo", own)
        #expect(try scene.values("z", "b") == [1, 1])
    }

    @Test func `19: shared undo of a renamed document asks for alone, and together takes all`()
        throws
    {
        let scene = try renamed()
        for (name, other) in [("z", "b"), ("b", "z")] {
            let refused = try scene.send("POST", "documents/\(name)/undo", is: 409)
            #expect(refused.code == "part-of-transaction")
            #expect(try refused.json["documents"] == [JSON(other)])
        }
        try scene.send("POST", "documents/z/undo?together")
        #expect(try scene.values("z", "b") == [0, 0])
        try scene.send("POST", "documents/z/redo", own)
        try scene.send("POST", "documents/z/undo?alone", own)
        #expect(try scene.values("z", "b") == [0, 1])
    }

    @Test(arguments: ["a@1", "z@1", "b@1"])
    func `19: a transaction is found by any name of its parts, and undone and redone`(
        name: String
    ) throws {
        let scene = try renamed()
        func parts() throws -> [JSON?] {
            let found = try scene.send("GET", "transactions/\(name)").json
            #expect(found["transaction"] == "a@1")
            #expect(found["parts"]?.elements?.map { $0["document"] } == ["z", "b"])
            return found["parts"]?.elements?.map { $0["inEffect"] } ?? []
        }
        #expect(try parts() == [true, true])
        let undone = try scene.send("POST", "undo", #"{"transaction":"\#(name)"}"#).json
        #expect(undone["changes"]?.elements?.map { $0["document"] } == ["z", "b"])
        #expect(try parts() == [false, false] && scene.values("z", "b") == [0, 0])
        try scene.send("POST", "redo", #"{"transaction":"\#(name)"}"#)
        #expect(try scene.values("z", "b") == [1, 1])
    }

    @Test func `19: parts follow any number of renames, of each document`() throws {
        let scene = try renamed()
        for (name, new) in [("z", "y"), ("b", "c"), ("y", "x")] { try scene.rename(name, new) }
        try scene.send("POST", "documents/c/undo", own)
        #expect(try scene.values("x", "c") == [0, 0])
        // Work under the former name is also undone by its transaction.
        try scene.rename("c", "d")
        let id = try scene.send("GET", "documents/d/history/3").json["transaction"]?["id"]?.string
        try scene.send("POST", "undo", #"{"transaction":"\#(id ?? "")"}"#)
        #expect(try scene.values("x", "d") == [1, 1])
    }

    @Test func `19: a new document under the former name has no part of what was before it`()
        throws
    {
        let scene = try renamed()
        try scene.make("a", by: "u")
        try scene.edit("a", #"{"n":5}"#, by: "u")
        try scene.send("POST", "documents/b/undo", own)
        #expect(try scene.values("a", "z", "b") == [5, 0, 0])
        // Its own parts are there, and follow its own rename.
        try scene.transact("a", "b", to: #"{"n":7}"#)
        try scene.rename("a", "y")
        #expect(try scene.send("GET", "transactions/a@1").json["parts"]?[0]?["document"] == "z")
        try scene.send("POST", "documents/b/undo", own)
        #expect(try scene.values("y", "z", "b") == [5, 0, 0])
        try scene.send("POST", "documents/a/undelete", by: "root")
        try scene.send("POST", "redo", #"{"transaction":"a@1"}"#)
        #expect(try scene.values("y", "z", "b") == [5, 1, 1])
    }

    @Test func `19: a document that is brought back under its former name has its parts again`()
        throws
    {
        let scene = try renamed()
        try scene.send("POST", "documents/a/undelete", by: "root")
        try scene.send("DELETE", "documents/z", by: "root", is: 204)
        try scene.send("POST", "documents/b/undo", own)
        #expect(try scene.values("a", "b") == [0, 0])
    }

    @Test func `19: a selection takes the parts of documents that were renamed`() throws {
        let scene = try PartScene()
        try scene.make("m1", "b")
        try scene.transact("m1", "b", query: "?label=run")
        try scene.rename("b", "far")
        let undone = try scene.send("POST", "undo", #"{"all":{"label":"run"},"prefix":"m"}"#).json
        #expect(undone["changes"]?.count == 2)
        #expect(try scene.values("m1", "far") == [0, 0])
        try scene.send("POST", "redo", #"{"all":{"label":"run"},"prefix":"m"}"#)
        #expect(try scene.values("m1", "far") == [1, 1])
        try scene.send("POST", "undo", #"{"all":{"label":"run"},"documents":["far"]}"#)
        #expect(try scene.values("m1", "far") == [0, 0])
    }

    @Test func `19: parts follow a rename after a restart`() throws {
        let journal = InMemoryJournal()
        try renamed(journal).daemon.stop()
        let scene = try PartScene(journal)
        try scene.send("POST", "documents/b/undo", own)
        #expect(try scene.values("z", "b") == [0, 0])
    }

    @Test func `17: a former name that is erased still says where the parts are`() throws {
        let scene = try renamed()
        try scene.send("DELETE", "documents/a?purge", by: "root", is: 204)
        try scene.make("a")
        #expect(try scene.send("GET", "transactions/b@1").json["transaction"] == "a@1")
        try scene.send("POST", "documents/b/undo", own)
        #expect(try scene.values("a", "z", "b") == [0, 0, 0])
        try scene.send("POST", "redo", #"{"transaction":"b@1"}"#)
        #expect(try scene.values("a", "z", "b") == [0, 1, 1])
    }

    @Test func `19: a copy has no part of the transactions of its original`() throws {
        let scene = try renamed()
        try scene.send(
            "PUT", "documents/copy?copyOf=z&withHistory=true", by: "root", is: 201)
        try scene.send("POST", "documents/copy/undo", #"{"to":"version:0"}"#)
        try scene.send("POST", "documents/b/undo", own)
        #expect(try scene.values("z", "b", "copy") == [0, 0, 0])
        try scene.send("POST", "documents/b/redo", own)
        #expect(try scene.values("z", "b", "copy") == [1, 1, 0])
    }

    @Test(arguments: ["?purge", ""])
    func `19: without the first part's document, the others are undone together`(query: String)
        throws
    {
        let scene = try PartScene()
        try scene.make("a", "b", "c")
        try scene.transact("a", "b", "c")
        try scene.send("DELETE", "documents/a\(query)", by: "root", is: 204)
        let code: JSON = query.isEmpty ? "document-deleted" : "document-purged"
        let undone = try scene.send("POST", "documents/c/undo", own).json
        #expect(try scene.values("b", "c") == [0, 0])
        let left = undone["change"]?["skipped"]
        #expect(left == [["document": "a", "revision": 1, "absent": code]])
        let record = try scene.send("GET", "transactions/b@1").json["parts"]
        #expect(record?.elements?.map { $0["inEffect"] } == [false, false, false])
        let again = try scene.send("POST", "redo", #"{"transaction":"b@1"}"#).json["changes"]
        #expect(again?.elements?.map { $0["absent"] } == [code, nil, nil])
        #expect(try scene.values("b", "c") == [1, 1])
    }
}
