import CMicroHTTPD
import Glibc

/// One client's connection, and until when it may take its time.
///
/// libmicrohttpd limits inactivity only: a client that sends a byte now and then is never cut. So
/// each phase of a request has a deadline here.
final class ClientConnection {
    /// The deadlines of a request's phases.
    struct Patience: Sendable {
        /// For the head, after the idle time that libmicrohttpd watches.
        var head: Duration = .seconds(10)
        var body: Duration = .seconds(30)
        /// For the answer to be read.
        var answer: Duration = .seconds(60)
        /// Slower than this is no network, it is an attack.
        var bytesPerSecondMin = 16 << 10
    }

    private let descriptor: Int32
    private let patience: Patience
    private let idle: Duration
    private var began: Duration
    private var deadline: Duration?
    let peer: HTTPPeer
    /// The target as it stood in the request line.
    var target: [UInt8] = []

    init(descriptor: Int32, patience: Patience, idle: Duration, at now: Duration) {
        self.descriptor = descriptor
        let user = versiond_peer_user(descriptor)
        peer = user < 0 ? .network : .user(UInt32(truncatingIfNeeded: user))
        self.patience = patience
        self.idle = idle
        began = now
        deadline = now + idle + patience.head
    }

    /// The next request may come. Idle connections are closed by libmicrohttpd; one that is still
    /// here after that time and has no complete head is dripping it.
    func waiting(at now: Duration) {
        deadline = now + idle + patience.head
    }

    func receiving(at now: Duration) {
        began = now
        deadline = now + patience.body
    }

    func received(_ bytes: Int, at now: Duration) {
        deadline = began + patience.body + .seconds(bytes / patience.bytesPerSecondMin)
    }

    /// Our turn: no deadline.
    func handling() {
        deadline = nil
    }

    func sending(_ bytes: Int, at now: Duration) {
        deadline = now + patience.answer + .seconds(bytes / patience.bytesPerSecondMin)
    }

    /// Whether the client has closed its side. For those who wait only: others may have sent their
    /// last request and still read.
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
