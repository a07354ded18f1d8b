import Documents
import Naming

// What quotas have no room for.

extension Problem {
    static func quota(_ refusal: QuotaRefusal) -> Problem {
        let (name, member, whose): (String, String, String) =
            switch refusal.subject {
            case .prefix(let prefix):
                (prefix.text, "prefix", "The documents whose names begin with \(prefix)")
            case .token(let name): (name.text, "token", "The token \(name)")
            }
        let period = refusal.isDaily ? " a day" : ""
        let kind: Kind =
            refusal.measure == .bytes && !refusal.isDaily ? .quotaFull : .quotaReached
        let words = "\(refusal.max) \(refusal.measure.rawValue)\(period)"
        return Problem(
            kind, "\(whose) may have \(words), and that is used up.",
            hint: refusal.isDaily
                ? "Go on tomorrow (UTC), or ask the operator for more."
                : "Delete or erase what is not needed, or ask the operator for more."
        )
        .with(member, .text(name)).with("measure", .text(refusal.measure.rawValue))
        .with("max", .number(refusal.max)).with("daily", .flag(refusal.isDaily))
    }
}
