import DocumentCore
import Journaling
import Threading

/// The end of one attempt.
enum TransactionEnd: Sendable {
    /// By the members' places.
    case done([Int: TransactionOutcome.Member])
    case refused(at: Int, Refusal)
    /// It cannot be done, whatever was done before.
    case failed(at: Int, ChangeError)
    /// A part cannot be prepared now.
    case stopped(at: Int, DocumentHost.Line.PartReception)
    /// It takes these edits, of which it has to be known whose they are.
    case asks(Set<DocumentRevision>)
    /// It found nothing to change, and other processes may have written since.
    case unconfirmed
}

/// Collects what becomes of the members of a transaction in one attempt, and calls back once, when
/// all is known and no line is held.
final class TransactionAttempt: Sendable {
    typealias Member = TransactionOutcome.Member

    private struct State {
        var groundwork: [Int: Groundwork] = [:]
        var outcomes: [Int: Member] = [:]
        var failures: [(index: Int, refusal: Refusal)] = []
        var arrived = 0
        /// How many outcomes there will be; `nil` until the lines are let go.
        var expected: Int?
    }

    private let state = Lock(State())
    private let ended: @Sendable (TransactionAttempt, TransactionEnd) -> Void

    init(_ ended: @escaping @Sendable (TransactionAttempt, TransactionEnd) -> Void) {
        self.ended = ended
    }

    /// Exchanges the groundwork that the attempt has. It may be very large, so it is in one place
    /// at a time, and is changed there.
    func exchange(_ groundwork: inout [Int: Groundwork]) {
        state.withLock { swap(&$0.groundwork, &groundwork) }
    }

    /// Records the result of a member.
    func note(_ index: Int, _ result: Result<Member, Refusal>) {
        endIfComplete { state in
            state.arrived += 1
            switch result {
            case .success(let outcome): state.outcomes[index] = outcome
            case .failure(let refusal): state.failures.append((index, refusal))
            }
        }
    }

    /// It ends without the outcomes.
    func end(_ end: TransactionEnd) {
        ended(self, end)
    }

    /// The lines are let go, and this number of outcomes have come or will.
    func expect(_ count: Int) {
        endIfComplete { $0.expected = count }
    }

    private func endIfComplete(_ note: (inout State) -> Void) {
        let end = state.withLock { state -> TransactionEnd? in
            note(&state)
            guard let expected = state.expected, state.arrived == expected else { return nil }
            return TransactionAttempt.end(state)
        }
        if let end { ended(self, end) }
    }

    /// All parts are stored or none. Of several reasons the one counts that is not a consequence of
    /// another: that a part did not follow.
    private static func end(_ state: State) -> TransactionEnd {
        let first = state.failures.first { $0.refusal.error != .journal(.conflict) }
        guard let failure = first ?? state.failures.first else { return .done(state.outcomes) }
        return .refused(at: failure.index, failure.refusal)
    }
}
