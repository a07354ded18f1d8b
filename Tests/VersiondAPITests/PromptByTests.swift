import JSONTree
import Journaling
import TestSupport
import Testing

/// `promptBy`: the requester of a change.
@Suite struct PromptByTests {
    private static let fields = [
        "Versiond-Actor": "agent/run-17", "Versiond-Prompt-By": "J%C3%BCrgen",
    ]

    private func succeed(
        _ daemon: LocalDaemon, _ method: String, _ path: String, _ body: String? = nil
    ) throws -> JSON {
        let fields = LocalDaemon.json.merging(PromptByTests.fields) { $1 }
        let answer = try daemon.client.request(method, "/v1" + path, fields, body: body)
        #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
        return answer.body.isEmpty ? .null : try answer.json
    }

    /// The kinds and the `promptBy` of all changes that the feed has.
    private func changes(_ daemon: LocalDaemon) throws -> [(kind: String, promptBy: String?)] {
        let feed = try daemon.client.request("GET", "/v1/feed?cursor=0&limit=1000&wait=0s")
        return try (feed.json["events"]?.elements ?? []).compactMap { event in
            event["change"].map { ($0["kind"]?.string ?? "", $0["promptBy"]?.string) }
        }
    }

    @Test func `every call that changes something records who asked for it`() throws {
        let daemon = try LocalDaemon()
        let menu = "/documents/menu"
        let calls: [(String, String, String?)] = [
            ("PUT", menu, #"{"price":1,"email":"x"}"#),
            ("PATCH", menu + "?tag=two", #"{"merge":{"price":2}}"#),
            ("POST", menu + "/undo", nil), ("POST", menu + "/redo", nil),
            ("POST", menu + "/goto", #"{"to":"version:0"}"#),
            ("PUT", menu + "/tags/first", nil), ("DELETE", menu + "/tags/first", nil),
            ("PUT", menu + "/snapshots/noon", nil),
            ("POST", menu + "/restore", #"{"from":"tag:two"}"#),
            ("POST", menu + "/scopes/push", nil), ("POST", menu + "/scopes/discard", nil),
            ("PATCH", menu + "/settings", #"{"debounce":"1s"}"#),
            ("PUT", "/documents/menu~a?copyOf=menu", nil),
            ("PATCH", "/documents/menu~a", #"{"merge":{"price":3}}"#),
            ("POST", "/documents/menu~a/merge", "{}"),
            ("PATCH", menu, #"{"merge":{"dish":"soup"}}"#),
            ("POST", "/documents/menu~a/update", "{}"),
            ("POST", "/transactions", #"{"changes":[{"document":"menu","merge":{"price":4}}]}"#),
            (
                "POST", "/undo",
                #"{"all":{"paths":["/dish"],"actor":"agent/run-17"},"documents":["menu"]}"#
            ),
            ("POST", menu + "/purge", #"{"paths":["/email"]}"#),
            ("POST", menu + "/rename", #"{"name":"dinner"}"#),
            ("DELETE", "/documents/dinner", nil), ("POST", "/documents/dinner/undelete", nil),
        ]
        for (method, path, body) in calls { _ = try succeed(daemon, method, path, body) }
        let found = try changes(daemon)
        #expect(found.count >= calls.count)
        for change in found { #expect(change.promptBy == "Jürgen", "\(change.kind)") }
    }

    @Test func `history, blame and searches show who asked, and other changes have no promptBy`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"price":1,"dish":"soup"}"#)
        _ = try succeed(daemon, "PATCH", "/documents/menu", #"{"merge":{"price":2}}"#)
        let history = try daemon.menu("GET", "/history").json["changes"]?.elements ?? []
        #expect(history.map { $0["promptBy"] } == ["Jürgen", nil])
        let versions = try daemon.menu("GET", "/versions").json["versions"]?.elements ?? []
        #expect(versions.map { $0["requesters"] } == [["Jürgen"], nil])
        let blame = try daemon.menu("GET", "/blame").json["changes"]?.elements ?? []
        #expect(Set(blame.map { $0["promptBy"]?.string }) == ["Jürgen", nil])
        let found = try daemon.menu("GET", "/history?q=j%C3%BCr").json["changes"]?.elements
        #expect(found?.map { $0["revision"] } == [1])
        let all = try daemon.client.request("GET", "/v1/history?q=j%C3%BCr").json
        #expect(all["changes"]?.elements?.count == 1)
    }

    @Test func `promptBy is read from the journal again`() throws {
        let journal = try LocalDaemon.newJournal()
        let first = try LocalDaemon(journal: journal)
        _ = try succeed(first, "PUT", "/documents/menu", "1")
        first.stop()
        let second = try LocalDaemon(journal: journal)
        #expect(try second.menu("GET", "/history").json["changes"]?[0]?["promptBy"] == "Jürgen")
    }

    @Test(arguments: ["%ZZ", "a%0Ab", String(repeating: "a", count: 257)])
    func `a promptBy that no actor could have is refused, and nothing happens`(
        _ name: String
    ) throws {
        let daemon = try LocalDaemon()
        let answer = try daemon.menu("PUT", "", "1", ["Versiond-Prompt-By": name])
        #expect(answer.status == 400 && answer.code == "malformed-request")
        #expect(answer.text.contains("Versiond-Prompt-By"))
        #expect(try daemon.menu("GET").status == 404)
    }

    @Test func `an empty promptBy is none`() throws {
        let daemon = try LocalDaemon()
        let answer = try daemon.menu("PUT", "", "1", ["Versiond-Prompt-By": ""])
        #expect(answer.status == 201)
        #expect(try daemon.menu("GET", "/history").json["changes"]?[0]?["promptBy"] == nil)
    }
}
