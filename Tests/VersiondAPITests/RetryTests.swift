import Documents
import JSONTree
import Journaling
import TestSupport
import Testing

/// Rule 13: requests that are sent again.
@Suite struct RetryTests {
    private static func key(_ key: String) -> [String: String] { ["Idempotency-Key": key] }

    @Test func `13: a request that is sent again gets the answer that it got, and happens once`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        try daemon.put(#"{"n":1}"#)
        let first = try daemon.menu("POST", "/undo", nil, RetryTests.key("\"k1\""))
        try daemon.put(#"{"n":7}"#)
        let again = try daemon.menu("POST", "/undo", nil, RetryTests.key("k1"))
        #expect(again["idempotent-replayed"] == "true" && first["idempotent-replayed"] == nil)
        #expect(
            again.body == first.body && again["etag"] == first["etag"]
                && again.status == first.status)
        #expect(try daemon.value() == ["n": 7])
    }

    @Test func `13: conditions do not stand in the way of an answer that was given`() throws {
        let daemon = try LocalDaemon()
        let create = RetryTests.key("make").merging(["If-None-Match": "*"]) { $1 }
        #expect(try daemon.menu("PUT", "", "1", create).status == 201)
        #expect(try daemon.menu("PUT", "", "1", create).status == 201)
        let edit = RetryTests.key("edit").merging(["If-Match": "\"0\""]) { $1 }
        #expect(try daemon.menu("PUT", "", "2", edit).status == 200)
        #expect(try daemon.menu("PUT", "", "2", edit)["etag"] == "\"1\"")
        let end = RetryTests.key("end")
        #expect(try daemon.menu("DELETE", "", nil, end).status == 204)
        #expect(try daemon.menu("DELETE", "", nil, end)["idempotent-replayed"] == "true")
    }

    /// A request, its body, and what takes away the state that it names.
    static let named: [(method: String, rest: String, body: String?, gone: String)] = [
        ("POST", "/goto", #"{"to":"tag:w"}"#, "/tags/w"),
        ("POST", "/restore", #"{"from":"tag:w"}"#, "/tags/w"),
        ("POST", "/restore", #"{"from":"snapshot:s","paths":["/n"]}"#, "/snapshots/s"),
        ("POST", "/snapshots/s/restore", nil, "/snapshots/s"),
        ("PUT", "?copyOf=menu@tag:w", nil, "/tags/w"),
    ]

    @Test(arguments: named)
    func `13: an answer that was given does not need the state that was named`(
        method: String, rest: String, body: String?, gone: String
    ) throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        try daemon.succeed("PUT", "/tags/w", nil)
        try daemon.succeed("PUT", "/snapshots/s", nil)
        try daemon.put(#"{"n":1}"#)
        let key = RetryTests.key("k")
        let first = try daemon.menu(method, rest, body, key)
        #expect(first.status == 200 && first["idempotent-replayed"] == nil)
        let deleted = try daemon.menu("DELETE", gone, nil)
        #expect(deleted.status / 100 == 2)
        let again = try daemon.menu(method, rest, body, key)
        #expect(again.status == 200 && again["idempotent-replayed"] == "true")
        #expect(again.body == first.body && again["etag"] == first["etag"])
        #expect(try daemon.menu(method, rest, body).status == 404, "without the key")
        let other = try daemon.menu(
            method, rest, body, key.by("b"))
        #expect(other.code == "other-request")
    }

    @Test func `13: a repeated copy does not need what was copied`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        let (copy, key) = ("/v1/documents/copy?copyOf=menu", RetryTests.key("k"))
        let first = try daemon.client.request("PUT", copy, key)
        try daemon.succeed("DELETE", "", nil)
        let again = try daemon.client.request("PUT", copy, key)
        #expect(first.status == 201 && again.status == 201 && again.body == first.body)
        #expect(again["idempotent-replayed"] == "true")
    }

    @Test func `13: a key that marked another request is refused`() throws {
        let daemon = try LocalDaemon()
        try daemon.succeed("PUT", "", "1", RetryTests.key("k"))
        for (method, rest, body) in [
            ("PUT", "", "2"), ("POST", "/append", "1"), ("PUT", "?label=x", "1"),
        ] {
            let answer = try daemon.menu(method, rest, body, RetryTests.key("k"))
            #expect(answer.status == 422 && answer.code == "other-request")
        }
        #expect(
            try daemon.menu(
                "PUT", "", "1", RetryTests.key("k").by("b")
            ).status == 422)
        #expect(try daemon.menu("PUT", "", "1", RetryTests.key("")).code == "malformed-request")
        #expect(
            try daemon.menu("PUT", "", "1", RetryTests.key(String(repeating: "k", count: 256)))
                .status == 400)
    }

    @Test func `13: answers are remembered across a restart, from entries and from a checkpoint`()
        throws
    {
        let journal = InMemoryJournal()
        var daemon = try LocalDaemon(journal: journal)
        try daemon.succeed("PUT", "", "0", RetryTests.key("first"))
        for number in 1...1_200 { try daemon.put("\(number)") }
        let last = try daemon.menu("PUT", "", "7", RetryTests.key("last"))
        daemon.stop()
        daemon = try LocalDaemon(journal: journal)
        #expect(try daemon.menu("PUT", "", "7", RetryTests.key("last")).body == last.body)
        #expect(try daemon.menu("PUT", "", "0", RetryTests.key("first")).status == 201)
        #expect(try daemon.value() == 7)
    }

    @Test func `13: a request that failed, or changed nothing, is tried again`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        #expect(
            try daemon.menu("POST", "/undo", nil, RetryTests.key("u")).code == "nothing-to-undo")
        try daemon.put("1")
        #expect(try daemon.menu("POST", "/undo", nil, RetryTests.key("u")).status == 200)
    }

    @Test func `13: of many at once with one key, one happens`() async throws {
        let daemon = try LocalDaemon()
        try daemon.put("[]")
        let port = daemon.server.port
        let bodies = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let fields = LocalDaemon.patch.merging(RetryTests.key("same")) { $1 }
                    let client = try? RawConnection(port: port)
                    let patch = #"[{"op":"add","path":"/-","value":1}]"#
                    return
                        (try? client?.request("PATCH", "/v1/documents/menu", fields, body: patch))?
                        .body ?? []
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(bodies.count == 1)
        #expect(try daemon.value() == [1])
    }

    @Test func `13: a key is forgotten after a day, unless it is one of the last`() throws {
        let daemon = try LocalDaemon()
        try daemon.succeed("PUT", "", "0", RetryTests.key("old"))
        daemon.time.advance(by: 24 * 3_600_000 + 1)
        #expect(
            try daemon.menu("PUT", "", "0", RetryTests.key("old"))["idempotent-replayed"] == "true")
        for number in 2..<RequestLog.countMin + 1 {
            try daemon.succeed("PUT", "", "\(number)", RetryTests.key("\(number)"))
        }
        #expect(
            try daemon.menu("PUT", "", "0", RetryTests.key("old"))["idempotent-replayed"] == "true")
        try daemon.succeed("PUT", "", "1", RetryTests.key("new"))
        #expect(try daemon.menu("PUT", "", "5", RetryTests.key("old")).status == 200)
        #expect(
            try daemon.menu("PUT", "", "1", RetryTests.key("new"))["idempotent-replayed"] == "true")
    }
}
