import AgentTools
import JSONTree
import Testing

/// The header fields of the protocol, and the statuses of its responses.
@Suite struct AgentHTTPTests {
    private let server = AgentProtocol(
        program: ("test", "1"), tools: AgentTool.all, isForAll: false)
    private static let meta = #"""
        "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",\#
        "io.modelcontextprotocol/clientCapabilities":{}}
        """#
    private static let fields = [
        "mcp-protocol-version": ["2026-07-28"], "mcp-method": ["tools/list"],
    ]

    /// The status, and the code of the error.
    private func outcome(_ text: String, _ fields: [String: [String]]) throws -> [Int?] {
        let message = try JSON(parsing: Array(text.utf8))
        switch server.reaction(to: message, .init { fields[$0] ?? [] }) {
        case .call: return [0]
        case .response(let response):
            let code = response.message?["error"]?["code"]?.int
            return code.map { [response.status, $0] } ?? [response.status]
        }
    }

    private static func request(_ method: String, _ parameters: String = meta) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(parameters)}}"#
    }

    @Test func `a request since 2026-07-28 agrees with its fields`() throws {
        let list = AgentHTTPTests.request("tools/list")
        let good = AgentHTTPTests.fields
        #expect(try outcome(list, good) == [200])
        for (field, values) in [
            ("mcp-protocol-version", []), ("mcp-method", []), ("mcp-method", ["tools/call"]),
            ("mcp-method", ["tools/list", "tools/list"]), ("mcp-name", ["a", "a"]),
            ("mcp-protocol-version", ["2025-11-25"]), ("mcp-protocol-version", ["2031-01-01"]),
        ] as [(String, [String])] {
            let fields = good.merging([field: values]) { $1 }
            #expect(try outcome(list, fields) == [400, -32_020], "\(field): \(values)")
        }
        let call = AgentHTTPTests.request(
            "tools/call", AgentHTTPTests.meta + #","name":"list","arguments":{}"#)
        for (names, outcome) in [
            (["list"], [0]), (["read"], [400, -32_020]), ([], [400, -32_020]),
        ] {
            let fields = good.merging(["mcp-method": ["tools/call"], "mcp-name": names]) { $1 }
            #expect(try self.outcome(call, fields) == outcome)
        }
    }

    @Test(arguments: [
        ("list", "bGlzdA=="), ("lists", "bGlzdHM="), ("listen", "bGlzdGVu"), ("l\u{e9}", "bMOp"),
    ])
    func `the name of a tool may come in base64`(name: String, coded: String) throws {
        let call = AgentHTTPTests.request(
            "tools/call", AgentHTTPTests.meta + ",\"name\":\"\(name)\"")
        for (value, isGood) in [
            ("=?base64?\(coded)?=", true), ("=?base64?\(coded)", false), (coded, false),
            ("=?base64?bGlzdB==?=", false),
        ] {
            let fields = AgentHTTPTests.fields.merging([
                "mcp-method": ["tools/call"], "mcp-name": [value],
            ]) { $1 }
            // The tools but for one are unknown, which is found after that.
            let found = name == "list" ? [0] : [400, -32_602]
            #expect(try outcome(call, fields) == (isGood ? found : [400, -32_020]), "\(value)")
        }
    }

    @Test func `each error has its status, and older clients get 200 for what could be read`()
        throws
    {
        func outcome(_ method: String, _ parameters: String, old: Bool) throws -> [Int?] {
            let fields = old ? [:] : AgentHTTPTests.fields.merging(["mcp-method": [method]]) { $1 }
            return try self.outcome(AgentHTTPTests.request(method, parameters), fields)
        }
        let meta = AgentHTTPTests.meta
        #expect(try outcome("tools/drop", meta, old: false) == [404, -32_601])
        #expect(try outcome("tools/drop", "", old: true) == [200, -32_601])
        #expect(try outcome("tools/call", meta, old: false) == [400, -32_602])
        #expect(try outcome("tools/call", "", old: true) == [200, -32_602])
        #expect(try outcome("tools/list", "", old: false) == [400, -32_602])
        let newer = meta.replacing("2026-07-28", with: "2031-01-01")
        let fields = ["mcp-protocol-version": ["2031-01-01"], "mcp-method": ["tools/list"]]
        for parameters in [newer, ""] {
            let text = AgentHTTPTests.request("tools/list", parameters)
            #expect(try self.outcome(text, fields) == [400, -32_022])
        }
    }

    @Test(arguments: [
        ("[]", [400, -32_600]), ("7", [400, -32_600]), ("{}", [400, -32_600]),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, [400, -32_600]),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, [400, -32_600]),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, [400, -32_600]),
        (#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, [202]),
        (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, [202]),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, [200]),
    ])
    func `one message is one request or one notification`(text: String, expected: [Int]) throws {
        #expect(try outcome(text, [:]) == expected)
        if expected == [202] {
            let unknown = ["mcp-protocol-version": ["2031-01-01"]]
            #expect(try outcome(text, unknown) == [400, -32_022])
        }
    }

    @Test func `a session is digits of the server's own`() throws {
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let good = String(repeating: "0a", count: AgentProtocol.sessionDigits / 2)
        for (session, expected) in [
            (good, [200]), (good.uppercased(), [404, -32_001]), (good + "0", [404, -32_001]),
            ("", [404, -32_001]),
        ] {
            #expect(try outcome(ping, ["mcp-session-id": [session]]) == expected)
        }
        let fields = AgentProtocol.HeaderFields { $0 == "mcp-session-id" ? [good] : [] }
        #expect(fields.digits == good)
        let newer = AgentProtocol.HeaderFields {
            $0 == "mcp-session-id" ? [good] : $0 == "mcp-protocol-version" ? ["2026-07-28"] : []
        }
        #expect(newer.digits == nil)
        let greeting = try JSON(parsing: Array(AgentHTTPTests.request("initialize", "").utf8))
        guard case .response(let response) = server.reaction(to: greeting, .init { _ in [] }) else {
            return #expect(Bool(false))
        }
        #expect(response.beginsSession)
    }
}
