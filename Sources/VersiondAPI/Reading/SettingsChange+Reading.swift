import Documents
import JSONSchemas
import JSONTree
import VersioningKit

// Reads the settings of a document from a body or a file of rules.

extension SettingsChange {
    static let names = [
        "debounce", "ignored", "tracked", "identity", "requireMatch", "schema", "enforce",
        "presence", "retention",
    ]

    /// Reads what fits the schema `Settings`.
    init(_ body: JSON) throws(BodyFault) {
        self.init()
        grouping = body["debounce"].map { Grouping(setting: $0) }
        ignored = try SettingsChange.ignored(body)
        tracked = body["tracked"].map { JSONPointer(parsing: $0.string ?? "") ?? .root }
        identityNames = body["identity"].map { _ in
            body.list("identity") { $0 } ?? DocumentSettings().identityNames
        }
        requiresMatch = body["requireMatch"].map { $0.bool ?? false }
        schema = try SettingsChange.schema(body)
        enforcement = body["enforce"].map {
            $0.string.flatMap(SchemaEnforcement.init(rawValue:)) ?? .edits
        }
        showsPresence = body["presence"].map { $0.bool ?? true }
        if let bounds = body["retention"] { bound(bounds) }
    }

    private static func ignored(_ body: JSON) throws(BodyFault) -> [PointerPattern]? {
        guard body["ignored"] != nil else { return nil }
        let patterns = body.list("ignored") { PointerPattern(parsing: $0) } ?? []
        guard patterns.reduce(0, { $0 + $1.pointer.count }) <= Tracking.ignoredTokensMax else {
            throw BodyFault(
                pointer: "/ignored",
                detail: "All pointers together have at most \(Tracking.ignoredTokensMax) segments.")
        }
        return patterns
    }

    /// A schema of its own, draft 2020-12.
    private static func schema(_ body: JSON) throws(BodyFault) -> Setting<JSONSchema>? {
        guard let json = body["schema"] else { return nil }
        if json.kind == .null { return .some(.none) }
        do throws(JSONSchema.Fault) { return .to(try .shared(json)) } catch {
            throw BodyFault(pointer: "/schema\(error.pointer)", detail: error.detail)
        }
    }

    /// `null`, or an object of bounds.
    private mutating func bound(_ bounds: JSON) {
        func setting<Value>(_ name: String, _ value: Value?) -> Setting<Value>? {
            bounds.kind == .null || bounds[name]?.kind == .null
                ? .some(.none) : value.map { .to($0) }
        }
        historyCount = setting("count", bounds["count"]?.int)
        historyBytes = setting("bytes", bounds["bytes"]?.int)
        historyAge = setting("age", bounds.duration("age"))
    }
}

extension Grouping {
    /// `null`, `"500ms"`, or `{"window":"500ms","max":"10s"}`.
    fileprivate init(setting: JSON) {
        let window = setting.string.flatMap(HumanDuration.parse) ?? setting.duration("window")
        self.init(window: window ?? .zero, longest: setting.duration("max"))
    }

    init(window: Duration, longest: Duration?) {
        if window == .zero {
            self = .none
        } else {
            self.init(window: window, max: longest ?? window * Grouping.windowsMax)
        }
    }
}
