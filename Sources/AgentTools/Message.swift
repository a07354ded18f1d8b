import JSONTree

/// A request of a client.
struct Message {
    let id: JSON
    let method: String
    let parameters: JSON

    /// The version that it names; older clients name none.
    var version: String? { parameters["_meta"]?[AgentProtocol.versionKey]?.string }

    /// The `id`, if it can be one.
    static func id(of message: JSON) -> JSON? {
        message["id"].flatMap { $0.kind == .string || $0.kind == .number ? $0 : nil }
    }

    /// `nil` for a message that wants no answer. Throws for a message that is not a request.
    init?(_ message: JSON) throws(AgentProtocol.Failure) {
        guard message["jsonrpc"]?.string == "2.0", let method = message["method"]?.string else {
            // An answer to a question: none was asked.
            if message["result"] != nil || message["error"] != nil { return nil }
            throw Message.noRequest
        }
        // A notification. Requests run in sequence, so a cancelled one already has its response.
        if message["id"] == nil { return nil }
        guard let id = Message.id(of: message) else { throw Message.noRequest }
        self.id = id
        self.method = method
        parameters = message["params"] ?? [:]
    }

    static let noRequest = AgentProtocol.Failure(
        code: .invalidRequest, message: "The message is not a request.")
}
