import Documents
import JSONTree
import Journaling
import TestSupport
import Testing
import Threading
import VersioningKit

/// Two stores that write to one journal, as two daemons on one database would.
@Suite struct SharedJournalTests {
    private let id = DocumentID("menu")!
    private let time = ManualTime()

    private func stores() -> (first: DocumentStore, second: DocumentStore) {
        let journal = InMemoryJournal(isShared: true)
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

    @Test func `a refusal has the document that refused`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        _ = try await second.read(id)
        _ = try await first.change(id, .append(1))
        var request = ChangeRequest.append(2)
        request.precondition.match = .these([0])
        let result = await withCheckedContinuation { continuation in
            second.change(id, request) { continuation.resume(returning: $0) }
        }
        guard case .failure(let refusal) = result else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.error == .stale(head: 1))
        #expect(refusal.document?.revision == 1, "the one that the first store wrote")
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

    @Test func `many writers to both stores lose nothing, and none is refused`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put([:])))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                let store = writer % 2 == 0 ? first : second
                group.addTask {
                    for number in 0..<20 {
                        let edit: JSON = JSON(members: [("\(writer)-\(number)", 1 as JSON)])
                        _ = try await store.change(
                            id, ChangeRequest(.append(.mergePatch(edit), tag: nil, grouping: nil)))
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in [first, second] {
            #expect(try await store.read(id).tree.members?.count == 120)
        }
    }

    @Test func `a read sees what any store has confirmed before`() async throws {
        let (first, second) = stores()
        for number in 0..<20 {
            let (writer, reader) = number % 2 == 0 ? (first, second) : (second, first)
            _ = try await writer.change(id, ChangeRequest(.put(JSON(number))))
            #expect(try await reader.read(id).tree == JSON(number))
            #expect(try await reader.status(id).document.revision == number)
        }
    }

    @Test func `a refusal rests on what any store has confirmed before`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        _ = try await second.read(id, isLocal: true)
        _ = try await first.change(id, .append(1))
        var request = ChangeRequest.append(2)
        request.precondition.match = .these([1])
        #expect(try await second.change(id, request).document.revision == 2)
        let undone = try await first.change(id, .move(.undo(count: 2)))
        #expect(undone.tree == 0)
        #expect(try await second.change(id, .append(0)).change == nil, "it is there already")
        await #expect(throws: ChangeError.self, "nothing is left to undo") {
            try await second.change(id, .move(.undo(count: 1)))
        }
    }

    @Test func `a group goes on in another store`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put("")))
        var settings = SettingsChange()
        settings.grouping = Grouping(window: .seconds(1), max: .seconds(10))
        _ = try await first.change(id, ChangeRequest(.settings(settings)))
        _ = try await second.read(id)
        for (number, store) in [first, second, first, second].enumerated() {
            time.advance(by: 100)
            _ = try await store.read(id)
            let edit = ChangeRequest.append(JSON("\(number)"))
            _ = try await store.change(id, edit)
        }
        let undone = try await second.change(id, .move(.undo(count: 1)))
        #expect(undone.tree == "", "all of it is one version")
    }

    @Test func `a scope ends although the clock of its owner's daemon was wrong (PG7)`()
        async throws
    {
        let journal = InMemoryJournal(isShared: true)
        let wrong = ManualTime(milliseconds: time.now.milliseconds + 3_600_000)
        let asked = Lock<[Timestamp]>([])
        let owner = DocumentStore(journal: journal, now: { wrong.now })
        let other = DocumentStore(
            journal: journal, now: { [time] in time.now },
            schedule: { _, time in asked.withLock { $0.append(time) } })
        _ = try await other.change(id, ChangeRequest(.put(0)))
        _ = try await owner.change(
            id, ChangeRequest(.pushScope(lifetime: .seconds(2), policy: .pop)))
        // The owner's daemon dies here; the other one had the document, and hears of it.
        try await until { try await other.read(id).history.scopeLevel == 1 }
        try await until { asked.withLock { !$0.isEmpty } }
        let first = try #require(asked.withLock { $0.min() })
        #expect(first.milliseconds <= time.now.milliseconds + 2_000)
        time.set(milliseconds: first.milliseconds)
        other.checkDeadlines(id)
        try await until { try await other.read(id).history.scopeLevel == 0 }
    }

    @Test func `a scope's time is over once, whichever store closes it`() async throws {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        _ = try await first.change(
            id, ChangeRequest(.pushScope(lifetime: .seconds(1), policy: .pop)))
        _ = try await second.read(id)
        time.advance(by: 2_000)
        for store in [first, second] { store.checkDeadlines(id) }
        // The next request finds it closed, and its own change on top.
        #expect(try await second.change(id, .append(1)).document.revision == 3)
        let kinds = try await first.changes(of: id).map { "\($0.kind)".prefix(8) }
        #expect(kinds.count == 4 && kinds[2].hasPrefix("popScope"))
    }

    @Test func `a feed has the changes of others between its own, in the journal's order`()
        async throws
    {
        let (first, second) = stores()
        let other = try #require(DocumentID("other"))
        _ = try await first.change(id, ChangeRequest(.put(0)))
        let (feed, all) = (
            first.follow(id, after: 0), first.follow(FeedScope(prefix: ""), after: 1)
        )
        _ = try await first.change(id, .append(1))
        #expect(try feed.positions(upTo: 1) == [1] && all.positions(upTo: 2) == [2])
        _ = try await second.change(id, .append(2))
        _ = try await second.change(other, ChangeRequest(.put(0)))
        _ = try await first.change(id, .append(3))
        #expect(try feed.positions(upTo: 3) == [2, 3])
        #expect(try all.positions(upTo: 5) == [3, 4, 5])
    }

    @Test func `followers receive what other stores write, also when nobody writes here`()
        async throws
    {
        let (first, second) = stores()
        _ = try await first.change(id, ChangeRequest(.put(0)))
        let (feed, all) = (
            first.follow(id, after: 0), first.follow(FeedScope(prefix: ""), after: 1)
        )
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
        try until { woken.withLock { $0 } == 2 }
        #expect(try feed.positions(upTo: 1) == [1] && all.positions(upTo: 2) == [2])
    }

    @Test func `a page has what was committed before it was asked for, published or not`()
        async throws
    {
        let journal = CutOffJournal(InMemoryJournal(isShared: true))
        let store = DocumentStore(journal: journal, now: { [time] in time.now })
        _ = try await store.change(id, ChangeRequest(.put(0)))
        let before = store.follow(FeedScope(prefix: ""), after: 0)
        #expect(try before.positions(upTo: 1) == [1])
        // From now on the tail is behind.
        journal.hidesPlaces = true
        _ = try await store.change(id, .append(1))
        _ = try await store.change(id, .append(2))
        #expect(try store.follow(FeedScope(prefix: ""), after: 1, head: 3).page() == [2, 3])
        #expect(try store.follow(id, after: 0, head: 2).page() == [1, 2])
        #expect(try store.follow(FeedScope(prefix: ""), after: 3, head: 3).page() == [])
        journal.hidesPlaces = false
        #expect(try before.positions(upTo: 3) == [2, 3], "and once more is nothing delivered")
    }

    /// A page that is woken from two sides is filled twice at once, and leaves something out.
    @Test func `who is told that there is nothing yet is woken once`() async throws {
        let journal = CutOffJournal(InMemoryJournal(isShared: true))
        let store = DocumentStore(journal: journal, now: { [time] in time.now })
        let other = store.follow(FeedScope(prefix: ""), after: 0)
        #expect(try other.page() == [])
        _ = try await store.change(id, ChangeRequest(.put(0)))
        #expect(try other.positions(upTo: 1) == [1], "what is new is kept for who follows")
        // Changes committed now are published later.
        journal.hidesPlaces = true
        _ = try await store.change(id, .append(1))
        let follower = store.follow(FeedScope(prefix: ""), after: 1, head: 2)
        let wakes = Lock(0)
        guard case .nothing(isAtEnd: false) = follower.next({ wakes.withLock { $0 += 1 } }) else {
            Issue.record("it is read from the journal")
            return
        }
        try until { wakes.withLock { $0 } == 1 }
        journal.hidesPlaces = false
        #expect(try other.positions(upTo: 2) == [2], "it is published")
        // After all who were to be woken.
        let isReached = Lock(false)
        let last = store.follow(FeedScope(prefix: ""), after: 2, head: 2)
        #expect(try last.page() == [])
        guard case .nothing(isAtEnd: true) = last.next({ isReached.withLock { $0 = true } }) else {
            Issue.record("there is no more")
            return
        }
        _ = try await store.change(id, .append(2))
        try until { isReached.withLock { $0 } }
        #expect(wakes.withLock { $0 } == 1)
        #expect(try follower.positions(upTo: 3) == [2, 3])
    }
}

extension FeedSubscription {
    /// The positions of delivered items until there are no more for now.
    fileprivate func page() throws -> [Int] {
        var found: [Int] = []
        try until {
            switch next({}) {
            case .items(let items): found += items.compactMap { $0.position(in: topic) }
            case .nothing(let isAtEnd): return isAtEnd
            case .closed, .failed: return true
            }
            return false
        }
        return found
    }
}
