import Foundation
import Glibc
import TestSupport
import Testing

/// The output of the operator's commands, and their statuses.
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
        #expect(
            run.status == 66 && run.output.contains("the document nope does not exist"), "\(run)")
    }

    @Test func `N29: a misspelt command is named, with those that there are`() throws {
        let run = try DaemonProcess.run(["sevre"])
        #expect(run.status == 64 && run.output.contains("unknown command sevre"), "\(run)")
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

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    @Test func `every alert has a line in the runbook, and there is no other`() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOfFile: CommandTests.root + path, encoding: .utf8)
        }
        let alerts = try text("/Config/alerts.yml").matches(of: /alert: (\w+)/).map { $0.output.1 }
        let rows = try text("/Documentation/Operations/Operating.md").matches(
            of: /\| (Versiond\w+) \|/
        )
        .map { $0.output.1 }
        #expect(alerts == rows)
    }

    /// A state directory as systemd makes it for a user without a name until it runs.
    @Test(.enabled(if: getuid() == 0, "only root can be somebody else"))
    func `N2: the documented restore works where the directory is a link into private`() throws {
        let (state, keep) = (directory.path + "/state", directory.path + "/private")
        let run = try DaemonProcess.bash(
            """
            set -e
            chmod 755 \(directory.path)
            cp \(Products.folder.path)/versiond \(directory.path)/versiond
            versiond=\(directory.path)/versiond
            mkdir -p \(keep)/versiond
            ln -s \(keep)/versiond \(state)
            chown 65534:65534 \(keep)/versiond
            serve() {
              : > \(directory.path)/log
              setpriv --reuid=65534 --regid=65534 --clear-groups \
                $versiond serve --port 0 --directory \(state) 2>> \(directory.path)/log &
              for n in $(seq 400); do grep -qs "stores in" \(directory.path)/log && break; sleep 0.05; done
              port=$(sed -n 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/p' \(directory.path)/log)
            }
            serve
            curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d 1 http://127.0.0.1:$port/v1/documents/a
            $versiond backup --directory \(keep)/versiond \(directory.path)/backup
            curl -fsS -o /dev/null -X PUT -H 'Content-Type: application/json' -d 2 http://127.0.0.1:$port/v1/documents/a
            kill $!; wait $!
            mv \(keep)/versiond \(keep)/versiond-aside
            $versiond restore \(directory.path)/backup --directory \(keep)/versiond
            chown -R 65534:65534 \(keep)/versiond  # What systemd does when the owner is another one.
            serve
            curl -fsS http://127.0.0.1:$port/v1/documents/a
            kill $!; wait $!
            """)
        #expect(run.status == 0, "\(run)")
        #expect(run.output.hasSuffix("1\n"), "\(run)")
    }

    @Test func `what a binary is made of is listed`() throws {
        let run = try DaemonProcess.bash(
            "\(CommandTests.root)/Scripts/sbom \(Products.folder.path)/versiond")
        for part in ["CycloneDX", "swift-log", "libmicrohttpd12", "libsqlite3-0"] {
            #expect(run.output.contains(part), "\(part): \(run.output)")
        }
        #expect(run.status == 0 && !run.output.contains("swift-syntax"))
    }
}
