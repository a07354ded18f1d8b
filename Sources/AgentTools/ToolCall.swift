public import JSONTree

/// A call of the API that a tool makes, as a value: its carrier sends it.
public struct ToolCall: Sendable {
    public let method: String
    /// The path by its segments, not encoded.
    public let segments: [String]
    public let query: [(name: String, value: String)]
    public let fields: [(name: String, value: String)]
    public let body: JSON?
    /// The actor of a change, not encoded; a read has none.
    public let actor: String?

    init(
        _ method: String, _ segments: [String], _ query: [(name: String, value: String)] = [],
        fields: [(name: String, value: String)] = [], body: JSON? = nil, by actor: String? = nil
    ) {
        self.method = method
        self.segments = segments
        self.query = query
        self.body = body
        self.actor = actor
        let type = method == "PATCH" ? "application/json-patch+json" : "application/json"
        self.fields = fields + (body == nil ? [] : [("Content-Type", type)])
    }
}

/// The response to a call.
public struct ToolAnswer: Sendable {
    public let status: Int
    /// The `ETag`, as it is sent.
    public let entityTag: String
    public let body: JSON

    public init(status: Int, entityTag: String, body: JSON) {
        (self.status, self.entityTag, self.body) = (status, entityTag, body)
    }

    /// The revision that the `ETag` names.
    var revision: Int { Int(entityTag.filter(\.isNumber)) ?? 0 }
}

/// The reason why a tool has no result: a sentence, and what the agent can do.
struct ToolProblem: Error {
    var sentence: String
    var hint: String
    var code = ""
    var status = 0

    init(_ sentence: String, hint: String) {
        (self.sentence, self.hint) = (sentence, hint)
    }

    /// The problem in a response.
    init(_ answer: ToolAnswer) {
        sentence = answer.body["detail"]?.string ?? "The daemon returned HTTP \(answer.status)."
        hint = answer.body["hint"]?.string ?? ""
        code = answer.body["code"]?.string ?? ""
        status = answer.status
    }

    /// Whether the document is in another state than the agent expects.
    var isConflict: Bool { status == 409 || status == 412 || code == "test-failed" }

    func hinting(_ hint: String) -> ToolProblem {
        var problem = self
        problem.hint = hint
        return problem
    }
}
