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
            case .run(let run, _): (run.text, "run", "The run \(run)")
            }
        let period = refusal.isDaily ? " a day" : ""
        let kind: Kind =
            refusal.measure == .bytes && !refusal.isDaily ? .quotaFull : .quotaReached
        let words = "\(refusal.max) \(refusal.measure.rawValue)\(period)"
        var problem = Problem(kind, "\(whose) has a quota of \(words).")
        if case .run(_, let prefix) = refusal.subject {
            problem.hint = "Continue as another run, or ask the operator to raise the quota."
            problem = problem.with("prefix", .text(prefix.text))
        }
        return
            problem
            .with(member, .text(name)).with("measure", .text(refusal.measure.rawValue))
            .with("max", .number(refusal.max)).with("daily", .flag(refusal.isDaily))
    }

    static func undoTooLate(_ prefix: Name, _ within: Duration, _ oldest: Int) -> Problem {
        let time = HumanDuration.text(within)
        return Problem(
            .undoTooLate, "The edit of revision \(oldest) is older than \(time)."
        )
        .with("prefix", .text(prefix.text)).with("within", .text(time))
        .with("oldest", .number(oldest))
    }
}
