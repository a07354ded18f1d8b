import ArgumentParser
import CurlCalling
import HTTPCalling
import JSONTree

/// `relay`.
struct Relay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send each change to a receiver as a signed webhook.",
        discussion: """
            versionctl delivers changes in order and at least once. It retries a request without \
            a 2xx response after 1 s, then after up to 5 min, and sends no later change before. \
            410 ends the relay. The file --state stores the delivery position. Requests are \
            signed as in Standard Webhooks; a repeated request has the same webhook-id. \
            Example: versionctl relay --to https://hooks.example/in --secret-file secret --state \
            relay.json --prefix forms/
            """)

    @OptionGroup var common: CommonOptions
    @Option(help: "The URL of the receiver.") var to: String
    @Option(help: "A file with one secret per line: whsec_ and base64. Each secret signs.")
    var secretFile: String
    @Option(help: "The file that stores the delivery position.") var state: String
    @Option(help: "Documents whose names begin so.") var prefix = ""
    @Option(help: "The first position if the state file is new: 0 for all changes; by default now.")
    var since: Int?
    @Option(help: "The time limit for a response, in seconds.") var timeout = 30

    /// How long the daemon may wait for a change, in seconds; and how many it sends at once.
    private static let (wait, limit) = (25, 100)

    func run() throws {
        let session = try Session(common, timeout: Relay.wait + 30)
        let secrets = try Webhook.secrets(try Files.read(secretFile), secretFile)
        let (receiver, target) = try Relay.receiver(to)
        let webhook = Webhook(target: target, secrets: secrets, source: session.server.base)
        let caller = Caller(receiver, timeout: timeout)
        var state = try RelayState(self.state)
        if state.cursor == nil { try state.advance(to: try since ?? session.position()) }
        var backoff = Backoff()
        while true {
            do throws(Trouble) {
                let page = try page(after: state.cursor ?? 0, session)
                backoff = Backoff()
                for event in page["events"]?.elements ?? [] {
                    guard let cursor = event["cursor"]?.int else { continue }
                    if event["event"]?.string == "change" {
                        try deliver(event, webhook, caller, session.screen)
                    }
                    try state.advance(to: cursor)
                }
                try state.advance(to: page["next"]?.int ?? state.cursor ?? 0)
            } catch {
                guard [.unreachable, .unknown, .later].contains(error.status) else { throw error }
                let pause = backoff.pause()
                session.screen.note("versionctl: \(error.sentence) Retrying in \(pause) s.")
                Programs.pause(Double(pause))
            }
        }
    }

    private func page(after cursor: Int, _ session: Session) throws(Trouble) -> JSON {
        do throws(Trouble) {
            return try session.json(
                "/v1/feed",
                [
                    ("prefix", prefix), ("cursor", "\(cursor)"), ("wait", "\(Relay.wait)s"),
                    ("limit", "\(Relay.limit)"),
                ])
        } catch {
            guard error.status == .notThere else { throw error }
            throw Trouble(
                .notThere, error.sentence,
                hint: "The feed no longer has all changes. Remove \(state), and restart with "
                    + "--since N.")
        }
    }

    /// Sends it until it is received.
    private func deliver(
        _ event: JSON, _ webhook: Webhook, _ caller: Caller, _ screen: Screen
    ) throws(Trouble) {
        var backoff = Backoff()
        while true {
            switch Relay.send(webhook.call(event, at: Times.seconds()), caller) {
            case .delivered:
                return screen.tell("\(Webhook.id(event)) delivered")
            case .gone:
                throw Trouble(.notThere, "\(to) returned 410 Gone, so the relay ends.")
            case .failed(let reason, let least):
                let pause = backoff.pause(least: least)
                screen.note(
                    "versionctl: \(Webhook.id(event)) was not accepted: \(reason); retrying in "
                        + "\(pause) s")
                Programs.pause(Double(pause))
            }
        }
    }

    private static func send(_ call: HTTPCall, _ caller: Caller) -> Webhook.Outcome {
        do throws(HTTPCallError) { return Webhook.outcome(try caller.call(call)) } catch {
            switch error {
            case .unreachable(let reason), .unanswered(let reason):
                return .failed(reason, retryAfter: nil)
            }
        }
    }

    /// Where a receiver is, and its path with the query.
    private static func receiver(_ text: String) throws(Trouble) -> (ServerAddress, String) {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let base = parts.prefix(3).joined(separator: "/")
        guard let address = ServerAddress(base), address.socket == nil else {
            throw Trouble(
                .usage, "\(text) is not the URL of a receiver.", hint: "Example: https://host/path")
        }
        return (address, "/" + (parts.count > 3 ? parts[3] : ""))
    }
}

extension Session {
    /// Where the feed of all documents is now.
    fileprivate func position() throws(Trouble) -> Int {
        var first: [UInt8] = []
        let answer: HTTPAnswer
        do throws(HTTPCallError) {
            answer = try follow("/v1/feed", []) { bytes in
                first += bytes
                return !first.contains(0x0a)
            }
        } catch { throw Trouble(error, server) }
        guard answer.status == 200 else { throw Trouble(answer) }
        let line = first.prefix { $0 != 0x0a }
        guard let item = try? JSON(reading: Array(line)), let cursor = item["cursor"]?.int else {
            throw Trouble(.system, "\(server) does not return the position of its feed.")
        }
        return cursor
    }
}
