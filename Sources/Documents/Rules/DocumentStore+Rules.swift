import DocumentCore
public import Journaling
import Naming

// Rules for many documents.

extension DocumentStore {
    /// Defaults and quotas by prefix. New rules apply to later requests.
    public var rules: DocumentRules {
        get { ruleBook.rules }
        set { ruleBook.replace(newValue) }
    }

    /// The day that quotas are counted in (UTC).
    var day: Int { DocumentStore.day(at: now()) }

    static func day(at time: Timestamp) -> Int { time.milliseconds / 86_400_000 }

    /// How long quotas of today count.
    public var secondsLeftToday: Int { 86_400 - now().milliseconds / 1_000 % 86_400 }

    /// A reply that also counts a change for the token of a name.
    func countingQuota(
        _ name: Name, _ reply: @escaping @Sendable (Result<Outcome, Refusal>) -> Void
    ) -> @Sendable (Result<Outcome, Refusal>) -> Void {
        guard ruleBook.notes(name) else { return reply }
        return { [weak self] result in
            if case .success(let outcome) = result { self?.note(outcome, by: name) }
            reply(result)
        }
    }

    /// Notes what the members of a transaction have made.
    func note(_ outcome: TransactionOutcome, of request: TransactionRequest) {
        if request.openRuns == .close { fullRecords.forget() }
        guard let name = request.members.first?.request.tokenName, ruleBook.notes(name) else {
            return
        }
        for case .done(let outcome) in outcome.members.map(\.outcome) { note(outcome, by: name) }
    }

    private func note(_ outcome: Outcome, by name: Name) {
        guard case .made(let made, isRepeated: false) = outcome else { return }
        ruleBook.note(made.change, by: name, on: day)
    }

    /// Each prefix with a quota, and what was stored under it.
    public var quotaAccounts: [(rule: DocumentRules.Rule, account: QuotaLedger.Account)] {
        ruleBook.accounts(on: day)
    }

    /// Counts in the journal what quotas are about. Blocks; at the start, and now and then: others
    /// write to a shared journal, and packing makes it smaller.
    public func recountQuotas(in journal: any UsageReporting) throws(JournalError) {
        for rule in rules.quotas where rule.quota.documents != nil || rule.quota.bytes != nil {
            var count = try journal.count(below: rule.prefix)
            if rule.prefix.isEmpty {
                let own = try journal.count(below: DocumentID.ownMark)
                count.documents -= own.documents
                count.bytes -= own.bytes
            }
            ruleBook.recount(count, of: rule.subject)
        }
    }

    /// Notes in a request what rules say of the document.
    func prepare(_ request: inout ChangeRequest, of document: DocumentID) {
        var defaults: SettingsChange?
        if case .put = request.action { defaults = rules.defaults(of: document) }
        let refusals = ruleBook.refusals(document, token: request.tokenName, on: day)
        // The right to delete is that of administrators.
        let limits =
            request.mayTakeEdits && !request.mayDelete
            ? ruleBook.undoLimits(at: now()) : nil
        // Most requests have none of these parts.
        let isPlain = defaults == nil && refusals == QuotaRefusals() && limits == nil
        if isPlain && !request.hasRareParts { return }
        var rare = request.rare
        rare.defaults = defaults
        rare.refusals = refusals
        rare.undoLimits = limits
        request.rare = rare
    }
}

extension ChangeRequest {
    /// Whether it may take edits of an actor out of effect, by its name, a selection or a revision.
    fileprivate var mayTakeEdits: Bool {
        switch action {
        case .revert, .revertAll, .takeBack: true
        default: mayTakeParts
        }
    }
}

extension UsageReporting {
    fileprivate func count(below prefix: String) throws(JournalError) -> QuotaLedger.Count {
        let usage = try usage(ofPrefix: prefix)
        return .init(documents: usage.documents, bytes: usage.bytes)
    }
}
