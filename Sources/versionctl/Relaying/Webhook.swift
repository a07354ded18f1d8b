import HTTPCalling
import Hashing
import JSONTree

/// The webhook of a change: signed as in Standard Webhooks, with the attributes of
/// CloudEvents (binary mode, HTTP binding 1.0) as fields.
struct Webhook {
    /// The path and query of the receiver.
    let target: String
    /// Each signs: while a secret is exchanged there are two.
    let secrets: [[UInt8]]
    /// The address of the daemon, as the source of events.
    let source: String

    /// The result of the delivery.
    enum Outcome: Equatable {
        case delivered
        /// The receiver wants nothing more: 410.
        case gone
        /// It is sent again, not before some seconds if the receiver says so.
        case failed(String, retryAfter: Int?)
    }

    /// The same for the same change, however often it is sent: by it a receiver knows what it has.
    static func id(_ event: JSON) -> String {
        let (revision, cursor) = (event["revision"]?.text ?? "0", event["cursor"]?.text ?? "0")
        return "\(event.document.escaped)@\(revision)-\(cursor)"
    }

    func call(_ event: JSON, at seconds: Int) -> HTTPCall {
        let body = event.serialized()
        let id = Webhook.id(event)
        let fields = [
            ("Content-Type", "application/json"), ("User-Agent", "versionctl"),
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signature(id, seconds, body)),
            ("ce-specversion", "1.0"), ("ce-id", id), ("ce-type", "versiond.change"),
            ("ce-source", "\(source)/v1/documents/\(event.document.escaped)"),
            ("ce-subject", event.document.escaped),
            ("ce-time", event["change"]?["time"]?.string ?? Times.rfc3339(seconds)),
        ]
        return HTTPCall("POST", target, fields, body: body)
    }

    private func signature(_ id: String, _ seconds: Int, _ body: [UInt8]) -> String {
        let signed = Array("\(id).\(seconds).".utf8) + body
        return secrets.map { "v1,\(SHA256.authentication(of: signed, key: $0).base64)" }
            .joined(separator: " ")
    }

    static func outcome(_ answer: HTTPAnswer) -> Outcome {
        switch answer.status {
        case 200..<300: .delivered
        case 410: .gone
        default:
            .failed("HTTP \(answer.status)", retryAfter: Int(answer.fields["retry-after"] ?? ""))
        }
    }

    /// The secrets of a file, one on each line: `whsec_` and base64 of 24 to 64 bytes.
    static func secrets(_ bytes: [UInt8], _ file: String) throws(Trouble) -> [[UInt8]] {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        var secrets: [[UInt8]] = []
        for line in lines {
            let mark = "whsec_"
            guard line.hasPrefix(mark), let secret = [UInt8](base64: line.dropFirst(mark.count)),
                (24...64).contains(secret.count)
            else {
                throw Trouble(
                    .badInput, "A line of \(file) is not a secret.",
                    hint: "Generate one: echo whsec_$(head -c 32 /dev/urandom | base64)")
            }
            secrets.append(secret)
        }
        guard secrets.isEmpty else { return secrets }
        throw Trouble(.badInput, "\(file) has no secret.")
    }
}

extension JSON {
    fileprivate var document: String { self["document"]?.string ?? "" }
}

/// How long is waited before something is tried again, in seconds: twice as long each time.
struct Backoff {
    private var next = 1
    static let longest = 300

    /// - Parameter least: what the other side asks for.
    mutating func pause(least: Int? = nil) -> Int {
        defer { next = min(next * 2, Backoff.longest) }
        return min(max(next, least ?? 0), Backoff.longest)
    }
}
