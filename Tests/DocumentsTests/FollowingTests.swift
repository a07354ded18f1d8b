import JSONTree
import Journaling
import Naming
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Places of old states, followed through the journal.
@Suite struct FollowingTests {
    private let id = DocumentID("menu")!
    private let time = ManualTime()

    private func store(_ journal: any Journal) -> DocumentStore {
        DocumentStore(journal: journal, now: { [time] in time.now })
    }

    private func patch(_ text: String) throws -> ChangeRequest {
        ChangeRequest(.append(.patch(try JSONPatch(JSON(parsing: text))), tag: nil, grouping: nil))
    }

    private func restoration(
        _ pointers: [JSONPointer], from revision: Int, _ journal: any Journal
    ) throws -> ReversiblePatch {
        let past = DocumentPast(id, journal)
        let head = try #require(try Replay.document(id, from: journal)).document
        let places = try past.followed(
            pointers, from: .revision(revision), try past.document(at: revision), to: head)
        #expect(places.revision == head.revision && places.tree == head.tree)
        return try places.restoration().patch
    }

    @Test func `25: what does not concern a place is passed unread, however much it is`()
        async throws
    {
        let journal = PassingTests.SegmentedJournal(size: 64)
        let store = store(journal.memory)
        let start: JSON = ["items": [["id": "a"], ["id": "b"]], "n": 0]
        _ = try await store.change(id, ChangeRequest(.put(start)))
        let remove = #"[{"op":"remove","path":"/items/0"}]"#
        _ = try await store.change(id, try patch(remove))
        for number in 1...2_000 {
            let edit = "[{\"op\":\"replace\",\"path\":\"/n\",\"value\":\(number)}]"
            _ = try await store.change(id, try patch(edit))
        }
        store.close()
        let place = JSONPointer(names: ["items", "0"])
        let past = DocumentPast(id, journal)
        let head = try #require(try Replay.document(id, from: journal)).document
        let then = try past.document(at: 0)
        let before = journal.replays.withLock { $0 }
        let places = try past.followed([place], from: .revision(0), then, to: head)
        let reads = journal.replays.withLock { $0 } - before
        #expect(reads < 8, "\(reads) reads")
        let back = try places.restoration().patch
        #expect(back == ReversiblePatch([.add(place, ["id": "a"])]))
    }

    @Test func `25: law: passing segments changes nothing`() async throws {
        for seed in Seeds.of(40) {
            var random = SeededGenerator(seed: seed)
            let journal = PassingTests.SegmentedJournal(size: 1 + random.below(8))
            let store = store(journal.memory)
            var tree: JSON = ["a": [1, 2], "b": ["x": [3, 4, 5], "n": 0]]
            _ = try await store.change(id, ChangeRequest(.put(tree)))
            for _ in 0..<60 {
                let operations = JSONPatch.random(&random, on: tree, count: 1)
                _ = try? await store.change(
                    id, ChangeRequest(.append(.patch(operations), tag: nil, grouping: nil)))
                tree = try await store.read(id).tree
            }
            store.close()
            let head = try #require(try Replay.document(id, from: journal.memory)).document
            let start = random.below(head.revision + 1)
            let places = [["a", "0"], ["b", "x", "1"], ["b", "n"]].map { JSONPointer(names: $0) }
            func result(_ journal: any Journal) -> Result<ReversiblePatch, any Error> {
                Result { try restoration(places, from: start, journal) }
            }
            switch (result(journal), result(journal.memory)) {
            case (.success(let one), .success(let other)): #expect(one == other, "seed \(seed)")
            case (.failure(let one), .failure(let other)):
                #expect(
                    one as? FollowedPlaces.Blocked == other as? FollowedPlaces.Blocked
                        && one is FollowedPlaces.Blocked, "seed \(seed): \(one)")
            case (let one, let other): Issue.record("seed \(seed): \(one), but \(other)")
            }
        }
    }

    @Test func `25: a snapshot that is older than its history puts back names, and no elements`()
        async throws
    {
        let journal = InMemoryJournal()
        let store = store(journal)
        let start: JSON = ["items": [1, 2], "dish": "soup"]
        _ = try await store.change(id, ChangeRequest(.put(start)))
        for (name, place) in [("dish", ["dish"]), ("item", ["items", "0"])] {
            let action = ChangeRequest.Action.snapshot(
                Name(name), [JSONPointer(names: place)], isNew: false)
            _ = try await store.change(id, ChangeRequest(action))
        }
        _ = try await store.change(id, try patch(#"[{"op":"replace","path":"/dish","value":"x"}]"#))
        var head = try await store.read(id)
        head.oldestRevision = head.revision
        let past = DocumentPast(id, journal)
        let restored = try head.restored(from: "dish", past)
        #expect(restored.tree["dish"] == "soup")
        #expect(throws: ChangeError.trimmed(oldest: head.revision)) {
            try head.restored(from: "item", past)
        }
        store.close()
    }
}
