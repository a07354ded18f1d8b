import Naming
import SelectiveUndo

/// Says what actors would undo or redo next in a document, at its newest prepared revision.
///
/// Three parts know it, and the cheapest that does is asked: earlier answers about actors whose
/// last edit is old or absent, the effect history, and the changes, which are scanned back from
/// the actor's last activity. So a client that only watches is answered at once, however much
/// other actors write.
package struct OwnUndoLookup: Sendable {
    /// A change this many revisions behind the head is old: its effect is computed only on request.
    static let oldDistance = 10_000
    /// At most this number of answers is kept; beyond it all are looked up again.
    private static let answersMax = 1_024

    struct Question: Hashable {
        let actor: Name
        let isRedo: Bool
    }

    /// The effect history, while own undo is used.
    package var effects: EffectCache
    /// The revisions that would go out of effect or return; none if there are none. An answer holds
    /// until a change affects the actor.
    private var answers: [Question: [Int]] = [:]

    /// Nothing is known. `count`: the number of changes in the last effect history.
    package init(count: Int = 0) {
        effects = EffectCache(count: count)
    }

    /// The same without the effect history.
    var withoutHistory: OwnUndoLookup {
        var lookup = OwnUndoLookup(count: effects.count)
        lookup.answers = answers
        return lookup
    }

    /// The changes that an actor would undo or redo next; none if there are none. `nil`: the effect
    /// history has them.
    mutating func next(
        _ question: Question, in preparation: Preparation
    ) throws(PreparationError) -> [Int]? {
        if let answer = answer(question) { return answer }
        if effects.hasNext(question) != nil { return nil }
        let found = try preparation.search(question)
        if found.isEmpty || preparation.isOld(found) {
            if answers.count >= OwnUndoLookup.answersMax { answers = [:] }
            answers[question] = found
        }
        return found
    }

    private func answer(_ question: Question) -> [Int]? {
        answers.isEmpty ? nil : answers[question]
    }

    /// Whether a request needs nothing else than this.
    func helps(with request: ChangeRequest) -> Bool {
        guard !effects.hasHistory, case .revert(let wanted) = request.action else {
            return effects.hasHistory
        }
        return wanted.question.flatMap(answer) != nil
    }

    /// The actor's next undo and redo after the newest change; `nil` if a scan is needed to find
    /// them.
    func availability(after change: Change) -> OwnAvailability? {
        switch change.kind {
        case .append, .restore, .update:
            return change.actor == .nobody
                ? nil : OwnAvailability(actor: change.actor, hasUndo: true, hasRedo: false)
        case .revert(let reversal):
            let actor = reversal.actor ?? change.actor
            guard let hasUndo = effects.hasNext(Question(actor: actor, isRedo: false)),
                let hasRedo = effects.hasNext(Question(actor: actor, isRedo: true), after: reversal)
            else { return nil }
            return OwnAvailability(actor: actor, hasUndo: hasUndo, hasRedo: hasRedo)
        default: return nil
        }
    }

    /// Takes over the history and the answers of another lookup on the same state, or only the
    /// answers if it has no history. Returns the lookup that it replaces, if it does.
    mutating func adopt(_ found: OwnUndoLookup) -> OwnUndoLookup? {
        guard found.effects.hasHistory else {
            answers = found.answers
            return nil
        }
        defer { self = found }
        return self
    }

    /// A change has led to `document` from another version. A history that takes too much is not
    /// kept.
    mutating func advance(by change: Change, from version: Int? = nil, to document: Document) {
        // Dropped first: a second reference to the history would cause a copy of it.
        if effects.isLarge { effects.drop() }
        follow(change, from: version, to: document)
        if effects.isLarge { effects.drop() }
    }

    /// The same with a history that is still needed, whatever it takes.
    mutating func follow(_ change: Change, from version: Int? = nil, to document: Document) {
        forget(after: change, from: version, document)
        effects.follow(change, to: document)
    }

    /// Forgets the answers that may not hold after a change.
    private mutating func forget(
        after change: Change, from version: Int?, _ document: Document
    ) {
        guard !answers.isEmpty else { return }
        let activity = document.activity
        switch change.versionsKept == nil ? activity.affectedActors(by: change) : .everyone {
        case .none: break
        case .one(let actor):
            answers[Question(actor: actor, isRedo: false)] = nil
            answers[Question(actor: actor, isRedo: true)] = nil
        case .after(let end):
            // The document's past up to there is the same.
            guard let end = end ?? version else { return answers = [:] }
            answers = answers.filter { activity.end(of: $0.key.actor) <= end }
        case .several, .everyone: answers = [:]
        }
    }
}

extension OwnUndoRequest {
    /// The facts about an actor that the request needs, if it names no changes.
    var question: OwnUndoLookup.Question? {
        guard case .actor(let actor) = target else { return nil }
        return OwnUndoLookup.Question(actor: actor, isRedo: isRedo)
    }
}
