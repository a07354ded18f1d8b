import HTTPServing
import Sentences

/// An error as HTTP describes it (RFC 9457).
struct Problem: Error, Sendable {
    /// One kind of problem: the last part of its `type`, its status, and what it means.
    struct Kind: Sendable, Equatable {
        let code: String
        let status: Int
        let title: String
        /// What to do about it, for people, with code in backticks.
        let hint: String
    }

    let kind: Kind
    /// What happened this time.
    let detail: String
    /// What to do about it, of this kind or this time.
    var hint: String
    /// Further members: where, and what is there instead.
    var members: [(name: String, value: Value)] = []
    var fields: [(name: String, value: String)] = []
    /// Whose token was refused, for the log.
    var tokenName = ""

    enum Value: Sendable {
        case number(Int)
        case flag(Bool)
        case text(String)
        case json([UInt8])
    }

    init(_ kind: Kind, _ detail: String, hint: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.hint = hint ?? kind.hint.replacing("`", with: "")
    }

    func with(_ name: String, _ value: Value) -> Problem {
        var problem = self
        problem.members.append((name: name, value: value))
        return problem
    }

    func withField(_ name: String, _ value: String) -> Problem {
        var problem = self
        problem.fields.append((name: name, value: value))
        return problem
    }
}

extension Problem {
    /// The response: `application/problem+json`, or two lines of text if the client asks for text.
    func response(asText: Bool = false) -> HTTPResponse {
        var fields = fields
        fields.append((name: "Cache-Control", value: "no-store"))
        if asText {
            fields.append((name: "Content-Type", value: "text/plain; charset=utf-8"))
            let text = "error: \(detail.plain)\nhint: \(hint.plain)\n"
            return HTTPResponse(status: kind.status, fields: fields, body: Array(text.utf8))
        }
        fields.append((name: "Content-Type", value: "application/problem+json"))
        return HTTPResponse(status: kind.status, fields: fields, body: json)
    }

    /// The problem as JSON text.
    var json: [UInt8] {
        var text = JSONText()
        text.object { text in
            text.member("type", "/problems/\(kind.code)")
            text.member("title", kind.title)
            text.member("status", kind.status)
            // Names of others' stand in them; what they are exactly is in the members.
            text.member("detail", detail.plain)
            text.member("code", kind.code)
            text.member("hint", hint.plain)
            for (name, value) in members {
                switch value {
                case .number(let number): text.member(name, number)
                case .flag(let flag): text.member(name, flag)
                case .text(let string): text.member(name, string)
                case .json(let bytes): text.member(name, raw: bytes)
                }
            }
        }
        return text.line()
    }
}
