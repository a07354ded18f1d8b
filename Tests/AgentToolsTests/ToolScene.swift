import JSONTree
import Testing

@testable import AgentTools

/// A tool's calls, and responses that a test makes.
struct ToolScene {
    var run: String? = "agent/run-1"
    var label: String?

    /// The first step of a call of a tool.
    func step(_ name: String, _ arguments: JSON) throws -> ToolStep {
        let tool = try #require(AgentTool.all.first { $0.name == name })
        #expect(tool.fault(of: arguments) == nil)
        return tool.step(
            arguments,
            ToolContext(
                name: "agent", digits: "5f2c81aa", run: run, label: label,
                time: { $0 == "1h" ? "2026-01-31T11:00:00Z" : nil }))
    }

    /// The calls of a tool, as lines, if the responses to them are these; and its result.
    func calls(
        _ name: String, _ arguments: JSON, _ answers: [(status: Int, body: JSON)] = []
    ) throws -> (lines: [String], result: ToolResult?) {
        var step = try step(name, arguments)
        var lines: [String] = []
        for answer in answers {
            guard case .call(let call, let then) = step else { break }
            lines.append(ToolScene.line(call))
            step = then(
                ToolAnswer(status: answer.status, entityTag: "\"7\"", body: answer.body))
        }
        switch step {
        case .done(let result): return (lines, result)
        case .call(let call, _): return (lines + [ToolScene.line(call)], nil)
        }
    }

    /// A call in one line.
    private static func line(_ call: ToolCall) -> String {
        let query = call.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let path = "/" + call.segments.joined(separator: "/")
        let parts = [
            call.method, query.isEmpty ? path : path + "?" + query,
            call.actor.map { "by \($0)" } ?? "", call.body?.description ?? "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension ToolResult {
    var value: JSON? { if case .done(let value) = self { value } else { nil } }
    var failure: String? { if case .failed(let text) = self { text } else { nil } }
}
