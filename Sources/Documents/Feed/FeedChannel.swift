/// The last items of one topic, and who waits for the next. It exists while somebody follows.
struct FeedChannel {
    /// So many items are kept for those who are a little behind; others read the journal.
    static let itemsMax = 256

    typealias Wake = @Sendable () -> Void

    private var items: [FeedItem] = []
    /// The place of the first item, counted from the beginning of the channel.
    private var first = 0
    /// The position of the last change that is kept no more.
    private var dropped: Int?
    private let topic: FeedTopic

    init(_ topic: FeedTopic) {
        self.topic = topic
    }

    private var followers: Set<Int> = []
    private var waiting: [Int: Wake] = [:]

    var isFollowed: Bool { !followers.isEmpty }

    mutating func join(_ follower: Int) {
        followers.insert(follower)
    }

    mutating func leave(_ follower: Int) {
        followers.remove(follower)
        waiting[follower] = nil
    }

    /// Where a follower stands.
    struct Cursor {
        let follower: Int
        /// Everything up to here was told.
        var position: Int
        /// The place of the next item, for those who came as far as the items that are kept.
        var place: Int?
        /// Whether the journal has nothing after `position` that was committed before this channel.
        var isCaughtUp = false
    }

    /// What a follower gets.
    enum Turn {
        case items([FeedItem])
        /// Nothing; `wake` will be called.
        case wait
        /// What comes next is in the journal only.
        case behind
    }

    /// Adds an item; answers who is to be woken.
    mutating func append(_ item: FeedItem) -> [Wake] {
        items.append(item)
        if items.count > FeedChannel.itemsMax {
            // The older half at once, so that it happens seldom.
            let positions = items.prefix(FeedChannel.itemsMax / 2).compactMap {
                $0.position(in: topic)
            }
            dropped = positions.last ?? dropped
            items.removeFirst(FeedChannel.itemsMax / 2)
            first += FeedChannel.itemsMax / 2
        }
        return takeWaiting()
    }

    mutating func takeWaiting() -> [Wake] {
        defer { waiting.removeAll(keepingCapacity: true) }
        return Array(waiting.values)
    }

    /// The next items for a follower, up to `limit`.
    ///
    /// The journal knows what is committed before it is published here, so a follower that comes
    /// from there may meet what it was told already: such items are passed over.
    mutating func turn(
        _ cursor: inout Cursor, limit: Int, _ wake: @escaping Wake
    ) -> Turn {
        guard let place = place(of: cursor) else { return .behind }
        var found: [FeedItem] = []
        var end = place
        while end < first + items.count && found.count < limit {
            let item = items[end - first]
            end += 1
            if let position = item.position(in: topic) {
                guard position > cursor.position else { continue }
                cursor.position = position
            }
            found.append(item)
        }
        cursor.place = end
        if !found.isEmpty { return .items(found) }
        waiting[cursor.follower] = wake
        return .wait
    }

    /// Where a follower goes on; `nil` if that is not kept here.
    private func place(of cursor: Cursor) -> Int? {
        if let place = cursor.place { return place >= first ? place : nil }
        if let dropped, dropped > cursor.position { return nil }
        let end = first + items.count
        let change = items.firstIndex { $0.position(in: topic) ?? -1 > cursor.position }
        guard let change else {
            // All that is kept was told already, or nothing is kept and the journal has no more.
            let isKept = items.contains { $0.position(in: topic) == cursor.position }
            return cursor.isCaughtUp || isKept || dropped == cursor.position ? end : nil
        }
        let isNext = items[change].position(in: topic) == cursor.position + 1
        return isNext ? first + change : nil
    }
}
