import JSONTree
import Threading

/// The effect history that an early result was made with, for whoever goes on with it: the line, if
/// nobody wrote meanwhile or only little; or the next early result.
///
/// It is moved on by what others wrote, which costs that much and no more. Who undoes something far
/// back in a document that others write to all the time would begin anew each time, and in the end
/// hold them up. A class, because it is handed over: it may be very large, and a copy of it, or
/// letting it go, would take long while others wait.
package final class EffectHistoryLoan: Sendable {
    /// So many changes are looked at while others wait.
    private static let hurriedMax = 256

    private struct State {
        /// `nil`: it was handed over.
        var effects: EffectCache?
        /// The revision of the document that it is at.
        var revision: Int
        /// What it was put in the place of, and nobody needs.
        var rest: EffectCache?

        mutating func take() -> EffectCache? {
            defer { effects = nil }
            return effects
        }

        mutating func handOver(to effects: inout EffectCache) {
            guard let found = take() else { return }
            if found.hasLine { rest = effects }
            effects.adopt(found)
        }
    }

    private let state: Lock<State>
    private let losses: Int

    /// What was made from the state of a line at a revision; see `DocumentLine.losses`.
    init(_ effects: EffectCache, at revision: Int, _ losses: Int) {
        state = Lock(State(effects: effects, revision: revision))
        self.losses = losses
    }

    /// A copy of it, where it may be needed again.
    var copy: EffectCache? { state.withLock { $0.effects } }

    /// Whether a line has it, or the next early result.
    var isHandedOver: Bool { state.withLock { $0.effects == nil } }

    /// About how many bytes it holds.
    package var weight: Int {
        state.withLock { ($0.effects?.weight ?? 0) + ($0.rest?.weight ?? 0) }
    }

    /// Puts it into the place of what the line has; nothing has happened since.
    func handOver(to effects: inout EffectCache) {
        state.withLock { $0.handOver(to: &effects) }
    }

    /// Takes it out at what an early result is made from; `nil` if what came in between leads
    /// elsewhere. O(changes in between).
    func following(_ base: EarlySource, _ context: RequestContext) -> EffectCache? {
        guard base.losses == losses else { return nil }
        return state.withLock { state in
            try? EffectHistoryLoan.move(&state, to: base.document) {
                revision throws(PreparationError) in try context.change(revision, .forward)
            }
            return state.revision == base.document.revision ? state.take() : nil
        }
    }

    /// Puts it into the place of what a line has, at the newest state, while others wait. Returns
    /// whether that helps with a request.
    func handOver(to line: inout DocumentLine, for request: ChangeRequest) -> Bool {
        let (document, recent) = (line.prepared, line.recent)
        return state.withLock { state in
            guard line.losses == losses,
                document.revision - state.revision <= EffectHistoryLoan.hurriedMax
            else { return false }
            try? EffectHistoryLoan.move(&state, to: document) { revision throws(PreparationError) in
                guard let body = recent[revision],
                    let change = try? Change(decoding: body, revision: revision)
                else { throw .takesLong }
                return change
            }
            guard state.revision == document.revision, state.effects?.helps(with: request) == true
            else { return false }
            state.handOver(to: &line.effects)
            return true
        }
    }

    /// Takes back what a line took over, at a revision of it, and could not do without more.
    func takeBack(from effects: inout EffectCache, at revision: Int) {
        guard effects.hasLine else { return }
        effects.cancel()
        state.withLock { ($0.effects, $0.revision) = (effects, revision) }
        effects.drop()
    }

    /// Takes what is too large to be kept from a line, so that it is let go when no line is held.
    func takeRest(from effects: inout EffectCache) {
        guard effects.isLarge else { return }
        state.withLock { $0.rest = effects }
        effects.drop()
    }

    private static func move(
        _ state: inout State, to document: Document,
        _ change: (Int) throws(PreparationError) -> Change
    ) throws(PreparationError) {
        state.effects?.cancel()
        while state.effects != nil, state.revision < document.revision {
            let next = try change(state.revision + 1)
            state.effects?.follow(next, to: document)
            state.revision += 1
        }
    }
}
