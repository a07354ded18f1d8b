import AccessControl
import Documents
import JSONTree
import Journaling
import SQLiteJournaling
import TestSupport
import Testing
import VersiondAPI

/// Restore points beside everything else: rights, limits, other daemons, and where they are not.
@Suite struct RestorePointEdgeTests {
    private func daemon(
        _ limits: Limits = Limits(), _ journal: (any Journal)? = nil
    ) throws -> LocalDaemon {
        var list = AccessList()
        for (name, rights, prefix) in [
            ("ada", [.read, .write], ""), ("bob", [.read, .write], ""), ("root", .all, ""),
            ("eve", [.read, .write, .undoOthers], "shop/"), ("guest", [.read], ""),
        ] as [(String, Rights, String)] {
            list.add(
                tokenHash: Token.hash(of: "vd_\(name)"),
                Grant(name: name, rights: rights, prefix: prefix))
        }
        return try LocalDaemon(limits: limits, journal: journal, access: list)
    }

    @discardableResult
    private func send(
        _ daemon: LocalDaemon, _ token: String, _ method: String, _ path: String,
        _ body: String? = nil, _ fields: [String: String] = [:], is status: Int? = nil
    ) throws -> Answer {
        daemon.time.advance(by: 1_000)
        var all = ["Authorization": "Bearer vd_\(token)"].merging(fields) { $1 }
        if body != nil, all["Content-Type"] == nil { all["Content-Type"] = "application/json" }
        let answer = try daemon.client.request(method, path, all, body: body)
        if let status { #expect(answer.status == status, "\(method) \(path): \(answer.text)") }
        return answer
    }

    private static let points = "/v1/restore-points"

    @Test func `only who made a restore point moves it, unless they may undo others' edits`()
        throws
    {
        let daemon = try daemon()
        let path = RestorePointEdgeTests.points + "/cp"
        try send(daemon, "ada", "PUT", path, is: 201)
        #expect(try send(daemon, "bob", "PUT", path).code == "forbidden")
        #expect(try send(daemon, "bob", "DELETE", path).code == "forbidden")
        try send(daemon, "guest", "GET", path, is: 200)
        try send(daemon, "guest", "PUT", path, is: 403)
        try send(daemon, "ada", "PUT", path, nil, ["Versiond-Actor": "ada/run-1"], is: 200)
        try send(daemon, "ada", "PUT", path, is: 200)
        try send(daemon, "root", "PUT", path, is: 200)
        try send(daemon, "ada", "DELETE", path, is: 403)
        try send(daemon, "root", "DELETE", path, is: 204)
    }

    @Test func `a token with a prefix sees and sets names below it, over its documents`() throws {
        let daemon = try daemon()
        let points = RestorePointEdgeTests.points
        try send(daemon, "root", "PUT", "/v1/documents/shop%2Fa", "1", is: 201)
        try send(daemon, "root", "PUT", "/v1/documents/b", "1", is: 201)
        try send(daemon, "root", "PUT", points + "/all", is: 201)
        let own = try send(daemon, "eve", "PUT", points + "/shop%2Fcp", is: 201).json
        #expect(own["prefix"] == "shop/")
        for (method, path) in [("GET", "/all"), ("PUT", "/all"), ("DELETE", "/all")] {
            #expect(try send(daemon, "eve", method, points + path).status == 403, "\(method)")
        }
        try send(daemon, "eve", "PUT", points + "/shop%2Fx", #"{"prefix":"b"}"#, is: 403)
        let list = try send(daemon, "eve", "GET", points).json["restorePoints"]
        #expect(list?.count == 1)
        try send(daemon, "root", "PUT", "/v1/documents/shop%2Fa", "2")
        try send(daemon, "root", "PUT", "/v1/documents/b", "2")
        let at = "?at=restore-point:"
        #expect(try send(daemon, "eve", "GET", "/v1/documents/shop%2Fa\(at)shop/cp").json == 1)
        try send(daemon, "eve", "GET", "/v1/documents/shop%2Fa\(at)all", is: 403)
        try send(daemon, "eve", "POST", "/v1/restore", #"{"to":"restore-point:shop/cp"}"#, is: 200)
        #expect(try send(daemon, "root", "GET", "/v1/documents/shop%2Fa").json == 1)
        #expect(try send(daemon, "root", "GET", "/v1/documents/b").json == 2)
    }

    @Test func `beyond the limit a new name is refused, and an ended one makes room`() throws {
        var limits = Limits()
        #expect(limits.restorePointsMax == 10_000)
        limits.restorePointsMax = 2
        let daemon = try daemon(limits)
        let points = RestorePointEdgeTests.points
        try send(daemon, "ada", "PUT", points + "/a", is: 201)
        try send(daemon, "ada", "PUT", points + "/b?ttl=1h", is: 201)
        let refused = try send(daemon, "ada", "PUT", points + "/c", is: 409)
        #expect(refused.code == "too-many-restore-points")
        #expect(try refused.json["max"] == 2)
        try send(daemon, "ada", "PUT", points + "/a", is: 200)
        daemon.time.advance(by: 3_600_000)
        try send(daemon, "ada", "PUT", points + "/c", is: 201)
        try send(daemon, "ada", "DELETE", points + "/a", is: 204)
        try send(daemon, "ada", "PUT", points + "/d", is: 201)
        let long = String(repeating: "n", count: RestorePoint.nameBytesMax)
        try send(daemon, "ada", "PUT", points + "/\(long)n", is: 400)
        try send(daemon, "ada", "DELETE", points + "/d", is: 204)
        try send(daemon, "ada", "PUT", points + "/\(long)", is: 201)
        #expect(try send(daemon, "ada", "GET", points + "/\(long)").status == 200)
    }

    @Test func `no list, feed, history or selection has a restore point, and no request names it`()
        throws
    {
        let daemon = try daemon()
        try send(daemon, "root", "PUT", "/v1/documents/a", #"{"n":0}"#, is: 201)
        let run = ["Versiond-Actor": "root/r1"]
        let start = try send(daemon, "root", "GET", "/v1/feed?cursor=0").json["next"]?.int ?? 0
        try send(daemon, "root", "PUT", RestorePointEdgeTests.points + "/cp", nil, run, is: 201)
        #expect(try send(daemon, "root", "GET", "/v1/documents").json["documents"]?.count == 1)
        #expect(try send(daemon, "root", "GET", "/v1/history").json["changes"]?.count == 1)
        #expect(try send(daemon, "root", "GET", "/v1/runs").json["runs"] == [])
        let feed = try send(daemon, "root", "GET", "/v1/feed?cursor=\(start)").json
        #expect(feed["events"] == [] && feed["next"]?.int == start + 1)
        let undone = try send(
            daemon, "root", "POST", "/v1/undo", #"{"all":{"actor":"root/r1"}}"#)
        #expect(undone.code == "nothing-to-undo")
        let restored = try send(
            daemon, "root", "POST", "/v1/restore", #"{"to":"cursor:\#(start)","made":"delete"}"#)
        #expect(try restored.json["madeSince"] == [], "\(restored.text)")
        let name = #"\u0000point/cp"#
        for (method, path, body) in [
            ("GET", "/v1/documents/%00point%2Fcp", nil),
            ("GET", "/v1/documents?prefix=%00point", nil),
            ("GET", "/v1/history?documents=%2500point%2Fcp", nil),
            ("GET", "/v1/feed?documents=%2500point%2Fcp&cursor=0", nil),
            ("PUT", "/v1/documents/b?copyOf=%00point%2Fcp", nil),
            ("GET", "/v1/transactions/%00point%2Fcp@0", nil),
            ("POST", "/v1/restore", #"{"to":"cursor:0","prefix":"\#(name)"}"#),
            ("POST", "/v1/undo", #"{"all":{"actor":"root"},"prefix":"\#(name)"}"#),
            ("POST", "/v1/undo", #"{"all":{"actor":"root"},"documents":["\#(name)"]}"#),
            ("POST", "/v1/undo", #"{"transaction":"\#(name)@0"}"#),
            ("POST", "/v1/documents/a/rename", #"{"name":"\#(name)"}"#),
            ("POST", "/v1/transactions", #"{"changes":[{"document":"\#(name)","value":1}]}"#),
        ] as [(String, String, String?)] {
            // A bad target ends the connection.
            let connection = try RawConnection(port: daemon.server.port)
            let fields = LocalDaemon.json.merging(["Authorization": "Bearer vd_root"]) { $1 }
            let answer = try connection.request(method, path, fields, body: body)
            #expect((400..<500).contains(answer.status), "\(path) \(body ?? ""): \(answer.text)")
        }
    }

    @Test func `no quota and no default of a rule concerns a restore point`() throws {
        let daemon = try daemon()
        var (defaults, quota) = (SettingsChange(), Quota())
        (defaults.requiresMatch, quota.documents) = (true, 1)
        daemon.store.rules = DocumentRules([.init(prefix: "", defaults: defaults, quota: quota)])
        try send(daemon, "ada", "PUT", "/v1/documents/a", "1", is: 201)
        let path = RestorePointEdgeTests.points + "/cp"
        try send(daemon, "ada", "PUT", path, is: 201)
        try send(daemon, "ada", "PUT", path, is: 200)
        try send(daemon, "ada", "PUT", "/v1/documents/b", "1", is: 403)
        try send(daemon, "ada", "DELETE", path, is: 204)
    }

    @Test func `each daemon of a database sees the restore points of the others at once`() throws {
        let shared = InMemoryJournal(isShared: true)
        let (near, far) = (try daemon(Limits(), shared), try daemon(Limits(), shared))
        try send(near, "ada", "PUT", "/v1/documents/a", "1", is: 201)
        let path = RestorePointEdgeTests.points + "/cp"
        for round in 2...6 {
            let (first, second) = round.isMultiple(of: 2) ? (near, far) : (far, near)
            let put = try send(first, "ada", "PUT", path)
            try send(second, "ada", "PUT", "/v1/documents/a", "\(round)", is: 200)
            #expect(try send(second, "ada", "GET", path).json == put.json)
            let value = try send(second, "ada", "GET", "/v1/documents/a?at=restore-point:cp")
            #expect(try value.json == JSON(round - 1))
        }
    }

    @Test func `an import elsewhere has the restore points, although numbers differ`() throws {
        let (here, there) = (InMemoryJournal(), InMemoryJournal())
        let first = try daemon(Limits(), here)
        let points = RestorePointEdgeTests.points
        try send(first, "ada", "PUT", "/v1/documents/a", "1", is: 201)
        let start = try send(first, "ada", "GET", "/v1/feed?cursor=0").json["next"]?.int ?? 0
        try send(first, "ada", "PUT", "/v1/documents/a", "2", is: 200)
        try send(first, "ada", "PUT", points + "/cp", is: 201)
        try send(first, "ada", "PUT", points + "/old", #"{"at":"cursor:\#(start)"}"#, is: 201)
        try send(first, "ada", "PUT", "/v1/documents/a", "3", is: 200)
        let second = try daemon(Limits(), there)
        for number in 1...4 {
            try send(second, "ada", "PUT", "/v1/documents/other", "\(number)")
        }
        let lines = try Transfer.page(here, after: 0, upTo: here.lastSequence).bytes
        for text in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
            let line = try Transfer.Line(String(text))
            let entry = try line.entry(following: try there.head(of: line.document))
            _ = try there.commit(JournalBatch(entries: [entry]))
        }
        second.stop()
        let third = try daemon(Limits(), there)
        for (name, value) in [("cp", 2), ("old", 1)] {
            for daemon in [first, third] {
                let at = "/v1/documents/a?at=restore-point:\(name)"
                #expect(try send(daemon, "ada", "GET", at).json == JSON(value), "\(name)")
            }
            let cursors = try [first, third].map {
                try send($0, "ada", "GET", points + "/\(name)").json["cursor"]?.int ?? 0
            }
            #expect(cursors[1] == cursors[0] + 4)
        }
    }

    @Test func `29: pages that end before the next entry of a document hide no change`() throws {
        let daemon = try daemon(Limits(), ShortPagesJournal(InMemoryJournal(), span: 3))
        func put(_ name: String, _ value: String) throws {
            try send(daemon, "ada", "PUT", "/v1/documents/\(name)", value)
        }
        try put("a", "1")
        try send(daemon, "ada", "PUT", RestorePointEdgeTests.points + "/cp", is: 201)
        for number in 0..<10 { try put("other", "\(number)") }
        try put("a", "2")
        let at = try send(daemon, "ada", "GET", "/v1/documents/a?at=restore-point:cp")
        #expect(try at.json == 1)
        let undo = #"{"all":{"actor":"ada","since":"restore-point:cp"},"documents":["a"]}"#
        try send(daemon, "ada", "POST", "/v1/undo?dryRun", undo, is: 200)
        let until = undo.replacing("since", with: "until")
        let none = try send(daemon, "ada", "POST", "/v1/undo?dryRun", until).json
        #expect(none["changes"]?[0]?["change"]?["kind"] == "delete" || none["code"] != nil)
        let back = #"{"to":"restore-point:cp","prefix":"a"}"#
        try send(daemon, "ada", "POST", "/v1/restore", back, is: 200)
        #expect(try send(daemon, "ada", "GET", "/v1/documents/a").json == 1)
    }

    @Test func `29: an escape in an address hides no position`() throws {
        let daemon = try daemon()
        try send(daemon, "ada", "PUT", "/v1/documents/a", "1", is: 201)
        try send(daemon, "ada", "PUT", RestorePointEdgeTests.points + "/cp", is: 201)
        try send(daemon, "ada", "PUT", "/v1/documents/a", "2", is: 200)
        for address in [#"cursor\u003a2"#, #"restore\u002dpoint:cp"#] {
            let body = #"{"all":{"actor":"ada","since":"\#(address)"},"documents":["a"]}"#
            let undone = try send(daemon, "ada", "POST", "/v1/undo?dryRun", body, is: 200).json
            #expect(undone["changes"]?[0]?["change"]?["undone"] == [1], "\(undone)")
        }
    }

    @Test func `29: a position that others' commits follow at once is kept`() throws {
        let daemon = try daemon()
        try send(daemon, "ada", "PUT", "/v1/documents/a", "1", is: 201)
        let path = RestorePointEdgeTests.points + "/cp"
        let made = try send(daemon, "ada", "PUT", path, #"{"at":"cursor:1"}"#, is: 201).json
        try send(daemon, "ada", "PUT", "/v1/documents/a", "2", is: 200)
        #expect(made["cursor"] == 2, "its own entry is the first one behind the position")
        let moved = try send(daemon, "ada", "PUT", path, #"{"at":"cursor:1"}"#, is: 200).json
        #expect(moved["cursor"] == 1)
        let long = String(repeating: "x", count: 257)
        try send(daemon, "ada", "PUT", path, #"{"prefix":"\#(long)"}"#, is: 400)
    }

    @Test func `a restore point survives a restart`() throws {
        let directory = try TemporaryDirectory()
        let path = RestorePointEdgeTests.points + "/cp"
        var read: JSON = .null
        do {
            let daemon = try daemon(Limits(), try SQLiteJournal(directory: directory.path))
            try send(daemon, "ada", "PUT", "/v1/documents/a", "1", is: 201)
            try send(daemon, "ada", "PUT", path, is: 201)
            try send(daemon, "ada", "PUT", path, is: 200)
            try send(daemon, "ada", "PUT", "/v1/documents/a", "2", is: 200)
            read = try send(daemon, "ada", "GET", path).json
            daemon.stop()
        }
        let daemon = try daemon(Limits(), try SQLiteJournal(directory: directory.path))
        #expect(try send(daemon, "ada", "GET", path).json == read)
        let value = try send(daemon, "ada", "GET", "/v1/documents/a?at=restore-point:cp")
        #expect(try value.json == 1)
    }
}
