import JSONTree
import Journaling
import TestSupport
import Testing

/// An address in an old state acts on the element that was there, wherever it is now.
@Suite struct RestoringTests {
    private static let start = #"{"items":[{"id":"a"},{"id":"b"},{"id":"c"}],"other":[],"n":1}"#

    private func daemon(_ start: String = RestoringTests.start) throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.put(start)
        return daemon
    }

    private func patch(_ daemon: LocalDaemon, _ operations: String) throws {
        try daemon.succeed("PATCH", "", "[\(operations)]", LocalDaemon.patch)
    }

    private func restore(
        _ daemon: LocalDaemon, _ paths: String, from: String = "0", query: String = ""
    ) throws -> Answer {
        try daemon.menu("POST", "/restore\(query)", "{\"from\":\"\(from)\",\"paths\":\(paths)}")
    }

    /// The ids of both arrays.
    private func ids(_ daemon: LocalDaemon) throws -> String {
        let value = try daemon.value()
        func list(_ name: String) -> String {
            (value[name]?.elements ?? []).map { $0["id"]?.string ?? "?" }.joined()
        }
        return list("items") + "|" + list("other")
    }

    private static let removeA = #"{"op":"remove","path":"/items/0"}"#
    private static let addX = #"{"op":"add","path":"/items/0","value":{"id":"x"}}"#

    @Test(arguments: [
        // Removed, alone and with others, in any order.
        ([removeA], #"["/items/0"]"#, "abc|"),
        ([removeA, removeA], #"["/items/0"]"#, "ac|"),
        ([removeA, removeA], #"["/items/1"]"#, "bc|"),
        ([removeA, removeA], #"["/items/1","/items/0"]"#, "abc|"),
        ([removeA, removeA, removeA], #"["/items/0","/items/2"]"#, "ac|"),
        ([#"{"op":"remove","path":"/items/1"}"#, removeA], #"["/items/0","/items/1"]"#, "abc|"),
        ([#"{"op":"remove","path":"/items/2"}"#], #"["/items/2"]"#, "abc|"),
        // With others put in.
        ([removeA, addX], #"["/items/0"]"#, "axbc|"),
        ([addX, #"{"op":"remove","path":"/items/1"}"#], #"["/items/0"]"#, "xabc|"),
        // Moved, within an array and to another one, and removed there.
        ([#"{"op":"move","from":"/items/0","path":"/items/2"}"#], #"["/items/0"]"#, "bca|"),
        ([#"{"op":"move","from":"/items/0","path":"/other/0"}"#], #"["/items/0"]"#, "bc|a"),
        (
            [
                #"{"op":"move","from":"/items/0","path":"/other/0"}"#,
                #"{"op":"remove","path":"/other/0"}"#,
            ], #"["/items/0","/items/1"]"#, "bc|a"
        ),
        // Its container was removed, restored, or replaced.
        ([#"{"op":"remove","path":"/items"}"#], #"["/items/1"]"#, "b|"),
        ([#"{"op":"remove","path":"/items"}"#], #"["/items/2","/items/0"]"#, "ac|"),
        (
            [
                #"{"op":"remove","path":"/items"}"#,
                #"{"op":"add","path":"/items","value":[{"id":"b"},{"id":"x"}]}"#,
            ], #"["/items/0"]"#, "abx|"
        ),
        (
            [#"{"op":"replace","path":"/items","value":[{"id":"c"},{"id":"b"}]}"#],
            #"["/items/1","/items/2"]"#, "cb|"
        ),
        (
            [
                #"{"op":"move","from":"/items","path":"/other"}"#,
                #"{"op":"remove","path":"/other/1"}"#,
            ], #"["/items/1"]"#, "|abc"
        ),
        // No element was there.
        ([addX], #"["/items/3","/other/0"]"#, "xabc|"),
    ])
    func `25: restore of an element acts on that element`(
        operations: [String], paths: String, expected: String
    ) throws {
        let daemon = try daemon()
        for operation in operations { try patch(daemon, operation) }
        let before = try daemon.menu("GET").text
        let question = try restore(daemon, paths, query: "?dryRun")
        let answer = try restore(daemon, paths)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try ids(daemon) == expected)
        #expect(try question.json["patch"] == answer.json["patch"], "a dry run says the same")
        guard try answer.json["change"] != .null else { return }
        let after = try daemon.menu("GET").text
        #expect(try restore(daemon, paths).json["change"] == .null, "it is as it was then")
        try daemon.undo()
        #expect(try daemon.menu("GET").text == before, "it is one step")
        try daemon.redo()
        #expect(try daemon.menu("GET").text == after)
    }

    @Test func `25: restore of a place in an element finds the element, or brings it back`() throws
    {
        let daemon = try daemon(#"{"l":[{"n":"x","p":1,"t":["u","v"]},{"n":"y","p":2}]}"#)
        try patch(daemon, #"{"op":"add","path":"/l/0","value":{"n":"z","p":9}}"#)
        try patch(daemon, #"{"op":"replace","path":"/l/1/p","value":7}"#)
        #expect(try restore(daemon, #"["/l/0/p"]"#).status == 200)
        #expect(
            try daemon.value().description
                == #"{"l":[{"n":"z","p":9},{"n":"x","p":1,"t":["u","v"]},{"n":"y","p":2}]}"#)
        try patch(daemon, #"{"op":"replace","path":"/l/1/n","value":"X"}"#)
        try patch(daemon, #"{"op":"remove","path":"/l/1/t/0"}"#)
        try patch(daemon, #"{"op":"remove","path":"/l/1"}"#)
        #expect(try restore(daemon, #"["/l/0/t/0"]"#).status == 200)
        #expect(
            try daemon.value().description
                == #"{"l":[{"n":"z","p":9},{"n":"X","p":1,"t":["u","v"]},{"n":"y","p":2}]}"#)
    }

    @Test(arguments: [
        (#"{"op":"replace","path":"/items","value":"none"}"#, #"["/items/0","/n"]"#, "/items/0"),
        (#"{"op":"replace","path":"","value":[]}"#, #"["/items/1"]"#, "/items/1"),
        (#"{"op":"move","from":"/n","path":"/m"}"#, #"["/m","/n"]"#, "/m"),
        (#"{"op":"move","from":"/items","path":"/n/items"}"#, #"["/n","/items"]"#, "/items"),
    ])
    func `25: where something else is in the way, restore is a conflict, and does nothing`(
        operation: String, paths: String, place: String
    ) throws {
        let daemon = try daemon(
            #"{"items":[{"id":"a"},{"id":"b"}],"n":\#(place == "/items" ? "{}" : "1")}"#)
        try patch(daemon, operation)
        let before = try daemon.menu("GET").text
        for query in ["?dryRun", ""] {
            let refused = try restore(daemon, paths, query: query)
            #expect(refused.status == 409 && refused.code == "conflict", "\(refused.text)")
            #expect(
                try refused.json["conflicts"] == [JSON(place)] && refused.json["with"] == [1])
        }
        #expect(try daemon.menu("GET").text == before)
        #expect(try daemon.menu("GET", "/status").json["revision"] == 1)
    }

    @Test func `25: a snapshot of places puts the same elements back`() throws {
        let daemon = try daemon()
        try daemon.succeed("PUT", "/snapshots/s", #"{"paths":["/items/0","/items/1/id"]}"#)
        try patch(daemon, RestoringTests.removeA)
        try patch(daemon, RestoringTests.addX)
        try patch(daemon, #"{"op":"replace","path":"/items/1/id","value":"B"}"#)
        let seen = try daemon.menu("GET", "?at=snapshot:s").json["items"]
        let answer = try daemon.menu("POST", "/snapshots/s/restore")
        #expect(try answer.json["change"]?["kind"] == "restore", "\(answer.text)")
        #expect(try ids(daemon) == "axbc|" && daemon.value()["items"] == seen)
        try daemon.undo()
        #expect(try restore(daemon, #"["/items/0"]"#, from: "snapshot:s").status == 200)
        #expect(try ids(daemon) == "axBc|")
        try daemon.undo()
        try daemon.succeed("POST", "/restore", #"{"from":"snapshot:s"}"#)
        #expect(try ids(daemon) == "axbc|")
    }

    @Test func `25: restore in a transaction puts the same elements back, or nothing`() throws {
        let daemon = try daemon()
        try patch(daemon, RestoringTests.removeA)
        func transact(_ paths: String) throws -> Answer {
            try daemon.client.request(
                "POST", "/v1/transactions", LocalDaemon.json,
                body: """
                    {"changes":[{"document":"log","value":1},
                    {"document":"menu","restore":{"from":"0","paths":\(paths)}}]}
                    """)
        }
        let answer = try transact(#"["/items/0"]"#)
        #expect(try answer.status == 200 && ids(daemon) == "abc|", "\(answer.text)")
        try patch(daemon, #"{"op":"replace","path":"/items","value":0}"#)
        let refused = try transact(#"["/items/1"]"#)
        #expect(try refused.code == "conflict" && refused.json["document"] == "menu")
        #expect(try daemon.client.request("GET", "/v1/documents/log").text == "1\n")
    }

    @Test func `25: what restore brought back is the element that was removed`() throws {
        let daemon = try daemon(#"{"items":[["a"],["b"],["c"]]}"#)
        try daemon.succeed(
            "PATCH", "", #"[{"op":"add","path":"/items/0/-","value":"bob's"}]"#,
            LocalDaemon.patch.by("bob"))
        try daemon.succeed(
            "PATCH", "", "[\(RestoringTests.removeA)]", LocalDaemon.patch.by("ada"))
        let put = try daemon.menu(
            "POST", "/restore", #"{"from":"1","paths":["/items/0"]}"#, ["Versiond-Actor": "cyd"])
        #expect(try put.status == 200 && put.json["change"]?["base"] == 1, "\(put.text)")
        #expect(try daemon.value().description == #"{"items":[["a","bob's"],["b"],["c"]]}"#)
        // Own undo of bob's edits in it reaches it; so does an edit made before its removal.
        let undo = try daemon.menu("POST", "/undo", #"{"actor":"bob"}"#, ["Versiond-Actor": "bob"])
        #expect(undo.status == 200, "\(undo.text)")
        #expect(try daemon.value().description == #"{"items":[["a"],["b"],["c"]]}"#)
        try daemon.succeed(
            "PATCH", "?base=1", #"[{"op":"add","path":"/items/0/0","value":"late"}]"#,
            LocalDaemon.patch)
        #expect(try daemon.value().description == #"{"items":[["late","a"],["b"],["c"]]}"#)
        // It can be restored again, and is not there twice.
        #expect(try restore(daemon, #"["/items/0"]"#).status == 200)
        #expect(try daemon.value().description == #"{"items":[["a"],["b"],["c"]]}"#)
    }

    @Test func `25: an element without identity that a redo put back is not put back twice`()
        throws
    {
        let daemon = try daemon(#"{"items":[{"v":[]},{"v":[9]}]}"#)
        try patch(daemon, #"{"op":"add","path":"/items/0/v/0","value":1}"#)
        try patch(daemon, RestoringTests.removeA)
        // It comes back as it was removed, and is then changed: a redo adds it as it is afterwards.
        #expect(try restore(daemon, #"["/items/0"]"#).status == 200)
        try daemon.undo()
        try daemon.redo()
        #expect(try daemon.value() == ["items": [["v": []], ["v": [9]]]])
        #expect(try restore(daemon, #"["/items/0"]"#).status == 200)
        #expect(try daemon.value() == ["items": [["v": []], ["v": [9]]]])
    }

    @Test func `25: own undo and own redo of a restore take it, past later edits`() throws {
        let daemon = try daemon()
        try patch(daemon, RestoringTests.removeA)
        try daemon.succeed(
            "POST", "/restore", #"{"from":"0","paths":["/items/0"]}"#, ["Versiond-Actor": "ada"])
        try daemon.succeed("PATCH", "", "[\(RestoringTests.addX)]", LocalDaemon.patch.by("bob"))
        #expect(try ids(daemon) == "xabc|")
        for (verb, expected) in [("undo", "xbc|"), ("redo", "xabc|"), ("undo", "xbc|")] {
            try daemon.succeed("POST", "/\(verb)", #"{"actor":"ada"}"#, ["Versiond-Actor": "ada"])
            #expect(try ids(daemon) == expected)
        }
        #expect(try restore(daemon, #"["/items/0"]"#).status == 200)
        #expect(try ids(daemon) == "xabc|" || ids(daemon) == "axbc|")
    }
}
