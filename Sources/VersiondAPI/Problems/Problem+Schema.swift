import JSONSchemas
import JSONTree
import Sentences

// What a document's schema does not allow.

extension Problem {
    static func schemaTooCostly() -> Problem {
        Problem(.schemaTooCostly, "Checking the document's schema would take too long.")
    }

    static func schemaViolation(_ violations: [Violation]) -> Problem {
        let first = violations.prefix(3).map { violation in
            let place = violation.pointer == .root ? "the whole" : "\(violation.pointer)"
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
            "The document's schema does not allow this. \(words)"
        ).with("errors", .json(text.bytes))
    }
}
