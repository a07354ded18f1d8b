// What transactions take and return.

extension Schemas {
    static let transactions = #"""
        {
          "TransactionBody": {
            "type": "object", "required": ["changes"], "additionalProperties": false,
            "properties": {
              "changes": {
                "type": "array", "minItems": 1, "maxItems": 100,
                "items": {"$ref": "#/components/schemas/Member"}
              }
            }
          },
          "Member": {
            "type": "object", "required": ["document"], "additionalProperties": false,
            "properties": {
              "document": {"type": "string"}, "value": {},
              "patch": {"$ref": "#/components/schemas/Patch"}, "merge": {},
              "restore": {"$ref": "#/components/schemas/Restore"},
              "undo": {
                "type": "object", "required": ["revision"], "additionalProperties": false,
                "properties": {"revision": {"type": "integer"}}
              },
              "delete": {"type": "boolean", "const": true},
              "match": {"type": ["integer", "string"]},
              "noneMatch": {"type": ["integer", "string"]},
              "base": {"$ref": "#/components/schemas/Address"},
              "own": {"type": "array", "maxItems": 100, "items": {"type": ["integer", "string"]}},
              "conflict": {"$ref": "#/components/schemas/ConflictPolicy"},
              "label": {"type": "string"}, "tag": {"type": "string"}
            },
            "description": "One of value, patch, merge, restore, undo and delete; or a condition."
          },
          "TransactionResponse": {
            "type": "object", "required": ["transaction", "changes"],
            "properties": {
              "transaction": {"type": ["string", "null"]},
              "changes": {
                "type": "array", "items": {"$ref": "#/components/schemas/MemberOutcome"}
              },
              "dryRun": {"type": "boolean"}
            }
          },
          "MemberOutcome": {
            "anyOf": [{"$ref": "#/components/schemas/Change"}, {
              "type": "object", "required": ["document"],
              "properties": {
                "document": {"type": "string"},
                "patchBytes": {"type": "integer"}, "missedBytes": {"type": "integer"},
                "absent": {"$ref": "#/components/schemas/ProblemCode"},
                "conflicts": {"type": "array", "items": {"type": "string"}},
                "with": {"$ref": "#/components/schemas/Revisions"}
              }
            }],
            "description": "absent: why not done; conflicts alone: skipped; patchBytes: left out"
          },
          "Transaction": {
            "type": "object", "required": ["transaction", "parts"],
            "properties": {
              "transaction": {"type": "string"}, "actor": {"type": "string"},
              "time": {"$ref": "#/components/schemas/Time"},
              "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}}
            }
          },
          "Part": {
            "type": "object", "required": ["document", "revision", "inEffect"],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "kind": {"$ref": "#/components/schemas/ChangeKind"}, "label": {"type": "string"},
              "inEffect": {"type": ["boolean", "null"]}
            },
            "description": "document: by its name now. No kind: it cannot be read."
          },
          "PartInfo": {
            "type": "object", "required": ["id", "part", "count"],
            "properties": {
              "id": {"type": "string", "examples": ["menu@8"]}, "part": {"type": "integer"},
              "count": {"type": "integer"}
            }
          },
          "UndoOfMany": {
            "type": "object", "required": ["all"], "additionalProperties": false,
            "properties": {
              "all": {"$ref": "#/components/schemas/Selection"}, "prefix": {"type": "string"},
              "documents": {
                "type": "array", "minItems": 1, "maxItems": 100, "items": {"type": "string"}
              }
            }
          },
          "RestoreOfMany": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "prefix": {"type": "string"}, "to": {"$ref": "#/components/schemas/Address"},
              "cursor": {"type": "integer", "minimum": 0},
              "made": {"type": "string", "const": "delete"},
              "deleted": {"type": "string", "const": "undelete"}
            },
            "description": "Either to, a time, or cursor."
          },
          "RestoreResponse": {
            "allOf": [{"$ref": "#/components/schemas/TransactionResponse"}, {
              "type": "object", "required": ["madeSince", "deletedSince", "purgedSince"],
              "properties": {
                "madeSince": {"type": "array", "items": {"type": "string"}},
                "deletedSince": {"type": "array", "items": {"type": "string"}},
                "purgedSince": {"type": "array", "items": {"type": "string"}}
              }
            }]
          }
        }
        """#
}
