import Naming
import Documents
import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

/// Documents over a journal, without HTTP. The rules of meaning of the design, by number.
@Suite struct DocumentStoreTests {
    let id = DocumentID("menu")!
    let time = ManualTime()

    private func store(
        _ journal: any Journal = InMemoryJournal(), _ options: DocumentStore.Options = .init()
    ) -> DocumentStore {
        DocumentStore(journal: journal, options: options, now: { [time] in time.now })
    }

    private func put(_ value: JSON) -> ChangeRequest { ChangeRequest(.put(value)) }

    @Test func `2: edits of one actor within the window are one version`() async throws {
        let store = store()
        _ = try await store.change(id, put("a"))
        var settings = SettingsChange()
        settings.grouping = Grouping(window: .milliseconds(500), max: .seconds(10))
        _ = try await store.change(id, ChangeRequest(.settings(settings)))
        for (gap, text) in [(0, "ab"), (500, "abc"), (501, "abcd"), (100, "abcde")]
            as [(Int, String)]
        {
            time.advance(by: gap)
            _ = try await store.change(id, .append(JSON(text), actor: "ada"))
        }
        #expect(try await store.change(id, .move(.undo(count: 1))).document.tree == "abc")
        #expect(try await store.change(id, .move(.undo(count: 1))).document.tree == "a")
        #expect(try await store.change(id, .move(.redo(count: 2))).document.tree == "abcde")
    }

    @Test func `2: the decision is in the entry, so replay makes the same versions`() async throws {
        let journal = InMemoryJournal()
        let first = store(journal)
        let grouping = Grouping(window: .milliseconds(500), max: .seconds(10))
        _ = try await first.change(id, put(0))
        for value in 1...9 {
            time.advance(by: value % 3 == 0 ? 900 : 100)
            let request = ChangeRequest(.append(.value(JSON(value)), tag: nil, grouping: grouping))
            _ = try await first.change(id, request)
        }
        let live = try await first.read(id)
        let second = store(journal)
        let replayed = try await second.read(id)
        #expect(replayed.history.state.versions.map(\.id) == live.history.state.versions.map(\.id))
        #expect(replayed.tree == live.tree && replayed.revision == live.revision)
        #expect(replayed.history.openGroup == nil, "a restart seals")
        time.advance(by: 1)
        let request = ChangeRequest(.append(.value(10), tag: nil, grouping: grouping))
        let outcome = try await second.change(id, request)
        #expect(outcome.change?.kind == .append(joins: false, tag: nil))
    }

    @Test func `3: undo and redo are new revisions, and nothing leaves the journal`() async throws {
        let store = store()
        _ = try await store.change(id, put(0))
        _ = try await store.change(id, .append(1))
        _ = try await store.change(id, .move(.undo(count: 1)))
        _ = try await store.change(id, .move(.redo(count: 1)))
        let changes = try await store.changes(of: id)
        #expect(changes.map(\.kind.name) == ["create", "append", "undo", "redo"])
        #expect(changes.map(\.revision) == [0, 1, 2, 3])
    }

    @Test func `5: an append that changes nothing records nothing and keeps redo`() async throws {
        let store = store()
        _ = try await store.change(id, put(["a": 1]))
        _ = try await store.change(id, .append(["a": 2]))
        _ = try await store.change(id, .move(.undo(count: 1)))
        let outcome = try await store.change(id, .append(["a": 1]))
        #expect(outcome.change == nil && outcome.document.revision == 2)
        #expect(outcome.document.history.hasRedo)
    }

    @Test func `6: a tag on an unchanged append tags the current version`() async throws {
        let store = store()
        _ = try await store.change(id, put(1))
        let outcome = try await store.change(id, .append(1, tag: "one"))
        #expect(outcome.document.history.version(tagged: "one") == 0)
        let again = try await store.change(id, .append(1, tag: "one"))
        #expect(again.change == nil, "a retry changes nothing")
    }

    @Test func `7: pop squashes, discard undoes, and the root stays`() async throws {
        let store = store()
        _ = try await store.change(id, put(["n": 0]))
        await #expect(throws: ChangeError.version(.rootScope)) {
            try await store.change(id, ChangeRequest(.popScope(isForced: true)))
        }
        _ = try await store.change(
            id, ChangeRequest(.pushScope(lifetime: nil, policy: .pop), actor: "ada"))
        for n in 1...3 { _ = try await store.change(id, .append(["n": JSON(n)])) }
        let popped = try await store.change(id, ChangeRequest(.popScope(isForced: true)))
        #expect(
            popped.change?.kind == .popScope(isChanged: true, owner: "ada")
                && popped.document.tree == ["n": 3])
        #expect(try await store.change(id, .move(.undo(count: 1))).document.tree == ["n": 0])
        #expect(try await store.change(id, .move(.redo(count: 1))).document.tree == ["n": 3])

        _ = try await store.change(id, ChangeRequest(.pushScope(lifetime: nil, policy: .pop)))
        _ = try await store.change(id, .append(["n": 9]))
        let discarded = try await store.change(
            id,
            ChangeRequest(
                .discardScope(isForced: true, isAll: false, policy: .reject)))
        #expect(discarded.document.tree == ["n": 3] && discarded.document.history.scopeLevel == 0)

        _ = try await store.change(id, ChangeRequest(.pushScope(lifetime: nil, policy: .pop)))
        _ = try await store.change(id, .append(["n": 9]))
        _ = try await store.change(id, .append(["n": 3]))
        let idle = try await store.change(id, ChangeRequest(.popScope(isForced: true)))
        #expect(idle.change?.kind == .popScope(isChanged: false, owner: nil))
    }

    @Test func `9: what fails leaves document and history as they were`() async throws {
        let store = store()
        _ = try await store.change(id, put(["a": 1]))
        _ = try await store.change(id, .append(["a": 2]))
        let before = try await store.read(id)
        let patch = JSONPatch([
            .replace(JSONPointer(parsing: "/a")!, 3), .remove(JSONPointer(parsing: "/b")!),
        ])
        let requests = [
            ChangeRequest(.append(.patch(patch), tag: "t", grouping: nil)),
            .move(.undo(count: 2)), .move(.redo(count: 1)), .move(.undoTo(.tag("t"))),
            .move(.goTo(.version(77))),
            ChangeRequest(.discardScope(isForced: true, isAll: false, policy: .reject)),
            ChangeRequest(.tag("t", version: .version(77), isNew: false)),
        ]
        for request in requests {
            await #expect(throws: ChangeError.self) { try await store.change(id, request) }
        }
        let after = try await store.read(id)
        #expect(after.revision == before.revision && after.tree == before.tree)
        #expect(after.history.currentID == before.history.currentID && after.history.tags.isEmpty)
    }

    @Test func `deleted documents keep their history and come back`() async throws {
        let store = store()
        _ = try await store.change(id, put(1))
        _ = try await store.change(id, ChangeRequest(.delete))
        await #expect(throws: ChangeError.deleted(revision: 1)) { try await store.read(id) }
        await #expect(throws: ChangeError.deleted(revision: 1)) {
            try await store.change(id, .append(2))
        }
        let back = try await store.change(id, put(3))
        #expect(back.isCreated && back.document.revision == 2 && !back.document.history.hasUndo)
    }

    @Test func `a document that was let go comes back from the journal`() async throws {
        let store = store(InMemoryJournal(), .init(loadedMax: 4))
        for round in 0..<3 {
            for number in 0..<20 {
                let id = try #require(DocumentID("doc-\(number)"))
                let outcome = try await store.change(id, put(JSON(round * 100 + number)))
                #expect(outcome.document.revision == round)
            }
        }
        #expect(store.loadedCount <= 5)
        for number in 0..<20 {
            let id = try #require(DocumentID("doc-\(number)"))
            #expect(try await store.read(id).tree == JSON(200 + number))
        }
    }

    @Test func `documents that grow in memory push others out (D5)`() async throws {
        let store = store(InMemoryJournal(), .init(loadedBytesMax: 2 << 20))
        let ids = try (0..<6).map { try #require(DocumentID("doc-\($0)")) }
        for id in ids { _ = try await store.change(id, put([])) }
        #expect(store.loadedCount == 6)
        // Each takes about 1 MB of memory, and 30 KB as text.
        let wide = JSON(elements: Array(repeating: [:], count: 10_000))
        for id in ids { _ = try await store.change(id, put(wide)) }
        try until { store.loadedCount <= 3 }
        for id in ids { #expect(try await store.read(id).tree == wide) }
    }

    @Test func `what documents keep beside their values is weighed (D5)`() async throws {
        let store = store(InMemoryJournal(), .init(loadedBytesMax: 1 << 20))
        let ids = try (0..<30).map { try #require(DocumentID("small-\($0)")) }
        let text = JSON(String(repeating: "x", count: 1_000))
        for id in ids {
            _ = try await store.change(id, put(text))
            // Recent changes stay in memory, 100 KB here, and keys of requests.
            for n in 1...50 {
                var request = put(["text": text, "n": JSON(n)])
                request.token = RequestToken(
                    key: Name("key \(n)"), fingerprint: JSON(n).contentHash)
                _ = try await store.change(id, request)
                _ = try await store.change(id, put(JSON(n)))
            }
        }
        try until { store.loadedCount <= 12 }
        #expect(store.loadedBytes <= 2 << 20)
    }

    @Test func `what own undo keeps is weighed, and goes when memory is short (D5)`() async throws {
        let bytesMax = 512 << 10
        let store = store(InMemoryJournal(), .init(loadedBytesMax: bytesMax))
        _ = try await store.change(id, put([:]))
        let own = OwnUndoRequest(.actor("ada"), isRedo: false, policy: .reject)
        var most = 0
        for n in 1...2_000 {
            let edit = ChangeRequest.Action.append(
                .mergePatch(["n": JSON(n)]), tag: nil, grouping: nil)
            _ = try await store.change(id, ChangeRequest(edit, actor: "ada"))
            if n % 50 == 0 {
                _ = try await store.change(id, ChangeRequest(.revert(own), actor: "ada"))
                most = max(most, store.loadedBytes)
            }
        }
        #expect(most > 256 << 10, "it is weighed")
        // Growth of less than 16 KB is not noticed.
        try until { store.loadedBytes <= bytesMax + (16 << 10) }
    }

    @Test func `checkpoints shorten replay and change nothing`() async throws {
        let journal = InMemoryJournal()
        let first = store(journal)
        _ = try await first.change(id, put(["n": 0]))
        for n in 1...2_500 { _ = try await first.change(id, .append(["n": JSON(n)])) }
        _ = try await first.change(id, ChangeRequest(.tag("end", version: nil, isNew: true)))
        first.close()
        let checkpoint = try #require(try journal.checkpoint(of: id, notAfter: .max))
        #expect(checkpoint.revision >= 1_000)
        let second = store(journal)
        #expect(try await second.change(id, .move(.undo(count: 2_000))).document.tree == ["n": 500])
        #expect(
            try await second.change(id, .move(.redoTo(.tag("end")))).document.tree == ["n": 2_500])
        #expect(try Audit.check(id, journal).changes == 2_504)
    }

    @Test func `snapshots and single reversions outlive a restart, with and without a checkpoint`()
        async throws
    {
        let journal = InMemoryJournal()
        let first = store(journal)
        _ = try await first.change(id, put(["n": 0, "m": 0]))
        let place = try #require(JSONPointer(parsing: "/n"))
        for count in [1, 1_200] {
            let name: Name = "after \(count)"
            _ = try await first.change(
                id, ChangeRequest(.snapshot(name, [place, .root], isNew: true), actor: "ada"))
            for n in 1...count {
                _ = try await first.change(
                    id,
                    ChangeRequest(
                        .append(.value(["n": JSON(n), "m": 0]), tag: nil, grouping: nil),
                        actor: "ada"))
            }
        }
        _ = try await first.change(
            id, ChangeRequest(.append(.mergePatch(["m": 7]), tag: nil, grouping: nil), actor: "bob")
        )
        _ = try await first.change(
            id, ChangeRequest(.revert(OwnUndoRequest(.actor("ada"))), actor: "ada"))
        let live = try await first.read(id)
        #expect(live.tree == ["n": 1_199, "m": 7] && live.snapshots.count == 2)
        first.close()
        #expect(try journal.checkpoint(of: id, notAfter: .max) != nil)
        let second = store(journal)
        let replayed = try await second.read(id)
        #expect(replayed.tree == live.tree && replayed.snapshots == live.snapshots)
        _ = try await second.change(id, ChangeRequest(.restore("after 1")))
        #expect(try await second.read(id).snapshots.count == 2)
        #expect(try Audit.check(id, journal).changes > 1_200)
    }

    @Test func `the past is read as it was`() async throws {
        let store = store()
        _ = try await store.change(id, put(0))
        for n in 1...5 { _ = try await store.change(id, .append(JSON(n))) }
        for n in 0...5 { #expect(try await store.document(id, at: n).tree == JSON(n)) }
        await #expect(throws: ChangeError.unknownRevision(6)) {
            try await store.document(id, at: 6)
        }
    }

    @Test func `snapshots hold only so many bytes, and one that is taken anew gives its own back`()
        async throws
    {
        let store = store()
        func take(_ key: Int) async throws -> Change? {
            // One place many times: each counts.
            let places = Array(repeating: JSONPointer.root, count: 15)
            let request = ChangeRequest(.snapshot("\(key)", places, isNew: false))
            return try await store.change(id, request).change
        }
        let text = JSON(String(repeating: "x", count: 1 << 20))
        _ = try await store.change(id, put([0, text]))
        for key in 0..<4 { #expect(try await take(key) != nil) }
        await #expect(throws: ChangeError.tooManySnapshots(max: 4)) { try await take(4) }
        #expect(try await take(3) == nil, "nothing new")
        _ = try await store.change(id, put([1, text]))
        #expect(try await take(3) != nil)
    }
}
