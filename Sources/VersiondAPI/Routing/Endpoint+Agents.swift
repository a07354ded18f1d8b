import AccessControl
import HTTPServing

// The endpoints for agents.

extension Endpoint {
    /// The path of the Model Context Protocol.
    static let agentPath = "/mcp"
    /// RFC 9728 section 3.1: a resource's path may follow.
    static let resourcePath = "/.well-known/oauth-protected-resource"

    static let agents = [
        Endpoint(
            method: .post, template: agentPath, id: "sendAgentMessage", right: .read,
            summary: "Answer a message of the Model Context Protocol.",
            body: .required("AgentMessage"), response: .schema("AgentMessage"),
            handler: .daemon(DocumentsAPI.answerAgent)),
        Endpoint(
            method: .get, template: resourcePath, id: "readProtectedResource", right: nil,
            summary: "Name the servers that issue tokens for agents (RFC 9728).",
            response: .schema("ProtectedResource"),
            handler: .daemon(DocumentsAPI.protectedResource)),
    ]

    /// Whether it takes messages of agents. A client of OAuth learns from its refusals where to get
    /// a token.
    var isOfAgents: Bool { template == Endpoint.agentPath }

    /// How often the memory of a body is needed: a tool's call has a body of its own.
    var bodyCopies: Int { isOfAgents ? 2 : 1 }
}
