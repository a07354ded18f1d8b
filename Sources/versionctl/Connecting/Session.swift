import CurlCalling
import HTTPCalling
import Hashing
import JSONTree

/// A daemon and the identity of the caller.
final class Session {
    let server: ServerAddress
    let options: CommonOptions
    let screen: Screen
    private let caller: Caller
    private let fields: [(name: String, value: String)]
    /// The actor that the options name.
    let actor: String?
    let promptBy: String?
    let token: String?

    static let standardServer = "http://localhost:8080"
    /// The maximum number of attempts of a call.
    private static let attemptsMax = 4

    init(_ options: CommonOptions, timeout: Int = 30) throws(Trouble) {
        self.options = options
        screen = Screen(options)
        let named = options.server ?? variable("VERSIOND_URL")
        // A context's token is for its own daemon, and no other.
        let context = try named == nil ? Contexts.read().inUse : nil
        let url = named ?? context?.server ?? Session.standardServer
        guard let server = ServerAddress(url) else { throw Session.noAddress(url) }
        self.server = server
        caller = Caller(server, timeout: timeout)
        token = try Session.token(options, context)
        actor =
            options.actor ?? variable("VERSIOND_ACTOR") ?? context?.actor
            ?? (token == nil ? variable("USER") : nil)
        promptBy = options.promptBy ?? variable("VERSIOND_PROMPT_BY")
        fields =
            (token.map { [("Authorization", "Bearer \($0)")] } ?? [])
            + (actor.map { [("Versiond-Actor", $0.escaped)] } ?? [])
            + (promptBy.map { [("Versiond-Prompt-By", $0.escaped)] } ?? [])
    }

    static func noAddress(_ text: String) -> Trouble {
        Trouble(
            .usage, "\(text) is not the address of a daemon.",
            hint: "Use http://host:8080, https://host or unix:/run/versiond.sock.")
    }

    private static func token(
        _ options: CommonOptions, _ context: Contexts.Context?
    ) throws(Trouble) -> String? {
        if options.tokenFile == nil, let token = variable("VERSIOND_TOKEN") { return token }
        guard let file = options.tokenFile ?? context?.tokenFile else { return nil }
        let text = String(decoding: try Files.read(file), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    // MARK: Calls

    /// Sends a call once and returns any response.
    func raw(_ call: HTTPCall) throws(Trouble) -> HTTPAnswer {
        let whole = whole(call)
        if options.verbose { screen.note(curl(whole)) }
        do throws(HTTPCallError) { return try caller.call(whole) } catch {
            throw Trouble(error, server)
        }
    }

    /// A call that does the same however often it is sent: again after silence, and when the daemon
    /// says so.
    func repeated(_ call: HTTPCall) throws(Trouble) -> HTTPAnswer {
        var isSent = false
        for _ in 1..<Session.attemptsMax {
            do throws(Trouble) {
                let answer = try raw(call)
                // A fault of the daemon itself is reported at once.
                guard answer.isForNow, answer.status != 500 else { return answer }
                pause(Double(answer.fields["retry-after"] ?? "") ?? 1)
            } catch {
                // No daemon is reachable after a lost response: it may be restarting.
                if error.status == .unknown { isSent = true }
                guard isSent else { throw error }
                pause(0.25)
            }
        }
        do throws(Trouble) { return try raw(call) } catch {
            let isRead = call.method == "GET" || call.method == "HEAD"
            guard isSent else { throw error }
            throw isRead ? Trouble(.later, error.sentence) : error.asUnknown
        }
    }

    /// A read that succeeds or throws.
    func get(_ path: String, _ query: [(String, String)] = []) throws(Trouble) -> HTTPAnswer {
        let answer = try repeated(HTTPCall("GET", target(path, query)))
        guard answer.status == 200 else { throw Trouble(answer) }
        return answer
    }

    func json(_ path: String, _ query: [(String, String)] = []) throws(Trouble) -> JSON {
        try parsed(try get(path, query))
    }

    func parsed(_ answer: HTTPAnswer) throws(Trouble) -> JSON {
        do { return try JSON(reading: answer.body) } catch {
            throw Trouble(.system, "The response of \(server) is not valid JSON.")
        }
    }

    /// A change, which is carried out once however often it is sent: with one key.
    func change(
        _ method: String, _ path: String, _ query: [(String, String)] = [],
        body: [UInt8]? = nil, type: String = "application/json",
        fields more: [(name: String, value: String)] = []
    ) throws(Trouble) -> JSON {
        let key = randomDigits(of: 16)
        let call = HTTPCall(
            method, target(path, query),
            [("Content-Type", type), ("Idempotency-Key", "\"\(key)\"")] + more,
            body: body ?? (method == "POST" ? Array("{}".utf8) : method == "PUT" ? [] : nil))
        let answer = try repeated(call)
        guard answer.status < 300 else { throw Trouble(answer) }
        if answer.status == 204 { return [:] }
        let json = try? JSON(reading: answer.body)
        guard let json, json.count > 0, json.kind == .object else {
            throw Trouble(
                .unknown, noDaemon,
                hint: "Check the address with versionctl whoami.")
        }
        return json
    }

    var noDaemon: String { "The response of \(server) is not from versiond." }

    private func pause(_ seconds: Double) {
        Programs.pause(min(max(seconds, 0.05), 5))
    }

    /// A stream that ends when `take` has enough; lines of JSON.
    func follow(
        _ path: String, _ query: [(String, String)], _ take: @escaping (ArraySlice<UInt8>) -> Bool
    ) throws(HTTPCallError) -> HTTPAnswer {
        let call = whole(
            HTTPCall("GET", target(path, query), [("Accept", "application/x-ndjson")]))
        if options.verbose { screen.note(curl(call)) }
        return try caller.stream(call, take: take)
    }

    private func whole(_ call: HTTPCall) -> HTTPCall {
        var call = call
        // A call may have another actor.
        let own = fields.filter { field in !call.fields.contains { $0.name == field.name } }
        call.fields = [("User-Agent", "versionctl")] + own + call.fields
        return call
    }

    /// The same for curl. Never with a token.
    private func curl(_ call: HTTPCall) -> String {
        var words = ["curl", "-X", call.method]
        if let socket = server.socket { words += ["--unix-socket", quoted(socket)] }
        for (name, value) in call.fields where name != "User-Agent" {
            let shown = name == "Authorization" ? "Bearer $VERSIOND_TOKEN" : value
            words += [
                "-H",
                name == "Authorization" ? "\"\(name): \(shown)\"" : quoted("\(name): \(shown)"),
            ]
        }
        if let body = call.body, !body.isEmpty {
            words += ["-d", quoted(String(decoding: body, as: UTF8.self))]
        }
        return (words + [quoted(server.base + call.target)]).joined(separator: " ")
    }

    private func quoted(_ text: String) -> String { Programs.quoted(text) }
}

extension HTTPAnswer {
    /// Whether it may be another a moment later: what a daemon says that is busy or starts, and
    /// what something before it says of a line or of a daemon that it does not reach.
    var isForNow: Bool {
        switch status {
        case 408, 425, 429: true
        case 501, 505: false
        default: status >= 500
        }
    }
}

/// Random bytes in hexadecimal, as a unique key.
func randomDigits(of bytes: Int) -> String {
    (0..<bytes).map { _ in UInt8.random(in: 0...255) }.hexadecimal
}

extension Trouble {
    /// The same, where it may have been carried out.
    fileprivate var asUnknown: Trouble {
        Trouble(
            .unknown, sentence, hint: "The change may be stored; versionctl log shows it.")
    }
}
