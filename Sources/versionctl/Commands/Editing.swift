import ArgumentParser
import HTTPCalling
import JSONTree

/// The policy for conflicting edits.
enum Conflict: String, ExpressibleByArgument, CaseIterable {
    case reject, mine, theirs
}

/// `put`.
struct Put: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Store a whole value, and create the document if necessary.",
        discussion: """
            The value is JSON from a file or standard input. With --text it is any text, stored \
            as a string; versionctl get -r prints it unchanged. Examples: \
            versionctl put menu menu.json, versionctl put --text conf/nginx /etc/nginx/nginx.conf
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The file; by default, and for -, standard input.", completion: .file())
    var file = "-"
    @Flag(help: "Store the input as text instead of JSON.") var text = false
    @Flag(help: "Fail if the document exists.") var new = false
    @Option(help: "The revision on which the value is based; later changes are merged.")
    var base: Int?
    @Option(help: "The policy for conflicts: reject, mine or theirs.") var conflict: Conflict?

    func run(_ session: Session) throws {
        let bytes = try Files.read(file)
        let body = try text ? Put.asText(bytes, file) : Put.checked(bytes, file)
        let query = given(("base", base.map(String.init)), ("conflict", conflict?.rawValue))
        func store() throws(Trouble) -> JSON {
            try session.change(
                "PUT", document.path, change.query + query, body: body,
                fields: change.fields + (new ? [("If-None-Match", "*")] : []))
        }
        let hint = "To replace it, use versionctl put \(document.name) without --new."
        let answer = try new ? session.made(document.name, hint: hint, try store()) : store()
        try session.tell(answer, of: document.name, change)
    }

    private static func asText(_ bytes: [UInt8], _ file: String) throws(Trouble) -> [UInt8] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Trouble(.badInput, "\(file) is not valid UTF-8.")
        }
        return JSON(text).serialized()
    }

    private static func checked(_ bytes: [UInt8], _ file: String) throws(Trouble) -> [UInt8] {
        do { _ = try JSON(reading: bytes) } catch {
            throw Trouble(
                .badInput, "\(file == "-" ? "Standard input" : file) is not valid JSON: \(error).",
                hint: "To store plain text, use --text.")
        }
        return bytes
    }
}

/// `set`.
struct SetValue: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set one place of a document.",
        discussion:
            "Examples: versionctl set menu /price 6.50, versionctl set menu /dish stew --string")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The place: a JSON Pointer; /list/- appends an element.") var path: String
    @Argument(help: "The value, as JSON.") var value: String
    @Flag(help: "Store the value as a string.") var string = false

    func run(_ session: Session) throws {
        let value = try self.parsed()
        let pointer = try place(path)
        // Where nothing is, something is added; in a list `add` would push the others along.
        let there = try session.repeated(
            HTTPCall("GET", target(document.path, [("path", pointer)])))
        let edit: JSON = [
            "op": JSON(there.status == 200 ? "replace" : "add"), "path": JSON(pointer),
            "value": value,
        ]
        try patch([edit], by: session)
    }

    private func parsed() throws(Trouble) -> JSON {
        if string { return JSON(value) }
        do { return try JSON(reading: Array(value.utf8)) } catch {
            throw Trouble(
                .badInput, "\(value) is not valid JSON.",
                hint: "To store a string, use --string, or quotes: '\"\(value)\"'")
        }
    }
}

/// `unset`.
struct Unset: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove one place of a document.",
        discussion: "Example: versionctl unset menu /items/0")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The place: a JSON Pointer.") var path: String

    func run(_ session: Session) throws {
        try patch([["op": "remove", "path": JSON(try place(path))]], by: session)
    }
}

/// `patch`.
struct Patch: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Apply a JSON Patch (an array) or a merge patch (an object).",
        discussion: "Example: echo '{\"price\":6}' | versionctl patch menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The file; by default, and for -, standard input.", completion: .file())
    var file = "-"
    @Option(help: "The revision on which the patch is based; later changes are merged.")
    var base: Int?
    @Option(help: "The policy for conflicts: reject, mine or theirs.") var conflict: Conflict?

    func run(_ session: Session) throws {
        let json: JSON
        do { json = try JSON(reading: try Files.read(file)) } catch let error as JSONParseError {
            throw Trouble(.badInput, "The patch is not valid JSON: \(error).")
        }
        let query = given(("base", base.map(String.init)), ("conflict", conflict?.rawValue))
        try patch(json, query, by: session)
    }
}

/// A place as people write it.
func place(_ text: String) throws(Trouble) -> String {
    let path = text.isEmpty || text.hasPrefix("/") ? text : "/" + text
    guard JSONPointer(parsing: path) != nil else {
        throw Trouble(.usage, "\(text) is not a JSON Pointer.", hint: "Example: /items/0/name")
    }
    return path
}

/// Several of them, as the daemon takes them; `nil` for none.
func places(_ paths: [String]) throws(Trouble) -> JSON? {
    let places = try paths.map { path throws(Trouble) in JSON(try place(path)) }
    return places.isEmpty ? JSON?.none : JSON(elements: places)
}

extension Session {
    /// The result of a change.
    func tell(
        _ answer: JSON, of name: String, _ change: ChangeOptions, _ did: String? = nil
    ) throws(Trouble) {
        if options.json { return screen.line(answer.text) }
        let isNothing = answer["change"]?.kind == .null
        let place = Session.place(of: answer)
        let would = change.dryRun ? " (not done)" : ""
        screen.tell("\(name): \(isNothing ? "nothing changed" : did ?? place)\(would)")
    }

    /// Where a change has led.
    static func place(of answer: JSON) -> String {
        // A document that would be made has none yet.
        let (revision, version) = (answer["revision"], answer["version"])
        return "revision \(revision?.int.map { "\($0)" } ?? "0"), "
            + "version \(version?.int.map { "\($0)" } ?? "0")"
    }

    /// The same, and what it changed.
    func tellChange(
        _ answer: JSON, of document: DocumentAddress, _ change: ChangeOptions, _ did: String
    ) throws(Trouble) {
        try tell(answer, of: document.name, change, did)
        guard !options.json, !options.quiet, let patch = answer["patch"],
            let revision = answer["revision"]?.int
        else { return }
        let before = change.dryRun ? revision : revision - 1
        let base = try? json(document.path, [("at", "\(before)")])
        for line in ChangeLines(screen).lines(net(patch, on: base), on: base) { screen.line(line) }
    }

    /// The net effect of a patch: several steps may change a place repeatedly.
    private func net(_ patch: JSON, on base: JSON?) -> JSON {
        guard let base, patch.count > 1, let steps = try? JSONPatch(patch),
            let after = try? base.applying(steps).tree,
            let difference = try? base.diff(to: after).operations(on: base)
        else { return patch }
        return (try? JSON(reading: difference.serialized())) ?? patch
    }
}
