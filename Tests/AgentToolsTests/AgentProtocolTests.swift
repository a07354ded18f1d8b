import AgentTools
import JSONTree
import Testing

/// Messages of the protocol, right and wrong; a real client's are in Tests/CommandLine/agents.py.
@Suite struct AgentProtocolTests {
    private let server = AgentProtocol(
        program: ("test", "1"), tools: AgentTool.all, isForAll: true)

    private func answer(_ text: String) -> String? {
        guard let message = try? JSON(parsing: Array(text.utf8)) else {
            return AgentProtocol.unreadable().description
        }
        return server.answer(message) { request in
            .done(["tool": JSON(request.tool.name), "arguments": request.arguments])
        }?.description
    }

    @Test(arguments: [
        ("{", -32_700), ("{}", -32_600), ("7", -32_600),
        (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/drop"}"#, -32_601),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop"}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32_602),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":"#
                + #"{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#, -32_022
        ),
    ])
    func `each wrong message has its number`(text: String, code: Int) throws {
        let told = try #require(answer(text))
        #expect(told.contains(#""error":{"code":\#(code),"#), "\(told)")
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        #"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"list"}}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#, "[]",
    ])
    func `what wants no answer has none`(text: String) {
        #expect(answer(text) == nil)
    }

    @Test(arguments: [
        ("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("2031-01-01", "2025-11-25"),
    ])
    func `the handshake agrees on a version`(asked: String, agreed: String) throws {
        let told = try #require(
            answer(
                #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"#
                    + "\"\(asked)\"}}"))
        #expect(
            told.hasPrefix(#"{"jsonrpc":"2.0","id":"a","result":{"protocolVersion":""# + agreed))
    }

    @Test func `several messages in one have their answers in one`() {
        let text =
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},"#
            + #"{"jsonrpc":"2.0","id":2,"method":"ping"}]"#
        #expect(
            answer(text) == #"[{"jsonrpc":"2.0","id":1,"result":{}},"#
                + #"{"jsonrpc":"2.0","id":2,"result":{}}]"#)
    }

    @Test(arguments: [
        (#"{"document":"menu"}"#, false), (#"{}"#, true), (#"{"document":7}"#, true),
        (#"{"document":"menu","at":"7","path":""}"#, false), (#"[]"#, true),
        (#"{"document":"menu","limit":1}"#, true),
    ])
    func `arguments are checked before anything is done`(text: String, isWrong: Bool) throws {
        let told = try #require(
            answer(
                #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","#
                    + "\"arguments\":\(text)}}"))
        #expect(told.contains(#""isError":true"#) == isWrong, "\(told)")
        #expect(told.contains(#""structuredContent":{"tool":"read""#) != isWrong, "\(told)")
    }
}
