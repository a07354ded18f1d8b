import JSONTree
import Journaling
import TestSupport
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// Tasks of a store, piece by piece.
struct StoreTaskTests {
    private let id = DocumentID("menu")!
    private let notes = Lock<[String]>([])

    private func store() -> DocumentStore {
        var options = DocumentStore.Options()
        options.hasThreads = false
        return DocumentStore(
            journal: InMemoryJournal(), options: options, now: { Timestamp(milliseconds: 1_000) })
    }

    private func run(_ store: DocumentStore) -> [String] {
        while store.steps.reduce(false, { $1() || $0 }) {}
        return notes.withLock { $0 }
    }

    @Test func `a task with many steps gives others their turns between them`() {
        let store = store()
        store.task(of: "ada") { [notes] in
            for step in 0..<3 {
                notes.withLock { $0.append("ada \(step)") }
                await store.takeTurn(of: "ada")
            }
        }
        for name in ["bob", "cyd"] {
            store.task(of: name) { [notes] in notes.withLock { $0.append(name) } }
        }
        #expect(run(store) == ["ada 0", "bob", "cyd", "ada 1", "ada 2"])
    }

    @Test func `a status that memory has is replied at once, and a question as a task`() {
        let store = store()
        store.change(id, ChangeRequest(.put(1))) { _ in }
        _ = run(store)
        var question = StatusQuestion(mayUndoOthers: true)
        store.status(id, question) { [notes] in
            notes.withLock { $0.append("plain") }
            #expect((try? $0.get())?.document.revision == 0)
        }
        #expect(notes.withLock { $0 } == ["plain"])
        question.actor = "ada"
        store.status(id, question) { [notes] in
            notes.withLock { $0.append("own") }
            #expect((try? $0.get())?.own != nil)
        }
        #expect(notes.withLock { $0 } == ["plain"])
        #expect(run(store) == ["plain", "own"])
    }

    @Test func `a transaction of documents in memory is prepared on the caller's thread`() {
        let store = store()
        store.change(id, ChangeRequest(.put(1))) { _ in }
        _ = run(store)
        let members = [TransactionRequest.Member(id, ChangeRequest(.put(2)))]
        store.transact(TransactionRequest(members)) { [notes] _ in
            notes.withLock { $0.append("done") }
        }
        #expect(store.queueDepth == 1)
        #expect(run(store) == ["done"])
        // Another one must be loaded first.
        let other = TransactionRequest.Member(DocumentID("other")!, ChangeRequest(.put(2)))
        store.transact(TransactionRequest(members + [other])) { [notes] _ in
            notes.withLock { $0.append("both") }
        }
        #expect(store.queueDepth == 0)
        #expect(run(store) == ["done", "both"])
    }

    @Test func `a task that begins when the store is closed is refused, and ends`() async {
        let store = store()
        store.close()
        await #expect(throws: ChangeError.self) { try await store.read(id) }
        await #expect(throws: ChangeError.self) { try await store.past(of: id) }
        let place = DocumentRevision(id, 0)
        await #expect(throws: DocumentStore.closed) { try await store.transaction(of: place) }
    }
}
