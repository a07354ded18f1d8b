import Journaling
import Naming
import Testing

@testable import DocumentCore
@testable import Documents

@Suite struct QuotaLedgerTests {
    private let forms = QuotaSubject.prefix(Name("forms/"))

    @Test func `What is used up is refused, and what is daily is there again the next day`() {
        var ledger = QuotaLedger()
        var quota = Quota()
        (quota.documents, quota.bytes, quota.changesPerDay) = (2, 100, 3)
        #expect(ledger.refusals(quota, of: forms, on: 1) == QuotaRefusals())
        ledger.note(.init(documents: 1, bytes: 40, changes: 1), of: forms, on: 1)
        ledger.note(.init(documents: 1, bytes: 40, changes: 2), of: forms, on: 1)
        let full = ledger.refusals(quota, of: forms, on: 1)
        #expect(full.creation?.measure == .documents && full.creation?.isDaily == false)
        #expect(full.growth?.measure == .changes && full.growth?.isDaily == true)
        let next = ledger.refusals(quota, of: forms, on: 2)
        #expect(next.growth == nil && next.creation == full.creation)
        ledger.note(.init(bytes: 20, changes: 1), of: forms, on: 2)
        #expect(ledger.refusals(quota, of: forms, on: 2).growth?.measure == .bytes)
        ledger.note(.init(documents: -1), of: forms, on: 2)
        #expect(ledger.refusals(quota, of: forms, on: 2).creation == nil)
    }

    @Test func `A recount takes the place of what was noted, but for the day`() {
        var ledger = QuotaLedger()
        ledger.note(.init(documents: 3, bytes: 50, changes: 3), of: forms, on: 1)
        ledger.recount(.init(documents: 1, bytes: 10), of: forms)
        let account = ledger.account(of: forms, on: 1)
        #expect(account.total == .init(documents: 1, bytes: 10))
        #expect(account.today == .init(documents: 3, bytes: 50, changes: 3))
    }

    @Test func `A million names do not stay in memory`() {
        var ledger = QuotaLedger()
        for index in 0..<40_000 {
            ledger.note(.init(changes: 1), of: .token(Name("user\(index)")), on: index / 9_000)
        }
        #expect(ledger.accountCount <= 20_000)
        #expect(ledger.account(of: .token(Name("user39999")), on: 4).today.changes == 1)
    }

    @Test func `Each setting is that of the longest prefix that speaks of it`() throws {
        var (all, forms, deep) = (SettingsChange(), SettingsChange(), SettingsChange())
        all.requiresMatch = true
        all.identityNames = ["key"]
        forms.identityNames = ["id"]
        forms.historyCount = .to(7)
        deep.historyCount = .some(.none)
        let rules = DocumentRules([
            .init(prefix: "forms/old/", defaults: deep), .init(prefix: "", defaults: all),
            .init(prefix: "forms/", defaults: forms),
        ])
        func settings(_ name: String) throws -> DocumentSettings {
            let id = try #require(DocumentID(name))
            return try #require(rules.defaults(of: id)).applied(to: DocumentSettings())
        }
        let form = try settings("forms/a")
        #expect(form.requiresMatch && form.identityNames == ["id"] && form.bounds.count == 7)
        #expect(try settings("forms/old/a").bounds.count == nil)
        #expect(try settings("menu").identityNames == ["key"])
    }

    @Test func `Of a token, the most special rule counts alone`() {
        var (one, many) = (Quota(), Quota())
        (one.changesPerDay, many.changesPerDay) = (1, 100)
        let rules = DocumentRules(tokens: [
            .init(name: "shop/", isPrefix: true, quota: many), .init(name: "shop/ada", quota: one),
        ])
        #expect(rules.quota(ofToken: Name("shop/ada")) == one)
        #expect(rules.quota(ofToken: Name("shop/bob")) == many)
        #expect(rules.quota(ofToken: Name("ci")) == nil)
    }
}
