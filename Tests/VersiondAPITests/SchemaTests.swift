import JSONTree
import Journaling
import TestSupport
import Testing

/// A schema guards a document: what would break it does not happen.
@Suite struct SchemaTests {
    private let daemon: LocalDaemon

    init() throws {
        daemon = try LocalDaemon()
    }

    private static let menu = """
        {"type":"object","required":["dish"],"properties":{
          "dish":{"type":"string","minLength":1,"pattern":"^[a-z ]+$"},
          "price":{"type":"number","minimum":0},
          "guests":{"type":"array","items":{"type":"object","required":["name"]}}}}
        """

    private func set(_ schema: String = SchemaTests.menu, _ enforce: String = "edits") throws {
        let answer = try daemon.menu(
            "PATCH", "/settings", #"{"schema":\#(schema),"enforce":"\#(enforce)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func merge(_ body: String, _ query: String = "") throws -> Answer {
        try daemon.menu("PATCH", query, body, LocalDaemon.merge)
    }

    @Test func `An edit whose result breaks the schema is refused, with places and keywords`()
        throws
    {
        try daemon.put(#"{"dish":"soup","price":4}"#)
        try set()
        let refused = try merge(#"{"dish":"","price":-1,"guests":[{"name":"a"},{}]}"#)
        #expect(refused.status == 422 && refused.code == "schema-violation", "\(refused.text)")
        let faults = try refused.json["errors"]?.elements ?? []
        let told = faults.map { "\($0["pointer"]?.string ?? "") \($0["keyword"]?.string ?? "")" }
        #expect(
            told.sorted() == [
                "/dish minLength", "/dish pattern", "/guests/1 required", "/price minimum",
            ])
        #expect(try daemon.value() == JSON(parsing: #"{"dish":"soup","price":4}"#))
        #expect(try daemon.menu("GET", "/status").json["revision"] == 1)
        #expect(try merge(#"{"price":5}"#).status == 200)
    }

    @Test(arguments: [
        ("PUT", "", #"{"price":1}"#), ("PATCH", "", #"{"dish":null}"#),
        ("PATCH", "?dryRun", #"{"dish":null}"#), ("PATCH", "?base=0", #"{"dish":7}"#),
    ])
    func `Each way to edit is guarded`(_ method: String, _ query: String, _ body: String) throws {
        try daemon.put(#"{"dish":"soup"}"#)
        try set()
        let fields = method == "PUT" ? [:] : LocalDaemon.merge
        #expect(try daemon.menu(method, query, body, fields).code == "schema-violation")
    }

    @Test func `A snapshot that breaks the schema is not put back, and own undo not done`() throws {
        let ada = ["Versiond-Actor": "ada"]
        try daemon.put(#"{"dish":7}"#)
        try daemon.succeed("PUT", "/snapshots/first")
        _ = try daemon.menu(
            "PATCH", "", #"{"dish":"soup"}"#, LocalDaemon.merge.merging(ada) { $1 })
        try set()
        #expect(
            try daemon.menu("POST", "/snapshots/first/restore").code == "schema-violation")
        let own = try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#)
        #expect(own.code == "schema-violation")
        let status = try daemon.menu("GET", "/status?actor=ada").json
        #expect(status["own"]?["undo"]?["allowed"] == false, "\(status)")
    }

    @Test func `Shared undo goes where history was, and with "all" it does not`() throws {
        try daemon.put(#"{"dish":7}"#)
        _ = try merge(#"{"dish":"soup"}"#)
        try set()
        #expect(try daemon.menu("POST", "/undo").status == 200)
        #expect(try daemon.menu("GET", "/status").json["violations"] == 1)
        #expect(try daemon.menu("POST", "/redo").status == 200)
        try set(SchemaTests.menu, "all")
        #expect(try daemon.menu("POST", "/undo").code == "schema-violation")
    }

    @Test func `What was broken before can be mended step by step`() throws {
        try daemon.put(#"{"price":-1,"dish":7}"#)
        try set()
        #expect(try merge(#"{"price":2}"#).status == 200)
        #expect(try merge(#"{"dish":"soup"}"#).status == 200)
        #expect(try merge(#"{"dish":7}"#).code == "schema-violation")
    }

    @Test func `With "warn" all is done, and the number of places is told`() throws {
        try daemon.put(#"{"dish":"soup"}"#)
        try set(SchemaTests.menu, "warn")
        #expect(try merge(#"{"dish":7,"price":-1}"#).json["violations"] == 2)
        #expect(try merge(#"{"note":"n"}"#).json["violations"] == 0)
        #expect(try daemon.menu("GET", "/status").json["violations"] == 2)
    }

    @Test func `A transaction with a part that breaks a schema does not happen`() throws {
        try daemon.put(#"{"dish":"soup"}"#)
        try set()
        let body = """
            {"changes":[{"document":"other","value":{}},
                        {"document":"menu","value":{"dish":7}}]}
            """
        let answer = try daemon.client.request(
            "POST", "/v1/transactions", LocalDaemon.json, body: body)
        #expect(answer.code == "schema-violation", "\(answer.text)")
        #expect(try daemon.client.request("GET", "/v1/documents/other").status == 404)
    }

    @Test func `A draft is free, and merging it is an edit of its origin`() throws {
        try daemon.put(#"{"dish":"soup"}"#)
        try set()
        #expect(
            try daemon.client.request("PUT", "/v1/documents/menu~ada?copyOf=menu").status == 201)
        let edit = try daemon.client.request(
            "PATCH", "/v1/documents/menu~ada", LocalDaemon.merge, body: #"{"dish":7}"#)
        #expect(edit.status == 200)
        let merged = try daemon.client.request(
            "POST", "/v1/documents/menu~ada/merge", LocalDaemon.json, body: "{}")
        #expect(merged.code == "schema-violation", "\(merged.text)")
        #expect(try daemon.value()["dish"] == "soup")
    }

    @Test func `A schema is read back, outlives a restart, and null takes it away`() throws {
        let journal = InMemoryJournal()
        let daemon = try LocalDaemon(journal: journal)
        try daemon.put(#"{"dish":"soup"}"#)
        try daemon.set(#"{"schema":\#(SchemaTests.menu)}"#)
        let settings = try daemon.menu("GET", "/settings").json["settings"]
        #expect(try settings?["schema"] == JSON(parsing: SchemaTests.menu))
        #expect(settings?["enforce"] == "edits")
        daemon.stop()
        let again = try LocalDaemon(journal: journal)
        #expect(try again.menu("GET", "/settings").json["settings"] == settings)
        #expect(
            try again.menu("PATCH", "", #"{"dish":7}"#, LocalDaemon.merge).code
                == "schema-violation")
        #expect(try again.menu("PATCH", "/settings", #"{"schema":null}"#).status == 200)
        #expect(try again.menu("PATCH", "", #"{"dish":7}"#, LocalDaemon.merge).status == 200)
    }

    @Test(arguments: [
        (#"{"type":"text"}"#, "/schema/type"),
        (#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#, "/schema/$schema"),
        (
            #"{"properties":{"a":{"$ref":"https://elsewhere.example/s"}}}"#,
            "/schema/properties/a/$ref"
        ),
        (#"{"items":[{}]}"#, "/schema/items"), (##"{"$ref":"#"}"##, "/schema"),
        (#"{"pattern":"(a)\\1"}"#, "/schema/pattern"),
        (##"{"$dynamicRef":"#a"}"##, "/schema/$dynamicRef"), ("7", "/schema"),
    ])
    func `A schema that cannot be used is refused, with the place`(
        _ schema: String, _ pointer: String
    ) throws {
        try daemon.put("{}")
        let answer = try daemon.menu(
            "PATCH", "/settings", #"{"schema":\#(schema)}"#)
        #expect(answer.status == 400)
        #expect(try answer.json["errors"]?[0]?["pointer"]?.string == pointer, "\(answer.text)")
    }

    @Test func `A schema has at most 64 KiB`() throws {
        try daemon.put("{}")
        let long = #"{"description":"\#(String(repeating: "a", count: 64 << 10))"}"#
        let answer = try daemon.menu("PATCH", "/settings", #"{"schema":\#(long)}"#)
        #expect(answer.status == 400 && answer.text.contains("65536"), "\(answer.text)")
    }

    @Test func `A check that would take years is refused at once, and nothing happened`() throws {
        try daemon.put("{}")
        try set(
            """
            {"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[
              {"allOf":[{"properties":{"x":{"$ref":"#/$defs/a"}}},false]},
              {"properties":{"x":{"$ref":"#/$defs/a"}}}]}}}
            """)
        let deep =
            String(repeating: #"{"x":"#, count: 60) + "{}" + String(repeating: "}", count: 60)
        let answer = try daemon.menu("PUT", "", deep)
        #expect(answer.code == "schema-too-costly", "\(answer.text)")
        #expect(try daemon.value() == JSON(parsing: "{}"))
    }
}
