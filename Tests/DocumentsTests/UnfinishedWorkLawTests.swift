import Foundation
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// Law: unfinished work of another client causes no refusal. Requests that read the past are sent
/// while other clients edit, make transactions, undo, erase, delete and restore; no refusal says
/// that an entry being stored is unknown, damaged, split or too late.
@Suite struct UnfinishedWorkLawTests {
    @Test func `18: no 4xx or 503 is caused by the unfinished work of another client`() throws {
        var (asked, refused, repeated) = (0, 0, 0)
        for seed in Seeds.of(6) {
            let work = try UnfinishedWork(seed: seed)
            do { try work.run(questions: 60) } catch {
                Issue.record("TEST_SEED=\(seed): \(error)")
                return
            }
            asked += work.asked
            refused += work.refused
            repeated += work.repeated
        }
        #expect(
            refused * 30 > asked && repeated > Seeds.expected(0),
            "\(asked) \(refused) \(repeated)")
    }
}

/// Stores without threads, and clients whose requests a seed interleaves step by step.
private final class UnfinishedWork {
    typealias Fault = StoreSimulation.Fault

    /// A request that reads the past.
    private enum Question {
        case own(DocumentID, isRedo: Bool)
        case change(DocumentID, Int)
        case selection(DocumentID)
        case selectionOfMany
        case base(DocumentID, Int)
        case state(DocumentID, Int)
        case blame(DocumentID)
        case copy(DocumentID, as: DocumentID)
        case update
        case merge
    }

    private let ids: [DocumentID]
    private let draft: DocumentID
    private let journal: InMemoryJournal
    private let time = ManualTime()
    private var stores: [DocumentStore] = []
    private var random: SeededGenerator
    private var number = 0
    private(set) var asked = 0
    private(set) var refused = 0
    /// Requests that were also refused alone.
    private(set) var repeated = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        journal = InMemoryJournal()
        ids = try ["a", "b", "c"].map { try #require(DocumentID($0)) }
        draft = try #require(DocumentID("draft"))
        var options = DocumentStore.Options(loadedMax: 3)
        options.hasThreads = false
        stores = [DocumentStore(journal: journal, options: options, now: { [time] in time.now })]
        for id in ids { send(id, .put(["n": 0, "secret": 0])) }
        try settle()
        let head = try #require(try Replay.document(ids[0], from: journal)).document
        var start = ChangeRequest(.put(head.tree))
        start.start = DraftStart(at: head, head.settings)
        stores[0].change(draft, start) { _ in }
        try settle()
    }

    func run(questions: Int) throws {
        for _ in 0..<questions {
            for _ in 0..<random.below(12) { try event(writes: 3) }
            try ask()
        }
    }

    // MARK: Other clients

    private var anyStore: DocumentStore { stores[random.below(stores.count)] }
    private var anyID: DocumentID { ids[random.below(ids.count)] }

    /// A request of another client, once in a number of events, or a step of a store.
    private func event(writes: Int) throws {
        if random.once(in: writes) { return write() }
        let steps = anyStore.steps
        _ = steps[random.below(steps.count)]()
    }

    private func send(_ id: DocumentID, _ action: ChangeRequest.Action, _ actor: Name = "ada") {
        anyStore.change(id, ChangeRequest(action, actor: actor), isLarge: random.once(in: 4)) {
            _ in
        }
    }

    private func write() {
        number += 1
        time.advance(by: 10)
        let actor: Name = random.once(in: 3) ? "bob" : "ada"
        let edit = ChangeRequest.Action.append(
            .mergePatch(["n\(number % 3)": JSON(number), "secret": JSON(number)]), tag: nil,
            grouping: nil)
        switch random.below(16) {
        case 0..<5: send(anyID, edit, actor)
        case 5: send(draft, edit, actor)
        case 6..<10:
            let chosen = ids.filter { _ in !random.once(in: 3) }
            let members = chosen.map {
                TransactionRequest.Member($0, ChangeRequest(edit, actor: actor))
            }
            if !members.isEmpty { anyStore.transact(TransactionRequest(members)) { _ in } }
        case 10: send(anyID, .revert(OwnUndoRequest(.actor(actor))), actor)
        case 11: if random.once(in: 2) { send(anyID, .delete) }
        case 12: send(anyID, .undelete)
        case 13: send(anyID, .put(["n": JSON(number)]), actor)
        default: erase(anyID)
        }
    }

    private func erase(_ id: DocumentID) {
        guard let place = PointerPattern(parsing: "/secret") else { return }
        let store = anyStore
        store.task(of: id.name) {
            _ = try? await store.erase(id, ErasureRequest([place], actor: "root"))
        }
    }

    private func settle() throws {
        for _ in 0..<20_000 {
            if !stores.flatMap(\.steps).reduce(false, { $1() || $0 }) { return }
        }
        throw Fault("it never ends")
    }

    // MARK: Questions

    private func ask() throws {
        guard let question = try question() else { return }
        asked += 1
        let store = anyStore
        guard let refusal = try answer(to: question, store, whileWriting: true) else { return }
        refused += 1
        try check(refusal, question)
        // Alone it may also be refused for a reason, but for no other kind of reason.
        try settle()
        if let again = try answer(to: question, store, whileWriting: false) {
            repeated += 1
            try check(again, question)
        }
    }

    /// Errors that are never true of an intact document.
    private func check(_ error: ChangeError, _ question: Question) throws {
        switch error {
        case .mismatch, .unknownRevision, .journal, .overtaken, .abandoned, .partOfTransaction:
            throw Fault("\(question) was refused: \(error)")
        default: break
        }
    }

    private func question() throws -> Question? {
        let id = anyID
        guard let head = try journal.head(of: id)?.revision else { return nil }
        switch random.below(12) {
        case 0, 1: return .own(id, isRedo: false)
        case 2: return .own(id, isRedo: true)
        case 3: return .change(id, random.below(head + 1))
        case 4, 5: return .selection(id)
        case 6: return .selectionOfMany
        case 7: return .base(id, random.below(head + 1))
        case 8: return .state(id, random.below(head + 1))
        case 9: return .blame(id)
        case 10: return .copy(id, as: try #require(DocumentID("copy\(asked)")))
        default: return random.once(in: 2) ? .update : .merge
        }
    }

    /// Asks, and carries on until there is an answer; other clients do some more meanwhile.
    private func answer(
        to question: Question, _ store: DocumentStore, whileWriting: Bool
    ) throws -> ChangeError? {
        let answer = Lock<[ChangeError?]>([])
        ask(question, store) { error in answer.withLock { $0.append(error) } }
        var rest = whileWriting ? 12 : 0
        for count in 0..<20_000 {
            let answers = answer.withLock { $0 }
            if let first = answers.first {
                guard answers.count == 1 else { throw Fault("\(question): two answers") }
                return first
            }
            if rest > 0, count % 4 == 0 {
                rest -= 1
                write()
            } else {
                try event(writes: .max)
            }
        }
        throw Fault("\(question): no answer")
    }

    private func ask(
        _ question: Question, _ store: DocumentStore,
        _ reply: @escaping @Sendable (ChangeError?) -> Void
    ) {
        switch question {
        case .own(let id, let isRedo):
            let wanted = OwnUndoRequest(.actor("ada"), isRedo: isRedo)
            change(id, .revert(wanted), store, reply)
        case .change(let id, let revision):
            change(id, .revert(OwnUndoRequest(.change(revision))), store, reply)
        case .selection(let id):
            change(id, .revertAll(ChangeSelection(actor: "ada"), also: [], .mine), store, reply)
        case .selectionOfMany: undoMany(store, reply)
        case .base(let id, let revision):
            var request = ChangeRequest(
                .append(.mergePatch(["z": JSON(asked)]), tag: nil, grouping: nil), actor: "cyd")
            request.base = EditBase(.revision(revision), policy: .mine)
            store.change(id, request) { reply($0.refusal?.error) }
        case .state(let id, let revision):
            read(id, store, reply) { head, past throws(ChangeError) in
                _ = try StateAddress.revision(revision).document(head, past)
            }
        case .blame(let id):
            read(id, store, reply) { head, past throws(ChangeError) in
                _ = try past.authorship(of: head, under: .root)
            }
        case .copy(let id, let copy):
            store.task(of: id.name) {
                do throws(ChangeError) {
                    _ = try await store.copy(CopyRequest(of: id), as: copy)
                    reply(nil)
                } catch {
                    reply(error)
                }
            }
        case .update:
            draftTask(store, reply) { draft async throws(Refusal) in
                _ = try await store.update(draft)
            }
        case .merge:
            draftTask(store, reply) { draft async throws(Refusal) in
                _ = try await store.merge(draft)
            }
        }
    }

    private func draftTask(
        _ store: DocumentStore, _ reply: @escaping @Sendable (ChangeError?) -> Void,
        _ body: @escaping @Sendable (DraftRequest) async throws(Refusal) -> Void
    ) {
        store.task(of: draft.name) { [draft] in
            do throws(Refusal) {
                try await body(DraftRequest(draft, .init(.mine)))
                reply(nil)
            } catch {
                reply(error.error)
            }
        }
    }

    private func change(
        _ id: DocumentID, _ action: ChangeRequest.Action, _ store: DocumentStore,
        _ reply: @escaping @Sendable (ChangeError?) -> Void
    ) {
        store.change(id, ChangeRequest(action, actor: "ada")) { reply($0.refusal?.error) }
    }

    /// As `POST /v1/undo` does.
    private func undoMany(
        _ store: DocumentStore, _ reply: @escaping @Sendable (ChangeError?) -> Void
    ) {
        var selection = ChangeSelection(actor: "ada")
        selection.takesCreation = true
        var request = TransactionRequest(
            ids.map { id in
                .init(
                    id, ChangeRequest(.nothing, actor: "cyd"),
                    takingBack: .revertAll(selection, also: [], .mine), .mine)
            })
        request.mustChange = true
        request.widens = true
        store.transact(request) { reply($0.refusal?.refusal.error) }
    }

    private func read(
        _ id: DocumentID, _ store: DocumentStore,
        _ reply: @escaping @Sendable (ChangeError?) -> Void,
        _ body: @escaping @Sendable (Document, DocumentPast) throws(ChangeError) -> Void
    ) {
        store.task(of: id.name) {
            do throws(ChangeError) {
                let (head, past) = try await store.past(of: id)
                if let absence = head.absence { throw absence }
                try body(head, past)
                reply(nil)
            } catch {
                reply(error)
            }
        }
    }
}

extension Result {
    fileprivate var refusal: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
