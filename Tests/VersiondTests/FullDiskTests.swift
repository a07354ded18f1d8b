import Foundation
import JSONTree
import TestSupport
import Testing
import Threading

/// The real binary on a small file system that is really full. Needs root, to mount it.
@Suite(.enabled(if: SmallDisk.canBeMade)) struct FullDiskTests {
    private let disk: SmallDisk

    init() throws {
        disk = try SmallDisk(megabytes: 2)
    }

    private static func put(
        _ value: Int, _ line: RawConnection, _ name: String = "a"
    ) throws -> Answer {
        try line.request(
            "PUT", "/v1/documents/\(name)", ["Content-Type": "application/json"], body: "\(value)")
    }

    private func put(_ value: Int, _ line: RawConnection, _ name: String = "a") throws -> Answer {
        try FullDiskTests.put(value, line, name)
    }

    private func get(_ line: RawConnection, _ name: String = "a") throws -> String {
        try line.request("GET", "/v1/documents/\(name)").text
    }

    @Test(arguments: ["kill -9", "SIGTERM"], [true, false])
    func `V2: on a full disk the daemon starts, reads, refuses, and goes on when there is room`(
        end: String, hasIndex: Bool
    ) throws {
        let first = try DaemonProcess(directory: disk.data)
        #expect(try put(1, try first.connect()).status == 201)
        #expect(try put(2, try first.connect()).status == 200)
        if end == "SIGTERM" { #expect(first.terminate() == 0) } else { first.kill() }
        // A power cut may leave the log without its index.
        if !hasIndex {
            try? FileManager.default.removeItem(atPath: disk.data + "/journal.sqlite-shm")
        }
        try disk.fill()
        let daemon = try DaemonProcess(directory: disk.data)
        // The start may have given the log's room back.
        try disk.fill()
        let line = try daemon.connect()
        #expect(try get(line) == "2\n")
        #expect(try line.request("GET", "/v1/documents/a/history").status == 200)
        let refused = try put(3, line)
        #expect(refused.status == 507, "\(refused.text)")
        #expect(try JSON(parsing: refused.body)["code"] == "journal-full")
        #expect(try line.request("GET", "/readyz").status == 503)
        #expect(try line.request("GET", "/livez").status == 200)
        try until { daemon.log.contains("the journal cannot store changes: ") }
        try disk.free()
        try until { try line.request("GET", "/readyz").status == 200 }
        #expect(try put(4, line).status == 200)
        #expect(try get(line) == "4\n")
        #expect(daemon.terminate() == 0)
        let checked = try DaemonProcess.run(["check", "--directory", disk.data])
        #expect(checked.status == 0, "\(checked.output)")
    }

    @Test func `V2: readers go on while a daemon that started without room finds some`() throws {
        let first = try DaemonProcess(directory: disk.data)
        for name in ["a", "b", "c", "d"] {
            #expect(try put(1, try first.connect(), name).status == 201)
        }
        #expect(first.terminate() == 0)
        try disk.fill()
        let daemon = try DaemonProcess(directory: disk.data)
        try disk.free()
        let workers = try (0..<4).map { number in
            nonisolated(unsafe) let line = try daemon.connect()
            return WorkerThread(name: "client") {
                #expect(throws: Never.self) { try FullDiskTests.work(number, line) }
            }
        }
        for worker in workers { worker.join() }
        let line = try daemon.connect()
        for number in 0..<4 { #expect(try get(line, "w\(number)") == "\(number)\n") }
        #expect(daemon.terminate() == 0)
    }

    private static func work(_ number: Int, _ line: RawConnection) throws {
        for _ in 0..<50 {
            for name in ["a", "b", "c", "d"] {
                let text = try line.request("GET", "/v1/documents/\(name)/history").text
                #expect(text.contains("\"create\""))
            }
            _ = try put(number, line, "w\(number)")
        }
    }

    @Test func `V2: a document is erased on a full disk, and gives room`() throws {
        let disk = try SmallDisk(megabytes: 80)
        let daemon = try DaemonProcess(directory: disk.data)
        let line = try daemon.connect()
        let text = String(repeating: "secret-", count: 3_000)
        for number in 0..<40 {
            let body = "{\"text\":\"\(text)\(number)\"}"
            _ = try line.request(
                "PUT", "/v1/documents/large", ["Content-Type": "application/json"], body: body)
        }
        #expect(try put(1, line).status == 201)
        #expect(FileManager.default.fileExists(atPath: disk.data + "/reserve"))
        try disk.fill()
        // The last block of the log has room for some.
        let statuses = try (0..<64).map { try put(2 + $0, line).status }
        #expect(statuses.last == 507)
        let erased = try line.request("DELETE", "/v1/documents/large?purge")
        #expect(erased.status == 204, "\(erased.text)")
        for name in try FileManager.default.contentsOfDirectory(atPath: disk.data) {
            let bytes = try Data(contentsOf: URL(filePath: disk.data + "/" + name))
            #expect(bytes.range(of: Data("secret-".utf8)) == nil, "\(name)")
        }
        #expect(try put(99, line).status == 200, "there is room now")
        #expect(daemon.terminate() == 0)
    }

    @Test func `V2: a first start without room ends with a sentence`() throws {
        try disk.fill()
        let run = try DaemonProcess.run(["serve", "--port", "0", "--directory", disk.data])
        #expect([73, 74].contains(run.status), "\(run)")
        #expect(run.output.contains("No space left"), "\(run)")
    }
}

/// A small file system in memory.
final class SmallDisk {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/disk" }

    /// The data directory on it.
    var data: String { path + "/data" }

    static var canBeMade: Bool { getuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil }

    init(megabytes: Int) throws {
        directory = try TemporaryDirectory()
        let run = try DaemonProcess.bash(
            "mkdir \(path) && mount -t tmpfs -o size=\(megabytes)m tmpfs \(path)")
        try #require(run.status == 0, "\(run.output)")
    }

    /// Takes all the room that there is.
    func fill() throws {
        _ = try DaemonProcess.bash("cat /dev/zero >> \(path)/fill 2> /dev/null")
    }

    func free() throws {
        try FileManager.default.removeItem(atPath: path + "/fill")
    }

    deinit {
        _ = try? DaemonProcess.bash("umount -l \(path)")
    }
}
