import Foundation
import JSONTree
import TestSupport
import Testing
import Threading

/// The real binary on a real disk, and the plug pulled.
@Suite(.serialized) struct DurabilityTests {
    static let patch = ["Content-Type": "application/json-patch+json"]

    /// What one client was told, change by change.
    struct Told: Sendable {
        var revision = -1
        /// The values in the document's list.
        var list: [Int] = []
        var undone: [Int] = []
        var tags: [String: Int] = [:]
        /// Whether the last request was answered; if not, it may have happened or not.
        var unanswered: String?
    }

    /// `cycles`: the plug is pulled that often. `VERSIOND_KILLS` makes it more.
    @Test func `1: kill -9 loses no confirmed change`() throws {
        let cycles = Int(ProcessInfo.processInfo.environment["VERSIOND_KILLS"] ?? "") ?? 200
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        var told = [Told](repeating: Told(), count: 3)
        for cycle in 0..<cycles {
            let daemon = try DaemonProcess(directory: directory.path)
            for client in told.indices { try compare(&told[client], client, daemon, cycle) }
            let seeds = told.map { _ in random.next() }
            let results = Lock(told)
            let delay = 2 + random.below(40)
            let workers = told.indices.map { client in
                let connection = try? daemon.connect()
                nonisolated(unsafe) let line = connection
                let before = told[client]
                return WorkerThread(name: "client") {
                    guard let line else { return }
                    var random = SeededGenerator(seed: seeds[client])
                    let after = work(client, before, line, &random)
                    results.withLock { $0[client] = after }
                }
            }
            usleep(UInt32(delay) * 1_000)
            daemon.kill()
            workers.forEach { $0.join() }
            told = results.withLock { $0 }
        }
        #expect(told.allSatisfy { $0.revision > cycles / 4 })
        let check = try DaemonProcess.run(["check", "--directory", directory.path])
        #expect(check.status == 0, "\(check.output)")
        #expect(check.output.hasSuffix(" 0 faults\n"))
    }

    /// Edits, undoes, redoes and tags until the line breaks; notes only what was answered.
    private func work(
        _ client: Int, _ before: Told, _ line: RawConnection, _ random: inout SeededGenerator
    ) -> Told {
        var told = before
        let path = "/v1/documents/doc-\(client)"
        if told.revision < 0 {
            told.unanswered = "create"
            guard
                let answer = try? line.request(
                    "PUT", path, ["Content-Type": "application/json"], body: "[]")
            else { return told }
            #expect(answer.status == 201 || answer.status == 200)
            told.note(answer)
        }
        while true {
            let choice = random.below(8)
            let next = told.revision + 1
            let answer: Answer?
            if choice == 0 && !told.list.isEmpty {
                told.unanswered = "undo"
                answer = try? line.request("POST", path + "/undo")
                if answer?.status == 200 { told.undone.append(told.list.removeLast()) }
            } else if choice == 1 && !told.undone.isEmpty {
                told.unanswered = "redo"
                answer = try? line.request("POST", path + "/redo")
                if answer?.status == 200 { told.list.append(told.undone.removeLast()) }
            } else if choice == 2 {
                told.unanswered = "tag"
                answer = try? line.request("PUT", path + "/tags/t\(next)")
                if answer?.status == 200 { told.tags["t\(next)"] = told.list.count }
            } else {
                told.unanswered = "append"
                answer = try? line.request(
                    "PATCH", path, DurabilityTests.patch,
                    body: #"[{"op":"add","path":"/-","value":\#(next)}]"#)
                if answer?.status == 200 {
                    told.list.append(next)
                    told.undone = []
                }
            }
            guard let answer else { return told }
            told.note(answer)
        }
    }

    /// After a restart: the document is what the client was told, or that and the one request whose
    /// answer was lost.
    private func compare(
        _ told: inout Told, _ client: Int, _ daemon: DaemonProcess, _ cycle: Int
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
        #expect(
            revision == told.revision || (revision == told.revision + 1 && told.unanswered != nil),
            "cycle \(cycle): told \(told.revision), found \(revision)")
        let list = try JSON(parsing: answer.body).elements?.compactMap(\.int) ?? []
        if revision != told.revision { told.catchUp(to: revision, list) }
        #expect(list == told.list, "cycle \(cycle)")
        let redo = status["redoCount"]?.int
        #expect(redo == told.undone.count, "cycle \(cycle): redo")
        let tags = try JSON(parsing: try line.request("GET", path + "/tags").body)["tags"]
        #expect(tags?.count == told.tags.count, "cycle \(cycle): tags")
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
        let typed = try DaemonProcess.run(["serve", "--config", path, "--directory", directory.path])
        #expect(typed.status != 0 && typed.output.contains("port is of the wrong type"))
        let check = try DaemonProcess.run(["check", "--directory", directory.path])
        #expect(check.status != 0 && check.output.contains("there is no journal"))
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

extension DurabilityTests.Told {
    mutating func note(_ answer: Answer) {
        unanswered = nil
        let tag = answer["etag"].map { $0.filter(\.isNumber) }
        revision = tag.flatMap { Int($0) } ?? revision
    }

    /// The request without an answer did happen.
    mutating func catchUp(to revision: Int, _ list: [Int]) {
        self.revision = revision
        switch unanswered {
        case "undo": undone.append(self.list.removeLast())
        case "redo": self.list.append(undone.removeLast())
        case "tag": tags["t\(revision)"] = list.count
        case "append":
            self.list.append(revision)
            undone = []
        default: break
        }
    }
}
