import Documents
import JSONTree

/// The schemas of bodies and responses (JSON Schema 2020-12, as in OpenAPI 3.1).
enum Schemas {
    /// All schemas by name.
    static let all = JSON(
        members: [text, moves, transactions, restorePoints, runs, drafts, agents].flatMap(read))

    /// The schemas of a text, in which they refer to each other by their names alone.
    static func read(_ text: String) -> [(String, JSON)] {
        let text = text.replacing("\"$ref\": \"", with: "\"$ref\": \"#/components/schemas/")
        let schemas = try? JSON(parsing: Array(text.utf8))
        return schemas?.members?.map { ($0.name, $0.value) } ?? []
    }

    private static let text = #"""
        {
          "Anything": {"description": "Any JSON value."},
          "Name": {"type": "string", "minLength": 1, "maxLength": 256},
          "PathName": {
            "type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[^\\u0000]*$"
          },
          "Actor": {"type": "string", "maxLength": 256, "description": "May be empty."},
          "ChangeKind": {"type": "string", "enum": [
            "create", "append", "undo", "redo", "goto", "snapshot", "remove-snapshot",
            "restore", "tag", "remove-tag", "push-scope", "pop-scope", "discard-scope",
            "settings", "delete", "undelete", "copy", "rename", "purge", "forgotten",
            "update", "merge", "origin"]},
          "Prefix": {"type": "string", "maxLength": 256},
          "Duration": {
            "type": "string", "pattern": "^(0|[0-9]+(\\.[0-9]+)?(ms|s|m|h|d))$", "examples": ["30s"]
          },
          "Pointer": {"type": "string", "format": "json-pointer", "examples": ["/price"]},
          "Pointers": {
            "type": "array", "items": {"$ref": "Pointer"}, "minItems": 1,
            "maxItems": \#(Snapshot.placesMax)
          },
          "Address": {
            "type": "string",
            "description": "A revision, head, origin, version:N, tag:NAME, snapshot:NAME, \#
        restore-point:NAME, cursor:N, or time.",
            "format": "address",
            "examples": [
              "7", "version:3", "tag:draft", "restore-point:before", "2026-01-31T12:00:00Z"
            ]
          },
          "State": {
            "type": ["string", "integer"], "format": "state",
            "description": "A revision, head, version:N, tag:NAME, restore-point:NAME, \#
        cursor:N or a time."
          },
          "CommonState": {
            "type": "string", "format": "common-state",
            "description": "A time, restore-point:NAME or cursor:N.",
            "examples": ["2026-01-31T12:00:00Z", "restore-point:before", "cursor:981"]
          },
          "Origin": {"type": "string", "examples": ["menu@version:12", "menu"]},
          "Flag": {"type": "string", "enum": ["", "true", "false"]},
          "RevisionList": {
            "type": "string", "pattern": "^([0-9]+(,[0-9]+)*)?$", "examples": ["9,10"]
          },
          "FeedPatch": {"type": "string", "enum": ["strict", "stored"]},
          "KeyPrefix": {"type": "string", "minLength": 8, "maxLength": 256},
          "DocumentList": {"type": "string", "examples": ["menu,note"]},
          "ConflictPolicy": {"type": "string", "enum": ["reject", "mine", "theirs"]},
          "Revisions": {"type": "array", "items": {"type": "integer"}},
          "Position": {"type": "integer", "minimum": -1},
          "Revision": {
            "type": "integer", "format": "int64", "minimum": 0,
            "maximum": 9007199254740991},
          "Limit": {"type": "integer", "minimum": 1, "maximum": 1000},
          "Branches": {"type": "string", "enum": ["current", "all"]},
          "Consistency": {"type": "string", "enum": ["strong", "local"]},
          "Time": {"type": "string", "format": "date-time"},
          "Patch": {"type": "array", "items": {"$ref": "PatchOperation"}},
          "Edit": {
            "type": "object", "minProperties": 1, "maxProperties": 1,
            "additionalProperties": false,
            "description": "A JSON Patch or a merge patch.",
            "properties": {"patch": {"$ref": "Patch"}, "merge": {}}
          },
          "PatchOperation": {
            "type": "object", "required": ["op", "path"], "properties": {
              "op": {"type": "string", "enum": [
                "add", "remove", "replace", "move", "copy", "test", "str_ins", "str_del",
                "str_replace"]},
              "path": {"type": "string"}, "from": {"type": "string"}, "value": {},
              "pos": {"type": "integer"}, "str": {"type": "string"}, "len": {"type": "integer"},
              "find": {"type": "string", "minLength": 1}
            }
          },
          "Read": {
            "type": "object",
            "required": ["document", "revision", "version", "hasUndo", "hasRedo", "scopeLevel"],
            "properties": {
              "hasUndo": {"type": "boolean"}, "hasRedo": {"type": "boolean"},
              "scopeLevel": {"type": "integer"},
              "document": {"type": "string"}, "revision": {"type": ["integer", "null"]},
              "version": {"type": ["integer", "null"]}
            },
            "description": "revision and version are null if a dry run would create the document."
          },
          "ChangeInfo": {
            "type": "object", "required": ["revision", "kind", "time"],
            "properties": {
              "revision": {"type": "integer"}, "kind": {"$ref": "ChangeKind"},
              "actor": {"type": "string"}, "promptBy": {"type": "string"},
              "label": {"type": "string"}, "time": {"$ref": "Time"},
              "joins": {"type": "boolean"}, "tag": {"type": "string"},
              "makesVersion": {"type": "boolean"}, "version": {"type": "integer"},
              "undone": {"$ref": "Revisions"}, "redone": {"$ref": "Revisions"},
              "passed": {"$ref": "Revisions"},
              "skipped": {"type": "array", "items": {"$ref": "Skipped"}},
              "kept": {"type": "array", "items": {"type": "string"}},
              "deletedDocuments": {"type": "array", "items": {
                "type": "object", "required": ["document", "revision", "with"],
                "properties": {
                  "document": {"type": "string"}, "revision": {"type": "integer"},
                  "with": {"$ref": "Revisions"}
                }
              }},
              "all": {"$ref": "Selection"}, "transaction": {"$ref": "PartInfo"},
              "of": {"type": "string"}, "conflict": {"type": "string", "const": "mine"},
              "group": {"type": "integer"}, "base": {"type": "integer"},
              "owner": {"type": "string"}, "copyOf": {"type": "string"}, "into": {"type": "string"},
              "renamedTo": {"type": "string"}, "from": {"type": "string"},
              "origin": {"type": ["string", "null"]},
              "authors": {"type": "array", "items": {"type": "string"}},
              "snapshot": {"type": "string"}, "isChanged": {"type": "boolean"},
              "paths": {"type": "array", "items": {"type": "string"}},
              "expires": {"$ref": "Time"}, "policy": {"type": "string"}
            }
          },
          "ChangeRecord": {
            "allOf": [{"$ref": "ChangeInfo"}, {
              "type": "object", "required": ["patch"], "properties": {"patch": {"$ref": "Patch"}}
            }]
          },
          "Change": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["patch", "change"],
              "properties": {
                "patch": {"$ref": "Patch"},
                "change": {"oneOf": [{"$ref": "ChangeInfo"}, {"type": "null"}]},
                "own": {"$ref": "OwnAvailability"}, "base": {"type": "integer"},
                "missed": {"$ref": "Patch"},
                "conflicts": {"type": "array", "items": {"type": "string"}},
                "with": {"$ref": "Revisions"}, "violations": {"type": "integer"},
                "dryRun": {"type": "boolean"}, "value": {}
              }
            }]
          },
          "OpenGroup": {
            "type": "object", "required": ["version", "actor", "began", "edited"],
            "properties": {
              "version": {"type": "integer"}, "actor": {"type": "string"},
              "began": {"$ref": "Time"}, "edited": {"$ref": "Time"}
            }
          },
          "Fault": {
            "type": "object", "required": ["code", "detail", "time"],
            "properties": {
              "code": {"$ref": "ProblemCode"}, "detail": {"type": "string"},
              "time": {"$ref": "Time"}
            }
          },
          "Skipped": {
            "type": "object", "required": ["revision"],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "with": {"$ref": "Revisions"}, "absent": {"$ref": "ProblemCode"}
            }
          },
          "GoTo": {
            "type": "object", "additionalProperties": false, "required": ["to"],
            "properties": {"to": {"$ref": "Address"}},
            "examples": [{"to": "version:3"}, {"to": "tag:draft"}]
          },
          "Settings": {
            "type": "object", "additionalProperties": false,
            "description": "Requires at least one member.",
            "properties": {
              "debounce": {
                "type": ["null", "string", "object"], "format": "window",
                "required": ["window"], "additionalProperties": false,
                "properties": {
                  "window": {"type": "string", "format": "window"},
                  "max": {"type": "string", "format": "window"}
                }
              },
              "ignored": {
                "type": ["array", "null"], "maxItems": \#(Tracking.ignoredMax),
                "items": {"$ref": "Pattern"}
              },
              "tracked": {"type": ["string", "null"], "format": "plain-pointer"},
              "identity": {
                "type": ["array", "null"], "maxItems": \#(Limits.identityNamesMax),
                "items": {"type": "string"}
              },
              "requireMatch": {"type": ["boolean", "null"]}, "schema": {"type": ["object", "null"]},
              "enforce": {"enum": ["edits", "all", "warn", null]},
              "presence": {"type": ["boolean", "null"]},
              "retention": {
                "type": ["object", "null"], "additionalProperties": false,
                "properties": {
                  "count": {
                    "type": ["integer", "null"], "format": "int64", "minimum": 1,
                    "maximum": 2147483647},
                  "bytes": {
                    "type": ["integer", "null"], "format": "int64", "minimum": 1024,
                    "maximum": 4611686018427387903},
                  "age": {"type": ["string", "null"], "format": "history-age"}
                }
              }
            },
            "examples": [{"debounce": "500ms", "retention": {"count": 1000}}]
          },
          "SettingsState": {
            "type": "object",
            "required": [
              "debounce", "ignored", "tracked", "identity", "requireMatch", "schema", "enforce",
              "presence", "retention"
            ],
            "properties": {
              "debounce": {"oneOf": [{"$ref": "DebounceState"}, {"type": "null"}]},
              "ignored": {"type": "array", "items": {"type": "string"}},
              "tracked": {"type": "string"},
              "identity": {"type": "array", "items": {"type": "string"}},
              "requireMatch": {"type": "boolean"}, "schema": {"type": ["object", "null"]},
              "enforce": {"enum": ["edits", "all", "warn"]}, "presence": {"type": "boolean"},
              "retention": {"$ref": "Bounds"}
            }
          },
          "DebounceState": {
            "type": "object", "required": ["window", "max"],
            "properties": {"window": {"$ref": "Duration"}, "max": {"$ref": "Duration"}}
          },
          "Bounds": {
            "type": "object",
            "properties": {
              "count": {"type": ["integer", "null"]}, "bytes": {"type": ["integer", "null"]},
              "age": {"type": ["string", "null"]}
            }
          },
          "SettingsResponse": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["settings"],
              "properties": {"settings": {"$ref": "SettingsState"}}
            }]
          },
          "PushScope": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "ttl": {"type": "string", "format": "scope-lifetime"},
              "policy": {"type": "string", "enum": ["pop", "discard"]}
            },
            "examples": [{"ttl": "10m", "policy": "discard"}]
          },
          "CloseScope": {
            "type": "object", "additionalProperties": false,
            "properties": {"force": {"type": "boolean"}}
          },
          "DiscardScope": {
            "type": "object", "additionalProperties": false,
            "properties": {"force": {"type": "boolean"}, "all": {"type": "boolean"}}
          },
          "Pattern": {
            "type": "string", "format": "pointer-pattern",
            "description": "A JSON Pointer without numbers; * matches any element or member.",
            "examples": ["/email", "/users/*/email"]
          },
          "Rename": {
            "type": "object", "additionalProperties": false, "required": ["name"],
            "properties": {"name": {"type": "string", "format": "document-name"}},
            "examples": [{"name": "dinner-menu"}]
          },
          "Purge": {
            "type": "object", "additionalProperties": false, "required": ["paths"],
            "properties": {
              "paths": {
                "type": "array", "items": {"$ref": "Pattern"}, "minItems": 1,
                "maxItems": \#(ErasureRequest.placesMax)
              }
            },
            "examples": [{"paths": ["/email"]}]
          },
          "Erasure": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["change", "erased"],
              "properties": {
                "change": {"oneOf": [{"$ref": "ChangeInfo"}, {"type": "null"}]},
                "erased": {"type": "integer"}, "dryRun": {"type": "boolean"},
                "drafts": {"type": "array", "items": {"type": "string"}}
              }
            }]
          },
          "Restore": {
            "type": "object", "additionalProperties": false, "required": ["from"],
            "properties": {"from": {"$ref": "Address"}, "paths": {"$ref": "Pointers"}},
            "examples": [{"from": "version:12", "paths": ["/price"]}]
          },
          "Scope": {"type": "object", "required": ["scopeLevel", "version", "owner"],
            "properties": {
              "scopeLevel": {"type": "integer"}, "version": {"type": "integer"},
              "owner": {"type": "string"}, "policy": {"type": "string"}, "expires": {"$ref": "Time"}
            }
          },
          "Scopes": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["scopes"],
              "properties": {"scopes": {"type": "array", "items": {"$ref": "Scope"}}}
            }]
          },
          "Tag": {
            "type": "object", "required": ["tag", "version", "scopeLevel", "isCurrent"],
            "properties": {
              "tag": {"type": "string"}, "version": {"type": "integer"},
              "scopeLevel": {"type": "integer"}, "isCurrent": {"type": "boolean"}
            }
          },
          "Tags": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["tags"],
              "properties": {"tags": {"type": "array", "items": {"$ref": "Tag"}}}
            }]
          },
          "Ticket": {
            "type": "object", "required": ["ticket", "ttl"],
            "properties": {"ticket": {"type": "string"}, "ttl": {"$ref": "Duration"}}
          },
          "TagResponse": {
            "allOf": [{"$ref": "Tag"}, {
              "type": "object", "required": ["document"],
              "properties": {"document": {"type": "string"}}
            }]
          },
          "ChangeResponse": {
            "allOf": [{"$ref": "ChangeRecord"}, {
              "type": "object", "required": ["document"],
              "properties": {"document": {"type": "string"}}
            }]
          },
          "PutTag": {
            "type": "object", "additionalProperties": false,
            "properties": {"at": {"$ref": "Address"}},
            "examples": [{"at": "version:3"}]
          },
          "SnapshotInfo": {
            "type": "object", "required": ["snapshot", "revision", "time"],
            "properties": {
              "snapshot": {"type": "string"}, "revision": {"type": "integer"},
              "actor": {"type": "string"}, "time": {"$ref": "Time"},
              "paths": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Snapshots": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["snapshots"],
              "properties": {"snapshots": {"type": "array", "items": {"$ref": "SnapshotInfo"}}}
            }]
          },
          "PutSnapshot": {
            "type": "object", "additionalProperties": false,
            "properties": {"paths": {"$ref": "Pointers"}},
            "examples": [{"paths": ["/price", "/dish"]}]
          },
          "History": {
            "type": "object",
            "required": [
              "document", "revision", "changes", "next", "hasUndo", "hasRedo", "scopeLevel"
            ],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "changes": {"type": "array", "items": {"$ref": "ChangeRecord"}},
              "next": {"type": ["integer", "null"]},
              "path": {"type": "string"}, "hasUndo": {"type": "boolean"},
              "hasRedo": {"type": "boolean"}, "scopeLevel": {"type": "integer"}
            }
          },
          "Version": {
            "type": "object",
            "required": [
              "version", "parent", "standing", "scopeLevel", "first", "last", "edits", "tags",
              "snapshots"
            ],
            "properties": {
              "version": {"type": "integer"}, "parent": {"type": ["integer", "null"]},
              "standing": {"type": "string", "enum": ["current", "undo", "redo", "aside"]},
              "scopeLevel": {"type": "integer"}, "first": {"type": "integer"},
              "last": {"type": "integer"}, "edits": {"type": "integer"},
              "inEffect": {"type": "boolean"}, "transaction": {"$ref": "PartInfo"},
              "tags": {"type": "array", "items": {"type": "string"}},
              "snapshots": {"type": "array", "items": {"type": "string"}},
              "kind": {"type": "string"}, "actors": {"type": "array", "items": {"type": "string"}},
              "requesters": {"type": "array", "items": {"type": "string"}},
              "began": {"$ref": "Time"}, "ended": {"$ref": "Time"}, "label": {"type": "string"},
              "paths": {"type": "array", "items": {"type": "string"}},
              "summary": {"$ref": "Summary"}
            }
          },
          "Summary": {
            "type": "object", "required": ["sentence", "parts", "values", "count"],
            "properties": {
              "sentence": {"type": "string"},
              "parts": {"type": "array", "items": {
                "type": "object", "minProperties": 1, "maxProperties": 1,
                "additionalProperties": {"type": "string"}, "propertyNames": {
                  "enum": ["words", "object", "old", "new", "quote", "person"]}
              }},
              "values": {"type": "array", "items": {
                "type": "object", "required": ["old", "new"],
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}}
              }},
              "count": {"type": "integer"}
            }
          },
          "Versions": {
            "allOf": [{"$ref": "Read"}, {
              "type": "object", "required": ["versions", "next"],
              "properties": {
                "versions": {"type": "array", "items": {"$ref": "Version"}},
                "next": {"type": ["integer", "null"]}, "previous": {"type": ["integer", "null"]},
                "newer": {"type": "integer"}
              }
            }]
          },
          "Activity": {
            "type": "object",
            "required": [
              "document", "revision", "began", "ended", "spanCount", "isSampled", "spans"
            ],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "began": {"$ref": "Time"},
              "ended": {"$ref": "Time"}, "spanCount": {"type": "integer"},
              "isSampled": {"type": "boolean"},
              "spans": {"type": "array", "items": {
                "type": "object", "required": ["index", "first", "last", "changeCount", "shares"],
                "properties": {
                  "index": {"type": "integer"}, "first": {"type": "integer"},
                  "last": {"type": "integer"}, "changeCount": {"type": "integer"},
                  "shares": {"type": "array", "items": {
                    "type": "object", "required": ["actor", "changeCount"],
                    "properties": {"actor": {"type": "string"}, "changeCount": {"type": "integer"}}
                  }}
                }
              }}
            }
          },
          "Blame": {
            "type": "object",
            "required": ["document", "revision", "version", "first", "places", "changes"],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "version": {"type": "integer"}, "first": {"type": "integer"},
              "places": {"type": "array", "items": {
                "type": "object", "required": ["path", "revision"],
                "properties": {
                  "path": {"type": "string"}, "revision": {"type": ["integer", "null"]},
                  "author": {"type": "string"},
                  "text": {"type": "array", "items": {
                    "type": "object", "required": ["count", "revision"],
                    "properties": {
                      "count": {"type": "integer"}, "revision": {"type": ["integer", "null"]},
                      "author": {"type": "string"}
                    }
                  }}
                }
              }},
              "changes": {"type": "array", "items": {"$ref": "ChangeInfo"}}
            }
          },
          "RecentChange": {
            "allOf": [{"$ref": "ChangeInfo"}, {
              "type": "object", "required": ["cursor", "document"],
              "properties": {"cursor": {"type": "integer"}, "document": {"type": "string"}}
            }]
          },
          "Recent": {
            "type": "object", "required": ["changes", "next"],
            "properties": {
              "changes": {"type": "array", "items": {"$ref": "RecentChange"}},
              "next": {"type": ["integer", "null"]}
            }
          },
          "Diff": {
            "type": "object", "required": ["document", "from", "to", "patch"],
            "properties": {
              "document": {"type": "string"},
              "from": {"type": ["integer", "string"]}, "to": {"type": ["integer", "string"]},
              "patch": {"$ref": "Patch"}
            }
          },
          "FeedItem": {
            "type": "object", "required": ["event"],
            "properties": {
              "event": {"type": "string", "enum": ["change", "seal", "bookmark"]},
              "cursor": {"type": "integer"}, "document": {"type": "string"},
              "revision": {"type": "integer"}, "version": {"type": "integer"},
              "patch": {"$ref": "Patch"}, "change": {"$ref": "ChangeInfo"},
              "wonSince": {"type": "integer"}, "key": {"type": "string"},
              "hasUndo": {"type": "boolean"}, "hasRedo": {"type": "boolean"},
              "scopeLevel": {"type": "integer"}
            }
          },
          "FeedPage": {
            "type": "object", "required": ["events", "next"],
            "properties": {
              "document": {"type": "string"},
              "events": {"type": "array", "items": {"$ref": "FeedItem"}},
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
            "required": ["name", "version", "api", "links", "limits", "capabilities"],
            "properties": {
              "name": {"type": "string"}, "version": {"type": "string"}, "api": {"type": "string"},
              "links": {"type": "object", "additionalProperties": {"type": "string"}},
              "limits": {"type": "object", "additionalProperties": {"type": ["integer", "string"]}},
              "capabilities": {"type": "array", "items": {"type": "string"}}
            }
          },
          "Caller": {
            "type": "object", "required": ["name", "rights"],
            "properties": {
              "name": {"type": "string"}, "promptBy": {"type": "string"},
              "rights": {"type": "array", "items": {"type": "string"}},
              "prefix": {"type": "string"},
              "documents": {"type": "array", "items": {"type": "string"}},
              "expires": {"$ref": "Time"}
            }
          },
          "ProblemKind": {
            "type": "object", "required": ["type", "code", "status", "title", "hint"],
            "properties": {
              "code": {"$ref": "ProblemCode"}, "type": {"type": "string"},
              "status": {"type": "integer"}, "title": {"type": "string"}, "hint": {"type": "string"}
            }
          },
          "ProblemKinds": {"type": "array", "items": {"$ref": "ProblemKind"}},
          "Problem": {"type": "object",
            "required": ["type", "title", "status", "detail", "code"],
            "properties": {"type": {"type": "string"}, "title": {"type": "string"},
              "status": {"type": "integer"}, "detail": {"type": "string"},
              "code": {"$ref": "ProblemCode"}, "hint": {"type": "string"},
              "path": {"type": "string"}, "operation": {"type": "integer"},
              "offset": {"type": "integer"}, "found": {}, "count": {"type": "integer"},
              "positions": {"type": "array", "items": {"type": "integer"}, "maxItems": 10},
              "conflicts": {"type": "array", "items": {"type": "string"}},
              "with": {"$ref": "Revisions"},
              "places": {"type": "array", "items": {"$ref": "DraftConflict"}},
              "skipped": {"type": "array", "items": {"$ref": "Skipped"}},
              "selected": {"type": "integer"}, "available": {"type": "integer"},
              "head": {"type": "integer"}, "oldest": {"type": "integer"},
              "owner": {"type": "string"}, "right": {"type": "string"},
              "document": {"type": "string"}, "member": {"type": "integer"},
              "documents": {"type": "array", "items": {"type": "string"}},
              "prefix": {"type": "string"}, "token": {"type": "string"},
              "measure": {"type": "string"}, "max": {"type": "integer"},
              "runs": {"type": "array", "items": {"type": "string"}}, "expires": {"$ref": "Time"},
              "run": {"type": "string"}, "within": {"$ref": "Duration"},
              "bytesMax": {"type": "integer"}, "revision": {"type": ["integer", "null"]},
              "hasUndo": {"type": "boolean"}, "hasRedo": {"type": "boolean"},
              "scopeLevel": {"type": "integer"}, "requestId": {"type": "string"},
              "errors": {"type": "array", "items": {"type": "object",
                "required": ["pointer", "detail"], "properties": {
                  "pointer": {"type": "string"}, "detail": {"type": "string"}}}}
            }
          }
        }
        """#
}
