import JSONTree

/// The arguments of a call, which were checked.
struct ToolArguments: Sendable {
    let values: JSON
    let context: ToolContext

    subscript(name: String) -> JSON? { values[name] }

    func text(_ name: String) -> String? { values[name]?.string }

    var document: String { text("document") ?? "" }
    var isDryRun: Bool { values["dry_run"]?.bool == true }

    /// The run that makes a change.
    func run() throws(ToolProblem) -> String {
        guard let run = text("run") ?? context.run else {
            throw ToolProblem(
                "The edit belongs to no run.",
                hint: "Call begin_run once, and send its result as run with each edit.")
        }
        guard run.contains("/"), run != context.owner else {
            throw ToolProblem(
                "\(run) is not a run: its name has no slash, or is that of your token.",
                hint: "Call begin_run, and send its result as run.")
        }
        return run
    }

    // MARK: In the query

    typealias Query = [(name: String, value: String)]

    /// Those parameters that have a value.
    func query(_ pairs: (String, String?)...) -> Query {
        pairs.compactMap { name, value in value.map { (name, $0) } }
    }

    /// `limit`, within the daemon's.
    func limit(default fallback: Int) -> Query {
        query(("limit", "\(min(values["limit"]?.int ?? fallback, 1_000))"))
    }

    func number(_ name: String) -> Query { query((name, values[name]?.int.map { "\($0)" })) }

    /// The label and `dryRun` of a change.
    func change(_ why: String? = nil) -> Query {
        query(
            ("label", text("why") ?? why ?? context.label), ("dryRun", isDryRun ? "true" : nil))
    }

    func place() throws(ToolProblem) -> Query {
        query(("path", try text("path").map(ToolArguments.pointer)))
    }

    /// A JSON Pointer, whose first slash may be missing.
    static func pointer(_ text: String) throws(ToolProblem) -> String {
        let path = text.isEmpty || text.hasPrefix("/") ? text : "/" + text
        guard JSONPointer(parsing: path) != nil else {
            throw ToolProblem("\(text) is not a JSON Pointer.", hint: "Example: /items/0/name")
        }
        return path
    }

    func state() throws(ToolProblem) -> Query {
        query(("at", try text("at").map(address)))
    }

    /// A state as the API names it.
    func address(_ text: String) throws(ToolProblem) -> String {
        let kinds = ["version:", "tag:", "snapshot:"]
        let isName = kinds.contains { text.hasPrefix($0) && text.count > $0.count }
        let isRevision = Int(text).map { $0 >= 0 } ?? false
        if isName || isRevision || ["head", "origin"].contains(text) { return text }
        guard let time = context.time(text) else {
            throw ToolProblem(
                "\(text) is not a state.",
                hint: "Use 7 (a revision), version:3, tag:lunch, head, 2026-11-23 or 1h.")
        }
        return time
    }

    // MARK: In the result

    /// The result of a change. A dry run says that it changed nothing.
    func told(_ answer: ToolAnswer) -> ToolStep {
        .done(
            answer.body.hinting(
                isDryRun
                    ? "Nothing was changed. Repeat the call without dry_run to apply it." : nil))
    }
}
