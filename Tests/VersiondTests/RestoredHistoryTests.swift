import Foundation
import JSONTree
import TestSupport
import Testing

/// Client state of a lost history is refused (rule 24): raw HTTP, real backups.
@Suite struct RestoredHistoryTests {
    private let directory: TemporaryDirectory
    private let patch = ["Content-Type": "application/json-patch+json"]
    private let json = ["Content-Type": "application/json"]
    private let note = "/v1/documents/note"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    private func run(_ arguments: String...) throws {
        let done = try DaemonProcess.run(arguments)
        #expect(done.status == 0, "\(arguments): \(done.output)")
    }

    /// The part of a document that a client has seen: revisions 0 to 3, of which the backup has 0
    /// and 1.
    private struct Seen {
        var tag = ""
        var cursor = 0
    }

    private func edit(_ client: RawConnection, _ text: String, key: String? = nil) throws -> Answer
    {
        var fields = patch
        fields["Idempotency-Key"] = key
        return try client.request(
            "PATCH", note, fields,
            body: #"[{"op":"str_ins","path":"/text","pos":0,"str":"\#(text)"}]"#)
    }

    /// A daemon that has lost revisions 2 and 3, and in which others have made 2 to 7 since.
    private func lost(_ lose: (DaemonProcess) throws -> DaemonProcess) throws -> (
        client: RawConnection, seen: Seen, daemon: DaemonProcess
    ) {
        let first = try DaemonProcess(directory: path("data"))
        let before = try first.connect()
        #expect(
            try before.request("PUT", note, json, body: #"{"text":"the quick brown fox"}"#).status
                == 201)
        #expect(try edit(before, "1").status == 200)
        try run("backup", path("copy"), "--directory", path("data"))
        _ = try edit(before, "2")
        #expect(try edit(before, "3", key: "lost").status == 200)
        let feed = try JSON(parsing: before.request("GET", "/v1/feed").body)
        let seen = Seen(
            tag: try #require(try before.request("GET", note)["etag"]),
            cursor: try #require(feed["next"]?.int))
        #expect(seen.tag == "\"3\"" && seen.cursor == 4)
        let daemon = try lose(first)
        let client = try daemon.connect()
        for text in ["a", "b", "c", "d", "e", "f"] {
            #expect(try edit(client, text).status == 200)
        }
        return (client, seen, daemon)
    }

    private func restored(_ first: DaemonProcess) throws -> DaemonProcess {
        #expect(first.terminate() == 0)
        try run("restore", path("copy"), "--directory", path("restored"))
        return try DaemonProcess(directory: path("restored"))
    }

    /// The directory goes back as by a snapshot of the file system.
    private func snapshot(_ first: DaemonProcess) throws -> DaemonProcess {
        #expect(first.terminate() == 0)
        let files = FileManager.default
        try files.removeItem(atPath: path("data"))
        try files.copyItem(atPath: path("copy"), toPath: path("data"))
        let once = try DaemonProcess(directory: path("data"), ["--restored"])
        #expect(once.terminate() == 0)
        // Twice does not hurt.
        return try DaemonProcess(directory: path("data"), ["--restored"])
    }

    private func code(_ answer: Answer) throws -> String {
        "\(answer.status) \((try? JSON(parsing: answer.body)["code"]?.string) ?? "")"
    }

    private func expectRefusals(_ client: RawConnection, _ seen: Seen) throws {
        let read = try client.request("GET", note, ["If-None-Match": seen.tag])
        #expect(read.status == 200, "a cache must not keep what is lost")
        let value = try JSON(parsing: read.body)
        #expect(value["text"] == "fedcba1the quick brown fox")
        let edit = #"[{"op":"str_ins","path":"/text","pos":3,"str":"NOW"}]"#
        #expect(
            try code(client.request("PATCH", note + "?base=3", patch, body: edit))
                == "409 other-history")
        #expect(
            try code(client.request("PATCH", note + "?base=1&own=3", patch, body: edit))
                == "409 other-history")
        #expect(
            try code(
                client.request(
                    "PATCH", note, patch.merging(["If-Match": seen.tag]) { $1 }, body: edit))
                == "412 stale-revision")
        for query in [
            "/feed?cursor=3", "/feed?cursor=2&wait=1s", "?at=3", "?at=version:3", "/history/2",
            "/history?cursor=4", "/versions?cursor=4", "/diff?from=1&to=3", "/blame?at=2",
            "/history?since=2",
        ] {
            #expect(
                try code(client.request("GET", note + query)) == "409 other-history", "\(query)")
        }
        #expect(
            try code(client.request("GET", note + "/feed", ["Last-Event-ID": "3"]))
                == "409 other-history")
        #expect(
            try code(client.request("GET", "/v1/feed?cursor=\(seen.cursor)"))
                == "409 other-history")
        for (call, body) in [
            ("/undo", #"{"revision":3}"#), ("/undo", #"{"to":"2"}"#), ("/goto", #"{"to":"3"}"#),
            ("/restore", #"{"from":"3"}"#),
        ] {
            #expect(
                try code(client.request("POST", note + call, json, body: body))
                    == "409 other-history", "\(call) \(body)")
        }
        let selected = #"{"all":{"since":"2"},"documents":["note"]}"#
        for call in ["/v1/undo", "/v1/redo"] {
            #expect(
                try code(client.request("POST", call, json, body: selected))
                    == "409 other-history", "\(call)")
        }
        let member = #"{"document":"note","base":3,"merge":{"x":1}}"#
        #expect(
            try code(
                client.request(
                    "POST", "/v1/transactions", json, body: #"{"changes":[\#(member)]}"#))
                == "409 other-history")
        #expect(
            try code(client.request("GET", "/v1/transactions/note@3")) == "409 other-history")
        #expect(
            try JSON(parsing: client.request("GET", note).body) == value, "nothing was changed")
    }

    private func expectNumbersReturn(_ client: RawConnection) throws {
        let tag = try #require(try client.request("GET", note)["etag"])
        let head = try #require(Int(tag.dropFirst().dropLast()))
        #expect(head % 1_000_000_000 == 7 && head > 1_000_000_000)
        #expect(try client.request("GET", note, ["If-None-Match": tag]).status == 304)
        #expect(try client.request("GET", note + "?at=1").status == 200, "before the cut")
        #expect(try client.request("GET", note + "?at=\(head - 6)").status == 200)
        let missed = try JSON(
            parsing: client.request("GET", note + "/feed?cursor=1").body)
        #expect(missed["events"]?.elements?.count == 6)
        #expect(missed["next"]?.int == head)
        let edit = #"[{"op":"str_ins","path":"/text","pos":0,"str":"NOW"}]"#
        let merged = try client.request(
            "PATCH", note + "?base=\(head - 2)", patch.merging(["If-Match": tag]) { $1 },
            body: edit)
        #expect(merged.status == 200)
        let answer = try JSON(parsing: merged.body)
        #expect(answer["revision"]?.int == head + 1 && answer["base"]?.int == head - 2)
    }

    @Test func `24: a restored backup refuses what is of the lost history`() throws {
        let (client, seen, daemon) = try lost(restored)
        try expectRefusals(client, seen)
        try expectNumbersReturn(client)
        #expect(daemon.terminate() == 0)
    }

    @Test func `24: a snapshot of the directory does, too, when the operator says so`() throws {
        let (client, seen, daemon) = try lost(snapshot)
        try expectRefusals(client, seen)
        try expectNumbersReturn(client)
        #expect(daemon.terminate() == 0)
    }

    @Test func `24: a request of the lost history is carried out again, if its conditions hold`()
        throws
    {
        let (client, _, daemon) = try lost(restored)
        let again = try edit(client, "3", key: "lost")
        #expect(again.status == 200 && again["idempotent-replayed"] == nil)
        #expect(try edit(client, "3", key: "lost")["idempotent-replayed"] == "true")
        #expect(daemon.terminate() == 0)
    }

    @Test func `24: two restores of one backup differ`() throws {
        let (client, _, daemon) = try lost(restored)
        let tag = try #require(try client.request("GET", note)["etag"])
        #expect(daemon.terminate() == 0)
        try run("restore", path("copy"), "--directory", path("second"))
        let second = try DaemonProcess(directory: path("second"))
        let other = try second.connect()
        for text in ["g", "h", "i", "j", "k", "l"] { _ = try edit(other, text) }
        #expect(try other.request("GET", note, ["If-None-Match": tag]).status == 200)
        #expect(try other.request("GET", note)["etag"] != tag)
        let base = tag.dropFirst().dropLast()
        let answer = try other.request(
            "PATCH", note + "?base=\(base)", patch,
            body: #"[{"op":"str_ins","path":"/text","pos":3,"str":"NOW"}]"#)
        #expect(try code(answer) == "409 other-history")
        #expect(second.terminate() == 0)
    }
}
