import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// The laws of rule 19, over random histories of three people in three documents.
@Suite struct TransactionLawTests {
    private static let count = 60

    /// Runs a random history, and says which seed broke a law.
    private func each(
        _ offset: UInt64, steps: Int = 10, _ body: (inout TransactionHistory) async throws -> Void
    ) async {
        for seed in Seeds.of(TransactionLawTests.count, from: offset) {
            do {
                var history = try await TransactionHistory(seed: seed)
                for _ in 0..<steps { try await history.step() }
                try await body(&history)
                history.store.close()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test func `law S1, S3, S6: all parts or none, as each document alone would have them`() async {
        var counts = TransactionHistory.Counts()
        await each(0) { history in
            try await history.checkShadow()
            counts.add(history.counts)
        }
        #expect(counts.transactions > Seeds.expected(80))
        #expect(counts.undos > Seeds.expected(40) && counts.refusals > Seeds.expected(12))
    }

    @Test func `law S2: undo is one change in each document, and undo of it puts all back`() async {
        var count = 0
        await each(1_000) { history in
            let before = try await history.values()
            guard let name = history.transactions.last,
                let undone = try await history.undo(name), let leader = undone.leader
            else { return }
            let changed = undone.members.compactMap(\.outcome.change)
            #expect(changed.allSatisfy { $0.transaction?.leader == leader })
            guard try await history.undo(leader) != nil else {
                throw TransactionHistory.Broken("what was undone does not come back")
            }
            #expect(try await history.values() == before)
            count += 1
        }
        #expect(count > Seeds.expected(20))
    }

    @Test func `law S4: two transactions undone in either order give the same values`() async {
        var count = 0
        for seed in Seeds.of(TransactionLawTests.count, from: 2_000) {
            do {
                var values: [[JSON]] = []
                for order in [[0, 1], [1, 0]] {
                    var history = try await TransactionHistory(seed: seed)
                    for _ in 0..<10 { try await history.step() }
                    let names = Array(history.transactions.suffix(2))
                    guard names.count == 2 else { break }
                    var isDone = true
                    for index in order {
                        isDone = try await history.undo(names[index]) != nil && isDone
                    }
                    if isDone { values.append(try await history.values()) }
                    history.store.close()
                }
                guard values.count == 2 else { continue }
                #expect(values[0] == values[1], "seed \(seed)")
                count += 1
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        #expect(count > Seeds.expected(8))
    }

    @Test func `law S5: when everybody has undone everything, the start values are back`() async {
        await each(3_000) { history in
            try await history.undoEverything()
            let (values, start) = (try await history.values(), history.start)
            guard values == start else {
                throw TransactionHistory.Broken("\(values), not \(start)")
            }
        }
    }

    @Test func `law S7: alone, then together is together, and the absent part is named`() async {
        var count = 0
        for seed in Seeds.of(TransactionLawTests.count, from: 4_000) {
            do {
                var together = try await TransactionHistory(seed: seed)
                var alone = try await TransactionHistory(seed: seed)
                for _ in 0..<8 {
                    try await together.step()
                    try await alone.step()
                }
                guard let name = together.transactions.last,
                    let whole = try await together.undo(name), whole.members.count > 1,
                    try await alone.undoAlone(name)
                else { continue }
                guard let rest = try await alone.undo(name) else {
                    throw TransactionHistory.Broken("the rest is refused")
                }
                let absent = rest.members.filter { $0.outcome.change == nil }.map(\.document)
                #expect(absent.contains(name.document), "seed \(seed)")
                #expect(try await alone.values() == together.values(), "seed \(seed)")
                count += 1
                together.store.close()
                alone.store.close()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        #expect(count > Seeds.expected(16))
    }
}

/// Three documents in a store, and the same ones in another store in which each change is made by
/// itself.
struct TransactionHistory {
    struct Broken: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    struct Counts {
        var transactions = 0
        var undos = 0
        var refusals = 0

        mutating func add(_ other: Counts) {
            transactions += other.transactions
            undos += other.undos
            refusals += other.refusals
        }
    }

    let store: DocumentStore
    private let shadow: DocumentStore
    let ids: [DocumentID]
    private(set) var start: [JSON] = []
    private(set) var transactions: [DocumentRevision] = []
    private(set) var counts = Counts()
    private var generator: UndoGenerator
    private static let actors: [Name] = ["ada", "bob", "cyd"]

    init(seed: UInt64) async throws {
        let time = ManualTime()
        func open() -> DocumentStore {
            DocumentStore(journal: InMemoryJournal(), now: { time.now })
        }
        (store, shadow) = (open(), open())
        generator = UndoGenerator(SeededGenerator(seed: seed))
        ids = try ["a", "b", "c"].map { try #require(DocumentID($0)) }
        for id in ids {
            let value = generator.start()
            start.append(value)
            for store in [store, shadow] {
                _ = try await store.change(id, ChangeRequest(.put(value)))
            }
        }
    }

    func values() async throws -> [JSON] {
        var values: [JSON] = []
        for id in ids { values.append(try await store.read(id).tree) }
        return values
    }

    // MARK: Steps

    mutating func step() async throws {
        let actor = TransactionHistory.actors[generator.random.below(3)]
        let before = try await values()
        let isDone: Bool
        switch generator.random.below(10) {
        case 0..<4: isDone = try await transact(actor)
        case 4..<6: isDone = try await edit(actor)
        case 6..<8: isDone = try await own(actor, isRedo: false)
        case 8: isDone = try await own(actor, isRedo: true)
        default:
            let name = transactions.randomElement(using: &generator.random)
            isDone = try await name.asyncMap { try await undo($0) != nil } ?? true
        }
        if !isDone {
            counts.refusals += 1
            let after = try await values()
            guard after == before else { throw Broken("a refusal changed something") }
        }
        try await checkShadow()
        try await checkEffects()
    }

    /// Edits two or three documents together, sometimes such that one does not fit.
    private mutating func transact(_ actor: Name) async throws -> Bool {
        let left = generator.random.below(6)
        let chosen = ids.indices.filter { $0 != left }
        var members: [TransactionRequest.Member] = []
        for index in chosen {
            let tree = try await store.read(ids[index]).tree
            guard let patch = generator.patch(on: tree) else { continue }
            members.append(
                .init(ids[index], request(.append(.patch(patch), tag: nil, grouping: nil), actor)))
        }
        if generator.random.once(in: 8), let last = members.indices.last {
            members[last].request.precondition.match = .these([99])
        }
        if members.isEmpty { return true }
        guard let outcome = try await carryOut(TransactionRequest(members)) else { return false }
        for (member, (id, result)) in zip(members, outcome.members) where result.change != nil {
            _ = try await shadow.change(id, request(member.request.action, actor))
        }
        if let leader = outcome.leader { transactions.append(leader) }
        counts.transactions += 1
        return true
    }

    private mutating func edit(_ actor: Name) async throws -> Bool {
        let id = ids[generator.random.below(3)]
        let tree = try await store.read(id).tree
        guard let patch = generator.patch(on: tree) else { return true }
        let action = ChangeRequest.Action.append(.patch(patch), tag: nil, grouping: nil)
        for store in [store, shadow] { _ = try await store.change(id, request(action, actor)) }
        return true
    }

    private mutating func own(_ actor: Name, isRedo: Bool) async throws -> Bool {
        let id = ids[generator.random.below(3)]
        return try await own(actor, id, isRedo: isRedo, .reject)
    }

    private mutating func own(
        _ actor: Name, _ id: DocumentID, isRedo: Bool, _ policy: ConflictPolicy
    ) async throws -> Bool {
        let wanted = OwnUndoRequest(.actor(actor), isRedo: isRedo, policy: policy)
        guard let outcome = try? await store.change(id, request(.revert(wanted), actor)),
            let change = outcome.change
        else { return false }
        counts.undos += 1
        try await follow(change, of: id)
        return true
    }

    /// Undoes a transaction for another actor; `nil` if it is refused.
    mutating func undo(_ name: DocumentRevision) async throws -> TransactionOutcome? {
        let parts = try await parts(of: name)
        let members = parts.map { part in
            var request = request(.takeBack([part.revision], isRedo: false, .reject), "dan")
            request.parts = .these([part.revision])
            var member = TransactionRequest.Member(part.document, request)
            member.mayBeAbsent = true
            return member
        }
        var whole = TransactionRequest(members)
        whole.mustChange = true
        guard let outcome = try await carryOut(whole) else { return nil }
        counts.undos += 1
        for (id, member) in outcome.members {
            if let change = member.change { try await replay(change, of: id) }
        }
        return outcome
    }

    /// Undoes the first part alone. Returns whether that was possible.
    mutating func undoAlone(_ name: DocumentRevision) async throws -> Bool {
        var request = request(.revert(OwnUndoRequest(.change(name.revision))), "dan")
        request.parts = .alone
        guard let outcome = try? await store.change(name.document, request),
            let change = outcome.change
        else { return false }
        try await replay(change, of: name.document)
        return true
    }

    mutating func undoEverything() async throws {
        for _ in 0..<100 {
            var hasMoved = false
            for actor in TransactionHistory.actors + ["dan"] {
                for id in ids where try await own(actor, id, isRedo: false, .reject) {
                    hasMoved = true
                }
            }
            if !hasMoved { return }
        }
    }

    private func request(_ action: ChangeRequest.Action, _ actor: Name) -> ChangeRequest {
        ChangeRequest(action, actor: actor)
    }

    private func carryOut(_ request: TransactionRequest) async throws -> TransactionOutcome? {
        try? await store.transact(request)
    }

    private func parts(of name: DocumentRevision) async throws -> [DocumentRevision] {
        try await store.transaction(of: name).map(\.place)
    }

    // MARK: The shadow

    /// Does in the shadow, document by document, what a change did in all its parts.
    private func follow(_ change: Change, of id: DocumentID) async throws {
        guard let transaction = change.transaction else { return try await replay(change, of: id) }
        for part in try await parts(of: transaction.leader) {
            let made = try await store.past(of: part.document).past.change(at: part.revision)
            try await replay(made, of: part.document)
        }
    }

    private func replay(_ change: Change, of id: DocumentID) async throws {
        guard let reversal = change.reversal else { return }
        let wanted = OwnUndoRequest(
            .changes(reversal.flipped), isRedo: reversal.off.isEmpty, policy: .mine)
        _ = try await shadow.change(id, request(.revert(wanted), change.actor))
    }

    func checkShadow() async throws {
        for id in ids {
            let (value, alone) = (try await store.read(id).tree, try await shadow.read(id).tree)
            guard value == alone else { throw Broken("\(id) is \(value), alone \(alone)") }
        }
    }

    /// Each transaction is in effect everywhere, or nowhere.
    private func checkEffects() async throws {
        for name in transactions {
            let records = try await store.transaction(of: name)
            let effects = Set(records.map { $0.isInEffect })
            guard effects.count == 1 else {
                throw Broken("\(name) is in effect in some of its documents only")
            }
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Result>(
        _ body: (Wrapped) async throws -> Result
    ) async rethrows -> Result? {
        if let self { try await body(self) } else { nil }
    }
}
