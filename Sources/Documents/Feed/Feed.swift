import Journaling
import Synchronization
import Threading

/// Delivers committed changes to followers, in the order of the journal.
///
/// Nothing is sent to a follower: one that can take more asks for it, and is woken when there is
/// something new. So a slow follower costs no memory and delays nobody.
final class Feed: Sendable {
    private struct State {
        var channels: [FeedTopic: FeedChannel] = [:]
        var isClosed = false
    }

    private let state = Lock(State())
    private let followers = Atomic(0)
    private let names = Atomic(0)
    /// Wakes followers, so that the commit thread goes on.
    let waker: WorkQueue

    init(threads: Int) {
        waker = WorkQueue(name: "feed", threads: threads)
    }

    /// How many follow.
    var followerCount: Int { followers.load(ordering: .relaxed) }

    /// How many changes the follower that is furthest behind has not received. O(followers).
    var lag: Int { state.withLock { $0.channels.values.map(\.lag).max() ?? 0 } }

    /// Adds a committed change or a finished version; of one document, in the order of commits.
    /// Returns the followers to wake.
    func publish(
        _ item: @autoclosure () -> FeedItem, of document: DocumentID
    ) -> [FeedChannel.Wake] {
        guard followers.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
        return state.withLock { state -> [FeedChannel.Wake] in
            var woken: [FeedChannel.Wake] = []
            var made: FeedItem?
            for topic in [FeedTopic.document(document), .all] where state.channels[topic] != nil {
                let item = made ?? item()
                made = item
                woken += state.channels[topic]?.append(item) ?? []
            }
            return woken
        }
    }

    /// Wakes followers. Returns at once.
    func wake(_ woken: [FeedChannel.Wake]) {
        if !woken.isEmpty { waker.async { for wake in woken { wake() } } }
    }

    /// Others may have written to the journal: all followers read it.
    func noteForeignWrite() {
        wake(
            state.withLock { state in
                state.channels.keys.reduce(into: []) { woken, topic in
                    woken += state.channels[topic]?.noteForeignWrite() ?? []
                }
            })
    }

    /// Whether somebody follows a document, or all.
    func isFollowed(_ document: DocumentID) -> Bool {
        guard followerCount > 0 else { return false }
        return state.withLock { state in
            state.channels[.all] != nil || state.channels[.document(document)] != nil
        }
    }

    /// Begins to follow. Returns the follower's number.
    func join(_ topic: FeedTopic) -> Int {
        let follower = names.add(1, ordering: .relaxed).newValue
        state.withLock { $0.channels[topic, default: FeedChannel(topic)].join(follower) }
        followers.add(1, ordering: .sequentiallyConsistent)
        return follower
    }

    func leave(_ topic: FeedTopic, _ follower: Int) {
        followers.subtract(1, ordering: .sequentiallyConsistent)
        state.withLock { state in
            state.channels[topic]?.leave(follower)
            if state.channels[topic]?.isFollowed == false { state.channels[topic] = nil }
        }
    }

    /// What a follower gets now; `nil` if the feed is closed.
    func turn(
        _ cursor: inout FeedChannel.Cursor, in topic: FeedTopic, limit: Int,
        _ wake: @escaping FeedChannel.Wake
    ) -> FeedChannel.Turn? {
        state.withLock { state in
            if state.isClosed { return nil }
            return state.channels[topic]?.turn(&cursor, limit: limit, wake)
        }
    }

    /// From where on a follower need not read the journal.
    func firstKept(for follower: Int, in topic: FeedTopic) -> Int? {
        state.withLock { $0.channels[topic]?.firstKept(for: follower) }
    }

    /// Ends all feeds.
    func close() {
        let woken = state.withLock { state -> [FeedChannel.Wake] in
            state.isClosed = true
            var woken: [FeedChannel.Wake] = []
            for topic in state.channels.keys {
                woken += state.channels[topic]?.takeWaiting() ?? []
            }
            return woken
        }
        waker.async { for wake in woken { wake() } }
        waker.stop()
    }
}
