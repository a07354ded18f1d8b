import AccessControl
import HTTPServing
import JSONTree

// Where clients of OAuth learn which server issues tokens (RFC 9728). The daemon issues none.

extension DocumentsAPI {
    /// `GET /.well-known/oauth-protected-resource`
    func protectedResource(_ call: Call) throws(Problem) {
        let servers = access.current.authorizationServers
        var text = JSONText()
        text.object { text in
            text.member("resource", ProtectedResource.base(call.head) + Endpoint.agentPath)
            if !servers.isEmpty { text.texts("authorization_servers", servers) }
            text.texts("scopes_supported", ProtectedResource.scopes)
            text.texts("bearer_methods_supported", ["header"])
        }
        // The address is that of the request.
        call.send(call.json(text, fields: [(name: "Cache-Control", value: "no-store")]))
    }
}

enum ProtectedResource {
    /// The rights that agents need.
    static let scopes = ["read", "propose", "write"]

    /// The address of the daemon, as the client calls it: a proxy before it speaks HTTPS, except
    /// on one machine.
    static func base(_ head: HTTPRequestHead) -> String {
        let host = head.target.authority ?? head.fields["host"] ?? ""
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x3a, 0x5b, 0x5d: true
            default: false
            }
        }
        let name = isPlain && !host.isEmpty ? host : "localhost"
        let isHere = ["localhost", "127.0.0.1", "[::1]"].contains { local in
            name == local || name.hasPrefix(local + ":")
        }
        return (isHere ? "http://" : "https://") + name
    }

    /// The parameters of `WWW-Authenticate` that lead to the document.
    static func challenge(_ head: HTTPRequestHead) -> String {
        let address = base(head) + Endpoint.resourcePath + Endpoint.agentPath
        return ", resource_metadata=\"\(address)\", scope=\"read write\""
    }
}

extension Problem {
    /// The same, and where a client of OAuth gets a token.
    func naming(_ challenge: String) -> Problem {
        guard kind.status == 401 else { return self }
        var problem = self
        problem.fields = fields.map { name, value in
            (name, name == "WWW-Authenticate" ? value + challenge : value)
        }
        return problem
    }
}
