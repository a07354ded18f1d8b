public import JSONSchemas
public import JSONTree
import Threading

/// Which changes are refused whose result breaks the document's schema, where the value before did
/// not.
public enum SchemaEnforcement: String, Sendable, CaseIterable {
    /// Changes that make new content: edits, restored snapshots, own undo, merges. Shared undo and
    /// redo lead to states of the history, whatever the schema is now.
    case edits
    /// All of them.
    case all
    /// No change is refused; each response reports the number of violations.
    case warn

    /// Whether a change of this kind may not break the schema.
    func guards(_ kind: Change.Kind) -> Bool {
        switch self {
        case .warn: false
        case .all: true
        case .edits:
            switch kind {
            case .move, .discardScope: false
            default: true
            }
        }
    }
}

extension JSONSchema {
    /// Reads a schema; documents that have the same one share it.
    public static func shared(_ json: JSON) throws(JSONSchema.Fault) -> JSONSchema {
        try SchemaShelf.shared.schema(json)
    }
}

/// The schemas in use, each once: thousands of documents may have the same.
private final class SchemaShelf: Sendable {
    static let shared = SchemaShelf()

    private struct Entry {
        weak var schema: JSONSchema?
    }

    private let entries = Lock<[JSON: Entry]>([:])
    /// At this number of entries, the cache drops the schemas that are not in use.
    private static let entriesMax = 64

    func schema(_ json: JSON) throws(JSONSchema.Fault) -> JSONSchema {
        if let known = entries.withLock({ $0[json]?.schema }) { return known }
        let schema = try JSONSchema(json)
        entries.withLock { entries in
            if entries.count >= SchemaShelf.entriesMax {
                entries = entries.filter { $0.value.schema != nil }
            }
            entries[json] = Entry(schema: schema)
        }
        return schema
    }
}
