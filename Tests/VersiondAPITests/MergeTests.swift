import JSONTree
import TestSupport
import Testing

/// Rule 16: edits against an old state are merged, not lost.
@Suite struct MergeTests {
    private let daemon: LocalDaemon

    init() throws {
        daemon = try LocalDaemon()
    }

    private let ada = ["Versiond-Actor": "ada"]
    private let bob = ["Versiond-Actor": "bob"]

    private func patch(
        _ operations: String, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> Answer {
        try daemon.menu("PATCH", query, operations, LocalDaemon.patch.merging(fields) { $1 })
    }

    private func replace(_ name: String, _ value: Int) -> String {
        #"[{"op":"replace","path":"/\#(name)","value":\#(value)}]"#
    }

    // The three forms.

    @Test func `16: a whole value is compared with its base`() throws {
        try daemon.put(#"{"dish":"soup","price":4.50}"#)
        _ = try patch(replace("price", 5), "", bob)
        let answer = try daemon.menu(
            "PUT", "?base=0", #"{"dish":"stew","price":4.50,"vegan":true}"#, ada)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try daemon.value() == JSON(parsing: #"{"dish":"stew","price":5,"vegan":true}"#))
        let json = try answer.json
        #expect(json["base"] == 0)
        #expect(try json["missed"] == JSON(parsing: replace("price", 5)))
        #expect(json["change"]?["base"] == 0)
        // Undo of a merged edit is nothing special.
        let undo = try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#)
        #expect(undo.status == 200)
        #expect(try daemon.value() == JSON(parsing: #"{"dish":"soup","price":5}"#))
    }

    @Test func `16: a merge patch that changes nothing of its base changes nothing`() throws {
        try daemon.put(#"{"price":5}"#)
        _ = try patch(replace("price", 9))
        let answer = try daemon.menu("PATCH", "?base=0", #"{"price":5}"#, LocalDaemon.merge)
        #expect(answer.status == 200)
        #expect(try answer.json["change"] == .null)
        #expect(try answer.json["missed"] == JSON(parsing: replace("price", 9)))
        #expect(try daemon.value() == JSON(parsing: #"{"price":9}"#))
    }

    @Test func `16: a stale index finds its element`() throws {
        try daemon.put(#"[{"done":false},{"done":false}]"#)
        _ = try patch(#"[{"op":"add","path":"/0","value":"new"}]"#)
        let answer = try daemon.menu(
            "POST", "/append?base=0", #"[{"op":"replace","path":"/1/done","value":true}]"#,
            LocalDaemon.patch)
        #expect(answer.status == 200)
        #expect(try daemon.value() == JSON(parsing: #"["new",{"done":false},{"done":true}]"#))
    }

    @Test(arguments: ["0", "version:0", "tag:first", "1970-01-01T00:00:00.500Z"])
    func `16: the base is any address`(base: String) throws {
        daemon.time.set(milliseconds: 100)
        try daemon.put(#"{"a":1,"b":1}"#)
        #expect(try daemon.menu("PUT", "/tags/first", "{}").status == 201)
        daemon.time.set(milliseconds: 1_000)
        try daemon.succeed("PATCH", "", replace("a", 2), LocalDaemon.patch)
        let answer = try daemon.menu(
            "PATCH", "?base=\(base)", replace("b", 2), LocalDaemon.patch)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json["missed"] == JSON(parsing: replace("a", 2)))
        #expect(try daemon.value() == JSON(parsing: #"{"a":2,"b":2}"#))
    }

    // Conflicts.

    @Test func `16: a conflict is refused, with its places and revisions`() throws {
        try daemon.put(#"{"a":1,"b":1}"#)
        _ = try patch(replace("b", 2))
        _ = try patch(replace("a", 2))
        let answer = try patch(replace("a", 3), "?base=0")
        #expect(answer.status == 409)
        #expect(answer.code == "conflict")
        #expect(try answer.json["conflicts"] == ["/a"])
        #expect(try answer.json["with"] == [2])
        #expect(answer["link"]?.contains("feed?cursor=0") == true)
        #expect(try answer.json["revision"] == 2)
        let trial = try patch(replace("a", 3), "?base=0&conflict=mine&dryRun")
        #expect(try trial.json["conflicts"] == ["/a"])
        #expect(try daemon.value() == JSON(parsing: #"{"a":2,"b":2}"#))
        let theirs = try patch(replace("a", 3), "?base=0&conflict=theirs")
        #expect(theirs.status == 200)
        #expect(try theirs.json["change"] == .null)
        #expect(try theirs.json["conflicts"] == ["/a"])
        let mine = try patch(replace("a", 3), "?base=0&conflict=mine")
        #expect(try mine.json["with"] == [2])
        #expect(try daemon.value() == JSON(parsing: #"{"a":3,"b":2}"#))
        // Overwritten work returns.
        try daemon.undo()
        #expect(try daemon.value() == JSON(parsing: #"{"a":2,"b":2}"#))
    }

    @Test func `16: what was removed and undone is edited, not doubled (T4)`() throws {
        try daemon.put(#"{"list":[{"id":"E","t":"x"},{"id":"F","t":"f"}]}"#)
        let edit = #"[{"op":"replace","path":"/list/0/t","value":"c"}]"#
        _ = try patch(#"[{"op":"remove","path":"/list/0"}]"#, "", ada)
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).status == 200)
        let refused = try patch(edit, "?base=0")
        #expect(refused.status == 200, "nothing is gone: \(refused.text)")
        #expect(
            try daemon.value()
                == JSON(parsing: #"{"list":[{"id":"E","t":"c"},{"id":"F","t":"f"}]}"#))
    }

    @Test(arguments: ["mine", "reject"])
    func `16: two who edit inside what a third removed edit one value (T4)`(policy: String) throws {
        try daemon.put(#"{"list":[{"id":"E","t":"x","n":0}],"m":{"t":"x","n":0}}"#)
        _ = try patch(
            #"[{"op":"remove","path":"/list/0"},{"op":"remove","path":"/m"}]"#, "", ada)
        func edit(_ name: String, _ value: String) -> String {
            #"[{"op":"replace","path":"/list/0/\#(name)","value":\#(value)},"#
                + #"{"op":"replace","path":"/m/\#(name)","value":\#(value)}]"#
        }
        #expect(try patch(edit("t", #""b""#), "?base=0&conflict=mine", bob).status == 200)
        let last = try patch(edit("n", "7"), "?base=0&conflict=\(policy)")
        #expect(last.status == 200, "\(last.text)")
        #expect(
            try daemon.value()
                == JSON(parsing: #"{"list":[{"id":"E","t":"b","n":7}],"m":{"t":"b","n":7}}"#))
    }

    @Test func `16: a feed for clients that merge says what may have come back`() throws {
        try daemon.put(#"{"list":[{"t":"x","n":0}]}"#)
        _ = try patch(#"[{"op":"remove","path":"/list/0"}]"#, "", ada)
        _ = try patch(
            #"[{"op":"replace","path":"/list/0/t","value":"b"}]"#, "?base=0&conflict=mine", bob)
        // Merged, but stored as it was sent: it has won over nothing.
        _ = try patch(#"[{"op":"add","path":"/new","value":1}]"#, "?base=0", bob)
        let page = try daemon.menu("GET", "/feed?cursor=0&patch=stored")
        let events = try #require(page.json["events"]?.elements)
        #expect(events.map { $0["wonSince"] } == [nil, 0, nil])
        let plain = try daemon.menu("GET", "/feed?cursor=0")
        #expect(try #require(plain.json["events"]?.elements).allSatisfy { $0["wonSince"] == nil })
    }

    @Test func `16: a test is a condition of what it read`() throws {
        try daemon.put(#"{"a":1,"b":1}"#)
        _ = try patch(replace("b", 2))
        let body = #"[{"op":"test","path":"/b","value":1},{"op":"replace","path":"/a","value":2}]"#
        let answer = try patch(body, "?base=0")
        #expect(answer.status == 409)
        #expect(try answer.json["conflicts"] == ["/b"])
        #expect(try patch(body, "?base=0&conflict=theirs").json["change"] == .null)
        let wrong = try patch(#"[{"op":"test","path":"/b","value":2}]"#, "?base=0")
        #expect(wrong.code == "test-failed", "it is tested at the base")
    }

    @Test func `16: at an ignored place the later one goes`() throws {
        try daemon.put(#"{"a":1,"seen":1}"#)
        try daemon.set(#"{"ignored":["/seen"]}"#)
        _ = try patch(replace("seen", 2))
        let answer = try daemon.menu("PUT", "?base=1", #"{"a":5,"seen":3}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try daemon.value() == JSON(parsing: #"{"a":5,"seen":3}"#))
    }

    // Conditions.

    @Test func `16: If-Match comes first, and a base is enough for requireMatch`() throws {
        try daemon.put(#"{"a":1,"b":1}"#)
        try daemon.set(#"{"requireMatch":true}"#)
        let first = try patch(replace("a", 2), "?base=0")
        #expect(first.status == 200, "\(first.text)")
        #expect(try patch(replace("b", 2), "?base=1", ["If-Match": "\"1\""]).status == 412)
        #expect(try patch(replace("b", 2), "?base=1", ["If-Match": "\"2\""]).status == 200)
        #expect(try patch(replace("a", 9), "?base=0&conflict=mine").status == 428)
        let answer = try daemon.menu("PUT", "?base=0", "{}", ["If-None-Match": "*"])
        #expect(answer.code == "malformed-request")
    }

    @Test func `16: a wrong base is a clear problem, and nothing happens`() throws {
        #expect(try daemon.menu("PUT", "?base=0", "1").code == "unknown-document")
        try daemon.put("1")
        try daemon.delete()
        try daemon.put("2")
        let codes = [
            "?base=3": "unknown-revision", "?base=0": "earlier-life",
            "?base=tag:x": "unknown-tag", "?base=version:7": "unknown-version",
            "?base=snapshot:s": "malformed-request", "?base=old": "malformed-request",
            "?own=1": "malformed-request", "?conflict=mine": "malformed-request",
            "?base=2&conflict=ours": "malformed-request", "?base=2&own=1,,2": "malformed-request",
            "?base=2&own=2": "wrong-own", "?base=2&own=a-key": "wrong-own",
        ]
        for (query, code) in codes {
            #expect(try daemon.menu("PUT", query, "3").code == code, "\(query)")
        }
        #expect(try daemon.value() == 2)
        #expect(try daemon.menu("GET")["etag"] == "\"2\"")
    }

    @Test func `16: a base that was trimmed is gone`() throws {
        try daemon.put("0")
        try daemon.set(#"{"retention":{"count":8}}"#)
        for value in 1...40 { try daemon.put("\(value)") }
        let answer = try daemon.menu("PUT", "?base=2", "7")
        #expect(answer.status == 410)
        #expect(answer.code == "trimmed")
    }

    @Test func `16: more than can be merged is refused, and quickly`() throws {
        try daemon.put("0")
        for number in 1...9 {
            try daemon.put("\"\(String(repeating: "\(number)", count: 1 << 20))\"")
        }
        #expect(try daemon.menu("PUT", "?base=0&conflict=mine", "1").code == "base-too-old")
        #expect(try daemon.menu("PUT", "?base=8&conflict=mine", "1").status == 200)
        // Each of many edits in conflict.
        let names = (0..<300).map { "\"m\($0)\":" }
        func value(_ number: Int) -> String {
            "{" + names.map { "\($0)\(number)" }.joined(separator: ",") + "}"
        }
        for number in 0..<2 { try daemon.put(value(number)) }
        let head = try #require(Int(daemon.menu("GET")["etag"]?.filter(\.isNumber) ?? ""))
        let answer = try daemon.menu("PUT", "?base=\(head - 1)", value(9))
        #expect(answer.code == "conflict", "\(answer.text)")
        #expect(try answer.json["conflicts"]?.elements?.count == 300)
        #expect(try answer.json["with"] == JSON(elements: [JSON(head)]))
    }

    // Retries.

    @Test func `13: a repeated edit with a base is found however long ago it was`() throws {
        try daemon.put(#"{"a":1,"b":0}"#)
        let key = ["Idempotency-Key": "k"]
        let first = try patch(replace("a", 2), "?base=0", key)
        // More than are remembered, and longer ago.
        for value in 1...300 {
            _ = try patch(replace("b", value), "", ["Idempotency-Key": "b\(value)"])
        }
        daemon.time.advance(by: 90_000_000_000)
        _ = try patch(replace("b", 999), "", ["Idempotency-Key": "last"])
        let again = try patch(replace("a", 2), "?base=0", key)
        #expect(again["idempotent-replayed"] == "true")
        #expect(again.body == first.body)
        let other = try patch(replace("a", 3), "?base=0", key)
        #expect(other.code == "other-request")
    }

    @Test func `16: the answer to a repeated edit says what it missed then`() throws {
        try daemon.put(#"{"a":1,"b":1}"#)
        _ = try patch(replace("b", 2))
        let key = ["Idempotency-Key": "k"]
        let first = try patch(replace("a", 2), "?base=0", key)
        _ = try patch(replace("b", 3))
        let again = try patch(replace("a", 2), "?base=0", key)
        #expect(again.body == first.body)
        #expect(try again.json["missed"] == JSON(parsing: replace("b", 2)))
    }

    // Own changes.

    @Test func `16: a client that goes on typing names what it has`() throws {
        try daemon.put(#""""#)
        func type(_ text: String, at position: Int, _ query: String, _ actor: [String: String])
            throws -> Answer
        {
            try patch(
                #"[{"op":"str_ins","path":"","pos":\#(position),"str":"\#(text)"}]"#, query, actor)
        }
        #expect(try type("hello", at: 0, "?base=0", ada).status == 200)
        #expect(try type("X", at: 0, "?base=0", bob).status == 200)
        // Ada has only typed herself: her state is base and revision 1.
        let second = try type(" you", at: 5, "?base=0&own=1", ada)
        #expect(second.status == 200, "\(second.text)")
        #expect(try daemon.value() == "Xhello you")
        _ = try type("Y", at: 0, "?base=1", bob)
        let third = try type("!", at: 9, "?base=0&own=1,3", ada)
        #expect(third.status == 200, "\(third.text)")
        #expect(try daemon.value() == "YXhello you!")
        #expect(try type("?", at: 0, "?base=0&own=3", ada).code == "wrong-own")
        #expect(try type("?", at: 0, "?base=0&own=1", bob).code == "wrong-own")
        #expect(try type("?", at: 0, "?base=0&own=3,1", ada).code == "wrong-own")
    }

    @Test func `16: a client that has no response yet names its change by the key`() throws {
        try daemon.put(#""""#)
        let one = ada.merging(["Idempotency-Key": "ada-key-1"]) { $1 }
        func type(_ text: String, _ query: String, _ fields: [String: String]) throws -> Answer {
            try patch(
                #"[{"op":"str_ins","path":"","pos":\#(query.contains("own") ? 1 : 0),"#
                    + #""str":"\#(text)"}]"#, query, fields)
        }
        let early = try type("b", "?base=0&own=ada-key-1", ada)
        #expect(early.code == "wrong-own" && early.status == 409, "\(early.text)")
        #expect(try type("a", "?base=0", one).status == 200)
        #expect(try type("X", "?base=0", bob).status == 200)
        #expect(try type("b", "?base=0&own=ada-key-1", ada).status == 200)
        #expect(try daemon.value() == "Xab")
    }

    @Test(arguments: [
        #"{"op":"move","from":"/list/0","path":"/first"}"#, #"{"op":"remove","path":"/list/1"}"#,
        #"{"op":"str_ins","path":"/text","pos":1,"str":"x"}"#,
        #"{"op":"add","path":"/list/0","value":0}"#, #"{"op":"replace","path":"/n","value":2}"#,
    ])
    func `16: what is confirmed stays when a later edit wins over what removed all of it`(
        operation: String
    ) throws {
        try daemon.put(#"{"list":[1,2,3],"text":"ab","n":1,"other":1}"#)
        _ = try patch(#"[{"op":"replace","path":"","value":"all gone"}]"#, "?base=0", bob)
        _ = try patch("[\(operation)]", "?base=0&conflict=mine", ada)
        let confirmed = try daemon.value()
        // Bob knows nothing of it, and wins over all.
        let gone = try patch(
            #"[{"op":"replace","path":"","value":"again"}]"#, "?base=1&conflict=mine", bob)
        #expect(try gone.json["patch"] == [["op": "replace", "path": "", "value": "again"]])
        #expect(try daemon.value() == "again")
        // Ada continues where she was: the restored value has the confirmed one.
        let last = try patch(replace("other", 2), "?base=0&own=2&conflict=mine", ada)
        #expect(last.status == 200, "\(last.text)")
        #expect(try daemon.value() == confirmed.merging(["other": 2]))
        #expect(try last.json["missed"] == [])
    }

    // The law.

    @Test(arguments: Seeds.of(12, from: 1))
    func `16: what was missed leads from the edit as it was sent to the new revision`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let limits = ["", "&conflict=mine", "&conflict=theirs"]
        var trees = [JSON.crowded(&random)]
        try daemon.put("\(trees[0])")
        for _ in 0..<40 {
            let base = max(0, trees.count - 1 - random.below(12))
            let edit = JSONPatch.random(&random, on: trees[base], count: 1 + random.below(3))
            let answer = try patch(
                "\(edit)", "?base=\(base)" + limits[random.below(3)],
                ["Prefer": "text-operations"])
            let json = try answer.json
            guard answer.status == 200 else {
                #expect(answer.code == "conflict", "\(answer.text)")
                continue
            }
            let sent = try trees[base].applying(edit).tree
            let missed = try JSONPatch(#require(json["missed"]))
            let value = try daemon.value()
            #expect(try sent.applying(missed).tree == value, "\(answer.text)")
            if json["change"] != .null {
                let last = try #require(trees.last)
                #expect(try last.applying(JSONPatch(#require(json["patch"]))).tree == value)
                trees.append(value)
            } else {
                #expect(trees.last == value)
            }
        }
    }
}
