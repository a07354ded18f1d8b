import AccessControl
import HTTPServing
import JSONTree
import Journaling
import Presence
import TestSupport
import Testing

/// Rule 22: presence is not history.
@Suite struct PresenceTests {
    private static let (one, two) = ("client-number-1", "client-number-2")

    private func set(
        _ daemon: LocalDaemon, _ client: String = one, _ state: String = "{}", _ query: String = "",
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        try daemon.menu("PUT", "/presence/\(client)\(query)", state, fields)
    }

    /// The items of a stream as they come, without bookmarks.
    private func stream(
        _ daemon: LocalDaemon, _ query: String, _ fields: [String: String] = [:]
    ) throws -> LineStream {
        try LineStream(
            daemon.server.port, "/v1/documents/menu/feed?\(query)", fields)
    }

    @Test func `22: who is there is listed, told, and in no journal`() throws {
        let journal = InMemoryJournal()
        let daemon = try LocalDaemon(journal: journal)
        try daemon.put("{}")
        let before = journal.lastSequence
        #expect(try set(daemon, PresenceTests.one, #"{"at":3}"#, "?revision=0").status == 204)
        let list = try daemon.menu("GET", "/presence").json
        #expect(list["clients"]?.count == 1)
        let first = list["clients"]?[0]
        #expect(first?["client"]?.string == PresenceTests.one && first?["revision"] == 0)
        #expect(first?["state"]?["at"] == 3 && first?["time"]?.string != nil)
        let stream = try stream(daemon, "presence=true")
        let all = try stream.next()
        #expect(all["event"] == "presence" && all["all"] == true && all["clients"]?.count == 1)
        #expect(try set(daemon, PresenceTests.two, "2").status == 204)
        daemon.tellPresence()
        let came = try stream.next()
        #expect(came["all"] == nil && came["clients"]?[0]?["state"] == 2, "\(came)")
        #expect(try daemon.menu("DELETE", "/presence/\(PresenceTests.one)").status == 204)
        daemon.tellPresence()
        let left = try stream.next()
        #expect(left["clients"]?[0]?["client"]?.string == PresenceTests.one)
        #expect(left["clients"]?[0]?["state"] == .null)
        for number in 0..<10_000 {
            #expect(try set(daemon, PresenceTests.two, "\(number)").status == 204)
        }
        #expect(journal.lastSequence == before)
    }

    @Test func `22: changes and presence come in one stream, and others see neither`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        let plain = try stream(daemon, "")
        let stream = try stream(daemon, "presence=\(PresenceTests.one)")
        #expect(try stream.next()["all"] == true)
        _ = try set(daemon)
        daemon.tellPresence()
        #expect(try stream.next()["event"] == "presence")
        try daemon.put("1")
        #expect(try stream.next()["event"] == "change")
        #expect(try plain.next()["event"] == "change")
    }

    @Test func `22: a client stays as long as its stream`() throws {
        let daemon = try LocalDaemon(isTimeReal: true)
        try daemon.put("{}")
        var stream: LineStream? = try stream(
            daemon, "heartbeat=1s&presence=\(PresenceTests.one)")
        _ = try stream?.next()
        _ = try set(daemon, PresenceTests.one, "1", "?ttl=5s")
        func count() throws -> Int? { try daemon.menu("GET", "/presence").json["clients"]?.count }
        daemon.time.advance(by: 60_000)
        #expect(try count() == 1)
        stream?.close()
        stream = nil
        try until {
            daemon.time.advance(by: 5_000)
            return try count() == 0
        }
    }

    @Test(arguments: ["1s", "15s", "60s"])
    func `22: a client whose stream is closed has gone after 5 s, whatever the heartbeat`(
        heartbeat: String
    ) throws {
        // The server's clock does not move: no heartbeat is ever due.
        let daemon = try LocalDaemon(streamsMax: 1)
        try daemon.put("{}")
        let path = "heartbeat=\(heartbeat)&presence=\(PresenceTests.one)"
        var stream: LineStream? = try stream(daemon, path)
        _ = try stream?.next()
        _ = try set(daemon, PresenceTests.one, "1", "?ttl=5s")
        daemon.time.advance(by: 60_000)
        func count() throws -> Int? { try daemon.menu("GET", "/presence").json["clients"]?.count }
        stream = nil
        // Where another stream is let in, the end of the first one was noticed.
        var next: RawConnection?
        try until {
            let connection = try RawConnection(port: daemon.server.port)
            next = connection
            return try connection.open(
                "/v1/documents/menu/feed", ["Accept": "application/x-ndjson"]
            ).status == 200
        }
        #expect(try count() == 1 && next != nil)
        daemon.time.advance(by: 5_000)
        #expect(try count() == 0)
    }

    @Test func `22: a token that has taken its share of a document locks no other one out`() throws
    {
        var access = AccessList()
        for name in ["reader", "ada"] {
            access.add(
                tokenHash: Token.hash(of: name),
                Grant(name: name, rights: Rights(name: name == "ada" ? "write" : "read") ?? []))
        }
        let daemon = try LocalDaemon(access: access)
        func by(_ name: String) -> [String: String] { ["Authorization": "Bearer \(name)"] }
        #expect(try daemon.menu("PUT", "", "{}", by("ada")).status == 201)
        for number in 0..<256 {
            let answer = try set(daemon, "client-\(number)", "1", "", by("reader"))
            #expect(answer.status == 204)
        }
        let refused = try set(daemon, "client-256", "1", "", by("reader"))
        #expect(refused.status == 503 && refused.code == "too-many-present")
        #expect(refused.text.contains("256 clients of this token"))
        #expect(try set(daemon, "client-ada", "1", "", by("ada")).status == 204)
    }

    @Test func `22: a client belongs to the token that made it`() throws {
        var access = AccessList()
        for name in ["ada", "bob"] {
            access.add(
                tokenHash: Token.hash(of: name),
                Grant(name: name, rights: Rights(name: "write") ?? []))
        }
        let daemon = try LocalDaemon(access: access)
        func by(_ name: String) -> [String: String] { ["Authorization": "Bearer \(name)"] }
        #expect(try daemon.menu("PUT", "", "{}", by("ada")).status == 201)
        #expect(try set(daemon, PresenceTests.one, "1", "", by("ada")).status == 204)
        #expect(try set(daemon, PresenceTests.one, "2", "", by("bob")).code == "foreign-presence")
        #expect(
            try daemon.menu("DELETE", "/presence/\(PresenceTests.one)", nil, by("bob")).code
                == "foreign-presence")
        #expect(
            try daemon.menu(
                "GET", "/feed?presence=\(PresenceTests.one)", nil,
                by("bob").merging(["Accept": "application/x-ndjson"]) { $1 }
            ).code
                == "foreign-presence")
        let list = try daemon.menu("GET", "/presence", nil, by("bob")).json
        #expect(list["clients"]?[0]?["actor"] == "ada")
    }

    @Test func `22: a document that ended has nobody in it`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        _ = try set(daemon)
        let stream = try stream(daemon, "presence=true")
        #expect(try stream.next()["clients"]?.count == 1)
        try daemon.delete()
        #expect(try stream.next()["event"] == "change")
        daemon.tellPresence()
        #expect(try stream.next()["clients"]?[0]?["state"] == .null)
        #expect(try daemon.menu("GET", "/presence").code == "document-deleted")
        #expect(try set(daemon).code == "document-deleted")
    }

    @Test func `22: reading of a deletion long ago throws nobody out`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        try daemon.delete()
        try daemon.put("{}")
        _ = try set(daemon)
        let stream = try stream(daemon, "presence=true&cursor=0")
        let events = try (0..<3).map { _ in try stream.next()["event"]?.string }
        #expect(events.count { $0 == "change" } == 2)
        #expect(try daemon.menu("GET", "/presence").json["clients"]?.count == 1)
        try daemon.delete()
        try daemon.put("{}")
        #expect(try daemon.menu("GET", "/presence").json["clients"]?.count == 0)
    }

    @Test func `22: a setting shows nobody`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        try daemon.set(#"{"presence":false}"#)
        #expect(try set(daemon).code == "no-presence")
        #expect(try daemon.menu("DELETE", "/presence/\(PresenceTests.one)").status == 204)
        #expect(try daemon.menu("GET", "/presence").code == "no-presence")
        #expect(
            try daemon.menu(
                "GET", "/feed?presence=true", nil, ["Accept": "text/event-stream"]
            ).code == "no-presence")
        try daemon.set(#"{"presence":null}"#)
        #expect(try set(daemon).status == 204)
    }

    @Test(arguments: [
        ("PUT", "/presence/short", "1", 400), ("PUT", "/presence/with%20a%20space", "1", 400),
        ("PUT", "/presence/client-number-1?ttl=1s", "1", 400),
        ("PUT", "/presence/client-number-1?ttl=2m", "1", 400),
        ("PUT", "/presence/client-number-1?revision=-1", "1", 400),
        ("PUT", "/presence/client-number-1", "{", 400),
        ("PUT", "/presence/client-number-1", "null", 400),
        ("PUT", "/presence/client-number-1", "", 400),
        ("GET", "/feed?presence=true", "", 400), ("GET", "/feed?presence=x", "", 400),
        ("POST", "/presence/client-number-1", "1", 405),
    ])
    func `22: what is no presence is refused`(
        _ method: String, _ path: String, _ body: String, _ status: Int
    ) throws {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        let answer = try daemon.menu(method, path, body.isEmpty ? nil : body)
        #expect(answer.status == status, "\(answer.text)")
    }

    @Test func `22: a state has 2 KiB, and a document that is not there has nobody`() throws {
        let daemon = try LocalDaemon()
        #expect(try set(daemon).code == "unknown-document")
        try daemon.put("{}")
        let long = "\"\(String(repeating: "a", count: 2_046))\""
        #expect(try set(daemon, PresenceTests.one, long).status == 204)
        #expect(try set(daemon, PresenceTests.one, long + " ").status == 413)
    }

    @Test func `22: a stream of several documents tells of each`() throws {
        let daemon = try LocalDaemon()
        for name in ["menu", "note"] {
            _ = try daemon.client.request(
                "PUT", "/v1/documents/\(name)", LocalDaemon.json, body: "{}")
        }
        let stream = try LineStream(
            daemon.server.port, "/v1/feed?documents=menu,note&presence=\(PresenceTests.one)", [:])
        let first = [try stream.next(), try stream.next()].compactMap { $0["document"]?.string }
        #expect(Set(first) == ["menu", "note"])
        #expect(
            try daemon.client.request(
                "GET", "/v1/feed?presence=true",
                [
                    "Accept": "application/x-ndjson"
                ]
            ).status == 400)
    }
}

/// A stream of lines, read as they come.
private final class LineStream {
    private let connection: RawConnection

    init(_ port: UInt16, _ path: String, _ fields: [String: String]) throws {
        connection = try RawConnection(port: port)
        let answer = try connection.open(
            path, fields.merging(["Accept": "application/x-ndjson"]) { $1 })
        #expect(answer.status == 200)
    }

    /// The next item that is not a bookmark.
    func next() throws -> JSON {
        while let line = connection.line() {
            let item = try JSON(parsing: Array(line.utf8))
            if item["event"] != "bookmark" { return item }
        }
        throw StreamEnded()
    }

    func close() { connection.reset() }

    private struct StreamEnded: Error {}
}
