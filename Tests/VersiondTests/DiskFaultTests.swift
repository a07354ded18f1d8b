import Foundation
import JSONTree
import TestSupport
import Testing

/// The real binary on a disk that is full, or that does not confirm.
@Suite struct DiskFaultTests {
    private let directory: TemporaryDirectory
    private let disk: FaultyDisk

    init() throws {
        directory = try TemporaryDirectory()
        disk = try FaultyDisk(in: directory.path)
    }

    private func put(_ value: Int, _ line: RawConnection) throws -> Answer {
        try line.request(
            "PUT", "/v1/documents/a", ["Content-Type": "application/json"], body: "\(value)")
    }

    private var data: String { directory.path + "/data" }

    @Test(arguments: ["full", "quota"])
    func `a full disk refuses changes, loses nothing, and goes on when there is room`(
        fault: String
    ) throws {
        let daemon = try DaemonProcess(directory: data, environment: disk.environment)
        let line = try daemon.connect()
        #expect(try put(1, line).status == 201)
        try disk.set(fault)
        let refused = try put(2, line)
        #expect(refused.status == 507, "\(refused.text)")
        try until { daemon.log.contains("the journal cannot store changes: ") }
        #expect(try JSON(parsing: refused.body)["code"] == "journal-full")
        #expect(try line.request("GET", "/v1/documents/a").text == "1\n")
        let readiness = try line.request("GET", "/readyz?verbose")
        #expect(readiness.status == 503, "V7: nothing can be stored")
        #expect(readiness.text.contains("[-] journal: no space left"), "\(readiness.text)")
        try disk.set("")
        try until { try line.request("GET", "/readyz").status == 200 }
        try until { daemon.log.contains("the disk has free space again") }
        let next = try put(3, line)
        #expect(next.status == 200 && next["etag"] == "\"1\"")
        try until { daemon.log.contains("the journal stores changes again") }
        daemon.kill()
        let again = try DaemonProcess(directory: data)
        #expect(try again.connect().request("GET", "/v1/documents/a").text == "3\n")
    }

    @Test func `V11: a mark that finds no room refuses the next change, until there is room`()
        throws
    {
        let daemon = try DaemonProcess(directory: data, environment: disk.environment)
        let line = try daemon.connect()
        #expect(try put(1, line).status == 201)
        try disk.set("mark-full")
        #expect(try put(2, line).status == 200, "it is durable; only the mark is behind")
        let refused = try put(3, line)
        #expect(refused.status == 507, "the next one would not be guarded: \(refused.text)")
        try disk.set("")
        #expect(try put(4, line).status == 200)
        daemon.kill()
        let again = try DaemonProcess(directory: data)
        #expect(try again.connect().request("GET", "/v1/documents/a").text == "4\n")
        _ = again.terminate()
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
    }

    @Test func `a disk that does not confirm stops all writing until a restart`() throws {
        let daemon = try DaemonProcess(directory: data, environment: disk.environment)
        let line = try daemon.connect()
        #expect(try put(1, line).status == 201)
        try disk.set("sync")
        let unknown = try put(2, line)
        #expect(unknown.status == 504, "\(unknown.text)")
        #expect(try JSON(parsing: unknown.body)["code"] == "outcome-unknown")
        try disk.set("")
        let refused = try put(3, line)
        #expect(refused.status == 503, "a failed fsync is never tried again: \(refused.text)")
        #expect(try line.request("GET", "/readyz").status == 503)
        #expect(try line.request("GET", "/livez").status == 200)
        #expect(try line.request("GET", "/v1/documents/a").text == "1\n")
        try until {
            daemon.log.contains("critical versiond") && daemon.log.contains("journal has stopped")
        }
        #expect(daemon.terminate() == 74, "no clean end (D18)")
        let again = try DaemonProcess(directory: data)
        let found = try again.connect().request("GET", "/v1/documents/a").text
        #expect(["1\n", "2\n"].contains(found), "what nobody knew was stored or not, but not more")
        let next = try put(4, try again.connect())
        #expect(next.status == 200)
        _ = again.terminate()
        #expect(try DaemonProcess.run(["check", "--directory", data]).status == 0)
    }

    @Test func `a disk that does not confirm what is packed stops all writing, too`() throws {
        let daemon = try DaemonProcess(directory: data, environment: disk.environment)
        let line = try daemon.connect()
        for value in 0..<600 { #expect(try put(value, line).status < 300) }
        try disk.set("sync")
        try until { daemon.log.contains("cannot pack old changes") }
        try disk.set("")
        #expect(try put(600, line).status == 503, "a failed fsync is never tried again")
        #expect(try line.request("GET", "/v1/documents/a").text == "599\n")
        #expect(daemon.terminate() == 74)
        let checked = try DaemonProcess.run(["check", "--directory", data])
        #expect(checked.status == 0 && checked.output.contains("600 changes"))
    }

    @Test func `with exitOnJournalFailure the daemon ends as soon as nothing can be stored`() throws
    {
        let asked = ["VERSIOND_EXIT_ON_JOURNAL_FAILURE": "true"]
        let daemon = try DaemonProcess(
            directory: data, environment: disk.environment.merging(asked) { $1 })
        let line = try daemon.connect()
        #expect(try put(1, line).status == 201)
        try disk.set("full")
        #expect(try put(2, line).status == 507, "a full disk is no reason to end")
        try disk.set("sync")
        #expect(try put(3, line).status == 504, "the answer is sent before the end")
        #expect(daemon.wait() == 74)
        try until { daemon.log.contains("critical versiond") }
    }

    @Test func `a directory that is removed stops writing, and nothing crashes (D16)`() throws {
        let daemon = try DaemonProcess(directory: data)
        let line = try daemon.connect()
        #expect(try put(1, line).status == 201)
        try FileManager.default.removeItem(atPath: data)
        let refused = try put(2, line)
        #expect(refused.status == 503, "\(refused.text)")
        #expect(refused.text.contains("removed or replaced"))
        #expect(try line.request("GET", "/readyz").status == 503)
        #expect(try line.request("GET", "/v1/documents/a").text == "1\n")
        _ = try line.request("GET", "/v1/documents/unknown")
        #expect(try line.request("GET", "/livez").status == 200)
        #expect(daemon.terminate() == 74)
    }
}
