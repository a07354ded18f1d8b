import AccessControl
import Documents
import JSONTree
import Journaling
import TestSupport
import Testing
import VersiondAPI

/// Rule 27: a run that is open is not undone, unless that closes it.
@Suite struct OpenRunTests: RunScene {
    let daemon: LocalDaemon
    private let journal: any Journal

    init() throws {
        journal = try LocalDaemon.newJournal()
        daemon = try LocalDaemon(journal: journal)
    }

    private let run = "/v1/runs/agent%2Fr1"

    private func open(_ query: String = "", _ run: String = "/v1/runs/agent%2Fr1") throws -> Answer
    {
        try send("PUT", run + query, nil, by: "agent/r1")
    }

    private func get(_ path: String) throws -> Answer { try daemon.client.request("GET", path) }

    private func names(_ query: String) throws -> [String] {
        let list = try get("/v1/runs" + query).json["runs"]
        return list?.elements?.compactMap { $0["run"]?.string } ?? []
    }

    private func edited() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        #expect(try open().status == 201)
        try edit("agent/r1", "a", replace("/n", "6"))
    }

    // MARK: Undo

    /// Worked case 21.
    @Test func `27: an open run is not undone, unless the undo closes it`() throws {
        try edited()
        let refused = try undo()
        #expect(refused.status == 409 && refused.code == "run-open", "\(refused.text)")
        #expect(try refused.json["runs"] == ["agent/r1"] && refused.json["expires"] != nil)
        #expect(try undo("", "?dryRun").code == "run-open")
        #expect(try undo(#","close":true"#, "?dryRun").status == 200)
        #expect(try get(run).json["open"] == true)
        let undone = try undo(#","close":true"#)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try undone.json["changes"]?.count == 1)
        let transaction = try undone.json["changes"]?[0]?["change"]?["transaction"]
        #expect(transaction?["count"] == 1)
        #expect(try value("a") == ["n": 5] && value("b") == ["n": 0])
        #expect(try get(run).json["open"] == false)
        #expect(try undo().code == "nothing-to-undo")
        #expect(try undo(#","close":true"#).code == "nothing-to-undo")
    }

    @Test func `27: a refusal names some of many open runs`() throws {
        try make(["a": #"{"n":5}"#])
        for number in 0..<103 {
            #expect(try send("PUT", "/v1/runs/agent%2Fmany-\(number)", "").status == 201)
            try edit("agent/many-\(number)", "a", replace("/n", "\(number)"))
        }
        let refused = try send("POST", "/v1/undo", #"{"all":{"paths":["/n"]},"documents":["a"]}"#)
        #expect(refused.code == "run-open", "\(refused.text)")
        #expect(try refused.json["runs"]?.count == 100)
        #expect(try refused.json["detail"] == "103 runs are open.")
        #expect(try send("PUT", "/v1/runs/agent%2F%E2%80%AEx", "").status == 400)
    }

    @Test func `27: an undo that takes nothing closes no run`() throws {
        try make(["a": #"{"n":5}"#])
        #expect(try open().status == 201)
        let refused = try undo(#","documents":["a"],"close":true"#)
        #expect(refused.code == "nothing-to-undo", "\(refused.text)")
        #expect(!refused.text.contains("\\u0000"), "\(refused.text)")
        #expect(try get(run).json["open"] == true)
    }

    @Test func `27: a redo of an open run is refused in the same way`() throws {
        try edited()
        #expect(try undoes(#","close":true"#))
        #expect(try open().status == 201)
        #expect(try redo().code == "run-open")
        #expect(try redoes(#","close":true"#))
        #expect(try value("a") == ["n": 6])
        #expect(try get(run).json["open"] == false)
    }

    @Test func `27: the edits of an open run are found in any selection`() throws {
        try edited()
        try edit("bob", "b", replace("/n", "7"))
        let all = #"{"all":{"paths":["/n"],"label":"week"},"documents":["a","b"]}"#
        #expect(try send("POST", "/v1/undo", all).code == "nothing-to-undo")
        let both = #"{"all":{"paths":["/n"]},"prefix":"a"}"#
        #expect(try send("POST", "/v1/undo", both).code == "run-open")
        let other = #"{"all":{"paths":["/n"]},"prefix":"b"}"#
        #expect(try send("POST", "/v1/undo", other).status == 200)
        let closing = #"{"all":{"paths":["/n"]},"prefix":"a","close":true}"#
        #expect(try send("POST", "/v1/undo", closing).status == 200)
        #expect(try value("a") == ["n": 5])
        #expect(try open().status == 201)
        let redo = #"{"all":{"paths":["/n"]},"prefix":"a"}"#
        #expect(try send("POST", "/v1/redo", redo).code == "run-open")
    }

    @Test func `27: a transaction of an open run is not undone, and no edit of others waits`()
        throws
    {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        #expect(try open().status == 201)
        let name = try change(
            "agent/r1", [("a", replace("/n", "6")), ("b", replace("/n", "7"))])
        let foreign = try change("bob", [("a", add("/x", "1")), ("b", add("/x", "2"))])
        let undo = #"{"transaction":"\#(name)""#
        #expect(try send("POST", "/v1/undo", undo + "}").code == "run-open")
        #expect(try send("POST", "/v1/undo", #"{"transaction":"\#(foreign)"}"#).status == 200)
        #expect(try send("POST", "/v1/undo", undo + #","close":true}"#).status == 200)
        #expect(try value("a") == ["n": 5] && value("b") == ["n": 0])
        #expect(try send("POST", "/v1/undo", #"{"all":{"actor":"bob"}}"#).code == "nothing-to-undo")
        #expect(try get("/v1/transactions/\(foreign)").json["parts"]?.count == 2)
    }

    @Test func `27: an undo that closed a run is carried out once`() throws {
        try edited()
        let key = ["Idempotency-Key": "k1"].merging(LocalDaemon.json) { $1 }
        let body = #"{"all":{"actor":"agent/r1"},"close":true}"#
        let first = try daemon.client.request("POST", "/v1/undo", key.by("ada"), body: body)
        #expect(first.status == 200)
        #expect(try open().status == 201)
        let again = try daemon.client.request("POST", "/v1/undo", key.by("ada"), body: body)
        #expect(again["idempotent-replayed"] == "true", "\(again.text)")
        #expect(try again.json["transaction"] == first.json["transaction"])
        #expect(try get(run).json["open"] == true)
    }

    /// A request by a run, or another actor, with its token; a second later than the one before.
    private func ask(
        _ daemon: LocalDaemon, _ actor: String, _ method: String, _ path: String, _ body: String?
    ) throws -> Answer {
        let token = actor.split(separator: "/").first.map(String.init) ?? actor
        daemon.time.advance(by: 1_000)
        return try daemon.client.request(
            method, path,
            LocalDaemon.json.by(actor).merging(["Authorization": "Bearer vd_\(token)"]) { $1 },
            body: body)
    }

    @Test func `27: an edit that is out of effect closes no run`() throws {
        let daemon = try guarded()
        func call(_ actor: String, _ method: String, _ path: String, _ body: String? = nil) throws
            -> Answer
        { try ask(daemon, actor, method, path, body) }
        func edit(_ actor: String, _ place: String, _ value: Int) throws {
            let merge = #"{"merge":{"\#(place)":\#(value)}}"#
            #expect(try call(actor, "PATCH", "/v1/documents/d", merge).status == 200)
        }
        #expect(try call("root", "PUT", "/v1/documents/d", #"{"a":0,"b":0}"#).status == 201)
        #expect(try call("agent/r1", "PUT", run).status == 201)
        try edit("agent/r1", "a", 1)
        try edit("agent/r1", "b", 1)
        let first = #"{"all":{"paths":["/a"]},"close":true}"#
        #expect(try call("root", "POST", "/v1/undo", first).status == 200)
        #expect(try call("agent/r1", "PUT", run).status == 201)
        try edit("other", "a", 2)
        let own = #"{"all":{"paths":["/a"]},"documents":["d"]"#
        let undone = try call("other", "POST", "/v1/undo", own + #","close":true}"#)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try call("other", "GET", run).json["open"] == true)
        // It would take the edit at the other place, which is not its own.
        let both = #"{"all":{"paths":["/b"]},"documents":["d"],"close":true}"#
        #expect(try call("other", "POST", "/v1/undo", both).code == "foreign-edit")
        #expect(try call("other", "GET", run).json["open"] == true)
    }

    @Test func `27: a run that may not be closed is named with its own edit`() throws {
        let daemon = try guarded()
        func call(_ actor: String, _ method: String, _ path: String, _ body: String? = nil) throws
            -> Answer
        { try ask(daemon, actor, method, path, body) }
        #expect(try call("root", "PUT", "/v1/documents/d", #"{"a":0}"#).status == 201)
        #expect(try call("root", "PUT", "/v1/documents/e", "0").status == 201)
        let edit = try call("agent/r1", "PATCH", "/v1/documents/d", #"{"merge":{"a":1}}"#)
        #expect(try call("agent/r1", "PUT", run).status == 201)
        let deletion = #"{"changes":[{"document":"d","delete":true},{"document":"e","value":1}]}"#
        let deleted = try call("keeper", "POST", "/v1/transactions", deletion)
        let name = try #require(deleted.json["transaction"]?.string)
        let undo = #"{"transaction":"\#(name)","close":true}"#, path = "/v1/undo"
        let refused = try call("keeper", "POST", path, undo)
        let revisions = try [refused, edit].map { try $0.json["change"]?["revision"] }
        #expect(refused.code == "foreign-edit" && revisions[0] == revisions[1])
        #expect(try call("root", "POST", path, undo).status == 200)
        #expect(try call("root", "GET", run).json["open"] == false)
    }

    @Test func `27: a run of which an undo leaves all edits is not closed`() throws {
        try edited()
        try edit("agent/r2", "b", replace("/n", "7"))
        #expect(try open("", "/v1/runs/agent%2Fr2").status == 201)
        let body = #"{"all":{"paths":["/n"]},"documents":["a","b"],"close":true,"keep":{"b":true}}"#
        let undone = try send("POST", "/v1/undo", body)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try get(run).json["open"] == false)
        #expect(try get("/v1/runs/agent%2Fr2").json["open"] == true)
    }

    @Test func `27: a document comes back only with edits of runs that are not open`() throws {
        let both = #"{"changes":[{"document":"a","value":{"n":1}},{"document":"b","value":1}]}"#
        let made = try send("POST", "/v1/transactions", both, by: "agent/r1")
        let name = try #require(try made.json["transaction"]?.string)
        try edit("agent/r2", "a", add("/x", "1"))
        try edit("agent/r3", "a", add("/y", "1"))
        _ = try send("POST", "/v1/documents/a/undo", #"{"actor":"agent/r3"}"#, by: "agent/r3")
        func take(_ call: String, _ more: String = "") throws -> Answer {
            let body = #"{"transaction":"\#(name)"\#(more)}"#
            return try send("POST", "/v1/\(call)?conflict=mine", body)
        }
        for call in ["undo", "redo"] {
            // An edit that its run has undone neither goes nor comes back.
            let runs = call == "redo" ? 2...3 : 2...2
            for number in runs {
                #expect(try open("", "/v1/runs/agent%2Fr\(number)").status == 201)
            }
            let refused = try take(call)
            #expect(refused.code == "run-open", "\(refused.text)")
            #expect(try refused.json["runs"] == ["agent/r2"])
            let done = try take(call, #","close":true"#)
            #expect(done.status == 200, "\(done.text)")
            for number in runs {
                let run = try get("/v1/runs/agent%2Fr\(number)").json
                #expect(run["open"] == JSON(number == 3))
            }
        }
        #expect(try value("a") == ["n": 1, "x": 1])
    }

    @Test func `27: an undo takes edits of up to 1,000 runs`() throws {
        try make(["a": #"{"n":0}"#, "b": #"{"n":0}"#])
        for number in 1...1_000 { try edit("agent/\(number)", "a", replace("/n", "\(number)")) }
        try edit("agent/1001", "b", replace("/n", "1"))
        let all = #"{"all":{"paths":["/n"]}"#
        let refused = try send("POST", "/v1/undo", all + "}")
        #expect(refused.status == 422 && refused.code == "too-many-documents", "\(refused.text)")
        #expect(refused.text.contains("1000 runs"), "\(refused.text)")
        let undone = try send("POST", "/v1/undo", all + #","documents":["a"]}"#)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try value("a") == ["n": 0] && value("b") == ["n": 1])
    }

    @Test func `27: of an undo and an opening, one comes first`() async throws {
        let document = try #require(DocumentID("\u{0}run/agent/r1"))
        for _ in 0..<40 {
            let name = "d\(daemon.store.lastSequence)"
            try make(name, "{}", by: "root")
            try edit("agent/r1", name, add("/n", "6"))
            _ = try send("POST", run + "/close", nil, by: "agent/r1")
            let before = daemon.store.lastSequence
            let (port, path) = (daemon.server.port, run)
            async let opening = Task.detached {
                try RawConnection(port: port).request("PUT", path, [:].by("agent/r1")).status
            }.value
            let body = #"{"all":{"paths":["/n"]},"documents":["\#(name)"]}"#
            let undone = try daemon.client.request(
                "POST", "/v1/undo", LocalDaemon.json.by("ada"), body: body)
            #expect(try await opening == 201)
            #expect(undone.status == 200 || undone.code == "run-open", "\(undone.text)")
            if undone.status != 200 { continue }
            let page = try journal.entries(after: before, prefix: "", limit: 10)
            let order = page.entries.map(\.entry.document)
            let (undo, record) = (
                order.firstIndex { $0.name == name }, order.firstIndex(of: document)
            )
            #expect(try #require(undo) < #require(record), "\(order)")
        }
    }

    // MARK: Calls

    @Test func `27: a run is open until its time is over without an edit of it`() throws {
        try make("a", #"{"n":5}"#)
        #expect(try get(run).code == "unknown-run")
        let made = try open("?ttl=1m&label=prices")
        #expect(made.status == 201 && made["location"] == run, "\(made.text)")
        let empty = try get(run).json
        #expect(empty["open"] == true && empty["label"] == "prices", "\(empty)")
        #expect(empty["documents"] == [] && empty["edits"] == 0)
        #expect(try names("") == ["agent/r1"])
        daemon.time.advance(by: 50_000)
        try edit("agent/r1", "a", replace("/n", "6"))
        daemon.time.advance(by: 50_000)
        #expect(try names("?open=true") == ["agent/r1"])
        #expect(try names("?open=false").isEmpty)
        let shown = try get("/v1/runs").json["runs"]?[0]
        #expect(shown?["open"] == true && shown?["expires"] != nil)
        #expect(try open("?ttl=1m").status == 200)
        daemon.time.advance(by: 50_000)
        #expect(try undo().code == "run-open")
        daemon.time.advance(by: 11_000)
        let over = try get(run).json
        #expect(over["open"] == false && over["expires"] == nil)
        #expect(try names("?open=true").isEmpty && names("?open") == [])
        #expect(try undoes())
        #expect(try open().status == 201)
    }

    @Test func `27: an open run without edits is listed where it was opened`() throws {
        func opens(_ name: String) throws {
            #expect(try open("?ttl=1h", "/v1/runs/\(name)").status == 201)
        }
        try make("a", #"{"n":5}"#)
        try opens("agent%2Fold")
        try edit("agent/r1", "a", replace("/n", "6"))
        try opens("agent%2Fnew")
        try edit("agent/r2", "a", replace("/n", "7"))
        let all = ["agent/r2", "agent/new", "agent/r1", "agent/old"]
        #expect(try names("") == all)
        #expect(try names("?open=true") == ["agent/new", "agent/old"])
        #expect(try names("?open=false") == ["agent/r2", "agent/r1"])
        #expect(try names("?below=agent&q=new") == ["agent/new"])
        #expect(try names("?below=bot").isEmpty && names("?prefix=a") == ["agent/r2", "agent/r1"])
        for query in ["?limit=1", "?limit=2", "?limit=3"] {
            var (found, cursor): ([String], String) = ([], "")
            repeat {
                let page = try get("/v1/runs" + query + cursor).json
                found += page["runs"]?.elements?.compactMap { $0["run"]?.string } ?? []
                cursor = page["next"]?.int.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(found == all, "\(query)")
        }
        let shown = try #require(get("/v1/runs?open=true").json["runs"]?[0])
        let read = try get("/v1/runs/agent%2Fnew").json
        for member in shown.members ?? [] { #expect(read[member.name] == member.value) }
        // With an edit it comes before those with older ones, and undone it stays open.
        try edit("agent/old", "a", replace("/n", "8"))
        #expect(try names("?open=true") == ["agent/old", "agent/new"])
        _ = try send("POST", "/v1/documents/a/undo", #"{"actor":"agent/old"}"#, by: "agent/old")
        #expect(try names("?open=true") == ["agent/old", "agent/new"])
        #expect(try send("POST", "/v1/runs/agent%2Fnew/close", nil).status == 200)
        #expect(try names("") == ["agent/old", "agent/r2", "agent/r1"])
        daemon.time.advance(by: 3_601_000)
        #expect(try names("") == ["agent/r2", "agent/r1"])
    }

    @Test func `27: an open run without edits is older or newer than a restore point`() throws {
        try make("a", #"{"n":5}"#)
        #expect(try open("?ttl=1h", "/v1/runs/agent%2Fold").status == 201)
        #expect(try send("PUT", "/v1/restore-points/cp", nil).status == 201)
        #expect(try open("?ttl=1h", "/v1/runs/agent%2Fnew").status == 201)
        #expect(try names("?since=restore-point:cp") == ["agent/new"])
        #expect(try names("?until=restore-point:cp") == ["agent/old"])
    }

    @Test func `27: a token of some documents lists its own open runs without edits`() throws {
        var list = AccessList()
        for (name, prefix) in [("agent", "shop/"), ("other", "shop/"), ("root", "")] {
            list.add(
                tokenHash: Token.hash(of: "vd_\(name)"),
                Grant(name: name, rights: [.read, .write, .undoOthers], prefix: prefix))
        }
        let daemon = try LocalDaemon(access: list)
        func call(_ token: String, _ method: String, _ path: String) throws -> Answer {
            try daemon.client.request(
                method, "/v1/runs" + path, ["Authorization": "Bearer vd_\(token)"])
        }
        #expect(try call("agent", "PUT", "/agent%2Fr1").status == 201)
        for (token, count) in [("agent", 1), ("other", 0), ("root", 1)] {
            #expect(try call(token, "GET", "?open=true").json["runs"]?.count == count)
        }
        #expect(try call("agent", "GET", "?prefix=shop/").json["runs"] == [])
    }

    @Test func `27: closing a run does no harm, and an edit of a closed run is an edit`() throws {
        try make("a", #"{"n":5}"#)
        let close = run + "/close"
        #expect(try send("POST", close, nil, by: "agent/r1").json["open"] == false)
        #expect(try open().status == 201)
        for _ in 0..<2 {
            let closed = try send("POST", close, nil, by: "agent/r1")
            #expect(closed.status == 200, "\(closed.text)")
        }
        try edit("agent/r1", "a", replace("/n", "6"))
        #expect(try get(run).json["open"] == false)
        #expect(try undoes())
        #expect(try open().status == 201)
        #expect(try open("", "/v1/runs/ada").code == "malformed-request")
        #expect(try open("?ttl=25h").code == "malformed-request")
    }

    @Test func `27: an open run is in no list, feed, history or export of documents`() throws {
        #expect(try open().status == 201)
        try make("a", #"{"n":5}"#)
        #expect(try get("/v1/documents").json["documents"]?.count == 1)
        #expect(try get("/v1/history").json["changes"]?.count == 1)
        #expect(try !get("/v1/feed?cursor=0").text.contains("run/"))
    }

    @Test func `27: an open run survives a restart`() throws {
        let journal = try LocalDaemon.newJournal()
        let first = try LocalDaemon(journal: journal)
        _ = try first.client.request(
            "PUT", "/v1/documents/a", LocalDaemon.json.by("agent/r1"), body: "1")
        let put = try first.client.request("PUT", run, [:].by("agent/r1"))
        #expect(put.status == 201, "\(put.text)")
        first.stop()
        let second = try LocalDaemon(journal: journal)
        let body = #"{"all":{"actor":"agent/r1"}}"#
        let refused = try second.client.request("POST", "/v1/undo", LocalDaemon.json, body: body)
        #expect(refused.code == "run-open", "\(refused.text)")
        second.time.advance(by: 700_000)
        #expect(try second.client.request("GET", run).json["open"] == false)
    }

    // MARK: Rights and limits

    private func guarded(_ limits: Limits = Limits()) throws -> LocalDaemon {
        var list = AccessList()
        for (name, rights) in [
            ("agent", [.read, .write]), ("other", [.read, .write]), ("root", .all),
            ("guest", [.read]), ("draftsman", [.read, .propose]),
            ("keeper", [.read, .write, .admin]),
        ] as [(String, Rights)] {
            list.add(tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        return try LocalDaemon(limits: limits, access: list)
    }

    @Test func `27: a run is opened and closed by its token, or with the right to undo others`()
        throws
    {
        let daemon = try guarded()
        func call(_ token: String, _ method: String, _ path: String) throws -> Answer {
            try daemon.client.request(method, path, ["Authorization": "Bearer vd_\(token)"])
        }
        #expect(try call("agent", "PUT", run).status == 201)
        for token in ["other", "guest", "draftsman"] {
            #expect(try call(token, "PUT", run).status == 403)
            #expect(try call(token, "POST", run + "/close").status == 403)
        }
        #expect(try call("root", "POST", run + "/close").status == 200)
        #expect(try call("root", "PUT", run).status == 201)
        #expect(try call("agent", "POST", run + "/close").status == 200)
    }

    @Test func `27: who proposes opens and closes runs of its own name`() throws {
        let daemon = try guarded()
        for (token, opened, closed) in [("draftsman", 201, 200), ("guest", 403, 403)] {
            let by = ["Authorization": "Bearer vd_\(token)"]
            let own = "/v1/runs/\(token)%2Fr1"
            #expect(try daemon.client.request("PUT", own, by).status == opened)
            #expect(try daemon.client.request("POST", own + "/close", by).status == closed)
        }
    }

    @Test func `27: a right for some documents opens and closes no run of others`() throws {
        var list = AccessList()
        for (name, rights, prefix) in [
            ("agent", [.read, .write], ""), ("part", [.read, .write, .undoOthers], "a"),
            ("whole", [.read, .write, .undoOthers], ""),
        ] as [(String, Rights, String)] {
            list.add(
                tokenHash: Token.hash(of: name),
                Grant(name: name, rights: rights, prefix: prefix))
        }
        let guarded = try LocalDaemon(journal: InMemoryJournal(), access: list)
        func send(_ token: String, _ method: String, _ path: String) throws -> Int {
            let fields = ["Authorization": "Bearer \(token)"]
            return try guarded.client.request(method, path, fields).status
        }
        #expect(try send("agent", "PUT", run) == 201)
        #expect(try send("part", "PUT", run) == 403 && send("part", "POST", run + "/close") == 403)
        #expect(
            try send("whole", "PUT", run) == 200 && send("whole", "POST", run + "/close") == 200)
        #expect(try send("part", "PUT", "/v1/runs/part%2F1") == 201)
    }

    @Test func `27: runs that ended by themselves make room for others`() throws {
        var limits = Limits()
        limits.openRunsMax = 2
        let daemon = try LocalDaemon(limits: limits)
        func open(_ number: Int) throws -> Answer {
            try daemon.client.request("PUT", "/v1/runs/agent%2F\(number)")
        }
        for number in 0..<2 { #expect(try open(number).status == 201) }
        let full = try open(2)
        #expect(full.code == "too-many-open-runs", "\(full.text)")
        #expect(try open(1).status == 200)
        daemon.time.advance(by: 601_000)
        #expect(try open(2).status == 201)
        #expect(try open(1).status == 201)
    }

    @Test func `27: runs that are over take no room`() throws {
        var limits = Limits()
        limits.openRunsMax = 2
        let journal = try LocalDaemon.newJournal()
        let daemon = try LocalDaemon(journal: journal)
        for number in 0..<130 {
            let opened = try daemon.client.request("PUT", "/v1/runs/agent%2F\(number)?ttl=5s")
            #expect(opened.status == 201)
        }
        // With lower limits, and within the time for which a refusal is remembered.
        let second = try LocalDaemon(limits: limits, journal: journal)
        func open(_ run: String) throws -> Answer {
            try second.client.request("PUT", "/v1/runs/\(run)?ttl=5s")
        }
        #expect(try open("bot%2F1").code == "too-many-open-runs")
        second.time.advance(by: 6_000)
        for number in 1...2 {
            let opened = try open("bot%2F\(number)")
            #expect(opened.status == 201, "\(opened.text)")
        }
        #expect(try open("bot%2F3").code == "too-many-open-runs")
    }

    @Test func `27: an undo that closes a run makes room for another`() throws {
        var limits = Limits()
        limits.openRunsMax = 1
        let daemon = try LocalDaemon(limits: limits)
        func call(_ method: String, _ path: String, _ body: String? = nil) throws -> Answer {
            try daemon.client.request(
                method, "/v1" + path, LocalDaemon.json.by("agent/1"), body: body)
        }
        #expect(try call("PUT", "/documents/a", "1").status == 201)
        #expect(try call("PUT", "/runs/agent%2F1").status == 201)
        #expect(try call("PUT", "/runs/agent%2F2").code == "too-many-open-runs")
        let undo = #"{"all":{"actor":"agent/1"},"close":true}"#
        #expect(try call("POST", "/undo", undo).status == 200)
        #expect(try call("PUT", "/runs/agent%2F2").status == 201)
    }

    @Test func `27: one client does not take the room of others for open runs`() throws {
        var limits = Limits()
        limits.openRunsOfOneMax = 2
        let daemon = try guarded(limits)
        func open(_ token: String, _ run: String) throws -> Answer {
            try daemon.client.request(
                "PUT", "/v1/runs/\(run)", ["Authorization": "Bearer vd_\(token)"])
        }
        for number in 0..<2 { #expect(try open("agent", "agent%2F\(number)").status == 201) }
        for _ in 0..<2 {
            let full = try open("agent", "agent%2F2")
            #expect(try full.code == "too-many-open-runs" && full.json["max"] == 2)
        }
        #expect(try open("root", "agent%2F3").code == "too-many-open-runs")
        #expect(try open("other", "other%2F1").status == 201)
        #expect(try open("root", "root%2F1").status == 201)
        let closed = try daemon.client.request(
            "POST", "/v1/runs/agent%2F0/close", ["Authorization": "Bearer vd_agent"])
        #expect(closed.status == 200)
        #expect(try open("agent", "agent%2F2").status == 201)
    }

    @Test func `27: a run that is kept open all the time is stored now and then`() throws {
        #expect(try open("?ttl=100s&label=a").status == 201)
        let before = daemon.store.lastSequence
        for _ in 0..<4 {
            daemon.time.advance(by: 1_000)
            #expect(try open("?ttl=100s").status == 200)
        }
        #expect(daemon.store.lastSequence == before)
        #expect(try open("?ttl=100s&label=b").status == 200)
        #expect(daemon.store.lastSequence == before + 1)
        daemon.time.advance(by: 10_000)
        #expect(try open("?ttl=100s").status == 200)
        #expect(daemon.store.lastSequence == before + 2)
    }

    @Test func `27: a run that ended by itself is a new one, also to a repetition`() throws {
        #expect(try open("?ttl=10s").status == 201)
        daemon.time.advance(by: 11_000)
        for isRepeated in [false, true] {
            let key = ["Idempotency-Key": "k"].by("agent/r1")
            let answer = try daemon.client.request("PUT", run, key)
            #expect(try answer.status == 201 && answer.json["open"] == true)
            #expect((answer["idempotent-replayed"] != nil) == isRepeated)
        }
    }

    @Test func `27: a repeated PUT does not say that a closed run is open`() throws {
        let key = ["Idempotency-Key": "k"].by("agent/r1")
        let first = try daemon.client.request("PUT", run, key)
        #expect(first.status == 201 && first["idempotent-replayed"] == nil)
        let open = try daemon.client.request("PUT", run, key)
        #expect(open.status == 201 && open["idempotent-replayed"] == "true")
        #expect(try send("POST", run + "/close", nil, by: "agent/r1").status == 200)
        let again = try daemon.client.request("PUT", run, key)
        #expect(try again.json["open"] == false && again.status == 200, "\(again.text)")
        let other = ["Idempotency-Key": "l"].by("agent/r1")
        for key in [[:].by("agent/r1"), other] {
            #expect(try daemon.client.request("PUT", run, key).status < 300)
        }
        #expect(try send("POST", run + "/close", nil, by: "agent/r1").status == 200)
        #expect(try daemon.client.request("PUT", run, other).json["open"] == false)
        #expect(try get(run).code == "unknown-run")
    }
}
