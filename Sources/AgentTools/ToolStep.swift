public import JSONTree

/// The next step of a tool. A carrier sends the call and continues with the response, until there
/// is a result.
public enum ToolStep: Sendable {
    case call(ToolCall, then: @Sendable (ToolAnswer) -> ToolStep)
    case done(ToolResult)

    /// A call. Without `orElse` its problem is the result.
    static func ask(
        _ call: ToolCall, orElse: @escaping @Sendable (ToolProblem) -> ToolStep = { .failed($0) },
        then: @escaping @Sendable (ToolAnswer) -> ToolStep
    ) -> ToolStep {
        .call(
            call,
            then: { answer in
                answer.status < 300 ? then(answer) : orElse(ToolProblem(answer))
            })
    }

    static func done(_ value: JSON) -> ToolStep { .done(.done(value)) }

    static func failed(_ problem: ToolProblem) -> ToolStep {
        .done(
            .failed(
                problem.sentence + (problem.hint.isEmpty ? "" : "\nhint: \(problem.hint)")))
    }

    /// A problem of a call about a document. If it does not exist, the hint names a similar one.
    static func failed(_ problem: ToolProblem, about document: String) -> ToolStep {
        guard problem.code == "unknown-document" else { return .failed(problem) }
        let query = [("prefix", String(document.prefix(1))), ("limit", "1000")]
        let list = ToolCall("GET", ["v1", "documents"], query.map { (name: $0, value: $1) })
        return .call(
            list,
            then: { answer in
                let near = NearName.nearest(to: document, among: answer.body.documentNames)
                return .failed(
                    ToolProblem(
                        "The document \(document) does not exist.",
                        hint: near.map { "Did you mean \($0)?" }
                            ?? "The tool list returns the names of documents; create makes one."))
            })
    }
}

/// The result of a tool.
public enum ToolResult: Sendable {
    case done(JSON)
    /// An error and a hint.
    case failed(String)

    /// As `tools/call` returns it: structured, and as text for clients that read only text.
    var members: [(String, JSON)] {
        switch self {
        case .done(let value):
            [("content", [["type": "text", "text": JSON(value.description)]])]
                + (value.members == nil ? [] : [("structuredContent", value)])
        case .failed(let sentence):
            [("content", [["type": "text", "text": JSON(sentence)]]), ("isError", true)]
        }
    }
}

extension JSON {
    /// The names on a page of `GET /v1/documents`.
    var documentNames: [String] {
        self["documents"]?.elements?.compactMap { $0["document"]?.string } ?? []
    }

    /// The object with a hint as its last member.
    func hinting(_ hint: String?) -> JSON {
        guard let hint, let members else { return self }
        return JSON(members: members.map { ($0.name, $0.value) } + [("hint", JSON(hint))])
    }
}
