import HTTPServing
import TestSupport
import Testing
import Threading

/// Streams, to clients that read at once, late, or not at all.
@Suite struct HTTPStreamTests {
    /// Parts that a test says.
    final class Source: HTTPStreamSource {
        private struct State {
            var parts: [[UInt8]] = []
            var isOver = false
            var hasEnded = false
            var count = 0
            var wake: (@Sendable () -> Void)?
        }

        private let state = Lock(State())
        let quietMax = Duration.seconds(20)

        func say(_ text: String) { change { $0.parts.append(Array(text.utf8)) } }
        func finish() { change { $0.isOver = true } }

        /// Says the next number, now and then in a line that is too long to be sent at once.
        func count() {
            change { state in
                let fill = state.count.isMultiple(of: 400) ? 6_000 : 0
                let line = "\(state.count)" + String(repeating: " ", count: fill) + "\n"
                state.parts.append(Array(line.utf8))
                state.count += 1
            }
        }

        /// Whether the response is over.
        var hasEnded: Bool { state.withLock { $0.hasEnded } }
        /// Whether all that was said is taken.
        var isWaiting: Bool { state.withLock { $0.parts.isEmpty && $0.wake != nil } }

        private func change(_ body: (inout State) -> Void) {
            let wake = state.withLock { state in
                body(&state)
                defer { state.wake = nil }
                return state.wake
            }
            wake?()
        }

        func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
            state.withLock { state in
                if !state.parts.isEmpty { return .bytes(state.parts.removeFirst()) }
                if state.isOver { return .end }
                if isQuiet { return .bytes(Array("quiet\n".utf8)) }
                state.wake = wake
                return .nothing
            }
        }

        func end() { state.withLock { $0.hasEnded = true } }
    }

    /// Gives each client the next source, and the last one to all others.
    final class Handler: HTTPHandler {
        private let sources: Lock<[Source]>

        init(_ sources: [Source]) { self.sources = Lock(sources) }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .admitted(bodyBytesMax: 100) }
        func refuse(_ fault: HTTPFault, _ fields: HTTPFields) -> HTTPResponse {
            HTTPResponse(status: 503)
        }

        func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
            guard request.head.target.segments == ["stream"] else {
                return responder.send(HTTPResponse(status: 200))
            }
            let source = sources.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            responder.stream(HTTPResponse(status: 200), from: source)
        }
    }

    private func serve(
        _ sources: Source..., now: @escaping @Sendable () -> Duration = { .zero }
    ) throws -> HTTPServer {
        try serve(sources, now: now)
    }

    private func serve(
        _ sources: [Source], now: @escaping @Sendable () -> Duration
    ) throws -> HTTPServer {
        try HTTPServer(.init(now: now), handler: Handler(sources))
    }

    @Test func `each part comes at once and whole, however long it is, and then the end`() throws {
        let source = Source()
        let server = try serve(source)
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        _ = try client.open("/stream")
        for length in [1, 15, 16, 255, 4_095, 4_096, 5_000, 300_000, 3] {
            let line = String(repeating: "x", count: length - 1)
            source.say(line + "\n")
            #expect(client.line() == line)
            // Nothing to send, but something to ask behind it.
            source.say("")
        }
        source.say("last\n")
        source.finish()
        #expect(client.line() == "last")
        #expect(client.line() == nil)
        #expect(try client.request("GET", "/other").status == 200, "the connection goes on")
        #expect(source.hasEnded)
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
    func `where the end of the connection is the end of the response, nothing else is in it`(
        version: String
    ) throws {
        let source = Source()
        let server = try serve(source)
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        client.send("GET /stream \(version)\r\nHost: x\r\nConnection: close\r\n\r\n")
        let head = try #require(client.receive(hasBody: false))
        try until { source.isWaiting }
        for part in ["one\n", "two\n", "three\n"] {
            source.say(part)
            try until { source.isWaiting }
        }
        source.finish()
        let isChunked = head["transfer-encoding"] == "chunked"
        let lines =
            isChunked
            ? [client.line(), client.line(), client.line()].map { ($0 ?? "") + "\n" }.joined()
            : String(decoding: client.rest(), as: UTF8.self)
        #expect(lines == "one\ntwo\nthree\n")
    }

    @Test func `a client that reads late misses nothing, and gets all in order`() throws {
        let source = Source()
        let server = try serve(source)
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        _ = try client.open("/stream")
        // More than the kernel takes.
        let filling = String(repeating: "x", count: 3_000)
        let count = 8_000
        for number in 0..<count { source.say("\(number) \(filling)\n") }
        for number in 0..<count {
            guard client.line() == "\(number) \(filling)" else {
                Issue.record("line \(number) is missing")
                return
            }
        }
        try until { source.isWaiting }
        source.say("now\n")
        #expect(client.line() == "now")
    }

    @Test func `a silence is broken, and a client that has gone is noticed`() throws {
        let source = Source()
        let time = Lock(Duration.zero)
        let server = try serve(source, now: { time.withLock { $0 } })
        defer { server.stop() }
        var client: RawConnection? = try RawConnection(port: server.port)
        _ = try client?.open("/stream")
        source.say("one\n")
        #expect(client?.line() == "one")
        try until { source.isWaiting }
        time.withLock { $0 = .seconds(21) }
        #expect(client?.line() == "quiet")
        client = nil
        try until {
            source.say("more\n")
            return source.hasEnded
        }
    }

    @Test func `the silence of many streams is broken`() throws {
        let sources = (0..<200).map { _ in Source() }
        let time = Lock(Duration.zero)
        let server = try serve(sources, now: { time.withLock { $0 } })
        defer { server.stop() }
        let clients = try sources.map { _ in try RawConnection(port: server.port) }
        for client in clients { _ = try client.open("/stream") }
        for minute in 1...3 {
            try until { sources.allSatisfy(\.isWaiting) }
            time.withLock { $0 = .seconds(60 * minute) }
            for client in clients { #expect(client.line() == "quiet") }
        }
    }

    @Test func `many threads bring news, and each part comes once, in order`() throws {
        let source = Source()
        let server = try serve(source)
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        _ = try client.open("/stream")
        let threads = (0..<4).map { index in
            WorkerThread(name: "news-\(index)") { for _ in 0..<2_000 { source.count() } }
        }
        for number in 0..<8_000 {
            let line = client.line()
            guard line?.prefix(while: { $0 != " " }) == "\(number)" else {
                Issue.record("\(line ?? "the end") is not \(number)")
                break
            }
        }
        for thread in threads { thread.join() }
        source.finish()
        #expect(client.line() == nil)
        try until { source.hasEnded }
    }

    @Test func `the server stops while threads bring news`() throws {
        for _ in 0..<20 {
            let source = Source()
            let server = try serve(source)
            let client = try RawConnection(port: server.port)
            _ = try client.open("/stream")
            let isOver = Lock(false)
            let threads = (0..<2).map { index in
                WorkerThread(name: "news-\(index)") {
                    while !isOver.withLock({ $0 }) { source.count() }
                }
            }
            #expect(client.line() == "0" + String(repeating: " ", count: 6_000))
            server.stop()
            #expect(source.hasEnded)
            isOver.withLock { $0 = true }
            for thread in threads { thread.join() }
        }
    }
}
