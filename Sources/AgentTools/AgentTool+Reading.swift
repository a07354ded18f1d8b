import JSONTree

// The reading tools.

extension AgentTool {
    static let incomplete = "The list is incomplete: use a longer prefix."

    static func documentCall(
        _ method: String, _ document: String, _ rest: [String] = [],
        _ query: ToolArguments.Query = [], fields: [(name: String, value: String)] = [],
        body: JSON? = nil, by actor: String? = nil
    ) -> ToolCall {
        ToolCall(
            method, ["v1", "documents", document] + rest, query, fields: fields, body: body,
            by: actor)
    }

    /// Reads something of the document, and returns it as it is.
    private static func reading(
        _ arguments: ToolArguments, _ part: String, _ query: ToolArguments.Query
    ) -> ToolStep {
        let document = arguments.document
        return .ask(
            documentCall("GET", document, [part], query),
            orElse: { .failed($0, about: document) }, then: { .done($0.body) })
    }

    static func list(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let query =
            arguments.query(("prefix", arguments.text("prefix") ?? ""))
            + arguments.limit(default: 100)
        return .ask(ToolCall("GET", ["v1", "documents"], query)) { answer in
            let names = answer.body.documentNames.map { JSON($0) }
            let found: JSON = ["documents": JSON(elements: names)]
            return .done(found.hinting(answer.body.isLastPage ? nil : incomplete))
        }
    }

    static func read(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let document = arguments.document
        let query = try arguments.place() + arguments.state()
        return .ask(
            documentCall("GET", document, [], query), orElse: { .failed($0, about: document) },
            then: { answer in
                .done([
                    "document": JSON(document), "revision": JSON(answer.revision),
                    "value": answer.body,
                ])
            })
    }

    static func history(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let query =
            arguments.limit(default: 20)
            + arguments.query(("summary", ""), ("actor", arguments.text("actor")))
        return reading(arguments, "versions", query + (try arguments.place()))
    }

    static func blame(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        reading(arguments, "blame", try arguments.place() + arguments.state())
    }

    static func diff(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let from = try arguments.address(arguments.text("from") ?? "")
        let to = try arguments.address(arguments.text("to") ?? "head")
        return reading(arguments, "diff", arguments.query(("from", from), ("to", to)))
    }

    static func runs(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let run = arguments.text("run").map { [$0] } ?? []
        let query =
            arguments.query(("prefix", arguments.text("prefix"))) + arguments.limit(default: 20)
        return .ask(ToolCall("GET", ["v1", "runs"] + run, query)) { answer in
            .done(answer.body.hinting(answer.body.isLastPage ? nil : incomplete))
        }
    }
}

extension JSON {
    fileprivate var isLastPage: Bool { self["next"].map { $0.kind == .null } ?? true }
}
