import Documents
import JSONTree
import Journaling
import TestSupport
import Testing

@testable import VersiondAPI

/// Looking back: branches, what touched a place, states by address, and what lies between them.
@Suite struct HistoryTests {
    private func revisions(_ daemon: LocalDaemon, _ query: String) throws -> [JSON?] {
        try daemon.menu("GET", "/history" + query).json["changes"]?.elements?.map { $0["revision"] }
            ?? []
    }

    @Test func `5: abandoned futures are listed for those who ask`() throws {
        let daemon = try LocalDaemon()
        for value in ["0", "1", "2"] { try daemon.succeed("PUT", "", value) }
        try daemon.succeed("POST", "/undo", #"{"count":2}"#)
        #expect(try revisions(daemon, "") == [3, 2, 1, 0], "what can be redone is not abandoned")
        try daemon.put("9")
        #expect(try revisions(daemon, "") == [4, 3, 0])
        #expect(try revisions(daemon, "?branches=all") == [4, 3, 2, 1, 0])
        #expect(try daemon.menu("GET", "/history?branches=some").code == "malformed-request")
        try daemon.succeed("POST", "/goto", #"{"to":"version:2"}"#)
        #expect(try revisions(daemon, "") == [5, 3, 2, 1, 0])
    }

    @Test func `history is filtered as versions are, and begins and ends at any state`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        for number in 1...9 {
            let actor = ["Versiond-Actor": number % 3 == 0 ? "bob" : "ada"]
            let made = try daemon.menu("PUT", "?label=l\(number)", "\(number)", actor)
            #expect(made.status == 200)
        }
        #expect(try daemon.menu("PUT", "/tags/lunch", #"{"at":"version:4"}"#).status == 201)
        #expect(try revisions(daemon, "?actor=bob") == [9, 6, 3])
        #expect(try revisions(daemon, "?actor=bob&limit=2") == [9, 6])
        #expect(try revisions(daemon, "?actor=bob&limit=2&cursor=6") == [3])
        #expect(try revisions(daemon, "?label=l7") == [7])
        #expect(try revisions(daemon, "?kind=tag") == [10])
        #expect(try revisions(daemon, "?since=tag:lunch&until=7") == [7, 6, 5])
        #expect(try revisions(daemon, "?since=version:8") == [10, 9])
        #expect(try revisions(daemon, "?until=0") == [0])
        #expect(try revisions(daemon, "?since=head") == [])
        let versions = try daemon.menu("GET", "/versions?since=tag:lunch&until=version:7").json
        #expect(versions["versions"]?.elements?.map { $0["version"] } == [7, 6, 5])
        for (query, code) in [
            ("since=tag:no", "unknown-tag"), ("since=99", "unknown-revision"),
            ("until=version:99", "unknown-version"), ("since=snapshot:s", "malformed-request"),
        ] {
            #expect(try daemon.menu("GET", "/history?\(query)").code == code, "\(query)")
        }
    }

    @Test func `a state at a time is not after that time`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let time = try #require(
            try daemon.menu("GET", "/history").json["changes"]?[0]?["time"]?.string)
        #expect(try revisions(daemon, "?since=\(time)") == [], "since is not included")
        #expect(try revisions(daemon, "?until=\(time)") == [0], "until is")
    }

    @Test func `5: a discarded scope is abandoned, a squashed one is not`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        for end in ["pop", "discard"] {
            try daemon.succeed("POST", "/scopes/push")
            try daemon.succeed("PUT", "", "\"\(end)\"")
            try daemon.succeed("POST", "/scopes/\(end)")
        }
        #expect(try revisions(daemon, "") == [6, 4, 3, 2, 1, 0])
        #expect(try revisions(daemon, "?branches=all") == [6, 5, 4, 3, 2, 1, 0])
    }

    @Test func `history by path lists what touched it, above and below, in pages`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"price":0,"name":{"first":"a"}}"#)
        for number in 1...40 {
            let place = number % 10 == 0 ? "/name/first" : "/price"
            let body = #"[{"op":"replace","path":"\#(place)","value":\#(number)}]"#
            try daemon.succeed("PATCH", "", body, LocalDaemon.patch)
        }
        #expect(try revisions(daemon, "?path=/name") == [40, 30, 20, 10, 0])
        #expect(try revisions(daemon, "?path=/name/first/x") == [40, 30, 20, 10, 0])
        let page = try daemon.menu("GET", "/history?path=/name/first&limit=2").json
        #expect(page["changes"]?.elements?.map { $0["revision"] } == [40, 30])
        let next = try #require(page["next"]?.int)
        #expect(try revisions(daemon, "?path=/name/first&limit=2&cursor=\(next)") == [20, 10])
        #expect(try revisions(daemon, "?path=/nothing") == [0])
        #expect(try daemon.menu("GET", "/history?path=x").code == "malformed-request")
    }

    @Test func `status tells what went wrong last, and does not count what was only refused`()
        throws
    {
        let daemon = try LocalDaemon(journal: FaultyJournal(InMemoryJournal(), plan: [nil, .full]))
        try daemon.put("1")
        #expect(try daemon.menu("POST", "/undo").code == "nothing-to-undo")
        #expect(try daemon.menu("GET", "/status").json["lastError"] == .null)
        #expect(try daemon.menu("PUT", "", "2").code == "journal-full")
        #expect(try daemon.menu("PUT", "", "3").status == 200)
        let fault = try daemon.menu("POST", "/seal").json["lastError"]
        #expect(
            fault?["code"] == "journal-full" && fault?["detail"] != nil && fault?["time"] != nil)
    }

    @Test func `pages lead on, and come as lines for those who read lines`() throws {
        let daemon = try LocalDaemon()
        for number in 0...5 { try daemon.put("\(number)") }
        let lines = ["Accept": "application/x-ndjson"]
        let page = try daemon.menu("GET", "/history?limit=2&branches=all", nil, lines)
        #expect(page["content-type"] == "application/x-ndjson" && page["etag"] == "\"5\"")
        let found = try page.text.split(separator: "\n").map {
            try JSON(parsing: Array($0.utf8))["revision"]?.int
        }
        #expect(found == [5, 4])
        #expect(
            page["link"]
                == "</v1/documents/menu/history?limit=2&branches=all&cursor=4>; rel=\"next\"")
        #expect(
            try daemon.client.request(
                "GET", "/v1/documents/menu/history?limit=2&branches=all&cursor=4", lines
            ).text.contains("\"revision\":3"))
        #expect(try daemon.menu("GET", "/history?limit=9")["link"] == nil)
        #expect(
            try daemon.client.request("GET", "/v1/documents", lines).text
                == "{\"document\":\"menu\",\"revision\":5}\n")
    }

    @Test func `a diff leads from any state to any other`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1}"#)
        try daemon.succeed("POST", "/append?tag=two", #"{"a":2}"#)
        daemon.time.advance(by: 60_000)
        try daemon.put(#"{"a":2,"b":3}"#)
        func patch(_ query: String) throws -> String? {
            try daemon.menu("GET", "/diff?" + query).json["patch"]?.description
        }
        #expect(
            try patch("from=0")
                == #"[{"op":"replace","path":"/a","value":2},{"op":"add","path":"/b","value":3}]"#)
        #expect(try patch("from=tag:two&to=2") == #"[{"op":"add","path":"/b","value":3}]"#)
        #expect(try patch("from=head&to=tag:two") == #"[{"op":"remove","path":"/b"}]"#)
        #expect(try patch("from=2&to=2") == "[]")
        #expect(try daemon.menu("GET", "/diff").code == "malformed-request")
        #expect(try daemon.menu("GET", "/diff?from=x").code == "malformed-request")
        #expect(try daemon.menu("GET", "/diff?from=9").code == "unknown-revision")
        #expect(try daemon.menu("GET", "/diff?from=tag:no").code == "unknown-tag")
    }

    @Test func `a state is found by the time at which it was`() throws {
        let daemon = try LocalDaemon()
        for number in 0..<9 {
            try daemon.put("\(number)")
            daemon.time.advance(by: 1_000)
        }
        for number in 0..<9 {
            let time = try #require(
                try daemon.menu("GET", "/history/\(number)").json["time"]?.string)
            #expect(try daemon.menu("GET", "?at=\(time)").json == JSON(number))
            let later = time.replacing("Z", with: "").dropLast(3) + "900Z"
            #expect(try daemon.menu("GET", "?at=\(later)").status == 200)
        }
        #expect(try daemon.menu("GET", "?at=2999-01-01T00:00:00Z").json == 8)
        #expect(try daemon.menu("GET", "?at=1965-01-01T00:00:00Z").code == "unknown-revision")
        #expect(try daemon.menu("GET", "?at=yesterday").code == "malformed-request")
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T01:00:00+01:00", 0),
        ("2000-02-29T12:34:56.789Z", 951_827_696_789),
        ("2026-11-21t10:00:00.5z", 1_795_255_200_500), ("1969-12-31T23:59:59.999Z", -1),
    ])
    func `times are read as RFC 3339 writes them`(text: String, milliseconds: Int) {
        #expect(RFC3339.parse(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z", "2026-1-1T00:00:00Z", "2026-01-01T00:00:00+1:00",
    ])
    func `what is no time is refused`(text: String) {
        #expect(RFC3339.parse(text) == nil)
    }
}
