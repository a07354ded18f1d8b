/// A request without its body. A class: it goes through many hands, and does not change.
public final class HTTPRequestHead: Sendable {
    public let method: HTTPMethod
    public let target: HTTPTarget
    public let fields: HTTPFields
    public let peer: HTTPPeer

    public init(
        method: HTTPMethod, target: HTTPTarget, fields: HTTPFields, peer: HTTPPeer = .network()
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.peer = peer
    }
}

/// Where a connection comes from.
public enum HTTPPeer: Sendable, Equatable {
    /// From there, if the kernel says so.
    case network(HTTPAddress? = nil)
    /// A local socket; the kernel says which user has the other end.
    case user(UInt32)
}

/// A request, complete.
public struct HTTPRequest: Sendable {
    public let head: HTTPRequestHead
    public let body: [UInt8]
    /// The handler's data from admitting the request.
    public let context: (any Sendable)?

    public init(
        head: HTTPRequestHead, body: [UInt8] = [], context: (any Sendable)? = nil
    ) {
        self.head = head
        self.body = body
        self.context = context
    }
}

/// The methods that we know; any other is refused at the door.
public enum HTTPMethod: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case patch = "PATCH"
    case post = "POST"
    case delete = "DELETE"
    case options = "OPTIONS"
    /// Known, so that they are not taken for nonsense; nothing accepts them.
    case trace = "TRACE"
    case connect = "CONNECT"
    case query = "QUERY"
}

/// Header fields in the order in which they came; names in lower case.
public struct HTTPFields: Sendable, Equatable {
    public private(set) var all: [(name: String, value: String)]

    public init(_ all: [(name: String, value: String)] = []) {
        self.all = all
    }

    /// Most requests have no more.
    private static let usualCount = 8

    /// Adds a field, named in lower case.
    public mutating func append(_ name: String, _ value: String) {
        if all.isEmpty { all.reserveCapacity(HTTPFields.usualCount) }
        all.append((name: name, value: value))
    }

    /// The first value of a field, named in lower case.
    public subscript(name: String) -> String? {
        for field in all where field.name == name { return field.value }
        return nil
    }

    /// Every value of a field, named in lower case.
    public func values(_ name: String) -> [String] {
        all.lazy.filter { $0.name == name }.map(\.value)
    }

    public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.all.elementsEqual(right.all) { $0 == $1 }
    }
}

/// A response.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]

    public init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Responds to requests.
public protocol HTTPHandler: Sendable {
    /// The limit on the body of a request, or the response that refuses it. The body of a refused
    /// request is read and discarded, unless its client waits for permission to send it.
    ///
    /// Called on the event loop when the head has come; must not block.
    func admit(_ head: HTTPRequestHead) -> HTTPAdmission

    /// Responds to a request: at once, or later from any thread, exactly once.
    ///
    /// Called on the event loop; must not block.
    func handle(_ request: HTTPRequest, _ responder: any HTTPResponder)

    /// The response to what is not handed to `handle`. `fields` are those of the request, as far
    /// as they can be read.
    ///
    /// Called on the event loop; must not block.
    func refuse(_ fault: HTTPFault, _ fields: HTTPFields) -> HTTPResponse
}

/// The decision on a request whose head has arrived.
public enum HTTPAdmission: Sendable {
    /// The body is received. The handler's data returns as the request's `context`.
    case admitted(bodyBytesMax: Int, context: (any Sendable)? = nil)
    case refused(HTTPResponse)
}

/// Takes the response to a request.
public protocol HTTPResponder: Sendable {
    /// Sends the response. Every call after the first one is ignored.
    func send(_ response: HTTPResponse)

    /// Sends the response that `make` gives: it is called on the event loop, so that the
    /// calling thread does not spend time serializing. Counts as the response.
    func send(_ make: @escaping @Sendable () -> HTTPResponse)

    /// Sends status and fields of `head` now, and then what `source` gives until it ends. Counts as
    /// the response.
    func stream(_ head: HTTPResponse, from source: any HTTPStreamSource)

    /// Whether the client has closed its side and no longer waits for the response. From any
    /// thread, before the response is sent.
    var hasGone: Bool { get }

    /// Calls `body` on the event loop after about `delay`, give or take a second, or as soon as the
    /// client has gone or the server is about to stop, unless the response has come by then. If the
    /// client is known to have gone already, calls it here and now. Returns `false`, without ever
    /// calling `body`, when the limit on waiting requests is reached.
    func remind(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Bool
}

/// The source of a stream's body. It is read whenever the client can take more, so a slow client
/// delays no other one and fills no memory.
///
/// A class, because it is asked for each part of each of thousands of streams.
public protocol HTTPStreamSource: AnyObject, Sendable {
    /// The longest silence of the connection before the source is read with `isQuiet` and must
    /// return something: sending it shows whether the connection is dead. The source is also read
    /// so when the client has closed its side, to find out whether it still reads.
    var quietMax: Duration { get }

    /// The next part. Called by one thread at a time; must not block. After `nothing`, a call of
    /// `wake` from any thread causes another read, mostly on that thread, which must hold no lock
    /// then.
    func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart

    /// The client has gone, or the stream is over.
    func end()
}

/// A part of a stream.
public enum HTTPStreamPart: Sendable {
    case bytes([UInt8])
    /// Nothing until a call of `wake`.
    case nothing
    case end
}

/// The reason why data on a connection is not an accepted request. The connection is closed.
public enum HTTPFault: Error, Equatable, Sendable {
    /// The end of the body is ambiguous: the way requests are smuggled past proxies.
    case ambiguousFraming(String)
    /// A header field that is malformed, or one of those that must not be repeated.
    case badField(String)
    case tooManyFields(max: Int)
    /// The request target is malformed.
    case badTarget(String)
    case targetTooLong(max: Int)
    case unknownMethod(String)
    case bodyTooLarge(max: Int)
    /// As many replies are endless as may be.
    case tooManyStreams(max: Int?)
    /// As much is being sent in large responses as may be.
    case tooMuchToSend
    /// As much is being received in bodies as may be.
    case tooMuchToReceive
    /// The server is about to stop.
    case stopping
}
