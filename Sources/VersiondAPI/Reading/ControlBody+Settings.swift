import Documents
import JSONSchemas
import JSONTree
import VersioningKit

// What a document's users may set, as a body or a file of rules says it.

extension ControlBody {
    static let settingNames = [
        "debounce", "ignored", "tracked", "identity", "requireMatch", "schema", "enforce",
        "presence", "retention",
    ]

    mutating func settings() -> SettingsChange {
        var change = SettingsChange()
        change.grouping = grouping()
        change.ignored = ignored()
        change.tracked = member("tracked", "null or a JSON Pointer without numbers") { value in
            if value.kind == .null { return .root }
            let pointer = value.string.flatMap { JSONPointer(parsing: $0) }
            return pointer.flatMap { $0.hasNumbers ? nil : $0 }
        }
        change.identityNames = identity()
        change.requiresMatch = member("requireMatch", "true, false or null") { value in
            value.kind == .null ? false : value.bool
        }
        change.schema = setting("schema") { $0.schema() }
        change.enforcement = enforcement()
        change.showsPresence = member("presence", "true, false or null") { value in
            value.kind == .null ? true : value.bool
        }
        bounds(&change)
        return change
    }

    /// `null`, `"500ms"`, or `{"window":"500ms","max":"10s"}`.
    private mutating func grouping() -> Grouping? {
        guard let value = member("debounce") else { return nil }
        if value.kind == .null { return Grouping.none }
        if value.kind == .object {
            let range = Duration.zero...Limits.debounceMax
            return object("debounce") { inner in
                let window = inner.duration("window", range)
                let longest = inner.duration("max", range)
                if inner.present(["window"]).isEmpty { inner.fault("window", "window is missing.") }
                return window.map { Grouping(window: $0, longest: longest) } ?? .none
            }
        }
        return duration("debounce", .zero...Limits.debounceMax).map {
            Grouping(window: $0, longest: nil)
        }
    }

    private mutating func ignored() -> [PointerPattern]? {
        let what =
            "null or at most \(Tracking.ignoredMax) JSON Pointers with * for any element, "
            + "without numbers, of \(Tracking.ignoredTokensMax) tokens together"
        return member("ignored", what) { value in
            if value.kind == .null { return [] }
            let patterns = ControlBody.list(value, 0...Tracking.ignoredMax) {
                PointerPattern(parsing: $0)
            }
            let tokens = patterns?.reduce(0) { $0 + $1.pointer.count } ?? 0
            return tokens <= Tracking.ignoredTokensMax ? patterns : nil
        }
    }

    private mutating func identity() -> [String]? {
        let what = "null or at most \(Limits.identityNamesMax) names"
        return member("identity", what) { value in
            if value.kind == .null { return DocumentSettings().identityNames }
            return ControlBody.list(value, 0...Limits.identityNamesMax) { $0 }
        }
    }

    /// A schema of its own, draft 2020-12.
    private mutating func schema() -> JSONSchema? {
        guard let json = member("schema") else { return nil }
        guard json.kind == .object else {
            fault("schema", "schema must be null or a JSON Schema, which is an object.")
            return nil
        }
        do throws(JSONSchema.Fault) { return try .shared(json) } catch {
            fault("schema", at: error.pointer, error.detail)
            return nil
        }
    }

    private mutating func enforcement() -> SchemaEnforcement? {
        let words = SchemaEnforcement.allCases.map(\.rawValue).joined(separator: ", ")
        return member("enforce", "null, or one of: \(words)") { value in
            value.kind == .null ? .edits : value.string.flatMap(SchemaEnforcement.init(rawValue:))
        }
    }

    /// `null`, or an object of what is bounded.
    private mutating func bounds(_ change: inout SettingsChange) {
        guard let value = member("retention") else { return }
        if value.kind == .null {
            (change.historyCount, change.historyBytes) = (.some(.none), .some(.none))
            change.historyAge = .some(.none)
            return
        }
        let bounds = object("retention") { inner in
            (
                inner.setting("count") { $0.number("count", 1...Int(Int32.max)) },
                inner.setting("bytes") { $0.number("bytes", 1_024...Int.max / 2) },
                inner.setting("age") { $0.duration("age", Limits.historyAge) }
            )
        }
        guard let bounds else { return }
        (change.historyCount, change.historyBytes, change.historyAge) = bounds
    }

    /// A member that `null` takes away.
    private mutating func setting<Value>(
        _ name: String, _ read: (inout ControlBody) -> Value?
    ) -> SettingsChange.Setting<Value>? {
        if member(name)?.kind == .null { return .some(.none) }
        return read(&self).map { .to($0) }
    }
}

extension Grouping {
    init(window: Duration, longest: Duration?) {
        if window == .zero {
            self = .none
        } else {
            self.init(window: window, max: longest ?? window * Grouping.windowsMax)
        }
    }
}
