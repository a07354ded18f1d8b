import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling

/// The HTTP face of a document store: which words mean what.
public struct DocumentsAPI: HTTPHandler {
    /// Who we are, for `GET /v1`.
    public struct Identity: Sendable {
        public var version: String
        public var libraries: [String: String]

        public init(version: String, libraries: [String: String] = [:]) {
            self.version = version
            self.libraries = libraries
        }
    }

    let store: DocumentStore
    let limits: Limits
    let identity: Identity
    let access: AccessControl
    /// The names under which requests are taken, or `nil` for any: a web page can make its own name
    /// lead to loopback, but not send ours as `Host`.
    let hosts: Set<String>?
    let origins: Origins
    let observer: (any RequestObserver)?
    /// Everything that is counted, as text for Prometheus.
    let metrics: (@Sendable () -> String)?
    /// Whether the daemon is about to stop, so that nobody sends it new work.
    let isDraining: @Sendable () -> Bool

    public init(
        store: DocumentStore, access: AccessControl, limits: Limits = Limits(),
        hosts: Set<String>? = nil, origins: Set<String> = [], identity: Identity,
        observer: (any RequestObserver)? = nil, metrics: (@Sendable () -> String)? = nil,
        isDraining: @escaping @Sendable () -> Bool = { false }
    ) {
        self.store = store
        self.access = access
        self.limits = limits
        self.hosts = hosts
        self.origins = Origins(allowed: origins)
        self.identity = identity
        self.observer = observer
        self.metrics = metrics
        self.isDraining = isDraining
    }

    public func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        // What has no body is looked at when it is handled.
        let hasBody =
            head.fields["content-length"] != nil || head.fields["transfer-encoding"] != nil
        guard hasBody else { return .admitted(bodyBytesMax: 0) }
        do throws(Problem) {
            if head.method == .options {
                try checkHost(head)
                return .admitted(bodyBytesMax: 0)
            }
            _ = try authorize(head, try route(head))
            return .admitted(bodyBytesMax: limits.bodyBytesMax)
        } catch {
            // A body that is small is read first: so the connection can be used again.
            let length = head.fields["content-length"].flatMap { Int($0) } ?? .max
            if length < 64 << 10 && head.fields["expect"] == nil {
                return .admitted(bodyBytesMax: 64 << 10)
            }
            var call = Call(HTTPRequest(head: head), NoResponder(), limits, observer)
            call.extra = origins.fields(for: head)
            return .refused(call.refusal(error))
        }
    }

    public func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
        var call = Call(request, responder, limits, observer)
        call.extra = origins.fields(for: request.head)
        do throws(Problem) {
            if call.method == .options && request.head.target.segments.isEmpty {
                try checkHost(request.head)
                return call.send(
                    HTTPResponse(status: 204, fields: [(name: "Allow", value: methods)]))
            }
            let route = try route(request.head)
            call.notes.route = route
            if call.method == .options { return options(call, route) }
            call.grant = try authorize(request.head, route)
            call.extra += try allowance(call.grant)
            if !request.head.target.query.isEmpty {
                try Operation.checkQuery(request.head, route)
            }
            if request.head.fields["content-encoding"] != nil, !request.body.isEmpty {
                call.request = try request.decoded(bytesMax: limits.bodyBytesMax)
            }
            try dispatch(call, route)
        } catch {
            call.refuse(error)
        }
    }

    public func refuse(_ fault: HTTPFault) -> HTTPResponse {
        let problem = Problem(fault)
        observer?.refused(problem.kind.code)
        return problem.response()
    }

    /// Where a request leads, if it may come from there and the method may be used.
    private func route(_ head: HTTPRequestHead) throws(Problem) -> Route {
        try checkHost(head)
        let route = try Route(head.target.segments)
        if head.method == .options { return route }
        try origins.check(head)
        guard route.methods.contains(head.method) else {
            throw Problem(
                .methodNotAllowed, "\(head.method.rawValue) cannot be used here.",
                hint: "Use \(allowed(route))."
            ).withField("Allow", allowed(route))
        }
        return route
    }

    /// A page in a browser must not reach a daemon on loopback behind its user's back.
    private func checkHost(_ head: HTTPRequestHead) throws(Problem) {
        if let hosts, let host = head.fields["host"], !hosts.contains(DocumentsAPI.name(host)) {
            throw Problem(
                .unknownHost, "This daemon is not \(host).",
                hint: "Use the address that it says it listens on, or name the host in \"hosts\".")
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

    private func allowed(_ route: Route) -> String {
        (route.methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }

    /// `OPTIONS *`: what the server as a whole knows.
    private var methods: String { "GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS" }

    private func options(_ call: Call, _ route: Route) {
        var fields = [(name: "Allow", value: allowed(route))]
        if route.methods.contains(.patch) {
            fields.append((name: "Accept-Patch", value: MediaType.patches.joined(separator: ", ")))
        }
        fields += origins.preflight(call.request.head, methods: allowed(route))
        call.send(HTTPResponse(status: 204, fields: fields))
    }

    private func dispatch(_ call: Call, _ route: Route) throws(Problem) {
        switch route {
        case .discovery: call.answer { discovery(call) }
        case .livez: call.send(DocumentsAPI.plain("ok\n"))
        case .readyz: ready(call)
        case .metrics: measured(call)
        case .openAPI: call.answer { openAPI(call) }
        case .problems: call.answer { problems(call) }
        case .problem(let code): call.answer { () throws(Problem) in try problem(code, call) }
        case .page(let name):
            call.answer { () throws(Problem) in try LookingPage.response(name) }
        case .documents: try list(call)
        case .feed: try feed(call)
        case .document(let id, let part): try dispatch(call, id, part)
        }
    }

    private func dispatch(_ call: Call, _ id: DocumentID, _ part: Route.Part) throws(Problem) {
        switch part {
        case .value: try value(call, id)
        case .append: try append(call, id)
        case .undo: try undo(call, id)
        case .redo: try redo(call, id)
        case .goTo: try goTo(call, id)
        case .seal: try seal(call, id)
        case .status: try status(call, id)
        case .settings: try settings(call, id)
        case .history: try history(call, id)
        case .diff: try diff(call, id)
        case .feed: try feed(call, id)
        case .change(let revision): try change(call, id, revision)
        case .tags: try tags(call, id)
        case .tag(let name): try tag(call, id, name)
        case .snapshots: try snapshots(call, id)
        case .snapshot(let key): try snapshot(call, id, key)
        case .restore(let key):
            var body = try ControlBody(call)
            let isDryRun = body.flag("dryRun")
            try body.finish()
            try submit(call, id, .restore(key), isDryRun: isDryRun)
        case .scopes: try scopes(call, id)
        case .pushScope: try pushScope(call, id)
        case .popScope: try popScope(call, id)
        case .discardScope: try discardScope(call, id)
        }
    }

    static func plain(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [(name: "Content-Type", value: "text/plain; charset=utf-8")],
            body: Array(text.utf8))
    }
}
