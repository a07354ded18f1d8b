import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling

/// One request on its way through the API, and where its response goes.
struct Call: Sendable {
    /// The unchanging parts, as one reference: a call is copied into each closure in which it
    /// waits.
    private let settled: Settled
    /// The body's bytes; decoded, if they came in a coding.
    var bytes: [UInt8]
    var preferences: Preferences
    /// The document that it is about, if it takes long.
    var document: DocumentID?
    /// Whether it is carried out on a thread that may take its time.
    var isInBackground = false
    /// The restore points that it names; `nil` until they are looked up.
    var points: NamedPoints?
    /// The reserved memory for large requests, until the end of the call.
    var permit: (any Sendable)?

    private final class Settled: Sendable {
        let head: HTTPRequestHead
        let responder: any HTTPResponder
        let limits: Limits
        let mediaType: String?
        let observer: (any RequestObserver)?
        let began: Duration
        let id: RequestID
        let match: Router.Match?
        let grant: Grant
        let extra: [(name: String, value: String)]
        let numberings: Numberings?

        init(
            _ head: HTTPRequestHead, _ responder: any HTTPResponder, _ limits: Limits,
            _ observer: (any RequestObserver)?, began: Duration, _ match: Router.Match?,
            _ grant: Grant, extra: [(name: String, value: String)], _ numberings: Numberings?
        ) {
            self.head = head
            self.responder = responder
            self.limits = limits
            self.observer = observer
            self.began = began
            self.match = match
            self.grant = grant
            self.extra = extra
            self.numberings = numberings
            id = RequestID(head.fields)
            mediaType = head.fields["content-type"].flatMap(MediaType.name)
        }

        func report(status: Int, actor: String, problem: String?) {
            guard let observer else { return }
            observer.responded(
                RequestRecord(
                    head, match, status: status, duration: observer.now() - began, id: id,
                    actor: actor, problem: problem))
        }
    }

    /// `began`: when it came, by the observer's clock. `extra`: fields that every response to it
    /// has.
    init(
        _ request: HTTPRequest, _ responder: any HTTPResponder, _ limits: Limits,
        _ observer: (any RequestObserver)? = nil, began: Duration = .zero,
        _ match: Router.Match? = nil, _ grant: Grant = .nothing,
        extra: [(name: String, value: String)] = [], numberings: Numberings? = nil
    ) {
        settled = Settled(
            request.head, responder, limits, observer, began: began, match, grant, extra: extra,
            numberings)
        bytes = request.body
        preferences = Preferences(request.head.fields)
    }

    var head: HTTPRequestHead { settled.head }
    var responder: any HTTPResponder { settled.responder }
    var limits: Limits { settled.limits }
    var observer: (any RequestObserver)? { settled.observer }
    /// Where it leads.
    var match: Router.Match? { settled.match }
    /// The media type of the body, without parameters, in lower case.
    var mediaType: String? { settled.mediaType }
    /// The grant of the client.
    var grant: Grant { settled.grant }
    /// How numbers of changes look.
    var numberings: Numberings? { settled.numberings }
    /// Whether numbers carry marks. Asked first, since most histories were never cut.
    var isCut: Bool { !(settled.numberings?.areUncut ?? true) }

    /// Its name in logs.
    var requestID: String { settled.id.text }

    var method: HTTPMethod { head.method }
    var fields: HTTPFields { head.fields }

    /// The client in whose turn work is done that takes long; without tokens the document.
    var owner: String { grant.name.isEmpty ? document?.name ?? "" : grant.name }

    func query(_ name: String) -> String? { head.target[name] }

    /// Whether the client prefers text to JSON.
    static func prefersText(_ fields: HTTPFields) -> Bool {
        guard let accept = fields["accept"] else { return false }
        return accept.hasPrefix("text/plain")
    }

    /// Sends what `body` makes, or the problem that it throws.
    func respond(_ body: () throws(Problem) -> HTTPResponse) {
        responder.send(made(body))
    }

    /// `respond`, but the response is made on the event loop: on the commit thread, others wait.
    func respondOnLoop(_ body: @escaping @Sendable () throws(Problem) -> HTTPResponse) {
        responder.send { made(body) }
    }

    private func made(_ body: () throws(Problem) -> HTTPResponse) -> HTTPResponse {
        do throws(Problem) {
            return finished(try body())
        } catch {
            return refusal(error)
        }
    }

    func send(_ response: HTTPResponse) {
        responder.send(finished(response))
    }

    /// Adds the common fields and reports the response to the observer.
    private func finished(
        _ response: HTTPResponse, problem: String? = nil, refused: String? = nil
    ) -> HTTPResponse {
        var response = response
        addCommonFields(&response)
        settled.report(
            status: response.status, actor: refused ?? settled.grant.name, problem: problem)
        return response.compressed(for: fields)
    }

    /// Other origins get a response by CORS or not at all: never as an image or a script.
    static func protect(_ response: inout HTTPResponse) {
        response.fields.append((name: "X-Content-Type-Options", value: "nosniff"))
        response.fields.append((name: "Cross-Origin-Resource-Policy", value: "same-origin"))
    }

    private func addCommonFields(_ response: inout HTTPResponse) {
        Call.protect(&response)
        // A value has several representations and encodings, which caches must distinguish.
        if method == .get || method == .head {
            response.fields.append((name: "Vary", value: "Accept, Accept-Encoding"))
        }
        response.fields += settled.extra
        if settled.id.isGiven {
            response.fields.append((name: "X-Request-Id", value: settled.id.text))
        }
    }

    /// Sends the head of a stream, and then what `source` gives.
    func stream(_ type: String, from source: any HTTPStreamSource) {
        settled.report(status: 200, actor: grant.name, problem: nil)
        var head = HTTPResponse(
            status: 200,
            fields: [
                (name: "Content-Type", value: type), (name: "Cache-Control", value: "no-store"),
                // A proxy must not hold parts back.
                (name: "X-Accel-Buffering", value: "no"),
            ])
        addCommonFields(&head)
        responder.stream(head, from: source)
    }

    func refuse(_ problem: Problem) {
        responder.send(refusal(problem))
    }

    /// The response for a problem.
    func refusal(_ problem: Problem) -> HTTPResponse {
        let named = problem.with("requestId", .text(settled.id.text))
        return finished(
            named.response(asText: Call.prefersText(fields)), problem: problem.kind.code,
            refused: grant.name.isEmpty ? problem.tokenName : nil)
    }

    /// A JSON response; indented if the query says `pretty`.
    func json(
        _ text: consuming JSONText, status: Int = 200, revision: Int? = nil,
        of document: DocumentID? = nil, fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        json(text.line(), status: status, revision: revision, of: document, fields: fields)
    }

    func json(
        _ value: JSON, status: Int, fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        json(value.serialized(), status: status, fields: fields)
    }

    /// `bytes` get the line end that every response has, unless they have it.
    func json(
        _ bytes: [UInt8], status: Int = 200, revision: Int? = nil,
        of document: DocumentID? = nil, fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        var body = pretty(bytes)
        if body.last != 0x0a { body.append(0x0a) }
        return response(MediaType.json, body, status, revision, of: document, fields)
    }

    private func response(
        _ type: String, _ body: [UInt8], _ status: Int, _ revision: Int?,
        of document: DocumentID?, _ fields: [(name: String, value: String)]
    ) -> HTTPResponse {
        var all = fields
        all.reserveCapacity(fields.count + Call.usualFields)
        all.append((name: "Content-Type", value: type))
        if let revision { all.append(entityTag(revision, of: document)) }
        return HTTPResponse(status: status, fields: all, body: body)
    }

    /// Fields that most responses have in addition to their own.
    private static let usualFields = 4

    /// Whether the client would rather read one object on each line than a page.
    var prefersLines: Bool { fields["accept"]?.contains(MediaType.lines) ?? false }

    /// One object on each line, for `while read -r line`.
    func lines<Element>(
        _ elements: [Element], revision: Int? = nil, fields: [(name: String, value: String)] = [],
        _ describe: (inout JSONText, Element) -> Void
    ) -> HTTPResponse {
        var bytes: [UInt8] = []
        for element in elements {
            var text = jsonText()
            text.object { describe(&$0, element) }
            bytes += text.line()
        }
        return response(MediaType.lines, bytes, 200, revision, of: nil, fields)
    }

    private func pretty(_ bytes: [UInt8]) -> [UInt8] {
        guard !head.target.query.isEmpty, query("pretty") != nil,
            let value = try? JSON(parsing: bytes, limits: .stored)
        else { return bytes }
        return value.prettyPrinted()
    }
}

/// The preferences of the client (RFC 7240).
struct Preferences: Sendable {
    enum Return: String, Sendable {
        case minimal, representation
    }

    var result: Return?
    /// Edits inside strings as `str_ins` and `str_del` instead of `replace`.
    var usesTextOperations = false
    /// Whether the actor of a change can undo and redo after it.
    var describesOwnUndo = false
    /// Unknown members of a command's body are ignored.
    var isLenient = false

    init(_ fields: HTTPFields) {
        for value in fields.values("prefer") {
            for item in value.split(separator: ",") {
                // A word may have parameters, and there may be nothing before them.
                let word = item.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\"" }
                    .lowercased()
                if word.hasPrefix("return=") {
                    result = Return(rawValue: String(word.dropFirst(7)))
                }
                if word == "text-operations" { usesTextOperations = true }
                if word == "own-undo" { describesOwnUndo = true }
                if word == "handling=lenient" { isLenient = true }
            }
        }
    }

    /// The field that says which preferences were followed.
    var applied: [(name: String, value: String)] {
        var words: [String] = []
        if let result { words.append("return=\(result.rawValue)") }
        if usesTextOperations { words.append("text-operations") }
        if describesOwnUndo { words.append("own-undo") }
        if isLenient { words.append("handling=lenient") }
        return words.isEmpty
            ? [] : [(name: "Preference-Applied", value: words.joined(separator: ", "))]
    }
}

/// Where the response goes of a request that is refused at the door: it is returned.
struct NoResponder: HTTPResponder {
    var hasGone: Bool { false }

    func send(_ response: HTTPResponse) {}
    func send(_ make: @escaping @Sendable () -> HTTPResponse) {}
    func stream(_ head: HTTPResponse, from source: any HTTPStreamSource) { source.end() }
    func remind(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Bool { false }
}
