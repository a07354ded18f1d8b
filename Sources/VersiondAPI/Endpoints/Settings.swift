import Documents
import HTTPServing
import JSONSchemas
import JSONTree
import Journaling
import Presence
import VersioningKit

// The settings of a document.

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
        let change = try settings(call)
        if change.showsPresence == false, !call.isDryRun { presence.end(id, life: .max) }
        try submit(call, id, .settings(change))
    }

    private func settings(_ call: Call) throws(Problem) -> SettingsChange {
        let body = try call.command()
        if body.present(SettingsChange.names).isEmpty {
            throw Problem(
                malformed: "", "The body has no setting.", hint: "Example: {\"debounce\":\"500ms\"}"
            )
        }
        do throws(BodyFault) { return try SettingsChange(body) } catch {
            throw Problem(malformed: [error])
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
            text.member("schema", settings.schema?.json ?? .null)
            text.member("enforce", settings.enforcement.rawValue)
            text.member("presence", settings.showsPresence)
            text.member("retention") { text in
                let bounds = settings.bounds
                text.member("count", bounds.count.map { JSON($0) } ?? .null)
                text.member("bytes", bounds.bytes.map { JSON($0) } ?? .null)
                text.member("age", bounds.age.map { JSON(HumanDuration.text($0)) } ?? .null)
            }
        }
    }
}
