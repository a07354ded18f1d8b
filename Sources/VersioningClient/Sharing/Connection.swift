import HTTPCalling
import JSONTree

/// A daemon, and the person or program that uses it.
public struct Connection: Sendable {
    /// Provides the token for a request; `nil` for none. It is asked before each request, so it may
    /// return another one when the former has expired.
    public typealias Token = @Sendable () async -> String?

    let transport: any Transport
    let token: Token
    /// The actor of changes; `nil`: the name of the token.
    let actor: String?
    let time: SessionTime

    /// A connection over a transport.
    ///
    /// `actor` names the person whose changes and undo these are; without it, they are those of the
    /// token. A daemon that does not permit the name refuses the changes.
    public init(
        _ transport: any Transport, actor: String? = nil, token: @escaping Token = { nil }
    ) {
        self.init(transport, actor: actor, token: token, time: .real)
    }

    package init(
        _ transport: any Transport, actor: String?, token: @escaping Token, time: SessionTime
    ) {
        (self.transport, self.actor, self.token, self.time) = (transport, actor, token, time)
    }

    #if canImport(CurlCalling)
        /// A connection to a server over libcurl: `http://host:8080`, `https://host/below`, or
        /// `unix:/run/versiond.sock`; `nil` if the address is none of them.
        public init?(_ address: String, actor: String? = nil, token: @escaping Token = { nil }) {
            guard let server = ServerAddress(address) else { return nil }
            self.init(CurlTransport(server), actor: actor, token: token)
        }
    #endif

    func send(_ call: HTTPCall) async throws(DaemonProblem) -> HTTPAnswer {
        do throws(HTTPCallError) {
            return try await transport.send(await whole(call))
        } catch {
            throw DaemonProblem(error)
        }
    }

    func get(_ target: String) async throws(DaemonProblem) -> HTTPAnswer {
        try await send(HTTPCall("GET", target, [("Accept", "application/json")]))
    }

    func stream(_ target: String) async -> AsyncThrowingStream<[UInt8], any Error> {
        let call = HTTPCall("GET", target, [("Accept", "application/x-ndjson")])
        return transport.stream(await whole(call))
    }

    private func whole(_ call: HTTPCall) async -> HTTPCall {
        var call = call
        if let token = await token() { call.fields.append(("Authorization", "Bearer " + token)) }
        if let actor, call.method != "GET" {
            call.fields.append(("Versiond-Actor", actor.escaped))
        }
        return call
    }
}

/// Time and chance, for pauses.
package struct SessionTime: Sendable {
    /// The time since some moment.
    package let now: @Sendable () -> Duration
    /// Waits, or until the task is cancelled.
    package let sleep: @Sendable (Duration) async -> Void
    /// A number from 0 to 1.
    package let chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        (self.now, self.sleep, self.chance) = (now, sleep, chance)
    }

    static let real: SessionTime = {
        let clock = ContinuousClock()
        let start = clock.now
        return SessionTime(
            now: { clock.now - start }, sleep: { try? await Task.sleep(for: $0) },
            chance: { .random(in: 0...1) })
    }()
}
