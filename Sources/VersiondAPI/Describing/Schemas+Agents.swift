// Messages of agents.

extension Schemas {
    static let agents = #"""
        {
          "AgentMessage": {
            "type": "object", "required": ["jsonrpc"], "additionalProperties": false,
            "properties": {
              "jsonrpc": {"type": "string", "enum": ["2.0"]},
              "id": {"type": ["number", "string", "null"]},
              "method": {"type": "string"}, "params": {"type": "object"},
              "result": {"type": "object"}, "error": {"type": "object"}
            }
          },
          "ProtectedResource": {
            "type": "object",
            "required": ["resource", "scopes_supported", "bearer_methods_supported"],
            "properties": {
              "resource": {"type": "string"},
              "authorization_servers": {"type": "array", "items": {"type": "string"}},
              "scopes_supported": {"type": "array", "items": {"type": "string"}},
              "bearer_methods_supported": {"type": "array", "items": {"type": "string"}}
            }
          }
        }
        """#
}
