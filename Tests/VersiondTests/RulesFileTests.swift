import Foundation
import JSONTree
import TestSupport
import Testing

/// A file of rules, and the real daemon.
@Suite struct RulesFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var rules: String { directory.path + "/rules.json" }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: rules))
    }

    private func start() throws -> DaemonProcess {
        let config = directory.path + "/config.json"
        try Data(#"{"rules":"\#(rules)"}"#.utf8).write(to: URL(filePath: config))
        return try DaemonProcess(directory: directory.path + "/data", ["--config", config])
    }

    private func put(_ daemon: DaemonProcess, _ name: String) throws -> Int {
        try daemon.connect().request(
            "PUT", "/v1/documents/\(name)", ["Content-Type": "application/json"], body: "{}"
        ).status
    }

    @Test func `What is stored counts after a restart, and SIGHUP reads the rules anew`() throws {
        try write(#"{"rules":[{"prefix":"f/","quota":{"documents":2,"bytes":1000000}}]}"#)
        var daemon = try start()
        #expect(try put(daemon, "f%2F1") == 201 && put(daemon, "f%2F2") == 201)
        #expect(try put(daemon, "f%2F3") == 403)
        #expect(daemon.terminate() == 0)
        daemon = try start()
        #expect(try put(daemon, "f%2F3") == 403)
        let metrics = try daemon.connect().request("GET", "/metrics").text
        #expect(metrics.contains(#"versiond_quota_used{prefix="f/",measure="documents"} 2"#))
        #expect(metrics.contains(#"versiond_quota_limit{prefix="f/",measure="documents"} 2"#))
        try write(#"{"rules":[{"prefix":"f/","quota":{"documents":3}}]}"#)
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("reloaded the rules") }
        #expect(try put(daemon, "f%2F3") == 201 && put(daemon, "f%2F4") == 403)
        try write(#"{"rules":[{"prefix":"f/","quota":{"pages":3}}]}"#)
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("the previous rules stay in force") }
        #expect(try put(daemon, "f%2F4") == 403)
        #expect(daemon.terminate() == 0)
    }

    @Test func `A daemon does not start with rules that it does not understand`() throws {
        try write(#"{"rules":[{"prefix":"f/","defaults":{"debounce":7}}]}"#)
        let config = directory.path + "/config.json"
        try Data(#"{"rules":"\#(rules)"}"#.utf8).write(to: URL(filePath: config))
        for command in ["serve", "config check"] {
            let result = try DaemonProcess.bash(
                "\(Products.folder.path)/versiond \(command) --config \(config) "
                    + "--directory \(directory.path)/data 2>&1")
            #expect(result.status == 78 && result.output.contains("/rules/0/defaults/debounce"))
        }
    }
}
