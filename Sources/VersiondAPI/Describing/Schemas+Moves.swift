import Documents

// The bodies and responses of undo and redo.

extension Schemas {
    static let moves = #"""
        {
          "Status": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": [
                "undoCount", "redoCount", "versionCount", "oldestRevision", "openGroup", "lastError"
              ],
              "properties": {
                "undoCount": {"type": "integer"}, "redoCount": {"type": "integer"},
                "versionCount": {"type": "integer"}, "oldestRevision": {"type": "integer"},
                "heldBy": {
                  "type": "object", "required": ["tag", "version"],
                  "properties": {"tag": {"$ref": "Name"}, "version": {"type": "integer"}}
                },
                "bytes": {"type": "integer"}, "time": {"$ref": "Time"},
                "own": {"$ref": "OwnStatus"}, "transaction": {"$ref": "PartInfo"},
                "openGroup": {"oneOf": [{"$ref": "OpenGroup"}, {"type": "null"}]},
                "violations": {"type": "integer"},
                "lastError": {"oneOf": [{"$ref": "Fault"}, {"type": "null"}]}
              }
            }]
          },
          "OwnAvailability": {
            "type": "object", "required": ["actor", "hasUndo", "hasRedo"],
            "properties": {
              "actor": {"type": "string"}, "hasUndo": {"type": "boolean"},
              "hasRedo": {"type": "boolean"}
            }
          },
          "OwnStatus": {
            "type": "object", "required": ["actor", "hasUndo", "hasRedo", "undo", "redo"],
            "properties": {
              "actor": {"type": "string"}, "hasUndo": {"type": "boolean"},
              "hasRedo": {"type": "boolean"},
              "undo": {"oneOf": [{"$ref": "OwnStep"}, {"type": "null"}]},
              "redo": {"oneOf": [{"$ref": "OwnStep"}, {"type": "null"}]}
            }
          },
          "OwnStep": {
            "type": "object", "required": ["allowed", "revisions"],
            "properties": {
              "allowed": {"type": "boolean"}, "version": {"type": "integer"},
              "label": {"type": "string"}, "time": {"$ref": "Time"},
              "transaction": {"$ref": "PartInfo"}, "revisions": {"$ref": "Revisions"},
              "passed": {"$ref": "Revisions"},
              "paths": {"type": "array", "items": {"type": "string"}},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "with": {"$ref": "Revisions"}
            }
          },
          "Selection": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "actor": {"type": "string"}, "label": {"type": "string"}, "since": {"$ref": "State"},
              "until": {"$ref": "State"},
              "paths": {
                "type": "array", "minItems": 1, "maxItems": \#(ChangeSelection.placesMax),
                "items": {"$ref": "Pointer"}
              }
            },
            "description": "Edits that match all members; requires at least one member."
          },
          "Move": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "count": {"type": "integer", "format": "int64", "minimum": 1},
              "to": {"$ref": "Address"},
              "scope": {"type": "boolean", "const": true}, "actor": {"type": "string"},
              "revision": {"type": "integer", "format": "int64", "minimum": 0}
            },
            "description": "At most one of count, to, scope, actor and revision."
          }
        }
        """#
}
