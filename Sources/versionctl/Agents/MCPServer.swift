import JSONTree

/// The Model Context Protocol, as a server with tools speaks it: a message in, an answer out.
///
/// Both ways to begin are understood: `initialize`, as up to 2025-11-25, and `server/discover` with
/// the version in each request, as since 2026-07-28. It keeps nothing from one message to the next.
struct MCPServer {
    let tools: [MCPTool]
    /// The instructions for the agent.
    let instructions: String

    /// Versions that begin with `initialize`, the oldest first.
    static let handshakeVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    /// Versions that each request names.
    static let statelessVersions = ["2026-07-28"]
    private static let versionKey = "io.modelcontextprotocol/protocolVersion"
    private static let serverKey = "io.modelcontextprotocol/serverInfo"

    /// An error of the protocol, with its number: JSON-RPC's, or those of 2026-07-28.
    struct Failure: Error {
        let code: Int
        let message: String
        var data: JSON?
    }

    /// The answer to a message; `nil` if it wants none. `call` does what a tool does.
    func answer(_ line: [UInt8], call: (MCPTool, JSON) -> MCPTool.Result) -> JSON? {
        guard let message = try? JSON(reading: line) else {
            return MCPServer.answer(
                nil, Failure(code: -32_700, message: "The message is not valid JSON."))
        }
        // Version 2025-03-26 has several in one message.
        guard let messages = message.elements else { return answer(message, call) }
        let answers = messages.compactMap { answer($0, call) }
        return answers.isEmpty ? JSON?.none : JSON(elements: answers)
    }

    private func answer(_ message: JSON, _ call: (MCPTool, JSON) -> MCPTool.Result) -> JSON? {
        let id = message["id"]
        guard message["jsonrpc"]?.string == "2.0", let method = message["method"]?.string else {
            // An answer to a question: none was asked.
            if message["result"] != nil || message["error"] != nil { return JSON?.none }
            return MCPServer.answer(
                id, Failure(code: -32_600, message: "The message is not a request."))
        }
        // A notification. Requests run in sequence, so a cancelled one already has its response.
        guard let id else { return JSON?.none }
        do throws(Failure) {
            let result = try result(of: method, message["params"] ?? [:], call)
            return ["jsonrpc": "2.0", "id": id, "result": result]
        } catch { return MCPServer.answer(id, error) }
    }

    private static func answer(_ id: JSON?, _ failure: Failure) -> JSON {
        var error: [(String, JSON)] = [
            ("code", JSON(failure.code)), ("message", JSON(failure.message)),
        ]
        if let data = failure.data { error.append(("data", data)) }
        return ["jsonrpc": "2.0", "id": id ?? .null, "error": JSON(members: error)]
    }

    private func result(
        of method: String, _ parameters: JSON, _ call: (MCPTool, JSON) -> MCPTool.Result
    ) throws(Failure) -> JSON {
        let version = parameters["_meta"]?[MCPServer.versionKey]?.string
        if let version, !MCPServer.statelessVersions.contains(version) {
            let supported = MCPServer.statelessVersions.map { JSON($0) }
            throw Failure(
                code: -32_022, message: "Protocol version \(version) is not supported.",
                data: ["supported": JSON(elements: supported), "requested": JSON(version)])
        }
        var members: [(String, JSON)]
        switch method {
        case "initialize": return greeting(parameters)
        case "ping": return [:]
        case "server/discover": members = discovery
        case "tools/list": members = list
        case "tools/call": members = try called(parameters, call)
        default: throw Failure(code: -32_601, message: "Unknown method \(method).")
        }
        members.append(("resultType", "complete"))
        if version != nil {
            members.append(
                ("_meta", JSON(members: [(MCPServer.serverKey, MCPServer.implementation)])))
        }
        return JSON(members: members)
    }

    private static var implementation: JSON {
        [
            "name": "versionctl", "title": "versiond: documents with undo",
            "version": JSON(Versionctl.version),
        ]
    }

    private func greeting(_ parameters: JSON) -> JSON {
        let wanted = parameters["protocolVersion"]?.string ?? ""
        let newest = MCPServer.handshakeVersions[MCPServer.handshakeVersions.count - 1]
        let version = MCPServer.handshakeVersions.contains(wanted) ? wanted : newest
        return [
            "protocolVersion": JSON(version), "capabilities": ["tools": [:]],
            "serverInfo": MCPServer.implementation, "instructions": JSON(instructions),
        ]
    }

    private var discovery: [(String, JSON)] {
        let versions = MCPServer.statelessVersions + MCPServer.handshakeVersions.reversed()
        return [
            ("supportedVersions", JSON(elements: versions.map { JSON($0) })),
            ("capabilities", ["tools": [:]]), ("instructions", JSON(instructions)),
            ("ttlMs", JSON(MCPServer.lifetime)), ("cacheScope", "public"),
        ]
    }

    /// Tools are the same as long as this runs: an hour, in milliseconds.
    private static let lifetime = 3_600_000

    private var list: [(String, JSON)] {
        [
            ("tools", JSON(elements: tools.map(\.json))), ("ttlMs", JSON(MCPServer.lifetime)),
            ("cacheScope", "public"),
        ]
    }

    private func called(
        _ parameters: JSON, _ call: (MCPTool, JSON) -> MCPTool.Result
    ) throws(Failure) -> [(String, JSON)] {
        let name = parameters["name"]?.string ?? ""
        guard let tool = tools.first(where: { $0.name == name }) else {
            throw Failure(code: -32_602, message: "Unknown tool \(name).")
        }
        let arguments = parameters["arguments"] ?? [:]
        // Invalid arguments are reported as a result, so that the agent can correct them.
        if let fault = tool.fault(of: arguments) { return MCPTool.Result.failed(fault).members }
        return call(tool, arguments).members
    }
}
