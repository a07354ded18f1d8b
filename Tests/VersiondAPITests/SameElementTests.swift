import JSONTree
import TestSupport
import Testing

/// Equal things in two edits of one state: an element that changes lists, a number that is written
/// with other digits.
@Suite struct SameElementTests {
    private let daemon: LocalDaemon

    init() throws {
        daemon = try LocalDaemon()
    }

    private let ada = ["Versiond-Actor": "ada"]
    private let bob = ["Versiond-Actor": "bob"]

    private static let board = #"{"todo":[{"id":1,"t":"x"},{"id":2}],"doing":[{"id":3}],"done":[]}"#

    private func value(_ text: String) throws -> JSON { try JSON(parsing: text) }

    @Test func `16: two who drag one element to two lists are in conflict, as with moves`() throws {
        try daemon.put(Self.board)
        let doing = #"{"todo":[{"id":2}],"doing":[{"id":3},{"id":1,"t":"x"}],"done":[]}"#
        let done = #"{"todo":[{"id":2}],"doing":[{"id":3}],"done":[{"id":1,"t":"x"}]}"#
        #expect(try daemon.menu("PUT", "?base=0", doing, bob).status == 200)
        let refused = try daemon.menu("PUT", "?base=0", done, ada)
        #expect(refused.status == 409 && refused.code == "conflict", "\(refused.text)")
        #expect(try refused.json["conflicts"] == ["/todo/0", "/done/0"])
        #expect(try daemon.value() == value(doing))
        // The same edit again is not a conflict.
        #expect(try daemon.menu("PUT", "?base=0", doing, ada).status == 200)
        #expect(try daemon.value() == value(doing))

        let theirs = try daemon.menu("PUT", "?base=0&conflict=theirs", done, ada)
        #expect(theirs.status == 200)
        #expect(try daemon.value() == value(doing))
        let mine = try daemon.menu("PUT", "?base=0&conflict=mine", done, ada)
        #expect(mine.status == 200)
        #expect(try daemon.value() == value(done))
    }

    @Test func `16: an element that is dragged takes along what others edit in it`() throws {
        try daemon.put(Self.board)
        _ = try daemon.menu(
            "PATCH", "", #"[{"op":"replace","path":"/todo/0/t","value":"y"}]"#,
            LocalDaemon.patch.by("bob"))
        let dragged = #"{"todo":[{"id":2}],"doing":[{"id":3}],"done":[{"id":1,"t":"x"}]}"#
        let answer = try daemon.menu("PUT", "?base=0", dragged, ada)
        #expect(answer.status == 200, "\(answer.text)")
        let both = #"{"todo":[{"id":2}],"doing":[{"id":3}],"done":[{"id":1,"t":"y"}]}"#
        #expect(try daemon.value() == value(both))
        #expect(
            try answer.json["patch"]
                == value(
                    #"[{"op":"move","from":"/todo/0","path":"/done/0"}]"#))
    }

    @Test(arguments: ["PUT", "PATCH"])
    func `12: own undo finds an element that a whole value has dragged to another list`(
        method: String
    ) throws {
        try daemon.put(Self.board)
        _ = try daemon.menu(
            "PATCH", "", #"[{"op":"replace","path":"/todo/0/t","value":"y"}]"#,
            LocalDaemon.patch.by("bob"))
        let before = try daemon.value()
        let dragged = #"{"todo":[{"id":2}],"doing":[],"done":[{"id":3},{"id":1,"t":"y","n":1}]}"#
        let answer = try daemon.menu(
            method, "", dragged, method == "PUT" ? ada : LocalDaemon.merge.by("ada"))
        #expect(answer.status == 200, "\(answer.text)")
        let patch = try JSONPatch(try #require(answer.json["patch"]), limits: .standard)
        #expect(try before.applying(patch).tree == value(dragged))

        #expect(try daemon.menu("POST", "/undo", #"{"actor":"bob"}"#).status == 200)
        let undone = #"{"todo":[{"id":2}],"doing":[],"done":[{"id":3},{"id":1,"t":"x","n":1}]}"#
        #expect(try daemon.value() == value(undone))
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).status == 200)
        #expect(try daemon.value() == value(Self.board))
    }

    /// The forms of an edit that sets a number.
    static let forms: [(method: String, before: String, after: String, fields: [String: String])] =
        [
            ("PUT", #"{"price":"#, "}", [:]),
            ("PATCH", #"{"price":"#, "}", LocalDaemon.merge),
            (
                "PATCH", #"[{"op":"replace","path":"/price","value":"#, "}]", LocalDaemon.patch
            ),
        ]

    @Test(arguments: 0..<3)
    func `16: equal numbers agree, and the digits of the first stay`(form: Int) throws {
        let (method, before, after, fields) = Self.forms[form]
        func body(_ number: String) -> String { before + number + after }
        try daemon.put(#"{"price":4}"#)
        _ = try daemon.menu(method, "?base=0", body("1.0"), fields.merging(bob) { $1 })
        let answer = try daemon.menu(method, "?base=0", body("1.00"), fields.merging(ada) { $1 })
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json["change"] == .null)
        #expect(
            try answer.json["missed"]
                == value(
                    #"[{"op":"replace","path":"/price","value":1.0}]"#))
        #expect(try daemon.menu("GET").text == "{\"price\":1.0}\n")
        // Other digits alone do not conflict with another value.
        _ = try daemon.menu(method, "?base=1", body("1"), fields.merging(ada) { $1 })
        let other = try daemon.menu(method, "?base=1", body("2"), fields.merging(bob) { $1 })
        #expect(other.status == 200, "\(other.text)")
        #expect(try daemon.menu("GET").text == "{\"price\":2}\n")
    }

    @Test func `20: equal numbers agree in the merge of a draft`() throws {
        let scene = try DraftScene(#"{"price":4,"a":1}"#)
        let patch = #"[{"op":"replace","path":"/price","value":1.00}]"#
        try scene.succeed("PATCH", "menu~ada", patch, LocalDaemon.patch.by("ada"))
        let other = #"[{"op":"replace","path":"/price","value":1.0}]"#
        try scene.succeed("PATCH", "menu", other, LocalDaemon.patch.by("bob"))
        try scene.succeed("PATCH", "menu~ada", #"{"a":2}"#, LocalDaemon.merge.by("ada"))
        try scene.succeed("POST", "menu~ada/merge")
        #expect(try scene.send("GET", "menu").text == "{\"price\":1.0,\"a\":2}\n")
    }
}
