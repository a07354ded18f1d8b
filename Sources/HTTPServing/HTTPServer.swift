import CMicroHTTPD
import Threading

/// Serves HTTP/1.1 on one address with a few event loops.
public final class HTTPServer: Sendable {
    public struct Options: Sendable {
        public var host: String
        /// 0 lets the kernel choose; see `port`.
        public var port: UInt16
        /// Event loops, each on a thread of its own.
        public var loops: Int
        /// Connections that may be open at once, all loops together.
        public var connectionsMax: Int
        /// Endless answers that may be under way at once, all loops together.
        public var streamsMax: Int
        /// How long a connection may be silent.
        public var idleSecondsMax: Int
        /// How long a request head may take beyond that; a body and an answer get more.
        public var headPatience: Duration
        public var bodyPatience: Duration
        /// Time that only goes forward, for deadlines.
        public var now: @Sendable () -> Duration

        public init(
            host: String = "127.0.0.1", port: UInt16 = 0, loops: Int = 1,
            connectionsMax: Int = 4_096, streamsMax: Int = 2_048, idleSecondsMax: Int = 15,
            headPatience: Duration = .seconds(10), bodyPatience: Duration = .seconds(30),
            now: @escaping @Sendable () -> Duration
        ) {
            self.host = host
            self.port = port
            self.loops = loops
            self.connectionsMax = connectionsMax
            self.streamsMax = streamsMax
            self.idleSecondsMax = idleSecondsMax
            self.headPatience = headPatience
            self.bodyPatience = bodyPatience
            self.now = now
        }
    }

    private let loops: [EventLoop]
    /// The port that is listened on.
    public let port: UInt16

    /// Listens, and serves from now on.
    public init(_ options: Options, handler: any HTTPHandler) throws(HTTPServerError) {
        let sockets = try ListeningSocket.open(
            host: options.host, port: options.port, count: options.loops)
        port = sockets[0].port
        let settings = EventLoop.Settings(
            connectionsMax: max(1, options.connectionsMax / options.loops),
            idleSecondsMax: options.idleSecondsMax,
            streamsMax: max(1, options.streamsMax / options.loops),
            patience: .init(head: options.headPatience, body: options.bodyPatience),
            now: options.now)
        var loops: [EventLoop] = []
        for socket in sockets {
            loops.append(
                try EventLoop(listening: socket.descriptor, handler: handler, settings: settings))
        }
        self.loops = loops
        for (index, loop) in loops.enumerated() { loop.start(index: index) }
    }

    /// Accepts no more connections; those there are close after their next answer.
    public func drain() {
        for loop in loops { loop.drain() }
    }

    /// How many requests are under way, from their head to the last byte of their answer.
    public var activeCount: Int { loops.reduce(0) { $0 + $1.activeCount } }

    /// How many endless answers are under way.
    public var streamCount: Int { loops.reduce(0) { $0 + $1.streamCount } }

    /// Answers what still waits with a refusal, and closes everything.
    public func stop() {
        for loop in loops { loop.stop() }
    }

    /// The version of libmicrohttpd that is at work.
    public static var libraryVersion: String {
        unsafe MHD_get_version().map { unsafe String(cString: $0) } ?? "unknown"
    }
}
