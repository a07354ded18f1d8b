import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// The model of transactions in a simulation.
struct SimulatedTransactions {
    typealias Result = Swift.Result<TransactionOutcome, TransactionRefusal>

    /// One request, and how it ended.
    final class Asked: Sendable {
        let store: Int
        let request: TransactionRequest
        let results = Lock<[Result]>([])

        init(_ store: Int, _ request: TransactionRequest) {
            (self.store, self.request) = (store, request)
        }
    }

    var asked: [Asked] = []
    /// How many idempotency keys there were.
    var keys = 0
    /// Requests with a key that were carried out, and where.
    var carriedOut: [(request: TransactionRequest, leader: DocumentRevision)] = []
    /// The parts that the journal has, by the transactions' first ones.
    private(set) var parts: [String: [DocumentRevision]] = [:]
    /// The transaction of the last entry, and its number in the journal.
    private var last: (part: TransactionPart, sequence: Int, time: Timestamp)?

    /// How many of several documents were stored.
    var count: Int { parts.values.count { $0.count > 1 } }

    var isSettled: Bool { asked.isEmpty }

    mutating func forget(store: Int) {
        asked.removeAll { $0.store == store }
    }

    /// Takes the next entry of the journal: parts are consecutive, in order, with one time.
    mutating func take(_ change: Change, of document: DocumentID, at sequence: Int) throws {
        guard let part = change.transaction else { return try checkEnd() }
        let place = DocumentRevision(document, change.revision)
        if part.number == 1 {
            try checkEnd()
            guard part.parts.count == part.count, part.parts.first == place else {
                throw StoreSimulation.Fault("a transaction does not name its parts: \(part)")
            }
            parts[name(place)] = part.parts
        } else {
            guard let last, last.part.number + 1 == part.number, last.part.leader == part.leader,
                last.sequence + 1 == sequence, last.time == change.time,
                parts[name(part.leader)]?[part.number - 1] == place
            else { throw StoreSimulation.Fault("a part is not beside the others: \(part)") }
        }
        last = (part, sequence, change.time)
    }

    /// All parts of the last transaction are there.
    func checkEnd() throws {
        guard let last, last.part.number < last.part.count else { return }
        throw StoreSimulation.Fault("a part without the others: \(last.part)")
    }

    private func name(_ place: DocumentRevision) -> String {
        "\(place.document.name)@\(place.revision)"
    }
}

extension StoreSimulation {
    func transact() {
        var chosen = ids.filter { _ in !random.once(in: 3) }
        if random.once(in: 2) { chosen.reverse() }
        if chosen.isEmpty { chosen = [ids[random.below(ids.count)]] }
        var request = TransactionRequest(chosen.map(randomMember))
        request.isDryRun = random.once(in: 10)
        if let former = transactions.carriedOut.last, random.once(in: 6) {
            request = former.request
        } else if random.once(in: 3) {
            transactions.keys += 1
            let number = transactions.keys
            request.token = RequestToken(
                key: "t\(number)", fingerprint: JSON(number).contentHash)
        }
        let index = anyStore
        let mine = SimulatedTransactions.Asked(index, request)
        transactions.asked.append(mine)
        stores[index].transact(request, isLarge: random.once(in: 5)) { result in
            mine.results.withLock { $0.append(result) }
        }
    }

    private func randomMember(_ id: DocumentID) -> TransactionRequest.Member {
        var request = randomRequest(id)
        switch request.action {
        case .put, .append, .revert, .restore, .delete: break
        default: request.action = .edit(["a": JSON(random.below(9)), "b": [2]])
        }
        if random.once(in: 6) { request.action = .nothing }
        let revision = replayed[id]?.last?.revision ?? 0
        if random.once(in: 5) { request.precondition.match = .these([revision]) }
        if random.once(in: 30) { request.precondition.noneMatch = .any }
        var member = TransactionRequest.Member(id, request)
        member.mayBeAbsent = random.once(in: 3)
        member.maySkip = random.once(in: 3)
        return member
    }

    /// Results since the last check: each is true, and came once.
    func checkTransactions() throws {
        for mine in transactions.asked {
            let results = mine.results.withLock { $0 }
            guard results.count < 2 else {
                throw Fault("\(results.count) replies to one transaction")
            }
            guard case .success(let outcome)? = results.first else { continue }
            try check(outcome, of: mine.request)
        }
        transactions.asked.removeAll { !$0.results.withLock { $0.isEmpty } }
    }

    private func check(_ outcome: TransactionOutcome, of request: TransactionRequest) throws {
        guard outcome.members.map(\.document) == request.members.map(\.document) else {
            throw Fault("the outcomes are not those of the members")
        }
        for (id, member) in outcome.members where !outcome.isDryRun {
            guard case .done(let made) = member else { continue }
            let states = replayed[id] ?? []
            guard made.document.life == .unborn || made.document.revision < states.count else {
                throw Fault("a part is confirmed, and not stored: \(id)")
            }
            if made.change == nil { continue }
            guard states[made.document.revision].tree == made.document.tree else {
                throw Fault("a part is confirmed with another value: \(id)")
            }
        }
        guard let leader = outcome.leader else { return }
        let name = "\(leader.document.name)@\(leader.revision)"
        let changed = outcome.members.compactMap { id, member in
            member.change.map { DocumentRevision(id, $0.revision) }
        }
        guard let parts = transactions.parts[name], parts.count == changed.count,
            parts.allSatisfy(changed.contains)
        else { throw Fault("the parts of \(name) are not those that were confirmed") }
        try checkToken(of: request, leader)
    }

    private func checkToken(of request: TransactionRequest, _ leader: DocumentRevision) throws {
        guard let token = request.token else { return }
        let known = transactions.carriedOut.first { $0.request.token == token }
        guard let known else {
            return transactions.carriedOut.append((request, leader))
        }
        guard known.leader == leader else { throw Fault("carried out twice: \(token.key)") }
    }
}
