import ArgumentParser
import HTTPCalling
import JSONTree

/// `log`.
struct Log: DocumentCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the versions of a document, newest first.",
        discussion: """
            --graph draws the tree of versions: @ is the current version, o can be undone, + can \
            be redone, x is on another branch. Examples: versionctl log menu --graph, versionctl \
            log menu --by agent -p
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Flag(help: "Draw the tree of versions.") var graph = false
    @Flag(name: .short, help: "Show the changes of each version.") var patch = false
    @Option(name: .short, help: "The maximum number of versions.") var number: Int?
    @Option(help: "Only versions of this actor.") var by: String?
    @Option(help: "Only changes of this place; with --changes also before the place was moved.")
    var path: String?
    @Option(help: "Only versions with this text.") var grep: String?
    @Option(help: "Only after this state or time.") var since: State?
    @Flag(help: "List changes, including tags and settings.") var changes = false

    func run(_ session: Session) throws {
        let query = given(
            ("actor", by), ("path", path), ("q", grep), ("since", since?.text),
            ("summary", changes || !patch ? nil : ""))
        let found = try session.found(document.name, try read(query, session))
        if common.json { return found.forEach { session.screen.line($0.text) } }
        session.screen.page(changes ? changeLines(found, session) : versionLines(found, session))
    }

    private func read(
        _ query: [(String, String)], _ session: Session
    ) throws(Trouble) -> [JSON] {
        let path = document.path + (changes ? "/history" : "/versions")
        var found: [JSON] = []
        try session.pages(path, query, changes ? "changes" : "versions", number) {
            found.append($0)
        }
        return found
    }

    private func changeLines(_ found: [JSON], _ session: Session) -> [String] {
        let lines = Table.lines(found.map { LogRow(change: $0).cells(session.screen) })
        guard patch else { return lines }
        let changes = ChangeLines(session.screen)
        return zip(lines, found).flatMap { line, change in
            [line] + changes.lines(change["patch"] ?? .null, on: nil).map { "    " + $0 }
        }
    }

    private func versionLines(_ found: [JSON], _ session: Session) -> [String] {
        let screen = session.screen
        let rows = found.map { LogRow(version: $0) }
        let texts = Table.lines(rows.map { $0.cells(screen) })
        var tree = Graph()
        var prefixes: [(joins: [String], prefix: String)] = []
        for row in rows {
            let mark = screen.painted(row.mark, row.color)
            prefixes.append(
                graph ? tree.rows(of: row.number, parent: row.parent, mark: mark) : ([], mark))
        }
        let width =
            rows.isEmpty ? 0 : prefixes.map { $0.prefix.filter { $0 != " " }.count }.max() ?? 0
        var lines: [String] = []
        for (index, (joins, prefix)) in prefixes.enumerated() {
            lines += joins
            let columns = prefix.split(separator: " ").count
            let padding = String(repeating: "  ", count: max(0, min(width, 8) - columns))
            lines.append(prefix + (graph ? padding : "") + "  " + texts[index])
            if patch, let words = rows[index].sentence { lines.append("      " + words) }
        }
        return lines
    }
}

/// The content of a line of the log.
struct LogRow {
    let number: Int
    let parent: Int?
    let mark: String
    let color: Screen.Color
    let time: String
    let who: String
    let what: String
    let names: [String]
    let sentence: String?

    init(version: JSON) {
        number = version["version"]?.int ?? 0
        parent = version["parent"]?.int
        let standing = version["standing"]?.string ?? ""
        (mark, color) =
            switch standing {
            case "current": ("@", .green)
            case "redo": ("+", .cyan)
            case "aside": ("x", .grey)
            default: ("o", .bold)
            }
        time = Times.short(version["ended"]?.string ?? "")
        let actors = version["actors"]?.elements?.compactMap(\.string) ?? []
        who = LogRow.people(actors, version["requesters"]?.elements?.compactMap(\.string) ?? [])
        what = (version["label"]?.string ?? LogRow.subject(version)).visible
        names =
            (version["tags"]?.elements ?? []).compactMap { $0.string?.visible }
        sentence = version["summary"]?["sentence"]?.string?.visible
    }

    init(change: JSON) {
        number = change["revision"]?.int ?? 0
        (parent, mark, color, sentence) = (nil, "o", .bold, nil)
        time = Times.short(change["time"]?.string ?? "")
        who = LogRow.people(change)
        let kind = change["kind"]?.string ?? ""
        what =
            [kind == "append" ? nil : kind, change["label"]?.string, change["tag"]?.string]
            .compactMap { $0 }.joined(separator: " ").visible
        names = []
    }

    /// The actor and the requester of a change.
    static func people(_ change: JSON?) -> String {
        func names(_ member: String) -> [String] { change?[member]?.string.map { [$0] } ?? [] }
        return people(names("actor"), names("promptBy"))
    }

    private static func people(_ actors: [String], _ requesters: [String]) -> String {
        let names = [actors.isEmpty ? ["-"] : actors, requesters].filter { !$0.isEmpty }
        return names.map { $0.joined(separator: "+").visible }.joined(separator: " for ")
    }

    private static func subject(_ version: JSON) -> String {
        let paths = version["paths"]?.elements?.compactMap(\.string) ?? []
        if !paths.isEmpty {
            return paths.prefix(3).joined(separator: " ") + (paths.count > 3 ? " …" : "")
        }
        let kind = version["kind"]?.string ?? ""
        return kind == "append" ? "" : kind
    }

    func cells(_ screen: Screen) -> [String] {
        [
            "\(number)", time, who, what,
            names.isEmpty ? "" : screen.painted("[\(names.joined(separator: ", "))]", .yellow),
        ]
    }
}

/// `show`.
struct Show: DocumentCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the actor, time, label and changes of a version.",
        discussion: "Example: versionctl show menu 7")

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The number of the version.") var version: Int

    func run(_ session: Session) throws {
        let list = try session.json(
            of: document, "/versions", [("cursor", "\(version + 1)"), ("limit", "1")])
        guard let found = list["versions"]?[0], found["version"]?.int == version else {
            throw Trouble(.notThere, "Version \(version) of \(document.name) does not exist.")
        }
        let before = found["parent"]?.int.map { "version:\($0)" }
        let patch = try before.map { before throws(Trouble) in
            try session.json(
                document.path + "/diff", [("from", before), ("to", "version:\(version)")])
        }
        if common.json { return session.screen.line((patch ?? found).text) }
        let row = LogRow(version: found)
        session.screen.line("version \(version)  \(row.time)  \(row.who)  \(row.what)")
        guard let before, let patch else { return }
        let base = try session.json(document.path, [("at", before)])
        for line in ChangeLines(session.screen).lines(patch["patch"] ?? .null, on: base) {
            session.screen.line(line)
        }
    }
}

/// `diff`.
struct Difference: DocumentCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show the difference between two states of a document.",
        discussion: """
            Without states, shows the changes of the newest version; with one, the changes \
            from that state to the newest. Examples: \
            versionctl diff menu tag:lunch, versionctl diff menu 1h --patch
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The first state.") var from: State?
    @Argument(help: "The second state; by default the newest.") var to: State?
    @Flag(help: "Print a JSON Patch.") var patch = false
    @Flag(help: "Exit with status 1 if the states differ.") var exitCode = false

    func run(_ session: Session) throws {
        let from = try self.from?.text ?? start(session)
        let found = try session.json(
            of: document, "/diff", [("from", from), ("to", to?.text ?? "head")])
        let operations = found["patch"] ?? .null
        if common.json {
            session.screen.line(found.text)
        } else if patch {
            session.screen.line(operations.text)
        } else {
            let base = try session.json(document.path, [("at", from)])
            session.screen.page(ChangeLines(session.screen).lines(operations, on: base))
        }
        if exitCode, operations.elements?.isEmpty == false { throw ExitCode(1) }
    }

    /// Before the version that the document is at.
    private func start(_ session: Session) throws -> String {
        let status = try session.json(of: document, "/status")
        let version = status["version"]?.int ?? 0
        let list = try session.json(
            document.path + "/versions", [("cursor", "\(version + 1)"), ("limit", "1")])
        return "version:\(list["versions"]?[0]?["parent"]?.int ?? version)"
    }
}
