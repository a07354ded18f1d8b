import HTTPServing
import Logging
import Threading

/// The daemon's server, which another one takes the place of when what it was made with has
/// changed: its certificate, or the origins of web pages.
final class Serving: Sendable {
    /// The fixed properties of a server.
    struct Traits: Equatable, Sendable {
        var encryption: HTTPServer.Encryption?
        var origins: Set<String>
    }

    private struct State {
        var traits: Traits
        var server: HTTPServer
        /// Those before it, which still reply to what is under way.
        var former: [HTTPServer] = []
    }

    typealias Make = @Sendable (Traits, HTTPServer.Listeners?) throws -> HTTPServer

    private let make: Make
    private let state: Lock<State>

    init(_ traits: Traits, listeners: HTTPServer.Listeners?, make: @escaping Make) throws {
        self.make = make
        state = Lock(State(traits: traits, server: try make(traits, listeners)))
    }

    /// The server that accepts connections.
    var server: HTTPServer { state.withLock { $0.server } }

    private var all: [HTTPServer] { state.withLock { $0.former + [$0.server] } }

    /// Requests under way.
    var activeCount: Int { all.reduce(0) { $0 + $1.activeCount } }

    /// Connections that are open.
    var connectionCount: Int { all.reduce(0) { $0 + $1.connectionCount } }

    /// Clients that follow a feed.
    var streamCount: Int { all.reduce(0) { $0 + $1.streamCount } }

    /// Bytes of requests' bodies that are held.
    var bodyBytesHeld: Int { all.reduce(0) { $0 + $1.bodyBytesHeld } }

    /// Replaces this server by another one if the traits differ. The sockets are the same, so that
    /// no client is refused; connected clients get their next response and are closed. Returns
    /// whether it did.
    func replace(_ traits: Traits) throws -> HTTPServer? {
        let (known, old) = state.withLock { ($0.traits, $0.server) }
        if known == traits { return nil }
        let listeners = try old.duplicateListeners()
        let new: HTTPServer
        do { new = try make(traits, listeners) } catch {
            listeners.close()
            throw error
        }
        state.withLock { state in
            (state.traits, state.server) = (traits, new)
            state.former.append(old)
        }
        old.drain()
        return old
    }

    /// Ends a server that was replaced.
    func end(_ former: HTTPServer) {
        state.withLock { $0.former.removeAll { $0 === former } }
        former.stop()
    }

    /// Accepts no more connections; those there are close after their next response.
    func drain() {
        for server in all { server.drain() }
    }

    /// Answers what still waits with a refusal, and closes everything.
    func stop() {
        for server in all { server.stop() }
    }
}
