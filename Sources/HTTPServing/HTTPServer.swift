import CMicroHTTPD
import Glibc
import Threading

/// Serves HTTP/1.1 on one address with a few event loops.
public final class HTTPServer: Sendable {
    /// Where and how to listen.
    public struct Options: Sendable {
        public var host: String
        /// 0 lets the kernel choose; see `port`.
        public var port: UInt16
        /// A local socket to listen on as well, and the users that may connect to it.
        public var localSocket: LocalSocket?
        /// Sockets that listen already, in the place of those above; the server closes them.
        public var listeners: Listeners?
        /// Key and certificate, if connections are encrypted. The local socket never is.
        public var encryption: Encryption?
        /// Event loops, each on a thread of its own.
        public var loops: Int
        /// Connections that may be open at once, all loops together.
        public var connectionsMax: Int
        /// Connections from one address, so that no client can take all of them; `nil`: no limit.
        public var connectionsPerAddressMax: Int?
        /// Endless replies that may be under way at once, all loops together.
        public var streamsMax: Int
        /// The limit on the bytes of all bodies being received, and, separately, of all large
        /// responses being sent: many clients with small bodies must not fill the memory.
        public var bytesMax: Int
        /// How long a connection may be silent.
        public var idleSecondsMax: Int
        /// How long a request head may take beyond that; a body and a response get more.
        public var headTimeout: Duration
        public var bodyTimeout: Duration
        /// Time that only goes forward, for deadlines.
        public var now: @Sendable () -> Duration

        public init(
            host: String = "127.0.0.1", port: UInt16 = 0, localSocket: LocalSocket? = nil,
            listeners: Listeners? = nil, encryption: Encryption? = nil, loops: Int = 1,
            connectionsMax: Int = 4_096, connectionsPerAddressMax: Int? = nil,
            streamsMax: Int = 2_048, bytesMax: Int = 256 << 20, idleSecondsMax: Int = 15,
            headTimeout: Duration = .seconds(10), bodyTimeout: Duration = .seconds(30),
            now: @escaping @Sendable () -> Duration
        ) {
            self.host = host
            self.port = port
            self.localSocket = localSocket
            self.listeners = listeners
            self.encryption = encryption
            self.loops = loops
            self.connectionsMax = connectionsMax
            self.connectionsPerAddressMax = connectionsPerAddressMax
            self.streamsMax = streamsMax
            self.bytesMax = bytesMax
            self.idleSecondsMax = idleSecondsMax
            self.headTimeout = headTimeout
            self.bodyTimeout = bodyTimeout
            self.now = now
        }
    }

    /// A socket in the file system.
    public struct LocalSocket: Sendable {
        public let path: String
        /// The mode of the file: only users that may write it can connect.
        public let mode: UInt32

        public init(path: String, mode: UInt32 = 0o600) {
            self.path = path
            self.mode = mode
        }
    }

    /// Sockets that listen already: of a server that is replaced, or of a supervisor.
    public struct Listeners: Sendable {
        /// On an address. Empty: the options say where to listen.
        public var network: [Int32]
        /// In the file system.
        public var local: Int32?

        public init(network: [Int32] = [], local: Int32? = nil) {
            self.network = network
            self.local = local
        }

        /// Closes them: no server has taken them.
        public func close() {
            for descriptor in network { Glibc.close(descriptor) }
            if let local { Glibc.close(local) }
        }
    }

    /// Key and certificate chain, in PEM.
    public struct Encryption: Sendable, Equatable {
        public let key: String
        public let certificate: String

        public init(key: String, certificate: String) {
            self.key = key
            self.certificate = certificate
        }
    }

    private let loops: [EventLoop]
    private let endless: EndlessReplies
    private let networkLoopCount: Int
    /// The port that is listened on.
    public let port: UInt16

    /// Listens, and serves from now on.
    public init(_ options: Options, handler: any HTTPHandler) throws(HTTPServerError) {
        if options.encryption != nil && MHD_is_feature_supported(.FEATURE_TLS) != .YES {
            throw .cannotStart("this libmicrohttpd was built without TLS")
        }
        let sockets = try HTTPServer.sockets(options)
        let local = try HTTPServer.localSocket(options)
        port = sockets[0].port
        let count = sockets.count + (local == nil ? 0 : 1)
        endless = EndlessReplies(max: options.streamsMax)
        var settings = EventLoop.Settings(
            connectionsMax: max(1, options.connectionsMax / count),
            connectionsPerAddressMax: options.connectionsPerAddressMax.map {
                max(1, $0 / sockets.count)
            } ?? 0,
            idleSecondsMax: options.idleSecondsMax,
            endless: endless,
            bytesMax: options.bytesMax / count,
            encryption: options.encryption,
            timeouts: .init(head: options.headTimeout, body: options.bodyTimeout),
            now: options.now)
        var loops: [EventLoop] = []
        for socket in sockets {
            loops.append(
                try EventLoop(listening: socket.descriptor, handler: handler, settings: settings))
        }
        if let local {
            settings.encryption = nil
            settings.connectionsPerAddressMax = 0
            loops.append(
                try EventLoop(listening: local.descriptor, handler: handler, settings: settings))
        }
        self.loops = loops
        networkLoopCount = sockets.count
        for (index, loop) in loops.enumerated() { loop.start(index: index) }
    }

    private static func sockets(_ options: Options) throws(HTTPServerError) -> [ListeningSocket] {
        guard let given = options.listeners?.network, !given.isEmpty else {
            return try ListeningSocket.open(
                host: options.host, port: options.port, count: options.loops)
        }
        var sockets: [ListeningSocket] = []
        for descriptor in given { sockets.append(try ListeningSocket(given: descriptor)) }
        // Each further loop also accepts from the queue of the first one.
        while sockets.count < options.loops { sockets.append(try sockets[0].duplicate()) }
        return sockets
    }

    private static func localSocket(_ options: Options) throws(HTTPServerError) -> ListeningSocket?
    {
        if let given = options.listeners?.local { return try ListeningSocket(given: given) }
        guard let local = options.localSocket else { return nil }
        return try ListeningSocket.open(local)
    }

    /// The sockets of this server, for its successor. Clients that connect meanwhile are not
    /// refused.
    public func duplicateListeners() throws(HTTPServerError) -> Listeners {
        var listeners = Listeners()
        for (index, loop) in loops.enumerated() {
            let descriptor = try loop.duplicateListener()
            if index < networkLoopCount {
                listeners.network.append(descriptor)
            } else {
                listeners.local = descriptor
            }
        }
        return listeners
    }

    /// Accepts no more connections; those there are close after their next response.
    public func drain() {
        for loop in loops { loop.drain() }
    }

    /// How many requests are under way, from their head to the last byte of their response.
    public var activeCount: Int { loops.reduce(0) { $0 + $1.activeCount } }

    /// Bytes of requests' bodies that have come and are held until they are answered.
    public var bodyBytesHeld: Int { loops.reduce(0) { $0 + $1.bodyBytesHeld } }

    /// How many connections are open.
    public var connectionCount: Int { loops.reduce(0) { $0 + $1.connectionCount } }

    /// How many connections are suspended until their response is there. Streams are not counted.
    public var suspendedCount: Int { loops.reduce(0) { $0 + $1.suspendedCount } }

    /// How many endless replies are under way.
    public var streamCount: Int { endless.streamCount }

    /// Answers what still waits with a refusal, and closes everything.
    public func stop() {
        for loop in loops { loop.stop() }
    }

    /// The version of libmicrohttpd that is at work.
    public static var libraryVersion: String {
        unsafe MHD_get_version().map { unsafe String(cString: $0) } ?? "unknown"
    }
}
