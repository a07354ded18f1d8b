import AccessControl
import HTTPServing
import JSONTree
import Signatures
import TestSupport
import Testing

@testable import VersiondAPI

/// `POST /mcp`: the tools of agents over HTTP. What a tool does is decided in AgentTools.
@Suite struct AgentTests {
    private static let modern = [
        "Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28",
    ]
    private static let meta: (String, JSON) = (
        "_meta",
        [
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": [:],
        ]
    )

    /// A request of a client since 2026-07-28.
    private func send(
        _ daemon: LocalDaemon, _ method: String, _ parameters: [(String, JSON)] = [],
        _ fields: [String: String] = [:]
    ) throws -> Answer {
        let body: JSON = [
            "jsonrpc": "2.0", "id": "a", "method": JSON(method),
            "params": JSON(members: parameters + [AgentTests.meta]),
        ]
        let name = parameters.first { $0.0 == "name" }?.1.string
        let known = AgentTests.modern.merging(["Mcp-Method": method]) { $1 }
            .merging(name.map { ["Mcp-Name": $0] } ?? [:]) { $1 }.merging(fields) { $1 }
        return try daemon.client.request("POST", "/mcp", known, body: body.description)
    }

    /// The result of a tool.
    private func call(
        _ daemon: LocalDaemon, _ tool: String, _ arguments: JSON, _ fields: [String: String] = [:]
    ) throws -> JSON {
        let answer = try send(
            daemon, "tools/call", [("name", JSON(tool)), ("arguments", arguments)], fields)
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try answer.json["result"])
    }

    private func text(_ result: JSON) -> String {
        result["content"]?[0]?["text"]?.string ?? ""
    }

    /// Tokens by their names.
    private func access() -> AccessList {
        var list = AccessList()
        for (name, rights, prefix) in [
            ("root", .all, ""), ("reader", .read, ""), ("agent", [.read, .write], ""),
            ("ci", [.read, .propose], ""), ("shop", [.read, .write], "shop/"),
        ] as [(String, Rights, String)] {
            list.add(
                tokenHash: Token.hash(of: "vd_\(name)"),
                Grant(name: name, rights: rights, prefix: prefix))
        }
        return list
    }

    private func bearer(_ name: String, _ more: [String: String] = [:]) -> [String: String] {
        more.merging(["Authorization": "Bearer vd_\(name)"]) { $1 }
    }

    @Test func `27: edits of a tool belong to the run that it names, and undo as one`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":1}"#)
        let run = try call(daemon, "begin_run", [:], ["Versiond-Actor": "J%C3%BCrgen"])
        let name = try #require(run["structuredContent"]?["run"]?.string)
        #expect(name.hasPrefix("Jürgen/run-") && name.count == 19, "\(name)")
        let patch: JSON = [["op": "replace", "path": "/n", "value": 2]]
        let edited = try call(
            daemon, "edit", ["document": "menu", "patch": patch, "run": JSON(name)],
            ["Versiond-Prompt-By": "ada"])
        let change = edited["structuredContent"]?["change"]
        #expect(change?["actor"]?.string == name && change?["promptBy"] == "ada")
        let review = try call(daemon, "runs", ["run": JSON(name)])["structuredContent"]
        #expect(review?["documents"]?[0]?["places"]?[0]?["outcome"] == "reverts")
        #expect(try call(daemon, "undo_run", ["run": JSON(name)])["isError"] == nil)
        #expect(try daemon.value() == ["n": 1])
        #expect(try call(daemon, "redo_run", ["run": JSON(name)])["isError"] == nil)
        #expect(try daemon.value() == ["n": 2])
    }

    @Test func `28: the run is an argument, a field, or an older client's session`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"n":1}"#)
        let edit: JSON = [
            "document": "menu", "patch": [["op": "replace", "path": "/n", "value": 2]],
            "dry_run": true,
        ]
        let none = try call(daemon, "edit", edit)
        #expect(none["isError"] == true && text(none).contains("begin_run"))
        let person = try call(daemon, "edit", edit, ["Versiond-Actor": "agent-7"])
        #expect(person["isError"] == true)
        let field = try call(daemon, "edit", edit, ["Versiond-Actor": "agent-7/run-1"])
        #expect(field["structuredContent"]?["change"]?["actor"] == "agent-7/run-1")
        let greeting = try daemon.client.request(
            "POST", "/mcp", LocalDaemon.json,
            body: #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#)
        let session = try #require(greeting["mcp-session-id"])
        #expect(session.utf8.count == 16)
        let body: JSON = [
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": ["name": "edit", "arguments": edit],
        ]
        let old = try daemon.client.request(
            "POST", "/mcp",
            LocalDaemon.json.merging([
                "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25",
            ]) { $1 }, body: body.description)
        let change = try old.json["result"]?["structuredContent"]?["change"]
        #expect(change?["actor"]?.string == "agent/run-\(session)", "\(old.text)")
    }

    @Test func `28: no tool does what its token may not do`() throws {
        let daemon = try LocalDaemon(access: access())
        for name in ["menu", "shop/menu"] {
            let made = try daemon.client.request(
                "PUT", "/v1/documents/\(PercentEncoding.encode(name))",
                bearer("root", LocalDaemon.json), body: #"{"n":1}"#)
            #expect(made.status == 201)
        }
        let patch: JSON = [["op": "replace", "path": "/n", "value": 2]]
        func edit(_ token: String, _ document: String, _ run: String? = nil) throws -> JSON {
            try call(
                daemon, "edit",
                [
                    "document": JSON(document), "patch": patch,
                    "run": JSON(run ?? token + "/run-1"),
                ], bearer(token))
        }
        #expect(text(try edit("ci", "menu")).contains("requires the right write"))
        #expect(text(try edit("shop", "menu")).contains("has access only to"))
        #expect(text(try edit("agent", "menu", "ada/run-1")).contains("may not act as"))
        #expect(try edit("shop", "shop/menu")["isError"] == nil)
        let listed = try call(daemon, "list", [:], bearer("shop"))["structuredContent"]
        #expect(listed?["documents"] == ["shop/menu"])
        let proposed = try call(
            daemon, "propose", ["document": "menu", "patch": patch, "run": "ci/run-1"],
            bearer("ci"))
        #expect(proposed["structuredContent"]?["draft"] == "menu~ci/run-1")
        let others = try call(daemon, "undo_run", ["run": "shop/run-1"], bearer("agent"))
        #expect(text(others).contains("is by shop/run-1"))
        // With the right to undo others' edits, in the client's own name.
        let undone = try call(daemon, "undo_run", ["run": "shop/run-1"], bearer("root"))
        #expect(undone["isError"] == nil, "\(text(undone))")
        let feed = try daemon.client.request(
            "GET", "/v1/documents/shop%2Fmenu/feed?cursor=1", bearer("root")
        ).json
        #expect(feed["events"]?[0]?["change"]?["actor"] == "root", "\(feed)")
        let ended = try call(daemon, "end_run", ["run": "shop/run-1"], bearer("root"))
        #expect(ended["isError"] == nil, "\(text(ended))")
    }

    @Test func `28: a token lists the tools that it may use`() throws {
        let daemon = try LocalDaemon(access: access())
        func names(_ token: String) throws -> [String] {
            let answer = try send(daemon, "tools/list", [], bearer(token)).json["result"]
            #expect(answer?["cacheScope"] == "private")
            return answer?["tools"]?.elements?.compactMap { $0["name"]?.string } ?? []
        }
        #expect(try names("reader").count == 6 && !names("reader").contains("edit"))
        for token in ["ci", "agent"] { #expect(try names(token).count == 14) }
        let refused = try send(
            daemon, "tools/call", [("name", "edit"), ("arguments", [:])], bearer("reader"))
        #expect(try refused.status == 400 && refused.json["error"]?["code"] == -32_602)
    }

    @Test func `a refused token learns where it gets another`() throws {
        let signing = TokenSigning()
        var list = access()
        for name in ["https://login.example", "shop"] {
            let key = try #require(VerifyingKey(secret: signing.secret))
            list.add(Issuer(name: name, algorithm: .hs256, keys: [.init(key)], rights: .read))
        }
        let daemon = try LocalDaemon(access: list, hosts: ["localhost", "docs.example"])
        for (host, base) in [
            ("localhost:8080", "http://localhost:8080"), ("docs.example", "https://docs.example"),
        ] {
            let refused = try send(daemon, "tools/list", [], ["Host": host])
            let path = "/.well-known/oauth-protected-resource/mcp"
            #expect(refused.status == 401)
            #expect(
                refused["www-authenticate"] == "Bearer realm=\"versiond\", "
                    + "resource_metadata=\"\(base)\(path)\", scope=\"read write\"")
            let resource = try daemon.client.request("GET", path, ["Host": host]).json
            #expect(resource["resource"]?.string == base + "/mcp")
            #expect(resource["authorization_servers"] == ["https://login.example"])
        }
        let other = try daemon.client.request("GET", "/v1/documents")
        #expect(other["www-authenticate"] == "Bearer realm=\"versiond\"")
        let weak = try send(daemon, "tools/list", [], ["Authorization": "Bearer vd_none"])
        #expect(
            weak.status == 401 && weak["www-authenticate"]?.contains("resource_metadata") == true)
    }

    @Test func `only POST of JSON from an allowed origin is a message`() throws {
        let daemon = try LocalDaemon(origins: ["https://app.example"])
        for method in ["GET", "DELETE", "PUT"] {
            let answer = try daemon.client.request(method, "/mcp", LocalDaemon.json, body: "{}")
            #expect(answer.status == 405 && answer["allow"] == "POST, OPTIONS")
        }
        let foreign = try send(daemon, "tools/list", [], ["Origin": "https://elsewhere.example"])
        #expect(foreign.status == 403 && foreign.code == "cross-origin")
        let allowed = try send(daemon, "tools/list", [], ["Origin": "https://app.example"])
        #expect(allowed.status == 200)
        #expect(allowed["access-control-expose-headers"]?.contains("Mcp-Session-Id") == true)
        let form = try send(daemon, "tools/list", [], ["Content-Type": "text/plain"])
        #expect(form.status == 415)
        let torn = try daemon.client.request("POST", "/mcp", LocalDaemon.json, body: "{\"a\":")
        #expect(try torn.status == 400 && torn.json["error"]?["code"] == -32_700)
        let notification = try daemon.client.request(
            "POST", "/mcp", LocalDaemon.json,
            body: #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(notification.status == 202 && notification.body.isEmpty)
    }

    @Test func `a value as deep as documents may be fits into a message`() throws {
        let daemon = try LocalDaemon()
        let depth = Limits().json.depthMax
        for (levels, isRefused) in [(depth, false), (depth + 1, true)] {
            let value =
                String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            let body =
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create","#
                + "\"arguments\":{\"document\":\"d\(levels)\",\"run\":\"a/1\",\"value\":\(value)}}}"
            let answer = try daemon.client.request("POST", "/mcp", LocalDaemon.json, body: body)
            let isError = answer.status == 400 || answer.text.contains("\"isError\":true")
            #expect(isError == isRefused, "\(levels): \(answer.text.prefix(200))")
        }
    }

    @Test func `a result above its limit is an error that names the remedy`() throws {
        let daemon = try LocalDaemon()
        // As text and as JSON it is above the limit.
        let long = String(repeating: "x", count: Limits.agentResultBytesMax / 2)
        try daemon.put("{\"long\":\"\(long)\",\"n\":1}")
        let refused = try call(daemon, "read", ["document": "menu"])
        #expect(refused["isError"] == true && text(refused).contains("path"))
        #expect(!text(refused).contains("was carried out"))
        let large = JSON(String(repeating: "z", count: Limits.agentResultBytesMax))
        let made = try call(
            daemon, "edit",
            [
                "document": "menu", "run": "a/1",
                "patch": [["op": "replace", "path": "/long", "value": large]],
            ])
        #expect(made["isError"] == nil && text(made).contains("was carried out"))
        #expect(text(refused).contains("\(Limits.agentResultBytesMax)"))
        let part = try call(daemon, "read", ["document": "menu", "path": "/n"])
        #expect(part["structuredContent"]?["value"] == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a large body of a token's client waits for no second turn`() throws {
        let daemon = try LocalDaemon(access: access())
        let long = JSON(String(repeating: "y", count: 2 * Limits.bodyOnLoopBytesMax))
        for number in 0..<3 {
            let made = try call(
                daemon, "create",
                ["document": JSON("d\(number)"), "value": long, "run": "agent/run-1"],
                bearer("agent"))
            #expect(made["isError"] == nil, "\(text(made))")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a large message waits for no memory besides its own`() throws {
        let value = JSON(String(repeating: "v", count: 2 * Limits.bodyOnLoopBytesMax))
        let head =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","#
            + #""arguments":{"document":"menu","path":"/v"}}}"#
        let body = head + String(repeating: " ", count: 4 * Limits.bodyOnLoopBytesMax)
        let daemon = try LocalDaemon(
            workBytesMax: 2 * Limits().workBytes(bodyBytes: body.utf8.count) + 1_000)
        try daemon.put(JSON(members: [("v", value)]).description)
        let answer = try daemon.client.request("POST", "/mcp", LocalDaemon.json, body: body)
        #expect(try answer.json["result"]?["structuredContent"]?["value"] == value)
    }

    @Test func `13: a message that is repeated with its key edits once`() throws {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"l":[]}"#)
        let patch: JSON = [["op": "add", "path": "/l/-", "value": 1]]
        for tool in ["edit", "propose"] {
            for _ in 0..<2 {
                let made = try call(
                    daemon, tool, ["document": "menu", "patch": patch, "run": "a/1"],
                    ["Idempotency-Key": "k-\(tool)"])
                #expect(made["isError"] == nil, "\(text(made))")
            }
        }
        #expect(try daemon.value() == ["l": [1]])
        let draft = try call(daemon, "read", ["document": "menu~a/1"])
        #expect(draft["structuredContent"]?["value"] == ["l": [1, 1]])
    }

    @Test func `28: an empty list of documents and the token's own name undo nothing`() throws {
        let daemon = try LocalDaemon(access: access())
        for arguments in [
            #"{"documents":[],"run":"agent/run-1"}"#, #"{"run":"agent"}"#,
        ] {
            let refused = try call(
                daemon, "undo_run", try JSON(parsing: arguments), bearer("agent"))
            #expect(refused["isError"] == true, "\(text(refused))")
        }
    }

    @Test func `a large body and a name with all letters reach their document`() throws {
        let daemon = try LocalDaemon()
        let name = "a/b c%2F?#é~x"
        // Read on a worker thread, as the body is.
        let long = JSON(String(repeating: "y", count: 2 * Limits.bodyOnLoopBytesMax))
        let made = try call(
            daemon, "create", ["document": JSON(name), "value": long, "run": "a/1"])
        #expect(made["isError"] == nil, "\(text(made))")
        let read = try call(daemon, "read", ["document": JSON(name)])
        #expect(read["structuredContent"]?["value"] == long)
        let dots = try call(daemon, "read", ["document": ".."])
        #expect(dots["isError"] == true)
        let missing = try call(daemon, "read", ["document": "a/b"])
        #expect(text(missing).contains("does not exist"))
    }

    @Test func `states by time, day and age are those of the daemon`() throws {
        let daemon = try LocalDaemon()
        try daemon.put("1")
        daemon.time.advance(by: 3_600_000)
        try daemon.put("2")
        for (state, value) in [("30m", 1), ("0", 1), ("head", 2), ("2099-01-01", 2)] {
            let read = try call(daemon, "read", ["document": "menu", "at": JSON(state)])
            #expect(read["structuredContent"]?["value"] == JSON(value), "\(state): \(text(read))")
        }
        let wrong = try call(daemon, "read", ["document": "menu", "at": "2026-02-31"])
        #expect(wrong["isError"] == true)
    }
}
