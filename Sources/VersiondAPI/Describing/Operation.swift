import AccessControl
import HTTPServing

/// One thing that can be done: what `/openapi.json` describes, and which words a query may have.
struct Operation: Sendable {
    let method: HTTPMethod
    /// The path with names for what differs, as `Route.template` has it.
    let path: String
    /// Its name for programs that are made from the description.
    let id: String
    let summary: String
    var query: [Parameter] = []
    var body = Body.none
    var answer = Answer.change

    /// One word of a query.
    struct Parameter: Sendable {
        let name: String
        /// Which of the schemas in the description it has.
        let schema: String
        let meaning: String
        var isNeeded = false
    }

    enum Body: Sendable {
        case none
        /// A command that may be left out, by the name of its schema.
        case command(String)
        /// A command that must be there.
        case needed(String)
        /// A value, or a patch, in these media types.
        case value([String])
    }

    enum Answer: Sendable {
        /// A change and what the document is after it: 200, or 201 where a document is made.
        case change
        /// Any JSON value; scalars also as text.
        case value
        /// What a schema of this name describes.
        case schema(String)
        /// A feed: a page, lines or events.
        case feed
        case text
        /// A page for people, or a part of it.
        case page
        /// 204.
        case nothing
    }
}

extension Operation {
    /// Whether it changes a document.
    var isChange: Bool { method != .get }

    /// Words that every query may have.
    private static let common = ["pretty"]

    /// By path, and then by method.
    private static let byPath: [String: [HTTPMethod: Operation]] = {
        Dictionary(grouping: all, by: \.path).mapValues { operations in
            Dictionary(uniqueKeysWithValues: operations.map { ($0.method, $0) })
        }
    }()

    static func find(_ method: HTTPMethod, _ route: Route) -> Operation? {
        byPath[route.template]?[method == .head ? .get : method]
    }

    /// A word that means nothing, or stands twice, is a mistake that must not pass unseen.
    static func checkQuery(_ head: HTTPRequestHead, _ route: Route) throws(Problem) {
        guard let operation = find(head.method, route) else { return }
        let known = operation.query.map(\.name)
        var seen: Set<String> = []
        for (name, _) in head.target.query {
            guard known.contains(name) || common.contains(name) else {
                throw Problem(
                    .malformedRequest, "\(name) means nothing in the query here.",
                    hint: "Known here: \((known + common).joined(separator: ", ")).")
            }
            guard seen.insert(name).inserted else {
                throw Problem(.malformedRequest, "\(name) stands twice in the query.")
            }
        }
    }
}
