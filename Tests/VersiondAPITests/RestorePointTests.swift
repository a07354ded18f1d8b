import Documents
import JSONTree
import Journaling
import TestSupport
import Testing

/// Restore points: names for positions in the order of commits.
@Suite struct RestorePointTests: RunScene {
    let daemon: LocalDaemon

    init() throws { daemon = try LocalDaemon() }

    @discardableResult
    private func point(
        _ name: String, _ body: String? = nil, _ query: String = "",
        _ fields: [String: String] = [:], by actor: String = "ada", is status: Int? = nil
    ) throws -> Answer {
        daemon.time.advance(by: 1_000)
        let answer = try daemon.client.request(
            "PUT", "/v1/restore-points/\(name)\(query)",
            LocalDaemon.json.merging(fields) { $1 }.by(actor), body: body)
        if let status { #expect(answer.status == status, "\(answer.text)") }
        return answer
    }

    @discardableResult
    private func restore(
        _ to: String, _ more: String = "", is status: Int = 200
    ) throws -> Answer {
        let answer = try send("POST", "/v1/restore", #"{"to":"\#(to)"\#(more)}"#)
        #expect(answer.status == status, "\(answer.text)")
        return answer
    }

    private func get(_ path: String) throws -> Answer { try daemon.client.request("GET", path) }

    // MARK: Worked cases

    @Test func `29: a restore leads all documents back to a restore point`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try edit("bob", "a", replace("/n", "1"))
        try point("cp", is: 201)
        try edit("agent/r1", "a", replace("/n", "6"))
        try edit("bob", "b", replace("/n", "2"))
        let told = try restore("restore-point:cp").json
        #expect(told["changes"]?.count == 2 && told["madeSince"] == [])
        #expect(try value("a") == ["n": 1] && value("b") == ["n": 0])
    }

    @Test func `29: an undo since a restore point takes only what came after it`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try edit("agent/r1", "a", replace("/n", "1"))
        try point("cp", is: 201)
        try edit("agent/r1", "b", replace("/n", "6"))
        try edit("bob", "b", add("/y", "2"))
        let since = #"{"all":{"actor":"agent/r1","since":"restore-point:cp"}}"#
        #expect(try send("POST", "/v1/undo", since).status == 200)
        #expect(try value("a") == ["n": 1] && value("b") == ["n": 0, "y": 2])
        #expect(try send("POST", "/v1/redo", since).status == 200)
        #expect(try value("a") == ["n": 1] && value("b") == ["n": 6, "y": 2])
        let until = #"{"all":{"actor":"agent/r1","until":"restore-point:cp"}}"#
        #expect(try send("POST", "/v1/redo", until).json["code"] == "nothing-to-redo")
    }

    @Test func `29: a restore point is about the documents of its prefix`() throws {
        try make("x%2Fa", #"{"n":5}"#)
        try make("y%2Fb", #"{"n":0}"#)
        try point("cp", #"{"prefix":"x/"}"#, is: 201)
        try edit("bob", "x%2Fa", replace("/n", "6"))
        try edit("bob", "y%2Fb", replace("/n", "7"))
        try restore("restore-point:cp")
        #expect(try value("x%2Fa") == ["n": 5] && value("y%2Fb") == ["n": 7])
        try restore("restore-point:cp", #","prefix":"y/""#)
        #expect(try value("y%2Fb") == ["n": 0])
    }

    @Test func `29: a restore point that is put again moves`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        let first = try point("cp", is: 201).json["cursor"]?.int ?? 0
        try edit("bob", "a", replace("/n", "6"))
        let second = try point("cp", is: 200).json["cursor"]?.int ?? 0
        #expect(second > first)
        try edit("bob", "a", replace("/n", "7"))
        try restore("restore-point:cp")
        #expect(try value("a") == ["n": 6] && value("b") == ["n": 0])
        // An equal body at the same time still moves it.
        let third = try point("cp", is: 200).json["cursor"]?.int ?? 0
        #expect(third > second)
    }

    @Test func `29: an undo past a restore finds what the run did before`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try point("cp", is: 201)
        try edit("agent/r1", "a", replace("/n", "6"))
        try restore("restore-point:cp")
        #expect(try undo().status == 200)
        #expect(try value("a") == ["n": 5] && value("b") == ["n": 0])
    }

    @Test func `29: an undo until a restore point leaves what came after it`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try edit("agent/r1", "a", replace("/n", "6"))
        try point("cp", is: 201)
        try edit("agent/r1", "b", replace("/n", "7"))
        let until = #"{"all":{"actor":"agent/r1","until":"restore-point:cp"}}"#
        #expect(try send("POST", "/v1/undo", until).status == 200)
        #expect(try value("a") == ["n": 5] && value("b") == ["n": 7])
    }

    // MARK: Calls

    @Test func `a restore point is read, listed, and deleted`() throws {
        let made = try point("menus%2Fb", #"{"prefix":"menus/"}"#, "?label=before+prices", is: 201)
        #expect(made["location"] == "/v1/restore-points/menus%2Fb")
        let read = try get("/v1/restore-points/menus%2Fb").json
        #expect(try made.json == read)
        #expect(read["restorePoint"] == "menus/b" && read["prefix"] == "menus/")
        #expect(read["label"] == "before prices" && read["actor"] == "ada")
        try point("menus%2Fa", is: 201)
        try point("notes", is: 201)
        func names(_ query: String) throws -> [String] {
            let list = try get("/v1/restore-points" + query).json["restorePoints"]
            return list?.elements?.compactMap { $0["restorePoint"]?.string } ?? []
        }
        #expect(try names("") == ["menus/a", "menus/b", "notes"])
        #expect(try names("?prefix=menus/") == ["menus/a", "menus/b"])
        #expect(try get("/v1/restore-points?limit=1").json["next"] == "menus/a")
        #expect(try names("?cursor=menus/a") == ["menus/b", "notes"])
        #expect(try send("DELETE", "/v1/restore-points/notes", nil).status == 204)
        #expect(try get("/v1/restore-points/notes").code == "unknown-restore-point")
        #expect(
            try send("DELETE", "/v1/restore-points/notes", nil).code == "unknown-restore-point")
        try point("notes", is: 201)
        #expect(try names("?prefix=n") == ["notes"])
    }

    @Test func `a restore point that must be new is not moved, and a retry is carried out once`()
        throws
    {
        let isNew = ["If-None-Match": "*", "Idempotency-Key": "k1"]
        let made = try point("cp", nil, "", isNew, is: 201).json
        let again = try point("cp", nil, "", isNew, is: 201)
        #expect(try again.json == made && again["idempotent-replayed"] == "true")
        #expect(try point("cp", nil, "", ["If-None-Match": "*"]).code == "restore-point-exists")
        let retry = try point("cp", nil, "", ["Idempotency-Key": "k2"]).json
        try make("a", "1")
        #expect(try point("cp", nil, "", ["Idempotency-Key": "k2"]).json == retry)
    }

    @Test func `a restore point with a ttl ends by itself`() throws {
        try point("cp", nil, "?ttl=1m", is: 201)
        #expect(try get("/v1/restore-points/cp").json["expires"] != nil)
        daemon.time.advance(by: 60_000)
        #expect(try get("/v1/restore-points/cp").code == "unknown-restore-point")
        #expect(try get("/v1/restore-points").json["restorePoints"] == [])
        try restore("restore-point:cp", is: 404)
        for isRepeated in [false, true] {
            let isNew = ["If-None-Match": "*", "Idempotency-Key": "k"]
            let made = try point("cp", nil, "", isNew, is: 201)
            #expect((made["idempotent-replayed"] != nil) == isRepeated)
        }
        #expect(try get("/v1/restore-points/cp").json["expires"] == nil)
    }

    @Test func `a restore point may be at an earlier position, and cuts no transaction`() throws {
        try make(["a": #"{"n":0}"#, "b": #"{"n":0}"#])
        let start = try get("/v1/feed?cursor=0").json["next"]?.int ?? 0
        _ = try change("bob", [("a", replace("/n", "1")), ("b", replace("/n", "1"))])
        try edit("bob", "a", replace("/n", "2"))
        try point("whole", #"{"at":"cursor:\#(start)"}"#, is: 201)
        try point("cut", #"{"at":"cursor:\#(start + 1)"}"#, is: 201)
        try point("copy", #"{"at":"restore-point:whole"}"#, is: 201)
        for name in ["whole", "cut", "copy"] {
            let whole = try restore("restore-point:" + name).json["transaction"]?.string ?? ""
            #expect(try value("a") == ["n": 0] && value("b") == ["n": 0], "\(name)")
            #expect(try send("POST", "/v1/undo", #"{"transaction":"\#(whole)"}"#).status == 200)
        }
        let cut = try restore("cursor:\(start + 1)").json["transaction"]?.string ?? ""
        #expect(try value("a") == ["n": 0] && value("b") == ["n": 0], "a position of the feed")
        #expect(try send("POST", "/v1/undo", #"{"transaction":"\#(cut)"}"#).status == 200)
        #expect(try get("/v1/documents/a?at=cursor:\(start + 1)").json == ["n": 1])
        try restore("cursor:\(start + 2)")
        #expect(try value("a") == ["n": 1])
        #expect(try point("x", #"{"at":"cursor:99999"}"#).code == "unknown-revision")
        #expect(try point("x", #"{"at":"7"}"#).code == "malformed-request")
    }

    @Test func `29: a repeated restore is carried out once, though its restore point has moved`()
        throws
    {
        try make(["a": #"{"n":0}"#, "b": #"{"n":0}"#])
        try point("cp", is: 201)
        try edit("bob", "a", replace("/n", "1"))
        func restore() throws -> Answer {
            try daemon.client.request(
                "POST", "/v1/restore",
                ["Content-Type": "application/json", "Idempotency-Key": "once"].by("ada"),
                body: #"{"to":"restore-point:cp"}"#)
        }
        let first = try restore()
        #expect(first.status == 200, "\(first.text)")
        try point("cp", is: 200)
        let again = try restore()
        #expect(try again.json["transaction"] == first.json["transaction"], "\(again.text)")
        try edit("bob", "b", replace("/n", "1"))
        #expect(try restore().json["transaction"] == first.json["transaction"])
        #expect(try value("b") == ["n": 1], "it is not carried out a second time")
    }

    // MARK: Addresses

    @Test func `a restore point is an address of every document`() throws {
        try make("a", #"{"n":0}"#)
        try edit("bob", "a", replace("/n", "1"))
        let cursor = try point("cp", is: 201).json["cursor"]?.int ?? 0
        try edit("bob", "a", replace("/n", "2"))
        try make("late", "1")
        for at in ["restore-point:cp", "cursor:\(cursor)"] {
            #expect(try get("/v1/documents/a?at=\(at)").json == ["n": 1], "\(at)")
            let diff = try get("/v1/documents/a/diff?from=\(at)").json
            #expect(diff["from"] == 1 && diff["patch"]?.count == 1)
            #expect(try get("/v1/documents/late?at=\(at)").status == 404)
            #expect(try get("/v1/documents/a/history?since=\(at)").json["changes"]?.count == 1)
            #expect(try get("/v1/documents/a/history?until=\(at)").json["changes"]?.count == 2)
            #expect(try get("/v1/documents/a/blame?at=\(at)&path=/n").status == 200)
            let based = try daemon.client.request(
                "PATCH", "/v1/documents/a?base=\(at)&dryRun", LocalDaemon.patch.by("cy"),
                body: "[\(add("/m", "1"))]")
            #expect(try based.json["base"] == 1 || based.status == 200, "\(based.text)")
            let copy = try send("PUT", "/v1/documents/copy-\(at.count)?copyOf=a@\(at)", nil)
            #expect(copy.status == 201, "\(copy.text)")
            #expect(try value("copy-\(at.count)") == ["n": 1])
            let member =
                #"{"changes":[{"document":"a","merge":{"m":1},"base":"\#(at)"}]}"#
            #expect(try send("POST", "/v1/transactions?dryRun", member).status == 200)
        }
        #expect(
            try send("PUT", "/v1/documents/a/tags/t", #"{"at":"restore-point:cp"}"#).status == 201)
        #expect(try get("/v1/documents/a?at=tag:t").json == ["n": 1])
        let body = #"{"from":"restore-point:cp"}"#
        #expect(try send("POST", "/v1/documents/a/restore", body).status == 200)
        #expect(try value("a") == ["n": 1])
        #expect(try get("/v1/documents/a?at=restore-point:nope").code == "unknown-restore-point")
    }

    @Test func `a draft takes over what its origin had at a restore point`() throws {
        try make("menu", #"{"n":0}"#)
        #expect(try send("PUT", "/v1/documents/menu~ada?copyOf=menu", nil).status == 201)
        try edit("bob", "menu", replace("/n", "1"))
        try point("cp", is: 201)
        try edit("bob", "menu", replace("/n", "2"))
        let body = #"{"to":"restore-point:cp"}"#
        let updated = try send("POST", "/v1/documents/menu~ada/update", body)
        #expect(updated.status == 200, "\(updated.text)")
        #expect(try value("menu~ada") == ["n": 1])
        try edit("ada", "menu~ada", add("/m", "1"))
        try point("draft", is: 201)
        try edit("ada", "menu~ada", add("/k", "1"))
        let part = #"{"at":"restore-point:draft"}"#
        let merged = try send("POST", "/v1/documents/menu~ada/merge", part)
        #expect(merged.status == 200, "\(merged.text)")
        #expect(try value("menu") == ["n": 2, "m": 1])
    }

    @Test func `a restore point bounds the history and the runs of many documents`() throws {
        try make(["a": #"{"n":0}"#, "b": #"{"n":0}"#])
        try edit("agent/r1", "a", replace("/n", "1"))
        try point("cp", is: 201)
        try edit("agent/r2", "b", replace("/n", "1"))
        func count(_ path: String, _ name: String) throws -> Int? {
            try get(path).json[name]?.count
        }
        #expect(try count("/v1/history?since=restore-point:cp", "changes") == 1)
        #expect(try count("/v1/history?until=restore-point:cp", "changes") == 3)
        for (bound, run) in [("since", "agent/r2"), ("until", "agent/r1")] {
            let runs = try get("/v1/runs?\(bound)=restore-point:cp").json["runs"]
            #expect(runs?.count == 1 && runs?[0]?["run"]?.string == run)
        }
        #expect(try get("/v1/history?since=version:1").code == "malformed-request")
        #expect(try get("/v1/history?since=restore-point:x").code == "unknown-restore-point")
    }

    @Test func `what is forgotten is named, and nothing is restored`() throws {
        try make(["a": #"{"n":0}"#, "b": #"{"n":0}"#, "c": #"{"n":0}"#])
        try point("cp", is: 201)
        for name in ["a", "b"] {
            let settings = #"{"retention":{"count":1}}"#
            #expect(try send("PATCH", "/v1/documents/\(name)/settings", settings).status == 200)
            for number in 1...40 { try edit("bob", name, replace("/n", "\(number)")) }
        }
        try edit("bob", "c", replace("/n", "9"))
        let refused = try restore("restore-point:cp", is: 410)
        #expect(refused.code == "trimmed")
        #expect(try refused.json["documents"] == ["a", "b"])
        #expect(try value("c") == ["n": 9])
    }
}
