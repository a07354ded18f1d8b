import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import TestSupport
import Testing

/// Names that would control a terminal, end a line or turn a text.
@Suite struct HostileNameTests {
    private static let odd = [
        "a%1Bb", "a%00b", "a%0Ab", "a%0D%0Ab", "a%C2%85b", "a%E2%80%A8b", "a%E2%80%AEb",
        "a%E2%80%8Db", "%7F", "a%EF%BF%BDb",
    ]

    @Test(arguments: odd)
    func `an actor whose name is not visible is refused by all calls`(name: String) throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        let field = ["Versiond-Actor": name]
        for (method, rest, body) in [
            ("PUT", "", "2"), ("POST", "/undo", "{}"), ("DELETE", "", nil),
            ("POST", "/scopes/push", nil), ("PUT", "/presence/client-number-1", "1"),
            ("PUT", "/tags/x", nil), ("GET", "/status", nil),
        ] {
            let answer = try daemon.menu(method, rest, body, field)
            #expect(answer.status == 400 && answer.code == "malformed-request", "\(method) \(rest)")
            #expect(answer.text.contains("Versiond-Actor"))
        }
        let answer = try daemon.client.request(
            "POST", "/v1/transactions", LocalDaemon.json.merging(field) { $1 },
            body: #"{"changes":[{"document":"menu","value":3}]}"#)
        #expect(answer.code == "malformed-request")
        #expect(try daemon.value() == 1)
    }

    @Test(arguments: ["J%C3%BCrgen", "Zo\u{eb}", "agent/run-17", "\u{6771}\u{4eac}", "a b", ""])
    func `an actor whose name is visible is taken`(name: String) throws {
        let daemon = try LocalDaemon()
        #expect(try daemon.menu("PUT", "", "1", ["Versiond-Actor": name]).status == 201)
    }

    @Test func `a history with such an actor is read, told and undone`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":1}"#)
        let id = try #require(DocumentID("menu"))
        // As it was made by an earlier version.
        let actor = Name("e\u{1b}[31m\u{202e}\nve")
        let made = TestLock(false)
        daemon.store.change(
            id, ChangeRequest(.append(.value(["n": 2]), tag: nil, grouping: nil), actor: actor)
        ) { result in
            if case .success = result { made.withLock { $0 = true } }
        }
        try until { made.withLock { $0 } }
        let history = try daemon.menu("GET", "/history").json
        #expect(history["changes"]?[0]?["actor"]?.string == actor.text)
        let undo = #"{"actor":"e\u001b[31m\u202e\nve"}"#
        let status = try daemon.menu("GET", "/status?actor=e%1B%5B31m%E2%80%AE%0Ave").json
        #expect(status["own"]?["hasUndo"] == true)
        #expect(try daemon.menu("POST", "/undo", undo).status == 200)
        #expect(try daemon.value() == ["n": 1])
        let page = try daemon.menu("GET", "/versions?summary").json
        let sentence = page["versions"]?[0]?["summary"]?["sentence"]?.string
        #expect(
            sentence
                == "undid e\u{FFFD}[31m ve’s change: changed “n” from 1 to 2")
    }

    @Test func `problems tell names of others as plain text`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        let path = "/v1/documents/menu/tags/%1B%5B31m%E2%80%AEred"
        for fields in [["Accept": "text/plain"], [:]] {
            let answer = try daemon.client.request("DELETE", path, fields)
            #expect(answer.status == 404)
            let text = fields.isEmpty ? try answer.json["detail"]?.string ?? "" : answer.text
            #expect(text.contains("[31mred"), "\(text)")
            let isOdd = { (letter: Unicode.Scalar) in letter == "\u{1b}" || letter == "\u{202e}" }
            #expect(!text.unicodeScalars.contains(where: isOdd))
        }
    }
}
