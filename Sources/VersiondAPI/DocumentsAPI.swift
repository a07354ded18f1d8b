public import AccessControl
public import Documents
public import HTTPServing
import JSONTree
import Journaling
public import Presence

/// The HTTP face of a document store: which words mean what.
public final class DocumentsAPI: HTTPHandler {
    /// The identity of the daemon, for `GET /v1` and `GET /openapi.json`.
    public struct Identity: Sendable {
        public var version: String
        /// The URL of the documentation site; empty for none.
        public var documentation: String

        public init(version: String, documentation: String = "") {
            self.version = version
            self.documentation = documentation
        }
    }

    let store: DocumentStore
    /// The present clients by document.
    let presence: PresenceHub
    let limits: Limits
    let identity: Identity
    let access: AccessControl
    /// The names under which requests are taken, or `nil` for any: a web page can make its own name
    /// lead to loopback, but not send ours as `Host`.
    let hosts: Set<String>?
    let origins: Origins
    let observer: (any RequestObserver)?
    /// Everything that is counted, as text for Prometheus.
    let metricsText: (@Sendable () -> String)?
    /// Whether the daemon is stopping, so that clients send it no new work.
    let isDraining: @Sendable () -> Bool

    public init(
        store: DocumentStore, presence: PresenceHub, access: AccessControl,
        limits: Limits = Limits(),
        hosts: Set<String>? = nil, origins: Set<String> = [], identity: Identity,
        observer: (any RequestObserver)? = nil, metrics: (@Sendable () -> String)? = nil,
        isDraining: @escaping @Sendable () -> Bool = { false }
    ) {
        self.store = store
        self.presence = presence
        self.access = access
        self.limits = limits
        self.hosts = hosts
        self.origins = Origins(allowed: origins)
        self.identity = identity
        self.observer = observer
        metricsText = metrics
        self.isDraining = isDraining
    }

    /// A request whose head was checked.
    private enum Entry: Sendable {
        case preflight(Router.Match?)
        case call(Router.Match, Endpoint, Grant)
        /// With where it would have led, for the log. Indirect: what is not refused, which is
        /// nearly everything, does not carry room for it.
        indirect case refused(Problem, Router.Match?)
    }

    /// Routes and authorizes a request with a body when its head has come, so that a body that is
    /// refused takes no memory; `handle` does the same for a request without a body.
    public func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        let hasBody =
            head.fields["content-length"] != nil || head.fields["transfer-encoding"] != nil
        guard hasBody else { return .admitted(bodyBytesMax: 0) }
        let entry = entry(head)
        guard case .refused(let problem, let match) = entry else {
            if case .preflight = entry { return .admitted(bodyBytesMax: 0, context: entry) }
            return .admitted(bodyBytesMax: limits.bodyBytesMax, context: entry)
        }
        let call = Call(
            HTTPRequest(head: head), NoResponder(), limits, observer,
            began: observer?.now() ?? .zero, match, extra: origins.fields(for: head.fields))
        return .refused(call.refusal(problem))
    }

    public func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
        let began = observer?.now() ?? .zero
        var extra = origins.fields(for: request.head.fields)
        func call(_ match: Router.Match?, _ grant: Grant = .nothing) -> Call {
            Call(
                request, responder, limits, observer, began: began, match, grant, extra: extra,
                numberings: store.numberings)
        }
        switch request.context as? Entry ?? entry(request.head) {
        case .refused(let problem, let match): call(match).refuse(problem)
        case .preflight(let match): options(call(match), match)
        case .call(let match, let endpoint, let grant):
            do throws(Problem) { extra += try allowance(grant) } catch {
                return call(match, grant).refuse(error)
            }
            let call = call(match, grant)
            do throws(Problem) { try carryOut(call, endpoint, match) } catch { call.refuse(error) }
        }
    }

    /// A call of a large request of an agent is on a worker thread already, and waits for no turn
    /// again: the request has that of its client until it ends.
    func carryOut(
        _ call: Call, _ endpoint: Endpoint, _ match: Router.Match
    ) throws(Problem) {
        let query = call.head.target.query
        if !query.isEmpty { try endpoint.checkQuery(query) }
        let body = call.bytes
        let isCompressed = call.fields["content-encoding"] != nil && !body.isEmpty
        let numberings = store.numberings
        if !numberings.areUncut, let id = match.document, numberings.known(id) == nil {
            return try readNumbering(of: id, call, endpoint, match)
        }
        let isLarge = isCompressed || body.count > Limits.bodyOnLoopBytesMax
        guard isLarge, !call.isInBackground else { return try handle(call, endpoint, match) }
        // A compressed body can expand to the limit of a body.
        let bytes =
            limits.workBytes(bodyBytes: isCompressed ? limits.bodyBytesMax : body.count)
            * endpoint.bodyCopies
        try inBackground(call, match.document, bytes) { [self] call throws(Problem) in
            if isCompressed {
                call.bytes = try call.decodedBody(bytesMax: limits.bodyBytesMax)
            }
            try handle(call, endpoint, match)
        }
    }

    /// Continues a call on a worker thread: large work would hold up the event loop, and all other
    /// requests with it.
    func inBackground(
        _ call: Call, _ document: DocumentID?, _ bytes: Int,
        _ body: @escaping @Sendable (inout Call) throws(Problem) -> Void
    ) throws(Problem) {
        var call = call
        call.document = document
        // A call with a permit must not wait for another one: the calls that have the rest of the
        // memory may wait for its own.
        if call.isInBackground {
            let isAccepted = store.resume { [call] in
                var call = call
                do throws(Problem) { try body(&call) } catch { call.refuse(error) }
            }
            if !isAccepted { throw Problem(HTTPFault.stopping) }
            return
        }
        call.isInBackground = true
        let isAccepted = store.begin(of: call.owner, bytes: bytes) { [call] permit in
            var call = call
            guard let permit else { return call.refuse(Problem(HTTPFault.stopping)) }
            call.permit = permit
            do throws(Problem) { try body(&call) } catch { call.refuse(error) }
        }
        if !isAccepted { throw Problem(HTTPFault.stopping) }
    }

    /// Carries out what waits or blocks, on the store's own threads; sends the problem that it
    /// throws.
    func task(
        _ call: Call, of id: DocumentID? = nil,
        _ body: @escaping @Sendable () async throws(Problem) -> Void
    ) {
        task(call, owner: id?.name ?? call.owner, body)
    }

    private func task(
        _ call: Call, owner: String,
        _ body: @escaping @Sendable () async throws(Problem) -> Void
    ) {
        store.task(of: owner) { [store] in
            do throws(Problem) {
                guard store.isOpen else { throw Problem(HTTPFault.stopping) }
                try await body()
            } catch {
                call.refuse(error)
            }
        }
    }

    /// Responds with what the past of a document says.
    func respond(
        _ call: Call, reading id: DocumentID,
        _ body: @escaping @Sendable (Document, DocumentPast) throws(Problem) -> HTTPResponse
    ) {
        task(call, of: id) { [store] () async throws(Problem) in
            let (head, past) = try await call.living(
                await store.past(of: id, isLocal: call.isLocal, while: call.isAwaited))
            call.send(try body(head, past))
        }
    }

    /// Changes a document by data of its past, or of the past of `origin`. If that cannot be read
    /// any more, the response may be that of a change with the same key.
    func change(
        _ call: Call, _ id: DocumentID, reading origin: DocumentID? = nil,
        _ body: @escaping @Sendable (Document, DocumentPast) throws(Problem) -> Void
    ) {
        let source = origin ?? id
        task(call, of: source) { [self] () async throws(Problem) in
            do throws(Problem) {
                let (head, past) = try await call.living(
                    await store.past(of: source, while: call.isAwaited), about: origin)
                try body(head, past)
            } catch {
                refuseUnlessRepeated(call, id, error)
            }
        }
    }

    /// The same with the past of all documents, one at a time for a client.
    func taskOfAll(
        _ call: Call, _ body: @escaping @Sendable (JournalPast) async throws(Problem) -> Void
    ) {
        // With a document of that name it would have turns, and no more.
        task(call, owner: "history for \(call.grant.name)") {
            [store] () async throws(Problem) in
            try await body(store.journalPast(while: call.isAwaited))
        }
    }

    /// Carries out a call when it is known how the numbers of its document look: after a cut, the
    /// journal is asked once for each document.
    private func readNumbering(
        of id: DocumentID, _ call: Call, _ endpoint: Endpoint, _ match: Router.Match
    ) throws(Problem) {
        if call.isInBackground {
            try readNumbering(of: id)
            return try carryOut(call, endpoint, match)
        }
        try inBackground(call, id, limits.workBytes(bodyBytes: 0)) {
            [self, call] _ throws(Problem) in
            try readNumbering(of: id)
            // As it came: a long poll must not keep memory for large requests.
            try carryOut(call, endpoint, match)
        }
    }

    private func readNumbering(of id: DocumentID) throws(Problem) {
        do throws(JournalError) { _ = try store.numberings.numbering(of: id) } catch {
            throw Problem(error)
        }
    }

    private func handle(
        _ call: Call, _ endpoint: Endpoint, _ match: Router.Match
    ) throws(Problem) {
        if call.points == nil, !endpoint.isOfAgents, call.mayNamePositions {
            return task(call, of: match.document) { [self] () async throws(Problem) in
                var call = call
                call.points = try await points(namedIn: call)
                try handle(call, endpoint, match)
            }
        }
        if case .none = endpoint.body, endpoint.bodyRule != nil { _ = try call.command() }
        switch (endpoint.handler, match.document) {
        case (.daemon(let body), _): try body(self)(call)
        case (.part(let body), _): try body(self)(call, match.part)
        case (.document(let body), let id?): try body(self)(call, id)
        case (.documentPart(let body), let id?): try body(self)(call, id, match.part)
        case (.document, nil), (.documentPart, nil):
            preconditionFailure("a path with a document has one")
        }
    }

    public func refuse(_ fault: HTTPFault, _ fields: HTTPFields) -> HTTPResponse {
        let problem = Problem(fault)
        observer?.refused(problem.kind.code)
        var response = problem.response(asText: Call.prefersText(fields))
        Call.protect(&response)
        response.fields += origins.fields(for: fields)
        return response
    }

    /// Where a request leads, and whether the client may go there.
    private func entry(_ head: HTTPRequestHead) -> Entry {
        let match: Router.Match
        do throws(Problem) {
            try checkHost(head)
            // `OPTIONS *` is about the server as a whole.
            if head.method == .options, head.target.isServer { return .preflight(nil) }
            match = try Endpoint.router.match(head.target.segments)
        } catch {
            return .refused(error, nil)
        }
        if head.method == .options { return .preflight(match) }
        do throws(Problem) {
            try origins.check(head)
            guard let endpoint = match.path.endpoint(head.method) else {
                throw Problem(
                    .methodNotAllowed, "\(head.method.rawValue) is not supported.",
                    hint: "Use \(match.path.allow)."
                ).withField("Allow", match.path.allow)
            }
            return .call(match, endpoint, try authorize(head, endpoint, match.document))
        } catch {
            return .refused(error, match)
        }
    }

    /// A page in a browser must not reach a daemon on loopback behind its user's back.
    private func checkHost(_ head: HTTPRequestHead) throws(Problem) {
        // An absolute target overrides the field (RFC 9112 section 3.2.2).
        let named = head.target.authority ?? head.fields["host"]
        if let hosts, let host = named, !hosts.contains(DocumentsAPI.name(host)) {
            throw Problem(
                .unknownHost, "The host \(host) is unknown.")
        }
    }

    /// A host without its port.
    private static func name(_ host: String) -> String {
        let bytes = host.utf8
        let isBracketed = bytes.first == UInt8(ascii: "[")
        let end =
            isBracketed
            ? bytes.firstIndex(of: UInt8(ascii: "]")).map { bytes.index(after: $0) }
            : bytes.firstIndex(of: UInt8(ascii: ":"))
        let name = String(host[..<(end ?? host.endIndex)])
        // Almost always it is in lower case already.
        let isLower = name.utf8.allSatisfy { !(0x41...0x5a).contains($0) && $0 < 0x80 }
        return isLower ? name : name.lowercased()
    }

    /// The methods of a path, or of the server.
    private func options(_ call: Call, _ match: Router.Match?) {
        guard let path = match?.path else {
            let all = "GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS"
            return call.send(HTTPResponse(status: 204, fields: [(name: "Allow", value: all)]))
        }
        var fields = [(name: "Allow", value: path.allow)]
        if path.endpoint(.patch) != nil {
            fields.append((name: "Accept-Patch", value: MediaType.patches.joined(separator: ", ")))
        }
        fields += origins.preflight(call.head, methods: path.allow)
        call.send(HTTPResponse(status: 204, fields: fields))
    }

    static func plain(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [(name: "Content-Type", value: "text/plain; charset=utf-8")],
            body: Array(text.utf8))
    }
}
