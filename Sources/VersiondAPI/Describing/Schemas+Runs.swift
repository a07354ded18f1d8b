// The responses about runs.

extension Schemas {
    static let runs = #"""
        {
          "RunEffect": {"type": "string", "enum": ["all", "part", "none"]},
          "RunInfo": {
            "type": "object",
            "required": [
              "run", "began", "ended", "documentCount", "edits", "undoneCount", "effect", "open"
            ],
            "properties": {
              "run": {"type": "string"},
              "requesters": {"type": "array", "items": {"type": "string"}},
              "label": {"type": "string"},
              "began": {"$ref": "Time"}, "ended": {"$ref": "Time"},
              "documentCount": {"type": "integer"}, "edits": {"type": "integer"},
              "undoneCount": {"type": "integer"}, "effect": {"$ref": "RunEffect"},
              "open": {"type": "boolean"}, "expires": {"$ref": "Time"}
            }
          },
          "OpenRun": {
            "type": "object", "required": ["run", "open"],
            "properties": {
              "run": {"type": "string"}, "open": {"type": "boolean"}, "expires": {"$ref": "Time"}
            }
          },
          "Runs": {
            "type": "object", "required": ["runs", "next"],
            "properties": {
              "runs": {"type": "array", "items": {"$ref": "RunInfo"}},
              "next": {"type": ["integer", "null"]}
            }
          },
          "Run": {
            "allOf": [{"$ref": "RunInfo"}, {
              "type": "object", "required": ["documents", "other", "next"],
              "properties": {
                "documents": {"type": "array", "items": {"$ref": "RunDocument"}},
                "other": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["document", "revision", "kind"],
                    "properties": {
                      "document": {"type": "string"}, "revision": {"type": "integer"},
                      "kind": {"$ref": "ChangeKind"}
                    }
                  }
                },
                "next": {"type": ["string", "null"]}
              }
            }]
          },
          "RunDocument": {
            "type": "object",
            "required": [
              "document", "revision", "edits", "undoneCount", "revisions", "places"
            ],
            "properties": {
              "document": {"type": "string"}, "revision": {"type": "integer"},
              "absent": {"$ref": "ProblemCode"},
              "edits": {"type": "integer"}, "undoneCount": {"type": "integer"},
              "summary": {"$ref": "Summary"},
              "revisions": {"$ref": "Revisions"}, "passed": {"$ref": "Revisions"},
              "places": {"type": "array", "items": {"$ref": "RunPlace"}}
            }
          },
          "RunPlace": {
            "type": "object", "required": ["path", "outcome"],
            "properties": {
              "path": {"type": "string"},
              "outcome": {"type": "string", "enum": ["reverts", "conflict", "kept"]},
              "value": {}, "valueBytes": {"type": "integer"},
              "reverted": {}, "revertedBytes": {"type": "integer"},
              "revision": {"type": "integer"}, "with": {"$ref": "Revisions"}
            }
          }
        }
        """#
}
