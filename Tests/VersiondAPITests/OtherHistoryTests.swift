import Foundation
import JSONTree
import Journaling
import TestSupport
import Testing
import VersiondAPI

/// Numbers of changes after a cut of the history, in every response and back (rule 24).
@Suite struct OtherHistoryTests {
    /// Changes of `menu` before the cut: numbers after it occur as nothing else.
    private static let before = 130
    private static let span = Numbering.span

    private func succeed(
        _ daemon: LocalDaemon, _ method: String, _ path: String, _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) throws {
        let known = body == nil ? fields : LocalDaemon.json.merging(fields) { $1 }
        let answer = try daemon.client.request(method, path, known, body: body)
        #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
    }

    /// A daemon whose history is the same, cut or not.
    private func scene(isCut: Bool) throws -> LocalDaemon {
        let journal = try LocalDaemon.newJournal()
        let daemon = try LocalDaemon(journal: journal)
        try daemon.put(#"{"text":"soup","list":[1,2,3]}"#)
        for number in 1...OtherHistoryTests.before {
            try daemon.as("cook").merge(#"{"n":\#(number)}"#)
        }
        try succeed(daemon, "PUT", "/v1/documents/dinner", #"{"a":1}"#)
        if isCut { try journal.cut() }
        try daemon.as("ada").merge(#"{"price":5}"#)
        try daemon.as("bob").merge(#"{"text":"soup of the day"}"#)
        try daemon.succeed("POST", "/undo", #"{"actor":"ada"}"#, [:].by("ada"))
        try daemon.succeed("POST", "/redo", #"{"actor":"ada"}"#, [:].by("ada"))
        try daemon.tag("draft")
        try daemon.succeed("PUT", "/snapshots/noon")
        try succeed(
            daemon, "POST", "/v1/transactions",
            #"""
            {"changes":[{"document":"menu","merge":{"x":1}},{"document":"dinner","merge":{"x":1}}]}
            """#, [:].by("ada"))
        try daemon.succeed("POST", "/undo?alone")
        try daemon.succeed("POST", "/redo?alone")
        try succeed(daemon, "PUT", "/v1/documents/menu~ada?copyOf=menu")
        try daemon.as("bob").merge(#"{"list":[1,2]}"#)
        try succeed(
            daemon, "PATCH", "/v1/documents/menu~ada", #"{"list":[3]}"#, LocalDaemon.merge)
        try succeed(daemon, "POST", "/v1/documents/menu~ada/merge?conflict=draft")
        try daemon.succeed("POST", "/scopes/push", #"{"ttl":"10m"}"#, [:].by("ada"))
        try daemon.as("ada").merge(#"{"y":1}"#)
        return daemon
    }

    private static let menu = [
        "", "/status?actor=ada", "/status?actor=bob", "/history?limit=30",
        "/history?limit=3", "/history?limit=9&path=/price", "/history?since=120&limit=5",
        "/versions?limit=5", "/versions?limit=30&summary", "/blame", "/blame?path=/text", "/tags",
        "/tags/draft", "/snapshots", "/snapshots/noon", "/scopes", "/activity?spans=5",
        "/feed?cursor=128", "/feed?cursor=128&limit=2", "/diff?from=120", "/drafts", "/settings",
        "/history/130", "?at=130",
    ].map { "/v1/documents/menu" + $0 }
    private static let others = [
        "/v1/documents", "/v1/documents/menu~ada/origin", "/v1/documents/menu~ada/history",
        "/v1/documents/dinner/history", "/v1/documents/dinner/feed",
    ]

    /// The text with numbers as they are in a history that was never cut.
    private func withoutMarks(_ text: String) -> String {
        text.replacing(#/[0-9]{10,16}/#) { match in
            Int(match.output).map { "\($0 % OtherHistoryTests.span)" } ?? ""
        }
    }

    @Test func `24: a cut history responds as one that was never cut, but for marks`() throws {
        let (cut, twin) = (try scene(isCut: true), try scene(isCut: false))
        for path in OtherHistoryTests.menu + OtherHistoryTests.others {
            let (marked, plain) = (
                try cut.client.request("GET", path), try twin.client.request("GET", path)
            )
            #expect(marked.status == plain.status, "\(path): \(marked.text)")
            #expect(withoutMarks(marked.text) == plain.text, "\(path)")
            for field in ["etag", "link"] {
                #expect(marked[field].map(withoutMarks) == plain[field], "\(path) \(field)")
            }
        }
    }

    /// Counts, which carry no marks.
    private static let counts: Set = [
        "undoCount", "redoCount", "versionCount", "bytes", "newer", "count", "changeCount",
        "spanCount", "index", "edits",
    ]

    /// All numbers in a response, by the name of their member.
    private func numbers(_ value: JSON, _ name: String = "") -> [(name: String, number: Int)] {
        if let number = value.int { return [(name, number)] }
        if let elements = value.elements { return elements.flatMap { numbers($0, name) } }
        return (value.members ?? []).flatMap { member in
            ["value", "patch", "missed"].contains(String(member.name))
                ? [] : numbers(member.value, String(member.name))
        }
    }

    @Test func `24: no response has a number after the cut without its mark`() throws {
        let daemon = try scene(isCut: true)
        let after = OtherHistoryTests.before + 1...OtherHistoryTests.before + 60
        let all = ["/v1/history?limit=12", "/v1/feed?cursor=132"]
        for path in OtherHistoryTests.menu + OtherHistoryTests.others + all {
            let answer = try daemon.client.request("GET", path)
            for (name, number) in numbers(try answer.json)
            where !OtherHistoryTests.counts.contains(name) {
                #expect(!after.contains(number), "\(path): \(name) \(number)")
            }
        }
    }

    @Test func `24: what a cut history shows is accepted, and means the same change`() throws {
        let daemon = try scene(isCut: true)
        let changes = try daemon.menu("GET", "/history?limit=30&branches=all").json["changes"]
        var seen = 0
        for change in try #require(changes?.elements) {
            let revision = try #require(change["revision"]?.int)
            let one = try daemon.menu("GET", "/history/\(revision)")
            #expect(try one.json["revision"]?.int == revision, "\(one.text)")
            let state = try daemon.menu("GET", "?at=\(revision)")
            #expect(state["etag"] == "\"\(revision)\"")
            let feed = try daemon.menu("GET", "/feed?limit=1&cursor=\(revision - 1)").json
            #expect(feed["events"]?[0]?["revision"]?.int == revision)
            #expect(feed["next"]?.int == revision)
            let page = try daemon.menu(
                "GET", "/history?branches=all&limit=1&cursor=\(revision + 1)")
            #expect(try page.json["changes"]?[0]?["revision"]?.int == revision)
            let dryRun = try daemon.menu(
                "PATCH", "?dryRun&base=\(revision)", #"{"z":1}"#, LocalDaemon.merge)
            #expect(try dryRun.json["base"]?.int == revision, "\(dryRun.text)")
            if let version = change["version"]?.int {
                #expect(try daemon.menu("GET", "?at=version:\(version)").status == 200)
            }
            if let id = change["transaction"]?["id"]?.string {
                let found = try daemon.client.request("GET", "/v1/transactions/\(id)")
                #expect(try found.json["transaction"]?.string == id, "\(found.text)")
                seen += 1
            }
        }
        #expect(seen > 0)
        let copy = try daemon.client.request("GET", "/v1/documents/menu~ada/history").json
        let place = try #require(copy["changes"]?.elements?.last?["copyOf"]?.string)
        try succeed(daemon, "PUT", "/v1/documents/again?copyOf=\(place)")
        let positions = try daemon.client.request("GET", "/v1/feed?cursor=132").json
        let items = try #require(positions["events"]?.elements)
        for (place, item) in items.enumerated() {
            let cursor = try #require(item["cursor"]?.int)
            #expect(cursor > OtherHistoryTests.span)
            let next = try daemon.client.request("GET", "/v1/feed?limit=1&cursor=\(cursor)").json
            #expect(
                next["events"]?[0]?["cursor"]?.int
                    == (place + 1 < items.count ? items[place + 1]["cursor"]?.int : nil))
        }
    }

    @Test func `24: a document made again under its name goes on with its numbers`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        try daemon.as("ada").merge(#"{"a":2}"#)
        let seen = try #require(try daemon.menu("GET")["etag"])
        for (end, base) in [("", 1), ("?purge", 3)] {
            try daemon.succeed("DELETE", end)
            try daemon.put(#"{"b":1}"#)
            let answer = try daemon.menu("PATCH", "?base=\(base)", #"{"a":3}"#, LocalDaemon.merge)
            #expect(answer.status == 409 && answer.code == "earlier-life")
            #expect(try daemon.menu("GET", "", nil, ["If-None-Match": seen]).status == 200)
            #expect(
                try daemon.menu("PUT", "", "1", ["If-Match": seen]).status == 412)
        }
        #expect(try daemon.menu("GET")["etag"] == "\"5\"")
    }

    @Test func `24: a client that never saw the lost changes notices nothing`() throws {
        let journal = try LocalDaemon.newJournal()
        let daemon = try LocalDaemon(journal: journal)
        try daemon.put(#"{"a":1}"#)
        try journal.cut()
        #expect(try daemon.menu("GET", "", nil, ["If-None-Match": "\"0\""]).status == 304)
        let answer = try daemon.menu(
            "PATCH", "?base=0", #"{"b":1}"#, LocalDaemon.merge.merging(["If-Match": "\"0\""]) { $1 }
        )
        #expect(answer.status == 200)
        #expect(try daemon.menu("GET", "/feed?cursor=0").json["events"]?.elements?.count == 1)
        let made = try daemon.client.request(
            "PUT", "/v1/documents/new", LocalDaemon.json, body: "1")
        let first = try #require(try made.json["revision"]?.int)
        #expect(first > 0 && first % OtherHistoryTests.span == 0)
        #expect(
            try daemon.client.request(
                "GET", "/v1/documents/new", ["If-None-Match": "\"0\""]
            ).status == 200)
    }
}
