import AccessControl
import HTTPServing
import Journaling

/// A row of the table of endpoints: the complete description of one call.
///
/// Routing, `Allow`, rights, the check of the query and `/openapi.json` read this table only.
///
/// A class, so that a request copies a reference instead of the row.
final class Endpoint: Sendable {
    let method: HTTPMethod
    /// The path with parameters in braces: `/v1/documents/{document}/undo`.
    let template: String
    /// The name of the call in programs that are generated from the description.
    let id: String
    /// The right that it needs; `nil` if it needs none.
    let right: Rights?
    /// The right that is enough for a document with a `~` in its name.
    let draftRight: Rights?
    let summary: String
    let query: [Parameter]
    let body: Body
    /// The rule by which a body is checked, if it has one.
    let bodyRule: BodyRule?
    let response: Response
    /// Problems of this call, in addition to those of all calls of its kind.
    let problems: [Problem.Kind]
    /// Whether it is about all documents, so that a token with a prefix may not call it.
    let isAboutAll: Bool
    let handler: Handler

    init(
        method: HTTPMethod, template: String, id: String, right: Rights?,
        draftRight: Rights? = nil, summary: String,
        query: [Parameter] = [], body: Body = .none, response: Response = .change,
        problems: [Problem.Kind] = [], isAboutAll: Bool = false, handler: Handler
    ) {
        self.method = method
        self.template = template
        self.id = id
        self.right = right
        self.draftRight = draftRight ?? (right == .write ? .propose : right)
        self.summary = summary
        self.query = query
        self.body = body
        bodyRule = method == .get ? nil : body.schema.map { BodyRule(schema: $0) }
        self.response = response
        self.problems = problems
        self.isAboutAll = isAboutAll
        self.handler = handler
    }

    /// The function that carries out a request. It receives the parameters of the path.
    enum Handler: Sendable {
        case daemon(@Sendable (DocumentsAPI) -> (Call) throws(Problem) -> Void)
        /// With the parameter of the path.
        case part(@Sendable (DocumentsAPI) -> (Call, String) throws(Problem) -> Void)
        case document(@Sendable (DocumentsAPI) -> (Call, DocumentID) throws(Problem) -> Void)
        /// With the document and the other parameter of the path.
        case documentPart(
            @Sendable (DocumentsAPI) -> (Call, DocumentID, String) throws(Problem) -> Void)
    }

    /// A query parameter.
    struct Parameter: Sendable {
        let name: String
        /// The name of its schema in the description.
        let schema: String
        let meaning: String
        /// The default; empty if there is none.
        let fallback: String
        let isRequired: Bool
        /// The rule of the schema.
        let rule: ParameterRule

        init(
            name: String, schema: String, meaning: String, default fallback: String = "",
            isRequired: Bool = false
        ) {
            self.name = name
            self.schema = schema
            self.meaning = meaning
            self.fallback = fallback
            self.isRequired = isRequired
            rule = ParameterRule(schema: schema, meaning: meaning)
        }
    }

    enum Body: Sendable {
        case none
        /// A command that may be left out, by the name of its schema.
        case command(String)
        /// A command that is required.
        case required(String)
        /// A value.
        case value
        /// An edit: JSON with this schema, or a patch in one of these media types. The description
        /// only mentions these: generators of clients send bodies of one media type.
        case edit(String, besides: [String])

        var isPresent: Bool { if case .none = self { false } else { true } }

        /// Whether it is a value or an edit of one.
        var isEdit: Bool {
            switch self {
            case .none, .command, .required: false
            case .value, .edit: true
            }
        }

        /// The name of the schema that it is checked by.
        var schema: String? {
            switch self {
            case .none: "Nothing"
            case .command(let schema), .required(let schema): schema
            case .value, .edit: nil
            }
        }
    }

    enum Response: Sendable {
        /// A change and the document's state after it: 200, or 201 if the document was created.
        case change
        /// Any JSON value; scalars also as text.
        case value
        /// An object with this schema.
        case schema(String)
        /// A page of a list with this schema, or lines.
        case list(String)
        /// A feed: a page, lines or events.
        case feed
        /// Lines of JSON.
        case lines
        case text
        /// A file of the web UI.
        case file
        /// A redirection to another address.
        case redirection
        /// 204.
        case nothing
    }
}

extension Endpoint {
    /// Whether it changes a document.
    var isChange: Bool { method != .get && !template.contains("/presence") }

    /// Whether it can create a document, a tag, a snapshot or a restore point, or open a run.
    var creates: Bool {
        ["putDocument", "renameDocument", "putTag", "putSnapshot", "putRestorePoint", "openRun"]
            .contains(id)
    }

    /// Whether a ticket can replace the token.
    var takesTickets: Bool { if case .feed = response { true } else { false } }

    var isAboutDocument: Bool { template.contains("{document}") }

    /// Parameters that every query may have.
    private static let commonParameters = [
        Parameter(name: "pretty", schema: "Flag", meaning: "Indent the JSON.")
    ]

    /// Throws for a parameter that is unknown, repeated or invalid, so that a typo is reported.
    func checkQuery(_ query: [(name: String, value: String)]) throws(Problem) {
        var seen: Set<String> = []
        for (name, value) in query {
            let known = self.query + Endpoint.commonParameters
            guard let parameter = known.first(where: { $0.name == name }) else {
                throw Problem(
                    .malformedRequest, "Unknown query parameter \(name).",
                    hint: "Use only \(known.map(\.name).joined(separator: ", ")).")
            }
            guard seen.insert(name).inserted else {
                throw Problem(.malformedRequest, "The query repeats \(name).")
            }
            try parameter.rule.check(value, of: name)
        }
    }
}
