import Documents
import HTTPServing
import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// The versions of a document, who made what in it, and going back to a part of it.
@Suite struct VersionsTests {
    private func versions(_ daemon: LocalDaemon, _ query: String = "") throws -> [JSON] {
        let answer = try daemon.menu("GET", "/versions" + query)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json["versions"]?.elements.map(Array.init) ?? []
    }

    private func patch(
        _ daemon: LocalDaemon, _ path: String, _ value: String, op: String = "replace",
        by actor: String = "", _ query: String = ""
    ) throws {
        var fields = LocalDaemon.patch
        if !actor.isEmpty { fields["Versiond-Actor"] = actor }
        let body = #"[{"op":"\#(op)","path":"\#(path)","value":\#(value)}]"#
        let answer = try daemon.menu("PATCH", query, body, fields)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func `5: versions are a tree: what undo, redo and nothing leads to`() throws {
        let daemon = try LocalDaemon()
        for value in ["0", "1", "2"] { try daemon.put(value) }
        try daemon.undo()
        try daemon.put("4")
        try daemon.put("5")
        try daemon.undo()
        let found = try versions(daemon)
        #expect(found.map { $0["version"]?.int } == [5, 4, 2, 1, 0])
        #expect(found.map { $0["parent"]?.int } == [4, 1, 1, 0, nil])
        #expect(
            found.map { $0["standing"]?.string } == ["redo", "current", "aside", "undo", "undo"])
        #expect(
            found.map { $0["kind"]?.string } == ["append", "append", "append", "append", "create"])
        #expect(found.last?["parent"] == .null)
    }

    @Test func `quick edits are one version, with its edits, actors, times, places and names`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        try patch(daemon, "/a", "1", by: "ada", "?debounce=1s&label=first")
        try patch(daemon, "/b", "2", by: "ada", "?debounce=1s&label=second")
        try daemon.tag("draft")
        try daemon.succeed("PUT", "/snapshots/copy")
        let version = try #require(try versions(daemon).first)
        #expect(version["version"] == 1 && version["first"] == 1 && version["last"] == 2)
        #expect(version["edits"] == 2 && version["label"] == "second")
        #expect(version["actors"]?.description == #"["ada"]"#)
        #expect(version["paths"]?.description == #"["/a","/b"]"#)
        #expect(version["tags"]?.description == #"["draft"]"#)
        #expect(version["snapshots"]?.description == #"["copy"]"#)
        #expect(version["began"] != nil && version["ended"] != nil && version["inEffect"] == true)
    }

    @Test func `3: a version that own undo took out of effect says so`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        try patch(daemon, "/a", "1", by: "ada")
        try patch(daemon, "/b", "1", by: "bob")
        #expect(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#).status == 200)
        let found = try versions(daemon)
        #expect(found.map { $0["inEffect"]?.bool } == [true, true, false, true])
        #expect(found.map { $0["kind"]?.string } == ["undo", "append", "append", "create"])
    }

    @Test func `7: versions of an open scope have its level; closed, it is one version`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("0")
        try daemon.succeed("POST", "/scopes/push")
        try daemon.put("1")
        try daemon.put("2")
        #expect(try versions(daemon).map { $0["scopeLevel"]?.int } == [1, 1, 0])
        try daemon.succeed("POST", "/scopes/pop")
        let found = try versions(daemon)
        #expect(found.map { $0["version"]?.int } == [4, 3, 2, 0])
        #expect(found.map { $0["standing"]?.string } == ["current", "aside", "aside", "undo"])
        #expect(found[0]["kind"] == "pop-scope" && found[0]["edits"] == 2)
        #expect(found[0]["first"] == 2 && found[0]["last"] == 4)
    }

    @Test func `versions come in pages, and with filters only those that are wanted`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        for number in 1...20 {
            let isThird = number % 3 == 0
            try patch(
                daemon, isThird ? "/b" : "/a", "\(number)", by: isThird ? "bob" : "ada",
                isThird ? "?label=Third%20\(number)" : "")
        }
        func numbers(_ query: String) throws -> [Int?] {
            try versions(daemon, query).map { $0["version"]?.int }
        }
        #expect(try numbers("?limit=3") == [20, 19, 18])
        #expect(try numbers("?limit=3&cursor=18") == [17, 16, 15])
        #expect(try daemon.menu("GET", "/versions?limit=3&cursor=18").json["next"] == 15)
        #expect(try daemon.menu("GET", "/versions?limit=2&cursor=2").json["next"] == .null)
        #expect(
            try daemon.menu("GET", "/versions?limit=2&cursor=2")["link"] == nil,
            "there is nothing older")
        #expect(try numbers("?actor=bob") == [18, 15, 12, 9, 6, 3])
        #expect(try numbers("?actor=bob&limit=2&cursor=15") == [12, 9])
        #expect(try numbers("?label=Third%206") == [6])
        #expect(try numbers("?q=third%201") == [18, 15, 12])
        #expect(try numbers("?path=/b") == [18, 15, 12, 9, 6, 3, 0])
        #expect(try numbers("?kind=create") == [0])
        #expect(try numbers("?since=2100-01-01T00:00:00Z") == [])
        #expect(try daemon.menu("GET", "/versions?since=x").code == "malformed-request")
    }

    @Test func `history says which version a change made or joined`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0}"#)
        for number in 1...3 { try patch(daemon, "/a", "\(number)", "?debounce=1s") }
        try daemon.tag("x")
        try daemon.undo()
        let page = try daemon.menu("GET", "/history?branches=all").json["changes"]
        #expect(page?.elements?.map { $0["version"]?.int } == [0, 1, 1, 1, 1, 0])
        #expect(try daemon.menu("GET", "/history/3").json["version"] == 1)
    }

    @Test func `blame names who made each place, through moves, shifts and undo`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"list":["a","b"],"note":"hello"}"#)
        try patch(daemon, "/list/1", #""x""#, op: "add", by: "ada")
        try patch(daemon, "/list/0", #""y""#, op: "add", by: "bob")
        try patch(daemon, "/list/3", #""B""#, by: "bob")
        try daemon.succeed(
            "PATCH", "", #"[{"op":"move","from":"/list/2","path":"/first"}]"#, LocalDaemon.patch)
        try daemon.succeed(
            "PATCH", "", #"[{"op":"str_ins","path":"/note","pos":5,"str":", world"}]"#,
            LocalDaemon.patch)
        func blame(_ query: String) throws -> String {
            let json = try daemon.menu("GET", "/blame" + query).json
            return json["places"]?.description ?? json.description
        }
        let all = #"""
            [{"path":"","revision":0},{"path":"/first","revision":1},{"path":"/list/0","revision":2},\#
            {"path":"/list/2","revision":3},\#
            {"path":"/note","revision":0,"text":[{"count":5,"revision":0},{"count":7,"revision":5}]}]
            """#
        let found = try blame("")
        #expect(found == all)
        #expect(try blame("?path=/list/2") == #"[{"path":"/list/2","revision":3}]"#)
        #expect(try blame("?path=/list/1") == #"[{"path":"/list/1","revision":0}]"#)
        #expect(
            try blame("?at=2&path=/list/1") == #"[{"path":"/list/1","revision":0}]"#)
        try patch(daemon, "/list", "[]", by: "eve")
        #expect(try blame("?path=/note").contains("text"))
        #expect(try blame("?path=/list") == #"[{"path":"/list","revision":6}]"#)
        try daemon.undo()
        #expect(try blame("") == all, "what is undone blames nobody")
        let answer = try daemon.menu("GET", "/blame?path=/list/0").json
        #expect(answer["changes"]?[0]?["actor"] == "bob" && answer["changes"]?[0]?["version"] == 2)
        #expect(try daemon.menu("GET", "/blame?path=/nowhere").code == "unknown-value")
        #expect(try daemon.menu("GET", "/blame?at=snapshot:s").code == "malformed-request")
    }

    @Test func `blame knows what own undo and redo put back`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"list":["a"]}"#)
        try patch(daemon, "/list/0", #""x""#, by: "ada")
        try patch(daemon, "/list/0", #""z""#, op: "add", by: "bob")
        for command in ["undo", "redo"] {
            let answer = try daemon.menu("POST", "/\(command)", #"{"actor":"ada"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            let revision = command == "undo" ? 0 : 1
            #expect(
                try daemon.menu("GET", "/blame?path=/list/1").json["places"]?[0]?["revision"]?.int
                    == revision)
        }
    }

    @Test func `a part of another state is put back, with what it stands in`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":{"b":[1,2,3]},"c":null,"d":4}"#)
        try daemon.tag("old")
        try daemon.put(#"{"c":5,"d":6}"#)
        let before = try daemon.menu("GET").text
        let body = #"{"from":"tag:old","paths":["/a/b","/c"]}"#
        let question = try daemon.menu("POST", "/restore?dryRun", body)
        #expect(try question.status == 200 && question.json["dryRun"] == true, "\(question.text)")
        #expect(try daemon.menu("GET").text == before)
        let answer = try daemon.menu(
            "POST", "/restore", #"{"from":"tag:old","paths":["/a/b","/c"]}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try daemon.value().description == #"{"c":null,"d":6,"a":{"b":[1,2,3]}}"#)
        #expect(try answer.json["change"]?["label"] == "restored from tag:old")
        try daemon.undo()
        #expect(try daemon.value().description == #"{"c":5,"d":6}"#)
        try daemon.succeed("POST", "/restore?label=mine", #"{"from":"version:0"}"#)
        #expect(
            try daemon.value() == JSON(parsing: Array(#"{"a":{"b":[1,2,3]},"c":null,"d":4}"#.utf8)))
        #expect(try versions(daemon).first?["label"] == "mine")
        for (body, code) in [
            (#"{"from":"version:9"}"#, "unknown-version"), ("{}", "malformed-request"),
            (#"{"from":"0","paths":["/d/x"]}"#, nil), (#"{"from":"99"}"#, "unknown-revision"),
        ] as [(String, String?)] {
            #expect(try daemon.menu("POST", "/restore", body).code == code)
        }
    }

    @Test func `a restored snapshot brings back what its places stood in`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"b":{"c":1}}"#)
        try daemon.succeed("PUT", "/snapshots/s", #"{"paths":["/b/c"]}"#)
        try daemon.put("{}")
        #expect(try daemon.menu("POST", "/snapshots/s/restore").status == 200)
        #expect(try daemon.value().description == #"{"b":{"c":1}}"#)
    }

    @Test func `goto takes any address that a version is`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0}"#)
        for number in 1...3 { try patch(daemon, "/a", "\(number)", "?debounce=1s") }
        try daemon.tag("done")
        try patch(daemon, "/a", "9")
        for (address, value) in [("0", 0), ("3", 3), ("version:5", 9), ("tag:done", 3)] {
            let answer = try daemon.menu("POST", "/goto", #"{"to":"\#(address)"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try daemon.value()["a"]?.int == value)
        }
        #expect(try daemon.menu("POST", "/goto", #"{"to":"2"}"#).code == "unknown-version")
        #expect(try daemon.menu("POST", "/goto", #"{"to":"snapshot:s"}"#).code == "unknown-version")
        #expect(
            try daemon.menu("POST", "/goto", #"{"to":"2","version":1}"#).code
                == "malformed-request")
    }

    @Test func `a difference to a snapshot is named by the snapshot`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        try daemon.succeed("PUT", "/snapshots/s")
        try daemon.put("2")
        let diff = try daemon.menu("GET", "/diff?from=version:0&to=snapshot:s").json
        #expect(diff["from"] == 0 && diff["to"] == "snapshot:s" && diff["patch"]?.count == 0)
    }

    @Test func `history by path follows a place through shifts and moves`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"list":[{"n":0}]}"#)
        for number in 1...2 {
            try patch(daemon, "/list/0", #"{"n":\#(number)}"#, op: "add")
        }
        // The elements are 2, 1, 0 now.
        try patch(daemon, "/list/1/n", "10")
        try patch(daemon, "/list/2/n", "20")
        try daemon.succeed(
            "PATCH", "", #"[{"op":"move","from":"/list/1","path":"/first"}]"#, LocalDaemon.patch)
        try patch(daemon, "/first/n", "11")
        func page(_ query: String) throws -> JSON {
            try daemon.menu("GET", "/history?branches=all&path=" + query).json
        }
        func revisions(_ query: String) throws -> [Int?] {
            try page(query)["changes"]?.elements?.map { $0["revision"]?.int } ?? []
        }
        #expect(try revisions("/first/n") == [6, 5, 3, 1])
        #expect(try revisions("/list/1/n") == [4, 0])
        let first = try page("/first&limit=2")
        #expect(first["next"] == 5 && first["path"] == "/list/1")
        let older = try revisions("/list/1&cursor=5")
        #expect(older == [3, 1])
        #expect(try page("/first")["next"] == .null, "before it was added, there was nothing")
        try daemon.undo()
        try daemon.undo()
        #expect(try revisions("/list/1/n") == [8, 7, 6, 5, 3, 1])
        try daemon.succeed(
            "PATCH", "", #"[{"op":"remove","path":"/list/1"}]"#, LocalDaemon.patch)
        try patch(daemon, "/list/1/n", "30")
        try daemon.succeed("POST", "/undo", #"{"count":2}"#)
        #expect(
            try revisions("/list/1/n") == [11, 3, 1],
            "what is newer than the version is not about it")
    }

    @Test func `a document that was only made has a history by path`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0}"#)
        for query in ["path=/a", "path=", "path=/a&cursor=0", "path=/b&cursor=1"] {
            #expect(try daemon.menu("GET", "/history?" + query).status == 200)
        }
        for query in ["", "?cursor=0", "?cursor=1"] {
            #expect(try daemon.menu("GET", "/versions" + query).status == 200)
        }
    }

    @Test func `an own undo that was undone takes nothing back`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":0,"b":0}"#)
        try patch(daemon, "/a", "1", by: "ada")
        try patch(daemon, "/b", "1", by: "bob")
        try daemon.succeed("POST", "/undo", #"{"actor":"ada"}"#)
        try daemon.undo()
        #expect(try versions(daemon).map { $0["inEffect"]?.bool } == [true, true, true, true])
    }

    @Test func `pages of a place's history go on where undo had brought it back`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":["x","y"]}"#)
        try patch(daemon, "/a/0", #""z""#)
        try daemon.succeed("PATCH", "", #"[{"op":"remove","path":"/a/0"}]"#, LocalDaemon.patch)
        try daemon.undo()
        var (found, query): ([Int?], String?) = ([], "path=/a/0&limit=1")
        while let words = query {
            let page = try daemon.menu("GET", "/history?" + words).json
            found += page["changes"]?.elements?.map { $0["revision"]?.int } ?? []
            query = page["next"]?.int.map {
                "path=\(page["path"]?.string ?? "")&limit=1&cursor=\($0)"
            }
        }
        #expect(found == [3, 1, 0])
    }

    @Test func `places are put back in their order, each once, and long words are no label`() throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"a":["x","y"]}"#)
        try daemon.put(#"{"a":[]}"#)
        let zeros = String(repeating: "0", count: 300)
        let answer = try daemon.menu(
            "POST", "/restore", #"{"from":"0","paths":["/a/1","/a/0","/a/1"]}"#)
        #expect(try daemon.value().description == #"{"a":["x","y"]}"#, "\(answer.text)")
        try daemon.put("1")
        let long = try daemon.menu(
            "POST", "/restore", #"{"from":"2100-01-01T00:00:00.\#(zeros)Z"}"#)
        #expect(long.status == 200)
        try daemon.succeed("POST", "/restore", #"{"from":"version:0"}"#)
        #expect(try versions(daemon).first?["label"] == "restored from version:0")
    }

    @Test func `a document can begin as a copy of another one's state`() throws {
        let daemon = try LocalDaemon()
        for value in ["1", "2"] { try daemon.put(value) }
        func copy(_ name: String, _ source: String, _ body: String? = nil) throws -> Answer {
            try daemon.client.request(
                "PUT", "/v1/documents/\(name)?copyOf=\(source)",
                body == nil ? [:] : LocalDaemon.json, body: body)
        }
        let made = try copy("new", "menu@version:0")
        #expect(
            try made.status == 201 && made.json["change"]?["label"] == "copied from menu@version:0")
        #expect(try daemon.client.request("GET", "/v1/documents/new").text == "1\n")
        #expect(try copy("a@b", "menu").status == 201)
        #expect(try copy("c", "a@b").status == 201)
        #expect(try daemon.client.request("GET", "/v1/documents/c").text == "2\n")
        #expect(try copy("d", "nothing").code == "unknown-document")
        #expect(try copy("d", "menu@version:9").code == "unknown-version")
        #expect(try copy("d", "menu", "3").code == "malformed-request")
    }

    @Test func `what was done lately is listed across documents`() throws {
        let daemon = try LocalDaemon()
        for number in 0..<6 {
            _ = try daemon.client.request(
                "PUT", "/v1/documents/\(number % 2 == 0 ? "a" : "b")\(number)?label=l\(number)",
                LocalDaemon.json.by("ada"), body: "\(number)")
        }
        func documents(_ query: String) throws -> [String?] {
            let answer = try daemon.client.request("GET", "/v1/history" + query)
            return try answer.json["changes"]?.elements?.map { $0["document"]?.string } ?? []
        }
        #expect(try documents("") == ["b5", "a4", "b3", "a2", "b1", "a0"])
        #expect(try documents("?prefix=a&limit=2") == ["a4", "a2"])
        let page = try daemon.client.request("GET", "/v1/history?prefix=a&limit=2").json
        #expect(page["next"] == 3 && page["changes"]?[0]?["actor"] == "ada")
        #expect(try documents("?prefix=a&limit=2&cursor=3") == ["a0"])
        #expect(try documents("?label=l3") == ["b3"])
        #expect(try documents("?documents=a2,b5") == ["b5", "a2"])
        #expect(try documents("?documents=a2,b5&label=l2") == ["a2"])
        let since = try daemon.client.request("GET", "/v1/history?since=3")
        #expect(since.code == "malformed-request", "many documents share nothing but the time")
        #expect(try documents("?actor=bob") == [])
        #expect(try daemon.client.request("GET", "/v1/history?cursor=1").json["next"] == .null)
    }

    @Test func `whoami tells what the client may do`() throws {
        let daemon = try LocalDaemon()
        let json = try daemon.client.request("GET", "/v1/whoami").json
        #expect(
            json.description
                == #"{"name":"","rights":["read","write","undo-others","admin"],"prefix":""}"#)
    }
}
