import Journaling
import Synchronization
import TestSupport
import Testing

/// Group commit: what waits rides together, and results come in the order of the requests.
@Suite struct CommitQueueTests {
    /// Notes what it is told.
    private final class Submitter: CommitSubmitter {
        let results = TestLock<[Result<Int, JournalError>]>([])

        func commitsEnded(_ ended: ArraySlice<Result<Int, JournalError>>) {
            results.withLock { $0 += ended }
        }
    }

    /// A journal whose first commit ends when it may.
    private final class SlowJournal: ForwardingJournal {
        let base: any Journal = InMemoryJournal()
        let hasBegun = TestLock(false)
        let mayEnd = TestLock(false)

        func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
            hasBegun.withLock { $0 = true }
            while !mayEnd.withLock({ $0 }) {}
            return try base.commit(batch)
        }
    }

    private func entries(_ count: Int) throws -> [JournalEntry] {
        let id = try #require(DocumentID("a"))
        return (0..<count).reduce(into: []) { entries, revision in
            entries.append(
                JournalEntry(
                    document: id, revision: revision, body: [1],
                    following: entries.last?.chain ?? .start))
        }
    }

    @Test func `results come in the order of the requests, also while the queue ends`()
        async throws
    {
        let (journal, submitter) = (SlowJournal(), Submitter())
        let queue = CommitQueue(journal: journal)
        let entries = try entries(2)
        queue.submit(entries[0], by: submitter)
        try until { journal.hasBegun.withLock { $0 } }
        let stopping = Task.detached { queue.stop() }
        // The queue is asked to end, and the first commit is still under way.
        for _ in 0..<1_000 { await Task.yield() }
        queue.submit(entries[1], by: submitter)
        #expect(submitter.results.withLock { $0.isEmpty }, "nobody comes before the first")
        journal.mayEnd.withLock { $0 = true }
        await stopping.value
        #expect(submitter.results.withLock { $0 } == [.success(1), .success(2)])
        queue.submit(entries[1], by: submitter)
        try until { submitter.results.withLock { $0.count } == 3 }
        #expect(
            submitter.results.withLock { $0.last }
                == .failure(.stopped("the journal is closed")))
    }
}
