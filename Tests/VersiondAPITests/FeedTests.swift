import HTTPServing
import JSONTree
import Journaling
import TestSupport
import Testing

/// The feed. The first six names are etcd's guarantees for a watch.
@Suite struct FeedTests {
    private static let lines = ["Accept": "application/x-ndjson"]
    private static let events = ["Accept": "text/event-stream"]

    /// A stream's items until `count` changes have arrived; bookmarks and seals are included.
    private func changes(_ connection: RawConnection, _ count: Int) throws -> [JSON] {
        var found: [JSON] = []
        while found.count < count, let line = connection.line() {
            let item = try JSON(parsing: Array(line.utf8))
            if item["event"] == "change" { found.append(item) }
        }
        return found
    }

    private func follow(_ daemon: LocalDaemon, _ rest: String, _ fields: [String: String] = lines)
        throws -> RawConnection
    {
        let connection = try RawConnection(port: daemon.server.port)
        #expect(try connection.open("/v1/" + rest, fields).status == 200)
        return connection
    }

    /// A document whose quick edits are one version, and a stream from now on.
    private func debounced() throws -> (LocalDaemon, RawConnection) {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        try daemon.set(#"{"debounce":"1s"}"#)
        let feed = try follow(daemon, "documents/menu/feed")
        #expect(feed.line()?.contains("bookmark") == true)
        return (daemon, feed)
    }

    /// The next items of a stream, whatever they are.
    private func items(_ feed: RawConnection, _ count: Int) throws -> [JSON] {
        try (0..<count).map { _ in try JSON(parsing: Array((feed.line() ?? "").utf8)) }
    }

    @Test func `ordered, unique and reliable: every change comes once, in order, whoever writes`()
        async throws
    {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let feed = try follow(daemon, "documents/menu/feed?cursor=-1")
        let (port, count) = (daemon.server.port, 200)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    guard let client = try? RawConnection(port: port) else { return }
                    for number in 0..<count {
                        _ = try? client.request(
                            "PUT", "/v1/documents/menu", LocalDaemon.json,
                            body: "\(writer * 1000 + number + 1)")
                    }
                }
            }
        }
        let found = try changes(feed, 4 * count + 1)
        #expect(found.map { $0["revision"]?.int } == Array(0...(4 * count)))
    }

    @Test func `atomic: a change of many operations is one event`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1,"b":1}"#)
        let feed = try follow(daemon, "documents/menu/feed?cursor=0")
        try daemon.put(#"{"a":2,"b":2,"c":2}"#)
        let change = try changes(feed, 1)[0]
        #expect(
            change["patch"]?.count == 3 && change["hasUndo"] == true
                && change["change"]?["kind"] == "append")
    }

    @Test
    func
        `resumable: from any revision on, without gap or repeat, from memory and from the journal`()
        throws
    {
        let daemon = try LocalDaemon()
        let last = 700
        for number in 0...last { try daemon.put("\(number)") }
        for since in [-1, 0, 1, 255, 256, 300, 511, 512, 699] {
            let feed = try follow(daemon, "documents/menu/feed?cursor=\(since)")
            #expect(
                try changes(feed, last - since).map { $0["revision"]?.int }
                    == Array((since + 1)...last), "since \(since)")
        }
        let held = try follow(daemon, "documents/menu/feed?cursor=-1")
        for number in 0..<400 { try daemon.succeed("PUT", "", "{\"n\":\(number)}") }
        #expect(
            try changes(held, last + 401).map { $0["revision"]?.int } == Array(0...(last + 400)))
        let again = try follow(
            daemon, "documents/menu/feed?cursor=0",
            ["Accept": "text/event-stream", "Last-Event-ID": "1099"])
        #expect(
            (0..<7).compactMap { _ in again.line() }.filter { $0.hasPrefix("id: ") } == [
                "id: 1099", "id: 1100",
            ], "Last-Event-ID counts")
    }

    @Test
    func `bookmarkable: a stream tells where it is, at its beginning and when nothing happens`()
        throws
    {
        let daemon = try LocalDaemon(isTimeReal: true)
        for number in 0...2 { try daemon.put("\(number)") }
        let feed = try follow(daemon, "documents/menu/feed?heartbeat=1s")
        #expect(feed.line() == #"{"event":"bookmark","revision":2}"#)
        #expect(feed.line() == #"{"event":"bookmark","revision":2}"#, "after a second of silence")
    }

    @Test func `a page tells what came after a revision, and where to go on`() throws {
        let daemon = try LocalDaemon()
        for number in 0...4 { try daemon.put("\(number)") }
        let page = try daemon.menu("GET", "/feed?cursor=0&limit=3").json
        #expect(
            page["events"]?.elements?.map { $0["revision"] } == [1, 2, 3] && page["next"] == 3)
        #expect(
            page["events"]?[0]?["patch"]?.description == #"[{"op":"replace","path":"","value":1}]"#
        )
        #expect(try daemon.menu("GET", "/feed?cursor=3").json["next"] == 4)
        #expect(
            try daemon.menu("GET", "/feed?cursor=4").json.description
                == #"{"document":"menu","events":[],"next":4}"#)
        #expect(try daemon.menu("GET", "/feed").json["events"]?.count == 5)
    }

    @Test func `a page waits for the first change, or until its time is over`() throws {
        let daemon = try LocalDaemon(isTimeReal: true)
        try daemon.put("0")
        let waiting = try RawConnection(port: daemon.server.port)
        waiting.send(
            "GET /v1/documents/menu/feed?cursor=0&wait=30s HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try until { daemon.store.followerCount > 0 }
        try daemon.put("1")
        #expect(try waiting.receive()?.json["next"] == 1)
        let empty = try waiting.request("GET", "/v1/documents/menu/feed?cursor=1&wait=1ms")
        #expect(
            try empty.status == 200 && empty.json["events"]?.count == 0 && empty.json["next"] == 1)
        #expect(daemon.store.followerCount == 0)
    }

    @Test func `a page does not give up on what is there and being read`() throws {
        let isOpen = TestLock(true)
        let journal = GatedJournal(InMemoryJournal(), isOpen)
        let daemon = try LocalDaemon(journal: journal, isTimeReal: true)
        for value in ["0", "1"] { try daemon.put(value) }
        isOpen.withLock { $0 = false }
        let waiting = try RawConnection(port: daemon.server.port)
        waiting.send(
            "GET /v1/documents/menu/feed?cursor=0&wait=1ms HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try until { daemon.store.followerCount > 0 }
        // It expires when later ones do, on each of the loops.
        let others = try (0..<8).map { _ in try RawConnection(port: daemon.server.port) }
        for other in others {
            other.send("GET /v1/feed?cursor=2&wait=1ms HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        for other in others { #expect(other.receive()?.status == 200) }
        isOpen.withLock { $0 = true }
        #expect(try waiting.receive()?.json["next"] == 1)
    }

    @Test func `events have the form that browsers read`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("{}")
        let feed = try RawConnection(port: daemon.server.port)
        let head = try feed.open("/v1/documents/menu/feed", FeedTests.events)
        #expect(head["content-type"] == "text/event-stream" && head["cache-control"] == "no-store")
        #expect(
            (0..<4).map { _ in feed.line() } == [
                "event: bookmark", "id: 0", #"data: {"event":"bookmark","revision":0}"#, "",
            ])
        try daemon.succeed("POST", "/append?debounce=1s", "[1]")
        #expect(feed.line() == "event: change" && feed.line() == "id: 1")
        #expect(
            feed.line()?.hasPrefix(#"data: {"event":"change","document":"menu","revision":1,"#)
                == true && feed.line() == "")
        try daemon.succeed("POST", "/seal")
        #expect(
            feed.line() == "event: seal" && feed.line()?.contains(#""version":1"#) == true,
            "a seal has no id")
    }

    @Test func `2: sealing announces the finished version, after the change that it ends with`()
        throws
    {
        let (daemon, feed) = try debounced()
        try daemon.put("1")
        try daemon.put("2")
        daemon.time.advance(by: 5_000)
        #expect(daemon.checkDeadlines() == [])
        let names = try items(feed, 3)
        #expect(
            names.map { $0["event"] } == ["change", "change", "seal"] && names[2]["version"] == 2)
    }

    @Test func `2: whatever ends a group announces its version, before it happens itself`() throws {
        let (daemon, feed) = try debounced()
        try daemon.put("1")
        try daemon.put("2")
        try daemon.succeed("PUT", "", "3", ["Versiond-Actor": "ada"])
        try daemon.undo()
        let items = try items(feed, 6)
        #expect(
            items.map { $0["event"] } == ["change", "change", "seal", "change", "seal", "change"])
        #expect(items[2]["version"] == 2 && items[4]["version"] == 4)
    }

    @Test func `2: a change that ends its own group comes before the seal`() throws {
        let (daemon, feed) = try debounced()
        try daemon.put("1")
        try daemon.succeed("POST", "/append?tag=done", "2")
        try daemon.put("3")
        let items = try items(feed, 4)
        #expect(items.map { $0["event"] } == ["change", "change", "seal", "change"])
        #expect(items[2]["version"] == 2 && items[2]["revision"] == 3)
    }

    @Test func `a page holds only so many bytes, and the next one goes on`() throws {
        let daemon = try LocalDaemon()
        let text = String(repeating: "x", count: 1 << 20)
        for number in 0..<12 { try daemon.succeed("PUT", "", "[\(number),\"\(text)\"]") }
        var (found, next) = ([JSON](), -1)
        while next < 11 {
            let answer = try daemon.menu("GET", "/feed?cursor=\(next)")
            #expect(answer.body.count < 6 << 20)
            found += try answer.json["events"]?.elements ?? []
            next = try #require(try answer.json["next"]?.int)
        }
        #expect(found.map { $0["revision"]?.int } == Array(0..<12))
        var (past, before): ([JSON], Int?) = ([], 12)
        while let revision = before {
            let answer = try daemon.menu("GET", "/history?limit=1000&cursor=\(revision)")
            #expect(answer.body.count < 6 << 20)
            past += try answer.json["changes"]?.elements ?? []
            before = try answer.json["next"]?.int
        }
        #expect(past.map { $0["revision"]?.int } == (0..<12).reversed())
        #expect(try daemon.menu("POST", "/undo", #"{"count":11}"#).json["version"] == 0)
    }

    @Test func `waiting for a prefix comes forward past what is about others`() throws {
        let daemon = try LocalDaemon(isTimeReal: true)
        for number in 0..<5 { try daemon.put("\(number)") }
        let page = try daemon.client.request("GET", "/v1/feed?cursor=0&prefix=z&wait=1ms").json
        #expect(page["events"]?.count == 0 && page["next"] == 5)
    }

    @Test func `chosen documents are followed by their names, whatever letters these have`() throws
    {
        let daemon = try LocalDaemon()
        for name in ["a", "b", "a%2Cb", "50%25", "%E6%9D%8E"] {
            let put = try daemon.client.request(
                "PUT", "/v1/documents/\(name)", LocalDaemon.json, body: "0")
            #expect(put.status == 201)
        }
        let page = try daemon.client.request(
            "GET", "/v1/feed?cursor=-1&documents=a%252Cb,50%2525,%25E6%259D%258E"
        ).json
        let names = page["events"]?.elements?.compactMap { $0["document"]?.string }
        #expect(names == ["a,b", "50%", "\u{674e}"])
        let wrong = try daemon.client.request("GET", "/v1/feed?documents=50%25")
        #expect(wrong.status == 400 && wrong.code == "malformed-request")
    }

    @Test func `many documents are followed by a prefix, from any number on`() throws {
        let daemon = try LocalDaemon()
        func put(_ name: String, _ body: String) throws {
            _ = try daemon.client.request(
                "PUT", "/v1/documents/\(name)", LocalDaemon.json, body: body)
        }
        for number in 0..<3 { for name in ["a%2F1", "b", "a%2F2"] { try put(name, "\(number)") } }
        let page = try daemon.client.request("GET", "/v1/feed?prefix=a/").json
        #expect(
            page["events"]?.elements?.map { $0["cursor"] } == [1, 3, 4, 6, 7, 9]
                && page["next"] == 9)
        #expect(page["events"]?[2]?["document"] == "a/1" && page["events"]?[2]?["revision"] == 1)
        let feed = try follow(daemon, "feed?prefix=a/&cursor=4")
        try put("b", "9")
        try put("a%2F2", "9")
        #expect(try changes(feed, 4).map { $0["cursor"]?.int } == [6, 7, 9, 11])
        let live = try follow(daemon, "feed")
        #expect(live.line() == #"{"event":"bookmark","cursor":11}"#)
        // A restore point is no document.
        #expect(try daemon.client.request("PUT", "/v1/restore-points/p").status == 201)
        try put("c", "1")
        let next = try changes(live, 1)[0]
        #expect(next["document"] == "c" && next["cursor"] == 13)
        #expect(try daemon.client.request("GET", "/v1/feed?cursor=99").code == "unknown-revision")
    }

    @Test func `a feed goes on through deletion and a new life`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let feed = try follow(daemon, "documents/menu/feed?cursor=0")
        try daemon.delete()
        try daemon.put("1")
        #expect(try changes(feed, 2).map { $0["change"]?["kind"] } == ["delete", "create"])
        try daemon.delete()
        let page = try daemon.menu("GET", "/feed?cursor=2&wait=5s").json
        #expect(page["events"]?[0]?["revision"] == 3)
    }

    @Test func `edits inside strings come as the client reads them`() throws {
        let daemon = try LocalDaemon()
        let text = String(repeating: "long ", count: 40)
        try daemon.succeed("PUT", "", "{\"t\":\"\(text)\"}")
        let strict = try follow(daemon, "documents/menu/feed?cursor=0")
        let text2 = try follow(
            daemon, "documents/menu/feed?cursor=0",
            ["Accept": "application/x-ndjson", "Prefer": "text-operations"])
        try daemon.succeed("PUT", "", "{\"t\":\"\(text)!\"}")
        #expect(try changes(strict, 1)[0]["patch"]?[0]?["op"] == "replace")
        #expect(try changes(text2, 1)[0]["patch"]?[0]?["op"] == "str_ins")
        #expect(
            try daemon.menu("GET", "/feed?cursor=0").json["events"]?[0]?["patch"]?[0]?["op"]
                == "replace")
    }

    @Test(arguments: [
        ("?cursor=7", "unknown-revision"), ("?cursor=x", "malformed-request"),
        ("?cursor=-2", "malformed-request"),
        ("?cursor=01", "malformed-request"), ("?wait=1s", "malformed-request"),
        ("?cursor=0&wait=61s", "malformed-request"),
        ("?heartbeat=1ms", "malformed-request"), ("?limit=0", "malformed-request"),
    ])
    func `what is no request for a feed is refused before it begins`(query: String, code: String)
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        #expect(try daemon.menu("GET", "/feed" + query, nil, FeedTests.events).code == code)
        #expect(
            try daemon.client.request("GET", "/v1/documents/none/feed").code == "unknown-document")
    }

    /// However the kernel shares out clients to loops.
    @Test(arguments: [1, 3])
    func `clients that have gone are let go, and only so many may follow`(loops: Int) throws {
        let daemon = try LocalDaemon(isTimeReal: true, loops: loops, streamsMax: 3)
        try daemon.put("0")
        var connections = try (0..<3).map { _ in
            try follow(daemon, "documents/menu/feed?heartbeat=1s")
        }
        #expect(connections.count == 3)
        let refused = try daemon.menu("GET", "/feed", nil, FeedTests.lines)
        #expect(
            refused.status == 503 && refused.code == "too-many-streams"
                && refused["retry-after"] == "30")
        #expect(try daemon.menu("GET", "/feed?cursor=-1").status == 200, "a page is no stream")
        connections = []
        try until { daemon.server.streamCount == 0 && daemon.store.followerCount == 0 }
        #expect(try daemon.menu("GET").json == 0)
    }

    @Test func `each shape has its own line ends, whoever reads first`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let feed = try follow(daemon, "documents/menu/feed")
        let poll = try RawConnection(port: daemon.server.port)
        poll.send(
            "GET /v1/documents/menu/feed?cursor=0&wait=30s HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try until { daemon.store.followerCount >= 2 }
        for number in 1...3 { try daemon.put("\(number)") }
        #expect(try changes(feed, 3).map { $0["revision"]?.int } == [1, 2, 3])
        #expect(poll.receive()?.status == 200)
    }

    @Test(arguments: [1, 3])
    func `only so many may wait, and those who left make room`(loops: Int) throws {
        let daemon = try LocalDaemon(isTimeReal: true, loops: loops, streamsMax: 2)
        try daemon.put("0")
        let ask =
            "GET /v1/documents/menu/feed?cursor=0&wait=60s HTTP/1.1\r\nHost: localhost\r\n\r\n"
        var waiting = try (0..<2).map { _ in try RawConnection(port: daemon.server.port) }
        for connection in waiting { connection.send(ask) }
        try until { daemon.store.followerCount >= 2 }
        #expect(try daemon.menu("GET", "/feed?cursor=0&wait=60s").code == "too-many-streams")
        #expect(waiting.count == 2)
        waiting = []
        try until { daemon.store.followerCount == 0 }
        #expect(try daemon.menu("GET", "/feed?cursor=0&wait=1ms").status == 200)
    }

    @Test func `a slow follower delays no writer and loses nothing`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let slow = try follow(daemon, "documents/menu/feed?cursor=0")
        let big = String(repeating: "x", count: 30_000)
        for number in 1...150 { try daemon.succeed("PUT", "", "\"\(number)\(big)\"") }
        #expect(try changes(slow, 150).map { $0["revision"]?.int } == Array(1...150))
    }

    @Test func `a follower that takes nothing is cut, and can resume`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let slow = try follow(daemon, "documents/menu/feed")
        let big = String(repeating: "x", count: 400_000)
        // More than the kernel buffers for a client that does not read.
        for number in 1...40 { try daemon.succeed("PUT", "", "\"\(number)\(big)\"") }
        try until {
            daemon.serverTime.advance(by: 200_000)
            return daemon.server.streamCount == 0
        }
        var last = 0
        while let line = slow.line(),
            let revision = try? JSON(parsing: Array(line.utf8))["revision"]?.int
        { last = revision }
        #expect(last < 40)
        let again = try follow(daemon, "documents/menu/feed?cursor=\(last)")
        #expect(try changes(again, 40 - last).map { $0["revision"]?.int } == Array((last + 1)...40))
    }

    @Test func `stopping ends streams and waiting pages`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let feed = try follow(daemon, "documents/menu/feed")
        let waiting = try RawConnection(port: daemon.server.port)
        waiting.send(
            "GET /v1/documents/menu/feed?cursor=0&wait=60s HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try until { daemon.store.followerCount >= 2 }
        daemon.stop()
        #expect(feed.line() != nil && feed.line() == nil)
        #expect(try waiting.receive()?.json["next"] == 0, "an empty page")
    }
}
