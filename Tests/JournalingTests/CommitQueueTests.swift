import Journaling
import Synchronization
import TestSupport
import Testing
import Threading

/// Group commit: what waits rides together, and results come in the order of the requests.
@Suite struct CommitQueueTests {
    /// Records the calls.
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
            mayEnd.withLock(when: { $0 }) { _ in }
            return try base.commit(batch)
        }

        func end() {
            mayEnd.withLock { $0 = true }
            mayEnd.signal()
        }
    }

    /// A journal in which another process holds the document `a` for some commits.
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

    @Test func `results come in the order of the requests, also while the queue ends`() throws {
        let (journal, submitter) = (SlowJournal(), Submitter())
        let queue = CommitQueue(journal: journal)
        let entries = try entries(2)
        queue.submit(entries[0], by: submitter)
        try until { journal.hasBegun.withLock { $0 } }
        let stopping = WorkerThread(name: "stopping") { queue.stop() }
        // The queue is asked to end, and the first commit is still under way.
        try until { queue.isStopped }
        queue.submit(entries[1], by: submitter)
        #expect(submitter.results.withLock { $0.isEmpty }, "nobody comes before the first")
        journal.end()
        stopping.join()
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
        journal.end()
        queue.stop()
        let batches = journal.batches.withLock { $0 }
        #expect(batches.map(\.entries.count) == [1, 2_047, 5])
        #expect(batches[2].units == [JournalUnit(0..<3), JournalUnit(3..<5)])
        #expect(submitter.results.withLock { $0 } == (1...2_053).map { .success($0) })
        queue.submit(unit: Array(entries[0..<2]), if: [], by: [submitter, submitter])
        try until { submitter.results.withLock { $0.count } == 2_055 }
    }

    /// A shared journal that records which documents are locked at once. Another process holds
    /// `kept` for the first attempts.
    private final class TurnJournal: ForwardingJournal, SharedJournal {
        let memory = InMemoryJournal(isShared: true)
        let asked = TestLock<[[String]]>([])
        let keptLeft: TestLock<Int>
        let isGivenUp: Bool

        init(kept: Int = 0, isGivenUp: Bool = false) {
            keptLeft = TestLock(kept)
            self.isGivenUp = isGivenUp
        }

        var base: any Journal { memory }
        var shared: (any SharedJournal)? { self }

        func commit(
            to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
        ) throws(JournalError) -> [EntryFate] {
            asked.withLock { $0.append(documents.map(\.document.name)) }
            let isKept = keptLeft.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            let isOver = isGivenUp && keptLeft.withLock { $0 == 0 }
            let free = documents.filter { !isKept || $0.document.name != "kept" }
            if free.isEmpty, !isOver { return [] }
            return try memory.commit(to: free) { beginning in
                var beginning = beginning
                for known in documents where isOver && beginning.missed[known.document] == nil {
                    beginning.overdue[known.document] = .unavailable("kept")
                }
                return make(beginning)
            }
        }

        func heads(
            of documents: [DocumentID]
        ) throws(JournalError) -> [DocumentID: JournalHead] { try memory.heads(of: documents) }

        func places(after sequence: Int, limit: Int) throws(JournalError) -> [EntryPlace] {
            try memory.places(after: sequence, limit: limit)
        }

        func entries(
            after known: [DocumentRevision]
        ) throws(JournalError) -> [DocumentID: [JournalEntry]] { try memory.entries(after: known) }

        func awaitEntry(after sequence: Int) -> Bool { memory.awaitEntry(after: sequence) }

        func stopWaiting() { memory.stopWaiting() }
    }

    /// Asks for a turn, in which the next entry of a document is stored.
    private func request(
        _ name: String, of queue: CommitQueue, _ submitter: Submitter
    ) throws {
        let id = try #require(DocumentID(name))
        let failed: @Sendable (JournalError) -> Void = { error in
            submitter.commitsEnded([.failure(error)])
        }
        queue.request(
            Turn(
                at: [DocumentRevision(id, -1)],
                began: { missed in
                    let last = missed[id]?.last
                    let entry = JournalEntry(
                        document: id, revision: (last?.revision ?? -1) + 1, body: [],
                        following: last?.chain ?? .start)
                    return Submission(JournalBatch(entries: [entry]), by: [submitter])
                }, failed: failed))
    }

    @Test func `turns are taken in one commit, those of one document one after the other`() throws {
        let (journal, submitter) = (TurnJournal(), Submitter())
        let queue = CommitQueue(journal: journal, hasThread: false)
        for name in ["b", "a", "b", "c", "b"] { try request(name, of: queue, submitter) }
        queue.commitNext()
        #expect(journal.asked.withLock { $0 } == [["b", "a", "c"], ["b"], ["b"]])
        #expect(try submitter.results.withLock { try $0.map { try $0.get() } } == [1, 2, 3, 4, 5])
        #expect(try journal.head(of: #require(DocumentID("b")))?.revision == 2)
    }

    @Test(arguments: [false, true])
    func `a turn waits while somebody keeps its document, and others do not wait for it`(
        isGivenUp: Bool
    ) throws {
        let journal = TurnJournal(kept: 3, isGivenUp: isGivenUp)
        let (kept, other) = (Submitter(), Submitter())
        let queue = CommitQueue(journal: journal, hasThread: false)
        try request("kept", of: queue, kept)
        try request("a", of: queue, other)
        queue.commitNext()
        #expect(other.results.withLock { $0.count } == 1)
        #expect(kept.results.withLock { $0.isEmpty })
        try request("a", of: queue, other)
        queue.commitNext()
        #expect(journal.asked.withLock { $0.last } == ["kept", "a"])
        #expect(other.results.withLock { $0.count } == 2)
        while queue.commitNext() {}
        let ended = kept.results.withLock { $0 }
        #expect(ended.count == 1 && ((try? ended[0].get()) == nil) == isGivenUp)
    }
}
