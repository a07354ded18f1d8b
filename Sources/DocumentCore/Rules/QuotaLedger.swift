/// The stored amounts by subject. A value: changes go in with their day.
public struct QuotaLedger: Sendable {
    /// Documents, bytes and changes.
    public struct Count: Sendable, Equatable {
        public var documents: Int
        public var bytes: Int
        public var changes: Int

        public init(documents: Int = 0, bytes: Int = 0, changes: Int = 0) {
            self.documents = documents
            self.bytes = bytes
            self.changes = changes
        }
    }

    /// The amounts of one subject.
    public struct Account: Sendable, Equatable {
        /// Since it was counted in the journal, and what was there then.
        public internal(set) var total = Count()
        /// Since the day began, or the daemon did.
        public internal(set) var today = Count()
        fileprivate var day = 0

        fileprivate mutating func turn(to day: Int) {
            if day != self.day { (self.day, today) = (day, Count()) }
        }
    }

    private var accounts: [QuotaSubject: Account] = [:]
    /// At this number of accounts, those without current amounts are dropped.
    private static let accountsMax = 10_000
    private var forgettingAt = QuotaLedger.accountsMax

    public init() {}

    /// Something was stored. `count.documents` is negative when some ended.
    public mutating func note(_ count: Count, of subject: QuotaSubject, on day: Int) {
        if accounts.count >= forgettingAt { forgetTokens(before: day) }
        var account = accounts[subject] ?? Account()
        account.turn(to: day)
        account.total.documents = max(0, account.total.documents + count.documents)
        account.total.bytes += count.bytes
        account.today.documents += max(0, count.documents)
        account.today.bytes += count.bytes
        account.today.changes += count.changes
        accounts[subject] = account
    }

    /// Replaces the amount by the journal's own count.
    package mutating func recount(_ total: Count, of subject: QuotaSubject) {
        accounts[subject, default: Account()].total = total
    }

    /// Keeps only the prefixes that a rule is about.
    package mutating func keep(prefixes: Set<QuotaSubject>) {
        accounts = accounts.filter { subject, _ in
            if case .token = subject { true } else { prefixes.contains(subject) }
        }
    }

    /// The number of subjects with an account.
    var accountCount: Int { accounts.count }

    /// The amounts of a subject on a day.
    public func account(of subject: QuotaSubject, on day: Int) -> Account {
        var account = accounts[subject] ?? Account()
        account.turn(to: day)
        return account
    }

    /// The refusals of a quota. O(1).
    public func refusals(
        _ quota: Quota, of subject: QuotaSubject, on day: Int
    ) -> QuotaRefusals {
        let account = account(of: subject, on: day)
        func refusal(
            _ measure: QuotaRefusal.Measure, _ used: Int, _ max: Int?, isDaily: Bool
        ) -> QuotaRefusal? {
            guard let max, used >= max else { return nil }
            return QuotaRefusal(subject: subject, measure: measure, isDaily: isDaily, max: max)
        }
        var refusals = QuotaRefusals()
        let (total, today) = (account.total, account.today)
        refusals.creation =
            refusal(.documents, total.documents, quota.documents, isDaily: false)
            ?? refusal(.documents, today.documents, quota.documentsPerDay, isDaily: true)
        refusals.growth =
            refusal(.bytes, total.bytes, quota.bytes, isDaily: false)
            ?? refusal(.bytes, today.bytes, quota.bytesPerDay, isDaily: true)
            ?? refusal(.changes, today.changes, quota.changesPerDay, isDaily: true)
        return refusals
    }

    /// A token has no total: on another day, its account is as good as none.
    private mutating func forgetTokens(before day: Int) {
        accounts = accounts.filter { subject, account in
            if case .token = subject { account.day == day } else { true }
        }
        forgettingAt = max(QuotaLedger.accountsMax, accounts.count * 2)
    }
}
