import HTTPCalling
import JSONTree

/// Why a command did not do what it should: a sentence, what to type next, and the exit status.
struct Trouble: Error, Equatable {
    var sentence: String
    var hint: String?
    var status: Status
    /// The daemon's own code of it.
    var code = ""

    /// What scripts see.
    enum Status: Int32 {
        case nothing = 1
        case conflict = 2
        case notAllowed = 3
        case notThere = 4
        case usage = 64
        case badInput = 65
        case unreachable = 69
        case system = 74
        case later = 75
        case unknown = 76
    }

    init(_ status: Status, _ sentence: String, hint: String? = nil) {
        (self.status, self.sentence, self.hint) = (status, sentence, hint)
    }

    /// What the daemon says, as `application/problem+json`.
    init(_ answer: HTTPAnswer) {
        let problem = try? JSON(reading: answer.body)
        let code = problem?["code"]?.string ?? ""
        let detail = problem?["detail"]?.string ?? "The server says HTTP \(answer.status)."
        self.init(Trouble.status(of: answer.status, code), detail, hint: Trouble.hint(code))
        self.code = code
    }

    private static func status(of http: Int, _ code: String) -> Status {
        switch (http, code) {
        case (_, "nothing-to-undo"), (_, "nothing-to-redo"): .nothing
        case (_, "journal-uncertain"): .unknown
        case (_, "test-failed"), (409, _), (412, _): .conflict
        case (401, _), (403, _): .notAllowed
        case (404, _), (410, _): .notThere
        case (408, _), (425, _), (429, _), (500..., _): .later
        default: .badInput
        }
    }

    private static func hint(_ code: String) -> String? {
        switch code {
        case "unauthorized", "token-expired":
            "Put a token into VERSIOND_TOKEN, or name its file: --token-file FILE"
        case "forbidden": "versionctl whoami shows what this token may."
        case "document-deleted": "versionctl undelete brings it back."
        case "stale-revision": "Somebody was first: look at it with versionctl diff, and try again."
        case "journal-uncertain": "versionctl log shows whether it was carried out."
        default: nil
        }
    }
}

extension Trouble {
    /// There is no answer.
    init(_ error: HTTPCallError, _ server: ServerAddress) {
        switch error {
        case .unreachable(let reason):
            if let (name, proxy) = Trouble.proxy(to: server) {
                self.init(
                    .unreachable, "\(server) cannot be reached by the proxy \(proxy): \(reason).",
                    hint: "\(name) names it. NO_PROXY=HOST leaves it out.")
                return
            }
            self.init(
                .unreachable, "Nobody listens at \(server): \(reason).",
                hint: "Start one with versiond, or name another: --server URL, VERSIOND_URL, "
                    + "versionctl context add.")
        case .unanswered(let reason):
            self.init(
                .unknown, "\(server) did not answer: \(reason).",
                hint: "It may have been carried out; versionctl log shows it.")
        }
    }
}

extension Trouble {
    /// What libcurl takes from the environment.
    private static func proxy(to server: ServerAddress) -> (name: String, proxy: String)? {
        if server.socket != nil { return nil }
        let names =
            server.base.hasPrefix("https:") ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        for name in names + ["all_proxy", "ALL_PROXY"] {
            if let proxy = variable(name) { return (name, proxy) }
        }
        return nil
    }
}

extension Trouble: CustomStringConvertible {
    /// The sentence, and in the next line what to type next.
    var description: String { sentence + (hint.map { "\nhint: \($0)" } ?? "") }
}
