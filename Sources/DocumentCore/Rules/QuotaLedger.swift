/// What was stored, by whom it counts for. A value: what happened goes in, with the day.
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

    /// What counts for one subject.
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
    /// As many are kept before those are let go that count for nothing any more.
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

    /// What the journal has, whatever was noted before.
    package mutating func recount(_ total: Count, of subject: QuotaSubject) {
        accounts[subject, default: Account()].total = total
    }

    /// Keeps only the prefixes that a rule is about.
    package mutating func keep(prefixes: Set<QuotaSubject>) {
        accounts = accounts.filter { subject, _ in
            if case .token = subject { true } else { prefixes.contains(subject) }
        }
    }

    /// How many there are whom something counts for.
    var accountCount: Int { accounts.count }

    /// What counts for somebody on a day.
    public func account(of subject: QuotaSubject, on day: Int) -> Account {
        var account = accounts[subject] ?? Account()
        account.turn(to: day)
        return account
    }

    /// What a quota has no room for. O(1).
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
