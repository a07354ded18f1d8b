/// The three forms of an edit.
enum MediaType {
    static let json = "application/json"
    static let jsonPatch = "application/json-patch+json"
    static let mergePatch = "application/merge-patch+json"
    static let lines = "application/x-ndjson"
    static let events = "text/event-stream"
    static let patches = [jsonPatch, mergePatch]
    static let edits = [json, jsonPatch, mergePatch]

    /// The name in a Content-Type field; `nil` if there is none.
    static func name(_ field: String) -> String? {
        if edits.contains(field) { return field }
        let type = field.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        return type.isEmpty ? nil : type
    }
}
