import ArgumentParser
import JSONTree

/// `copy`.
struct Copy: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a document, or one of its states, to another name.",
        discussion: "Example: versionctl copy menu@tag:lunch dinner")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document, and perhaps its state.") var source: DocumentAddress
    @Argument(help: "The new name.") var name: String
    @Flag(help: "With all that led to it.") var history = false

    func run(_ session: Session) throws {
        let from = source.name + (source.state.map { "@\($0)" } ?? "")
        let query = [("copyOf", from)] + (history ? [("withHistory", "true")] : [])
        // A copy over something that is there has to be meant.
        let fields = change.ifMatch == nil ? [("If-None-Match", "*")] : change.fields
        let hint = "versionctl copy \(from) \(name) --if-match REVISION writes over that revision."
        let answer = try session.found(
            source.name,
            try session.made(
                name, hint: hint,
                try session.change(
                    "PUT", "/v1/documents/\(escaped(name))", change.query + query, fields: fields)))
        try session.tell(answer, of: name, change, "a copy of \(from)")
    }
}

/// `rename`.
struct Rename: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give a document another name, with its history.",
        discussion: "Example: versionctl rename menu evening/menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The new name.") var name: String

    func run(_ session: Session) throws {
        let answer = try send("POST", "/rename", body: ["name": JSON(name)], by: session)
        try session.tell(answer, of: document.name, change, "is \(name) now")
    }
}

/// `rm`.
struct Remove: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a document; undelete brings it back.",
        discussion: "Example: versionctl rm menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Flag(help: "Erase all that it ever was. Nothing brings it back.") var purge = false
    @Flag(help: "Do not ask.") var yes = false

    func run(_ session: Session) throws {
        guard !purge || yes || change.dryRun else {
            throw Trouble(
                .usage, "--purge erases all that \(document.name) ever was, for good.",
                hint: "If that is meant: versionctl rm \(document.name) --purge --yes")
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
        abstract: "Bring back a deleted document, with versions, tags and snapshots.",
        discussion: "Example: versionctl undelete menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress

    func run(_ session: Session) throws {
        let answer = try session.change(
            "POST", document.path + "/undelete", change.query, fields: change.fields)
        try session.tell(
            answer, of: document.name, change,
            "is back, revision \(answer["revision"]?.text ?? "?")")
    }
}

/// `settings`.
struct SettingsCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show or set the settings of a document.",
        discussion: "Example: versionctl settings menu debounce=2s 'ignored=[\"/cursor\"]'; NAME= "
            + "sets the default.")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "NAME=VALUE; VALUE is JSON, or else text.") var settings: [String] = []

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
