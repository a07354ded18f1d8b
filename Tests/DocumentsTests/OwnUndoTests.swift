import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Own undo of documents, without HTTP: what it reads, what it keeps, old journals, lost commits.
@Suite struct OwnUndoTests {
    let id = DocumentID("menu")!
    let other = DocumentID("prices")!
    let time = ManualTime()

    /// Counts how often a document's entries are read.
    private final class CountingJournal: ForwardingJournal {
        let base: any Journal
        private let pages = TestLock(0)

        init(_ base: any Journal) { self.base = base }

        func entries(
            of document: DocumentID, upTo revision: Int, limit: Int
        ) throws(JournalError) -> [JournalEntry] {
            pages.withLock { $0 += 1 }
            return try base.entries(of: document, upTo: revision, limit: limit)
        }

        func entries(
            of document: DocumentID, from revision: Int, limit: Int
        ) throws(JournalError) -> [JournalEntry] {
            pages.withLock { $0 += 1 }
            return try base.entries(of: document, from: revision, limit: limit)
        }

        /// The pages that were read since it was asked last.
        var taken: Int {
            pages.withLock { pages in
                defer { pages = 0 }
                return pages
            }
        }
    }

    private func store(_ journal: any Journal) -> DocumentStore {
        DocumentStore(journal: journal, now: { [time] in time.now })
    }

    private func undo(_ actor: Name, isRedo: Bool = false) -> ChangeRequest {
        ChangeRequest(.revert(OwnUndoRequest(.actor(actor), isRedo: isRedo)), actor: actor)
    }

    /// An edit of ada's, and many of bob's after it.
    private func history(_ count: Int, _ journal: any Journal) async throws {
        let store = store(journal)
        _ = try await store.change(id, ChangeRequest(.put(["a": 0, "b": 0])))
        _ = try await store.change(id, .append(["a": 1, "b": 0], actor: "ada"))
        for n in 1...count {
            _ = try await store.change(id, .append(["a": 1, "b": JSON(n)], actor: "bob"))
        }
        store.close()
    }

    /// Merges something into several documents at once.
    private func transact(
        _ ids: [DocumentID], _ patch: JSON, _ actor: Name, _ store: DocumentStore
    ) async throws {
        let members = ids.map { id in
            TransactionRequest.Member(
                id,
                ChangeRequest(.append(.mergePatch(patch), tag: nil, grouping: nil), actor: actor))
        }
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<_, any Error>) in
            store.transact(TransactionRequest(members)) { result in
                continuation.resume(with: result.map { _ in }.mapError { $0 as any Error })
            }
        }
    }

    /// The effect of an actor's own undo and redo, from the status.
    private func own(_ store: DocumentStore, _ actor: Name) async throws -> OwnStatus? {
        var question = StatusQuestion(mayUndoOthers: true)
        question.actor = actor
        return try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<_, any Error>) in
            store.status(id, question) { result in
                continuation.resume(with: result.map(\.own).mapError { $0 as any Error })
            }
        }
    }

    @Test func `3: a version far away is what the changes on the way make of it`() async throws {
        let journal = InMemoryJournal()
        try await history(2_600, journal)
        let counting = CountingJournal(journal)
        let store = store(counting)
        var trees: [[JSON]] = []
        for move in [Move.goTo(.version(700)), .undo(count: 2_100), .undoTo(.version(2))] {
            var found: [JSON] = []
            for mayUndoOthers in [true, false] {
                var request = ChangeRequest(.move(move), actor: "bob")
                request.isDryRun = true
                request.mayUndoOthers = mayUndoOthers
                _ = counting.taken
                let outcome = try await store.change(id, request)
                found.append(outcome.tree)
                #expect(outcome.document.revision == 2_601)
            }
            trees.append(found)
        }
        let expected: [JSON] = [["a": 1, "b": 699], ["a": 1, "b": 500], ["a": 1, "b": 1]]
        #expect(trees.map { $0[0] } == expected && trees.map { $0[1] } == expected)
        let there = try await store.change(id, ChangeRequest(.move(.goTo(.version(700)))))
        #expect(there.document.tree == ["a": 1, "b": 699])
        let back = try await store.change(id, ChangeRequest(.move(.redo(count: 1_901))))
        #expect(back.document.tree == ["a": 1, "b": 2_600])
        store.close()
    }

    @Test func `12: who has done nothing is told so without a look at the past`() async throws {
        let journal = InMemoryJournal()
        try await history(3_000, journal)
        let counting = CountingJournal(journal)
        let store = store(counting)
        for move in [Move.undo(count: 1), .redo(count: 1)] {
            _ = try await store.change(id, ChangeRequest(.move(move)))
        }
        for asked in 0..<3 {
            _ = counting.taken
            let own = try #require(try await own(store, "newcomer"))
            #expect(own.undo == nil && own.redo == nil)
            // Which transaction shared undo would take a part of is asked of the newest change.
            #expect(counting.taken <= 1, "\(asked)")
        }
        store.close()
    }

    @Test func `12: what is long ago is looked for once, whatever others write`() async throws {
        let journal = InMemoryJournal()
        try await history(10_500, journal)
        let counting = CountingJournal(journal)
        let store = store(counting)
        let first = try #require(try await own(store, "ada"))
        #expect(first.undo?.changes == [1] && first.undo?.version == 1)
        #expect(first.undo?.isLongAgo == true && first.undo?.places == [] && first.redo == nil)
        _ = counting.taken
        for n in 0..<20 {
            _ = try await store.change(id, .append(["a": 1, "b": JSON(-n)], actor: "bob"))
            _ = try await store.change(id, ChangeRequest(.move(.undo(count: 1))))
            let own = try #require(try await own(store, "ada"))
            #expect(own.undo?.changes == [1] && own.redo == nil)
        }
        // The newest change, and those that name the version; not what lies between.
        #expect(counting.taken <= 20 * 3)
        let undone = try await store.change(id, undo("ada"))
        #expect(undone.document.tree == ["a": 0, "b": 10_500])
        #expect(try await own(store, "ada")?.undo == nil)
        #expect(try await own(store, "ada")?.redo?.changes == [1])
        store.close()
    }

    @Test func `12: an own undo past thousands of edits reads each page of them once (B5)`()
        async throws
    {
        let journal = InMemoryJournal()
        try await history(3_000, journal)
        let counting = CountingJournal(journal)
        let store = store(counting)
        _ = try await store.read(id)
        _ = counting.taken
        let outcome = try await store.change(id, undo("ada"))
        #expect(outcome.document.tree == ["a": 0, "b": 3_000])
        #expect(counting.taken <= 3_000 / 256 + 4)
        let redo = try await store.change(id, undo("ada", isRedo: true))
        #expect(redo.document.tree == ["a": 1, "b": 3_000])
        #expect(try await store.change(id, undo("bob")).document.tree == ["a": 1, "b": 2_999])
        #expect(counting.taken == 0, "the line is kept")
        store.close()
    }

    @Test func `12: an own undo of a transaction reads the past once, whatever else it reads`()
        async throws
    {
        let journal = InMemoryJournal()
        let first = store(journal)
        for id in [id, other] {
            _ = try await first.change(id, ChangeRequest(.put(["a": 0, "b": 0])))
        }
        try await transact([id, other], ["a": 1], "ada", first)
        // It is not kept in memory, so its part has to be read.
        for n in 1...600 {
            _ = try await first.change(other, .append(["a": 1, "b": JSON(n)], actor: "bob"))
        }
        for n in 1...3_000 {
            _ = try await first.change(id, .append(["a": 1, "b": JSON(n)], actor: "bob"))
        }
        first.close()
        let counting = CountingJournal(journal)
        let second = store(counting)
        for id in [id, other] { _ = try await second.read(id) }
        _ = counting.taken
        let outcome = try await second.change(id, undo("ada"))
        #expect(outcome.document.tree == ["a": 0, "b": 3_000])
        #expect(try await second.read(other).tree == ["a": 0, "b": 600])
        #expect(counting.taken <= 3_000 / 256 + 600 / 256 + 4)
        second.close()
    }

    /// Each of ada's transactions has no effect any more: an undo passes them one by one.
    @Test func `19: an undo that goes on past many transactions reads each change once`()
        async throws
    {
        let journal = InMemoryJournal()
        let first = store(journal)
        for id in [id, other] {
            _ = try await first.change(id, ChangeRequest(.put(["a": 0, "b": 0])))
        }
        let text = String(repeating: "x", count: 20_000)
        for n in 1...20 {
            try await transact([id, other], ["a": JSON("\(text)\(n)")], "ada", first)
            try await transact([id, other], ["a": JSON(n)], "bob", first)
        }
        first.close()
        let counting = CountingJournal(journal)
        let second = store(counting)
        for id in [id, other] { _ = try await second.read(id) }
        _ = counting.taken
        var request = undo("ada")
        request.action = .revert(OwnUndoRequest(.actor("ada"), policy: .theirs))
        let passed = try await second.change(id, request).change?.reversal?.passed
        #expect(passed?.count == 20)
        // Read again for each of them, they would be hundreds of pages.
        #expect(counting.taken <= 60)
        second.close()
    }

    @Test func `redo of thousands of versions reads forward (B5)`() async throws {
        let journal = InMemoryJournal()
        try await history(3_000, journal)
        let counting = CountingJournal(journal)
        let store = store(counting)
        _ = try await store.change(id, .move(.undo(count: 3_000)))
        #expect(try await store.read(id).tree == ["a": 1, "b": 0])
        _ = counting.taken
        let redo = try await store.change(id, .move(.redo(count: 3_000)))
        #expect(redo.document.tree == ["a": 1, "b": 3_000])
        #expect(counting.taken <= 3_000 / 256 + 4)
        store.close()
    }

    @Test func `12: what is in effect is the same after a restart`() async throws {
        let journal = InMemoryJournal()
        let first = store(journal)
        _ = try await first.change(id, ChangeRequest(.put(["a": 0, "b": 0])))
        for n in 1...3 {
            _ = try await first.change(id, .append(["a": JSON(n), "b": 0], actor: "ada"))
        }
        _ = try await first.change(
            id, ChangeRequest(.append(.mergePatch(["b": 9]), tag: nil, grouping: nil), actor: "bob")
        )
        _ = try await first.change(id, undo("ada"))
        _ = try await first.change(id, undo("ada"))
        first.close()
        let second = store(journal)
        #expect(try await second.change(id, undo("ada")).document.tree == ["a": 0, "b": 9])
        for n in 1...3 {
            let redo = try await second.change(id, undo("ada", isRedo: true))
            #expect(redo.document.tree == ["a": JSON(n), "b": 9])
        }
        await #expect(throws: ChangeError.nothingOwn(actor: "ada", isRedo: true)) {
            try await second.change(id, undo("ada", isRedo: true))
        }
        second.close()
    }

    @Test func `12: an own undo meets a scope that is over, after a restart`() async throws {
        for (actor, expected) in [("ada" as Name, ["x": 8] as JSON), ("bob", ["x": 7])] {
            let id = try #require(DocumentID("s-\(actor)"))
            let journal = InMemoryJournal()
            let first = store(journal)
            _ = try await first.change(id, ChangeRequest(.put(["x": 0])))
            _ = try await first.change(id, .append(["x": 7], actor: "ada"))
            _ = try await first.change(
                id,
                ChangeRequest(
                    .pushScope(lifetime: .seconds(1), policy: .pop), actor: "bob"))
            _ = try await first.change(id, .append(["x": 8], actor: "bob"))
            first.close()
            time.advance(by: 2_000)
            let second = store(journal)
            #expect(try await second.change(id, undo(actor)).document.tree == expected)
            second.close()
        }
    }

    @Test func `5: a commit that failed leaves nothing in effect`() async throws {
        let faulty = FaultyJournal(
            InMemoryJournal(), plan: [nil, nil, nil, nil, .full])
        let store = store(faulty)
        _ = try await store.change(id, ChangeRequest(.put(["a": 0])))
        _ = try await store.change(id, .append(["a": 1], actor: "ada"))
        _ = try await store.change(id, .append(["a": 2], actor: "ada"))
        #expect(try await store.change(id, undo("ada")).document.tree == ["a": 1])
        await #expect(throws: ChangeError.self) { try await store.change(id, undo("ada")) }
        #expect(try await store.read(id).tree == ["a": 1])
        #expect(try await store.change(id, undo("ada")).document.tree == ["a": 0])
        #expect(try await store.change(id, undo("ada", isRedo: true)).document.tree == ["a": 1])
        store.close()
    }

    @Test func `11: own undo leaves alone what is ignored, wherever it stands`() async throws {
        let store = store(InMemoryJournal())
        let start: JSON = ["items": [["id": 1, "v": 1, "seen": false]], "clock": 0]
        _ = try await store.change(id, ChangeRequest(.put(start)))
        var settings = SettingsChange()
        settings.ignored = ["/clock", "/items/*/seen"].compactMap { PointerPattern(parsing: $0) }
        _ = try await store.change(id, ChangeRequest(.settings(settings)))
        func put(_ value: JSON, _ actor: Name) async throws {
            _ = try await store.change(id, .append(value, actor: actor))
        }
        try await put(["items": [["id": 1, "v": 2, "seen": false]], "clock": 1], "ada")
        try await put(["items": [["id": 1, "v": 2, "seen": true]], "clock": 2], "bob")
        try await put(
            [
                "items": [["id": 0, "v": 0, "seen": true], ["id": 1, "v": 2, "seen": true]],
                "clock": 3,
            ],
            "bob")
        #expect(
            try await store.change(id, undo("ada")).document.tree == [
                "items": [["id": 0, "v": 0, "seen": true], ["id": 1, "v": 1, "seen": true]],
                "clock": 3,
            ])
        #expect(
            try await store.change(id, undo("bob")).document.tree == [
                "items": [["id": 1, "v": 1, "seen": true]], "clock": 3,
            ])
        store.close()
    }
}
