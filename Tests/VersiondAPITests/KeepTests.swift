import JSONTree
import TestSupport
import Testing

/// Undo of many edits by operations: what is kept stays, conflicts are decided by place.
@Suite struct KeepTests: RunScene {
    let daemon: LocalDaemon

    init() throws { daemon = try LocalDaemon() }

    @Test func `18: a kept place stays and the rest of the same edit is undone`() throws {
        try make("m", #"{"dish":"soup","price":5}"#)
        try edit("agent/r1", "m", replace("/dish", #""stew""#) + "," + replace("/price", "6"))
        let answer = try undo(#","keep":{"m":["/price"]}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try value("m") == ["dish": "soup", "price": 6])
        let change = try answer.json["changes"]?[0]?["change"]
        #expect(change?["undone"] == [1] && change?["kept"] == ["/price"])
        // The rest goes with the next undo, and each comes back by itself.
        #expect(try undo().status == 200)
        #expect(try value("m") == ["dish": "soup", "price": 5])
        for (revision, expected) in [
            (3, ["dish": "soup", "price": 6]), (2, ["dish": "stew", "price": 6]),
        ] as [(Int, JSON)] {
            let back = try send(
                "POST", "/v1/documents/m/undo", #"{"revision":\#(revision)}"#)
            #expect(back.status == 200, "\(back.text)")
            #expect(try value("m") == expected)
        }
    }

    @Test func `18: a change of which a part was undone is in effect until all of it is`() throws {
        try make("m", #"{"a":1,"b":1}"#)
        try edit("agent/r1", "m", replace("/a", "2") + "," + replace("/b", "2"))
        #expect(try undo(#","keep":{"m":["/a"]}"#).status == 200)
        #expect(try daemon.client.request("GET", "/v1/runs").json["runs"]?[0]?["effect"] == "all")
        #expect(try undo().status == 200)
        #expect(try daemon.client.request("GET", "/v1/runs").json["runs"]?[0]?["effect"] == "none")
        #expect(try undo().json["code"] == "nothing-to-undo")
    }

    @Test func `18: a kept document stays, and keeping all undoes nothing`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try edit("agent/r1", "a", replace("/n", "6"))
        try edit("agent/r1", "b", replace("/n", "7"))
        #expect(try undo(#","keep":{"a":true,"b":true}"#).json["code"] == "nothing-to-undo")
        let undone = try undo(#","keep":{"b":true}"#)
        #expect(try undone.json["changes"]?.count == 2, "\(undone.text)")
        #expect(try undone.json["changes"]?[1] == ["document": "b", "kept": [""]])
        #expect(try value("a") == ["n": 5] && value("b") == ["n": 7])
        #expect(try undo().status == 200)
        #expect(try value("a") == ["n": 5] && value("b") == ["n": 0])
    }

    @Test func `18: what a kept operation stands in stays`() throws {
        try make("a", "{}")
        try edit("agent/r1", "a", add("/o", #"{"v":1}"#))
        try edit("agent/r1", "a", add("/o/w", "2") + "," + add("/o/x", "3"))
        #expect(try undo(#","keep":{"a":["/o/w"]}"#).status == 200)
        #expect(try value("a") == ["o": ["v": 1, "w": 2]])
    }

    @Test func `18: keep is about where a value is now`() throws {
        try make("a", #"{"l":[{"id":1,"v":1},{"id":2,"v":2}]}"#)
        try edit("agent/r1", "a", #"{"op":"move","from":"/l/0","path":"/l/1"}"#)
        try edit("agent/r1", "a", replace("/l/0/v", "7"))
        let unsaid = try undo(#","keep":{"a":["/l/1"]}"#)
        #expect(unsaid.status == 400 && unsaid.text.contains("revision of a"))
        #expect(try undo(#","keep":{"a":["/l/1"]},"match":{"a":1}"#).status == 412)
        #expect(try undo(#","keep":{"a":["/l/1"]},"match":{"a":2}"#).status == 200)
        #expect(try value("a") == ["l": [["id": 2, "v": 2], ["id": 1, "v": 1]]])
    }

    @Test func `18: a document that the run made stays, if something in it is kept`() throws {
        try make("c", #"{"m":1}"#, by: "agent/r1")
        try edit("agent/r1", "c", replace("/m", "2") + "," + add("/x", "1"))
        #expect(try undo(#","keep":{"c":["/x"]}"#).status == 200)
        #expect(try value("c") == ["m": 1, "x": 1])
        #expect(try undo().status == 200)
        #expect(try daemon.client.request("GET", "/v1/documents/c").status == 410)
    }

    @Test func `18: a transaction stays with all its parts, unless the request says alone`() throws
    {
        for (query, b) in [("", 7), ("?alone", 0)] {
            let (one, other) = ("a\(b)", "b\(b)")
            try make([one: #"{"n":5}"#, other: #"{"n":0}"#])
            _ = try change("agent/r1", [(one, replace("/n", "6")), (other, replace("/n", "7"))])
            let answer = try undo(
                #","keep":{"\#(one)":true},"documents":["\#(one)","\#(other)"]"#, query)
            #expect(answer.status == (query.isEmpty ? 409 : 200), "\(answer.text)")
            #expect(try value(one) == ["n": 6])
            #expect(try value(other) == ["n": JSON(b)])
        }
    }

    @Test func `18: resolve decides conflicts by place, theirs leaves single operations`() throws {
        try make(["a": "{}", "b": "{}"])
        for name in ["a", "b"] {
            try edit("agent/r1", name, add("/o", #"{"v":1}"#) + "," + add("/n", "1"))
            try edit("bob", name, replace("/o/v", "2"))
        }
        let refused = try undo(#","resolve":{"a":{"/o":"theirs"}}"#)
        #expect(try refused.json["code"] == "conflict" && refused.json["document"] == "b")
        #expect(try refused.json["skipped"]?.elements?.map { $0["document"] } == ["b"])
        #expect(try value("a") == ["o": ["v": 2], "n": 1])
        let answer = try undo(#","resolve":{"a":{"/o":"theirs"},"b":{"/o":"mine"}}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try value("a") == ["o": ["v": 2]] && value("b") == [:])
    }

    @Test func `18: a refusal names the conflicts of all documents`() throws {
        try make(["a": "{}", "b": "{}", "c": "{}"])
        for name in ["a", "b", "c"] { try edit("agent/r1", name, add("/o", #"{"v":1}"#)) }
        for name in ["a", "c"] { try edit("bob", name, replace("/o/v", "2")) }
        for query in ["", "?dryRun"] {
            let refused = try undo("", query)
            #expect(refused.status == 409 && refused.code == "conflict", "\(refused.text)")
            let expected = ["a", "c"].map { name -> JSON in
                ["document": JSON(name), "revision": 1, "conflicts": ["/o/v"], "with": [2]]
            }
            #expect(try refused.json["skipped"] == JSON(elements: expected))
            #expect(try value("b") == ["o": ["v": 1]])
        }
    }

    @Test func `18: paths take the operations there, and not the whole edit`() throws {
        try make("m", #"{"dish":"soup","price":5}"#)
        try edit("agent/r1", "m", replace("/dish", #""stew""#) + "," + replace("/price", "6"))
        let answer = try send(
            "POST", "/v1/undo", #"{"all":{"actor":"agent/r1","paths":["/dish"]}}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try value("m") == ["dish": "soup", "price": 6])
    }

    @Test func `18: own undo of a version that is partly in effect takes the rest`() throws {
        try make("m", #"{"dish":"soup","price":5}"#)
        try edit("agent/r1", "m", replace("/dish", #""stew""#) + "," + replace("/price", "6"))
        #expect(try undo(#","keep":{"m":["/price"]}"#).status == 200)
        let path = "/v1/documents/m/"
        #expect(try send("POST", path + "undo", #"{"actor":"agent/r1"}"#).status == 200)
        #expect(try value("m") == ["dish": "soup", "price": 5])
        #expect(try send("POST", path + "redo", #"{"actor":"agent/r1"}"#).status == 200)
        #expect(try value("m") == ["dish": "soup", "price": 6])
    }
}
