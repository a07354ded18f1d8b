import CMicroHTTPD
import Glibc

/// One client's connection, and until when it may take its time.
///
/// libmicrohttpd limits inactivity only: a client that sends a byte now and then is never cut. So
/// each phase of a request has a deadline here.
///
/// It belongs to the loop's thread. While an endless response waits for news, the thread that sends
/// them has it, for `sendChunk` only.
final class ClientConnection {
    /// The deadlines of a request's phases.
    struct Timeouts: Sendable {
        /// For the head, after the idle time that libmicrohttpd watches.
        var head: Duration = .seconds(10)
        var body: Duration = .seconds(30)
        /// For the response to be read.
        var response: Duration = .seconds(60)
        /// For a part of a large response to be read.
        var part: Duration = .seconds(10)
        /// A client below this rate is an attack rather than a slow network.
        var bytesPerSecondMin = 16 << 10
    }

    let descriptor: Int32
    private let timeouts: Timeouts
    private let idle: Duration
    private var began: Duration
    private var deadline: Duration?
    /// The data sent since the client last confirmed everything; the maximum, if libmicrohttpd sent
    /// a part of it.
    private var unconfirmed = (chunks: chunksMax, bytes: 0)
    /// So many chunks fit into the smallest buffer that the kernel begins with (16 KB; with what it
    /// adds to each, 2 KB). Asking it before each chunk costs a tenth of sending it.
    private static let chunksMax = 4
    private static let chunkBytesMax = 4 << 10
    let peer: HTTPPeer
    /// Whether the request is of HTTP/1.1.
    var isHTTP11 = false
    /// Whether the request was refused at its head.
    var wasRefused = false
    /// The target as it is in the request line.
    var target: [UInt8] = []

    init(descriptor: Int32, timeouts: Timeouts, idle: Duration, at now: Duration) {
        self.descriptor = descriptor
        peer = ClientConnection.peer(descriptor)
        self.timeouts = timeouts
        self.idle = idle
        began = now
        deadline = now + idle + timeouts.head
    }

    private static func peer(_ descriptor: Int32) -> HTTPPeer {
        let user = versiond_peer_user(descriptor)
        if user >= 0 { return .user(UInt32(truncatingIfNeeded: user)) }
        var (high, low) = (UInt64(0), UInt64(0))
        guard unsafe versiond_peer_address(descriptor, &high, &low) else { return .network() }
        return .network(HTTPAddress(high: high, low: low))
    }

    /// The next request may come. Idle connections are closed by libmicrohttpd; one that is still
    /// here after that time and has no complete head is dripping it.
    func waiting(at now: Duration) {
        deadline = now + idle + timeouts.head
    }

    func receiving(at now: Duration) {
        began = now
        deadline = now + timeouts.body
    }

    func received(_ bytes: Int, at now: Duration) {
        deadline = began + timeouts.body + .seconds(bytes / timeouts.bytesPerSecondMin)
    }

    /// Our turn: no deadline.
    func handling() {
        deadline = nil
    }

    func sending(_ bytes: Int, at now: Duration) {
        unconfirmed.chunks = ClientConnection.chunksMax
        deadline = now + timeouts.response + .seconds(bytes / timeouts.bytesPerSecondMin)
    }

    /// A part of a large response is sent: the client must continue reading, however long the whole
    /// takes.
    func sendingPart(_ bytes: Int, at now: Duration) {
        deadline = now + timeouts.part + .seconds(bytes / timeouts.bytesPerSecondMin)
    }

    /// Sends a chunk of a response at once, if it fits into the kernel's buffer: if the client has
    /// received all earlier data but a few small chunks. Returns `false` if nothing was sent. After
    /// a partial send the connection ends, since the rest of the chunk could not follow.
    func sendChunk(_ bytes: [UInt8]) -> Bool {
        unconfirmed.chunks += 1
        unconfirmed.bytes += bytes.count
        if unconfirmed.chunks > ClientConnection.chunksMax
            || unconfirmed.bytes > ClientConnection.chunkBytesMax
        {
            guard versiond_has_taken_all(descriptor) else { return false }
            unconfirmed = (1, bytes.count)
        }
        var whole = 0
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe versiond_send_chunk(descriptor, bytes.baseAddress, bytes.count, &whole)
        }
        if sent > 0 && sent < whole { cut() }
        return sent > 0
    }

    /// Whether the client has closed its side. For waiting requests only: a client may also close
    /// after its last request and still read.
    var hasGone: Bool {
        versiond_has_gone(descriptor)
    }

    /// Cuts the line if its time is over.
    func cutIfLate(at now: Duration) {
        guard let deadline, now > deadline else { return }
        cut()
    }

    /// Ends the line; libmicrohttpd then finds it closed.
    func cut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
