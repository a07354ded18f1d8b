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
        if let refusal = refusals.edit, change.runOfEdit != nil || change.isRedoByRun {
            throw .refused(.quota(refusal))
        }
    }
}

extension Change {
    /// Whether a run brings edits back that it may have undone itself, which do not count till then.
    fileprivate var isRedoByRun: Bool { actor.isRun && reversal?.redone.isEmpty == false }
}

extension Change.Kind {
    fileprivate var needsRoom: Bool {
        switch self {
        case .delete, .purge, .removeTag, .removeSnapshot, .popScope, .settings: false
        default: true
        }
    }
}
