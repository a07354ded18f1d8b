import JSONTree
import Journaling
import TestSupport
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// Pages and texts made for followers have a limit, however many follow and do not read.
@Suite struct FeedBudgetTests {
    private static let id = DocumentID("menu")!
    private static let bytesMax = 16 << 20

    /// A store with a document of four changes of about 100 KB each.
    private func store() async throws -> DocumentStore {
        let options = DocumentStore.Options(feedBytesMax: FeedBudgetTests.bytesMax)
        let store = DocumentStore(
            journal: InMemoryJournal(), options: options, now: { ManualTime().now })
        for number in 0..<4 {
            let texts = (0..<2_000).map { JSON("\(number) \($0) of two thousand longer texts") }
            _ = try await store.change(
                FeedBudgetTests.id,
                number == 0
                    ? ChangeRequest(.put(JSON(elements: texts)))
                    : .append(JSON(elements: texts)))
        }
        return store
    }

    /// Asks until it has items.
    private func items(_ feed: FeedSubscription) throws -> [FeedItem] {
        var found: [FeedItem] = []
        try until {
            if case .items(let items) = feed.next({}) { found = items }
            return !found.isEmpty
        }
        return found
    }

    @Test func `V1: many followers of the past that take nothing hold no more than the limit`()
        async throws
    {
        let store = try await store()
        defer { store.close() }
        let feeds = (0..<80).map { store.follow(FeedBudgetTests.id, after: $0 % 4 - 1) }
        var texts: [FeedText] = []
        var served = 0
        let end = ContinuousClock.now + .seconds(60)
        // As many as find room, until none has found any for many rounds: their number depends on
        // shared pages.
        var rounds = 0
        while rounds < 1_000 && ContinuousClock.now < end {
            if served > 0 { rounds += 1 }
            for feed in feeds {
                guard case .items(let items) = feed.next({}) else { continue }
                (served, rounds) = (served + 1, 0)
                for (key, item) in items.enumerated() {
                    let text = feed.text(of: item, served % 3 == 0 ? nil : key, orWake: {}) { _ in
                        Array(repeating: 0x61, count: 200_000)
                    }
                    if let text { texts.append(text) }
                }
            }
            #expect(store.feed.budget.bytes <= FeedBudgetTests.bytesMax)
        }
        #expect(served > 0)
        // Followers at one place share a text.
        let different = Dictionary(texts.map { (ObjectIdentifier($0), $0.bytes.count) }) { one, _ in
            one
        }
        let held = different.values.reduce(0, +)
        #expect(held <= FeedBudgetTests.bytesMax, "\(different.count) texts are held: others wait")
        for feed in feeds { feed.cancel() }
        texts = []
        try until { store.feed.budget.bytes == 0 }
    }

    @Test func `whoever waits for room gets everything in order when others have left`()
        async throws
    {
        let store = try await store()
        defer { store.close() }
        let greedy = (0..<40).map { store.follow(FeedBudgetTests.id, after: $0 % 4 - 1) }
        for _ in 0..<100 { for feed in greedy { _ = feed.next({}) } }
        let patient = store.follow(FeedBudgetTests.id, after: -1)
        for feed in greedy { feed.cancel() }
        #expect(try patient.positions(upTo: 3) == [0, 1, 2, 3])
    }

    @Test func `followers at one place share what was read, and what is rewritten is read anew`()
        async throws
    {
        let store = try await store()
        defer { store.close() }
        let feeds = (0..<3).map { _ in store.follow(FeedBudgetTests.id, after: -1) }
        let (first, second) = (try items(feeds[0]), try items(feeds[1]))
        #expect(zip(first, second).allSatisfy { $0 === $1 })
        store.noteForeignWrite()
        let third = try items(feeds[2])
        #expect(first.map(\.document.revision) == third.map(\.document.revision))
        #expect(zip(first, third).allSatisfy { $0 !== $1 })
    }

    @Test func `what was put back is delivered again`() async throws {
        let store = try await store()
        defer { store.close() }
        let feed = store.follow(FeedBudgetTests.id, after: 0)
        let first = try items(feed)
        #expect(first.first?.document.revision == 1)
        feed.putBack(after: 0)
        #expect(try feed.positions(upTo: 3) == [1, 2, 3])
    }

    @Test func `a long text is shared as long as somebody sends it, a short one is kept`()
        async throws
    {
        let store = try await store()
        defer { store.close() }
        let feed = store.follow(FeedBudgetTests.id, after: -1)
        let item = try #require(try items(feed).first)
        var made = 0
        func text(_ length: Int, _ key: Int) -> FeedText? {
            feed.text(of: item, key, orWake: {}) { _ in
                made += 1
                return Array(repeating: 0x61, count: length)
            }
        }
        var long = text(100_000, 1)
        #expect(text(100_000, 1) === long && made == 1)
        long = nil
        #expect(text(100_000, 1) !== long && made == 2)
        _ = text(10, 2)
        #expect(text(10, 2) != nil && made == 3)
    }

    @Test func `a channel keeps few changes that are large`() async throws {
        let store = try await store()
        defer { store.close() }
        let feed = store.follow(FeedBudgetTests.id, after: 3)
        try until { if case .nothing(isAtEnd: true) = feed.next({}) { true } else { false } }
        for number in 4..<60 {
            let texts = (0..<2_000).map { JSON("\(number) \($0) of two thousand texts") }
            _ = try await store.change(FeedBudgetTests.id, .append(JSON(elements: texts)))
        }
        #expect(store.feed.keptBytes <= FeedChannel.bytesMax)
        #expect(try feed.positions(upTo: 59) == Array(4..<60))
    }

    @Test func `a follower that takes nothing keeps no changes that come meanwhile`() async throws {
        let store = try await store()
        defer { store.close() }
        let (stuck, quick) = (
            store.follow(FeedBudgetTests.id, after: 3), store.follow(FeedBudgetTests.id, after: 3)
        )
        for feed in [stuck, quick] {
            try until { if case .nothing(isAtEnd: true) = feed.next({}) { true } else { false } }
        }
        struct Seen {
            weak let item: FeedItem?
            weak let made: Transition?
        }
        var seen: [Seen] = []
        for number in 4..<90 {
            let texts = (0..<2_000).map { JSON("\(number) \($0) of two thousand texts") }
            _ = try await store.change(FeedBudgetTests.id, .append(JSON(elements: texts)))
            for item in try items(quick) {
                guard case .change(let made, _) = item.event else { continue }
                seen.append(Seen(item: item, made: made))
            }
            if number == 4 { _ = stuck.next({}) }
        }
        let left = seen.count { $0.item != nil }
        let transitions = seen.count { $0.made != nil }
        #expect(left < 30 && transitions < 30, "\(left) \(transitions) of \(seen.count)")
    }
}
