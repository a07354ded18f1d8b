import DocumentCore
import Journaling
import Threading

/// A follower of a document, or of all documents with a prefix, from a position on.
///
/// Ordered, unique, reliable and resumable: the position says what was delivered, and what comes
/// after it is in memory or in the journal. Release it, or call `cancel`, to stop following.
public final class FeedSubscription: Sendable {
    /// The available items.
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
        /// The page read from the journal: to be delivered, or being sent.
        var page: FeedPastPage?
        var isDelivered = false
        var isFetching = false
        /// Where the journal was read because it has more than was published.
        var aheadAt: Int?
        var failure: ChangeError?
        var isCancelled = false
    }

    /// The followed topic.
    public let topic: FeedTopic
    private let scope: FeedScope
    private let feed: Feed
    private let readers: WorkQueue
    /// Reads the journal from any position on.
    private let past: FeedPast
    /// The position up to which committed changes are delivered without waiting for their
    /// publication.
    private let committed: Int
    private let state: Lock<State>
    /// The place in the queue for room.
    private let waiter = ByteBudget.Waiter()
    private let channel: Feed.Channel
    private let follower: Int

    /// The limit on items that are delivered at once.
    private static let turnMax = 64

    init(
        _ topic: FeedTopic, _ scope: FeedScope = .all, after position: Int, committed: Int,
        _ feed: Feed, _ journal: any Journal, _ readers: WorkQueue
    ) {
        self.topic = topic
        self.committed = committed
        self.scope = scope
        self.feed = feed
        self.readers = readers
        // First, so that nothing is committed between reading the journal and following.
        (channel, follower) = feed.join(topic)
        past = FeedPast(topic, scope, journal)
        state = Lock(State(cursor: FeedChannel.Cursor(follower: follower, position: position)))
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
            defer { (state.isCancelled, state.page) = (true, nil) }
            return !state.isCancelled
        }
        if isFirst {
            waiter.leave()
            feed.leave(topic, follower)
        }
        return isFirst
    }

    /// The next items, in order. Does not block; if it returns `nothing`, `wake` is called once,
    /// when it is worth asking again. One caller at a time.
    public func next(_ wake: @escaping @Sendable () -> Void) -> Turn {
        state.withLock { state in
            if state.isCancelled { return .closed }
            if let failure = state.failure { return .failed(failure) }
            if state.isFetching { return .nothing(isAtEnd: false) }
            if let page = state.page, !state.isDelivered { return deliver(&state, page) }
            // A reader of committed changes needs no wake from the channel: the end of its read
            // wakes it, and two wakes would ask it twice.
            let position = state.cursor.position
            let hasAll = position >= committed || state.aheadAt == position
            let turn = channel.withLock { channel in
                channel.turn(
                    &state.cursor, limit: FeedSubscription.turnMax, hasAll ? wake : nil)
            }
            switch turn {
            case .closed: return .closed
            case .items(let items):
                state.page = nil
                return .items(scope.filter(items))
            case .wait:
                // The replayed documents are not needed any more once the follower has reached this
                // position.
                state.page = nil
                if hasAll { return .nothing(isAtEnd: true) }
                state.aheadAt = position
                return fetch(&state, wake)
            case .behind: return fetch(&state, wake)
            }
        }
    }

    /// An item as text; `nil` if there is no room for it, and then `wake` is called when there may
    /// be. A caller that has to wait puts back delivered items that were not sent.
    public func text(
        of item: FeedItem, _ key: Int?, orWake wake: @escaping @Sendable () -> Void,
        _ make: (FeedItem) -> [UInt8]
    ) -> FeedText? {
        let page = state.withLock { $0.page }
        return item.text(
            key, room: { page?.textRoom() ?? feed.budget.take($0, for: waiter, orWake: wake) }, make
        )
    }

    /// Returns the items after `position` that were delivered and not sent: they are delivered
    /// again.
    public func putBack(after position: Int) {
        state.withLock { state in
            state.cursor = FeedChannel.Cursor(follower: follower, position: position)
            state.page = nil
        }
    }

    private func deliver(_ state: inout State, _ page: FeedPastPage) -> Turn {
        state.isDelivered = true
        state.cursor.isCaughtUp = page.end == state.cursor.position
        var (items, end) = (page.items, page.end)
        let kept = channel.withLock { $0.firstKept(for: follower) }
        if let kept, kept > state.cursor.position, kept <= end {
            // The channel delivers items published meanwhile, with the ends of groups, which are
            // not journaled.
            items = items.filter { $0.position(in: topic) ?? kept < kept }
            end = kept - 1
        }
        state.cursor.position = end
        return .items(items)
    }

    private func key(at position: Int) -> FeedPastPages.Key {
        FeedPastPages.Key(topic: topic, scope: scope, position: position)
    }

    /// Reads the journal, on a thread that may block.
    private func fetch(_ state: inout State, _ wake: @escaping @Sendable () -> Void) -> Turn {
        let position = state.cursor.position
        if let known = feed.page(at: key(at: position)).page {
            state.page = known
            return deliver(&state, known)
        }
        // It continues at the end of the last page.
        let past = state.page.flatMap { $0.end == position ? $0.next : nil } ?? past
        let held = feed.passOnPermit(of: &state.page)
        guard let permit = held ?? feed.take(for: .topic(topic), waiter, orWake: wake) else {
            return .nothing(isAtEnd: false)
        }
        state.isFetching = true
        let isAccepted = readers.async { [weak self] in
            self?.read(past, after: position, permit)
            wake()
        }
        return isAccepted ? .nothing(isAtEnd: false) : .closed
    }

    /// Reads a page, unless another follower has it.
    private func read(_ past: FeedPast, after position: Int, _ permit: ByteBudget.Permit) {
        if state.withLock({ $0.isCancelled }) { return }
        let key = key(at: position)
        let (known, epoch) = feed.page(at: key)
        if let known { return fetched(known) }
        // By now others may have found out how much it takes.
        guard permit.adjust(to: feed.expectedWeight(.topic(topic))) else { return foundNoRoom() }
        var past = past
        do throws(ChangeError) {
            let (items, end) = try past.page(after: position)
            let weight = FeedPastPage.weight(of: items)
            feed.note(weight, of: .topic(topic))
            guard permit.adjust(to: weight) else { return foundNoRoom() }
            let page = FeedPastPage(at: key, items, end: end, next: past, permit, feed.budget)
            fetched(feed.share(page, readIn: epoch))
        } catch {
            state.withLock { ($0.isFetching, $0.failure) = (false, error) }
        }
    }

    /// The page is read when there is room for it.
    private func foundNoRoom() {
        state.withLock { $0.isFetching = false }
    }

    private func fetched(_ page: FeedPastPage) {
        state.withLock { state in
            state.isFetching = false
            if state.isCancelled { return }
            (state.page, state.isDelivered) = (page, false)
        }
    }
}
