import HTTPCalling
import JSONTree

/// The consequence of a response for the step that was sent.
enum ResponseMeaning: Equatable {
    case done
    /// Unknown, or later: the same request is sent again.
    case again
    /// It waits until there is another token or right.
    case wait
    /// The base is lost: it continues from the newest state.
    case rebase
    /// A part of it may do.
    case halve
    /// The document does not exist.
    case gone
    case refused

    /// Problems that report a lost base.
    private static let lostBase: Set<String> = [
        "base-too-old", "trimmed", "earlier-life", "unknown-revision", "wrong-own",
        "other-history",
    ]

    /// Statuses of one edit among many: the others are tried without it.
    private static let tooMuch: Set<Int> = [413, 400, 422]

    static func isLostBase(_ problem: DaemonProblem) -> Bool { lostBase.contains(problem.code) }

    init(_ answer: HTTPAnswer, _ problem: DaemonProblem?, to step: PendingStep) {
        guard let problem else {
            // Another server on the way may say that all is well.
            let isDaemons = JSON.received(answer.body)?["revision"]?.int != nil
            self = isDaemons ? .done : .again
            return
        }
        let isLost = ResponseMeaning.isLostBase(problem)
        switch answer.status {
        case 401, 403: self = .wait
        case 408, 429, 500...: self = .again
        case _ where problem.code == DaemonProblem.foreign && answer.status != 413: self = .again
        case 404, 410: self = isLost ? .rebase : .gone
        case _ where problem.code == "other-request": self = .done
        case _ where !step.isEdit: self = .refused
        case _ where isLost: self = .rebase
        case let status where ResponseMeaning.tooMuch.contains(status):
            // Of one edit all parts are stored, or none: smaller requests may do, but not without
            // a part.
            let isOne = step.whole != nil || step.tries > 0
            self = step.edits.count > 1 && (!isOne || status == 413) ? .halve : .refused
        default: self = .refused
        }
    }
}

extension DaemonProblem {
    /// Whether it concerns the request itself, not others' changes.
    var isOfRequest: Bool { [413, 400, 422].contains(status) }
}
