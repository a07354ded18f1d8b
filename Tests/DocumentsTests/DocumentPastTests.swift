import JSONTree
import Journaling
import SQLiteJournaling
import TestSupport
import Testing
import Threading
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The past of a document, as a journal has it: changes, states, times, checkpoints.
@Suite struct DocumentPastTests {
    private let id = DocumentID("menu")!

    /// A journal with a document of `count` edits, one each ten milliseconds from 1000 on.
    private func journal(_ count: Int) async throws -> InMemoryJournal {
        let journal = InMemoryJournal()
        let time = ManualTime(milliseconds: 1_000)
        let store = DocumentStore(journal: journal, now: { time.now })
        _ = try await store.change(id, ChangeRequest(.put(0)))
        for value in 0..<count {
            time.advance(by: 10)
            _ = try await store.change(id, .append(JSON(value + 1)))
        }
        store.close()
        return journal
    }

    @Test func `changes are read forward and backward, page by page`() async throws {
        let past = DocumentPast(id, try await journal(30))
        #expect(try past.changes(from: 0, limit: 5).map(\.revision) == [0, 1, 2, 3, 4])
        #expect(try past.changes(from: 28, limit: 5).map(\.revision) == [28, 29, 30])
        #expect(try past.changes(from: 31, limit: 5).isEmpty)
        #expect(try past.changes(upTo: 4, limit: 3).map(\.revision) == [2, 3, 4])
        #expect(try past.changes(upTo: 1, limit: 9).map(\.revision) == [0, 1])
        #expect(try past.changes(upTo: 99, limit: 2).map(\.revision) == [29, 30])
        #expect(try past.change(at: 7).revision == 7)
        #expect(throws: ChangeError.unknownRevision(31)) { try past.change(at: 31) }
    }

    @Test func `what a request needs is read the way it goes on`() async throws {
        let past = DocumentPast(id, try await journal(30))
        func read(_ revision: Int, _ direction: ChangeRange.Direction) throws -> [Int] {
            try past.changes(ChangeRange(revision: revision, direction: direction, limit: 3))
                .map(\.revision)
        }
        #expect(try read(9, .backward) == [7, 8, 9])
        #expect(try read(9, .forward) == [9, 10, 11])
        #expect(throws: ChangeError.unknownRevision(99)) { try read(99, .backward) }
        #expect(throws: ChangeError.unknownRevision(99)) { try read(99, .forward) }
    }

    @Test func `reading ends when nobody waits for the result any more (D8)`() async throws {
        let journal = try await journal(30)
        let asked = Lock(0)
        // The client leaves after the first page.
        let past = DocumentPast(id, journal) {
            asked.withLock { count in
                count += 1
                return count <= 1
            }
        }
        #expect(try past.changes(from: 0, limit: 5).count == 5)
        #expect(throws: ChangeError.abandoned) { try past.changes(from: 5, limit: 5) }
        #expect(throws: ChangeError.abandoned) { try past.document(at: 20) }
        let store = DocumentStore(journal: journal, now: { Timestamp(milliseconds: 9_000) })
        await #expect(throws: ChangeError.abandoned) {
            try await store.past(of: id, while: { false })
        }
        store.close()
    }

    @Test func `every state is there as it was`() async throws {
        let past = DocumentPast(id, try await journal(30))
        for revision in 0...30 {
            let document = try past.document(at: revision)
            #expect(document.tree == JSON(revision) && document.revision == revision)
            #expect(document.history.currentID == revision)
        }
        #expect(throws: ChangeError.unknownRevision(31)) { try past.document(at: 31) }
        let other = DocumentPast(try #require(DocumentID("other")), InMemoryJournal())
        #expect(throws: ChangeError.unknownDocument) { try other.document(at: 0) }
    }

    @Test(arguments: [
        (1_000, 0), (1_005, 0), (1_009, 0), (1_010, 1), (1_011, 1), (1_155, 15), (1_300, 30),
        (99_999, 30),
    ])
    func `a time means the last change that was accepted by then`(
        milliseconds: Int, revision: Int
    ) async throws {
        let past = DocumentPast(id, try await journal(30))
        let time = Timestamp(milliseconds: milliseconds)
        #expect(try past.revision(at: time) == revision)
        #expect(try past.document(at: time).tree == JSON(revision))
    }

    @Test func `before the document there was none`() async throws {
        let past = DocumentPast(id, try await journal(3))
        #expect(throws: ChangeError.notYet) {
            try past.document(at: Timestamp(milliseconds: 999))
        }
    }

    @Test func `what a request resulted in is read again`() async throws {
        let past = DocumentPast(id, try await journal(3))
        let made = try past.outcome(at: 0, of: ChangeRequest(.delete), limits: .standard)
        #expect(made.isCreated && made.isRepeated && made.document.tree == 0)
        let edit = try past.outcome(at: 2, of: ChangeRequest(.delete), limits: .standard)
        #expect(!edit.isCreated && edit.before == 1 && edit.tree == 2 && edit.change?.revision == 2)
        #expect(throws: ChangeError.self) {
            try past.outcome(at: 4, of: ChangeRequest(.delete), limits: .standard)
        }
    }

    @Test func `a checkpoint is what replay gives, with everything in it`() async throws {
        let journal = InMemoryJournal()
        let time = ManualTime()
        let store = DocumentStore(journal: journal, now: { time.now })
        _ = try await store.change(id, ChangeRequest(.put(["a": 1, "seen": 0])))
        var settings = SettingsChange()
        settings.ignored = [try #require(PointerPattern(parsing: "/seen"))]
        settings.historyCount = .to(100)
        _ = try await store.change(id, ChangeRequest(.settings(settings)))
        for value in 0..<20 {
            var request = ChangeRequest.append(
                ["a": JSON(value), "seen": JSON(value)], actor: "ada")
            request.token = RequestToken(key: "k\(value)", fingerprint: JSON(value).contentHash)
            _ = try await store.change(id, request)
        }
        _ = try await store.change(id, ChangeRequest(.tag("t", version: nil, isNew: false)))
        _ = try await store.change(id, ChangeRequest(.snapshot("s", [.root], isNew: false)))
        _ = try await store.change(id, .move(.undo(count: 3)))
        let scope = ChangeRequest.Action.pushScope(lifetime: .seconds(60), policy: .discard)
        _ = try await store.change(id, ChangeRequest(scope, actor: "ada"))
        store.close()

        let found = try #require(try Replay.document(id, from: journal))
        let stored = found.document.checkpoint(found.requests)
        var requests = RequestLog()
        let read = try Document(stored, &requests)
        #expect(read.tree == found.document.tree && read.revision == found.document.revision)
        #expect(read.chain == found.document.chain && read.settings == found.document.settings)
        #expect(read.history.currentID == found.document.history.currentID)
        #expect(read.history.tags.map(\.name) == ["t"] && read.snapshots.keys.sorted() == ["s"])
        #expect(
            read.history.scopeLevel == 1 && read.history.hasRedo == found.document.history.hasRedo)
        #expect(read.checkpoint(requests) == stored, "the same bytes again")
        let token = RequestToken(key: "k7", fingerprint: JSON(7).contentHash)
        #expect(try requests.revision(of: token) == 9)
        // Replay continues from there as from the first entry.
        _ = try journal.commit(JournalBatch(checkpoints: [stored]))
        let again = try #require(try Replay.document(id, from: journal))
        #expect(again.replayed == 0 && again.document.tree == found.document.tree)
    }

    @Test func `a damaged checkpoint makes replay longer, and nothing else`() async throws {
        let journal = try await journal(30)
        let found = try #require(try Replay.document(id, from: journal))
        let stored = found.document.checkpoint(found.requests)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var body = stored.body
            body[random.below(body.count)] ^= UInt8(1 << random.below(8))
            let damaged = Checkpoint(
                document: id, revision: stored.revision, chain: stored.chain, body: body)
            var requests = RequestLog()
            if let read = try? Document(damaged, &requests) {
                #expect(
                    read.tree == found.document.tree, "what is read is the tree that was stored")
            }
        }
        let cut = Checkpoint(
            document: id, revision: stored.revision, chain: stored.chain,
            body: Array(stored.body.prefix(9)))
        _ = try journal.commit(JournalBatch(checkpoints: [cut]))
        let again = try #require(try Replay.document(id, from: journal))
        #expect(again.replayed == 31 && again.document.tree == 30)
    }

    @Test func `the audit agrees with what is stored`() async throws {
        let journal = try await journal(30)
        let report = try Audit.check(id, journal)
        #expect(report.changes == 31 && report.versions == 31)
        var names: [String] = []
        try Audit.forEachDocument(journal) { names.append($0.name) }
        #expect(names == ["menu"])
        var revisions: [Int] = []
        try Audit.forEachChange(of: id, journal) { revisions.append($0.revision) }
        #expect(revisions == Array(0...30))
        #expect(throws: ChangeError.unknownDocument) {
            try Audit.check(#require(DocumentID("other")), journal)
        }
    }
}
