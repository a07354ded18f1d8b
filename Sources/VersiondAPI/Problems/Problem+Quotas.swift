import Documents
import Naming

// Maps exceeded quotas to problems.

extension Problem {
    static func quota(_ refusal: QuotaRefusal) -> Problem {
        let (name, member, whose): (String, String, String) =
            switch refusal.subject {
            case .prefix(let prefix):
                (prefix.text, "prefix", "The prefix \(prefix)")
            case .token(let name): (name.text, "token", "The token \(name)")
            }
        let period = refusal.isDaily ? " a day" : ""
        let kind: Kind =
            refusal.measure == .bytes && !refusal.isDaily ? .quotaFull : .quotaReached
        let words = "\(refusal.max) \(refusal.measure.rawValue)\(period)"
        return Problem(
            kind, "\(whose) has a quota of \(words)."
        )
        .with(member, .text(name)).with("measure", .text(refusal.measure.rawValue))
        .with("max", .number(refusal.max)).with("daily", .flag(refusal.isDaily))
    }
}
