import HTTPServing
import Sentences

/// An error as HTTP describes it (RFC 9457).
struct Problem: Error, Sendable {
    /// A kind of problem: the last part of its `type`, its status, title and hint.
    struct Kind: Sendable, Equatable {
        let code: String
        let status: Int
        let title: String
        /// The remedy, with code in backticks.
        let hint: String
    }

    let kind: Kind
    /// The case at hand.
    let detail: String
    /// The remedy, of the kind or of this case.
    var hint: String
    /// Further members, such as places and values.
    var members: [(name: String, value: Value)] = []
    var fields: [(name: String, value: String)] = []
    /// The name of the refused token, for the log.
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
        // A reader of JSON may refuse a name that occurs twice.
        problem.members.removeAll { $0.name == name }
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
            // Details contain foreign names; the members have their exact text.
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
