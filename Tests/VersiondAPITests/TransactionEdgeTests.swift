import AccessControl
import JSONTree
import TestSupport
import Testing

/// Faults that a tester found in transactions: lives of documents, rights, copies, erasures, long
/// chains.
@Suite struct TransactionEdgeTests {
    private let daemon: LocalDaemon

    init() throws {
        var list = AccessList()
        for (name, rights) in [("u", [.read, .write]), ("bob", [.read, .write]), ("root", .all)]
            as [(String, Rights)]
        {
            list.add(tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        daemon = try LocalDaemon(access: list)
    }

    @discardableResult
    private func send(
        _ token: String, _ method: String, _ path: String, _ body: String? = nil,
        _ fields: [String: String] = [:], is status: Int = 200
    ) throws -> Answer {
        var all = ["Authorization": "Bearer vd_\(token)"].merging(fields) { $1 }
        if body != nil, all["Content-Type"] == nil { all["Content-Type"] = "application/json" }
        let answer = try daemon.client.request(method, path, all, body: body)
        #expect(answer.status == status, "\(method) \(path): \(answer.text)")
        return answer
    }

    private func put(_ token: String, _ name: String, _ value: String) throws {
        let answer = try daemon.client.request(
            "PUT", "/v1/documents/\(name)",
            ["Authorization": "Bearer vd_\(token)", "Content-Type": "application/json"],
            body: value)
        #expect([200, 201].contains(answer.status))
    }

    @discardableResult
    private func transact(
        _ token: String, _ changes: String, _ query: String = ""
    ) throws -> String {
        let body = "{\"changes\":[\(changes)]}"
        return try send(token, "POST", "/v1/transactions" + query, body).json["transaction"]?.string
            ?? ""
    }

    private func undo(_ token: String, _ name: String, _ body: String, is status: Int = 200) throws
    {
        try send(token, "POST", "/v1/documents/\(name)/undo", body, is: status)
    }

    private func value(_ name: String) throws -> JSON {
        let headers = ["Authorization": "Bearer vd_root"]
        let answer = try daemon.client.request("GET", "/v1/documents/\(name)", headers)
        return answer.status == 200 ? try answer.json : JSON(answer.code ?? "")
    }

    @Test func `19: several transactions over one other document are taken, also its creation`()
        throws
    {
        try put("u", "ta", #"{"v":1}"#)
        let first = #"{"document":"ta","merge":{"v":2}},{"document":"tb","value":{"v":1}}"#
        let second = #"{"document":"ta","merge":{"v":3}},{"document":"tb","merge":{"v":2}}"#
        try transact("u", first, "?label=X")
        try transact("u", second, "?label=X")
        try send("u", "POST", "/v1/undo", #"{"all":{"label":"X"},"documents":["ta"]}"#)
        #expect(try value("ta") == ["v": 1] && value("tb") == "document-deleted")
        try send("u", "POST", "/v1/undo", #"{"transaction":"ta@3"}"#)
        #expect(try value("ta") == ["v": 3] && value("tb") == ["v": 2])
    }

    @Test func `19: what has begun a new life is not the document that the transaction made`()
        throws
    {
        try put("u", "o1", #"{"n":0}"#)
        let name = try transact(
            "u", #"{"document":"o1","merge":{"n":1}},{"document":"o2","value":{"n":1}}"#)
        try send("root", "DELETE", "/v1/documents/o2", is: 204)
        try put("u", "o2", #"{"fresh":"important"}"#)
        let record = try send("u", "GET", "/v1/transactions/\(name)").json["parts"]
        #expect(record?.elements?.map { $0["inEffect"] } == [true, false])
        try undo("u", "o1", #"{"actor":"u"}"#)
        #expect(try value("o1") == ["n": 0] && value("o2") == ["fresh": "important"])
        try send("root", "DELETE", "/v1/documents/o2", is: 204)
        try send("u", "POST", "/v1/redo", #"{"transaction":"\#(name)"}"#)
        #expect(try value("o1") == ["n": 1] && value("o2") == "document-deleted")
    }

    @Test func `19: redo brings back only what undo took, and deletes only what it may`() throws {
        let made = try transact(
            "root", #"{"document":"y1","value":1},{"document":"y2","value":1}"#)
        try send("root", "DELETE", "/v1/documents/y1", is: 204)
        try send("bob", "POST", "/v1/redo", #"{"transaction":"\#(made)"}"#, is: 409)
        #expect(try value("y1") == "document-deleted")
        try put("root", "x1", "1")
        try put("root", "x2", "2")
        let ended = try transact(
            "root", #"{"document":"x1","delete":true},{"document":"x2","delete":true}"#)
        let refused = try send("bob", "POST", "/v1/undo", #"{"transaction":"\#(ended)"}"#, is: 403)
        #expect(try refused.json["right"] == "admin")
        try send("root", "POST", "/v1/undo", #"{"transaction":"\#(ended)"}"#)
        #expect(try value("x1") == 1 && value("x2") == 2)
        try send("bob", "POST", "/v1/redo", #"{"transaction":"\#(ended)"}"#, is: 403)
        try send("root", "POST", "/v1/redo", #"{"transaction":"\#(ended)"}"#)
        #expect(try value("x1") == "document-deleted" && value("x2") == "document-deleted")
    }

    @Test func `18: a document that was made is not taken without its transactions' other parts`()
        throws
    {
        try put("root", "g", #"{"n":0}"#)
        try put("u", "h", #"{"n":0}"#)
        try transact("u", #"{"document":"h","merge":{"n":2}},{"document":"g","merge":{"n":2}}"#)
        try send("u", "POST", "/v1/undo", #"{"all":{"actor":"u"},"documents":["h"]}"#)
        #expect(try value("h") == "document-deleted" && value("g") == ["n": 0])
        try put("u", "i0", #"{"n":0}"#)
        try transact(
            "u", #"{"document":"i0","merge":{"n":1}},{"document":"i1","value":{"n":1}}"#, "?label=T"
        )
        try put("bob", "i1", #"{"n":1,"bob":1}"#)
        let all = #"{"all":{"label":"T"},"documents":["i0","i1"]}"#
        #expect(try send("u", "POST", "/v1/undo", all, is: 409).code == "conflict")
        #expect(try value("i0") == ["n": 1])
        try send("u", "POST", "/v1/undo?conflict=theirs", all)
        #expect(try value("i0") == ["n": 0] && value("i1") == ["n": 1, "bob": 1])
    }

    @Test func `17: an erased place leaves its transactions what they are`() throws {
        try put("u", "a", #"{"v":0,"e":1}"#)
        try put("u", "b", #"{"v":0}"#)
        try transact("u", #"{"document":"a","merge":{"v":1}},{"document":"b","merge":{"v":1}}"#)
        try send("root", "POST", "/v1/documents/a/purge", #"{"paths":["/e"]}"#)
        let change = try send("u", "GET", "/v1/documents/a/history/1").json
        #expect(change["transaction"] == ["id": "a@1", "part": 1, "count": 2])
        try undo("u", "b", #"{"actor":"u"}"#)
        #expect(try value("a") == ["v": 0] && value("b") == ["v": 0])
    }

    @Test func `10: an own undo that skips conflicts passes a part in conflict as any version`()
        throws
    {
        for hides in [false, true] {
            let (near, far) = ("near\(hides)", "far\(hides)")
            let both = { (value: String) in
                #"{"document":"\#(near)","merge":\#(value)},{"document":"\#(far)","merge":\#(value)}"#
            }
            for name in [near, far] { try put("root", name, #"{"v":0,"own":0}"#) }
            let own = ["Content-Type": "application/merge-patch+json"]
            try send("u", "PATCH", "/v1/documents/\(near)", #"{"own":1}"#, own)
            try transact("u", both(#"{"o":{}}"#))
            try transact("bob", both(#"{"o":{"bob":1}}"#))
            if hides {
                try transact("u", both(#"{"v":1}"#))
                try transact("bob", both(#"{"v":2}"#))
            }
            let path = "/v1/documents/\(near)/undo?conflict=theirs"
            let undone = try send("u", "POST", path, #"{"actor":"u"}"#).json
            #expect(undone["change"]?["skipped"]?.count == 1)
            let left: JSON = ["v": hides ? 2 : 0, "own": 0, "o": ["bob": 1]]
            #expect(try value(near) == left && value(far) == left)
        }
    }

    @Test func `19: long chains of hidden and of many transactions are taken, too`() throws {
        try put("root", "p", #"{"n":0}"#)
        try put("root", "q", #"{"n":0}"#)
        try put("u", "own", #"{"n":0}"#)
        for n in 1...120 {
            try transact(
                "u", #"{"document":"p","merge":{"n":\#(n)}},{"document":"q","merge":{"n":\#(n)}}"#)
        }
        let hide = #"{"document":"p","merge":{"n":-1}},{"document":"q","merge":{"n":-1}}"#
        try transact("bob", hide)
        for passed in [101, 19] {
            let undone = try send("u", "POST", "/v1/documents/p/undo", #"{"actor":"u"}"#).json
            #expect(undone["patch"] == [] && undone["change"]?["passed"]?.count == passed)
        }
        try send("u", "POST", "/v1/documents/p/undo", #"{"actor":"u"}"#, is: 409)
        #expect(try value("p") == ["n": -1] && value("q") == ["n": -1])
        for n in 0..<30 {
            let pair = #"{"document":"c\#(n)","value":1},{"document":"c\#(n + 1)","value":1}"#
            if n.isMultiple(of: 2) { try transact("u", pair, "?label=many") }
        }
        let all = #"{"all":{"label":"many"},"prefix":"c"}"#
        #expect(try send("u", "POST", "/v1/undo", all).json["changes"]?.count == 30)
    }

    @Test func `19: a transaction of one part, and a copy, stand in nobody's way`() throws {
        try put("u", "a", #"{"n":0}"#)
        try put("u", "b", #"{"n":0}"#)
        try transact("u", #"{"document":"a","merge":{"n":1}},{"document":"b","merge":{"n":0}}"#)
        try undo("u", "a", "{}")
        try transact("u", #"{"document":"a","merge":{"n":2}},{"document":"b","merge":{"n":2}}"#)
        let copy = "/v1/documents/c?copyOf=a&withHistory=true"
        try send("root", "PUT", copy, nil, is: 201)
        try send("root", "POST", "/v1/documents/c/undo", "{}")
        #expect(try value("c") == ["n": 0] && value("a") == ["n": 2])
    }

    @Test func `19: conditions of one document are refused, and requireMatch needs none`() throws {
        try put("u", "a", #"{"n":0}"#)
        try put("u", "b", #"{"n":0}"#)
        let both = #"{"document":"a","merge":{"n":1}},{"document":"b","merge":{"n":1}}"#
        let name = try transact("u", both)
        let refused = try send(
            "u", "POST", "/v1/transactions", "{\"changes\":[\(both)]}", ["If-Match": "\"0\""],
            is: 400)
        #expect(refused.code == "malformed-request")
        let settings = #"{"requireMatch":true}"#
        try send("root", "PATCH", "/v1/documents/b/settings", settings)
        try send("u", "POST", "/v1/undo", #"{"transaction":"\#(name)"}"#)
        #expect(try value("a") == ["n": 0] && value("b") == ["n": 0])
    }

    @Test func `12: numbers beyond all others are refused, and the daemon lives`() throws {
        let most = "9223372036854775807"
        try send("u", "GET", "/v1/transactions/nope@\(most)", is: 404)
        try send("u", "POST", "/v1/undo", #"{"transaction":"nope@\#(most)"}"#, is: 404)
        try send("u", "POST", "/v1/restore", #"{"to":"cursor:\#(most)"}"#, is: 400)
        try send("u", "POST", "/v1/restore", #"{"to":"cursor:9007199254740992"}"#, is: 404)
    }

    @Test func `13: a restore with an idempotency key is carried out once`() throws {
        try put("u", "k", #"{"n":0}"#)
        let position = try send("u", "GET", "/v1/feed?cursor=0&limit=500").json["next"]?.int ?? 0
        try put("u", "k", #"{"n":1}"#)
        let body = #"{"prefix":"k","to":"cursor:\#(position)"}"#
        let first = try send("u", "POST", "/v1/restore", body, ["Idempotency-Key": "r"])
        try put("u", "k", #"{"n":99}"#)
        let again = try send("u", "POST", "/v1/restore", body, ["Idempotency-Key": "r"])
        #expect(again["idempotent-replayed"] == "true")
        #expect(try again.json["transaction"] == first.json["transaction"])
        #expect(try value("k") == ["n": 99])
        try send("u", "PUT", "/v1/documents/k/tags/t", is: 201)
        let changes = #"{"changes":[{"document":"k","restore":{"from":"0"}}]}"#
        let tagged = changes.replacing("\"0\"", with: "\"tag:t\"")
        try put("u", "k", #"{"n":100}"#)
        try send("u", "POST", "/v1/transactions", tagged, ["Idempotency-Key": "s"])
        try send("u", "DELETE", "/v1/documents/k/tags/t")
        let repeated = try send("u", "POST", "/v1/transactions", tagged, ["Idempotency-Key": "s"])
        #expect(repeated["idempotent-replayed"] == "true")
    }
}
