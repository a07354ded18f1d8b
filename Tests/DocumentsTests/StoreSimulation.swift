import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import Threading
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// A store, its clients and its journal, step by step as a seed says; or several stores on one
/// shared journal.
final class StoreSimulation {
    /// A violation.
    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// One request or read, and how it ended.
    private final class Asked: Sendable {
        let document: DocumentID
        let store: Int
        /// The confirmed revision at the time of the request.
        let confirmed: Int
        let token: RequestToken?
        let results = Lock<[Result<Outcome, Refusal>]>([])
        let reads = Lock<[Result<Document, ChangeError>]>([])

        init(_ document: DocumentID, _ store: Int, confirmed: Int, token: RequestToken? = nil) {
            (self.document, self.confirmed, self.token) = (document, confirmed, token)
            self.store = store
        }

        var count: Int { results.withLock { $0.count } + reads.withLock { $0.count } }
    }

    private final class Follower {
        let subscription: FeedSubscription
        let store: Int
        let document: DocumentID?
        var position: Int
        init(
            _ subscription: FeedSubscription, _ store: Int, _ document: DocumentID?,
            after position: Int
        ) {
            self.store = store
            (self.subscription, self.document) = (subscription, document)
            self.position = position
        }
    }

    let ids: [DocumentID]
    private let time = ManualTime(milliseconds: 0)
    private let base: InMemoryJournal
    private let journal: SeededFaults
    private typealias Deadlines = Lock<[(time: Timestamp, document: DocumentID)]>
    /// Of each store.
    private let deadlines: [Deadlines]
    var random: SeededGenerator
    private(set) var stores: [DocumentStore] = []
    private let isShared: Bool
    private var asked: [Asked] = []
    var transactions = SimulatedTransactions()
    private var followers: [Follower] = []
    private var tokens: [(RequestToken, DocumentID, revision: Int)] = []
    /// The journal's documents, made again.
    private(set) var replayed: [DocumentID: [Document]] = [:]
    private var confirmed: [DocumentID: Int] = [:]
    private var sequence = 0
    private var foreignWrites = 0

    init(seed: UInt64, stores count: Int = 1) throws {
        random = SeededGenerator(seed: seed)
        isShared = count > 1
        base = InMemoryJournal(isShared: isShared)
        deadlines = (0..<count).map { _ in Lock([]) }
        ids = try ["a", "b", "c"].map { try #require(DocumentID($0)) }
        journal = SeededFaults(base, seed: seed)
        stores = deadlines.map { StoreSimulation.open(journal, time, $0) }
    }

    var anyStore: Int { random.below(stores.count) }

    private static func open(
        _ journal: any Journal, _ time: ManualTime, _ deadlines: Deadlines
    ) -> DocumentStore {
        // So little for followers that they have it by turns.
        var options = DocumentStore.Options(loadedMax: 2, feedBytesMax: 16 << 10)
        options.hasThreads = false
        return DocumentStore(
            journal: journal, options: options, now: { time.now },
            schedule: { id, time in deadlines.withLock { $0.append((time, id)) } })
    }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            switch random.below(40) {
            case 0..<8: change()
            case 8..<10: transact()
            case 10..<13: read()
            case 13: follow()
            case 14..<18: try pull()
            case 18, 19: pass()
            case 20: if !isShared { writeElsewhere() }
            case 21: seal()
            case 22: if random.once(in: 6) { try crash(anyStore) }
            default: try step()
            }
            try check()
        }
        try finish()
    }

    // MARK: Events

    private func step() throws {
        let index = anyStore
        let steps = stores[index].steps
        _ = steps[random.below(steps.count)]()
        if stores[index].failure != nil { try crash(index) }
    }

    private func change() {
        let id = ids[random.below(ids.count)]
        var request = randomRequest(id)
        if random.once(in: 3) {
            if let (token, document, _) = tokens.last, document == id, random.once(in: 3) {
                request.token = token
            } else {
                request.token = RequestToken(
                    key: "\(asked.count)", fingerprint: JSON(asked.count).contentHash)
            }
        }
        let index = anyStore
        let mine = Asked(id, index, confirmed: confirmed[id] ?? -1, token: request.token)
        asked.append(mine)
        stores[index].change(id, request, isLarge: random.once(in: 6)) { result in
            mine.results.withLock { $0.append(result) }
        }
    }

    private func read() {
        let id = ids[random.below(ids.count)]
        let index = anyStore
        let mine = Asked(id, index, confirmed: confirmed[id] ?? -1)
        asked.append(mine)
        stores[index].read(id, includingDeleted: true) { result in
            mine.reads.withLock { $0.append(result) }
        }
    }

    private func seal() {
        let index = anyStore
        stores[index].seal(ids[random.below(ids.count)]) { _ in }
    }

    private func follow() {
        guard followers.count < 6 else { return }
        let index = anyStore
        let store = stores[index]
        if random.once(in: 2) {
            let position = random.below(base.lastSequence + 1)
            followers.append(
                Follower(
                    store.follow(FeedScope(prefix: ""), after: position), index, nil,
                    after: position))
        } else {
            let id = ids[random.below(ids.count)]
            followers.append(Follower(store.follow(id, after: -1), index, id, after: -1))
        }
    }

    private func pull() throws {
        guard !followers.isEmpty else { return }
        let index = random.below(followers.count)
        try pull(followers[index])
        if random.once(in: 20) { followers.remove(at: index).subscription.cancel() }
    }

    @discardableResult
    private func pull(_ follower: Follower) throws -> Bool {
        switch follower.subscription.next({}) {
        case .items(let items):
            try replay()
            for item in items { try take(item, follower) }
            return true
        case .nothing(let isAtEnd): return !isAtEnd
        case .closed: return false
        case .failed(let error): throw Fault("a follower failed: \(error)")
        }
    }

    /// Every change comes once, in order, and is in the journal.
    private func take(_ item: FeedItem, _ follower: Follower) throws {
        guard case .change(let made, _) = item.event else { return }
        let revision = made.change.revision
        let states = replayed[item.document.id] ?? []
        guard revision < states.count, states[revision].tree == made.document.tree else {
            throw Fault("published, and not in the journal: \(item.document.id) \(revision)")
        }
        let position = follower.document == nil ? item.sequence ?? -1 : revision
        guard position == follower.position + 1 else {
            throw Fault("a follower is at \(follower.position) and receives \(position)")
        }
        follower.position = position
    }

    /// Time passes, sometimes backwards; due alarms ring.
    private func pass() {
        time.advance(by: [1, 40, 300, 2_000, 60_000, -500][random.below(6)])
        for (store, deadlines) in zip(stores, deadlines) {
            let due = deadlines.withLock { all in
                let due = all.filter { $0.time <= time.now }
                all.removeAll { $0.time <= time.now }
                return due
            }
            for (_, document) in due { store.checkDeadlines(document) }
        }
    }

    /// Another process writes to the journal.
    private func writeElsewhere() {
        let other = StoreSimulation.open(base, time, Lock([]))
        other.change(
            ids[random.below(ids.count)],
            ChangeRequest(.edit(JSON(random.below(1_000))), actor: "elsewhere")
        ) { _ in }
        while other.steps.contains(where: { $0() }) {}
        // The journal stays open: it is not this store's.
        foreignWrites += 1
        stores[0].noteForeignWrite()
    }

    /// The process ends, and another one begins. Replies under way are lost.
    private func crash(_ index: Int) throws {
        try check()
        for follower in followers where follower.store == index { follower.subscription.cancel() }
        asked.removeAll { $0.store == index }
        transactions.forget(store: index)
        followers.removeAll { $0.store == index }
        deadlines[index].withLock { $0 = [] }
        stores[index] = StoreSimulation.open(journal, time, deadlines[index])
    }

    // MARK: Checks

    /// Results since the last check: each is true, and came once.
    private func check() throws {
        try replay()
        for mine in asked where mine.count > 0 {
            guard mine.count == 1 else { throw Fault("\(mine.count) replies to one request") }
            if let result = mine.results.withLock({ $0.first }) { try check(mine, result) }
            if let result = mine.reads.withLock({ $0.first }) { try check(mine, result) }
        }
        asked.removeAll { $0.count > 0 }
        try checkTransactions()
    }

    private func check(_ mine: Asked, _ result: Result<Outcome, Refusal>) throws {
        guard case .success(let outcome) = result, !outcome.isDryRun else { return }
        let states = replayed[mine.document] ?? []
        let document = outcome.document
        guard document.revision < states.count else {
            throw Fault("confirmed, and not stored: \(mine.document) \(document.revision)")
        }
        guard document.revision < 0 || states[document.revision].tree == document.tree else {
            throw Fault("confirmed with another value: \(mine.document) \(document.revision)")
        }
        guard let change = outcome.change else { return }
        confirmed[mine.document] = max(confirmed[mine.document] ?? -1, change.revision)
        guard let token = mine.token else { return }
        if let known = tokens.first(where: { $0.0 == token && $0.1 == mine.document }) {
            guard known.revision == change.revision else {
                throw Fault("carried out twice: \(token.key)")
            }
        } else {
            tokens.append((token, mine.document, change.revision))
        }
    }

    private func check(_ mine: Asked, _ result: Result<Document, ChangeError>) throws {
        guard case .success(let document) = result else { return }
        let states = replayed[mine.document] ?? []
        guard document.revision < states.count else {
            throw Fault("read, and not stored: \(mine.document) \(document.revision)")
        }
        guard document.revision < 0 || states[document.revision].tree == document.tree else {
            throw Fault("\(mine.document) never was so at \(document.revision)")
        }
        guard document.revision >= mine.confirmed else {
            throw Fault("stale: \(mine.document) \(document.revision) after \(mine.confirmed)")
        }
    }

    /// Follows the journal. Its entries stay.
    private func replay() throws {
        let page = try base.entries(after: sequence, prefix: "", limit: .max)
        for (number, entry) in page.entries {
            var document = replayed[entry.document]?.last ?? .unborn(entry.document)
            let change = try document.replay(entry)
            try transactions.take(change, of: entry.document, at: number)
            replayed[entry.document, default: []].append(document)
            sequence = number
        }
        try transactions.checkEnd()
    }

    /// All requests end with a reply, followers have all items, and a restart finds the same.
    private func finish() throws {
        journal.isPeaceful.withLock { $0 = true }
        try settle()
        guard asked.isEmpty, transactions.isSettled else {
            throw Fault("\(asked.count) requests without a reply")
        }
        for _ in 0..<1_000 {
            // All of them: what one holds, another one may wait for.
            var isBusy = false
            for follower in followers { isBusy = try pull(follower) || isBusy }
            try settle()
            if !isBusy { break }
        }
        for follower in followers {
            let end =
                follower.document.map { (replayed[$0]?.count ?? 0) - 1 } ?? base.lastSequence
            guard follower.position == end else {
                throw Fault("a follower is at \(follower.position) of \(end)")
            }
        }
        for (id, index) in ids.flatMap({ id in stores.indices.map { (id, $0) } }) {
            let mine = Asked(id, index, confirmed: confirmed[id] ?? -1)
            stores[index].read(id, includingDeleted: true) { result in
                mine.reads.withLock { $0.append(result) }
            }
            try settle()
            guard case .success(let document)? = mine.reads.withLock({ $0.first }) else { continue }
            guard document.chain == replayed[id]?.last?.chain || foreignWrites > 0 else {
                throw Fault("\(id) is not what its journal makes")
            }
        }
    }

    private func settle() throws {
        for _ in 0..<10_000 {
            let isIdle = !stores.flatMap(\.steps).reduce(false) { $1() || $0 }
            try check()
            if isIdle { return }
        }
        throw Fault("it never ends")
    }

    // MARK: Requests

    func randomRequest(_ id: DocumentID) -> ChangeRequest {
        let actor: Name = ["ada", "bob", ""][random.below(3)]
        var request = ChangeRequest(randomAction(id, actor), actor: actor)
        request.isDryRun = random.once(in: 12)
        request.mayUndoOthers = !random.once(in: 8)
        return request
    }

    private func randomAction(_ id: DocumentID, _ actor: Name) -> ChangeRequest.Action {
        if replayed[id]?.last?.life != .alive { return .put(["a": 0, "b": [1, 2]]) }
        let value: JSON = ["a": JSON(random.below(9)), "b": [1, JSON(random.below(9))]]
        switch random.below(26) {
        case 0..<9: return .edit(value, window: random.once(in: 2) ? 100 : nil)
        case 9..<12: return .move(.undo(count: 1 + random.below(3)))
        case 12: return .move(.redo(count: 1 + random.below(2)))
        case 13..<16: return .revert(OwnUndoRequest(.actor(actor)))
        case 16: return .revert(OwnUndoRequest(.actor(actor), isRedo: true))
        case 17: return .revert(OwnUndoRequest(.change(random.below(12)), policy: .theirs))
        case 18: return .scope(1_000, random.once(in: 2) ? .discard : .pop)
        case 19: return .popScope(isForced: true)
        case 20: return .discardScope(isForced: true, isAll: false, policy: .theirs)
        case 21: return .tag("t\(random.below(3))", version: nil, isNew: false)
        case 22: return .move(.goTo(.tag("t\(random.below(3))")))
        case 23: return .snapshot("s", [.root], isNew: false)
        case 24: return .restore("s")
        default: return random.once(in: 6) ? .delete : .move(.goTo(.version(random.below(9))))
        }
    }
}

/// A journal whose commits fail now and then, as a seed says: each kind of fault at the commit
/// point.
private final class SeededFaults: ForwardingJournal {
    let base: any Journal
    let isPeaceful = Lock(false)
    private let random: Lock<SeededGenerator>

    init(_ base: any Journal, seed: UInt64) {
        self.base = base
        random = Lock(SeededGenerator(seed: seed ^ 0x5eed))
    }

    var shared: (any SharedJournal)? { base.shared == nil ? nil : self }

    func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        try failing { () throws(JournalError) in try base.commit(batch) }
    }

    private func failing(
        _ commit: () throws(JournalError) -> [EntryFate]
    ) throws(JournalError) -> [EntryFate] {
        let unknown: JournalError =
            base.shared == nil ? .outcomeUnknown("planned") : .uncertain("planned")
        let draw = random.withLock { $0.below(isPeaceful.withLock { $0 } ? 1 : 60) }
        switch draw {
        case 1, 2: throw .full("planned")
        case 3, 4: throw .unavailable("planned")
        case 5:
            _ = try commit()
            throw unknown
        case 6: throw unknown
        default: return try commit()
        }
    }
}

extension SeededFaults: SharedJournal {
    func heads(of documents: [DocumentID]) throws(JournalError) -> [DocumentID: JournalHead] {
        guard let shared = base.shared else { return [:] }
        let draw = random.withLock { $0.below(isPeaceful.withLock { $0 } ? 1 : 30) }
        if draw == 1 { throw .unavailable("planned") }
        return try shared.heads(of: documents)
    }

    func places(after sequence: Int, limit: Int) throws(JournalError) -> [EntryPlace] {
        try base.shared?.places(after: sequence, limit: limit) ?? []
    }

    func entries(
        after known: [DocumentRevision]
    ) throws(JournalError) -> [DocumentID: [JournalEntry]] {
        try base.shared?.entries(after: known) ?? [:]
    }

    func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        guard let shared = base.shared else { return [] }
        return try failing { () throws(JournalError) in
            try shared.commit(to: documents, make)
        }
    }

    func awaitEntry(after sequence: Int) -> Bool { false }

    func stopWaiting() {}
}
