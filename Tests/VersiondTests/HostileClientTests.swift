import Compression
import Foundation
import JSONTree
import TestSupport
import Testing
import Threading

/// What clients can do to the real daemon, and must not.
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
        #expect(daemon.log.contains("connectionsMax"), "the operator is told")
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

    /// How long `/livez` takes others while a client waits for an answer, at most.
    private struct Waits {
        var longest = Duration.zero
        /// How long the client waited whose request is the large one.
        var worst = Duration.zero
        var answer: Answer?

        /// Tests run in a debug build beside others, on machines that are slow at times: what
        /// counts is that the large request does not hold the small ones. On the event loop, one
        /// of them would wait as long as it.
        var areShort: Bool { longest < max(.milliseconds(500), worst / 4) }
    }

    private func waits(
        of daemon: DaemonProcess, while work: @escaping @Sendable (RawConnection) throws -> Answer
    ) throws -> Waits {
        let worst = try daemon.connect()
        let answers = Lock<Answer?>(nil)
        let isOver = Lock(false)
        nonisolated(unsafe) let line = worst
        let thread = WorkerThread(name: "hostile") {
            let answer = try? work(line)
            answers.withLock { $0 = answer }
            isOver.withLock { $0 = true }
        }
        let other = try daemon.connect()
        let clock = ContinuousClock()
        let begin = clock.now
        var waits = Waits()
        while !isOver.withLock({ $0 }) {
            let start = clock.now
            #expect(try other.request("GET", "/livez").status == 200)
            waits.longest = max(waits.longest, clock.now - start)
        }
        waits.worst = clock.now - begin
        thread.join()
        waits.answer = answers.withLock { $0 }
        return waits
    }

    @Test func `a small body that is large when it is inflated stops nobody (D3)`() throws {
        let text = Array(("[" + String(repeating: "{},", count: 400_000) + "{}]").utf8)
        let body = Gzip.encode(text)
        #expect(body.count < 16_000)
        let daemon = try DaemonProcess(directory: data)
        let fields = json.merging(["Content-Encoding": "gzip"]) { $1 }
        let put = try waits(of: daemon) {
            try $0.request("PUT", "/v1/documents/bomb", fields, bytes: body)
        }
        #expect(put.answer?.status == 201)
        #expect(put.areShort, "\(put.longest) of \(put.worst)")
        let get = try waits(of: daemon) {
            try $0.request("GET", "/v1/documents/bomb?pretty")
        }
        #expect(get.answer?.status == 200)
        #expect(get.areShort, "\(get.longest) of \(get.worst)")
    }

    @Test func `a large difference stops nobody (D3)`() throws {
        var random = SeededGenerator(seed: 3)
        var numbers = Array(0..<15_000)
        let daemon = try DaemonProcess(directory: data)
        for status in [201, 200] {
            let body = Array("\(numbers)".utf8)
            let put = try waits(of: daemon) { [json] in
                try $0.request("PUT", "/v1/documents/d", json, bytes: body)
            }
            #expect(put.answer?.status == status)
            #expect(put.areShort, "\(put.longest) of \(put.worst)")
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
