import HTTPServing
import TestSupport
import Testing
import Threading

/// Bytes over a real socket, against a handler that says what it saw.
@Suite struct HTTPServerTests {
    /// Answers with the request; `/later` from another thread, `/never` not at all.
    final class Echo: HTTPHandler {
        let bodyBytesMax: Int
        let workers = WorkQueue(name: "echo", threads: 1)
        let held = Lock<[any HTTPResponder]>([])

        static let large = (0..<(16 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 4) }
        static let huge = [UInt8](repeating: 7, count: 150 << 20)

        init(bodyBytesMax: Int = 1 << 20) {
            self.bodyBytesMax = bodyBytesMax
        }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
            head.target.segments == ["refused"]
                ? .refused(HTTPResponse(status: 403)) : .admitted(bodyBytesMax: bodyBytesMax)
        }

        func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
            let path = request.head.target.segments
            let text = "\(request.head.method.rawValue) \(path) \(request.body.count)"
            let response = HTTPResponse(status: 200, body: Array(text.utf8))
            switch path {
            case ["later"]: workers.async { responder.send(response) }
            case ["never"]: held.withLock { $0.append(responder) }
            case ["large"]: responder.send(HTTPResponse(status: 200, body: Echo.large))
            case ["huge"]: responder.send(HTTPResponse(status: 200, body: Echo.huge))
            default:
                responder.send(response)
                responder.send(HTTPResponse(status: 500))
            }
        }

        func refuse(_ fault: HTTPFault, _ fields: HTTPFields) -> HTTPResponse {
            switch fault {
            case .bodyTooLarge: HTTPResponse(status: 413)
            case .unknownMethod: HTTPResponse(status: 501)
            case .targetTooLong: HTTPResponse(status: 414)
            case .stopping, .tooMuchToSend, .tooMuchToReceive: HTTPResponse(status: 503)
            default: HTTPResponse(status: 400, body: Array("\(fault)".utf8))
            }
        }
    }

    /// A clock that a test can set forward.
    private func serve(
        _ handler: Echo = Echo(), loops: Int = 1,
        now: @escaping @Sendable () -> Duration = { .zero }
    ) throws -> HTTPServer {
        try HTTPServer(.init(loops: loops, connectionsMax: 600, now: now), handler: handler)
    }

    @Test func `V13: a client is served at once when others have left`() throws {
        let server = try HTTPServer(
            .init(loops: 1, connectionsMax: 8, now: { .zero }), handler: Echo())
        let clock = ContinuousClock()
        let start = clock.now
        // Each round waited for a second, where the loop had gone to sleep.
        for _ in 0..<40 {
            var others = try (0..<8).map { _ in try RawConnection(port: server.port) }
            for other in others { #expect(try other.request("GET", "/a").status == 200) }
            let next = try RawConnection(port: server.port)
            next.send("GET /b HTTP/1.1\r\nHost: localhost\r\n\r\n")
            others.removeAll()
            #expect(next.receive()?.status == 200)
        }
        let time = clock.now - start
        #expect(time < .seconds(20), "\(time)")
        server.stop()
    }

    @Test func `requests on one connection are answered in order`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send(
            "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
                + "PUT /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                + "GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\nHost: x\r\n\r\n")
        let answers = (0..<4).compactMap { _ in client.receive()?.text }
        #expect(
            answers == [#"GET ["a"] 0"#, #"PUT ["b"] 3"#, #"GET ["later"] 0"#, #"GET ["c"] 0"#])
    }

    @Test func `segments are decoded one by one, after splitting`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        #expect(
            try client.request("GET", "/a%2Fb/%C3%A9/c%20d").text == #"GET ["a/b", "é", "c d"] 0"#)
    }

    @Test(arguments: [
        "/a%00b", "/%ff", "/a/../b", "/%2e%2e/b", "/a%", "/a%g1", "/caf\u{e9}",
    ])
    func `targets that mean two things are refused`(target: String) throws {
        let server = try serve()
        defer { server.stop() }
        #expect(try RawConnection(port: server.port).request("GET", target).status == 400)
    }

    @Test func `a target may name the server`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        #expect(try client.request("GET", "http://localhost:1/a/b").text == #"GET ["a", "b"] 0"#)
        #expect(try client.request("OPTIONS", "*").text == "OPTIONS [] 0")
    }

    @Test func `requests that come while the server stops are refused, and nothing is left behind`()
        throws
    {
        for _ in 0..<20 {
            let server = try serve()
            let client = try RawConnection(port: server.port)
            _ = try client.request("GET", "/a")
            for _ in 0..<50 { client.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n") }
            server.stop()
            while let answer = client.receive() { #expect(answer.status == 503) }
        }
    }

    @Test func `chunked bodies are put together`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send(
            "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
        #expect(client.receive()?.text == #"POST ["a"] 7"#)
    }

    @Test(
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n",
            "Content-Length: 4\r\nContent-Length: 30\r\n\r\nabcdGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "Expect: nonsense\r\n\r\n",
            "Versiond-Actor: ada\r\nVersiond-Actor: bob\r\n\r\n",
            "Transfer-Encoding: xchunked\r\n\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            "Content-Length : 4\r\n\r\nabcd",
            "Content-Length: +4\r\n\r\nabcd",
            "Host: other\r\nContent-Length: 0\r\n\r\n",
            "Na me: x\r\nContent-Length: 0\r\n\r\n",
            "X-Name: a\rb\r\nContent-Length: 0\r\n\r\n",
            "Content-Type: a\r\nContent-Type: b\r\nContent-Length: 0\r\n\r\n",
            "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
            "Content-Length:\r\n 4\r\n\r\nabcd",
        ], ["POST", "PATCH", "DELETE"])
    func `smuggled requests are refused, and the connection is closed`(
        rest: String, method: String
    ) throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send("\(method) /a HTTP/1.1\r\nHost: x\r\n" + rest)
        let answer = try #require(client.receive())
        #expect(answer.status == 400)
        var statuses: [Int] = []
        while let next = client.receive() { statuses.append(next.status) }
        #expect(statuses.allSatisfy { $0 == 400 }, "nothing that was smuggled in was carried out")
    }

    @Test func `more fields than anybody needs are refused`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        let fields = (0..<70).map { "X-\($0): 1\r\n" }.joined()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
        #expect(client.receive()?.status == 400)
    }

    @Test func `unknown methods are told so`() throws {
        let server = try serve()
        defer { server.stop() }
        #expect(try RawConnection(port: server.port).request("FOO", "/a").status == 501)
        #expect(try RawConnection(port: server.port).request("BREW", "/a").status == 501)
    }

    @Test(arguments: ["/a", "/refused"])
    func `what is refused is read, and the connection goes on`(path: String) throws {
        let server = try serve(Echo(bodyBytesMax: 1_000))
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        for _ in 0..<2 {
            client.send("PUT \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 17000000\r\n\r\n")
            client.send(String(repeating: "x", count: 17_000_000))
            #expect(client.receive()?.status == (path == "/refused" ? 403 : 413))
        }
        #expect(server.bodyBytesHeld == 0)
        #expect(try client.request("GET", "/b").status == 200)
    }

    @Test
    func `a body is refused unread by who waits for leave to send it, or if it is far too long`()
        throws
    {
        let server = try serve(Echo(bodyBytesMax: 1_000))
        defer { server.stop() }
        for fields in ["Content-Length: 1001\r\nExpect: 100-continue", "Content-Length: 99999999"] {
            let client = try RawConnection(port: server.port)
            client.send("PUT /a HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n")
            #expect(client.receive()?.status == 413)
            #expect(client.isClosed)
        }
    }

    @Test func `a chunked body over the limit is refused, and a far longer one is cut`() throws {
        let server = try serve(Echo(bodyBytesMax: 1_000))
        defer { server.stop() }
        func send(_ chunks: Int) throws -> Answer? {
            let client = try RawConnection(port: server.port)
            client.send("PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "100000\r\n" + String(repeating: "x", count: 1 << 20) + "\r\n"
            for _ in 0..<chunks { client.send(chunk) }
            client.send("0\r\n\r\n")
            return client.receive()
        }
        #expect(try send(2)?.status == 413)
        #expect(try send(65) == nil)
    }

    @Test func `a refusal at the head comes before the body`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send(
            "PUT /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.receive()?.status == 403)
    }

    @Test func `a client that drips its body is cut at the deadline`() async throws {
        let time = Lock(Duration.zero)
        let server = try serve(now: { time.withLock { $0 } })
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nab")
        let witness = try RawConnection(port: server.port)
        #expect(try witness.request("GET", "/b").status == 200)
        time.withLock { $0 = .seconds(300) }
        #expect(client.isClosed)
    }

    @Test func `a large response arrives whole, in parts, and a HEAD has none of it (D6)`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        for _ in 0..<2 {
            let answer = try client.request("GET", "/large")
            #expect(answer.status == 200 && answer.body == Echo.large)
        }
        let head = try client.request("HEAD", "/large")
        #expect(head["content-length"] == "\(Echo.large.count)" && head.body.isEmpty)
        #expect(try client.request("GET", "/a").status == 200)
    }

    @Test func `a client that stops reading a large response is cut at the deadline (D6)`() throws {
        let time = Lock(Duration.zero)
        let server = try serve(now: { time.withLock { $0 } })
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        let other = try RawConnection(port: server.port)
        #expect(try other.request("GET", "/a").status == 200)
        try until { server.activeCount == 1 }
        // Parts may still go into the kernel's buffers, and each has a deadline of its own.
        try until {
            time.withLock { $0 += .seconds(1) }
            return server.activeCount == 0
        }
        #expect(client.receive() == nil, "only a part of it came")
    }

    @Test func `bodies have a limit in bytes together, and what finds no room is told so`() throws {
        let server = try HTTPServer(
            .init(bytesMax: 100_000, now: { .zero }), handler: Echo())
        defer { server.stop() }
        let half = try RawConnection(port: server.port)
        half.send(
            "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n"
                + String(repeating: "x", count: 89_000))
        try until { server.bodyBytesHeld == 89_000 }
        let other = try RawConnection(port: server.port)
        let body = String(repeating: "y", count: 60_000)
        #expect(try other.request("PUT", "/b", [:], body: body).status == 503)
        #expect(try other.request("PUT", "/b", [:], body: "small").status == 200, "the same line")
        half.send(String(repeating: "x", count: 1_000))
        #expect(half.receive()?.status == 200)
        #expect(try other.request("PUT", "/b", [:], body: body).status == 200)
    }

    @Test func `large responses that nobody reads have a limit in bytes together (D6)`() throws {
        let server = try serve()
        defer { server.stop() }
        let first = try RawConnection(port: server.port)
        first.send("GET /huge HTTP/1.1\r\nHost: x\r\n\r\n")
        try until { server.activeCount == 1 }
        let second = try RawConnection(port: server.port)
        #expect(try second.request("GET", "/huge").status == 503)
        #expect(try second.request("GET", "/large").body.count == Echo.large.count)
        #expect(
            try second.request("POST", "/huge").status == 200, "what changed something is answered")
    }

    @Test func `hundreds of connections at once are all served`() async throws {
        let server = try serve(loops: 2)
        defer { server.stop() }
        let clients = try (0..<256).map { _ in try RawConnection(port: server.port) }
        for round in 0..<3 {
            for client in clients {
                client.send("GET /\(round == 1 ? "later" : "a") HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            for client in clients { #expect(client.receive()?.status == 200) }
        }
    }

    @Test func `stopping answers what still waits and leaves nothing suspended`() throws {
        let handler = Echo()
        let server = try serve(handler)
        let client = try RawConnection(port: server.port)
        client.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
        let witness = try RawConnection(port: server.port)
        _ = try witness.request("GET", "/a")
        #expect((1...2).contains(server.activeCount), "the witness may not be over yet")
        server.drain()
        #expect(try witness.request("GET", "/a")["connection"]?.lowercased() == "close")
        server.stop()
        #expect(client.receive()?.status == 503)
        // A late answer goes nowhere, and does no harm.
        handler.held.withLock { $0.forEach { $0.send(HTTPResponse(status: 200)) } }
    }
}
