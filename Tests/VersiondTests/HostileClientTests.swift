import Compression
import Foundation
import JSONTree
import TestSupport
import Testing

/// Attacks of clients on the real daemon that must fail.
@Suite struct HostileClientTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var data: String { directory.path + "/data" }
    private let json = ["Content-Type": "application/json"]

    @Test func `connections cannot use up what reading from the disk needs (D1)`() throws {
        let names = (0..<8).map { "/v1/documents/d\($0)" }
        let first = try DaemonProcess(directory: data)
        let writer = try first.connect()
        for name in names {
            #expect(try writer.request("PUT", name, json, body: "1").status == 201)
        }
        #expect(first.terminate() == 0)
        let daemon = try DaemonProcess(directory: data, limits: ["-n 128"])
        let reader = try daemon.connect()
        // More than there are descriptors; those that are too many are refused or wait.
        let crowd = (0..<200).compactMap { _ in try? daemon.connect() }
        for name in names {
            let answer = try reader.request("GET", name)
            #expect(answer.status == 200, "\(answer.text)")
        }
        withExtendedLifetime(crowd) {}
        // The log names it.
        try until { daemon.log.contains("connectionsMax") }
        #expect(daemon.terminate() == 0)
    }

    @Test func `without enough descriptors the daemon does not start (D1)`() throws {
        let refused = #expect(throws: DaemonProcess.DidNotStart.self) {
            try DaemonProcess(directory: data, limits: ["-n 40"])
        }
        #expect(refused?.output.contains("ulimit -n") == true, "\(refused?.output ?? "")")
    }

    @Test func `what a client sends cannot forge lines of the log (D11)`() throws {
        let daemon = try DaemonProcess(directory: data, ["--log-level", "debug"])
        let client = try daemon.connect()
        let name = "b%0Aerror%20versiond:%20injected%1b%5b31m%E2%80%AE%C2%85"
        #expect(try client.request("PUT", "/v1/documents/\(name)", json, body: "1").status == 201)
        try until { daemon.log.contains("injected") }
        #expect(!daemon.log.contains("\nerror versiond: injected"))
        let isRaw = daemon.log.unicodeScalars.contains {
            $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202e}")
        }
        #expect(!isRaw, "\(daemon.log.debugDescription)")
    }

    /// The cost of a request for the daemon, in CPU time: a clock on the wall would measure how
    /// busy the machine is with other tests.
    private struct Cost {
        let answer: Answer
        let onEventLoops: Duration
        let inAll: Duration

        /// All clients wait for work on an event loop.
        var isElsewhere: Bool { onEventLoops < max(.milliseconds(20), inAll / 4) }
    }

    private func cost(
        to daemon: DaemonProcess, of work: (RawConnection) throws -> Answer
    ) throws -> Cost {
        let client = try daemon.connect()
        // The first change of a process costs its event loop what is made once and lasts.
        #expect(try client.request("PUT", "/v1/documents/first", json, body: "1").status < 300)
        let before = (try daemon.processorTime(of: "http-"), try daemon.processorTime(of: ""))
        let answer = try work(client)
        return Cost(
            answer: answer, onEventLoops: try daemon.processorTime(of: "http-") - before.0,
            inAll: try daemon.processorTime(of: "") - before.1)
    }

    @Test func `a small body that is large when it is inflated stops nobody (D3)`() throws {
        let text = Array(("[" + String(repeating: "{},", count: 400_000) + "{}]").utf8)
        let body = Gzip.encode(text)
        #expect(body.count < 16_000)
        let daemon = try DaemonProcess(directory: data)
        let fields = json.merging(["Content-Encoding": "gzip"]) { $1 }
        let put = try cost(to: daemon) {
            try $0.request("PUT", "/v1/documents/bomb", fields, bytes: body)
        }
        #expect(put.answer.status == 201)
        #expect(put.isElsewhere, "\(put.onEventLoops) of \(put.inAll)")
        let get = try cost(to: daemon) { try $0.request("GET", "/v1/documents/bomb?pretty") }
        #expect(get.answer.status == 200)
        #expect(get.isElsewhere, "\(get.onEventLoops) of \(get.inAll)")
    }

    @Test func `a large difference stops nobody (D3)`() throws {
        var random = SeededGenerator(seed: 3)
        var numbers = Array(0..<15_000)
        let daemon = try DaemonProcess(directory: data)
        for status in [201, 200] {
            let body = Array("\(numbers)".utf8)
            let put = try cost(to: daemon) {
                try $0.request("PUT", "/v1/documents/d", json, bytes: body)
            }
            #expect(put.answer.status == status)
            #expect(put.isElsewhere, "\(put.onEventLoops) of \(put.inAll)")
            numbers.shuffle(using: &random)
        }
    }

    @Test func `a second signal ends the daemon at once (D15)`() throws {
        let daemon = try DaemonProcess(directory: data)
        let half = try daemon.connect()
        half.send(
            "PUT /v1/documents/d HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n[1,")
        let metrics = try daemon.connect()
        try until { try metrics.request("GET", "/livez").status == 200 }
        daemon.signal(SIGTERM)
        try until { (try? daemon.connect()) == nil }
        let clock = ContinuousClock()
        let start = clock.now
        #expect(daemon.terminate() == 128 + SIGTERM)
        #expect(clock.now - start < .seconds(3), "not after the ten seconds for requests under way")
    }

    @Test func `one address cannot take all connections (D17)`() throws {
        let daemon = try DaemonProcess(
            directory: data, environment: ["VERSIOND_CONNECTIONS_PER_ADDRESS_MAX": "5"])
        let clients = try (0..<5).map { _ in try daemon.connect() }
        for client in clients { #expect(try client.request("GET", "/livez").status == 200) }
        let sixth = try daemon.connect()
        #expect(throws: (any Error).self) { try sixth.request("GET", "/livez") }
        for client in clients { #expect(try client.request("GET", "/livez").status == 200) }
    }
}
