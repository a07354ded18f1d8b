import Journaling
import Synchronization
import Threading

/// Tells those who follow what was committed, in the order of commits.
///
/// Nobody is sent anything: a follower that can take more asks for it, and is woken when there is
/// news. So a slow one costs no memory and delays nobody.
final class Feed: Sendable {
    private struct State {
        var channels: [FeedTopic: FeedChannel] = [:]
        var isClosed = false
    }

    private let state = Lock(State())
    private let followers = Atomic(0)
    private let names = Atomic(0)
    /// Wakes followers, so that the journal's thread need not.
    private let waker = WorkQueue(name: "feed", threads: 1)

    /// How many follow.
    var followerCount: Int { followers.load(ordering: .relaxed) }

    /// Takes in a committed change, or a finished version. Calls come in the order of commits. Who
    /// is returned is to be woken.
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

    /// Begins to follow; the answer stands for the follower.
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
