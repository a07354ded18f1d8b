// What undo and redo take and return.

extension Schemas {
    static let moves = #"""
        {
          "Status": {
            "allOf": [{"$ref": "#/components/schemas/Read"}, {
              "type": "object", "required": [
                "undoCount", "redoCount", "versionCount", "oldestRevision", "openGroup", "lastError"
              ],
              "properties": {
                "undoCount": {"type": "integer"}, "redoCount": {"type": "integer"},
                "versionCount": {"type": "integer"}, "oldestRevision": {"type": "integer"},
                "heldBy": {
                  "type": "object", "required": ["tag", "version"],
                  "description": "The oldest tag that keeps versions which retention would forget.",
                  "properties": {
                    "tag": {"$ref": "#/components/schemas/Name"}, "version": {"type": "integer"}
                  }
                },
                "bytes": {"type": "integer"}, "time": {"$ref": "#/components/schemas/Time"},
                "own": {"$ref": "#/components/schemas/OwnStatus"},
                "transaction": {"$ref": "#/components/schemas/PartInfo"},
                "all": {"oneOf": [
                  {"$ref": "#/components/schemas/SelectionStep"}, {"type": "null"}]},
                "openGroup": {"oneOf": [
                  {"$ref": "#/components/schemas/OpenGroup"}, {"type": "null"}]},
                "violations": {"type": "integer"},
                "lastError": {"oneOf": [
                  {"$ref": "#/components/schemas/Fault"}, {"type": "null"}]}
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
              "undo": {"oneOf": [{"$ref": "#/components/schemas/OwnStep"}, {"type": "null"}]},
              "redo": {"oneOf": [{"$ref": "#/components/schemas/OwnStep"}, {"type": "null"}]}
            }
          },
          "OwnStep": {
            "type": "object", "required": ["allowed", "revisions"],
            "properties": {
              "allowed": {"type": "boolean"}, "version": {"type": "integer"},
              "label": {"type": "string"}, "time": {"$ref": "#/components/schemas/Time"},
              "transaction": {"$ref": "#/components/schemas/PartInfo"},
              "revisions": {"$ref": "#/components/schemas/Revisions"},
              "passed": {"$ref": "#/components/schemas/Revisions"},
              "paths": {"type": "array", "items": {"type": "string"}},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "with": {"$ref": "#/components/schemas/Revisions"}
            }
          },
          "Selection": {
            "type": "object", "additionalProperties": false, "minProperties": 1,
            "properties": {
              "actor": {"type": "string"}, "label": {"type": "string"},
              "since": {"$ref": "#/components/schemas/Address"},
              "until": {"$ref": "#/components/schemas/Address"},
              "paths": {
                "type": "array", "minItems": 1, "maxItems": 64, "items": {"type": "string"}
              }
            },
            "description": "The edits of which all that it says is true."
          },
          "Undo": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "count": {"type": "integer", "minimum": 1},
              "to": {"$ref": "#/components/schemas/Address"},
              "scope": {"type": "boolean", "const": true}, "actor": {"type": "string"},
              "revision": {"type": "integer", "minimum": 0},
              "all": {"$ref": "#/components/schemas/Selection"}
            },
            "description": "One of count, to, scope, actor, revision and all at most."
          },
          "Move": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "count": {"type": "integer", "minimum": 1},
              "to": {"$ref": "#/components/schemas/Address"},
              "scope": {"type": "boolean", "const": true}, "actor": {"type": "string"},
              "revision": {"type": "integer", "minimum": 0}
            },
            "description": "One of count, to, scope, actor and revision at most."
          }
        }
        """#
}
