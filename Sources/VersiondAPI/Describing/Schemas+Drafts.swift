// The bodies and responses of drafts.

extension Schemas {
    static let drafts = #"""
        {
          "DraftPolicy": {"type": "string", "enum": ["reject", "draft", "origin"]},
          "Resolutions": {
            "type": "object", "maxProperties": 1000, "propertyNames": {"format": "json-pointer"},
            "additionalProperties": {"type": "string", "enum": ["reject", "draft", "origin"]},
            "description": "The policy for each conflicting place, by its pointer."
          },
          "ClientName": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"},
          "Presence": {
            "type": "object", "required": ["document", "clients"],
            "properties": {
              "document": {"type": "string"},
              "clients": {"type": "array", "items": {
                "type": "object", "required": ["client", "actor", "state", "time"],
                "properties": {
                  "client": {"type": "string"}, "actor": {"type": "string"}, "state": {},
                  "revision": {"type": "integer"}, "time": {"$ref": "Time"}
                }
              }}
            }
          },
          "OriginName": {
            "type": "object", "required": ["document"], "additionalProperties": false,
            "properties": {"document": {"type": "string", "format": "document-name"}},
            "examples": [{"document": "dinner"}]
          },
          "Draft": {
            "type": "object",
            "required": ["document", "revision", "base", "ahead", "behind", "conflicts", "changed",
              "actors"],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "base": {"type": "integer"}, "ahead": {"$ref": "DraftSide"},
              "behind": {"$ref": "DraftSide"},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "changed": {"$ref": "Time"}, "actors": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Drafts": {
            "type": "object", "required": ["document", "drafts", "next"],
            "properties": {
              "document": {"type": "string"},
              "drafts": {"type": "array", "items": {"$ref": "Draft"}},
              "next": {"type": ["string", "null"]}
            }
          },
          "UpdateDraft": {
            "type": "object", "additionalProperties": false,
            "properties": {"resolve": {"$ref": "Resolutions"}, "to": {"$ref": "State"}},
            "examples": [{"resolve": {"/price": "draft"}}]
          },
          "MergeDraft": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "resolve": {"$ref": "Resolutions"}, "paths": {"$ref": "Pointers"},
              "changes": {
                "type": "array", "minItems": 1, "maxItems": 1000,
                "items": {"type": "integer", "format": "int64"}
              },
              "at": {"$ref": "State"},
              "match": {"type": ["integer", "string"], "format": "revision"},
              "end": {"type": "boolean"}
            },
            "examples": [{"paths": ["/price"], "resolve": {"/price": "draft"}, "match": 14}]
          },
          "MergeOfMany": {
            "type": "object", "required": ["prefix"], "additionalProperties": false,
            "properties": {
              "prefix": {"type": "string", "minLength": 1},
              "resolve": {"type": "object", "additionalProperties": {"$ref": "Resolutions"}},
              "match": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 2147483647}
              },
              "end": {"type": "boolean"}
            },
            "examples": [{"prefix": "spring~/", "match": {"menu": 14}, "end": true}]
          },
          "DraftSide": {
            "type": "object", "required": ["changes", "edits"],
            "properties": {
              "changes": {"$ref": "Revisions"}, "edits": {"type": "integer"},
              "paths": {"type": "array", "items": {"type": "string"}}, "patch": {"$ref": "Patch"}
            }
          },
          "DraftConflict": {
            "type": "object", "required": ["path", "changes", "with"],
            "properties": {
              "path": {"type": "string"}, "common": {}, "draft": {}, "origin": {},
              "changes": {"$ref": "Revisions"}, "with": {"$ref": "Revisions"}
            },
            "description": "A value of more than 4 KiB is replaced by {\"bytes\": LENGTH}."
          },
          "DraftComparison": {
            "type": "object",
            "required": [
              "document", "revision", "origin", "base", "head", "ahead", "behind", "conflicts",
              "with", "places"
            ],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "origin": {"type": "string"}, "base": {"type": "integer"},
              "head": {"type": "integer"}, "ahead": {"$ref": "DraftSide"},
              "behind": {"$ref": "DraftSide"},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "with": {"$ref": "Revisions"},
              "places": {"type": "array", "items": {"$ref": "DraftConflict"}}
            }
          },
          "DraftMerge": {
            "allOf": [{"$ref": "Change"}, {
              "type": "object", "required": ["origin"],
              "properties": {
                "left": {"type": "integer"}, "dryRun": {"type": "boolean"},
                "origin": {"$ref": "Change"}
              }
            }]
          },
          "DraftsMerge": {
            "type": "object", "required": ["transaction", "changes", "unchanged"],
            "properties": {
              "transaction": {"type": ["string", "null"]},
              "changes": {"type": "array", "items": {"$ref": "DraftMerge"}},
              "unchanged": {"type": "array", "items": {"type": "string"}},
              "dryRun": {"type": "boolean"}
            }
          }
        }
        """#
}
