import JSONTree
import Journaling
import SQLiteJournaling
import TestSupport
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// Takes all labels away, which changes no state.
private final class Unlabelling: EntryRewriting {
    let leavesNothing = true

    func body(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
        do {
            let change = try Change(decoding: entry.body, revision: entry.revision)
            var unlabelled = Change(
                revision: change.revision, kind: change.kind, patch: change.patch,
                actor: change.actor, time: change.time, label: nil)
            unlabelled.priorHash = change.priorHash
            return unlabelled.encoded()
        } catch {
            throw .corrupt("\(error)")
        }
    }

    func end(after head: JournalHead) -> RewritingEnd { .stored }
}

/// Rewrites a document when its end is looked up for the first time after `arm`.
private final class MeddlingJournal: ForwardingJournal {
    let base: any Journal = InMemoryJournal()
    private let isArmed = Lock(false)

    func arm() { isArmed.withLock { $0 = true } }

    func head(of document: DocumentID) throws(JournalError) -> JournalHead? {
        let isFirst = isArmed.withLock { isArmed in
            defer { isArmed = false }
            return isArmed
        }
        if isFirst { _ = try base.rewrite(document, by: Unlabelling()) }
        return try base.head(of: document)
    }
}

/// Histories under other names, with concurrent writers and after faults.
@Suite struct HistoryCopyTests {
    private let menu = DocumentID("menu")!
    private let dinner = DocumentID("dinner")!

    private func store(_ journal: any Journal) -> DocumentStore {
        DocumentStore(journal: journal, now: { Timestamp(milliseconds: 1_000_000) })
    }

    private var renaming: CopyRequest {
        var request = CopyRequest(of: menu)
        request.isRename = true
        return request
    }

    /// Appends until the document is gone. Returns the values that were acknowledged.
    private func write(_ writer: Int, _ store: DocumentStore) async throws -> [JSON] {
        var acknowledged: [JSON] = []
        for number in 0..<1_000_000 {
            let value = JSON("\(writer) \(number)")
            do throws(ChangeError) {
                _ = try await store.change(menu, .append(value))
                acknowledged.append(value)
            } catch {
                guard case .deleted = error else { throw error }
                break
            }
        }
        return acknowledged
    }

    @Test(arguments: [false, true])
    func `1: while others write, a rename loses nothing and makes nothing twice`(
        isShared: Bool
    ) async throws {
        let store = store(InMemoryJournal(isShared: isShared))
        _ = try await store.change(menu, ChangeRequest(.put(0)))
        let acknowledged = try await withThrowingTaskGroup(of: [JSON].self) { group in
            for writer in 0..<4 { group.addTask { try await write(writer, store) } }
            _ = try await store.change(menu, .append("before"))
            // They never pause, and it is done at the first call.
            _ = try await store.copy(renaming, as: dinner)
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let values = try await store.changes(of: dinner).compactMap { change -> JSON? in
            guard case .append = change.kind else { return nil }
            return try? JSON.null.applying(change.edits)
        }
        #expect(values.count == acknowledged.count + 1)
        #expect(
            Set(values.map(\.description)) == Set((acknowledged + ["before"]).map(\.description)))
        await #expect(throws: ChangeError.self) { try await store.read(menu) }
        store.close()
    }

    @Test func `a rename whose commit fails changes nothing`() async throws {
        let journal = FaultyJournal(InMemoryJournal(), plan: [nil, .full])
        let store = store(journal)
        _ = try await store.change(menu, ChangeRequest(.put(1)))
        await #expect(throws: ChangeError.journal(.full("planned"))) {
            try await store.copy(renaming, as: dinner)
        }
        #expect(try await store.read(menu).tree == 1)
        await #expect(throws: ChangeError.unknownDocument) { try await store.read(dinner) }
        #expect(try await store.copy(renaming, as: dinner).document.tree == 1)
        store.close()
    }

    @Test func `what is rewritten while it is read for a rename does not come back`() async throws {
        let journal = MeddlingJournal()
        let store = store(journal)
        for number in 0..<3 {
            _ = try await store.change(menu, ChangeRequest(.put(JSON(number)), label: "secret"))
        }
        journal.arm()
        #expect(try await store.copy(renaming, as: dinner).document.tree == 2)
        let labels = try await store.changes(of: dinner).prefix(3).map(\.label)
        #expect(labels == [nil, nil, nil])
        store.close()
    }

    @Test func `a copy of packed entries is the same history, and stays so after a restart`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        let first = store(journal)
        _ = try await first.change(menu, ChangeRequest(.put(0)))
        for number in 1...600 { _ = try await first.change(menu, .append(JSON(number))) }
        try journal.packAll()
        let made = try await first.copy(CopyRequest(of: menu), as: dinner)
        #expect(made.document.revision == 601 && made.document.tree == 600)
        _ = try await first.change(dinner, .move(.undo(count: 300)))
        first.close()
        let second = store(try SQLiteJournal(directory: directory.path))
        #expect(try await second.read(dinner).tree == 300)
        _ = try await second.change(dinner, .move(.redo(count: 300)))
        #expect(try await second.read(dinner).tree == 600)
        second.close()
    }

    @Test func `more changes than one commit should hold are not copied`() async throws {
        let journal = InMemoryJournal()
        let store = store(journal)
        var document = try await store.change(menu, ChangeRequest(.put(0))).document
        var entries: [JournalEntry] = []
        while document.revision < CopyRequest.changesMax {
            let change = Change(
                revision: document.nextRevision, kind: .touch(tag: nil), patch: .empty, actor: "",
                time: document.time, label: nil)
            let entry = change.entry(following: document)
            entries.append(entry)
            try document.advance(by: change, to: document.tree, entry: entry)
        }
        store.close()
        _ = try journal.commit(JournalBatch(entries: entries))
        let other = self.store(journal)
        await #expect(
            throws: ChangeError.tooLongToCopy(
                changesMax: CopyRequest.changesMax, bytesMax: CopyRequest.bytesMax)
        ) { try await other.copy(CopyRequest(of: menu), as: dinner) }
        let part = CopyRequest(of: menu) { _, _ in CopyRequest.changesMax - 1 }
        #expect(try await other.copy(part, as: dinner).document.revision == CopyRequest.changesMax)
        other.close()
    }
}
