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
        let batches = TestLock<[JournalBatch]>([])

        func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
            hasBegun.withLock { $0 = true }
            batches.withLock { $0.append(batch) }
            while !mayEnd.withLock({ $0 }) {}
            return try base.commit(batch)
        }
    }

    /// A journal in which somebody else keeps the document `a` for some commits.
    private final class KeptJournal: ForwardingJournal {
        let base: any Journal = InMemoryJournal()
        let left: TestLock<Int>
        let isGivenUp: Bool

        init(_ count: Int, isGivenUp: Bool = false) {
            left = TestLock(count)
            self.isGivenUp = isGivenUp
        }

        func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
            let isKept = left.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            let keeps = batch.entries.map { isKept && $0.document.name == "a" }
            let (rest, places) = batch.keeping(keeps.map { !$0 })
            let isOver = isGivenUp && left.withLock { $0 == 0 }
            var fates: [EntryFate] = batch.entries.map { _ in
                isOver ? .failed(.unavailable("kept")) : .held
            }
            let stored = try base.commit(rest)
            for (place, fate) in zip(places, stored) { fates[place] = fate }
            return fates
        }
    }

    @Test(arguments: [false, true])
    func `what somebody keeps is committed later, in its order, and nothing waits for it`(
        isGivenUp: Bool
    ) throws {
        let (kept, other) = (Submitter(), Submitter())
        let journal = KeptJournal(3, isGivenUp: isGivenUp)
        let queue = CommitQueue(journal: journal, hasThread: false)
        let entries = try entries(3)
        let id = try #require(DocumentID("b"))
        queue.submit(entries[0], by: kept)
        queue.submit(
            JournalEntry(document: id, revision: 0, body: [1], following: .start), by: other)
        queue.commitNext()
        #expect(other.results.withLock { $0 } == [.success(1)])
        #expect(kept.results.withLock { $0.isEmpty } && queue.depth == 1)
        queue.submit(unit: Array(entries[1...]), if: [], by: [kept, kept])
        queue.commitNext()
        queue.commitNext()
        if isGivenUp {
            #expect(
                kept.results.withLock { $0 }
                    == [0, 1, 2].map { _ in .failure(.unavailable("kept")) })
        } else {
            queue.commitNext()
            #expect(kept.results.withLock { $0 } == [.success(2), .success(3), .success(4)])
        }
        #expect(queue.depth == 0)
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

    @Test func `a unit is in one commit, however much waits before it`() throws {
        let (journal, submitter) = (SlowJournal(), Submitter())
        let queue = CommitQueue(journal: journal)
        let entries = try entries(2_047 + 1 + 5)
        queue.submit(entries[0], by: submitter)
        try until { journal.hasBegun.withLock { $0 } }
        for entry in entries[1..<2_048] { queue.submit(entry, by: submitter) }
        for unit in [entries[2_048..<2_051], entries[2_051..<2_053]] {
            queue.submit(unit: Array(unit), if: [], by: unit.map { _ in submitter })
        }
        journal.mayEnd.withLock { $0 = true }
        queue.stop()
        let batches = journal.batches.withLock { $0 }
        #expect(batches.map(\.entries.count) == [1, 2_047, 5])
        #expect(batches[2].units == [JournalUnit(0..<3), JournalUnit(3..<5)])
        #expect(submitter.results.withLock { $0 } == (1...2_053).map { .success($0) })
        queue.submit(unit: Array(entries[0..<2]), if: [], by: [submitter, submitter])
        try until { submitter.results.withLock { $0.count } == 2_055 }
    }
}
