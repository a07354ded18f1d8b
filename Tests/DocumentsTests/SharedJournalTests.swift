import Documents
import JSONTree
import Journaling
import TestSupport
import Testing
import VersioningKit

/// Two stores that write to one journal, as two daemons on one database would.
@Suite struct SharedJournalTests {
    private let id = DocumentID("menu")!
    private let time = ManualTime()

    private func stores() -> (first: DocumentStore, second: DocumentStore) {
        let journal = InMemoryJournal()
        return (
            DocumentStore(journal: journal, now: { [time] in time.now }),
            DocumentStore(journal: journal, now: { [time] in time.now })
        )
    }

    @Test func `a change that others came before is prepared again, on what they made`()
        async throws
    {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(["a": 0])))
        _ = try await second.read(id)
        _ = try await first.change(id, .append(["a": 1]))
        // The second store has not seen that.
        let merge = ChangeRequest(.append(.mergePatch(["b": 2]), tag: nil, grouping: nil))
        let outcome = try await second.change(id, merge)
        #expect(outcome.document.revision == 2 && outcome.tree == ["a": 1, "b": 2])
        #expect(try await second.read(id).tree == ["a": 1, "b": 2])
        // And the first one has not seen this.
        _ = try await first.change(id, .append(["c": 3]))
        #expect(try await first.read(id).revision == 3)
        _ = try await first.change(id, .move(.undo(count: 3)))
        #expect(try await first.read(id).tree == ["a": 0])
    }

    @Test func `a condition that no longer holds is refused, not repeated`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        _ = try await second.read(id)
        _ = try await first.change(id, .append(1))
        var request = ChangeRequest.append(2)
        request.precondition.match = .these([0])
        await #expect(throws: ChangeError.stale(head: 1)) {
            try await second.change(id, request)
        }
        await #expect(throws: ChangeError.stale(head: 1), "at once, from here on") {
            try await second.change(id, request)
        }
    }

    @Test func `a request with a key is carried out once, whichever store it comes to`()
        async throws
    {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        _ = try await second.read(id)
        var request = ChangeRequest.append(1)
        request.token = RequestToken(key: "k", fingerprint: JSON(1).contentHash)
        _ = try await first.change(id, request)
        let again = try await second.change(id, request)
        #expect(again.isRepeated && again.change?.revision == 1)
    }

    @Test func `many writers to both stores lose nothing`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put([:])))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                let store = writer % 2 == 0 ? first : second
                group.addTask {
                    for number in 0..<20 {
                        let edit: JSON = JSON(members: [("\(writer)-\(number)", 1 as JSON)])
                        let merge = ChangeRequest(
                            .append(.mergePatch(edit), tag: nil, grouping: nil))
                        try await SharedJournalTests.insist { try await store.change(id, merge) }
                    }
                }
            }
            try await group.waitForAll()
        }
        // One more change on each, so that both have read what the other wrote.
        for store in [first, second] {
            _ = try await store.change(id, ChangeRequest(.snapshot("s", [.root], isNew: false)))
            #expect(try await store.read(id).tree.members?.count == 120)
        }
    }

    /// A client repeats what met too many conflicts, as its 503 says.
    private static func insist(_ change: () async throws -> Outcome) async throws {
        for _ in 0..<1_000 {
            do {
                _ = try await change()
                return
            } catch ChangeError.journal(.conflict) {
                continue
            }
        }
        Issue.record("conflicts without end")
    }

    @Test func `a feed has the changes of others between its own, in the journal's order`()
        async throws
    {
        let (first, second) = stores()
        let other = try #require(DocumentID("other"))
        _ = try await first.change(id, ChangeRequest(.put(0)))
        let (feed, all) = (first.follow(id, after: 0), first.follow(prefix: "", after: 1))
        _ = try await first.change(id, .append(1))
        #expect(try feed.positions(upTo: 1) == [1] && all.positions(upTo: 2) == [2])
        _ = try await second.change(id, .append(2))
        _ = try await second.change(other, ChangeRequest(.put(0)))
        _ = try await first.change(id, .append(3))
        #expect(try feed.positions(upTo: 3) == [2, 3])
        #expect(try all.positions(upTo: 5) == [3, 4, 5])
    }

    @Test func `followers read the journal when others have written, and nobody here`() async throws
    {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        let (feed, all) = (first.follow(id, after: 0), first.follow(prefix: "", after: 1))
        let woken = TestLock(0)
        for subscription in [feed, all] {
            try until {
                let turn = subscription.next { woken.withLock { $0 += 1 } }
                if case .nothing(isAtEnd: true) = turn { return true }
                return false
            }
        }
        woken.withLock { $0 = 0 }
        _ = try await second.change(id, .append(1))
        #expect(woken.withLock { $0 } == 0)
        first.noteForeignWrite()
        try until { woken.withLock { $0 } == 2 }
        #expect(try feed.positions(upTo: 1) == [1] && all.positions(upTo: 2) == [2])
    }
}
