import HTTPServing
import TestSupport
import Testing

/// Clients of streams that leave, while the clock does not move: no silence becomes too long.
@Suite struct StreamLeavingTests {
    private func serve(_ sources: [HTTPStreamTests.Source], streamsMax: Int = 2_048) throws
        -> HTTPServer
    {
        try HTTPServer(
            .init(streamsMax: streamsMax, now: { .zero }), handler: HTTPStreamTests.Handler(sources)
        )
    }

    enum Leaving: CaseIterable { case closes, vanishes }

    @Test(arguments: Leaving.allCases, ["HTTP/1.1", "HTTP/1.0"])
    func `a client that leaves is noticed at once, however long the line may be silent`(
        _ leaving: Leaving, _ version: String
    ) throws {
        let source = HTTPStreamTests.Source()
        let server = try serve([source])
        defer { server.stop() }
        var client: RawConnection? = try RawConnection(port: server.port)
        client?.send("GET /stream \(version)\r\nHost: x\r\n\r\n")
        _ = try #require(client?.receive(hasBody: false))
        try until { source.isWaiting }
        if leaving == .vanishes { client?.reset() }
        client = nil
        try until { source.hasEnded }
    }

    @Test func `a client that has sent all that it had to send still reads`() throws {
        let source = HTTPStreamTests.Source()
        let server = try serve([source])
        defer { server.stop() }
        let client = try RawConnection(port: server.port)
        _ = try client.open("/stream")
        try until { source.isWaiting }
        client.endSending()
        #expect(client.line() == "quiet", "it is asked by sending whether it is there")
        for number in 0..<3 {
            source.say("\(number)\n")
            #expect(client.line() == "\(number)")
        }
        #expect(!source.hasEnded)
    }

    @Test func `a client that leaves makes room for another stream`() throws {
        let source = HTTPStreamTests.Source()
        let server = try serve([source], streamsMax: 1)
        defer { server.stop() }
        for _ in 0..<3 {
            var client = try RawConnection(port: server.port)
            try until {
                if try client.open("/stream").status == 200 { return true }
                client = try RawConnection(port: server.port)
                return false
            }
            #expect(try RawConnection(port: server.port).open("/stream").status == 503)
            client.reset()
        }
    }

    @Test func `many that leave together are all noticed`() throws {
        let sources = (0..<200).map { _ in HTTPStreamTests.Source() }
        let server = try serve(sources)
        defer { server.stop() }
        var clients = try sources.map { _ in try RawConnection(port: server.port) }
        for client in clients { _ = try client.open("/stream") }
        let stays = clients.removeFirst()
        clients = []
        try until { sources.dropFirst().allSatisfy(\.hasEnded) }
        sources[0].say("still here\n")
        #expect(stays.line() == "still here" && !sources[0].hasEnded)
    }

    @Test func `the next stream of a connection is watched, too`() throws {
        let sources = (0..<2).map { _ in HTTPStreamTests.Source() }
        let server = try serve(sources)
        defer { server.stop() }
        var client: RawConnection? = try RawConnection(port: server.port)
        _ = try client?.open("/stream")
        sources[0].finish()
        #expect(client?.line() == nil && client != nil)
        _ = try client?.open("/stream")
        try until { sources[1].isWaiting }
        client = nil
        try until { sources[1].hasEnded }
    }
}
