import HTTPServing
import TestSupport
import Testing
import Threading

/// Connections that wait for their response: at first active, then suspended.
@Suite struct HTTPWaitingTests {
    /// Holds what is asked of `/held` until a test lets it go.
    final class Holder: HTTPHandler {
        private let held = Lock<[any HTTPResponder]>([])

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .admitted(bodyBytesMax: 1 << 20) }

        func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
            if request.head.target.segments == ["held"] {
                held.withLock { $0.append(responder) }
            } else {
                responder.send(HTTPResponse(status: 200, body: request.body))
            }
        }

        func refuse(_ fault: HTTPFault, _ fields: HTTPFields) -> HTTPResponse {
            HTTPResponse(status: 503)
        }

        var count: Int { held.withLock { $0.count } }

        func take() -> [any HTTPResponder] {
            held.withLock { held in
                defer { held = [] }
                return held
            }
        }

        func letGo(_ body: [UInt8] = [1]) {
            for responder in take() { responder.send(HTTPResponse(status: 201, body: body)) }
        }
    }

    private let handler = Holder()

    private func serve(streamsMax: Int = 100) throws -> HTTPServer {
        try HTTPServer(
            .init(loops: 1, connectionsMax: 600, streamsMax: streamsMax, now: { .zero }),
            handler: handler)
    }

    @Test(arguments: [0, 1, 6, 7, 8, 9, 10, 30])
    func `a response comes after any number of turns, and the line goes on`(turns: Int) throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        let witness = try RawConnection(port: server.port)
        for _ in 0..<3 {
            client.send("PUT /held HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            try until { handler.count == 1 }
            for _ in 0..<turns { #expect(try witness.request("GET", "/a").status == 200) }
            handler.letGo()
            #expect(client.receive()?.status == 201)
            #expect(try client.request("PUT", "/b", body: "more").text == "more")
        }
    }

    @Test func `one that waits alone is suspended, and answered`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        try until { handler.count == 1 && server.suspendedCount == 1 }
        handler.letGo()
        #expect(client.receive()?.status == 201)
        #expect(server.suspendedCount == 0)
    }

    @Test func `what is sent behind a request that waits is answered after it`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\nGET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        client.send("PUT /c HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nc")
        for _ in 0..<2 {
            try until { handler.count == 1 }
            handler.letGo()
            #expect(client.receive()?.status == 201)
        }
        #expect(client.receive()?.text == "c")
    }

    @Test func `a body, a large head and a 100-continue come in beside one that waits`() throws {
        let server = try serve()
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        let other = try RawConnection(port: server.port)
        for _ in 0..<20 {
            client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
            try until { handler.count == 1 }
            let long = String(repeating: "x", count: 9_000)
            #expect(try other.request("GET", "/a", ["X-Long": long]).status == 200)
            let body = String(repeating: "y", count: 100_000)
            #expect(try other.request("PUT", "/b", body: body).body.count == body.utf8.count)
            other.send("PUT /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n")
            other.send("Content-Length: 2\r\n\r\n")
            #expect(other.receive()?.status == 100)
            other.send("ok")
            #expect(other.receive()?.text == "ok")
            handler.letGo()
            #expect(client.receive()?.status == 201)
        }
    }

    @Test func `a large response is sent in parts to one that waited, beside others`() throws {
        let server = try serve()
        defer { server.stop() }
        let clients = try (0..<3).map { _ in try RawConnection(port: server.port) }
        let large = [UInt8](repeating: 9, count: 1 << 20)
        for round in 0..<20 {
            for client in clients { client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n") }
            try until { handler.count == clients.count }
            handler.letGo(round.isMultiple(of: 2) ? large : [])
            for client in clients { #expect(client.receive()?.status == 201) }
        }
    }

    @Test func `clients that go away while they wait leave nothing behind`() throws {
        let server = try serve()
        defer { server.stop() }
        let witness = try RawConnection(port: server.port)
        for round in 0..<60 {
            let clients = try (0..<4).map { _ in try RawConnection(port: server.port) }
            for client in clients { client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n") }
            try until { handler.count == clients.count }
            for _ in 0..<(round % 12) { _ = try witness.request("GET", "/a") }
            for client in clients.dropFirst() { client.reset() }
            if round.isMultiple(of: 3) { _ = try witness.request("GET", "/a") }
            handler.letGo()
            #expect(clients[0].receive()?.status == 201)
        }
        try until { server.activeCount == 0 && server.connectionCount <= 2 }
        #expect(server.suspendedCount == 0)
        #expect(try witness.request("GET", "/a").status == 200)
    }

    @Test func `stopping answers those that wait, suspended or not`() throws {
        let server = try serve()
        let clients = try (0..<4).map { _ in try RawConnection(port: server.port) }
        clients[0].send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        try until { handler.count == 1 && server.suspendedCount == 1 }
        for client in clients.dropFirst() { client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n") }
        try until { handler.count == clients.count }
        server.stop()
        for client in clients { #expect(client.receive()?.status == 503) }
        handler.letGo()
    }

    /// The responder of a client that went away before its connection was suspended.
    private func responderOfGone(_ server: HTTPServer) throws -> any HTTPResponder {
        while true {
            let client = try RawConnection(port: server.port)
            client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
            try until { handler.count == 1 }
            client.reset()
            try until { server.activeCount == 0 || server.suspendedCount == 1 }
            if server.activeCount == 0 { return try #require(handler.take().first) }
            handler.letGo()
            try until { server.activeCount == 0 }
        }
    }

    @Test func `a handler that waits for long learns at once that its client has gone`() throws {
        let server = try serve(streamsMax: 2)
        defer { server.stop() }
        let count = Lock(0)
        for _ in 0..<5 {
            let responder = try responderOfGone(server)
            #expect(responder.remind(after: .seconds(60)) { count.withLock { $0 += 1 } })
        }
        #expect(count.withLock { $0 } == 5)
        // No place among those that wait long was kept.
        let client = try RawConnection(port: server.port)
        client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        try until { handler.count == 1 }
        let responder = try #require(handler.take().first)
        #expect(responder.remind(after: .seconds(60)) { count.withLock { $0 = -1 } })
        responder.send(HTTPResponse(status: 201))
        #expect(client.receive()?.status == 201)
        #expect(count.withLock { $0 } == 5)
    }

    @Test func `who has gone has gone, whoever comes next`() throws {
        let server = try serve()
        defer { server.stop() }
        let responders = try (0..<5).map { _ in try responderOfGone(server) }
        let client = try RawConnection(port: server.port)
        #expect(try client.request("GET", "/a").status == 200)
        for responder in responders { #expect(responder.hasGone) }
    }

    @Test func `a response is made, and so logged, though nobody gets it`() throws {
        let server = try serve()
        defer { server.stop() }
        let isMade = Lock(false)
        try responderOfGone(server).send {
            isMade.withLock { $0 = true }
            return HTTPResponse(status: 201)
        }
        try until { isMade.withLock { $0 } }
    }

    @Test func `a stream that nobody gets is ended`() throws {
        let server = try serve()
        defer { server.stop() }
        let late = HTTPStreamTests.Source()
        let responder = try responderOfGone(server)
        responder.stream(HTTPResponse(status: 200), from: late)
        try until { late.hasEnded }
        // Nor is one that comes after the response.
        let client = try RawConnection(port: server.port)
        client.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        try until { handler.count == 1 }
        let second = HTTPStreamTests.Source()
        for responder in handler.take() {
            responder.send(HTTPResponse(status: 201))
            responder.stream(HTTPResponse(status: 200), from: second)
        }
        #expect(client.receive()?.status == 201)
        try until { second.hasEnded }
    }
}
