import Naming
import SelectiveUndo

/// What own undo or redo would begin with, of actors who have nothing to undo or redo, or nothing
/// but what is long ago: it was looked for once, and holds until something changes it.
///
/// So somebody who only watches is told at once, however much others write.
package struct LongAgo: Sendable {
    /// How many changes later something is long ago: what it would do is then not asked for by the
    /// way.
    static let distance = 10_000
    /// Limit on answers; beyond it all are looked for again.
    private static let countMax = 1_024

    private struct Question: Hashable {
        let actor: Name
        let isRedo: Bool
    }

    /// The revisions that would go out of effect or come back; none if there is nothing.
    private var answers: [Question: [Int]] = [:]

    /// Whether there is an answer to what a request asks.
    func knows(_ request: OwnUndoRequest) -> Bool {
        guard case .actor(let actor) = request.target else { return false }
        return answer(of: actor, isRedo: request.isRedo) != nil
    }

    func answer(of actor: Name, isRedo: Bool) -> [Int]? {
        answers.isEmpty ? nil : answers[Question(actor: actor, isRedo: isRedo)]
    }

    mutating func keep(_ revisions: [Int], of actor: Name, isRedo: Bool) {
        if answers.count >= LongAgo.countMax { answers = [:] }
        answers[Question(actor: actor, isRedo: isRedo)] = revisions
    }

    /// Forgets what a change may have made another: `version` is where the document was before,
    /// and `work` says up to when each actor has worked.
    mutating func advance(by change: Change, from version: Int?, _ work: LatestWork) {
        guard !answers.isEmpty else { return }
        switch change.kind {
        case .append, .restore, .update, .revert:
            switch work.concern(of: change) {
            case .nobody: break
            case .one(let actor): forget(actor)
            case .all: answers = [:]
            }
        // A document's older past is the same after it.
        case .move(let target, .undo): keep(before: target, work)
        case .move(_, .redo): if let version { keep(before: version, work) } else { answers = [:] }
        case .touch, .settings, .snapshot, .removeSnapshot, .tag, .removeTag, .pushScope: break
        // After a merge of a draft what it had taken over stays, too.
        default: answers = [:]
        }
        if change.versionsKept != nil { answers = [:] }
    }

    private mutating func forget(_ actor: Name) {
        answers[Question(actor: actor, isRedo: false)] = nil
        answers[Question(actor: actor, isRedo: true)] = nil
    }

    /// Keeps the answers about those whose work stands before a version.
    private mutating func keep(before version: Int, _ work: LatestWork) {
        answers = answers.filter { work.end(of: $0.key.actor) <= version }
    }
}
