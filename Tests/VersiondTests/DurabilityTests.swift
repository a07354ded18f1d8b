import Foundation
import JSONTree
import TestSupport
import Testing
import Threading

/// The real binary on a real disk, and the plug pulled.
@Suite(.serialized) struct DurabilityTests {
    /// A few kills show that it starts again with what it confirmed; `TEST_KILLS` makes it more.
    /// `torture.py` does the same for long, and with power cuts.
    @Test func `1: kill -9 loses no confirmed change`() throws {
        let cycles = Int(ProcessInfo.processInfo.environment["TEST_KILLS"] ?? "") ?? 10
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        var told = [ClientModel](repeating: ClientModel(), count: 3)
        for cycle in 0..<cycles {
            let daemon = try DaemonProcess(directory: directory.path)
            for client in told.indices { try compare(&told[client], client, daemon, cycle) }
            let seeds = told.map { _ in random.next() }
            let (results, answers) = (Lock(told), Lock(0))
            let delay = 2 + random.below(40)
            let workers = told.indices.map { client in
                let connection = try? daemon.connect()
                nonisolated(unsafe) let line = connection
                let before = told[client]
                return WorkerThread(name: "client") {
                    guard let line else { return }
                    var random = SeededGenerator(seed: seeds[client])
                    let after = work(client, before, line, &random, answers)
                    results.withLock { $0[client] = after }
                }
            }
            answers.wait(milliseconds: 60_000) { $0 > 0 }
            usleep(UInt32(delay) * 1_000)
            daemon.kill()
            workers.forEach { $0.join() }
            told = results.withLock { $0 }
        }
        #expect(told.reduce(0) { $0 + $1.revision + 1 } >= cycles)
        let check = try DaemonProcess.run(["check", "--directory", directory.path])
        #expect(check.status == 0, "\(check.output)")
        #expect(check.output.hasSuffix(" 0 faults\n"))
    }

    /// Sends one request after the other until the line breaks; notes only what was answered.
    private func work(
        _ client: Int, _ before: ClientModel, _ line: RawConnection,
        _ random: inout SeededGenerator, _ answers: Lock<Int>
    ) -> ClientModel {
        var told = before
        while true {
            let request = told.next(&random)
            told.unanswered = request
            guard let answer = try? request.send(to: "/v1/documents/doc-\(client)", line) else {
                return told
            }
            #expect(answer.status == 200 || answer.status == 201, "\(request): \(answer.text)")
            told.happened(request)
            answers.withLock { $0 += 1 }
            answers.signal()
        }
    }

    /// After a restart: the document is the one that the client received, or that with the one
    /// request whose response was lost.
    private func compare(
        _ told: inout ClientModel, _ client: Int, _ daemon: DaemonProcess, _ cycle: Int
    ) throws {
        let line = try daemon.connect()
        let path = "/v1/documents/doc-\(client)"
        let answer = try line.request("GET", path)
        guard answer.status == 200 else {
            #expect(told.revision == -1, "cycle \(cycle): a confirmed document is gone")
            return
        }
        let status = try JSON(parsing: try line.request("GET", path + "/status").body)
        let revision = try #require(status["revision"]?.int)
        if revision == told.revision + 1, let request = told.unanswered { told.happened(request) }
        #expect(revision == told.revision, "cycle \(cycle)")
        let list = try JSON(parsing: answer.body).elements?.compactMap(\.int)
        #expect(list == told.versions.flatMap { $0 }, "cycle \(cycle)")
        #expect(status["redoCount"]?.int == told.undone.count, "cycle \(cycle): redo")
        #expect(
            status["undoCount"]?.int == told.versions.count - told.floor, "cycle \(cycle): undo")
        #expect(status["scopeLevel"]?.int == told.scopes.count, "cycle \(cycle): scopes")
        let tags = try JSON(parsing: try line.request("GET", path + "/tags").body)["tags"]
        #expect(tags?.count == told.tags, "cycle \(cycle): tags")
        told.unanswered = nil
    }

    @Test func `SIGTERM answers what is under way, and what was confirmed is there after it`()
        throws
    {
        let directory = try TemporaryDirectory()
        let daemon = try DaemonProcess(directory: directory.path)
        let line = try daemon.connect()
        let json = ["Content-Type": "application/json"]
        for value in 0..<20 {
            _ = try line.request("PUT", "/v1/documents/a", json, body: "\(value)")
        }
        _ = try line.request("POST", "/v1/documents/a/scopes/push")
        _ = try line.request("PUT", "/v1/documents/a/tags/end")
        #expect(daemon.terminate() == 0)
        let again = try DaemonProcess(directory: directory.path)
        let status = try again.connect().request("GET", "/v1/documents/a/status")
        let found = try JSON(parsing: status.body)
        #expect(found["revision"] == 21 && found["scopeLevel"] == 1 && found["hasUndo"] == false)
        #expect(try again.connect().request("GET", "/v1/documents/a").text == "19\n")
    }

    @Test func `two daemons never have one directory`() throws {
        let directory = try TemporaryDirectory()
        let daemon = try DaemonProcess(directory: directory.path)
        #expect(throws: DaemonProcess.DidNotStart.self) {
            try DaemonProcess(directory: directory.path)
        }
        #expect(try daemon.connect().request("GET", "/readyz").status == 200)
    }

    @Test func `a setting that does not exist is an error`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/versiond.json"
        try #"{"prot": 8080}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let result = try DaemonProcess.run(
            ["serve", "--config", path, "--directory", directory.path])
        #expect(result.status != 0 && result.output.contains("unknown settings: prot"))
        try #"{"port": "8080"}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let typed = try DaemonProcess.run([
            "serve", "--config", path, "--directory", directory.path,
        ])
        #expect(typed.status != 0 && typed.output.contains("port is of the wrong type"))
        try #"{"documentation": "javascript:x"}"#.write(
            toFile: path, atomically: true, encoding: .utf8)
        let link = try DaemonProcess.run([
            "serve", "--config", path, "--directory", directory.path,
        ])
        #expect(link.status != 0 && link.output.contains("documentation must be a URL like"))
        let check = try DaemonProcess.run(["check", "--directory", directory.path])
        #expect(check.status != 0 && check.output.contains("has no journal"))
    }

    @Test func `the shipped configuration is taken as it is`() throws {
        let directory = try TemporaryDirectory()
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let daemon = try DaemonProcess(
            directory: directory.path, ["--config", root.path + "/Config/versiond.json"])
        #expect(try daemon.connect().request("GET", "/livez").text == "ok\n")
    }
}
