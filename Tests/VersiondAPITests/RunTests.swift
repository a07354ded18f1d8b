import AccessControl
import JSONTree
import TestSupport
import Testing
import VersiondAPI

/// Rule 27: runs can be listed and reviewed.
@Suite struct RunTests {
    private let daemon: LocalDaemon

    init() throws {
        daemon = try LocalDaemon()
    }

    private func call(
        _ method: String, _ path: String, _ body: String? = nil, by actor: String = "",
        promptBy: String? = nil, _ daemon: LocalDaemon? = nil
    ) throws -> JSON {
        var fields = body == nil ? [:] : LocalDaemon.json
        if !actor.isEmpty { fields["Versiond-Actor"] = actor }
        if let promptBy { fields["Versiond-Prompt-By"] = promptBy }
        let answer = try (daemon ?? self.daemon).client.request(
            method, "/v1" + path, fields, body: body)
        #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
        return answer.body.isEmpty ? .null : try answer.json
    }

    private func edit(_ document: String, _ merge: String, by actor: String) throws {
        let body = #"{"merge":\#(merge)}"#
        _ = try call("PATCH", "/documents/" + document, body, by: actor)
    }

    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    private func runs(_ query: String = "") throws -> [JSON] {
        try call("GET", "/runs" + query)["runs"]?.elements ?? []
    }

    private func names(_ query: String) throws -> [String] {
        try runs(query).compactMap { $0["run"]?.string }
    }

    private func putMenuAndStock() throws {
        _ = try call("PUT", "/documents/menu", #"{"price":5,"dish":"soup"}"#, by: "ada")
        _ = try call("PUT", "/documents/shop%2Fstock", #"{"n":1}"#, by: "ada")
    }

    @Test func `a run is listed from its first edit on, with its counts`() throws {
        try putMenuAndStock()
        #expect(try names("").isEmpty)
        let path = "/documents/menu?label=new+price"
        let merge = #"{"merge":{"price":6}}"#
        _ = try call("PATCH", path, merge, by: "agent/1", promptBy: "ada")
        daemon.time.advance(by: 5_000)
        try edit("shop%2Fstock", #"{"n":2}"#, by: "agent/1")
        let run = try #require(runs().first)
        #expect(run["run"] == "agent/1" && run["label"] == "new price")
        #expect(run["requesters"] == ["ada"] && run["effect"] == "all")
        #expect(run["edits"] == 2 && run["undoneCount"] == 0 && run["documentCount"] == 2)
        #expect(run["began"]?.string?.hasSuffix("40.000Z") == true)
        #expect(run["ended"]?.string?.hasSuffix("45.000Z") == true)
        // An undo by another actor, and one of its own.
        _ = try call("POST", "/documents/menu/undo", #"{"actor":"agent/1"}"#, by: "ada")
        #expect(try runs().first?["effect"] == "part")
        let own = #"{"actor":"agent/1"}"#
        _ = try call("POST", "/documents/shop%2Fstock/undo", own, by: "agent/1")
        let rest = try #require(runs().first)
        #expect(rest["edits"] == 1 && rest["undoneCount"] == 1 && rest["effect"] == "none")
        #expect(rest["documentCount"] == 1)
    }

    @Test func `a list is filtered by parent, requester, effect, time, text and prefix`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6}"#, by: "agent/1")
        daemon.time.advance(by: 60_000)
        let merge = #"{"merge":{"n":2}}"#
        _ = try call(
            "PATCH", "/documents/shop%2Fstock?label=Inventory", merge, by: "team/bot/2",
            promptBy: "Ada")
        try edit("menu", #"{"price":7}"#, by: "agentx/3")
        _ = try call("POST", "/undo", #"{"all":{"actor":"agentx/3"}}"#)
        #expect(try names("") == ["agentx/3", "team/bot/2", "agent/1"])
        #expect(try names("?below=agent") == ["agent/1"])
        #expect(try names("?below=team") == ["team/bot/2"])
        #expect(try names("?below=team/bot/2").isEmpty)
        #expect(try names("?promptBy=Ada") == ["team/bot/2"])
        #expect(try names("?effect=none") == ["agentx/3"])
        #expect(try names("?effect=all") == ["team/bot/2", "agent/1"])
        #expect(try names("?since=1970-01-01T00:16:45Z") == ["agentx/3", "team/bot/2"])
        #expect(try names("?until=1970-01-01T00:16:45Z") == ["agent/1"])
        #expect(try names("?q=inventory") == ["team/bot/2"])
        #expect(try names("?q=ADA") == ["team/bot/2"])
        #expect(try names("?prefix=shop/") == ["team/bot/2"])
        let page = try call("GET", "/runs?limit=2")
        let next = try #require(page["next"]?.int)
        #expect(try names("?limit=2&cursor=\(next)") == ["agent/1"])
        let wrong = try daemon.client.request("GET", "/v1/runs?effect=some")
        #expect(wrong.code == "malformed-request")
    }

    @Test func `a page of a run shows at each place what its undo then does`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6,"dish":"pie"}"#, by: "agent/1")
        try edit("menu", #"{"side":{"bread":1}}"#, by: "agent/1")
        _ = try call("PUT", "/documents/new", #"{"m":1}"#, by: "agent/1")
        _ = try call("PUT", "/documents/own", #"{"m":1}"#, by: "agent/1")
        try edit("menu", #"{"dish":"stew","side":{"bread":2}}"#, by: "bob")
        try edit("new", #"{"b":1}"#, by: "bob")
        let before = try call("GET", "/runs")
        let page = try call("GET", "/runs/agent%2F1")
        #expect(try call("GET", "/runs") == before, "a review changes nothing")
        #expect(page["edits"] == 4 && page["documents"]?.elements?.count == 3)
        let documents = page["documents"]?.elements ?? []
        #expect(documents.map { $0["document"] } == ["menu", "new", "own"])
        let places = documents[0]["places"]?.elements ?? []
        let price = #"{"path":"/price","outcome":"reverts","value":6,"reverted":5}"#
        #expect(places.contains(try json(price)))
        let conflict = try #require(places.first { $0["path"] == "/side/bread" })
        #expect(conflict["outcome"] == "conflict" && conflict["revision"] == 2)
        #expect(conflict["with"] == [3])
        #expect(documents[0]["summary"]?["sentence"] == "changed the price from 5 to 6")
        let kept = #"[{"path":"","outcome":"kept","with":[1]}]"#
        #expect(try documents[1]["places"] == json(kept))
        let reverts = #"[{"path":"","outcome":"reverts","value":{"m":1}}]"#
        #expect(try documents[2]["places"] == json(reverts))
        let all = #"{"all":{"actor":"agent/1"}}"#
        _ = try call("POST", "/undo?conflict=theirs", all, by: "ada")
        #expect(try call("GET", "/documents/menu")["price"] == 5)
        #expect(try call("GET", "/documents/menu")["side"]?["bread"] == 2)
        #expect(try daemon.client.request("GET", "/v1/documents/own").status == 410)
        let after = try call("GET", "/runs/agent%2F1")
        #expect(after["effect"] == "part")
        let own = try #require(after["documents"]?.elements?.last)
        #expect(own["absent"] == "document-deleted" && own["undoneCount"] == 1)
    }

    @Test func `a token lists and reviews what it covers, and nothing else`() throws {
        var list = AccessList()
        list.add(
            tokenHash: Token.hash(of: "shop"), Grant(name: "shop", rights: .read, prefix: "shop/"))
        list.add(tokenHash: Token.hash(of: "root"), Grant(name: "root", rights: .all))
        let daemon = try LocalDaemon(access: list)
        func ask(
            _ token: String, _ method: String, _ path: String, _ body: String? = nil,
            by actor: String = ""
        ) throws -> Answer {
            var fields = ["Authorization": "Bearer \(token)"]
            if body != nil { fields["Content-Type"] = "application/json" }
            if !actor.isEmpty { fields["Versiond-Actor"] = actor }
            return try daemon.client.request(method, "/v1" + path, fields, body: body)
        }
        for document in ["a", "menu", "shop%2Fstock", "z"] {
            _ = try ask("root", "PUT", "/documents/" + document, "1", by: "agent/1")
        }
        _ = try ask("root", "PUT", "/documents/menu", "2", by: "agent/2")
        let runs = try ask("shop", "GET", "/runs").json["runs"]?.elements ?? []
        #expect(runs.map { $0["run"] } == ["agent/1"])
        #expect(runs.first?["documentCount"] == 1)
        for query in ["", "?cursor=a", "?cursor=menu", "?prefix=shop/&cursor=a", "?prefix="] {
            let page = try ask("shop", "GET", "/runs/agent%2F1" + query).json
            let documents = page["documents"]?.elements ?? []
            #expect(documents.map { $0["document"] } == ["shop/stock"], "\(query)")
        }
        let none = try ask("shop", "GET", "/runs/agent%2F1?cursor=zz").json["documents"]
        #expect(none == [])
        #expect(try ask("shop", "GET", "/runs/agent%2F2").code == "unknown-run")
        #expect(try ask("shop", "GET", "/runs?prefix=menu").code == "forbidden")
    }

    @Test func `an unknown run is a problem of its own`() throws {
        try putMenuAndStock()
        let answer = try daemon.client.request("GET", "/v1/runs/agent%2F1")
        #expect(answer.status == 404 && answer.code == "unknown-run")
        // A person is no run.
        #expect(try daemon.client.request("GET", "/v1/runs/ada").code == "unknown-run")
    }

    @Test func `a page of a run names its changes that an undo does not take`() throws {
        try putMenuAndStock()
        _ = try call("PUT", "/documents/menu/tags/before", by: "agent/1")
        #expect(try daemon.client.request("GET", "/v1/runs/agent%2F1").code == "unknown-run")
        try edit("menu", #"{"price":6}"#, by: "agent/1")
        try edit("menu", #"{"price":7}"#, by: "agent/1")
        let own = #"{"actor":"agent/1"}"#
        _ = try call("POST", "/documents/menu/undo", own, by: "agent/1")
        _ = try call("POST", "/documents/menu/redo", own, by: "agent/1")
        _ = try call("POST", "/documents/menu/undo", by: "agent/1")
        _ = try call("POST", "/documents/menu/goto", #"{"to":"version:0"}"#, by: "agent/1")
        _ = try call("POST", "/documents/menu/goto", #"{"to":"version:0"}"#, by: "ada")
        let options = #"{"debounce":"5s"}"#
        _ = try call("PATCH", "/documents/shop%2Fstock/settings", options, by: "agent/1")
        _ = try call("PUT", "/documents/z", #"{"n":1}"#, by: "agent/1")
        _ = try call("POST", "/documents/z/rename", #"{"name":"y"}"#, by: "agent/1")
        _ = try call("DELETE", "/documents/y", by: "agent/1")
        func other(_ query: String = "") throws -> [String] {
            let other = try call("GET", "/runs/agent%2F1" + query)["other"]?.elements ?? []
            return other.map { other in
                "\(other["document"]?.string ?? "") \(other["revision"]?.int ?? -1) "
                    + (other["kind"]?.string ?? "")
            }
        }
        let menu = ["menu 1 tag", "menu 4 undo", "menu 5 redo", "menu 6 undo", "menu 7 goto"]
        let rest = ["shop/stock 1 settings", "y 1 rename", "y 2 delete"]
        #expect(try other() == menu + rest)
        #expect(try other("?prefix=me") == menu)
        #expect(try other("?limit=1") == menu && other("?cursor=menu") == rest)
        _ = try call("DELETE", "/documents/menu?purge=true")
        #expect(try other() == rest)
    }

    @Test func `a page of a run names up to 100 other changes`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6}"#, by: "agent/1")
        try edit("shop%2Fstock", #"{"n":6}"#, by: "agent/1")
        for document in ["shop%2Fstock", "menu"] {
            for number in 0..<60 {
                _ = try call("PUT", "/documents/\(document)/tags/t\(number)", by: "agent/1")
            }
        }
        let other = try call("GET", "/runs/agent%2F1")["other"]?.elements ?? []
        #expect(other.map { $0["revision"]?.int } == Array(2...61) + Array(2...41))
    }

    @Test func `a document that was erased is in no run`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6}"#, by: "agent/1")
        try edit("shop%2Fstock", #"{"n":2}"#, by: "agent/1")
        #expect(try runs().first?["documentCount"] == 2)
        _ = try call("DELETE", "/documents/menu?purge=true")
        #expect(try runs().first?["documentCount"] == 1)
        _ = try call("DELETE", "/documents/shop%2Fstock?purge=true")
        #expect(try names("").isEmpty)
    }

    @Test func `an erasure of a place, or a refused one, leaves the runs in their order`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6,"email":"x"}"#, by: "agent/1")
        try edit("shop%2Fstock", #"{"n":2}"#, by: "agent/2")
        #expect(try names("") == ["agent/2", "agent/1"])
        for paths in [#"["/nothing"]"#, #"["/email"]"#] {
            _ = try call("POST", "/documents/menu/purge", #"{"paths":\#(paths)}"#)
            _ = try call("POST", "/documents/shop%2Fstock/purge", #"{"paths":\#(paths)}"#)
            #expect(try names("") == ["agent/2", "agent/1"], "\(paths)")
        }
        let stale = ["Content-Type": "application/json", "If-Match": "\"0\""]
        let refused = try daemon.client.request(
            "POST", "/v1/documents/menu/purge", stale, body: #"{"paths":["/price"]}"#)
        #expect(refused.status == 412)
        #expect(try names("") == ["agent/2", "agent/1"])
        #expect(try runs().map { $0["edits"] } == [1, 1])
    }

    @Test func `a name that is used again after a rename has its own edits alone`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6}"#, by: "agent/1")
        _ = try call("POST", "/documents/menu/rename", #"{"name":"dinner"}"#)
        _ = try call("PUT", "/documents/menu", #"{"price":1}"#, by: "ada")
        try edit("menu", #"{"price":2}"#, by: "agent/2")
        _ = try call("POST", "/documents/menu/undo", #"{"actor":"agent/2"}"#, by: "ada")
        _ = try call("POST", "/documents/menu/redo", #"{"actor":"agent/2"}"#, by: "ada")
        #expect(try runs().map { $0["documentCount"] } == [1, 1])
        #expect(try runs().map { $0["effect"] } == ["all", "all"])
    }

    @Test func `a renamed document counts under its new name alone`() throws {
        try putMenuAndStock()
        try edit("menu", #"{"price":6}"#, by: "agent/1")
        _ = try call("POST", "/documents/menu/rename", #"{"name":"dinner"}"#)
        let documents = try call("GET", "/runs/agent%2F1")["documents"]?.elements ?? []
        #expect(documents.map { $0["document"] } == ["dinner"])
    }
}
