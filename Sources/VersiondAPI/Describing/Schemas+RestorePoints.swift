// The bodies and responses of restore points.

extension Schemas {
    static let restorePoints = #"""
        {
          "CommitPosition": {
            "type": "string", "format": "position",
            "description": "cursor:N or restore-point:NAME.", "examples": ["cursor:981"]
          },
          "PutRestorePoint": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "prefix": {"type": "string"}, "at": {"$ref": "CommitPosition"}
            },
            "examples": [{"prefix": "menus/"}, {"at": "cursor:981"}]
          },
          "RestorePoint": {
            "type": "object", "required": ["restorePoint", "prefix", "cursor", "time"],
            "properties": {
              "restorePoint": {"type": "string"}, "prefix": {"type": "string"},
              "cursor": {"type": "integer"}, "actor": {"type": "string"},
              "time": {"$ref": "Time"}, "label": {"type": "string"}, "expires": {"$ref": "Time"}
            }
          },
          "RestorePoints": {
            "type": "object", "required": ["restorePoints", "next"],
            "properties": {
              "restorePoints": {"type": "array", "items": {"$ref": "RestorePoint"}},
              "next": {"type": ["string", "null"]}
            }
          }
        }
        """#
}
