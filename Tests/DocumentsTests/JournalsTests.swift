import JSONTree
import Journaling
import SQLiteJournaling
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Journals of other times and other places.
@Suite struct JournalsTests {
    private let id = DocumentID("menu")!
    private let time = ManualTime()

    private func store(_ journal: any Journal) -> DocumentStore {
        DocumentStore(journal: journal, now: { [time] in time.now })
    }

    private func history(_ journal: any Journal) async throws {
        let store = store(journal)
        _ = try await store.change(id, ChangeRequest(.put(["a": 0, "b": "text"])))
        for value in 1...5 {
            _ = try await store.change(id, .append(["a": JSON(value), "b": "text"], actor: "ada"))
        }
        var request = ChangeRequest.append(["a": 6, "b": "text"])
        request.token = RequestToken(key: "k", fingerprint: JSON(6).contentHash)
        _ = try await store.change(id, request)
        store.close()
    }

    /// The entries of a document as an older version wrote them: with hashes that cannot be
    /// compared any more.
    private func older(_ entries: [JournalEntry]) throws -> [JournalEntry] {
        var chain = ChainHash.start
        return try entries.map { entry in
            var change = try Change(decoding: entry.body, revision: entry.revision)
            change.priorHash = nil
            change.treeHash = ContentHash(high: 1, low: 2)
            var body = change.encoded()
            body[0] = 3
            let old = JournalEntry(
                document: entry.document, revision: entry.revision, body: body, following: chain,
                lifecycle: entry.lifecycle)
            chain = old.chain
            return old
        }
    }

    @Test func `two journals are open in one process, and entries move from one to the other`()
        async throws
    {
        let (from, to) = (try TemporaryDirectory(), try TemporaryDirectory())
        let source = try SQLiteJournal(directory: from.path)
        let target = try SQLiteJournal(directory: to.path)
        let first = store(source)
        _ = try await first.change(id, ChangeRequest(.put(0)))
        _ = try await first.change(id, .append(1))
        let entries = try source.entries(of: id, from: 0, limit: 99)
        #expect(
            try target.commit(JournalBatch(entries: entries))
                == [.stored(sequence: 1), .stored(sequence: 2)])
        let second = store(target)
        #expect(try await second.change(id, .move(.undo(count: 1))).tree == 0)
        #expect(try await first.read(id).tree == 1)
        first.close()
        second.close()
    }

    @Test func `entries with hashes of another key are replayed, undone and redone`() async throws {
        let made = InMemoryJournal()
        try await history(made)
        let old = InMemoryJournal()
        let entries = try older(try made.entries(of: id, from: 0, limit: 99))
        _ = try old.commit(JournalBatch(entries: entries))
        let store = store(old)
        #expect(try await store.read(id).tree == ["a": 6, "b": "text"])
        #expect(try await store.change(id, .move(.undo(count: 3))).tree["a"] == 3)
        #expect(try await store.change(id, .move(.redo(count: 1))).tree["a"] == 4)
        _ = try await store.change(id, ChangeRequest(.snapshot("s", [.root], isNew: false)))
        var request = ChangeRequest.append(["a": 6, "b": "text"])
        request.token = RequestToken(key: "k", fingerprint: JSON(6).contentHash)
        #expect(try await store.change(id, request).isRepeated, "any fingerprint will do")
        store.close()
    }

    @Test func `a hash that was made with today's key is compared`() async throws {
        let made = InMemoryJournal()
        try await history(made)
        var chain = ChainHash.start
        let entries = try older(try made.entries(of: id, from: 0, limit: 99)).map { old in
            var body = old.body
            body[0] = 4
            let entry = JournalEntry(
                document: old.document, revision: old.revision, body: body, following: chain,
                lifecycle: old.lifecycle)
            chain = entry.chain
            return entry
        }
        let damaged = InMemoryJournal()
        _ = try damaged.commit(JournalBatch(entries: entries))
        let store = store(damaged)
        await #expect(throws: ChangeError.self) { try await store.read(id) }
        store.close()
    }
}
