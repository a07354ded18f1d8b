import Foundation
import TestSupport
import Testing

/// What the operator's commands say, and how they end.
@Suite struct CommandTests {
    private let directory: TemporaryDirectory
    private var data: String { directory.path + "/data" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func fill() throws {
        let daemon = try DaemonProcess(directory: data)
        let line = try daemon.connect()
        let json = ["Content-Type": "application/json"]
        for number in 0..<30 {
            _ = try line.request("PUT", "/v1/documents/large", json, body: "\(number)")
        }
        _ = try line.request("PUT", "/v1/documents/small", json, body: "1")
        #expect(daemon.terminate() == 0)
    }

    @Test func `usage names the documents that take most, the largest first`() throws {
        try fill()
        let run = try DaemonProcess.run(["usage", "--directory", data])
        let lines = run.output.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(run.status == 0 && lines.map { $0.last } == ["large", "small"], "\(run)")
        #expect(lines.first?[1] == "30")
        #expect(try DaemonProcess.run(["usage", "-d", data, "--limit", "0"]).status == 64)
    }

    @Test func `N29: a document that there is not is said so, and is no success`() throws {
        try fill()
        let run = try DaemonProcess.run(["dump", "--directory", data, "nope"])
        #expect(run.status == 66 && run.output.contains("there is no document nope"), "\(run)")
    }

    @Test func `N29: a misspelt command is named, with those that there are`() throws {
        let run = try DaemonProcess.run(["sevre"])
        #expect(run.status == 64 && run.output.contains("there is no command sevre"), "\(run)")
        #expect(run.output.contains("serve, check, backup"))
    }

    @Test(arguments: [
        ["--journal", "mysql://x"], ["--socket", "/no/such/place/socket"],
        ["--directory", "/proc/x"],
    ])
    func `N25: config check finds what serve would end with`(options: [String]) throws {
        let run = try DaemonProcess.run(["config", "check"] + options)
        #expect(run.status == 78, "\(run)")
        let good = try DaemonProcess.run(["config", "check", "--directory", data + "/a/b"])
        #expect(good.status == 0, "\(good)")
    }

    @Test func `the daemon says when the last backup was made`() throws {
        let daemon = try DaemonProcess(directory: data)
        let line = try daemon.connect()
        func time() throws -> Double? {
            let lines = try line.request("GET", "/metrics").text.split(separator: "\n")
            return lines.first { $0.hasPrefix("versiond_last_backup_timestamp_seconds ") }
                .flatMap { Double($0.split(separator: " ")[1]) }
        }
        #expect(try time() == 0)
        let backup = try DaemonProcess.run(["backup", "-d", data, directory.path + "/copy"])
        #expect(backup.status == 0, "\(backup)")
        let made = try #require(try time())
        #expect(abs(made - Date().timeIntervalSince1970) < 600)
    }
}
