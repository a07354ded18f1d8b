import JSONTree

/// What bodies and answers look like (JSON Schema 2020-12, as OpenAPI 3.1 has it).
enum Schemas {
    /// Every schema by its name.
    static let all: JSON = (try? JSON(parsing: Array(text.utf8))) ?? .null

    private static let text = #"""
        {
          "Anything": {},
          "Name": {"type": "string", "minLength": 1, "maxLength": 256},
          "Prefix": {"type": "string", "maxLength": 256},
          "Duration": {
            "type": "string", "pattern": "^(0|[0-9]+(\\.[0-9]+)?(ms|s|m|h|d))$", "examples": ["30s"]
          },
          "Pointer": {"type": "string", "pattern": "^(/([^~]|~[01])*)*$", "examples": ["/price"]},
          "Address": {
            "type": "string", "description": "A revision, head, tag:NAME, snapshot:KEY or a time.",
            "examples": ["7", "tag:draft", "2026-01-31T12:00:00Z"]
          },
          "Flag": {"type": "string", "enum": ["", "true", "false"]},
          "Position": {"type": "integer", "minimum": -1},
          "Revision": {"type": "integer", "minimum": 0, "maximum": 2147483647},
          "Limit": {"type": "integer", "minimum": 1, "maximum": 1000},
          "Branches": {"type": "string", "enum": ["current", "all"]},
          "Time": {"type": "string", "format": "date-time"},
          "Patch": {"type": "array", "items": {"type": "object", "required": ["op", "path"]}},
          "State": {
            "type": "object", "required": ["hasUndo", "hasRedo", "scopeLevel"],
            "properties": {
              "hasUndo": {"type": "boolean"}, "hasRedo": {"type": "boolean"},
              "scopeLevel": {"type": "integer"}
            }
          },
          "Read": {
            "allOf": [{"$ref": "#/components/schemas/State"}],
            "type": "object", "required": ["document", "revision", "version"],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": ["integer", "null"]},
              "version": {"type": ["integer", "null"]}
            },
            "description": "revision and version are null where a dry run would make the document."
          },
          "ChangeInfo": {
            "type": "object", "required": ["revision", "kind", "time"],
            "properties": {
              "revision": {"type": "integer"},
              "kind": {"enum": [
                "create", "append", "undo", "redo", "goto", "snapshot", "remove-snapshot",
                "restore", "tag", "remove-tag", "push-scope", "pop-scope", "discard-scope",
                "settings", "delete"]},
              "actor": {"type": "string"}, "label": {"type": "string"},
              "time": {"$ref": "#/components/schemas/Time"},
              "joins": {"type": "boolean"}, "tag": {"type": "string"},
              "tracked": {"type": "boolean"}, "version": {"type": "integer"},
              "changes": {"type": "array", "items": {"type": "integer"}},
              "passed": {"type": "array", "items": {"type": "integer"}},
              "skipped": {"type": "array", "items": {"type": "integer"}},
              "of": {"type": "string"}, "forced": {"const": true},
              "group": {"type": "integer"}, "owner": {"type": "string"},
              "snapshot": {"type": "string"}, "isChanged": {"type": "boolean"},
              "paths": {"type": "array", "items": {"type": "string"}},
              "expires": {"$ref": "#/components/schemas/Time"}, "policy": {"type": "string"}
            }
          },
          "ChangeRecord": {
            "allOf": [{"$ref": "#/components/schemas/ChangeInfo"}],
            "required": ["patch"],
            "properties": {"patch": {"$ref": "#/components/schemas/Patch"}}
          },
          "Change": {
            "allOf": [{"$ref": "#/components/schemas/Read"}], "required": ["patch", "change"],
            "properties": {
              "patch": {"$ref": "#/components/schemas/Patch"},
              "change": {"oneOf": [
                {"$ref": "#/components/schemas/ChangeInfo"}, {"type": "null"}]},
              "undone": {"type": "array", "items": {"type": "integer"}},
              "redone": {"type": "array", "items": {"type": "integer"}},
              "passed": {"type": "array", "items": {"type": "integer"}},
              "skipped": {"type": "array", "items": {
                "type": "object", "required": ["change", "conflicts", "with"],
                "properties": {
                  "change": {"type": "integer"},
                  "conflicts": {"type": "array", "items": {"type": "string"}},
                  "with": {"type": "array", "items": {"type": "integer"}}}}},
              "dryRun": {"const": true}, "value": {}
            }
          },
          "Status": {
            "allOf": [{"$ref": "#/components/schemas/Read"}],
            "required": [
              "undoCount", "redoCount", "versionCount", "oldestRevision", "openGroup", "lastError"
            ],
            "properties": {
              "undoCount": {"type": "integer"}, "redoCount": {"type": "integer"},
              "versionCount": {"type": "integer"}, "oldestRevision": {"type": "integer"},
              "bytes": {"type": "integer"}, "time": {"$ref": "#/components/schemas/Time"},
              "own": {
                "type": "object", "required": ["actor", "hasUndo", "hasRedo", "undo", "redo"],
                "properties": {
                  "actor": {"type": "string"}, "hasUndo": {"type": "boolean"},
                  "hasRedo": {"type": "boolean"},
                  "undo": {"oneOf": [
                    {"$ref": "#/components/schemas/OwnStep"}, {"type": "null"}]},
                  "redo": {"oneOf": [
                    {"$ref": "#/components/schemas/OwnStep"}, {"type": "null"}]}}
              },
              "openGroup": {"type": ["object", "null"]}, "lastError": {"type": ["object", "null"]}
            }
          },
          "OwnStep": {
            "type": "object", "required": ["allowed", "changes", "paths"],
            "properties": {
              "allowed": {"type": "boolean"}, "version": {"type": "integer"},
              "label": {"type": "string"}, "time": {"$ref": "#/components/schemas/Time"},
              "changes": {"type": "array", "items": {"type": "integer"}},
              "passed": {"type": "array", "items": {"type": "integer"}},
              "paths": {"type": "array", "items": {"type": "string"}},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "with": {"type": "array", "items": {"type": "integer"}}
            }
          },
          "Move": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "count": {"type": "integer", "minimum": 1}, "to": {"type": "string"},
              "scope": {"const": true}, "actor": {"type": "string"},
              "change": {"type": "integer", "minimum": 0},
              "dryRun": {"type": "boolean"}, "force": {"type": "boolean"},
              "skip": {"type": "boolean"}
            }
          },
          "GoTo": {
            "type": "object", "additionalProperties": false, "minProperties": 1,
            "properties": {
              "version": {"type": "integer", "minimum": 0}, "tag": {"type": "string"},
              "dryRun": {"type": "boolean"}
            }
          },
          "Settings": {
            "type": "object", "additionalProperties": false, "minProperties": 1,
            "properties": {
              "debounce": {"oneOf": [
                {"type": "null"}, {"$ref": "#/components/schemas/Duration"},
                {"type": "object", "required": ["window"], "additionalProperties": false,
                 "properties": {
                   "window": {"$ref": "#/components/schemas/Duration"},
                   "max": {"$ref": "#/components/schemas/Duration"}}}]},
              "ignored": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 64},
              "tracked": {"type": ["string", "null"]},
              "identity": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 16},
              "requireMatch": {"type": ["boolean", "null"]},
              "history": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {
                  "count": {"type": ["integer", "null"], "minimum": 1},
                  "bytes": {"type": ["integer", "null"], "minimum": 1024},
                  "age": {"type": ["string", "null"]}
                }
              }
            }
          },
          "SettingsAnswer": {
            "allOf": [{"$ref": "#/components/schemas/Read"}], "required": ["settings"],
            "properties": {"settings": {"type": "object"}}
          },
          "PushScope": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "ttl": {"$ref": "#/components/schemas/Duration"},
              "policy": {"enum": ["pop", "discard"]}
            }
          },
          "CloseScope": {
            "type": "object", "additionalProperties": false,
            "properties": {"force": {"type": "boolean"}, "dryRun": {"type": "boolean"}}
          },
          "DiscardScope": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "force": {"type": "boolean"}, "skip": {"type": "boolean"},
              "all": {"type": "boolean"}, "dryRun": {"type": "boolean"}
            }
          },
          "Restore": {
            "type": "object", "additionalProperties": false,
            "properties": {"dryRun": {"type": "boolean"}}
          },
          "Scopes": {
            "allOf": [{"$ref": "#/components/schemas/Read"}], "required": ["scopes"],
            "properties": {"scopes": {"type": "array", "items": {"type": "object"}}}
          },
          "Tag": {
            "type": "object", "required": ["tag", "version", "scopeLevel", "isCurrent"],
            "properties": {
              "tag": {"type": "string"}, "version": {"type": "integer"},
              "scopeLevel": {"type": "integer"}, "isCurrent": {"type": "boolean"}
            }
          },
          "Tags": {
            "allOf": [{"$ref": "#/components/schemas/Read"}], "required": ["tags"],
            "properties": {
              "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Tag"}}
            }
          },
          "TagAnswer": {
            "allOf": [{"$ref": "#/components/schemas/Read"}], "required": ["tag"],
            "properties": {"tag": {"$ref": "#/components/schemas/Tag"}}
          },
          "PutTag": {
            "type": "object", "additionalProperties": false,
            "properties": {"version": {"type": "integer", "minimum": 0}}
          },
          "Snapshots": {
            "allOf": [{"$ref": "#/components/schemas/Read"}], "required": ["snapshots"],
            "properties": {"snapshots": {"type": "array", "items": {
              "type": "object", "required": ["snapshot", "revision", "time"]}}}
          },
          "PutSnapshot": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "paths": {
                "type": "array", "items": {"$ref": "#/components/schemas/Pointer"}, "minItems": 1,
                "maxItems": 1000
              }
            }
          },
          "History": {
            "allOf": [{"$ref": "#/components/schemas/State"}],
            "type": "object", "required": ["document", "revision", "changes", "next"],
            "properties": {
              "changes": {
                "type": "array", "items": {"$ref": "#/components/schemas/ChangeRecord"}
              },
              "next": {"type": ["integer", "null"]}
            }
          },
          "Diff": {
            "type": "object", "required": ["document", "from", "to", "patch"],
            "properties": {
              "from": {"type": "integer"}, "to": {"type": "integer"},
              "patch": {"$ref": "#/components/schemas/Patch"}
            }
          },
          "FeedItem": {
            "type": "object", "required": ["event"],
            "properties": {
              "event": {"enum": ["change", "seal", "bookmark"]}, "cursor": {"type": "integer"}
            }
          },
          "FeedPage": {
            "type": "object", "required": ["changes", "next"],
            "properties": {
              "changes": {"type": "array", "items": {"$ref": "#/components/schemas/FeedItem"}},
              "next": {"type": "integer"}
            }
          },
          "Documents": {
            "type": "object", "required": ["documents", "next"],
            "properties": {
              "documents": {"type": "array", "items": {
                "type": "object", "required": ["document", "revision"],
                "properties": {
                  "document": {"type": "string"}, "revision": {"type": "integer"}}}},
              "next": {"type": ["string", "null"]}
            }
          },
          "Discovery": {
            "type": "object",
            "required": ["name", "version", "api", "libraries", "limits", "capabilities"]
          },
          "ProblemKind": {
            "type": "object", "required": ["type", "code", "status", "title", "remedy"],
            "properties": {"code": {"$ref": "#/components/schemas/ProblemCode"}}
          },
          "ProblemKinds": {
            "type": "array", "items": {"$ref": "#/components/schemas/ProblemKind"}
          },
          "Problem": {
            "type": "object", "required": ["type", "title", "status", "detail", "code"],
            "properties": {
              "type": {"type": "string"}, "title": {"type": "string"},
              "status": {"type": "integer"}, "detail": {"type": "string"},
              "code": {"$ref": "#/components/schemas/ProblemCode"}, "hint": {"type": "string"},
              "pointer": {"type": "string"}, "operation": {"type": "integer"},
              "offset": {"type": "integer"}, "requestId": {"type": "string"},
              "errors": {"type": "array", "items": {
                "type": "object", "required": ["pointer", "detail"]}}
            }
          }
        }
        """#
}
