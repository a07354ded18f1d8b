import ArgumentParser
import HTTPCalling
import JSONTree

/// `relay`.
struct Relay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send each change to a receiver, as a signed webhook.",
        discussion: """
            In their order, and at least once: what is not answered with 2xx is sent again, after \
            1 s and then up to 5 min, and nothing behind it before; 410 ends it. The file of \
            --state holds up to where all is delivered. Requests are signed as Standard Webhooks \
            says; webhook-id is the same each time, by which a receiver knows what it has. \
            Example: versionctl relay --to https://hooks.example/in --secret-file secret --state \
            relay.json --prefix forms/
            """)

    @OptionGroup var common: CommonOptions
    @Option(help: "The receiver: http://… or https://…") var to: String
    @Option(help: "A file with a secret on each line: whsec_ and base64. Each signs.")
    var secretFile: String
    @Option(help: "The file that holds up to where all is delivered.") var state: String
    @Option(help: "Documents whose names begin so.") var prefix = ""
    @Option(help: "Where it begins the first time: 0 is the beginning of all; now if left out.")
    var since: Int?
    @Option(help: "How many seconds the receiver has for an answer.") var timeout = 30

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
                session.screen.note("versionctl: \(error.sentence) Again in \(pause) s.")
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
                hint: "Changes are missing between it and now. Remove \(state), and begin with "
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
                throw Trouble(.notThere, "\(to) says that it is gone: nothing more is sent to it.")
            case .failed(let reason, let least):
                let pause = backoff.pause(least: least)
                screen.note(
                    "versionctl: \(Webhook.id(event)) is not received: \(reason); again in "
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
                .usage, "\(text) is no address of a receiver.", hint: "As in https://host/path")
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
            throw Trouble(.system, "\(server) does not say where its feed is.")
        }
        return cursor
    }
}
