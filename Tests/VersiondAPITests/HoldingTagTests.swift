import JSONTree
import Journaling
import TestSupport
import Testing
import VersiondAPI

/// A tag keeps its version and what leads there, whatever the bounds on a history are; the status
/// says so.
@Suite struct HoldingTagTests {
    private func note(_ settings: String) throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.put("\"\"")
        try daemon.set(settings)
        return daemon
    }

    private func held(_ daemon: LocalDaemon) throws -> JSON? {
        try daemon.menu("GET", "/status").json["heldBy"]
    }

    @Test(arguments: [
        #"{"retention":{"count":5}}"#, #"{"retention":{"bytes":1024}}"#,
        #"{"retention":{"age":"1h"}}"#,
    ])
    func `the status names the oldest tag that keeps what retention would forget`(
        settings: String
    ) throws {
        let daemon = try note(settings)
        try daemon.succeed("POST", "/append?tag=first", "0")
        let version = try #require(try daemon.menu("GET", "/status").json["version"]?.int)
        try daemon.succeed("POST", "/append?tag=second", "1")
        #expect(try held(daemon) == nil)
        for number in 2..<100 {
            daemon.time.advance(by: 120_000)
            try daemon.put("\(number)")
        }
        #expect(try held(daemon)?["tag"] == "first")
        #expect(try held(daemon)?["version"]?.int == version)
        try daemon.succeed("DELETE", "/tags/first")
        #expect(try held(daemon)?["tag"] == "second")
        try daemon.succeed("DELETE", "/tags/second")
        #expect(try held(daemon) == nil)
        try daemon.tag("new")
        #expect(try held(daemon) == nil)
    }

    @Test func `without bounds no tag holds anything`() throws {
        let daemon = try note(#"{"debounce":null}"#)
        try daemon.succeed("POST", "/append?tag=first", "0")
        for number in 0..<50 { try daemon.put("\(number)") }
        #expect(try held(daemon) == nil)
    }
}
