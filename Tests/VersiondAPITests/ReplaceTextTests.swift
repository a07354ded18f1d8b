import JSONTree
import TestSupport
import Testing

/// `str_replace` over HTTP: what it does, how it is refused, merged and undone.
@Suite struct ReplaceTextTests {
    private let daemon: LocalDaemon

    init() throws {
        daemon = try LocalDaemon()
    }

    private func replacing(_ found: String, _ inserted: String) -> String {
        #"[{"op":"str_replace","path":"/text","find":\#(JSON(found)),"str":\#(JSON(inserted))}]"#
    }

    private func replace(
        _ found: String, _ inserted: String, _ query: String = "", by actor: String = "ada"
    ) throws -> Answer {
        try daemon.menu(
            "PATCH", query, replacing(found, inserted), LocalDaemon.patch.by(actor))
    }

    private func type(
        _ text: String, at position: Int, by actor: String = "bob"
    ) throws {
        try daemon.succeed(
            "PATCH", "",
            #"[{"op":"str_ins","path":"/text","pos":\#(position),"str":"\#(text)"}]"#,
            LocalDaemon.patch.by(actor))
    }

    private var text: String? { get throws { try daemon.value()["text"]?.string } }

    @Test func `14: a text that occurs once is replaced, and sent as the words that differ`() throws
    {
        try daemon.put(#"{"text":"Hot soup and hot bread"}"#)
        let answer = try replace("Hot soup and hot", "Cold soup and cold")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try text == "Cold soup and cold bread")
        let operations = try JSON(
            parsing: #"""
                [{"op":"str_del","path":"/text","pos":0,"len":3},
                {"op":"str_ins","path":"/text","pos":0,"str":"Cold"},
                {"op":"str_del","path":"/text","pos":14,"len":3},
                {"op":"str_ins","path":"/text","pos":14,"str":"cold"}]
                """#)
        #expect(try answer.json["patch"] == operations)
        let page = try daemon.menu("GET", "/feed?cursor=0&patch=stored").json
        #expect(page["events"]?[0]?["patch"] == operations)
        let strict = try daemon.menu("GET", "/feed?cursor=0").json
        #expect(
            strict["events"]?[0]?["patch"]
                == [["op": "replace", "path": "/text", "value": "Cold soup and cold bread"]])
    }

    @Test func `14: append, a body of JSON and a transaction take it, too`() throws {
        try daemon.put(#"{"text":"one two three"}"#)
        try daemon.succeed("POST", "/append", replacing("one", "1"), LocalDaemon.patch)
        try daemon.succeed(
            "PATCH", "", #"{"patch":\#(replacing("two", "2"))}"#, LocalDaemon.json)
        let answer = try daemon.client.request(
            "POST", "/v1/transactions", LocalDaemon.json,
            body: #"{"changes":[{"document":"menu","patch":\#(replacing("three", "3"))}]}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try text == "1 2 3")
    }

    // Refused.

    @Test func `14: a text that does not occur is a problem, and nothing is changed`() throws {
        try daemon.put(#"{"text":"Hot soup"}"#)
        let body = #"[{"op":"add","path":"/n","value":1},"# + replacing("hot", "x").dropFirst()
        let answer = try daemon.menu("PATCH", "", body, LocalDaemon.patch)
        let json = try answer.json
        #expect(answer.status == 409 && answer.code == "text-not-found", "\(answer.text)")
        #expect(json["operation"] == 1 && json["path"] == "/text")
        #expect(json["hint"]?.string?.isEmpty == false)
        #expect(try daemon.value() == ["text": "Hot soup"])
        #expect(try daemon.menu("GET")["etag"] == "\"0\"")
    }

    @Test func `14: a text that occurs several times is a problem that names the places`() throws {
        try daemon.put(#"{"text":"😀 so so sososososososososo"}"#)
        let answer = try replace("so", "x")
        let json = try answer.json
        #expect(answer.status == 409 && answer.code == "text-not-unique", "\(answer.text)")
        #expect(json["operation"] == 0 && json["path"] == "/text" && json["count"] == 11)
        #expect(json["positions"] == [3, 6, 9, 11, 13, 15, 17, 19, 21, 23])
        #expect(json["hint"]?.string?.isEmpty == false)
        let overlapping = try replace("soso", "x").json
        #expect(overlapping["count"] == 8)
        #expect(try daemon.menu("GET")["etag"] == "\"0\"")
    }

    @Test func `14: an empty find is malformed, and another value is no text`() throws {
        try daemon.put(#"{"text":7}"#)
        let empty = try replace("", "x")
        #expect(empty.status == 400 && empty.code == "malformed-patch", "\(empty.text)")
        #expect(try replace("7", "8").code == "patch-does-not-apply")
    }

    // Merged.

    @Test func `16: with a base the text of the base is searched`() throws {
        try daemon.put(#"{"text":"Hot soup and bread, as on every day"}"#)
        try type("; Hot soup", at: 35)
        #expect(try replace("Hot soup", "Cold soup").code == "text-not-unique")
        let answer = try replace("Hot soup", "Cold soup", "?base=0")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try text == "Cold soup and bread, as on every day; Hot soup")
        #expect(try replace("Cold soup", "x", "?base=0").code == "text-not-found")
    }

    @Test(arguments: [
        (0, "[]Cold soup and bread"), (3, "Cold[] soup and bread"), (9, "Cold soup []and bread"),
        (18, "Cold soup and bread[]"),
    ])
    func `16: what another actor types next to it is merged`(position: Int, result: String) throws {
        try daemon.put(#"{"text":"Hot soup and bread"}"#)
        try type("[]", at: position)
        let answer = try replace("Hot soup", "Cold soup", "?base=0")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try text == result)
    }

    @Test func `16: a test operation before it is a condition at the base`() throws {
        try daemon.put(#"{"text":"Hot soup and bread","n":1}"#)
        try type("!", at: 18)
        let test = #"[{"op":"test","path":"/n","value":1},"#
        func tested(_ query: String) throws -> Answer {
            try daemon.menu(
                "PATCH", query, test + replacing("Hot", "Cold").dropFirst(), LocalDaemon.patch)
        }
        #expect(try tested("?base=0").status == 200)
        #expect(try text == "Cold soup and bread!")
        try daemon.succeed("PATCH", "", #"{"n":2}"#, LocalDaemon.merge)
        #expect(try tested("").code == "test-failed")
        #expect(try tested("?base=0").code == "conflict")
    }

    @Test func `16: overlapping work of another actor is a conflict, not a mixture of letters`()
        throws
    {
        try daemon.put(#"{"text":"Hot soup and bread"}"#)
        try type("x", at: 1)
        let answer = try replace("Hot soup", "Cold soup", "?base=0")
        #expect(answer.status == 409 && answer.code == "conflict", "\(answer.text)")
        #expect(try answer.json["conflicts"] == ["/text"])
        #expect(try answer.json["with"] == [1])
        #expect(try text == "Hxot soup and bread")
        #expect(try replace("Hot soup", "Cold soup", "?base=0&conflict=mine").status == 200)
        #expect(try text == "Cold soup and bread")
    }

    @Test func `16: two who replace the same words by others are in conflict`() throws {
        try daemon.put(#"{"text":"Hot soup and bread"}"#)
        #expect(try replace("Hot soup", "Cold soup", "?base=0", by: "bob").status == 200)
        #expect(try replace("Hot soup", "Warm soup", "?base=0").code == "conflict")
        // Agreement is none.
        #expect(try replace("Hot soup", "Cold soup", "?base=0").status == 200)
        #expect(try replace("bread", "butter", "?base=0").status == 200)
        #expect(try text == "Cold soup and butter")
    }

    @Test func `16: work in words that stayed equal inside is merged`() throws {
        try daemon.put(#"{"text":"Hot soup with white bread"}"#)
        try type("s", at: 8)
        let answer = try replace(
            "Hot soup with white bread", "Cold soup with brown bread", "?base=0")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try text == "Cold soups with brown bread")
    }

    // Undone.

    @Test func `12: own undo restores the words, with what others wrote around and between`() throws
    {
        try daemon.put(#"{"text":"Hot soup with white bread"}"#)
        #expect(try replace("Hot soup with white", "Cold soup with brown").status == 200)
        try type("!", at: 26)
        try type("s", at: 9)
        #expect(try text == "Cold soups with brown bread!")
        try daemon.succeed("POST", "/undo", #"{"actor":"ada"}"#)
        #expect(try text == "Hot soups with white bread!")
        try daemon.succeed("POST", "/redo", #"{"actor":"ada"}"#)
        #expect(try text == "Cold soups with brown bread!")
    }
}
