import DocumentCore
import JSONTree
import Journaling
import Naming
import Synchronization
import Threading

/// The rules that count, and what was stored under them. Any thread may use it.
final class RuleBook: Sendable {
    private struct State {
        var rules = DocumentRules()
        var ledger = QuotaLedger()
    }

    private let state = Lock(State())
    /// Whether a rule has a quota: most daemons have none, and pay nothing.
    private let hasQuotas = Atomic(false)
    /// The same for tokens.
    private let hasTokenQuotas = Atomic(false)

    /// The same for undo and for runs.
    private let hasUndoRules = Atomic(false)
    private let hasRunRules = Atomic(false)

    var rules: DocumentRules { state.withLock { $0.rules } }

    /// Applies other rules from now on. Counts of prefixes that stay are kept.
    func replace(_ rules: DocumentRules) {
        state.withLock { state in
            state.rules = rules
            state.ledger.keep(prefixes: Set(rules.quotas.map(\.subject)))
        }
        hasQuotas.store(!rules.quotas.isEmpty, ordering: .relaxed)
        hasTokenQuotas.store(!rules.tokens.isEmpty, ordering: .relaxed)
        hasUndoRules.store(!rules.undoRules.isEmpty, ordering: .relaxed)
        hasRunRules.store(!rules.runRules.isEmpty, ordering: .relaxed)
    }

    /// Whether what is stored has to be noted.
    var isCounting: Bool { hasQuotas.load(ordering: .relaxed) }

    /// Something was stored.
    func note(_ entry: JournalEntry, on day: Int) {
        let documents =
            switch entry.lifecycle {
            case .begins: 1
            case .ends: -1
            case .goesOn: 0
            }
        let bytes = entry.body.count + RuleBook.entryBytes
        note(.init(documents: documents, bytes: bytes, changes: 1), in: entry.document, on: day)
    }

    /// A document was erased: that is stored in another way than changes are.
    func noteEnd(of document: DocumentID, on day: Int) {
        note(.init(documents: -1), in: document, on: day)
    }

    private func note(_ count: QuotaLedger.Count, in document: DocumentID, on day: Int) {
        state.withLock { state in
            for rule in state.rules.quotas(of: document) {
                state.ledger.note(count, of: rule.subject, on: day)
            }
        }
    }

    /// The approximate bytes of an entry in the journal besides its body.
    private static let entryBytes = 64

    /// Whether changes with a token of a name are counted.
    func notes(_ name: Name) -> Bool {
        hasTokenQuotas.load(ordering: .relaxed) && !name.isEmpty
    }

    /// Counts a change with a token of a name.
    func note(_ change: Change, by name: Name, on day: @autoclosure () -> Int) {
        let day = day()
        let isNew = change.kind.traits.lifecycle == .begins
        let count = QuotaLedger.Count(
            documents: isNew ? 1 : 0, bytes: change.edits.byteCount, changes: 1)
        state.withLock { state in
            guard state.rules.quota(ofToken: name) != nil else { return }
            state.ledger.note(count, of: .token(name), on: day)
        }
    }

    func recount(_ count: QuotaLedger.Count, of subject: QuotaSubject) {
        state.withLock { $0.ledger.recount(count, of: subject) }
    }

    /// The quotas that refuse changes to a document with a token of a name.
    func refusals(
        _ document: DocumentID, token name: Name, on day: @autoclosure () -> Int
    ) -> QuotaRefusals {
        guard
            hasQuotas.load(ordering: .relaxed) || hasTokenQuotas.load(ordering: .relaxed)
        else { return QuotaRefusals() }
        let day = day()
        return state.withLock { state in
            var refusals = QuotaRefusals()
            if !name.isEmpty, let quota = state.rules.quota(ofToken: name) {
                refusals = state.ledger.refusals(quota, of: .token(name), on: day)
            }
            for rule in state.rules.quotas(of: document) {
                refusals.formUnion(
                    state.ledger.refusals(rule.quota, of: rule.subject, on: day))
            }
            return refusals
        }
    }

    /// How long edits of runs can be undone; `nil` if no rule limits it.
    func undoLimits(at now: @autoclosure () -> Timestamp) -> UndoLimits? {
        guard hasUndoRules.load(ordering: .relaxed) else { return nil }
        return UndoLimits(rules.undoRules, at: now())
    }

    /// Whether a quota limits some runs.
    var limitsRuns: Bool { hasRunRules.load(ordering: .relaxed) }

    /// The quotas of a run in a document; none if the actor is not a run.
    func quotas(
        of run: Name, in document: DocumentID
    ) -> [(prefix: Name, quota: DocumentRules.RunRule)] {
        guard limitsRuns, run.isRun else { return [] }
        return rules.quotas(of: run, in: document)
    }

    /// Each prefix with a quota, and what was stored under it.
    func accounts(on day: Int) -> [(rule: DocumentRules.Rule, account: QuotaLedger.Account)] {
        state.withLock { state in
            state.rules.quotas.map { ($0, state.ledger.account(of: $0.subject, on: day)) }
        }
    }
}
