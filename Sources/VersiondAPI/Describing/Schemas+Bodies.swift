import Documents
import JSONTree

// The schemas that check bodies and files, including those without a description.

extension Schemas {
    /// The schemas by name. Patches are checked when they are read, and have problems of their own.
    static let ofBodies = JSON(
        members: (all.members ?? []).filter { $0.name != "Patch" }.map { ($0.name, $0.value) }
            + read(undescribed) + [("Patch", true)])

    private static let undescribed = #"""
        {
          "Nothing": {"type": "object", "additionalProperties": false},
          "Rules": {
            "type": "object", "additionalProperties": false,
            "properties": {
              "rules": {
                "type": "array", "maxItems": \#(DocumentRules.countMax),
                "items": {
                  "type": "object", "required": ["prefix"], "additionalProperties": false,
                  "properties": {
                    "prefix": {"type": "string"}, "defaults": {"$ref": "Settings"},
                    "quota": {
                      "type": "object", "additionalProperties": {"$ref": "Quota"},
                      "propertyNames": {"enum": [
                        "documents", "bytes", "changesPerDay", "documentsPerDay", "bytesPerDay"]}
                    },
                    "undo": {
                      "type": "object", "required": ["within"], "additionalProperties": false,
                      "properties": {"within": {"$ref": "Duration"}}
                    },
                    "runs": {
                      "type": "array", "maxItems": 100,
                      "items": {
                        "type": "object", "required": ["below", "quota"],
                        "additionalProperties": false,
                        "properties": {
                          "below": {"type": "string", "minLength": 1},
                          "quota": {
                            "type": "object", "additionalProperties": {"$ref": "Quota"},
                            "propertyNames": {"enum": ["edits", "documents"]}
                          }
                        }
                      }
                    }
                  }
                }
              },
              "tokens": {
                "type": "array", "maxItems": \#(DocumentRules.countMax),
                "items": {
                  "type": "object", "additionalProperties": false,
                  "properties": {
                    "name": {"type": "string"}, "namePrefix": {"type": "string"},
                    "quota": {
                      "type": "object", "additionalProperties": {"$ref": "Quota"},
                      "propertyNames": {"enum": ["changesPerDay", "documentsPerDay", "bytesPerDay"]}
                    }
                  }
                }
              }
            }
          },
          "Quota": {
            "type": "integer", "format": "int64", "minimum": 0, "maximum": 4611686018427387903
          }
        }
        """#
}
