import ArgumentParser
import HTTPCalling
import JSONTree

/// `runs`.
struct Runs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, review, undo, redo and close runs.",
        discussion: """
            A run is every edit of an actor with a slash in its name, for example agent/run-17. \
            Examples: versionctl runs --below agent, versionctl runs agent/run-17, versionctl runs \
            undo agent/run-17
            """,
        subcommands: [RunsList.self, RunsUndo.self, RunsRedo.self, RunsClose.self],
        defaultSubcommand: RunsList.self)
}

struct RunsUndo: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo a run in all its documents, as one step.",
        discussion: """
            Later edits by other actors are kept; a document that the run created is deleted, if \
            no other actor has edited it. Examples: versionctl runs undo agent/run-17, versionctl \
            runs undo agent/run-17 --keep menu/price --keep stock
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var move: RunMove

    func run(_ session: Session) throws { try move.run(.undo, session) }
}

struct RunsRedo: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Redo the newest undo of a run.",
        discussion: """
            In all documents of that undo; again, the undo before. Example: versionctl runs redo \
            agent/run-17
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var move: RunMove

    func run(_ session: Session) throws { try move.run(.redo, session) }
}

struct RunsClose: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close a run.",
        discussion: "A closed run can be undone. Example: versionctl runs close agent/run-17")

    @OptionGroup var common: CommonOptions
    @Argument(help: "The run.") var run: String

    func run(_ session: Session) throws {
        let answer = try session.close(run: run)
        session.screen.tell(common.json ? answer.text : "\(run.visible) is closed.")
    }
}

extension Session {
    /// Opens a run, for a time without an edit of it.
    func open(
        run: String, for time: String, _ label: String? = nil
    ) throws(Trouble) -> JSON {
        try change("PUT", "/v1/runs/\(run.escaped)", given(("ttl", time), ("label", label)))
    }

    func close(run: String) throws(Trouble) -> JSON {
        try change("POST", "/v1/runs/\(run.escaped)/close")
    }
}

/// The options of undo and redo of a run.
struct RunMove: ParsableArguments {
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The run.") var run: String
    @OptionGroup var scope: ManyEdits.Scope
    @Option(help: "The policy for conflicts: reject, mine or theirs.") var conflict: Conflict?
    @Flag(help: "Also close the run, if it is open.") var close = false

    fileprivate func run(_ move: ManyEdits, _ session: Session) throws {
        try change.checkHasNoRevision("runs \(move)")
        let answer = try move.sent(
            by: session, change.query + given(("conflict", conflict?.rawValue)),
            given(
                ("all", ["actor": JSON(run)]), ("prefix", scope.prefix.map { JSON($0) }),
                ("close", close ? JSON(true) : JSON?.none)),
            keeping: scope.keep)
        move.tell(answer, change, by: session)
    }
}

/// `runs list`, the default.
struct RunsList: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List runs, newest first, or review one of them.",
        discussion: "Examples: versionctl runs list --effect part, versionctl runs agent/run-17")

    @OptionGroup var common: CommonOptions
    @Argument(help: "The run to review.") var run: String?
    @Option(help: "Only runs of this actor.") var below: String?
    @Option(help: "Only runs that this actor asked for.") var requestedBy: String?
    @Option(help: "Only runs of which this part is in effect: all, part or none.")
    var effect: Effect?
    @Flag(help: "Only open runs.") var open = false
    @Option(help: "Only documents with this prefix.") var prefix: String?
    @Option(help: "Only runs with this text in the name, label or requester.") var grep: String?
    @Option(help: "Only runs with an edit after this time.") var since: State?
    @Option(name: .short, help: "The maximum number of runs.") var number: Int?

    /// The part of a run that is in effect.
    enum Effect: String, ExpressibleByArgument, CaseIterable {
        case all, part, none
    }

    func run(_ session: Session) throws {
        if let run { return try review(run, session) }
        let query = given(
            ("below", below), ("promptBy", requestedBy), ("effect", effect?.rawValue),
            ("open", open ? "true" : nil),
            ("prefix", prefix), ("q", grep), ("since", since?.text))
        var rows: [[String]] = []
        try session.pages("/v1/runs", query, "runs", number) { found throws(Trouble) in
            if common.json { return session.screen.line(found.text) }
            rows.append(RunsList.cells(found))
        }
        session.screen.page(Table.lines(rows))
    }

    private static func cells(_ run: JSON) -> [String] {
        let edits = run["edits"]?.int ?? 0
        let undone = run["undoneCount"]?.int ?? 0
        let documents = run["documentCount"]?.int ?? 0
        let requesters = (run["requesters"]?.elements ?? []).compactMap(\.string)
        return [
            run["run"]?.string?.visible ?? "?", Times.short(run["ended"]?.string ?? ""),
            counted(edits, "edit") + (undone > 0 ? ", \(undone) undone" : "")
                + (run["open"]?.bool == true ? ", open" : ""),
            counted(documents, "document"),
            requesters.isEmpty ? "" : "asked by " + requesters.joined(separator: ", ").visible,
            run["label"]?.string?.visible ?? "",
        ]
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private func review(_ run: String, _ session: Session) throws {
        let path = "/v1/runs/\(run.escaped)"
        let query = given(("prefix", prefix))
        let head = common.json ? nil : try session.json(path, query)
        for line in Table.lines(head.map { [RunsList.cells($0)] } ?? []) {
            session.screen.line(line)
        }
        try session.pages(path, query, "documents", number) { found throws(Trouble) in
            if common.json { return session.screen.line(found.text) }
            for line in RunsList.lines(found) { session.screen.line(line) }
        }
        for other in head?["other"]?.elements ?? [] {
            let name = other["document"]?.string?.visible ?? "?"
            let kind = other["kind"]?.string ?? "?"
            let revision = other["revision"]?.int ?? 0
            session.screen.line("\(name): \(kind), revision \(revision): not undone with the run")
        }
    }

    /// The effect of an undo in a document.
    private static func lines(_ document: JSON) -> [String] {
        let name = document["document"]?.string?.visible ?? "?"
        if let absent = document["absent"]?.string { return ["\(name): \(absent)"] }
        let words = document["summary"]?["sentence"]?.string?.visible ?? "no visible effect"
        let places = (document["places"]?.elements ?? []).map { place in
            let path = place["path"]?.string.map { $0.isEmpty ? "(document)" : $0.visible } ?? "?"
            return ["   ", path, text(of: place)]
        }
        return ["\(name): \(words)"] + Table.lines(places, gap: 1)
    }

    private static func text(of place: JSON) -> String {
        let with = (place["with"]?.elements ?? []).map(\.text).joined(separator: ", ")
        switch place["outcome"]?.string {
        case "conflict": return "conflict with revision \(with)"
        case "kept": return "stays, because of revision \(with)"
        default: return "\(value(place, "value")) -> \(value(place, "reverted"))"
        }
    }

    private static func value(_ place: JSON, _ name: String) -> String {
        if let bytes = place[name + "Bytes"]?.text { return "(\(bytes) bytes)" }
        return place[name]?.text.visible ?? "(nothing)"
    }
}
