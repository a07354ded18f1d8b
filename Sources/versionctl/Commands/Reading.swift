import ArgumentParser
import HTTPCalling
import JSONTree

/// `ls`.
struct List: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List documents.",
        discussion: "Example: versionctl ls forms/ -l")

    @OptionGroup var common: CommonOptions

    @Argument(help: "The prefix of the names.", completion: .custom(Completing.documents))
    var prefix = ""

    @Flag(name: .short, help: "Show revision, size and last change.")
    var long = false

    @Option(help: "The maximum number of documents.")
    var limit: Int?

    func run(_ session: Session) throws {
        var rows: [[String]] = []
        try session.pages("/v1/documents", [("prefix", prefix)], "documents", limit) {
            found throws(Trouble) in
            if common.json { return session.screen.line(found.text) }
            guard let name = found["document"]?.string else { return }
            // Programs get names as they are.
            let shown = session.screen.isTerminal ? name.visible : name
            if !long { return session.screen.line(shown) }
            rows.append(try details(name, session))
        }
        for line in Table.lines(rows) { session.screen.line(line) }
    }

    private func details(_ name: String, _ session: Session) throws(Trouble) -> [String] {
        let status = try session.json("/v1/documents/\(name.escaped)/status")
        return [
            status["revision"]?.text ?? "", status["bytes"]?.text ?? "",
            Times.short(status["time"]?.string ?? ""), name.visible,
        ]
    }
}

/// `get`.
struct Get: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a document, or a place in it.",
        discussion: """
            On a terminal, the value is indented; otherwise it is printed exactly as the daemon \
            returns it. Examples: versionctl get menu@tag:lunch /price, versionctl get -r menu /note
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "DOCUMENT or DOCUMENT@STATE.") var document: DocumentAddress
    @Argument(help: "A JSON Pointer.") var path: String?
    @Flag(name: .short, help: "Print a string without quotes and without a line end.")
    var raw = false
    @Flag(help: "Print the revision, for --if-match.") var etag = false

    func run(_ session: Session) throws {
        let query = given(("at", document.state), ("path", path))
        let answer = try session.found(document.name, try session.get(document.path, query))
        if etag {
            return session.screen.line(
                (answer.fields["etag"] ?? "").filter { $0 != "\"" })
        }
        let value = try session.parsed(answer)
        if raw, let text = value.utf8 { return session.screen.write(text) }
        guard session.screen.isTerminal, !common.json else {
            return session.screen.write(answer.body)
        }
        session.screen.write(value.prettyPrinted() + [0x0a])
    }
}

/// `status`.
struct StatusCommand: DocumentCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what can be undone and redone.",
        discussion: "Example: versionctl status menu --as bob")

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress

    func run(_ session: Session) throws {
        let query = given(("actor", session.actor))
        let status = try session.json(of: document, "/status", query)
        guard status["revision"] != nil else { throw Trouble(.unreachable, session.noDaemon) }
        if common.json { return session.screen.line(status.text) }
        let own = status["own"]
        session.screen.line(
            "\(document.name.visible): revision \(status["revision"]?.text ?? "?"), version "
                + "\(status["version"]?.text ?? "?"), \(status["bytes"]?.text ?? "?") bytes")
        for (name, step) in [("undo", own?["undo"]), ("redo", own?["redo"])] {
            guard let step, step["version"] != nil else { continue }
            let label = step["label"]?.string.map { " “\($0)”" } ?? ""
            let paths = step["paths"]?.elements?.compactMap(\.string).joined(separator: " ") ?? ""
            session.screen.line(
                "\(name): version \(step["version"]?.text ?? "?")\(label.visible) of yours, "
                    + paths.visible)
        }
        let shared = ["undo": "hasUndo", "redo": "hasRedo"].filter { status[$1]?.bool == true }
        if !shared.isEmpty {
            session.screen.line("shared: \(shared.keys.sorted(by: >).joined(separator: ", "))")
        }
    }
}

/// `whoami`.
struct WhoAmI: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show the name and the rights of the token.",
        discussion: "Example: versionctl whoami --json")

    @OptionGroup var common: CommonOptions

    func run(_ session: Session) throws {
        let answer = try session.json("/v1/whoami")
        guard answer["rights"] != nil else { throw Trouble(.unreachable, session.noDaemon) }
        if common.json { return session.screen.line(answer.text) }
        let name = answer["name"]?.string ?? ""
        let rights = answer["rights"]?.elements?.compactMap(\.string).joined(separator: ", ") ?? ""
        let prefix = answer["prefix"]?.string ?? ""
        let names = answer["documents"]?.elements?.compactMap(\.string) ?? []
        let reach = (prefix.isEmpty ? [] : [prefix + "…"]) + names
        let who = name.isEmpty ? session.actor ?? "anonymous" : name
        session.screen.line(
            "\(who.visible) at \(session.server): \(rights)"
                + (reach.isEmpty ? "" : ", documents \(reach.joined(separator: ", ").visible)"))
    }
}

/// `api`.
struct API: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "api", abstract: "Send any request to the daemon.",
        discussion: "Example: versionctl api PATCH /v1/documents/menu -d '{\"price\":6}' "
            + "-H 'Content-Type: application/merge-patch+json'")

    @OptionGroup var common: CommonOptions
    @Argument(help: "GET, PUT, …") var method: String
    @Argument(help: "The path with the query.") var path: String
    @Option(name: .short, help: "The body; @FILE reads a file, and @- standard input.") var data:
        String?
    @Option(name: [.customShort("H")], help: "A header field: 'Name: value'.") var header:
        [String] = []

    func run(_ session: Session) throws {
        let fields = header.compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
        var body: [UInt8]?
        if let data {
            body = data.hasPrefix("@") ? try Files.read(String(data.dropFirst())) : Array(data.utf8)
        }
        let hasType = fields.contains { $0.name.lowercased() == "content-type" }
        let type = body == nil || hasType ? [] : [("Content-Type", "application/json")]
        let answer = try session.raw(
            HTTPCall(
                method.uppercased(), path.hasPrefix("/") ? path : "/" + path, type + fields,
                body: body))
        session.screen.write(answer.body)
        if answer.status >= 400 { throw ExitCode(Trouble(answer).status.rawValue) }
    }
}
