import JSONSchemas
import JSONTree
import Sentences

// Maps violations of a schema to problems.

extension Problem {
    static func schemaTooCostly() -> Problem {
        Problem(.schemaTooCostly, "The validation exceeds its limit.")
    }

    static func schemaViolation(_ violations: [Violation]) -> Problem {
        let first = violations.prefix(3).map { violation in
            let place = violation.pointer == .root ? "the document" : "\(violation.pointer)"
            return "\(place): \(violation.detail)"
        }
        var text = JSONText()
        text.array(violations) { text, violation in
            text.object { text in
                text.member("pointer", violation.pointer.description)
                text.member("keyword", violation.keyword)
                text.member("detail", violation.detail.plain)
            }
        }
        let words = first.joined(separator: " ")
        return Problem(
            .schemaViolation,
            "The result violates the schema: \(words)"
        ).with("errors", .json(text.bytes))
    }
}
