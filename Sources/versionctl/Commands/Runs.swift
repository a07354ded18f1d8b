import ArgumentParser
import JSONTree

/// `runs`.
struct Runs: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "List runs, newest first, or review one of them.",
        discussion: """
            A run is every edit of an actor with a slash in its name, for example agent/run-17. \
            Examples: versionctl runs --below agent, versionctl runs agent/run-17. To undo a \
            run: versionctl undo --prefix '' --by agent/run-17
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The run to review.") var run: String?
    @Option(help: "Only runs of this actor.") var below: String?
    @Option(help: "Only runs that this actor asked for.") var requestedBy: String?
    @Option(help: "Only runs of which this part is in effect: all, part or none.")
    var effect: Effect?
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
            ("prefix", prefix), ("q", grep), ("since", since?.text))
        var rows: [[String]] = []
        try session.pages("/v1/runs", query, "runs", number) { found throws(Trouble) in
            if common.json { return session.screen.line(found.text) }
            rows.append(Runs.cells(found))
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
            counted(edits, "edit") + (undone > 0 ? ", \(undone) undone" : ""),
            counted(documents, "document"),
            requesters.isEmpty ? "" : "asked by " + requesters.joined(separator: ", ").visible,
            run["label"]?.string?.visible ?? "",
        ]
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private func review(_ run: String, _ session: Session) throws {
        let path = "/v1/runs/\(escaped(run))"
        let query = given(("prefix", prefix))
        if !common.json {
            let head = Table.lines([Runs.cells(try session.json(path, query))])
            head.forEach { session.screen.line($0) }
        }
        try session.pages(path, query, "documents", number) { found throws(Trouble) in
            if common.json { return session.screen.line(found.text) }
            for line in Runs.lines(found) { session.screen.line(line) }
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
