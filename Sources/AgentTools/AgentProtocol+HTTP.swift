public import JSONTree

// The part of HTTP: header fields that repeat parts of the message, and statuses.

extension AgentProtocol {
    /// The header fields of the protocol, each with all its values.
    public struct HeaderFields: Sendable {
        let versions: [String]
        let methods: [String]
        let names: [String]
        let session: String?

        /// `values` returns those of a field by its name in lower case.
        public init(_ values: (String) -> [String]) {
            versions = values("mcp-protocol-version")
            methods = values("mcp-method")
            names = values("mcp-name")
            session = values(AgentProtocol.sessionField.lowercased()).first
        }

        /// The version of a client that begins with `initialize`. The first version with this
        /// transport has no field.
        var isOld: Bool { versions.allSatisfy(AgentProtocol.handshakeVersions.contains) }

        /// The digits of an older client's session, which its run is named for.
        public var digits: String? {
            isOld ? session.flatMap { AgentProtocol.isSession($0) ? $0 : nil } : nil
        }
    }

    /// The field of an older client's session.
    public static let sessionField = "Mcp-Session-Id"

    /// The digits of a session, as `initialize` makes them.
    public static let sessionDigits = 16

    private static func isSession(_ text: String) -> Bool {
        text.utf8.count == sessionDigits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// A response of HTTP: without a message it has no body.
    public struct Response: Sendable {
        public let status: Int
        public let message: JSON?
        /// Whether it begins a session.
        public let beginsSession: Bool

        init(_ status: Int, _ message: JSON?, beginsSession: Bool = false) {
            self.status = status
            self.message = message
            self.beginsSession = beginsSession
        }
    }

    /// The reaction to a message over HTTP.
    public enum HTTPReaction: Sendable {
        case response(Response)
        case call(Request)
    }

    /// The reaction to a message that came with these header fields.
    public func reaction(to message: JSON, _ fields: HeaderFields) -> HTTPReaction {
        do throws(Failure) {
            guard message.kind == .object else { throw Message.noRequest }
            let request = try Message(message)
            try fields.check(request)
            guard request != nil else { return .response(Response(202, nil)) }
        } catch {
            let status = AgentProtocol.status(of: error.code, isOld: false)
            let answer = AgentProtocol.answer(Message.id(of: message), error)
            return .response(Response(status, answer))
        }
        switch reaction(to: message) {
        case .nothing: return .response(Response(202, nil))
        case .call(let request): return .call(request)
        case .answer(let answer):
            let code = answer["error"]?["code"]?.int.flatMap(Code.init)
            let status = code.map { AgentProtocol.status(of: $0, isOld: fields.isOld) } ?? 200
            let isGreeting = code == nil && message["method"] == "initialize"
            return .response(Response(status, answer, beginsSession: isGreeting))
        }
    }

    /// Older clients expect 200 with the errors of a request that could be read.
    private static func status(of code: Code, isOld: Bool) -> Int {
        switch code {
        case .unreadable, .invalidRequest, .otherHeader, .unknownVersion: 400
        case .unknownSession: 404
        case .invalidParameters: isOld ? 200 : 400
        case .unknownMethod: isOld ? 200 : 404
        }
    }
}

extension AgentProtocol.HeaderFields {
    private typealias Failure = AgentProtocol.Failure
    private static let capabilities = "io.modelcontextprotocol/clientCapabilities"

    /// Throws unless the fields agree with the request, or with a message that wants no answer.
    fileprivate func check(_ request: Message?) throws(AgentProtocol.Failure) {
        for (name, values) in [
            ("MCP-Protocol-Version", versions), ("Mcp-Method", methods), ("Mcp-Name", names),
        ] where values.count > 1 {
            throw Failure(code: .otherHeader, message: "\(name) is repeated.")
        }
        if isOld, request?.version == nil { return try checkSession() }
        let version = versions.first ?? ""
        let isKnown = AgentProtocol.statelessVersions.contains(version)
        guard let request else {
            if !isKnown { throw AgentProtocol.unknownVersion(version) }
            return
        }
        if !isKnown, request.version == nil { throw AgentProtocol.unknownVersion(version) }
        try check(request, version)
    }

    private func checkSession() throws(AgentProtocol.Failure) {
        guard session == nil || digits != nil else {
            throw Failure(code: .unknownSession, message: "The session is unknown.")
        }
    }

    private func check(_ request: Message, _ version: String) throws(AgentProtocol.Failure) {
        let meta = request.parameters["_meta"]
        for key in [AgentProtocol.versionKey, Self.capabilities] where meta?[key] == nil {
            throw Failure(
                code: .invalidParameters, message: "The request has no \(key) in params._meta.")
        }
        guard request.version == version else {
            throw mismatch("MCP-Protocol-Version", "protocol version")
        }
        guard methods.first == request.method else { throw mismatch("Mcp-Method", "method") }
        guard request.method == "tools/call", let name = request.parameters["name"]?.string
        else { return }
        guard let named = names.first, [name, Self.coded(name)].contains(named) else {
            throw mismatch("Mcp-Name", "tool")
        }
    }

    /// A value that a field cannot have, or any other, in the form of the protocol: base64.
    private static func coded(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bytes = Array(text.utf8)
        var coded = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                let letter = letters[bits >> (18 - 6 * place) & 63]
                coded.append(place > part.count ? "=" : letter)
            }
        }
        return "=?base64?\(coded)?="
    }

    private func mismatch(_ field: String, _ part: String) -> AgentProtocol.Failure {
        Failure(
            code: .otherHeader,
            message: "\(field) is missing, or names another \(part) than the request.")
    }
}
