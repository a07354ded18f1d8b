import Documents
import JSONTree
import Journaling
import TestSupport
import Testing
import VersioningKit

/// Feeds during unfinished commits.
@Suite struct FeedOrderTests {
    private static let id = DocumentID("menu")!

    @Test func `unique: what the journal told before it was published is not told again`()
        async throws
    {
        let store = DocumentStore(journal: InMemoryJournal(), now: { ManualTime().now })
        defer { store.close() }
        _ = try await store.change(FeedOrderTests.id, ChangeRequest(.put(0)))
        // The journal's thread is held while it answers the first of two that it commits at once.
        let (doors, arrived) = (TestLock([false, false]), TestLock([false, false]))
        @Sendable func hold(_ door: Int) {
            arrived.withLock { $0[door] = true }
            try? until { doors.withLock { $0[door] } }
        }
        func put(_ value: JSON, _ reply: @escaping @Sendable () -> Void) {
            store.change(FeedOrderTests.id, .append(value)) { _ in reply() }
        }
        put(1) { hold(0) }
        try until { arrived.withLock { $0[0] } }
        put(2) { hold(1) }
        put(3) {}
        doors.withLock { $0[0] = true }
        try until { arrived.withLock { $0[1] } }
        let feed = store.follow(FeedOrderTests.id, after: -1)
        #expect(try feed.positions(upTo: 3) == [0, 1, 2, 3])
        try until { if case .nothing(isAtEnd: true) = feed.next({}) { true } else { false } }
        doors.withLock { $0[1] = true }
        _ = try await store.change(FeedOrderTests.id, .append(4))
        #expect(try feed.positions(upTo: 4) == [4])
    }

    @Test func `2: the end of a group is not lost while the journal is read`() async throws {
        let isOpen = TestLock(true)
        let journal = GatedJournal(InMemoryJournal(), isOpen)
        let store = DocumentStore(journal: journal, now: { ManualTime().now })
        defer { store.close() }
        let id = FeedOrderTests.id
        _ = try await store.change(id, ChangeRequest(.put(0)))
        isOpen.withLock { $0 = false }
        let feed = store.follow(id, after: 0)
        guard case .nothing(isAtEnd: false) = feed.next({}) else {
            Issue.record("it reads the journal")
            return
        }
        let grouping = Grouping(window: .seconds(60), max: .seconds(600))
        _ = try await store.change(
            id, ChangeRequest(.append(.value(1), tag: nil, grouping: grouping)))
        _ = try await store.change(
            id, ChangeRequest(.append(.value(2), tag: nil, grouping: grouping), actor: "ada"))
        isOpen.withLock { $0 = true }
        var events: [String] = []
        try until {
            if case .items(let items) = feed.next({}) {
                for item in items {
                    if case .seal = item.event {
                        events.append("seal")
                    } else {
                        events.append("\(item.document.revision)")
                    }
                }
            }
            return events.count >= 3
        }
        #expect(events == ["1", "seal", "2"])
    }
}
