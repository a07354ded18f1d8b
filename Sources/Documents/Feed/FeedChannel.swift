import DocumentCore

/// The newest items of one topic, and the followers that wait for the next. It exists while the
/// topic has followers.
///
/// Items come from the commits of this process. The journal decides: an item is delivered only to
/// a follower that has received everything before it. If others write to the same journal, there
/// are gaps between the items, and followers read the journal across them.
struct FeedChannel {
    /// How many items are kept for followers that are a little behind; others read the journal.
    static let itemsMax = 256
    /// The approximate limit on the bytes of its items, without the newest document.
    static let bytesMax = 16 << 20

    typealias Wake = @Sendable () -> Void

    private var items: [FeedItem] = []
    private(set) var bytes = 0
    /// The index of the first item, counted from the beginning of the channel.
    private var first = 0
    /// The position of the last change that is no longer kept.
    private var dropped: Int?
    /// How often others may have written to the journal, as far as this process knows.
    private var foreignWrites = 0
    private let topic: FeedTopic
    /// Whether the feed is over.
    private var isClosed: Bool

    private struct Follower {
        /// The index of the first item that was published since it follows.
        var joined = 0
        /// How far it has come.
        var position: Int?
        /// `nil`: it does not wait.
        var waiting: Waiting?
        /// Whether its number is in the list of those that wait.
        var isListed = false
    }

    /// Not the bare closure: Swift would wrap an optional closure again at each access.
    private struct Waiting {
        let wake: Wake
    }

    /// By number; those that have left make room for the next.
    private var followers: [Follower] = []
    private var left: [Int] = []
    /// The numbers of those that wait, and of some that have left.
    private var waiting: [Int] = []
    /// The last change that was published.
    private var head: Int?

    init(_ topic: FeedTopic, isClosed: Bool) {
        self.topic = topic
        self.isClosed = isClosed
    }

    /// How many changes the follower that is furthest behind has not received. O(followers).
    var lag: Int {
        guard let head, let last = followers.lazy.compactMap(\.position).min() else {
            return 0
        }
        return max(0, head - last)
    }

    var isFollowed: Bool { left.count < followers.count }

    /// Returns the follower's number.
    mutating func join() -> Int {
        if left.isEmpty {
            left.append(followers.count)
            followers.append(Follower())
        }
        let follower = left.removeLast()
        followers[follower].joined = first + items.count
        return follower
    }

    mutating func leave(_ follower: Int) {
        followers[follower] = Follower(isListed: followers[follower].isListed)
        left.append(follower)
    }

    /// Ends all that follow.
    mutating func close() {
        isClosed = true
    }

    /// How far a follower has come.
    struct Cursor {
        let follower: Int
        /// Everything up to here was delivered.
        var position: Int
        /// The index of the next item, for followers that have reached the items that are kept.
        var index: Int?
        /// Whether the journal had nothing after `position` when it was read last.
        var isCaughtUp = false
        /// The channel's count of foreign writes before the journal was read last.
        fileprivate var foreignWrites = 0

        init(follower: Int, position: Int) {
            self.follower = follower
            self.position = position
        }
    }

    /// The next step of a follower.
    enum Turn {
        case items([FeedItem])
        /// Nothing; `wake` will be called, if there is one.
        case wait
        /// The next item is in the journal only.
        case behind
        case closed
    }

    /// Whether a follower waits for new items.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Adds an item.
    mutating func append(_ item: FeedItem) {
        items.append(item)
        bytes += item.weight
        head = item.position(in: topic) ?? head
        if items.count > FeedChannel.itemsMax || bytes > FeedChannel.bytesMax { dropOlder() }
    }

    /// Drops the older half at once, so that it is rare; never the newest item.
    private mutating func dropOlder() {
        var count = 0
        while count < items.count - 1
            && (items.count - count > FeedChannel.itemsMax / 2 || bytes > FeedChannel.bytesMax / 2)
        {
            bytes -= items[count].weight
            dropped = items[count].position(in: topic) ?? dropped
            count += 1
        }
        items.removeFirst(count)
        first += count
    }

    /// Another process may have written to the journal: all followers read it before they wait
    /// again.
    mutating func noteForeignWrite() {
        foreignWrites += 1
        // Beyond all indices: no follower continues from memory.
        first += items.count + 1
        (items, bytes) = ([], 0)
        dropped = nil
    }

    /// Removes and returns the waiting followers, to be woken. O(their number).
    mutating func takeWaiting() -> [Wake] {
        var woken: [Wake] = []
        woken.reserveCapacity(waiting.count)
        for follower in waiting {
            followers[follower].isListed = false
            guard let wake = followers[follower].waiting?.wake else { continue }
            followers[follower].waiting = nil
            woken.append(wake)
        }
        waiting.removeAll(keepingCapacity: true)
        return woken
    }

    /// The next items for a follower, up to `limit`.
    ///
    /// The journal has a change before it is published here, so a follower that comes from the
    /// journal may meet changes that it has received already: they are skipped.
    mutating func turn(_ cursor: inout Cursor, limit: Int, _ wake: Wake?) -> Turn {
        if isClosed { return .closed }
        defer { followers[cursor.follower].position = cursor.position }
        guard let start = index(of: cursor) else { return behind(&cursor) }
        var found: [FeedItem] = []
        var end = start
        while end < first + items.count && found.count < limit {
            let item = items[end - first]
            if let position = item.position(in: topic), position > cursor.position {
                // Something between them is in the journal only.
                guard position == cursor.position + 1 else {
                    if found.isEmpty { return behind(&cursor) }
                    break
                }
                cursor.position = position
                found.append(item)
            } else if item.position(in: topic) == nil {
                found.append(item)
            }
            end += 1
        }
        cursor.index = end
        if !found.isEmpty { return .items(found) }
        if let wake { wait(cursor.follower, wake) }
        return .wait
    }

    private mutating func wait(_ follower: Int, _ wake: @escaping Wake) {
        followers[follower].waiting = Waiting(wake: wake)
        if !followers[follower].isListed { waiting.append(follower) }
        followers[follower].isListed = true
    }

    /// The position of the first retained change since a follower began: from there on it continues
    /// here, where the ends of groups also are, and not with the journal.
    func firstKept(for follower: Int) -> Int? {
        items.dropFirst(max(0, followers[follower].joined - first)).lazy
            .compactMap { $0.position(in: topic) }.first
    }

    private func behind(_ cursor: inout Cursor) -> Turn {
        cursor.index = nil
        // Until it is read again: there may be no room for that now.
        cursor.isCaughtUp = false
        cursor.foreignWrites = foreignWrites
        return .behind
    }

    /// The index at which a follower continues; `nil` if it is not retained.
    private func index(of cursor: Cursor) -> Int? {
        if let index = cursor.index { return index >= first ? index : nil }
        if let dropped, dropped > cursor.position { return nil }
        let next = items.firstIndex { $0.position(in: topic) ?? -1 > cursor.position }
        guard follows(cursor, next) else { return nil }
        // The seal after the last change is also delivered, but only to followers that were there
        // when it was published: each new poll would receive it again.
        let delivered = items.lastIndex { $0.position(in: topic) ?? .max <= cursor.position }
        let start = max(first + (delivered ?? -1) + 1, followers[cursor.follower].joined)
        return next.map { min(start, first + $0) } ?? start
    }

    /// Whether nothing is missing between what was delivered and the item at `next`, or the end.
    private func follows(_ cursor: Cursor, _ next: Int?) -> Bool {
        if let next { return items[next].position(in: topic) == cursor.position + 1 }
        // All that is kept was delivered already, or nothing is kept and the journal has no more.
        let isKept = items.contains { $0.position(in: topic) == cursor.position }
        let isCaughtUp = cursor.isCaughtUp && cursor.foreignWrites == foreignWrites
        return isCaughtUp || isKept || dropped == cursor.position
    }
}
