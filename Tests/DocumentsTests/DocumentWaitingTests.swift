import Documents
import JSONTree
import Journaling
import TestSupport
import Testing
import VersioningKit

/// A slow read of the journal must delay no other request.
@Suite struct DocumentWaitingTests {
    /// A journal that hands out a document's last entries when it may.
    final class SlowJournal: ForwardingJournal {
        let base: any Journal
        /// So many readings are let through.
        let allowed = TestLock(0)
        let asked = TestLock(0)

        init(_ base: any Journal) { self.base = base }

        func entries(of document: DocumentID, upTo revision: Int, limit: Int) throws(JournalError)
            -> [JournalEntry]
        {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            do {
                try until { allowed.withLock { $0 >= number } }
            } catch {
                throw .unavailable("nobody let it through")
            }
            return try base.entries(of: document, upTo: revision, limit: limit)
        }
    }

    private typealias Answer = TestLock<Result<Outcome, Refusal>?>

    private let id = DocumentID("menu")!

    /// Asks for a change; the answer comes when it comes.
    private func ask(_ store: DocumentStore, _ request: ChangeRequest) -> Answer {
        let answer = Answer(nil)
        store.change(id, request) { result in
            answer.withLock { $0 = result }
            answer.signal()
        }
        return answer
    }

    private func outcome(_ answer: Answer) throws -> Outcome {
        try #require(answer.withLock(when: { $0 != nil }) { $0 }).get()
    }

    /// A store that knows the document's value, and of its past what the journal has.
    private func restarted() throws -> (DocumentStore, SlowJournal) {
        let base = InMemoryJournal()
        let first = DocumentStore(journal: base, now: { ManualTime().now })
        for value in 0..<3 { _ = try outcome(ask(first, ChangeRequest(.put(JSON(value))))) }
        first.close()
        let journal = SlowJournal(base)
        return (DocumentStore(journal: journal, now: { ManualTime().now }), journal)
    }

    @Test func `an undo that reads the journal holds up neither readers nor writers`() throws {
        let (store, journal) = try restarted()
        defer { store.close() }
        let undone = ask(store, .move(.undo(count: 2)))
        try until { journal.asked.withLock { $0 > 0 } }
        let tree = TestLock<JSON?>(nil)
        store.read(id) { result in tree.withLock { $0 = try? result.get().tree } }
        #expect(tree.withLock { $0 } == 2, "read at once")
        #expect(try outcome(ask(store, .append(3))).document.revision == 3)
        journal.allowed.withLock { $0 = .max }
        let outcome = try outcome(undone)
        #expect(outcome.document.tree == 1 && outcome.document.revision == 4)
        #expect(try self.outcome(ask(store, .move(.redo(count: 2)))).document.tree == 3)
    }

    @Test func `a request that is overtaken while it reads does not read again`() throws {
        let (store, journal) = try restarted()
        defer { store.close() }
        let undone = ask(store, .move(.goTo(.version(0))))
        try until { journal.asked.withLock { $0 == 1 } }
        // During the read, another actor is faster, several times.
        for value in 3...9 { _ = try outcome(ask(store, .append(JSON(value)))) }
        journal.allowed.withLock { $0 = 1 }
        #expect(try outcome(undone).document.tree == 0)
        #expect(journal.asked.withLock { $0 } == 1)
    }
}
