import JSONTree
import Naming
import SQLiteJournaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents
@testable import Journaling

/// Changes beyond the bounds on a history take no room in the journal, and nothing else changes.
@Suite struct ForgettingTests {
    private let id = DocumentID("menu")!

    /// A document with `count` edits, a minute apart, of which the newest versions are kept.
    private func fill(
        _ journal: any Journal, _ count: Int, _ time: ManualTime
    ) async throws -> DocumentStore {
        var random = SeededGenerator(seed: 3)
        let store = DocumentStore(journal: journal, now: { time.now })
        _ = try await store.change(id, ChangeRequest(.put(["n": 0]), actor: "ada"))
        var settings = SettingsChange()
        settings.historyCount = .to(100)
        _ = try await store.change(id, ChangeRequest(.settings(settings)))
        for number in 1...count {
            time.advance(by: 60_000)
            let actor: Name = random.once(in: 2) ? "ada" : "bob"
            let request =
                random.once(in: 9)
                ? ChangeRequest(.move(.undo(count: 1 + random.below(3))), actor: actor)
                : ChangeRequest(
                    .put(["n": JSON(number), "text": JSON(String(repeating: "long ", count: 9))]),
                    actor: actor)
            _ = try? await store.change(id, request)
        }
        return store
    }

    private func bytes(_ journal: any Journal) throws -> [Int] {
        var found: [Int] = []
        while true {
            let page = try journal.entries(of: id, from: found.count, limit: 1_000)
            if page.isEmpty { return found }
            found += page.map(\.body.count)
        }
    }

    @Test func `old changes become numbers without content, and all that is kept stays`()
        async throws
    {
        let (journal, time) = (InMemoryJournal(), ManualTime())
        let store = try await fill(journal, 7_000, time)
        // The twin forgets nothing.
        let twin = InMemoryJournal()
        let before = try await store.read(id)
        store.close()
        var next = 0
        while true {
            let page = try journal.entries(of: id, from: next, limit: 1_000)
            if page.isEmpty { break }
            _ = try twin.commit(JournalBatch(entries: page))
            next += page.count
        }
        #expect(before.oldestRevision > 6_000)
        let isForgotten = try Forgetting.forget(id, in: journal, at: time.now)
        // The store may have done it by itself already.
        let sizes = try bytes(journal)
        #expect(sizes.count == before.revision + 1)
        #expect(sizes.prefix(4_000).allSatisfy { $0 < 16 }, "\(isForgotten)")
        #expect(try !Forgetting.forget(id, in: journal, at: time.now), "there is nothing more")
        #expect(try Audit.check(id, journal).changes == before.revision + 1)
        let (one, other) = (
            DocumentStore(journal: journal, now: { time.now }),
            DocumentStore(journal: twin, now: { time.now })
        )
        for revision in stride(from: before.oldestRevision, through: before.revision, by: 40) {
            #expect(
                try DocumentPast(id, journal).document(at: revision).tree
                    == DocumentPast(id, twin).document(at: revision).tree)
        }
        for request in [
            ChangeRequest(.move(.undo(count: 40)), actor: "ada"),
            ChangeRequest(.move(.redo(count: 7)), actor: "ada"),
            ChangeRequest(.revert(OwnUndoRequest(.actor("bob"), policy: .mine)), actor: "bob"),
            ChangeRequest(.put(["n": -1]), actor: "ada"),
        ] {
            _ = try? await one.change(id, request)
            _ = try? await other.change(id, request)
            let (mine, theirs) = (try await one.read(id), try await other.read(id))
            #expect(mine.tree == theirs.tree && mine.revision == theirs.revision)
            #expect(mine.history.undoCount == theirs.history.undoCount)
        }
        await #expect(throws: ChangeError.self) {
            try await one.change(id, ChangeRequest(.move(.goTo(.version(5)))))
        }
        one.close()
        other.close()
    }

    @Test func `changes of the last day stay, so that a request is known again`() async throws {
        let (journal, time) = (InMemoryJournal(), ManualTime())
        let store = try await fill(journal, 4_800, time)
        store.close()
        // 4,800 minutes are more than three days; one day has 1,440 of them.
        _ = try Forgetting.forget(id, in: journal, at: time.now)
        let sizes = try bytes(journal)
        #expect(sizes.suffix(1_400).allSatisfy { $0 > 16 })
    }

    @Test func `what is erased goes from a base, too`() async throws {
        let (journal, time) = (InMemoryJournal(), ManualTime())
        let store = try await fill(journal, 7_000, time)
        store.close()
        _ = try Forgetting.forget(id, in: journal, at: time.now)
        let again = DocumentStore(journal: journal, now: { time.now })
        let place = try #require(PointerPattern(parsing: "/text"))
        _ = try await again.erase(id, ErasureRequest([place]))
        let head = try await again.read(id)
        for revision in stride(from: head.oldestRevision, through: head.revision, by: 9) {
            #expect(try DocumentPast(id, journal).document(at: revision).tree["text"] == nil)
        }
        for entry in try journal.entries(of: id, from: 4_000, limit: 4_000) {
            let change = try Change(decoding: entry.body, revision: entry.revision)
            guard case .foundation(let bytes) = change.kind else { continue }
            #expect(try Document(foundation: bytes, entry).tree["text"] == nil)
        }
        #expect(try Audit.check(id, journal).changes == head.revision + 1)
        again.close()
    }

    @Test func `a running store forgets by itself, and gives the disk back`() async throws {
        let directory = try TemporaryDirectory()
        let time = ManualTime()
        let journal = try SQLiteJournal(directory: directory.path, columns: ChangeColumns())
        let store = try await fill(journal, 7_500, time)
        try until { (try? bytes(journal).prefix(4_000).allSatisfy { $0 < 16 }) == true }
        let revision = try await store.read(id).revision
        #expect(try Audit.check(id, journal).changes == revision + 1)
        store.close()
        #expect(try SQLiteCheck.faults(in: directory.path).isEmpty)
    }
}
