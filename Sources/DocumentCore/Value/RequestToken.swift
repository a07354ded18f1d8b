public import JSONTree
public import Naming

/// An idempotency key and the request that it belongs to: what was carried out once is not carried
/// out twice.
public struct RequestToken: Sendable, Equatable {
    /// The value of `Idempotency-Key`.
    public let key: Name
    /// The content of the request, so that another one with the same key is noticed.
    ///
    /// `nil` in entries of older formats: then any request with the key counts as the same.
    public package(set) var fingerprint: ContentHash?

    public init(key: Name, fingerprint: ContentHash) {
        self.key = key
        self.fingerprint = fingerprint
    }

    func write(to writer: inout ByteWriter) {
        writer.name(key)
        writer.hash(fingerprint ?? RequestToken.unknown)
    }

    /// The placeholder of an unknown fingerprint, in checkpoints.
    fileprivate static let unknown = ContentHash(high: 0, low: 0)

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        key = try reader.name()
        fingerprint = try reader.hash()
    }
}

/// The requests with an idempotency key that a document carried out lately.
public struct RequestLog: Sendable {
    /// How long a request is remembered.
    public static let age = Duration.seconds(24 * 60 * 60)
    /// The number of requests that are remembered; each takes about 200 bytes of memory.
    public static let countMax = 4_096
    /// The minimum of remembered keys, whatever their age: at a start, the daemon cannot
    /// distinguish elapsed time from a clock that was set, and a repetition must not be carried out
    /// twice.
    public static let countMin = 256

    private struct Known {
        let fingerprint: ContentHash?
        let revision: Int
    }

    private struct Order {
        let key: Name
        let revision: Int
        let time: Timestamp
    }

    private var known: [Name: Known] = [:]
    /// The oldest first; keys before `first` are forgotten.
    private var order: [Order] = []
    private var first = 0

    /// About how many bytes it takes in memory.
    var weight: Int { order.count * 200 }

    /// Keeps what a change says, and forgets what is too old or too much.
    package mutating func note(_ change: Change) {
        // Keys of requests to another document are not valid here.
        if case .copy(let origin) = change.kind, !origin.isRename { self = RequestLog() }
        guard let token = change.token else { return }
        known[token.key] = Known(fingerprint: token.fingerprint, revision: change.revision)
        order.append(Order(key: token.key, revision: change.revision, time: change.time))
        let oldest = change.time.milliseconds - RequestLog.age.milliseconds
        while order.count - first > RequestLog.countMin,
            order.count - first > RequestLog.countMax || order[first].time.milliseconds < oldest
        {
            forget(order[first])
            first += 1
        }
        if first > order.count / 2 {
            order.removeFirst(first)
            first = 0
        }
    }

    private mutating func forget(_ old: Order) {
        if known[old.key]?.revision == old.revision { known[old.key] = nil }
    }

    /// Forgets what did not become durable.
    mutating func removeAll(from revision: Int) {
        while order.count > first, let last = order.last, last.revision >= revision {
            order.removeLast()
            forget(last)
        }
    }

    /// The revision that a request made, if it was carried out.
    package func revision(of token: RequestToken) throws(ChangeError) -> Int? {
        guard let known = known[token.key] else { return nil }
        guard known.fingerprint == nil || known.fingerprint == token.fingerprint else {
            throw .otherRequest(key: token.key, revision: known.revision)
        }
        return known.revision
    }

    /// Writes what is known of the revisions up to `head`.
    func write(to writer: inout ByteWriter, upTo head: Int) {
        let live = order[first...].filter {
            known[$0.key]?.revision == $0.revision && $0.revision <= head
        }
        writer.number(live.count)
        for old in live {
            guard let known = known[old.key] else { continue }
            var token = RequestToken(key: old.key, fingerprint: RequestToken.unknown)
            token.fingerprint = known.fingerprint
            token.write(to: &writer)
            writer.number(old.revision)
            writer.number(old.time.milliseconds)
        }
    }

    package init() {}

    /// `isKeyed`: the fingerprints were made with another key and cannot be compared.
    init(from reader: inout ByteReader, isKeyed: Bool) throws(ByteReader.Malformed) {
        for _ in 0..<(try reader.number()) {
            let token = try RequestToken(from: &reader)
            let revision = try reader.number()
            let isKnown = !isKeyed && token.fingerprint != RequestToken.unknown
            known[token.key] = Known(
                fingerprint: isKnown ? token.fingerprint : nil, revision: revision)
            let time = Timestamp(milliseconds: try reader.number())
            order.append(Order(key: token.key, revision: revision, time: time))
        }
    }
}
