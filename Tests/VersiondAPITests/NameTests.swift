import JSONTree
import Naming
import TestSupport
import Testing

/// Names compare as bytes, everywhere (D14): two that look alike are two.
@Suite struct NameTests {
    /// é as one character, and as e with an accent.
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    private func encoded(_ name: String) -> String {
        name.utf8.map { "%" + String($0, radix: 16) }.joined()
    }

    @Test func `a name is equal to its bytes only, and sorts by them`() {
        let (composed, decomposed) = (Name(NameTests.composed), Name(NameTests.decomposed))
        #expect(composed.text == decomposed.text, "as Swift has it")
        #expect(composed != decomposed && composed == Name("caf\u{e9}"))
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect(decomposed < composed && !(composed < decomposed))
        #expect(Name("\u{212a}") != "K" && Name("") == .nobody)
    }

    @Test func `tags that look alike are two`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let isNew = ["If-None-Match": "*"]
        for name in [NameTests.composed, NameTests.decomposed] {
            #expect(try daemon.menu("PUT", "/tags/\(encoded(name))", nil, isNew).status == 201)
            try daemon.put("1")
        }
        #expect(try daemon.menu("GET", "/tags").json["tags"]?.elements?.count == 2)
        let tag = encoded(NameTests.composed)
        #expect(try daemon.menu("GET", "?at=tag:\(tag)").json == 0)
        #expect(try daemon.menu("DELETE", "/tags/\(tag)").status == 200)
        #expect(try daemon.menu("GET", "/tags/\(encoded(NameTests.decomposed))").status == 200)
    }

    @Test func `a tag may begin with a mark that belongs to the character before`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let name = encoded("\u{301}a")
        #expect(try daemon.menu("PUT", "/tags/\(name)").status == 201)
        #expect(try daemon.menu("PUT", "/snapshots/\(name)").status == 201)
        #expect(try daemon.menu("GET", "?at=tag:\(name)").json == 0)
        #expect(try daemon.menu("GET", "/diff?from=snapshot:\(name)").status == 200)
    }

    @Test func `snapshots that look alike are two`() throws {
        let daemon = try LocalDaemon()
        for (value, name) in [("1", NameTests.composed), ("2", NameTests.decomposed)] {
            try daemon.put(value)
            #expect(try daemon.menu("PUT", "/snapshots/\(encoded(name))").status == 201)
        }
        let restored = try daemon.menu(
            "POST", "/snapshots/\(encoded(NameTests.composed))/restore", "{}")
        #expect(restored.status == 200)
        #expect(try daemon.value() == 1)
    }

    @Test func `keys that look alike mark two requests`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("[]")
        for name in [NameTests.composed, NameTests.decomposed] {
            let answer = try daemon.menu(
                "PATCH", "", #"[{"op":"add","path":"/-","value":1}]"#,
                LocalDaemon.patch.merging(["Idempotency-Key": name]) { $1 })
            #expect(answer.status == 200 && answer["idempotent-replayed"] == nil)
        }
        #expect(try daemon.value() == [1, 1])
    }

    @Test func `nobody undoes, joins or closes the work of one whose name looks the same`() throws {
        let daemon = try LocalDaemon()
        let mine = ["Versiond-Actor": NameTests.composed]
        let others = ["Versiond-Actor": NameTests.decomposed]
        try daemon.put(#"{"a":0,"b":0}"#)
        func edit(_ member: String, _ actor: [String: String]) throws -> JSON {
            let fields = LocalDaemon.merge.merging(actor) { $1 }
            return try daemon.menu("PATCH", "?debounce=1h", "{\"\(member)\":1}", fields).json
        }
        #expect(try edit("a", mine)["version"] == 1)
        #expect(try edit("b", others)["version"] == 2, "a version of its own")
        let undo = #"{"actor":"\#(NameTests.composed)"}"#
        #expect(try daemon.menu("POST", "/undo", undo, mine).status == 200)
        #expect(try daemon.value() == ["a": 0, "b": 1])
        #expect(try daemon.menu("POST", "/undo", undo, mine).status == 409, "no more of theirs")
        #expect(try daemon.menu("POST", "/scopes/push", "{}", mine).status == 200)
        let foreign = try daemon.menu("POST", "/scopes/pop", "{}", others)
        #expect(foreign.status == 409, "\(foreign.text)")
    }

    @Test(arguments: ["J%C3%BCrgen", "J\u{fc}rgen", "%4a%c3%bcrgen"])
    func `an actor has any letters, although fields hold ASCII only (T7)`(field: String) throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        let put = try daemon.menu("PUT", "", "1", ["Versiond-Actor": field])
        #expect(try put.json["change"]?["actor"] == "J\u{fc}rgen", "\(put.text)")
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"Jürgen"}"#).status == 200)
    }

    @Test(arguments: ["100%", "%4", "%zz", "%ff"])
    func `an actor that is encoded wrongly is refused`(field: String) throws {
        let daemon = try LocalDaemon()
        let put = try daemon.menu("PUT", "", "1", ["Versiond-Actor": field])
        #expect(put.status == 400 && put.code == "malformed-request", "\(put.text)")
    }
}
