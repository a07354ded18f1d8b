import Journaling
import Synchronization
import Threading

/// Delivers committed changes to followers, in the order of the journal.
///
/// Nothing is sent to a follower: one that can take more asks for it, and is woken when there is
/// something new. So a slow follower costs no memory and delays nobody.
final class Feed: Sendable {
    private struct State {
        var channels: [FeedTopic: Lock<FeedChannel>] = [:]
        var isClosed = false
    }

    /// Lock order: this, then a channel's.
    private let state = Lock(State())
    private let followers = Atomic(0)
    /// Wakes followers, so that the commit thread goes on: for streams that is where changes are
    /// sent. Its threads yield to those whose answers others await.
    let waker: WorkQueue

    init(threads: Int) {
        waker = WorkQueue(name: "feed", threads: threads, yields: true)
    }

    /// How many follow.
    var followerCount: Int { followers.load(ordering: .relaxed) }

    /// How many changes the follower that is furthest behind has not received. O(followers).
    var lag: Int { state.withLock { $0.channels.values.map { $0.withLock { $0.lag } }.max() ?? 0 } }

    /// Adds a committed change or a finished version; of one document, in the order of commits.
    /// Returns the followers to wake.
    func publish(
        _ item: @autoclosure () -> FeedItem, of document: DocumentID
    ) -> [FeedChannel.Wake] {
        guard followers.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
        return state.withLock { state -> [FeedChannel.Wake] in
            var woken: [FeedChannel.Wake] = []
            var made: FeedItem?
            for topic in [FeedTopic.document(document), .all] {
                guard let channel = state.channels[topic] else { continue }
                let item = made ?? item()
                made = item
                woken += channel.withLock { $0.append(item) }
            }
            return woken
        }
    }

    /// How many followers a thread wakes, and mostly sends to, before it lets others have its core:
    /// a write to another document waits so long four or five times.
    private static let pieceMax = 32

    /// Wakes followers. Returns at once.
    func wake(_ woken: [FeedChannel.Wake]) {
        var rest = woken[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Feed.pieceMax)
            rest = rest.dropFirst(piece.count)
            waker.async { for wake in piece { wake() } }
        }
    }

    /// Others may have written to the journal: all followers read it.
    func noteForeignWrite() {
        wake(
            state.withLock { state in
                state.channels.values.flatMap { $0.withLock { $0.noteForeignWrite() } }
            })
    }

    /// Whether somebody follows a document, or all.
    func isFollowed(_ document: DocumentID) -> Bool {
        guard followerCount > 0 else { return false }
        return state.withLock { state in
            state.channels[.all] != nil || state.channels[.document(document)] != nil
        }
    }

    /// Begins to follow. Returns what to ask, and the follower's number there.
    func join(_ topic: FeedTopic) -> (channel: Lock<FeedChannel>, follower: Int) {
        let joined = state.withLock { state in
            let channel =
                state.channels[topic] ?? Lock(FeedChannel(topic, isClosed: state.isClosed))
            state.channels[topic] = channel
            return (channel, channel.withLock { $0.join() })
        }
        followers.add(1, ordering: .sequentiallyConsistent)
        return joined
    }

    func leave(_ topic: FeedTopic, _ follower: Int) {
        followers.subtract(1, ordering: .sequentiallyConsistent)
        state.withLock { state in
            let isFollowed = state.channels[topic]?.withLock { channel in
                channel.leave(follower)
                return channel.isFollowed
            }
            if isFollowed == false { state.channels[topic] = nil }
        }
    }

    /// Ends all feeds.
    func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            return state.channels.values.flatMap { $0.withLock { $0.close() } }
        }
        wake(woken)
        waker.stop()
    }
}
