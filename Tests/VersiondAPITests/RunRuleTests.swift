import AccessControl
import Documents
import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// Rules by prefix for runs: how much one may do, and how long it can be undone.
@Suite struct RunRuleTests {
    private func daemon(_ rules: String) throws -> LocalDaemon {
        var list = AccessList()
        for (name, rights) in [
            ("agent", [.read, .write]), ("ada", [.read, .write, .undoOthers]), ("root", .all),
        ] as [(String, Rights)] {
            list.add(tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        let daemon = try LocalDaemon(access: list)
        daemon.store.rules = try DocumentRules(reading: JSON(parsing: Array(rules.utf8)))
        return daemon
    }

    @discardableResult
    private func send(
        _ daemon: LocalDaemon, _ actor: String, _ method: String, _ path: String,
        _ body: String? = nil, is status: Int? = nil
    ) throws -> Answer {
        daemon.time.advance(by: 1_000)
        let token = actor.split(separator: "/").first.map(String.init) ?? actor
        let fields = LocalDaemon.json.by(actor).merging(["Authorization": "Bearer vd_\(token)"]) {
            $1
        }
        let answer = try daemon.client.request(method, "/v1" + path, fields, body: body)
        if let status { #expect(answer.status == status, "\(path): \(answer.text)") }
        return answer
    }

    private let merge = #"{"merge":{"n":6}}"#
    private let undo = #"{"all":{"actor":"agent/1"}}"#

    // MARK: Undo

    @Test func `27: an edit of a run that is too old is undone by an administrator only`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"shop/","undo":{"within":"1h"}}]}"#)
        for name in ["shop%2Fa", "menu"] {
            try send(daemon, "ada", "PUT", "/documents/\(name)", #"{"n":5}"#, is: 201)
            try send(daemon, "agent/1", "PATCH", "/documents/\(name)", merge, is: 200)
        }
        try send(daemon, "ada", "POST", "/undo", undo, is: 200)
        try send(daemon, "ada", "POST", "/redo", undo, is: 200)
        daemon.time.advance(by: 3_601_000)
        let refused = try send(daemon, "ada", "POST", "/undo", undo)
        #expect(refused.status == 403 && refused.code == "undo-too-late", "\(refused.text)")
        let problem = try refused.json
        #expect(problem["prefix"] == "shop/" && problem["within"] == "1h")
        #expect(problem["oldest"] == 1 && problem["document"] == "shop/a")
        let page = try send(daemon, "ada", "GET", "/runs/agent%2F1").json
        let absent = page["documents"]?.elements?.map { $0["absent"] }
        #expect(absent == [nil, "undo-too-late"], "\(page)")
        // The same for a run's own undo, and by revision.
        for body in [#"{"actor":"agent/1"}"#, #"{"revision":1}"#] {
            let own = try send(daemon, "agent/1", "POST", "/documents/shop%2Fa/undo", body)
            #expect(own.code == "undo-too-late", "\(own.text)")
        }
        try send(
            daemon, "agent/1", "POST", "/documents/menu/undo", #"{"actor":"agent/1"}"#, is: 200)
        try send(daemon, "root", "POST", "/undo", undo, is: 200)
        try send(daemon, "ada", "POST", "/redo", undo, is: 200)
    }

    @Test func `27: a status says that an edit is too old for the caller to undo`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"","undo":{"within":"1h"}}]}"#)
        try send(daemon, "ada", "PUT", "/documents/menu", #"{"n":5}"#, is: 201)
        try send(daemon, "agent/1", "PATCH", "/documents/menu", merge, is: 200)
        let status = "/documents/menu/status?actor=agent/1"
        func own(_ actor: String) throws -> JSON? {
            try send(daemon, actor, "GET", status, is: 200).json["own"]
        }
        #expect(try own("agent/1")?["undo"]?["allowed"] == true)
        daemon.time.advance(by: 3_601_000)
        let late = try own("agent/1")
        #expect(late?["hasUndo"] == false && late?["undo"]?["allowed"] == false)
        #expect(late?["undo"]?["version"] == 1)
        #expect(try own("root")?["undo"]?["allowed"] == true)
    }

    @Test func `27: shared undo and restore of a document do not ask for the age of an edit`()
        throws
    {
        let daemon = try daemon(#"{"rules":[{"prefix":"","undo":{"within":"1h"}}]}"#)
        try send(daemon, "ada", "PUT", "/documents/a", #"{"n":5}"#, is: 201)
        try send(daemon, "agent/1", "PATCH", "/documents/a", merge, is: 200)
        try send(daemon, "ada", "PATCH", "/documents/a", #"{"merge":{"m":1}}"#, is: 200)
        daemon.time.advance(by: 3_601_000)
        try send(daemon, "ada", "POST", "/undo", #"{"all":{"actor":"ada"}}"#)
        try send(daemon, "ada", "POST", "/documents/a/restore", #"{"from":"0"}"#, is: 200)
        try send(daemon, "agent/2", "PATCH", "/documents/a", merge, is: 200)
        daemon.time.advance(by: 3_601_000)
        try send(daemon, "ada", "POST", "/documents/a/undo", is: 200)
    }

    @Test func `27: a run may discard its scope at any time`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"","undo":{"within":"1h"}}]}"#)
        try send(daemon, "ada", "PUT", "/documents/a", #"{"n":5}"#, is: 201)
        try send(
            daemon, "agent/1", "POST", "/documents/a/scopes/push", #"{"ttl":"5h"}"#, is: 200)
        try send(daemon, "agent/1", "PATCH", "/documents/a", merge, is: 200)
        daemon.time.advance(by: 3_601_000)
        try send(daemon, "agent/1", "POST", "/documents/a/scopes/discard", is: 200)
        #expect(try send(daemon, "ada", "GET", "/documents/a").json == ["n": 5])
    }

    @Test func `27: an undo that deletes a document takes no edit of a run that is too old`()
        throws
    {
        let daemon = try daemon(#"{"rules":[{"prefix":"","undo":{"within":"1h"}}]}"#)
        let made = try send(
            daemon, "ada", "POST", "/transactions",
            #"{"changes":[{"document":"a","value":{"n":5}},{"document":"b","value":1}]}"#, is: 200)
        try send(daemon, "agent/1", "PATCH", "/documents/a", merge, is: 200)
        daemon.time.advance(by: 3_601_000)
        let name = try #require(try made.json["transaction"]?.string)
        let body = #"{"transaction":"\#(name)"}"#
        let refused = try send(daemon, "ada", "POST", "/undo?conflict=mine", body)
        #expect(refused.code == "undo-too-late", "\(refused.text)")
        try send(daemon, "ada", "GET", "/documents/a", is: 200)
        try send(daemon, "root", "PATCH", "/documents/a", #"{"merge":{"m":1}}"#, is: 200)
    }

    @Test func `27: a transaction that is too old in one document is not undone`() throws {
        let daemon = try daemon(#"{"rules":[{"prefix":"b","undo":{"within":"1h"}}]}"#)
        for name in ["a", "b"] {
            try send(daemon, "ada", "PUT", "/documents/\(name)", #"{"n":5}"#, is: 201)
        }
        let both =
            #"{"changes":[{"document":"a","merge":{"n":1}},{"document":"b","merge":{"n":1}}]}"#
        let made = try send(daemon, "agent/1", "POST", "/transactions", both, is: 200)
        let name = try #require(try made.json["transaction"]?.string)
        daemon.time.advance(by: 3_601_000)
        for body in [
            #"{"transaction":"\#(name)"}"#, #"{"all":{"actor":"agent/1"},"documents":["a"]}"#,
        ] {
            let refused = try send(daemon, "ada", "POST", "/undo", body)
            #expect(refused.code == "undo-too-late", "\(refused.text)")
        }
    }

    // MARK: Quotas

    private let quotas = #"""
        {"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"edits":3,"documents":2}},
          {"below":"agent/long","quota":{"edits":100}}]}]}
        """#

    @Test func `27: a run edits as often as its quota allows, and is then undone and closed`()
        throws
    {
        let daemon = try daemon(quotas)
        try send(daemon, "ada", "PUT", "/documents/a", #"{"n":5}"#, is: 201)
        func edit(_ actor: String, _ number: Int) throws -> Answer {
            try send(
                daemon, actor, "PATCH", "/documents/a", #"{"merge":{"n":\#(number)}}"#)
        }
        for number in 0..<3 { #expect(try edit("agent/1", number).status == 200) }
        let refused = try edit("agent/1", 9)
        #expect(refused.status == 403 && refused.code == "quota-reached", "\(refused.text)")
        let problem = try refused.json
        #expect(problem["run"] == "agent/1" && problem["measure"] == "edits")
        #expect(problem["max"] == 3 && problem["prefix"] == "")
        let both = #"{"changes":[{"document":"a","merge":{"n":9}}]}"#
        let transaction = try send(daemon, "agent/1", "POST", "/transactions", both)
        #expect(transaction.code == "quota-reached", "\(transaction.text)")
        let own = #"{"actor":"agent/1"}"#
        try send(daemon, "agent/1", "POST", "/documents/a/undo", own, is: 200)
        // Others are not counted, nor is a run with a quota of its own.
        for number in 10..<14 {
            for actor in ["ada", "agent/long/1", "agent/2"] where actor != "agent/2" || number < 13
            {
                #expect(try edit(actor, number).status == 200, "\(actor)")
            }
        }
        try send(daemon, "agent/1", "PUT", "/runs/agent%2F1", is: 201)
        try send(daemon, "agent/1", "POST", "/runs/agent%2F1/close", is: 200)
    }

    @Test func `27: a run edits as many documents as its quota allows`() throws {
        let daemon = try daemon(quotas)
        for name in ["a", "b"] {
            try send(daemon, "agent/1", "PUT", "/documents/\(name)", "{}", is: 201)
        }
        let refused = try send(daemon, "agent/1", "PUT", "/documents/c", "{}")
        #expect(refused.code == "quota-reached", "\(refused.text)")
        #expect(try refused.json["measure"] == "documents")
        try send(daemon, "agent/1", "PATCH", "/documents/b", merge, is: 200)
        try send(daemon, "agent/2", "PUT", "/documents/c", "{}", is: 201)
    }

    @Test func `27: a run brings back no more of its edits than its quota allows`() throws {
        let rules = #"{"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"edits":2}}]}]}"#
        let daemon = try daemon(rules)
        try send(daemon, "ada", "PUT", "/documents/a", #"{"n":0}"#, is: 201)
        func step(_ path: String, _ body: String, is status: Int) throws {
            try send(daemon, "agent/1", "POST", "/documents/a/" + path, body, is: status)
        }
        for round in 0..<2 {
            for number in 1...2 {
                let merge = #"{"merge":{"m\#(round)":\#(number)}}"#
                try send(daemon, "agent/1", "PATCH", "/documents/a", merge, is: 200)
            }
            if round == 0 { for _ in 1...2 { try step("undo", #"{"actor":"agent/1"}"#, is: 200) } }
        }
        try step("redo", #"{"revision":1}"#, is: 403)
        try step("undo", #"{"actor":"agent/1"}"#, is: 200)
        try step("redo", #"{"actor":"agent/1"}"#, is: 200)
        // An undo of all of them makes no room, so its redo needs none.
        try send(daemon, "agent/1", "POST", "/undo", undo, is: 200)
        try send(daemon, "agent/1", "POST", "/redo", undo, is: 200)
    }

    @Test func `27: redo of transactions is within the quota of a run`() throws {
        let rules = #"{"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"edits":2}}]}]}"#
        let daemon = try daemon(rules)
        for name in ["a", "b"] {
            try send(daemon, "ada", "PUT", "/documents/\(name)", #"{"n":0}"#, is: 201)
        }
        func edit(_ member: String) throws -> String {
            let parts = ["a", "b"].map { #"{"document":"\#($0)","merge":{"\#(member)":1}}"# }
            let made = try send(
                daemon, "agent/1", "POST", "/transactions",
                #"{"changes":[\#(parts.joined(separator: ","))]}"#, is: 200)
            return try made.json["transaction"]?.string ?? ""
        }
        let first = try edit("x")
        try send(daemon, "agent/1", "POST", "/undo", #"{"transaction":"\#(first)"}"#, is: 200)
        let second = try edit("y")
        try send(daemon, "agent/1", "POST", "/redo", #"{"transaction":"\#(first)"}"#, is: 403)
        // Undo and redo by turns.
        try send(daemon, "agent/1", "POST", "/undo", #"{"transaction":"\#(second)"}"#, is: 200)
        try send(daemon, "agent/1", "POST", "/redo", #"{"transaction":"\#(first)"}"#, is: 200)
    }

    @Test func `27: redos in one transaction count together for a quota`() throws {
        let rules = #"{"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"edits":2}}]}]}"#
        let daemon = try daemon(rules)
        for name in ["a", "b", "c"] {
            try send(daemon, "ada", "PUT", "/documents/\(name)", #"{"n":0}"#, is: 201)
        }
        for name in ["a", "b"] {
            let path = "/documents/" + name
            try send(daemon, "agent/1", "PATCH", path, merge, is: 200)
            try send(daemon, "agent/1", "POST", path + "/undo", #"{"actor":"agent/1"}"#, is: 200)
        }
        try send(daemon, "agent/1", "PATCH", "/documents/c", merge, is: 200)
        let both = ["a", "b"].map { #"{"document":"\#($0)","undo":{"revision":2}}"# }
        for (parts, status) in [(both, 403), ([both[0]], 200)] {
            let body = #"{"changes":[\#(parts.joined(separator: ","))]}"#
            try send(daemon, "agent/1", "POST", "/transactions", body, is: status)
        }
    }

    @Test func `27: a merge of drafts by a run needs room for the origins alone`() throws {
        let rules = #"{"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"edits":2}}]}]}"#
        let daemon = try daemon(rules)
        for name in ["a", "b"] {
            try send(daemon, "ada", "PUT", "/documents/\(name)", #"{"n":0}"#, is: 201)
            try send(daemon, "ada", "PUT", "/documents/s~%2F\(name)?copyOf=\(name)", is: 201)
            try send(daemon, "ada", "PATCH", "/documents/s~%2F\(name)", merge, is: 200)
        }
        try send(daemon, "agent/1", "POST", "/merge", #"{"prefix":"s~/"}"#, is: 200)
        #expect(try send(daemon, "ada", "GET", "/runs/agent%2F1").json["edits"] == 2)
    }

    @Test func `27: a copy of a history is within the quota of the run that makes it`() throws {
        let rules = #"{"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"edits":3}}]}]}"#
        let daemon = try daemon(rules)
        try send(daemon, "ada", "PUT", "/documents/a", #"{"n":0}"#, is: 201)
        try send(daemon, "agent/1", "PATCH", "/documents/a", merge, is: 200)
        for (number, status) in [201, 201, 403, 403].enumerated() {
            let path = "/documents/copy\(number)?copyOf=a&withHistory"
            try send(daemon, "agent/1", "PUT", path, is: status)
        }
        try send(daemon, "ada", "PUT", "/documents/copy?copyOf=a&withHistory", is: 201)
    }

    @Test func `27: a transaction of a run is within its quota as a whole`() throws {
        let daemon = try daemon(quotas)
        func transact(_ names: [String]) throws -> Answer {
            let changes = names.map { #"{"document":"\#($0)","value":{}}"# }
            return try send(
                daemon, "agent/1", "POST", "/transactions",
                #"{"changes":[\#(changes.joined(separator: ","))]}"#)
        }
        let refused = try transact(["a", "b", "c"])
        #expect(refused.code == "quota-reached", "\(refused.text)")
        #expect(try refused.json["measure"] == "documents")
        #expect(try transact(["a", "b"]).status == 200)
        let more = #"""
            {"changes":[{"document":"a","merge":{"n":1}},{"document":"b","merge":{"n":1}}]}
            """#
        let edits = try send(daemon, "agent/1", "POST", "/transactions", more)
        #expect(try edits.code == "quota-reached" && edits.json["measure"] == "edits")
    }

    @Test func `27: a part of a transaction that changes nothing is not counted`() throws {
        let daemon = try daemon(quotas)
        for name in ["a", "b", "c"] {
            try send(daemon, "ada", "PUT", "/documents/\(name)", #"{"n":6}"#, is: 201)
        }
        for number in 1...2 {
            try send(
                daemon, "agent/1", "PATCH", "/documents/a", #"{"merge":{"n":\#(number)}}"#, is: 200)
        }
        func transact(_ names: [String]) throws -> Answer {
            let changes = names.map { #"{"document":"\#($0)","merge":{"n":6}}"# }
            return try send(
                daemon, "agent/1", "POST", "/transactions",
                #"{"changes":[\#(changes.joined(separator: ","))]}"#)
        }
        // In two documents the value is as it was.
        let made = try transact(["b", "c", "a"])
        #expect(made.status == 200, "\(made.text)")
        #expect(try transact(["a", "b", "c"]).status == 200)
        try send(daemon, "ada", "PATCH", "/documents/c", #"{"merge":{"n":7}}"#, is: 200)
        let refused = try transact(["a", "b", "c"])
        #expect(refused.code == "quota-reached", "\(refused.text)")
        #expect(try send(daemon, "ada", "GET", "/documents/c").json == ["n": 7])
    }

    @Test(arguments: [
        #"{"rules":[{"prefix":"","undo":{}}]}"#,
        #"{"rules":[{"prefix":"","undo":{"within":"soon"}}]}"#,
        #"{"rules":[{"prefix":"","runs":[{"quota":{"edits":1}}]}]}"#,
        #"{"rules":[{"prefix":"","runs":[{"below":"agent","quota":{"bytes":1}}]}]}"#,
    ])
    func `rules of runs with a fault are refused`(_ rules: String) throws {
        #expect(throws: DocumentRules.Fault.self) {
            try DocumentRules(reading: JSON(parsing: Array(rules.utf8)))
        }
    }
}
