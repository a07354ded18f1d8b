import Documents
import HTTPServing
import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// The changes of versions in words, and their times.
@Suite struct SummaryTests {
    private func page(_ daemon: LocalDaemon, _ query: String = "") throws -> JSON {
        let answer = try daemon.menu("GET", "/versions" + query)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json
    }

    private func told(_ daemon: LocalDaemon, _ query: String = "") throws -> [String?] {
        try page(daemon, "?summary" + query)["versions"]?.elements?
            .map { $0["summary"]?["sentence"]?.string } ?? []
    }

    private func patch(_ daemon: LocalDaemon, _ body: String, by actor: String = "") throws {
        var fields = LocalDaemon.patch
        if !actor.isEmpty { fields["Versiond-Actor"] = actor }
        let answer = try daemon.menu("PATCH", "", body, fields)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func `a version says what it did, by the names of that time`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"dishes":[{"id":1,"name":"Soup","price":5},{"id":2,"name":"Pie"}]}"#)
        try patch(daemon, #"[{"op":"replace","path":"/dishes/0/price","value":6.50}]"#)
        try patch(daemon, #"[{"op":"replace","path":"/dishes/0/name","value":"Pea soup"}]"#)
        try patch(daemon, #"[{"op":"remove","path":"/dishes/0"}]"#)
        #expect(
            try told(daemon) == [
                "removed Pea soup from dishes",
                "changed the name of Pea soup from “Soup” to “Pea soup”",
                "changed the price of Soup from 5 to 6.50", "made the document",
            ])
        #expect(try page(daemon)["versions"]?.elements?.first?["summary"] == nil)
    }

    @Test func `the pieces of a summary say what is what, and add up to its text`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"dishes":[{"name":"Soup","price":5}]}"#)
        try patch(daemon, #"[{"op":"replace","path":"/dishes/0/price","value":6}]"#)
        let summary = try #require(
            page(daemon, "?summary")["versions"]?.elements?.first?["summary"])
        #expect(
            summary["parts"]?.description
                == #"[{"words":"changed the price of "},{"object":"Soup"},{"words":" from "},"#
                + #"{"old":"5"},{"words":" to "},{"new":"6"}]"#)
        #expect(summary["count"] == 1)
    }

    @Test func `an own undo says whose changes it took back, and what they were`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":1,"b":1}"#)
        try patch(daemon, #"[{"op":"replace","path":"/a","value":2}]"#, by: "ada")
        try patch(daemon, #"[{"op":"replace","path":"/b","value":2}]"#, by: "bob")
        let mine = try daemon.menu(
            "POST", "/undo", #"{"actor":"ada"}"#, ["Versiond-Actor": "ada"])
        #expect(mine.status == 200)
        let other = try daemon.menu(
            "POST", "/undo", #"{"actor":"bob"}"#, ["Versiond-Actor": "ada"])
        #expect(other.status == 200, "\(other.text)")
        #expect(
            try told(daemon, "&limit=2") == [
                "undid bob’s change: changed “b” from 1 to 2",
                "undid a change: changed “a” from 1 to 2",
            ])
    }

    @Test func `what is old is told as what is new, also by pages and over a checkpoint`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        for n in 1...40 { try daemon.put(#"{"n":\#(n)}"#) }
        let all = try told(daemon, "&limit=100")
        #expect(all.count == 41 && all[0] == "changed “n” from 39 to 40")
        #expect(try told(daemon, "&cursor=11&limit=3") == Array(all[30..<33]))
    }

    @Test func `edits of one version are told as what is left of them`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"note":"a long text that is not short","n":0}"#)
        for text in ["x", "xy", "xyz"] {
            let answer = try daemon.menu(
                "PATCH", "?debounce=10s", #"{"note":"a long text that is not short \#(text)"}"#,
                LocalDaemon.merge)
            #expect(answer.status == 200)
        }
        #expect(try told(daemon, "&limit=1") == ["wrote “xyz” in the note"])
    }

    @Test func `a page leads to the one before it, and a filtered one does not`() throws {
        let daemon = try LocalDaemon()
        for n in 0...9 { try daemon.put("\(n)") }
        let middle = try page(daemon, "?cursor=5&limit=3")
        #expect(middle["previous"] == 8 && middle["newer"] == 5)
        let newer = try page(daemon, "?cursor=8&limit=3")
        #expect(newer["versions"]?.elements?.map { $0["version"]?.int } == [7, 6, 5])
        #expect(newer["previous"] == 10)
        #expect(try page(daemon, "?limit=3")["previous"] == .null)
        #expect(try page(daemon, "?cursor=5&limit=3&kind=append")["previous"] == .null)
    }

    @Test func `activity counts the changes of each actor in spans of time`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":0}"#)
        try patch(daemon, #"[{"op":"replace","path":"/n","value":1}]"#, by: "ada")
        try patch(daemon, #"[{"op":"replace","path":"/n","value":2}]"#, by: "bob")
        let answer = try daemon.menu("GET", "/activity?spans=1")
        #expect(answer.status == 200, "\(answer.text)")
        let span = try #require(try answer.json["spans"]?.elements?.first)
        #expect(span["index"] == 0 && span["first"] == 0 && span["last"] == 2)
        #expect(span["changeCount"] == 3)
        #expect(
            span["shares"]?.description
                == #"[{"actor":"ada","changeCount":1},{"actor":"bob","changeCount":1}]"#)
        #expect(try daemon.menu("GET", "/activity?spans=0").status == 400)
        #expect(try daemon.menu("GET", "/activity?spans=1001").status == 400)
    }

    @Test func `of a long history the activity is sampled, and about as much`() throws {
        let daemon = try LocalDaemon()
        for n in 0..<4_500 { try daemon.put("\(n)") }
        let json = try daemon.menu("GET", "/activity?spans=10").json
        let sum = json["spans"]?.elements?.reduce(0) { $0 + ($1["changeCount"]?.int ?? 0) }
        #expect(json["isSampled"] == true)
        #expect((4_200...4_800).contains(sum ?? 0), "\(sum ?? 0)")
    }
}
