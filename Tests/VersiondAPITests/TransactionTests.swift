import AccessControl
import JSONTree
import TestSupport
import Testing

/// Rule 19: a transaction changes several documents, or none, and is undone as one.
@Suite struct TransactionTests {
    private let scene: TransactionScene

    init() throws {
        scene = try TransactionScene(#"{"menu":{"price":4},"stock":{"soup":1},"prices":{"p":1}}"#)
    }

    private func transact(
        _ changes: String, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> Answer {
        try scene.daemon.get().client.request(
            "POST", "/v1/transactions" + query, LocalDaemon.json.merging(fields) { $1 },
            body: "{\"changes\":[\(changes)]}")
    }

    private func value(_ name: String) throws -> JSON {
        try scene.request("GET", "/v1/documents/\(name)").json
    }

    /// Nothing has happened in any document.
    private func isUntouched() throws -> Bool {
        try ["menu", "stock", "prices"].allSatisfy { name in
            try scene.request("GET", "/v1/documents/\(name)")["etag"] == "\"0\""
        }
    }

    private let price = #"{"document":"menu","merge":{"price":5}}"#
    private let soup = #"{"document":"stock","patch":[{"op":"replace","path":"/soup","value":3}]}"#

    @Test func `19: members of all forms happen at one time, and are told as parts`() throws {
        let log = #"{"document":"log-17","value":{"what":"price"},"noneMatch":"*","label":"log"}"#
        let condition = #"{"document":"prices","match":0}"#
        let answer = try transact(
            [soup, price, log, condition].joined(separator: ","), "?label=all")
        #expect(answer.status == 200)
        let json = try answer.json
        #expect(json["transaction"] == "log-17@0")
        let changes = try #require(json["changes"]?.elements)
        #expect(changes.map { $0["document"]?.string } == ["stock", "menu", "log-17", "prices"])
        #expect(changes.map { $0["revision"] } == [1, 1, 0, 0])
        #expect(changes[3]["change"] == .null)
        let parts = changes[0..<3].map { $0["change"]?["transaction"]?["part"]?.int }
        #expect(parts == [3, 2, 1], "in the order of the names")
        #expect(changes[0]["change"]?["label"] == "all" && changes[2]["change"]?["label"] == "log")
        let times = Set(changes[0..<3].map { $0["change"]?["time"]?.string })
        #expect(times.count == 1)
        #expect(try value("menu") == ["price": 5] && value("stock") == ["soup": 3])
        #expect(try value("log-17") == ["what": "price"])
        let history = try scene.request("GET", "/v1/documents/menu/history").json
        #expect(
            history["changes"]?[0]?["transaction"]
                == ["id": "log-17@0", "part": 2, "count": 3])
        try scene.checkFeed()
    }

    @Test(arguments: [
        (#"{"document":"menu","merge":{"price":5},"match":7}"#, 412, "stale-revision"),
        (
            #"{"document":"menu","patch":[{"op":"test","path":"/price","value":9}]}"#, 409,
            "test-failed"
        ),
        (#"{"document":"menu","noneMatch":"*"}"#, 412, "stale-revision"),
        (#"{"document":"menu","match":3}"#, 412, "stale-revision"),
        (#"{"document":"absent","merge":{"a":1}}"#, 404, "unknown-document"),
        (#"{"document":"menu","undo":{"revision":9}}"#, 409, "not-in-effect"),
        (#"{"document":"menu","restore":{"from":"tag:x"}}"#, 404, "unknown-tag"),
        (#"{"document":"menu","patch":[{"op":"no"}]}"#, 400, "malformed-patch"),
        (#"{"document":"menu","merge":{"price":5},"base":"9"}"#, 404, "unknown-revision"),
    ])
    func `19: a member that is refused refuses all, and is named`(
        member: String, status: Int, code: String
    ) throws {
        let refused = try transact(soup + "," + member)
        #expect(refused.status == status && refused.code == code, "\(refused.text)")
        #expect(try refused.json["member"] == 1)
        #expect(
            try refused.json["document"]?.string == (member.contains("absent") ? "absent" : "menu"))
        #expect(try isUntouched())
    }

    @Test func `19: bad input says what is wrong, and nothing is done`() throws {
        for changes in [
            "", #"{"document":"menu"}"#, #"{"merge":{"price":5}}"#, price + "," + price,
            #"{"document":"menu","merge":{},"value":{}}"#, #"{"document":"menu","delete":false}"#,
            #"{"document":"menu","merge":{},"match":"x"}"#,
            #"{"document":"menu","merge":{},"own":[1]}"#,
            #"{"document":"menu","value":{},"wath":1}"#,
            #"{"document":"menu","undo":3}"#, #"{"document":"menu","undo":{}}"#,
            #"{"document":"menu","restore":{}}"#, #"{"document":"..","merge":{}}"#, "3",
            #"{"document":"menu","match":0,"conflict":"mine"}"#,
        ] {
            let refused = try transact(changes)
            #expect(refused.status == 400 && refused.code == "malformed-request", "\(changes)")
        }
        let many = (0...100).map { #"{"document":"d\#($0)","value":1}"# }
        #expect(try transact(many.joined(separator: ",")).code == "malformed-request")
        #expect(try transact(many.dropLast().joined(separator: ",")).status == 200)
        #expect(try isUntouched())
    }

    @Test func `19: a dry run says what would happen, and what changes nothing is no part`() throws
    {
        let told = try transact(price + "," + soup, "?dryRun")
        #expect(try told.json["dryRun"] == true && told.json["transaction"] == .null)
        #expect(try told.json["changes"]?[0]?["patch"]?.count == 1)
        #expect(try isUntouched())
        let same = try transact(price + #",{"document":"stock","merge":{"soup":1}}"#)
        #expect(try same.json["transaction"] == "menu@1")
        #expect(try same.json["changes"]?[1]?["change"] == .null)
        let nothing = try transact(price)
        #expect(try nothing.status == 200 && nothing.json["transaction"] == .null)
    }

    @Test func `13: a transaction with an idempotency key is carried out once`() throws {
        let key = ["Idempotency-Key": "k-1"]
        let condition = #",{"document":"prices","match":0}"#
        let first = try transact(price + "," + soup + condition, "", key)
        // The value that the condition required has appeared since.
        #expect(
            try scene.request(
                "PATCH", "/v1/documents/prices", #"{"p":2}"#, type: "application/merge-patch+json"
            ).status == 200)
        let again = try transact(price + "," + soup + condition, "", key)
        #expect(again["idempotent-replayed"] == "true" && first["idempotent-replayed"] == nil)
        #expect(try again.json["transaction"] == first.json["transaction"])
        let (was, now) = (try first.json["changes"], try again.json["changes"])
        #expect(was?[0] == now?[0] && was?[1] == now?[1])
        let other = try transact(price, "", key)
        #expect(other.status == 422 && other.code == "other-request")
        #expect(try scene.request("GET", "/v1/documents/menu")["etag"] == "\"1\"")
    }

    @Test func `19: it is looked up by any of its parts, and says which are in effect`() throws {
        #expect(try transact(price + "," + soup).status == 200)
        for name in ["menu@1", "stock@1"] {
            let found = try scene.request("GET", "/v1/transactions/\(name)").json
            #expect(found["transaction"] == "menu@1")
            #expect(found["parts"]?.elements?.map { $0["inEffect"] } == [true, true])
        }
        #expect(
            try scene.request("POST", "/v1/documents/menu/undo?alone", #"{"revision":1}"#).status
                == 200)
        let half = try scene.request("GET", "/v1/transactions/menu@1").json
        #expect(half["parts"]?.elements?.map { $0["inEffect"] } == [false, true])
        for name in ["menu@0", "menu@2", "menu@77", "nobody@0", "menu", "@1", "menu@x"] {
            let refused = try scene.request("GET", "/v1/transactions/\(name)")
            #expect(refused.code == "unknown-transaction", "\(name)")
        }
    }

    @Test func `19: undo and redo of a transaction are transactions, and come once`() throws {
        #expect(try transact(price + "," + soup).status == 200)
        let undone = try scene.request("POST", "/v1/undo", #"{"transaction":"stock@1"}"#)
        #expect(try undone.json["transaction"] == "menu@2")
        #expect(try value("menu") == ["price": 4] && value("stock") == ["soup": 1])
        let again = try scene.request("POST", "/v1/undo", #"{"transaction":"stock@1"}"#)
        #expect(again.status == 409 && again.code == "not-in-effect")
        #expect(try scene.request("POST", "/v1/redo", #"{"transaction":"menu@1"}"#).status == 200)
        #expect(try value("menu") == ["price": 5] && value("stock") == ["soup": 3])
        #expect(
            try scene.request("POST", "/v1/undo", #"{"transaction":"menu@2"}"#).code
                == "not-in-effect")
        #expect(try scene.request("POST", "/v1/undo", #"{"transaction":"menu@3"}"#).status == 200)
        #expect(try value("menu") == ["price": 4] && value("stock") == ["soup": 1])
    }

    @Test func `19: a document that a transaction made goes and comes back with it`() throws {
        let log = #"{"document":"log","value":{"n":1}}"#
        #expect(try transact(price + "," + log).status == 200)
        #expect(
            try scene.request("POST", "/v1/documents/menu/undo", #"{"revision":1}"#).status == 200)
        #expect(try scene.request("GET", "/v1/documents/log").code == "document-deleted")
        #expect(
            try scene.request("POST", "/v1/documents/menu/undo", #"{"revision":2}"#).status == 200)
        #expect(try value("log") == ["n": 1] && value("menu") == ["price": 5])
        #expect(
            try scene.request(
                "PATCH", "/v1/documents/log", #"{"n":2}"#, by: "bob",
                type: "application/merge-patch+json"
            ).status == 200)
        let refused = try scene.request("POST", "/v1/undo", #"{"transaction":"log@0"}"#)
        #expect(try refused.code == "conflict" && refused.json["document"] == "log")
        let rest = try scene.request(
            "POST", "/v1/undo?conflict=theirs", #"{"transaction":"log@0"}"#
        ).json
        #expect(rest["changes"]?[0]?["with"] == [3] && rest["changes"]?[0]?["revision"] == nil)
        #expect(try value("menu") == ["price": 4] && value("log") == ["n": 2])
    }

    @Test func `19: what moves one line does not split a transaction unawares`() throws {
        #expect(try transact(price + "," + soup).status == 200)
        for (call, body) in [
            ("undo", #"{}"#), ("undo", #"{"to":"version:0"}"#), ("goto", #"{"to":"version:0"}"#),
        ] {
            let refused = try scene.request("POST", "/v1/documents/menu/\(call)", body)
            #expect(refused.status == 409 && refused.code == "part-of-transaction", "\(call)")
            #expect(try refused.json["documents"] == ["stock"])
        }
        let both = try scene.request("POST", "/v1/documents/menu/undo?together")
        #expect(try both.json["change"]?["transaction"]?["count"] == 2)
        #expect(try value("menu") == ["price": 4] && value("stock") == ["soup": 1])
        #expect(try scene.request("POST", "/v1/documents/menu/undo?alone").status == 200)
        #expect(try value("menu") == ["price": 5] && value("stock") == ["soup": 1])
        let redo = try scene.request("POST", "/v1/documents/menu/redo")
        #expect(redo.code == "part-of-transaction")
        #expect(try scene.request("POST", "/v1/documents/menu/redo?alone").status == 200)
    }

    @Test func `19: the status names the transaction that the next undo is about`() throws {
        #expect(try transact(price + "," + soup, "", ["Versiond-Actor": "ada"]).status == 200)
        let status = try scene.request("GET", "/v1/documents/stock/status?actor=ada").json
        #expect(status["transaction"] == ["id": "menu@1", "part": 2, "count": 2])
        #expect(status["own"]?["undo"]?["transaction"]?["id"] == "menu@1")
        let other = try scene.request("GET", "/v1/documents/prices/status?actor=ada").json
        #expect(other["transaction"] == nil && other["own"]?["undo"] == .null)
    }

    @Test func `19: a part seals, joins nothing, and lands in the scopes that are open`() throws {
        func edit(_ n: Int) throws {
            let answer = try scene.request(
                "PATCH", "/v1/documents/menu?debounce=1h", "{\"n\":\(n)}", by: "ada",
                type: "application/merge-patch+json")
            #expect(answer.status == 200)
        }
        try edit(1)
        #expect(try transact(price + "," + soup, "", ["Versiond-Actor": "ada"]).status == 200)
        try edit(2)
        let versions = try scene.request("GET", "/v1/documents/menu/versions").json["versions"]
        #expect(versions?.count == 4)
        #expect(
            try scene.request("POST", "/v1/documents/menu/undo", #"{"actor":"ada"}"#).json[
                "change"]?["undone"] == [3])
        #expect(
            try scene.request("POST", "/v1/documents/menu/scopes/push", by: "ada").status == 200)
        let inside = price.replacing("5", with: "6")
        #expect(try transact(inside + "," + soup.replacing("3", with: "4")).status == 200)
        let discard = try scene.request("POST", "/v1/documents/menu/scopes/discard", by: "ada")
        #expect(discard.status == 200, "nothing of ada's is in it")
    }

    @Test func `19: rights are asked of each document, and a rate counts members`() throws {
        var list = AccessList()
        list.add(
            tokenHash: Token.hash(of: "vd_root"), Grant(name: "root", rights: .all))
        list.add(
            tokenHash: Token.hash(of: "vd_cook"),
            Grant(name: "cook", rights: [.read, .write, .undoOthers], prefix: "menu"))
        list.add(
            tokenHash: Token.hash(of: "vd_slow"),
            Grant(
                name: "slow", rights: [.read, .write], rate: .init(requests: 3, seconds: 3600)))
        let daemon = try LocalDaemon(access: list)
        func post(_ token: String, _ path: String, _ body: String? = nil) throws -> Answer {
            let known = body == nil ? [:] : LocalDaemon.json
            return try daemon.client.request(
                "POST", path, known.merging(["Authorization": "Bearer vd_\(token)"]) { $1 },
                body: body)
        }
        let both = #"{"changes":[{"document":"menu","value":1},{"document":"stock","value":1}]}"#
        let refused = try post("cook", "/v1/transactions", both)
        #expect(refused.status == 403)
        #expect(try refused.json["document"] == "stock" && refused.json["member"] == 1)
        #expect(try post("root", "/v1/transactions", both).status == 200)
        let delete = #"{"changes":[{"document":"menu","delete":true}]}"#
        #expect(try post("cook", "/v1/transactions", delete).json["right"] == "admin")
        #expect(try post("cook", "/v1/undo", #"{"transaction":"menu@0"}"#).status == 403)
        let edit = #"{"changes":[{"document":"menu","value":2},{"document":"stock","value":2}]}"#
        #expect(try post("slow", "/v1/transactions", edit).status == 200)
        #expect(try post("slow", "/v1/transactions", edit.replacing("2", with: "3")).status == 429)
        let far = try post("cook", "/v1/documents/menu/undo", #"{"revision":1}"#)
        #expect(far.status == 403 && !far.text.contains("stock"), "\(far.text)")
        #expect(
            try post("root", "/v1/documents/menu/undo?alone", #"{"revision":1}"#).status == 200)
    }
}
