import AccessControl
import JSONTree
import TestSupport
import Testing

/// `POST /v1/redo`: what an undo of many edits took comes back as one step.
@Suite struct RedoOfManyTests: RunScene {
    let daemon: LocalDaemon

    init() throws { daemon = try LocalDaemon() }

    /// Documents `a` and `b`, which the run edited.
    private func edited() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        try edit("agent/r1", "a", replace("/n", "6"))
        try edit("agent/r1", "b", replace("/n", "7"))
    }

    private func values() throws -> [JSON] { [try value("a"), try value("b")] }

    private let before: [JSON] = [["n": 5], ["n": 0]]
    private let after: [JSON] = [["n": 6], ["n": 7]]

    @Test func `18: redo puts a whole run back, once, as one transaction`() throws {
        try edited()
        #expect(try redo().json["code"] == "nothing-to-redo")
        #expect(try undoes())
        #expect(try values() == before)
        let dry = try redo("", "?dryRun")
        #expect(dry.status == 200, "\(dry.text)")
        #expect(try values() == before)
        let answer = try redo()
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json["changes"]?.count == 2)
        #expect(try values() == after)
        #expect(try redo().json["code"] == "nothing-to-redo")
        #expect(try daemon.client.request("GET", "/v1/runs").json["runs"]?[0]?["effect"] == "all")
    }

    @Test func `18: two undos come back in two steps, the newest first`() throws {
        try edited()
        #expect(try undoes(#","keep":{"b":true}"#))
        #expect(try undoes())
        #expect(try values() == before)
        #expect(try redoes())
        #expect(try values() == [["n": 5], ["n": 7]])
        #expect(try redoes())
        #expect(try values() == after)
        #expect(try redo().json["code"] == "nothing-to-redo")
    }

    @Test func `18: what a redo keeps is what the next redo is about`() throws {
        try edited()
        #expect(try undoes())
        #expect(try redo(#","keep":{"a":true,"b":true}"#).json["code"] == "nothing-to-redo")
        #expect(try redoes(#","keep":{"b":true}"#))
        #expect(try values() == [["n": 6], ["n": 0]])
        #expect(try redoes())
        #expect(try values() == after)
    }

    @Test func `18: a redo of a part puts back what the undo took, and keeps places`() throws {
        try make("m", #"{"dish":"soup","price":5}"#)
        try edit("agent/r1", "m", replace("/dish", #""stew""#) + "," + replace("/price", "6"))
        #expect(try undoes(#","keep":{"m":["/price"]}"#))
        #expect(try redoes())
        #expect(try value("m") == ["dish": "stew", "price": 6])
        #expect(try redo().json["code"] == "nothing-to-redo")
        #expect(try undoes())
        #expect(try redoes(#","keep":{"m":["/dish"]}"#))
        #expect(try value("m") == ["dish": "soup", "price": 6])
        #expect(try redoes())
        #expect(try value("m") == ["dish": "stew", "price": 6])
    }

    @Test func `18: redo goes beneath later edits, and never over them`() throws {
        try edited()
        #expect(try undoes())
        try edit("bob", "a", replace("/n", "9"))
        #expect(try redoes())
        #expect(try values() == [["n": 9], ["n": 7]])
        let own = try send("POST", "/v1/documents/a/undo", #"{"actor":"bob"}"#, by: "bob")
        #expect(own.status == 200)
        #expect(try value("a") == ["n": 6])
    }

    @Test func `18: work since the undo that a redo would hide is a conflict in each document`()
        throws
    {
        try make(["a": #"{"k":{}}"#, "b": #"{"k":{}}"#, "c": #"{"k":{}}"#])
        let names = ["a", "b", "c"]
        for name in names { try edit("agent/r1", name, #"{"op":"remove","path":"/k"}"#) }
        #expect(try undoes())
        for name in ["a", "c"] { try edit("bob", name, add("/k/v", "1")) }
        let refused = try redo()
        #expect(refused.status == 409 && refused.code == "conflict", "\(refused.text)")
        #expect(try refused.json["skipped"]?.elements?.map { $0["document"] } == ["a", "c"])
        #expect(try redoes("", "?conflict=theirs"))
        #expect(try names.map(value) == [["k": ["v": 1]], [:], ["k": ["v": 1]]])
        #expect(try redoes("", "?conflict=mine"))
        #expect(try names.map(value) == [[:], [:], [:]])
    }

    @Test func `20: who may propose undoes and redoes edits of drafts alone`() throws {
        var list = AccessList()
        for (name, rights) in [("ci", [.read, .propose]), ("root", .all)] as [(String, Rights)] {
            list.add(tokenHash: Token.hash(of: "vd_\(name)"), Grant(name: name, rights: rights))
        }
        let daemon = try LocalDaemon(access: list)
        func call(_ token: String, _ method: String, _ path: String, _ body: String) throws
            -> Answer
        {
            try daemon.client.request(
                method, "/v1/" + path,
                ["Content-Type": "application/json", "Authorization": "Bearer vd_\(token)"],
                body: body)
        }
        #expect(try call("root", "PUT", "documents/menu", #"{"n":0}"#).status == 201)
        #expect(try call("ci", "PUT", "documents/menu~1?copyOf=menu", "").status == 201)
        #expect(try call("ci", "PUT", "documents/menu~1", #"{"n":1}"#).status == 200)
        #expect(try call("root", "PUT", "documents/menu", #"{"n":2}"#).status == 200)
        for (documents, status) in [(#"["menu~1"]"#, 200), (#"["menu~1","menu"]"#, 403)] {
            for verb in ["undo", "redo"] {
                let body = #"{"all":{"actor":"ci"},"documents":\#(documents)}"#
                #expect(try call("ci", "POST", verb, body).status == status, "\(documents)")
            }
        }
    }

    @Test func `18: redo brings back a document that the undo deleted`() throws {
        try make("c", #"{"m":1}"#, by: "agent/r1")
        try edit("agent/r1", "c", replace("/m", "2"))
        try make("a", #"{"n":5}"#)
        try edit("agent/r1", "a", replace("/n", "6"))
        #expect(try undoes())
        #expect(try daemon.client.request("GET", "/v1/documents/c").status == 410)
        #expect(try redoes(#","keep":{"c":["/m"]}"#))
        #expect(try daemon.client.request("GET", "/v1/documents/c").status == 410)
        #expect(try value("a") == ["n": 6])
        #expect(try redoes())
        #expect(try value("c") == ["m": 2])
        #expect(try redo().json["code"] == "nothing-to-redo")
        // Deleted and made by others since, it is not that document.
        #expect(try undoes(#","documents":["c"]"#))
        try make("c", "{}", by: "bob")
        #expect(try redo().json["code"] == "nothing-to-redo")
    }

    @Test func `18: redo does not put back what was taken by other undos`() throws {
        try edited()
        let own = try send("POST", "/v1/documents/a/undo", #"{"actor":"agent/r1"}"#)
        #expect(own.status == 200)
        #expect(try redo().json["code"] == "nothing-to-redo")
        #expect(try undoes())
        #expect(try redoes())
        #expect(try values() == [["n": 5], ["n": 7]])
        // Shared undo leaves the undo of the run behind: it holds nothing any more.
        #expect(try undoes())
        #expect(try send("POST", "/v1/documents/b/undo", nil).status == 200)
        #expect(try values() == [["n": 5], ["n": 7]])
        #expect(try redo().json["code"] == "nothing-to-redo")
    }

    @Test func `18: redo is about the undo that took something of what is selected`() throws {
        try edited()
        try edit("agent/r2", "a", add("/x", "1"))
        #expect(try undoes())
        let other = try send("POST", "/v1/undo", #"{"all":{"actor":"agent/r2"}}"#)
        #expect(other.status == 200)
        #expect(try redoes(#","documents":["a"]"#))
        #expect(try values() == after)
        #expect(try redo().json["code"] == "nothing-to-redo")
        let back = try send("POST", "/v1/redo", #"{"all":{"actor":"agent/r2","paths":["/x"]}}"#)
        #expect(back.status == 200, "\(back.text)")
        #expect(try value("a") == ["n": 6, "x": 1])
    }

    @Test func `18: a redo that is undone can be redone`() throws {
        try edited()
        try make("c", "{}", by: "agent/r1")
        #expect(try undoes())
        let redone = try redo()
        let undo = #"{"transaction":"\#(try redone.json["transaction"]?.string ?? "")"}"#
        #expect(try send("POST", "/v1/undo", undo).status == 200)
        #expect(try values() == before)
        #expect(try redoes())
        #expect(try values() == after && value("c") == [:])
    }

    @Test func `18: redo finds a deleted document by any edit that went with it`() throws {
        try make("c", "{}", by: "agent/r1")
        try edit("agent/r1", "c", add("/x", "1"))
        #expect(try undoes())
        for (actor, status) in [("agent/r2", 409), ("agent/r1", 200)] {
            let body = #"{"all":{"actor":"\#(actor)","paths":["/x"]}}"#
            #expect(try send("POST", "/v1/redo", body).status == status)
        }
        #expect(try value("c") == ["x": 1])
    }

    @Test func `18: redo of what is held in a renamed document and in a copy`() throws {
        try edited()
        #expect(try undoes(#","keep":{"b":true}"#))
        #expect(try undoes())
        let renamed = try send("POST", "/v1/documents/a/rename", #"{"name":"z"}"#)
        #expect(renamed.status == 201, "\(renamed.text)")
        // The newest undo is about b, although the changes of z were stored later.
        #expect(try redoes())
        #expect(try value("b") == ["n": 7] && value("z") == ["n": 5])
        #expect(try redoes())
        #expect(try value("z") == ["n": 6])
        #expect(try undoes())
        let copied = try send("PUT", "/v1/documents/y?copyOf=z&withHistory=true", nil)
        #expect(copied.status == 201, "\(copied.text)")
        #expect(try redoes() && redoes())
        #expect(try ["y", "z", "b"].map(value) == [["n": 6], ["n": 6], ["n": 7]])
    }

    @Test func `18: what an undo takes for the sake of transactions in circles ends`() throws {
        let names = (0..<9).map { "d\($0)" }
        for name in names { try make(name, #"{"x":0,"y":0}"#) }
        for (index, name) in names.enumerated() {
            let rest = names.filter { $0 != name }.map { ($0, replace("/y", "\(index + 1)")) }
            _ = try change("agent/r1", [(name, replace("/x", "1"))] + rest)
        }
        let answer = try send("POST", "/v1/undo", #"{"all":{"paths":["/x"]}}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try names.allSatisfy { try value($0) == ["x": 0, "y": 0] })
    }

    @Test func `18: a refusal names conflicts in documents taken for a transaction's sake`() throws
    {
        try make(["a": "{}", "b": "{}"])
        _ = try change("agent/r1", [("a", add("/o", "{}")), ("b", add("/o", "{}"))])
        try edit("bob", "b", add("/o/v", "2"))
        let refused = try undo(#","documents":["a"]"#)
        #expect(refused.code == "conflict", "\(refused.text)")
        #expect(try refused.json["skipped"]?.elements?.map { $0["document"] } == ["b"])
    }

    @Test func `18: alone redoes only what is named`() throws {
        try edited()
        #expect(try undoes())
        #expect(try redoes(#","documents":["a"]"#, "?alone"))
        #expect(try values() == [["n": 6], ["n": 0]])
        #expect(try redoes())
        #expect(try values() == after)
    }

    @Test func `18: a repeated redo with its key returns the first one`() throws {
        try edited()
        #expect(try undoes(#","keep":{"b":true}"#))
        #expect(try undoes())
        let body = #"{"all":{"actor":"agent/r1"}}"#
        func keyed() throws -> Answer {
            try daemon.client.request(
                "POST", "/v1/redo",
                ["Content-Type": "application/json", "Idempotency-Key": "k1"].by("ada"), body: body)
        }
        let (first, second) = (try keyed(), try keyed())
        #expect(first.status == 200 && second.status == 200, "\(second.text)")
        #expect(second["idempotent-replayed"] == "true")
        #expect(try first.json["transaction"] == second.json["transaction"])
        #expect(try values() == [["n": 5], ["n": 7]])
    }

    @Test func `18: an undo or redo names a transaction by any of its parts`() throws {
        try make(["a": #"{"n":5}"#, "b": #"{"n":0}"#])
        let name = try change("ada", [("a", replace("/n", "6")), ("b", replace("/n", "7"))])
        let body = #"{"transaction":"\#(name)"}"#
        #expect(try send("POST", "/v1/undo", body).status == 200)
        #expect(try values() == before)
        #expect(try send("POST", "/v1/undo", body).json["code"] == "not-in-effect")
        let kept = #"{"transaction":"b@1","keep":{"a":true}}"#
        let none = try send("POST", "/v1/redo", kept)
        #expect(try none.json["code"] == "nothing-to-redo", "\(none.text)")
        #expect(try send("POST", "/v1/redo?alone", kept).status == 200)
        #expect(try values() == [["n": 5], ["n": 7]])
        #expect(try send("POST", "/v1/redo", body).status == 200)
        #expect(try values() == after)
        for wrong in [
            "{}", #"{"all":{"actor":"a"},"transaction":"a@1"}"#,
            #"{"transaction":"a@1","prefix":"a"}"#,
        ] {
            #expect(try send("POST", "/v1/redo", wrong).status == 400)
        }
    }

    @Test func `18: in one document a selection is bounded by any state of it`() throws {
        try make("a", #"{"n":0}"#)
        for number in 1...3 { try edit("agent/r1", "a", replace("/n", "\(number)")) }
        let bound = #"{"all":{"actor":"agent/r1","since":"1"},"documents":["a"]}"#
        #expect(try send("POST", "/v1/undo", bound).status == 200)
        #expect(try value("a") == ["n": 1])
        #expect(try send("POST", "/v1/redo", bound).status == 200)
        #expect(try value("a") == ["n": 3])
        try make("b", "{}")
        let both = bound.replacing(#"["a"]"#, with: #"["a","b"]"#)
        #expect(try send("POST", "/v1/undo", both).status == 400)
    }
}
