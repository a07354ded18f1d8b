import ArgumentParser
import HTTPCalling
import JSONTree

/// `copy`.
struct Copy: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a document, or one of its states, to another name.",
        discussion: "Example: versionctl copy menu@tag:lunch dinner")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "DOCUMENT or DOCUMENT@STATE.") var source: DocumentAddress
    @Argument(help: "The new name.") var name: String
    @Flag(help: "Also copy the history.") var history = false

    func run(_ session: Session) throws {
        let from = source.name + (source.state.map { "@\($0)" } ?? "")
        let query = [("copyOf", from)] + (history ? [("withHistory", "true")] : [])
        // A copy over something that is there has to be meant.
        let fields = change.ifMatch == nil ? [("If-None-Match", "*")] : change.fields
        let hint = "To replace it, use versionctl copy \(from) \(name) --if-match REVISION."
        let answer = try session.found(
            source.name,
            try session.made(
                name, hint: hint,
                try session.change(
                    "PUT", "/v1/documents/\(name.escaped)", change.query + query, fields: fields)))
        try session.tell(answer, of: name, change, "a copy of \(from)")
    }
}

/// `rename`.
struct Rename: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rename a document; its history is kept.",
        discussion: "Example: versionctl rename menu evening/menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The new name.") var name: String

    func run(_ session: Session) throws {
        let answer = try send("POST", "/rename", body: ["name": JSON(name)], by: session)
        try session.tell(answer, of: document.name, change, "renamed to \(name)")
    }
}

/// `rm`.
struct Remove: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a document; undelete restores it.",
        discussion: "Example: versionctl rm menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Flag(help: "Erase the document and its history permanently.") var purge = false
    @Flag(help: "Confirm --purge.") var yes = false

    func run(_ session: Session) throws {
        guard !purge || yes || change.dryRun else {
            throw Trouble(
                .usage, "--purge erases \(document.name) and its history permanently.",
                hint: "To confirm: versionctl rm \(document.name) --purge --yes")
        }
        let answer =
            try change.dryRun
            ? session.json(of: document, "/status")
            : send("DELETE", "", purge ? [("purge", "")] : [], by: session)
        try session.tell(answer, of: document.name, change, purge ? "erased" : "deleted")
    }
}

/// `undelete`.
struct Undelete: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore a deleted document with its versions, tags and snapshots.",
        discussion: "Example: versionctl undelete menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress

    func run(_ session: Session) throws {
        let answer = try session.change(
            "POST", document.path + "/undelete", change.query, fields: change.fields)
        try session.tell(
            answer, of: document.name, change,
            "restored, revision \(answer["revision"]?.text ?? "?")")
    }
}

/// `settings`.
struct SettingsCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show or set the settings of a document.",
        discussion: "Example: versionctl settings menu debounce=2s 'ignored=[\"/cursor\"]'. NAME= "
            + "restores the default.")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "NAME=VALUE; VALUE is JSON or text.") var settings: [String] = []

    func run(_ session: Session) throws {
        if settings.isEmpty {
            let found = try session.json(of: document, "/settings")
            let shown = found["settings"] ?? found
            return common.json
                ? session.screen.line(shown.text)
                : session.screen.write(shown.prettyPrinted() + [0x0a])
        }
        let members = try settings.map { setting in
            guard let sign = setting.firstIndex(of: "=") else {
                throw Trouble(.usage, "\(setting) is not NAME=VALUE.")
            }
            let text = String(setting[setting.index(after: sign)...])
            let value =
                text.isEmpty ? JSON.null : (try? JSON(reading: Array(text.utf8))) ?? JSON(text)
            return (String(setting[..<sign]), value)
        }
        let answer = try send(
            "PATCH", "/settings", body: JSON(members: members),
            type: "application/merge-patch+json", by: session)
        try session.tell(answer, of: document.name, change)
    }
}
