import Documents
import HTTPServing
import JSONTree
import Journaling
import VersioningKit

// What a document's users may set.

extension DocumentsAPI {
    /// `GET …/settings`
    func readSettings(_ call: Call, _ id: DocumentID) throws(Problem) {
        try reading(call, id) { document, text in
            text.name("settings")
            text.describe(document.settings)
        }
    }

    /// `PATCH …/settings`: a merge patch; `null` restores the default.
    func changeSettings(_ call: Call, _ id: DocumentID) throws(Problem) {
        try submit(call, id, .settings(try settings(call)))
    }

    private func settings(_ call: Call) throws(Problem) -> SettingsChange {
        var body = try ControlBody(call)
        var change = SettingsChange()
        change.grouping = DocumentsAPI.grouping(&body)
        change.ignored = DocumentsAPI.ignored(&body)
        change.tracked = body.member("tracked", "null or a JSON Pointer without numbers") { value in
            if value.kind == .null { return .root }
            let pointer = value.string.flatMap { JSONPointer(parsing: $0) }
            return pointer.flatMap { $0.hasNumbers ? nil : $0 }
        }
        change.identityNames = DocumentsAPI.identity(&body)
        change.requiresMatch = body.member("requireMatch", "true, false or null") { value in
            value.kind == .null ? false : value.bool
        }
        DocumentsAPI.bounds(&body, &change)
        if change == SettingsChange(), body.present(DocumentsAPI.settingNames).isEmpty {
            body.fault("", "There is nothing to set.")
        }
        try body.finish(hint: "-d '{\"debounce\":\"500ms\",\"retention\":{\"count\":1000}}'")
        return change
    }

    private static let settingNames = [
        "debounce", "ignored", "tracked", "identity", "requireMatch", "retention",
    ]

    /// `null`, `"500ms"`, or `{"window":"500ms","max":"10s"}`.
    private static func grouping(_ body: inout ControlBody) -> Grouping? {
        guard let value = body.member("debounce") else { return nil }
        if value.kind == .null { return Grouping.none }
        if value.kind == .object {
            let range = Duration.zero...Limits.debounceMax
            return body.object("debounce") { inner in
                let window = inner.duration("window", range)
                let longest = inner.duration("max", range)
                if inner.present(["window"]).isEmpty { inner.fault("window", "window is missing.") }
                return window.map { Grouping(window: $0, longest: longest) } ?? .none
            }
        }
        return body.duration("debounce", .zero...Limits.debounceMax).map {
            Grouping(window: $0, longest: nil)
        }
    }

    private static func ignored(_ body: inout ControlBody) -> [PointerPattern]? {
        let what =
            "null or at most \(Tracking.ignoredMax) JSON Pointers with * for any element, "
            + "without numbers, of \(Tracking.ignoredTokensMax) tokens together"
        return body.member("ignored", what) { value in
            if value.kind == .null { return [] }
            let patterns = ControlBody.list(value, 0...Tracking.ignoredMax) {
                PointerPattern(parsing: $0)
            }
            let tokens = patterns?.reduce(0) { $0 + $1.pointer.count } ?? 0
            return tokens <= Tracking.ignoredTokensMax ? patterns : nil
        }
    }

    private static func identity(_ body: inout ControlBody) -> [String]? {
        let what = "null or at most \(Limits.identityNamesMax) names"
        return body.member("identity", what) { value in
            if value.kind == .null { return DocumentSettings().identityNames }
            return ControlBody.list(value, 0...Limits.identityNamesMax) { $0 }
        }
    }

    /// `null`, or an object of what is bounded.
    private static func bounds(_ body: inout ControlBody, _ change: inout SettingsChange) {
        guard let value = body.member("retention") else { return }
        if value.kind == .null {
            (change.historyCount, change.historyBytes) = (.some(.none), .some(.none))
            change.historyAge = .some(.none)
            return
        }
        let bounds = body.object("retention") { inner in
            (
                inner.setting("count") { $0.number("count", 1...Int(Int32.max)) },
                inner.setting("bytes") { $0.number("bytes", 1_024...Int.max / 2) },
                inner.setting("age") { $0.duration("age", Limits.historyAge) }
            )
        }
        guard let bounds else { return }
        (change.historyCount, change.historyBytes, change.historyAge) = bounds
    }
}

extension ControlBody {
    /// A member that `null` takes away.
    fileprivate mutating func setting<Value>(
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

extension JSONText {
    fileprivate mutating func describe(_ settings: DocumentSettings) {
        object { text in
            if settings.grouping == .none {
                text.member("debounce", .null)
            } else {
                text.member("debounce") { text in
                    text.member("window", HumanDuration.text(settings.grouping.window))
                    text.member("max", HumanDuration.text(settings.grouping.max))
                }
            }
            let ignored = settings.tracking.ignored.map { JSON($0.description) }
            text.member("ignored", JSON(elements: ignored))
            text.member("tracked", settings.tracking.tracked.description)
            text.member("identity", JSON(elements: settings.identityNames.map { JSON($0) }))
            text.member("requireMatch", settings.requiresMatch)
            text.member("retention") { text in
                let bounds = settings.bounds
                text.member("count", bounds.count.map { JSON($0) } ?? .null)
                text.member("bytes", bounds.bytes.map { JSON($0) } ?? .null)
                text.member("age", bounds.age.map { JSON(HumanDuration.text($0)) } ?? .null)
            }
        }
    }
}
