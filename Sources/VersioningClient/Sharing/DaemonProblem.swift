import HTTPCalling
import JSONTree

/// The reason why something was not done, as the daemon states it (RFC 9457).
public struct DaemonProblem: Error, Sendable, Equatable {
    /// The HTTP status; 0 if there was no response.
    public let status: Int
    /// The code, such as `document-deleted`; `offline` without a response, and `unknown` if another
    /// server on the way has answered.
    public let code: String
    /// A sentence for people.
    public let detail: String

    /// A problem of a program's own.
    public init(status: Int = 0, code: String, detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    init(_ answer: HTTPAnswer) {
        let body = JSON.received(answer.body)
        let isDaemons = body?["code"]?.string != nil
        self.init(
            status: answer.status, code: body?["code"]?.string ?? DaemonProblem.foreign,
            detail: isDaemons
                ? body?["detail"]?.string ?? body?["title"]?.string ?? ""
                : "HTTP \(answer.status), and not by versiond")
    }

    init(_ error: HTTPCallError) {
        switch error {
        case .unreachable(let reason), .unanswered(let reason):
            self.init(code: DaemonProblem.offline.code, detail: reason)
        }
    }

    /// The code of a response that is not the daemon's: a proxy also responds 404 while it cannot
    /// reach the daemon. It does not concern a document, so the request is sent again.
    static let foreign = "unknown"
    static let offline = DaemonProblem(code: "offline", detail: "The daemon is out of reach.")
    static let closed = DaemonProblem(code: "closed", detail: "The document was closed.")
    static let deleted = DaemonProblem(
        status: 410, code: "document-deleted", detail: "The document was deleted.")

    /// Whether the daemon did not permit it.
    public var isRefusal: Bool { status == 401 || status == 403 }
}

extension JSON {
    /// The JSON of a daemon, which has its own limits; `nil` if it is none.
    static func received(_ bytes: [UInt8]) -> JSON? {
        try? JSON(parsing: bytes, limits: receiving)
    }

    private static let receiving = JSONLimits(
        depthMax: 1_024, numberBytesMax: 1 << 20, operationsMax: .max,
        documentBytesMax: 1 << 30, valuesMax: 100_000_000)
}
