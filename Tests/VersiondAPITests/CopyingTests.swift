import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import TestSupport
import Testing

@testable import VersiondAPI

/// A document's history under another name.
@Suite struct CopyingTests {
    private static let ada = ["Versiond-Actor": "ada"]

    /// `menu` with a value, two edits, a tag, a snapshot and an undo.
    private func daemonWithHistory() throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"price":1}"#)
        try daemon.succeed("PATCH", "", #"{"price":2}"#, merge(Self.ada))
        try daemon.tag("draft")
        try daemon.succeed("PUT", "/snapshots/kept")
        try daemon.succeed("PATCH", "", #"{"price":3}"#, merge(Self.ada))
        return daemon
    }

    private func merge(_ fields: [String: String]) -> [String: String] {
        LocalDaemon.merge.merging(fields) { $1 }
    }

    private func ask(
        _ daemon: LocalDaemon, _ method: String, _ path: String, _ body: String? = nil,
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        let known = body == nil ? fields : LocalDaemon.json.merging(fields) { $1 }
        return try daemon.client.request(method, "/v1/documents/" + path, known, body: body)
    }

    @Test func `a copy with its history has the versions, names and actors of the original`()
        throws
    {
        let daemon = try daemonWithHistory()
        let made = try ask(daemon, "PUT", "new?copyOf=menu&withHistory=true", nil, Self.ada)
        #expect(made.status == 201 && made["location"] == "/v1/documents/new")
        let change = try #require(try made.json["change"])
        #expect(
            change["kind"] == "copy" && change["copyOf"] == "menu@4" && change["actor"] == "ada")
        #expect(try made.json["revision"] == 5)
        for question in ["versions", "tags", "snapshots", "blame", "diff?from=0"] {
            let original = try ask(daemon, "GET", "menu/" + question).text
            let copied = try ask(daemon, "GET", "new/" + question).text
            #expect(
                copied.replacing(#""document":"new""#, with: #""document":"menu""#)
                    .replacing(#""revision":5,"version""#, with: #""revision":4,"version""#)
                    .replacing(#""to":5"#, with: #""to":4"#) == original)
        }
        #expect(try ask(daemon, "POST", "new/undo", #"{"actor":"ada"}"#).status == 200)
        #expect(try ask(daemon, "POST", "new/undo", #"{"to":"tag:draft"}"#).status == 200)
        #expect(try ask(daemon, "GET", "new").text == "{\"price\":2}\n")
        #expect(try ask(daemon, "POST", "new/goto", #"{"to":"version:0"}"#).status == 200)
        #expect(try ask(daemon, "GET", "new").text == "{\"price\":1}\n")
        #expect(try daemon.value()["price"] == 3)
    }

    @Test(arguments: [
        ("version:1", 2, "{\"price\":2}"), ("tag:draft", 2, "{\"price\":2}"),
        ("0", 1, "{\"price\":1}"), ("head", 5, "{\"price\":3}"),
    ])
    func `a copy goes as far as the state that it is made from`(
        address: String, revision: Int, value: String
    ) throws {
        let daemon = try daemonWithHistory()
        let made = try ask(daemon, "PUT", "new?copyOf=menu@\(address)&withHistory=true")
        #expect(try made.json["revision"]?.int == revision)
        #expect(try ask(daemon, "GET", "new").text == value + "\n")
        #expect(
            try ask(daemon, "GET", "new/history").json["changes"]?.elements?.count == revision + 1)
    }

    @Test func `a renamed document is found under its new name, and was deleted under the old`()
        throws
    {
        let daemon = try daemonWithHistory()
        let made = try ask(daemon, "POST", "menu/rename", #"{"name":"dinner"}"#)
        #expect(made.status == 201 && made["location"] == "/v1/documents/dinner")
        #expect(try made.json["change"]?["kind"] == "rename")
        #expect(try ask(daemon, "GET", "dinner").text == "{\"price\":3}\n")
        #expect(try ask(daemon, "POST", "dinner/undo").status == 200)
        #expect(try ask(daemon, "GET", "menu").code == "document-deleted")
        #expect(try ask(daemon, "POST", "menu/undelete").status == 200)
        let last = try ask(daemon, "GET", "menu/history/5").json
        #expect(last["kind"] == "delete" && last["label"] == "renamed to dinner")
    }

    @Test func `names that a document has or had are not given`() throws {
        let daemon = try daemonWithHistory()
        _ = try ask(daemon, "PUT", "other", "1")
        _ = try ask(daemon, "PUT", "gone", "1")
        _ = try ask(daemon, "DELETE", "gone")
        for name in ["other", "gone", "menu"] {
            #expect(
                try ask(daemon, "PUT", "\(name)?copyOf=menu&withHistory=true").code
                    == "document-exists")
            #expect(
                try ask(daemon, "POST", "menu/rename", "{\"name\":\"\(name)\"}").code
                    == "document-exists")
        }
        #expect(try daemon.value()["price"] == 3)
        #expect(try ask(daemon, "GET", "other/history").json["changes"]?.elements?.count == 1)
    }

    @Test func `what cannot be copied or renamed is refused, and nothing is half done`() throws {
        let daemon = try daemonWithHistory()
        let refusals: [(String, String, String?, String)] = [
            ("PUT", "new?copyOf=none&withHistory=true", nil, "unknown-document"),
            ("PUT", "new?copyOf=menu@77&withHistory=true", nil, "unknown-revision"),
            ("PUT", "new?copyOf=menu@version:77&withHistory=true", nil, "unknown-version"),
            ("PUT", "new?copyOf=menu@snapshot:kept&withHistory=true", nil, "malformed-request"),
            ("PUT", "new?copyOf=menu&withHistory=true&base=1", nil, "malformed-request"),
            ("PUT", "new?copyOf=menu&withHistory=maybe", nil, "malformed-request"),
            ("POST", "none/rename", #"{"name":"new"}"#, "unknown-document"),
            ("POST", "menu/rename", "{}", "malformed-request"),
            ("POST", "menu/rename", #"{"name":""}"#, "malformed-request"),
            ("POST", "menu/rename", #"{"name":7}"#, "malformed-request"),
            ("POST", "menu/rename", #"{"name":"."}"#, "malformed-request"),
            ("POST", "menu/rename", #"{"name":".."}"#, "malformed-request"),
            ("POST", "menu/rename", #"{"name":"a\u0000b"}"#, "malformed-request"),
            ("PUT", "new?withHistory=true", "1", "malformed-request"),
        ]
        for (method, path, body, code) in refusals {
            #expect(try ask(daemon, method, path, body).code == code, "\(method) \(path)")
        }
        let fields = ["If-Match": "\"1\""]
        let stale = try ask(daemon, "POST", "menu/rename", #"{"name":"new"}"#, fields)
        #expect(stale.code == "stale-revision")
        #expect(
            try ask(daemon, "PUT", "new?copyOf=menu&withHistory=true", nil, fields).code
                == "stale-revision")
        #expect(try ask(daemon, "GET", "new").code == "unknown-document")
        #expect(try ask(daemon, "GET", "menu/history").json["changes"]?.elements?.count == 5)
    }

    @Test func `what the bounds on a history have forgotten does not come back by a copy`() throws {
        let daemon = try LocalDaemon()
        for number in 0..<30 { try daemon.put("\(number)") }
        try daemon.tag("early")
        try daemon.set(#"{"retention":{"count":10}}"#)
        for number in 30..<80 { try daemon.put("\(number)") }
        #expect(try daemon.menu("GET", "?at=5").code == "trimmed")
        #expect(try ask(daemon, "PUT", "new?copyOf=menu@tag:early&withHistory=true").status != 201)
        #expect(try ask(daemon, "PUT", "new?copyOf=menu&withHistory=true").status == 201)
        #expect(try ask(daemon, "GET", "new?at=5").code == "trimmed")
    }

    @Test func `13: a key that the original knows is not taken for its rename`() throws {
        let daemon = try daemonWithHistory()
        let key = ["Idempotency-Key": "k1"]
        try daemon.succeed("PATCH", "", #"{"price":4}"#, merge(key))
        #expect(
            try ask(daemon, "POST", "menu/rename", #"{"name":"new"}"#, key).code == "other-request")
        #expect(try daemon.value()["price"] == 4)
    }

    @Test func `a dry run says what a rename would be, and changes nothing`() throws {
        let daemon = try daemonWithHistory()
        let made = try ask(daemon, "POST", "menu/rename?dryRun", #"{"name":"new"}"#)
        #expect(try made.status == 200 && made.json["dryRun"] == true)
        #expect(try made.json["change"]?["copyOf"] == "menu@4")
        #expect(try ask(daemon, "GET", "new").code == "unknown-document")
        #expect(try daemon.value()["price"] == 3)
    }

    @Test func `13: a rename that is sent again is one rename, and keys of the original count on`()
        throws
    {
        let daemon = try daemonWithHistory()
        let key = ["Idempotency-Key": "k1"]
        try daemon.succeed("PATCH", "", #"{"price":4}"#, merge(key))
        let again = ["Idempotency-Key": "k2"]
        let first = try ask(daemon, "POST", "menu/rename", #"{"name":"new"}"#, again)
        let second = try ask(daemon, "POST", "menu/rename", #"{"name":"new"}"#, again)
        #expect(first.status == 201 && second.text == first.text)
        #expect(second["idempotent-replayed"] == "true")
        #expect(
            try ask(daemon, "PATCH", "new", #"{"price":5}"#, merge(key)).code == "other-request")
        _ = try ask(daemon, "PUT", "copy?copyOf=new&withHistory=true")
        #expect(try ask(daemon, "PATCH", "copy", #"{"price":5}"#, merge(key)).status == 200)
    }

    @Test func `who may not reach a name neither copies from it nor gives it`() throws {
        var list = AccessList()
        list.add(
            tokenHash: Token.hash(of: "secret"),
            Grant(name: "ada", rights: .all, prefix: "team/"))
        let daemon = try LocalDaemon(access: list)
        let fields = ["Authorization": "Bearer secret"]
        _ = try ask(daemon, "PUT", "team%2Fa", "1", fields)
        #expect(
            try ask(daemon, "POST", "team%2Fa/rename", #"{"name":"other"}"#, fields).code
                == "forbidden")
        #expect(
            try ask(daemon, "PUT", "team%2Fb?copyOf=other&withHistory=true", nil, fields).code
                == "forbidden")
        #expect(
            try ask(daemon, "POST", "team%2Fa/rename", #"{"name":"team/c"}"#, fields).status == 201)
    }

    @Test func `followers receive a copy and the end of a renamed document`() throws {
        let daemon = try daemonWithHistory()
        let since = daemon.store.lastSequence
        _ = try ask(daemon, "POST", "menu/rename", #"{"name":"new"}"#)
        let page = try daemon.client.request("GET", "/v1/feed?cursor=\(since)&wait=0")
        let events = try page.json["events"]?.elements ?? []
        #expect(events.filter { $0["document"] == "new" }.count == 6)
        let ends = events.filter { $0["document"] == "menu" }
        #expect(ends.map { $0["change"]?["kind"]?.string } == ["delete"], "\(page.text)")
        #expect(ends.map { $0["change"]?["renamedTo"]?.string } == ["new"], "\(page.text)")
    }
}
