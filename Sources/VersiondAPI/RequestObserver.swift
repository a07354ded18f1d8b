public import HTTPServing
import Journaling
import Synchronization

/// Those who count and log what is asked. Called on event loops; must not block.
public protocol RequestObserver: Sendable {
    /// Time that only goes forward.
    func now() -> Duration

    /// A request got its response, or its stream has begun.
    func responded(_ record: RequestRecord)

    /// Something that was no request was refused; `code` is the problem's.
    func refused(_ code: String)

    /// A change was made; `isRepeated`: the response was repeated.
    func changed(_ kind: String, isRepeated: Bool)

    /// The bounds on a document's history want a version forgotten, and a tag keeps it.
    func kept(_ version: Int, of document: String, by tag: String)
}

/// A request with its response.
public struct RequestRecord: Sendable {
    public let method: String
    /// The path with names in place of variable parts: `/v1/documents/{document}/undo`.
    public let route: String
    public let status: Int
    public let duration: Duration
    private let id: RequestID
    /// The name of the request in logs.
    public var requestID: String { id.text }
    /// Read on demand: hardly any log needs them.
    private let fields: HTTPFields
    /// Which trace it belongs to.
    public var trace: TraceContext? { fields["traceparent"].flatMap(TraceContext.init) }
    public let document: String?
    public let actor: String
    /// The code of the problem, if it is one.
    public let problem: String?
    private let peer: HTTPPeer
    /// Where it came from: the address of the client, or of the proxy in front; `nil` for a local
    /// socket.
    public var client: HTTPAddress? {
        if case .network(let address) = peer { address } else { nil }
    }
    /// The origin of the request as proxies report it, each after those before it; or as a client
    /// claims it.
    public var forwarded: String? {
        let all = fields.values("x-forwarded-for")
        return all.isEmpty ? nil : all.joined(separator: ",")
    }

    init(
        _ head: HTTPRequestHead, _ match: Router.Match?, status: Int, duration: Duration,
        id: RequestID,
        actor: String, problem: String?
    ) {
        method = head.method.rawValue
        route = match?.path.template ?? ""
        self.status = status
        self.duration = duration
        self.id = id
        fields = head.fields
        document = match?.document?.name
        peer = head.peer
        self.actor = actor
        self.problem = problem
    }
}

/// Which trace a request belongs to (W3C Trace Context).
public struct TraceContext: Sendable, Equatable {
    public let traceID: String
    public let spanID: String

    /// Reads a `traceparent` field; `nil` if it is none.
    init?(_ field: String) {
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        func isHex(_ part: Substring, _ count: Int) -> Bool {
            part.utf8.count == count
                && part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        guard parts.count >= 4, isHex(parts[0], 2), parts[0] != "ff", isHex(parts[1], 32),
            isHex(parts[2], 16), isHex(parts[3], 2), parts[1].contains(where: { $0 != "0" }),
            parts[2].contains(where: { $0 != "0" }), parts[0] != "00" || parts.count == 4
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
    }
}

/// The name of a request in logs and problems: the client's, if it is a decent one.
struct RequestID: Sendable {
    private static let bytesMax = 36
    private static let last = Atomic(UInt64.random(in: 0...UInt64.max))

    private let given: String?
    private let number: UInt64

    /// Whether the client gave it, and wants it back.
    var isGiven: Bool { given != nil }

    /// The name; made on demand.
    var text: String { given ?? String(number, radix: 36) }

    init(_ fields: HTTPFields) {
        if let given = fields["x-request-id"], RequestID.isDecent(given) {
            (self.given, number) = (given, 0)
        } else {
            // The golden ratio's step: neighbours look different, and none comes twice.
            given = nil
            number = RequestID.last.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
        }
    }

    /// Nothing that could forge a line in a log.
    private static func isDecent(_ text: String) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
