import Documents

// The bodies and responses of transactions.

extension Schemas {
    static let transactions = #"""
        {
          "TransactionBody": {
            "type": "object", "required": ["changes"], "additionalProperties": false,
            "properties": {
              "changes": {
                "type": "array", "minItems": 1, "maxItems": \#(TransactionRequest.documentsMax),
                "items": {"$ref": "Member"}
              }
            },
            "examples": [{"changes": [{"document": "menu", "merge": {"price": 5}}]}]
          },
          "Member": {
            "type": "object", "required": ["document"], "additionalProperties": false,
            "properties": {
              "document": {"type": "string", "format": "document-name"}, "value": {},
              "patch": {"$ref": "Patch"}, "merge": {}, "restore": {"$ref": "Restore"},
              "undo": {
                "type": "object", "required": ["revision"], "additionalProperties": false,
                "properties": {"revision": {"type": "integer", "format": "int64", "minimum": 0}}
              },
              "delete": {"type": "boolean", "const": true},
              "match": {"type": ["integer", "string"], "format": "revision-or-any"},
              "noneMatch": {"type": ["integer", "string"], "format": "revision-or-any"},
              "base": {"$ref": "State"},
              "own": {
                "type": "array", "maxItems": \#(EditBase.ownMax),
                "items": {"type": ["integer", "string"], "format": "int64"}
              },
              "conflict": {"$ref": "ConflictPolicy"},
              "label": {"type": "string"}, "tag": {"type": "string"}
            },
            "description": "One of value, patch, merge, restore, undo, delete; or only a condition."
          },
          "TransactionResponse": {
            "type": "object", "required": ["transaction", "changes"],
            "properties": {
              "transaction": {"type": ["string", "null"]},
              "changes": {"type": "array", "items": {"$ref": "MemberOutcome"}},
              "dryRun": {"type": "boolean"}
            }
          },
          "MemberOutcome": {
            "anyOf": [{"$ref": "Change"}, {
              "type": "object", "required": ["document"],
              "properties": {
                "document": {"type": "string"},
                "patchBytes": {"type": "integer"}, "missedBytes": {"type": "integer"},
                "absent": {"$ref": "ProblemCode"},
                "conflicts": {"type": "array", "items": {"type": "string"}},
                "with": {"$ref": "Revisions"},
                "kept": {"type": "array", "items": {"type": "string"}}
              }
            }]
          },
          "Transaction": {
            "type": "object", "required": ["transaction", "parts"],
            "properties": {
              "transaction": {"type": "string"}, "actor": {"type": "string"},
              "time": {"$ref": "Time"}, "parts": {"type": "array", "items": {"$ref": "Part"}}
            }
          },
          "Part": {
            "type": "object", "required": ["document", "revision", "inEffect"],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "kind": {"$ref": "ChangeKind"}, "label": {"type": "string"},
              "inEffect": {"type": ["boolean", "null"]}
            }
          },
          "PartInfo": {
            "type": "object", "required": ["id", "part", "count"],
            "properties": {
              "id": {"type": "string", "examples": ["menu@8"]}, "part": {"type": "integer"},
              "count": {"type": "integer"}
            }
          },
          "UndoOfMany": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "all": {"$ref": "Selection"}, "transaction": {"type": "string"},
              "prefix": {"type": "string"},
              "documents": {
                "type": "array", "minItems": 1, "maxItems": \#(TransactionRequest.undoDocumentsMax),
                "uniqueItems": true, "items": {"type": "string", "format": "document-name"}
              },
              "keep": {
                "type": "object",
                "additionalProperties": {
                  "type": ["boolean", "array"], "maxItems": \#(ChangeSelection.placesMax),
                  "items": {"type": "string", "format": "json-pointer"}
                }
              },
              "resolve": {
                "type": "object",
                "additionalProperties": {
                  "type": "object",
                  "additionalProperties": {"type": "string", "enum": ["mine", "theirs"]}
                }
              },
              "match": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 2147483647}
              },
              "close": {"type": "boolean"}
            },
            "description": "Requires either all or transaction.",
            "examples": [{"all": {"actor": "agent/run-17"}, "prefix": "menus/"}]
          },
          "RestoreOfMany": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "prefix": {"type": "string"}, "to": {"$ref": "CommonState"},
              "made": {"type": "string", "const": "delete"},
              "deleted": {"type": "string", "const": "undelete"}
            },
            "required": ["to"],
            "examples": [
              {"prefix": "menus/", "to": "2026-01-31T12:00:00Z"},
              {"to": "restore-point:menus/before"}
            ]
          },
          "RestoreResponse": {
            "allOf": [{"$ref": "TransactionResponse"}, {
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
