import DocumentCore
import Journaling
import Synchronization
import Threading

/// Delivers committed changes to followers, in the order of the journal.
///
/// The feed pushes nothing: a follower that can take more asks for it, and is woken when there is
/// something new. So a slow follower costs no memory and delays no other one.
final class Feed: Sendable {
    typealias Channel = Lock<FeedChannel>

    private struct State {
        var channels: [FeedTopic: Channel] = [:]
        var isClosed = false
    }

    /// Lock order: this, then a channel's.
    private let state = Lock(State())
    private let followers = Atomic(0)
    /// Wakes followers outside the commit thread: for streams, waking sends the changes. Its
    /// threads yield to those with waiting clients.
    let waker: WorkQueue
    /// The bytes of the feed buffers: pages of the past, and long texts.
    let budget: ByteBudget
    /// The pages read from the journal, for all followers at the same position.
    private let pages = Lock(FeedPastPages())

    init(threads: Int, bytesMax: Int) {
        waker = WorkQueue(name: "feed", threads: threads, yields: true)
        budget = ByteBudget(bytesMax: bytesMax, wakingOn: waker)
    }

    /// A page in use, and the epoch in which another one would be read.
    func page(at key: FeedPastPages.Key) -> (page: FeedPastPage?, epoch: Int) {
        pages.withLock { ($0[key], $0.epoch) }
    }

    /// About how many bytes the next page takes, as the last one did.
    func expectedWeight(_ source: PageSource) -> Int { pages.withLock { $0.weight(source) } }

    func note(_ weight: Int, of source: PageSource) {
        pages.withLock { $0.note(weight, of: source) }
    }

    /// A permit for the next page; `nil` if there is no room, and then `wake` is called when there
    /// may be.
    func take(
        for source: PageSource, _ waiter: ByteBudget.Waiter,
        orWake wake: @escaping @Sendable () -> Void
    ) -> ByteBudget.Permit? {
        budget.take(expectedWeight(source), for: waiter, orWake: wake)
    }

    /// Shares a page; see FeedPastPages.
    func share(_ page: FeedPastPage, readIn epoch: Int) -> FeedPastPage {
        pages.withLock { $0.share(page, readIn: epoch) }
    }

    /// The permit of a page without other users; the page is released in any case.
    func passOnPermit(of page: inout FeedPastPage?) -> ByteBudget.Permit? {
        if let page { pages.withLock { $0.remove(page) } }
        defer { page = nil }
        return isKnownUniquelyReferenced(&page) ? page?.takePermit() : nil
    }

    /// How many follow.
    var followerCount: Int { followers.load(ordering: .relaxed) }

    /// How many changes the follower that is furthest behind has not received. O(followers).
    var lag: Int { state.withLock { $0.channels.values.map { $0.withLock { $0.lag } }.max() ?? 0 } }

    /// About how many bytes channels keep for followers that are a little behind. O(channels).
    var keptBytes: Int {
        state.withLock { $0.channels.values.reduce(0) { $0 + $1.withLock { $0.bytes } } }
    }

    /// Adds a committed change or a finished version; of one document, in the order of commits.
    /// Returns the channels whose followers are to be woken.
    func publish(_ item: @autoclosure () -> FeedItem, of document: DocumentID) -> [Channel] {
        guard followers.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
        return state.withLock { state in
            let channels = [FeedTopic.document(document), .all].compactMap { state.channels[$0] }
            guard !channels.isEmpty else { return [] }
            let item = item()
            return channels.filter { channel in
                channel.withLock { channel in
                    channel.append(item)
                    return channel.isAwaited
                }
            }
        }
    }

    /// How many followers a thread wakes, and mostly sends to, before it lets others have its core:
    /// a write to another document waits so long four or five times.
    private static let pieceMax = 32

    /// Wakes the followers of channels. Returns at once.
    func wake(_ channels: [Channel]) {
        guard !channels.isEmpty else { return }
        waker.async { [self] in
            for channel in channels { wake(channel.withLock { $0.takeWaiting() }[...]) }
        }
    }

    /// Wakes followers: some here, the others when a thread has time.
    private func wake(_ woken: ArraySlice<FeedChannel.Wake>) {
        let rest = woken.dropFirst(Feed.pieceMax)
        let isAccepted = rest.isEmpty || waker.async { [self] in wake(rest) }
        for wake in woken.prefix(Feed.pieceMax) { wake() }
        // The feed has ended: no thread wakes them later.
        if !isAccepted { wake(rest) }
    }

    /// Others may have written to the journal: all followers read it.
    func noteForeignWrite() {
        pages.withLock { $0.forget() }
        wake(
            state.withLock { state in
                state.channels.values.filter { channel in
                    channel.withLock { channel in
                        channel.noteForeignWrite()
                        return channel.isAwaited
                    }
                }
            })
    }

    /// Whether a document, or all documents, have a follower.
    func isFollowed(_ document: DocumentID) -> Bool {
        guard followerCount > 0 else { return false }
        return state.withLock { state in
            state.channels[.all] != nil || state.channels[.document(document)] != nil
        }
    }

    /// Begins to follow. Returns what to ask, and the follower's number there.
    func join(_ topic: FeedTopic) -> (channel: Channel, follower: Int) {
        let joined = state.withLock { state in
            let channel =
                state.channels[topic] ?? Channel(FeedChannel(topic, isClosed: state.isClosed))
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
        let channels = state.withLock { state in
            state.isClosed = true
            for channel in state.channels.values { channel.withLock { $0.close() } }
            return Array(state.channels.values)
        }
        wake(channels)
        waker.stop()
    }
}
