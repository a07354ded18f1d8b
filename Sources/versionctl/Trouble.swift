import HTTPCalling
import JSONTree

/// An error of a command: a sentence, a hint, and the exit status.
struct Trouble: Error, Equatable {
    var sentence: String
    var hint: String?
    var status: Status
    /// The code of the problem.
    var code = ""

    /// The exit status.
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

    /// An `application/problem+json` response of the daemon.
    init(_ answer: HTTPAnswer) {
        let problem = try? JSON(reading: answer.body)
        let code = problem?["code"]?.string ?? ""
        let detail = problem?["detail"]?.string ?? "The server returned HTTP \(answer.status)."
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
            "Set VERSIOND_TOKEN, or use --token-file FILE."
        case "forbidden": "versionctl whoami shows the rights of the token."
        case "document-deleted": "versionctl undelete restores the document."
        case "stale-revision": "Review the newer changes with versionctl diff, then retry."
        case "journal-uncertain": "versionctl log shows whether the change was stored."
        default: nil
        }
    }
}

extension Trouble {
    /// The call has no response.
    init(_ error: HTTPCallError, _ server: ServerAddress) {
        switch error {
        case .unreachable(let reason):
            if let (name, proxy) = Trouble.proxy(to: server) {
                self.init(
                    .unreachable, "The proxy \(proxy) cannot reach \(server): \(reason).",
                    hint: "Change \(name), or bypass the proxy with NO_PROXY=HOST.")
                return
            }
            self.init(
                .unreachable, "No daemon is reachable at \(server): \(reason).",
                hint: "Start versiond, or set another address: --server URL, VERSIOND_URL, "
                    + "versionctl context add.")
        case .unanswered(let reason):
            self.init(
                .unknown, "\(server) did not respond: \(reason).",
                hint: "The change may be stored; versionctl log shows it.")
        }
    }
}

extension Trouble {
    /// The proxy that libcurl reads from the environment.
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
    /// The sentence, and the hint in the next line.
    var description: String { sentence + (hint.map { "\nhint: \($0)" } ?? "") }
}
