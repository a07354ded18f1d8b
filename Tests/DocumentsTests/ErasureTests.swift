import Naming
import SelectiveUndo
import SQLiteJournaling
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents
@testable import JSONTree
@testable import Journaling

/// 17: what is erased was never there: in no state, no change and no snapshot; and all else is as it
/// was.
@Suite struct ErasureTests {
    private let id = DocumentID("menu")!
    private static let patterns = ["/email", "/users/*/email", "/deep/a"].map {
        PointerPattern(parsing: $0)!
    }

    /// A value of people, with a secret in several places.
    private func value(_ random: inout SeededGenerator, _ last: JSON?) -> JSON {
        func secret() -> String { "secret-\(random.below(40))" }
        var users = (0..<random.below(4)).map { number in
            "{\"id\":\(number + random.below(3)),\"email\":\"\(secret())\",\"name\":\"n\(random.below(5))\"}"
        }
        users.shuffle(using: &random)
        let email = random.once(in: 4) ? "" : "\"email\":\"\(secret())\","
        let text = """
            {\(email)"users":[\(users.joined(separator: ","))],
            "note":"\(String(repeating: "ab ", count: random.below(6)))",
            "deep":{"a":{"b":"\(secret())"},"c":\(random.below(3))}}
            """
        return (try? JSON(parsing: Array(text.utf8))) ?? .null
    }

    /// Something random to do, or an undo of it.
    private func request(_ random: inout SeededGenerator, _ tree: JSON) -> ChangeRequest {
        let actor: Name = ["ada", "bob"][random.below(2)]
        let action: ChangeRequest.Action
        switch random.below(14) {
        case 0: action = .move(.undo(count: 1 + random.below(2)))
        case 1: action = .move(.redo(count: 1))
        case 2: action = .revert(OwnUndoRequest(.actor(actor), policy: .mine))
        case 3: action = .revert(OwnUndoRequest(.actor(actor), isRedo: true, policy: .mine))
        case 4: action = .tag("t", version: nil, isNew: false)
        case 5: action = .snapshot("s", [.root], isNew: false)
        case 6: action = .snapshot("p", [JSONPointer(parsing: "/deep/a/b")!], isNew: false)
        case 7: action = .restore(random.once(in: 2) ? "s" : "p")
        case 8:
            action = .append(
                .mergePatch(["email": JSON("typed-\(random.below(9))")]), tag: nil, grouping: nil)
        case 9: action = .pushScope(lifetime: nil, policy: .pop)
        case 10: action = .popScope(isForced: true)
        case 11: action = .append(.mergePatch(["deep": .null]), tag: nil, grouping: nil)
        default: action = .put(value(&random, tree))
        }
        return ChangeRequest(action, actor: actor)
    }

    private func history(
        _ seed: UInt64, _ journal: any Journal, ignoring: Bool
    ) async throws -> DocumentStore {
        var random = SeededGenerator(seed: seed)
        let time = ManualTime()
        let store = DocumentStore(journal: journal, now: { time.now })
        _ = try await store.change(id, ChangeRequest(.put(value(&random, nil)), actor: "ada"))
        if ignoring {
            var settings = SettingsChange()
            settings.ignored = [PointerPattern(parsing: "/users/*/name")!]
            _ = try await store.change(id, ChangeRequest(.settings(settings)))
        }
        for _ in 0..<60 {
            time.advance(by: random.below(2_000))
            let tree = try await store.read(id).tree
            _ = try? await store.change(id, request(&random, tree))
        }
        return store
    }

    private func states(_ journal: any Journal, upTo head: Int) throws -> [Document] {
        let past = DocumentPast(id, journal)
        return try (0...head).map { try past.document(at: $0) }
    }

    @Test(arguments: Seeds.of(30, from: 1))
    func `17: every state is what it was without the places, and undo works on`(
        seed: UInt64
    ) async throws {
        let journal = InMemoryJournal()
        let store = try await history(seed, journal, ignoring: seed % 3 == 0)
        let head = try await store.read(id)
        let before = try states(journal, upTo: head.revision)
        // A second journal with the same history, without the erasure.
        let twin = InMemoryJournal()
        _ = try twin.commit(
            JournalBatch(entries: try journal.entries(of: id, from: 0, limit: 1_000)))
        let outcome = try await store.erase(id, ErasureRequest(Self.patterns, actor: "root"))
        #expect(outcome.change?.revision == head.revision + 1 && outcome.erasedCount > 0)
        let after = try states(journal, upTo: head.revision + 1)
        for (old, new) in zip(before, after) {
            #expect(new.tree == old.tree.without(Self.patterns), "revision \(old.revision)")
            #expect(new.history.currentID == old.history.currentID && new.time == old.time)
            #expect(new.history.state.versions.count == old.history.state.versions.count)
            #expect(new.snapshots.keys.sorted() == old.snapshots.keys.sorted())
        }
        #expect(after.last?.tree == outcome.document.tree)
        for entry in try journal.entries(of: id, from: 0, limit: 1_000) {
            let text = String(decoding: entry.body, as: UTF8.self)
            #expect(!text.contains("secret-") && !text.contains("typed-"))
        }
        #expect(try Audit.check(id, journal).changes == head.revision + 2)
        try await expectSameUndo(store, DocumentStore(journal: twin, now: { ManualTime().now }))
        store.close()
    }

    /// Undo and redo lead where they would, were the places not there.
    private func expectSameUndo(_ store: DocumentStore, _ twin: DocumentStore) async throws {
        let undo = ChangeRequest(.move(.undo(count: 1)), actor: "ada")
        let redo = ChangeRequest(.move(.redo(count: 1)), actor: "ada")
        for request in [undo, undo, undo, redo, undo, undo, redo, redo] {
            let (made, other) = (
                try? await store.change(id, request), try? await twin.change(id, request)
            )
            #expect((made == nil) == (other == nil))
            #expect(
                try await store.read(id).tree == twin.read(id).tree.without(Self.patterns))
        }
        twin.close()
    }

    @Test func `17: a value that was moved elsewhere is not left there`() async throws {
        let journal = InMemoryJournal()
        let store = DocumentStore(journal: journal, now: { ManualTime().now })
        _ = try await store.change(id, ChangeRequest(.put(["mail": "secret", "list": [1]])))
        let move = try JSONPatch(
            JSON(parsing: Array(#"[{"op":"move","from":"/mail","path":"/email"}]"#.utf8)),
            limits: .standard)
        _ = try await store.change(
            id, ChangeRequest(.append(.patch(move), tag: nil, grouping: nil)))
        let email = PointerPattern(parsing: "/email")!
        await #expect(
            throws: ChangeError.movedValue(place: JSONPointer(parsing: "/mail")!, revision: 1)
        ) {
            try await store.erase(id, ErasureRequest([email]))
        }
        let both = [email, PointerPattern(parsing: "/mail")!]
        #expect(try await store.erase(id, ErasureRequest(both, isDryRun: true)).erasedCount == 2)
        #expect(try await store.read(id).revision == 1, "a dry run changes nothing")
        #expect(try await store.erase(id, ErasureRequest(both)).erasedCount == 2)
        #expect(try await store.read(id).tree == ["list": [1]])
        #expect(try await store.erase(id, ErasureRequest(both)).change == nil, "nothing is left")
        store.close()
    }

    @Test func `17: a container that is moved takes its erased places along`() async throws {
        let store = DocumentStore(journal: InMemoryJournal(), now: { ManualTime().now })
        _ = try await store.change(id, ChangeRequest(.put(["a": ["x": 1, "y": 2], "b": [:]])))
        let move = try JSONPatch(
            JSON(parsing: Array(#"[{"op":"move","from":"/a","path":"/b/0"}]"#.utf8)),
            limits: .standard)
        _ = try await store.change(
            id, ChangeRequest(.append(.patch(move), tag: nil, grouping: nil)))
        await #expect(
            throws: ChangeError.movedValue(place: JSONPointer(parsing: "/b/*/x")!, revision: 1)
        ) {
            try await store.erase(id, ErasureRequest([PointerPattern(parsing: "/a/x")!]))
        }
        let both = ["/a/x", "/b/*/x"].map { PointerPattern(parsing: $0)! }
        _ = try await store.erase(id, ErasureRequest(both))
        #expect(try await store.read(id).tree == ["b": ["0": ["y": 2]]])
        _ = try await store.change(id, ChangeRequest(.move(.undo(count: 1))))
        #expect(try await store.read(id).tree == ["a": ["y": 2], "b": [:]])
        store.close()
    }

    @Test func `17: edits go on while a document is rewritten`() async throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path, columns: ChangeColumns())
        let store = DocumentStore(journal: journal, now: { ManualTime().now })
        _ = try await store.change(id, ChangeRequest(.put(["secret": 0, "count": 0])))
        for count in 1...50 {
            let edit: JSON = ["secret": JSON(count), "count": JSON(count)]
            _ = try await store.change(id, .append(edit))
        }
        async let erasure = store.erase(
            id, ErasureRequest([PointerPattern(parsing: "/secret")!]))
        for count in 51...150 { _ = try await store.change(id, .append(["count": JSON(count)])) }
        let outcome = try await erasure
        let head = try await store.read(id)
        #expect(head.tree == ["count": 150] && head.revision == 151)
        #expect(outcome.document.tree["secret"] == nil)
        #expect(try Audit.check(id, journal).changes == 152)
        store.close()
    }

    @Test func `4: a deleted document comes back with all that it had`() async throws {
        let store = DocumentStore(journal: InMemoryJournal(), now: { ManualTime().now })
        _ = try await store.change(id, ChangeRequest(.put(1)))
        _ = try await store.change(id, .append(2))
        _ = try await store.change(id, ChangeRequest(.tag("t", version: nil, isNew: true)))
        _ = try await store.change(id, ChangeRequest(.snapshot("s", [.root], isNew: true)))
        let before = try await store.read(id)
        await #expect(throws: ChangeError.notDeleted) {
            try await store.change(id, ChangeRequest(.undelete))
        }
        _ = try await store.change(id, ChangeRequest(.delete))
        _ = try await store.change(id, ChangeRequest(.undelete, actor: "ada"))
        let after = try await store.read(id)
        #expect(after.tree == 2 && after.snapshots == before.snapshots)
        #expect(after.history.state.tags == before.history.state.tags)
        _ = try await store.change(id, ChangeRequest(.move(.undo(count: 1))))
        #expect(try await store.read(id).tree == 1)
        store.close()
    }

    @Test func `17: of a document that is erased as a whole nothing is left but its length`()
        async throws
    {
        let journal = InMemoryJournal()
        let store = try await history(7, journal, ignoring: false)
        let head = try await store.read(id).revision
        let request = ErasureRequest([], actor: "root", label: "on demand")
        let outcome = try await store.erase(id, request)
        #expect(outcome.document.life == .purged && outcome.erasedCount == head + 1)
        for entry in try journal.entries(of: id, from: 0, limit: 1_000).dropLast() {
            let change = try Change(decoding: entry.body, revision: entry.revision)
            #expect(change.kind == .purge([]) && change.actor.isEmpty && change.edits.isEmpty)
        }
        let gone = ChangeError.purged(revision: head + 1)
        await #expect(throws: gone) { try await store.read(id) }
        await #expect(throws: gone) { try await store.erase(id, request) }
        await #expect(throws: gone) { try await store.change(id, ChangeRequest(.undelete)) }
        #expect(try Audit.check(id, journal).changes == head + 2)
        // A new one of its name, and the old one stays gone.
        _ = try await store.change(id, ChangeRequest(.put("new")))
        #expect(try await store.read(id).revision == head + 2)
        #expect(throws: ChangeError.purged(revision: 3)) {
            try DocumentPast(id, journal).document(at: 3)
        }
        store.close()
        let again = DocumentStore(journal: journal, now: { ManualTime().now })
        #expect(try await again.read(id).tree == "new")
        again.close()
    }
}
