public import JSONTree

/// The Model Context Protocol, as a server with tools speaks it: a message in, a reaction out.
///
/// Both ways to begin are understood: `initialize`, as up to 2025-11-25, and `server/discover` with
/// the version in each request, as since 2026-07-28. It keeps nothing from one message to the next.
public struct AgentProtocol: Sendable {
    /// The name and the version of the program.
    public let program: (name: String, version: String)
    /// The tools that the client may use.
    public let tools: [AgentTool]
    /// Whether every client gets the same list of tools.
    public let isForAll: Bool

    public init(program: (name: String, version: String), tools: [AgentTool], isForAll: Bool) {
        (self.program, self.tools, self.isForAll) = (program, tools, isForAll)
    }

    /// Versions that begin with `initialize`, the oldest first.
    static let handshakeVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    /// Versions that each request names.
    static let statelessVersions = ["2026-07-28"]
    static let versionKey = "io.modelcontextprotocol/protocolVersion"
    private static let serverKey = "io.modelcontextprotocol/serverInfo"

    private static let instructions = """
        JSON documents that people and agents edit concurrently, each with its full history. \
        Read before you edit, and send the revision as base, so that edits by others are kept. \
        Use dry_run to preview an edit. undo_run undoes all edits of this run.
        """

    /// An error of the protocol, with its number: JSON-RPC's, or those of 2026-07-28.
    struct Failure: Error {
        let code: Code
        let message: String
        var data: JSON?
    }

    enum Code: Int {
        case unreadable = -32_700
        case invalidRequest = -32_600
        case unknownMethod = -32_601
        case invalidParameters = -32_602
        case otherHeader = -32_020
        case unknownVersion = -32_022
        /// In the range for servers' own errors.
        case unknownSession = -32_001
    }

    /// The reaction to a message.
    public enum Reaction: Sendable {
        /// It wants no answer.
        case nothing
        case answer(JSON)
        /// A tool is called. Its arguments were checked.
        case call(Request)
    }

    /// A call of a tool.
    public struct Request: Sendable {
        public let tool: AgentTool
        public let arguments: JSON
        fileprivate let id: JSON
        fileprivate let meta: [(String, JSON)]

        /// The answer with the result of the tool.
        public func answer(_ result: ToolResult) -> JSON {
            AgentProtocol.answer(id, result.members + meta)
        }
    }

    /// The answer to what is not JSON.
    public static func unreadable(_ fault: String = "The message is not valid JSON.") -> JSON {
        answer(nil, Failure(code: .unreadable, message: fault))
    }

    /// The answer to a message, or to several in one, which version 2025-03-26 has. `call` does
    /// what a tool does.
    public func answer(_ message: JSON, call: (Request) -> ToolResult) -> JSON? {
        guard let messages = message.elements else {
            switch reaction(to: message) {
            case .nothing: return JSON?.none
            case .answer(let answer): return answer
            case .call(let request): return request.answer(call(request))
            }
        }
        let answers = messages.compactMap { answer($0, call: call) }
        return answers.isEmpty ? JSON?.none : JSON(elements: answers)
    }

    /// The reaction to a single message.
    public func reaction(to message: JSON) -> Reaction {
        do throws(Failure) {
            guard let request = try Message(message) else { return .nothing }
            return try reaction(to: request)
        } catch {
            return .answer(AgentProtocol.answer(Message.id(of: message), error))
        }
    }

    static func answer(_ id: JSON?, _ failure: Failure) -> JSON {
        var error: [(String, JSON)] = [
            ("code", JSON(failure.code.rawValue)), ("message", JSON(failure.message)),
        ]
        if let data = failure.data { error.append(("data", data)) }
        return ["jsonrpc": "2.0", "id": id ?? .null, "error": JSON(members: error)]
    }

    private static func answer(_ id: JSON, _ result: [(String, JSON)]) -> JSON {
        ["jsonrpc": "2.0", "id": id, "result": JSON(members: result)]
    }

    static func unknownVersion(_ version: String) -> Failure {
        let supported = statelessVersions.map { JSON($0) }
        return Failure(
            code: .unknownVersion, message: "Protocol version \(version) is not supported.",
            data: ["supported": JSON(elements: supported), "requested": JSON(version)])
    }

    // MARK: Requests

    private func reaction(to request: Message) throws(Failure) -> Reaction {
        let version = request.version
        if let version, !AgentProtocol.statelessVersions.contains(version) {
            throw AgentProtocol.unknownVersion(version)
        }
        var meta: [(String, JSON)] = [("resultType", "complete")]
        if version != nil {
            meta.append(("_meta", JSON(members: [(AgentProtocol.serverKey, implementation)])))
        }
        let result: [(String, JSON)]
        switch request.method {
        case "initialize":
            return .answer(AgentProtocol.answer(request.id, greeting(request.parameters)))
        case "ping": return .answer(AgentProtocol.answer(request.id, []))
        case "server/discover": result = discovery
        case "tools/list": result = list
        case "tools/call":
            let called = try called(request, meta)
            guard let fault = called.tool.fault(of: called.arguments) else { return .call(called) }
            // A result, so that the agent can correct the arguments.
            return .answer(called.answer(.failed(fault)))
        default:
            throw Failure(code: .unknownMethod, message: "Unknown method \(request.method).")
        }
        return .answer(AgentProtocol.answer(request.id, result + meta))
    }

    private var implementation: JSON {
        [
            "name": JSON(program.name), "title": "versiond: documents with undo",
            "version": JSON(program.version),
        ]
    }

    private func greeting(_ parameters: JSON) -> [(String, JSON)] {
        let wanted = parameters["protocolVersion"]?.string ?? ""
        let newest = AgentProtocol.handshakeVersions[AgentProtocol.handshakeVersions.count - 1]
        let version = AgentProtocol.handshakeVersions.contains(wanted) ? wanted : newest
        return [
            ("protocolVersion", JSON(version)), ("capabilities", ["tools": [:]]),
            ("serverInfo", implementation), ("instructions", JSON(AgentProtocol.instructions)),
        ]
    }

    private var discovery: [(String, JSON)] {
        let versions =
            AgentProtocol.statelessVersions + AgentProtocol.handshakeVersions.reversed()
        return [
            ("supportedVersions", JSON(elements: versions.map { JSON($0) })),
            ("capabilities", ["tools": [:]]), ("instructions", JSON(AgentProtocol.instructions)),
        ] + lifetime
    }

    private var list: [(String, JSON)] {
        [("tools", JSON(elements: tools.map(\.json)))] + lifetime
    }

    /// Tools are the same as long as the program runs: an hour, in milliseconds.
    private var lifetime: [(String, JSON)] {
        [("ttlMs", 3_600_000), ("cacheScope", isForAll ? "public" : "private")]
    }

    private func called(_ request: Message, _ meta: [(String, JSON)]) throws(Failure) -> Request {
        let name = request.parameters["name"]?.string ?? ""
        guard let tool = tools.first(where: { $0.name == name }) else {
            throw Failure(code: .invalidParameters, message: "Unknown tool \(name).")
        }
        return Request(
            tool: tool, arguments: request.parameters["arguments"] ?? [:], id: request.id,
            meta: meta)
    }
}
