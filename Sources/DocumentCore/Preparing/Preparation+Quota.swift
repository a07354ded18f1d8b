import Journaling
import SelectiveUndo

extension Preparation {
    /// Throws if a quota has no room for a change. Changes that make room, or end something, are
    /// free.
    func checkQuota(_ prepared: Prepared) throws(PreparationError) {
        guard let refusals = request.refusals, let change = prepared.change,
            request.source == .client
        else { return }
        if let refusal = refusals.growth, change.kind.needsRoom {
            throw .refused(.quota(refusal))
        }
        if let refusal = refusals.creation, change.kind.traits.lifecycle == .begins {
            throw .refused(.quota(refusal))
        }
        if let refusal = refusals.edit, change.countsForRun {
            throw .refused(.quota(refusal))
        }
    }
}

extension Change {
    /// Whether a quota of its run has to have room for it: it is an edit, or brings edits back that
    /// do not count, since the run has undone them one by one.
    package var countsForRun: Bool {
        if runOfEdit != nil { return true }
        return actor.isRun && selection == nil && reversal?.redone.isEmpty == false
    }
}

extension Change.Kind {
    fileprivate var needsRoom: Bool {
        switch self {
        case .delete, .purge, .removeTag, .removeSnapshot, .popScope, .settings: false
        default: true
        }
    }
}
