import Journaling
import Threading

/// A follower of a document, or of all documents with a prefix, from a position on.
///
/// Ordered, unique, reliable and resumable: the position says what was delivered, and what comes
/// after it is in memory or in the journal. Release it, or call `cancel`, to stop following.
public final class FeedSubscription: Sendable {
    /// What there is now.
    public enum Turn: Sendable {
        /// In order. May be empty if every entry scanned belongs to other documents.
        case items([FeedItem])
        /// Nothing yet; `wake` will be called. `isAtEnd`: everything committed was delivered.
        case nothing(isAtEnd: Bool)
        /// The feed is over: the store closes.
        case closed
        case failed(ChangeError)
    }

    private struct State {
        var cursor: FeedChannel.Cursor
        /// Items from the journal that were not delivered yet.
        var fetched: [FeedItem] = []
        var fetchedEnd: Int?
        var isFetching = false
        var failure: ChangeError?
        var isCancelled = false
        var past: FeedPast
    }

    /// What is followed.
    public let topic: FeedTopic
    private let prefix: String
    private let feed: Feed
    private let readers: WorkQueue
    private let state: Lock<State>
    private let channel: Feed.Channel
    private let follower: Int

    /// The limit on items that are delivered at once.
    private static let turnMax = 64

    init(
        _ topic: FeedTopic, prefix: String, after position: Int, _ feed: Feed,
        _ journal: any Journal, _ readers: WorkQueue
    ) {
        self.topic = topic
        self.prefix = prefix
        self.feed = feed
        self.readers = readers
        // First, so that nothing is committed between reading the journal and following.
        (channel, follower) = feed.join(topic)
        state = Lock(
            State(
                cursor: FeedChannel.Cursor(follower: follower, position: position),
                past: FeedPast(topic, prefix: prefix, journal)))
    }

    deinit {
        cancel()
    }

    /// Everything up to here was delivered.
    public var position: Int { state.withLock { $0.cursor.position } }

    /// Stops following. Returns `false` if it had stopped before.
    @discardableResult
    public func cancel() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        if isFirst { feed.leave(topic, follower) }
        return isFirst
    }

    /// The next items, in order. Does not block; if it returns `nothing`, `wake` is called when
    /// it is worth asking again. One caller at a time.
    public func next(_ wake: @escaping @Sendable () -> Void) -> Turn {
        state.withLock { state in
            if state.isCancelled { return .closed }
            if let failure = state.failure { return .failed(failure) }
            if let end = state.fetchedEnd { return deliver(&state, upTo: end) }
            if state.isFetching { return .nothing(isAtEnd: false) }
            let turn = channel.withLock { channel in
                channel.turn(&state.cursor, limit: FeedSubscription.turnMax, wake)
            }
            switch turn {
            case .closed: return .closed
            case .items(let items):
                state.past.forget()
                if prefix.isEmpty { return .items(items) }
                return .items(items.filter { $0.document.id.name.utf8.starts(with: prefix.utf8) })
            case .wait:
                // What was replayed is needed no more once the follower has come so far.
                state.past.forget()
                return .nothing(isAtEnd: true)
            case .behind: return fetch(&state, wake)
            }
        }
    }

    private func deliver(_ state: inout State, upTo end: Int) -> Turn {
        var (items, end) = (state.fetched, end)
        state.cursor.isCaughtUp = end == state.cursor.position
        (state.fetched, state.fetchedEnd) = ([], nil)
        let kept = channel.withLock { $0.firstKept(for: follower) }
        if let kept, kept > state.cursor.position, kept <= end {
            // What was published meanwhile comes with the ends of groups, which are not journaled.
            items = items.filter { $0.position(in: topic) ?? kept < kept }
            end = kept - 1
        }
        state.cursor.position = end
        return .items(items)
    }

    /// Reads the journal, on a thread that may block.
    private func fetch(_ state: inout State, _ wake: @escaping @Sendable () -> Void) -> Turn {
        state.isFetching = true
        let (past, position) = (state.past, state.cursor.position)
        let isTaken = readers.async { [weak self] in
            var past = past
            let result = Result { () throws(ChangeError) in try past.page(after: position) }
            self?.fetched(result, past)
            wake()
        }
        return isTaken ? .nothing(isAtEnd: false) : .closed
    }

    private func fetched(
        _ result: Result<(items: [FeedItem], end: Int), ChangeError>, _ past: FeedPast
    ) {
        state.withLock { state in
            state.isFetching = false
            state.past = past
            switch result {
            case .failure(let error): state.failure = error
            case .success(let page):
                state.fetched = page.items
                state.fetchedEnd = page.end
                // The documents are not needed once everything is delivered.
                if page.end == state.cursor.position { state.past.forget() }
            }
        }
    }
}
