import Documents
import HTTPServing
import Journaling
import Presence
import Synchronization

extension Call {
    /// Responds with what a subscription has, in the shape that is wanted.
    func follow(
        _ subscription: FeedSubscription, _ options: FeedOptions, from since: Int,
        _ standing: FollowersStanding, _ presence: PresenceSubscription? = nil
    ) {
        guard options.shape == .page else {
            return stream(
                options.shape.mediaType,
                from: FeedStream(subscription, options, standing, presence))
        }
        let page = FeedPage(self, subscription, options, from: since, standing)
        if let wait = options.wait, wait > .zero {
            let isAccepted = responder.remind(after: wait) { page.giveUp() }
            if !isAccepted { return page.refuse(Problem(HTTPFault.tooManyStreams(max: nil))) }
        }
        page.fill()
    }
}

/// A feed as a stream of lines or events.
// @unchecked: everything that changes is touched by the one who asks, of whom there is one at a
// time.
final class FeedStream: HTTPStreamSource, @unchecked Sendable {
    private let subscription: FeedSubscription
    private let options: FeedOptions
    private let standing: FollowersStanding
    private let presence: PresenceSubscription?
    private var items: ArraySlice<FeedItem> = []
    /// The text being sent; it holds its permit as long as it is here.
    private var current: FeedText?
    /// Up to here everything was sent; and since then the ends of groups of these documents.
    private var position: Int
    private var sealed: [DocumentID] = []
    private var hasBegun = false
    private var isOver = false

    /// The size of a part, unless one item is larger.
    private static let partBytes = 64 << 10

    init(
        _ subscription: FeedSubscription, _ options: FeedOptions,
        _ standing: FollowersStanding, _ presence: PresenceSubscription?
    ) {
        self.subscription = subscription
        self.options = options
        self.standing = standing
        self.presence = presence
        position = subscription.position
    }

    /// Whose token ended, or may have, hears of it at once.
    var quietMax: Duration { standing.isInDoubt() ? .zero : options.heartbeat }

    func end() {
        (items, current) = ([], nil)
        subscription.cancel()
        presence?.cancel()
    }

    func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        current = nil
        if isOver { return .end }
        let part = part(isQuiet: isQuiet, wake: wake)
        // Checked only before data is sent.
        if case .bytes = part, let problem = standing.problem() { return last(problem) }
        return part
    }

    private func part(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        if !hasBegun {
            // The first bytes say where it begins.
            hasBegun = true
            return .bytes(bookmark)
        }
        while items.isEmpty {
            position = subscription.position
            switch subscription.next(wake) {
            case .items(let more): items = more.drop(while: wasSent)
            case .nothing:
                if let bytes = bytesOfPresence(wake) { return .bytes(bytes) }
                return isQuiet ? .bytes(bookmark) : .nothing
            case .closed: return .end
            case .failed(let error): return last(options.problem(error, in: subscription.topic))
            }
        }
        guard let bytes = bytesOfItems(wake) else {
            // A stream that waits for room must hold none.
            items = []
            subscription.putBack(after: position)
            return isQuiet ? .bytes(bookmark) : .nothing
        }
        // Where changes never end, others come and go all the same. A text that all share is not
        // copied for it.
        guard let present = bytesOfPresence(wake) else { return .bytes(bytes) }
        return .bytes(bytes + present)
    }

    /// The next part: one long item, or several short ones; `nil` if there is no room for it.
    private func bytesOfItems(_ wake: @escaping @Sendable () -> Void) -> [UInt8]? {
        guard let first = items.first else { return [] }
        guard let text = options.text(of: first, subscription, orWake: wake) else { return nil }
        sent(first)
        current = text
        // Mostly there is one alone: it is shared by all who follow.
        var bytes = text.bytes
        while bytes.count < FeedStream.partBytes, let item = items.first, !item.isLarge,
            let text = options.text(of: item, subscription, orWake: wake)
        {
            sent(item)
            bytes += text.bytes
        }
        return bytes
    }

    /// The clients that joined or left since the last report; `nil` if there are none.
    private func bytesOfPresence(_ wake: @escaping @Sendable () -> Void) -> [UInt8]? {
        guard let changes = presence?.next(wake), !changes.isEmpty else { return nil }
        return changes.flatMap { options.bytes(of: $0) }
    }

    private func sent(_ item: FeedItem) {
        items.removeFirst()
        if item.endsDocument { presence?.end(item.document.id, life: item.document.birth) }
        guard let reached = item.position(in: subscription.topic) else {
            return sealed.append(item.document.id)
        }
        (position, sealed) = (reached, [])
    }

    /// Items that were put back return with the ends of groups before them.
    private func wasSent(_ item: FeedItem) -> Bool {
        item.position(in: subscription.topic) == nil && sealed.contains(item.document.id)
    }

    private func last(_ problem: Problem) -> HTTPStreamPart {
        isOver = true
        return .bytes(options.failure(problem))
    }

    private var bookmark: [UInt8] {
        options.bookmark(subscription.position, in: subscription.topic)
    }
}

extension FeedItem {
    /// Whether the event ends all presence in the document.
    fileprivate var endsDocument: Bool { !document.exists }
}

/// A feed as one response, which may wait for the first change.
final class FeedPage: Sendable {
    /// The content of the response.
    private struct Contents {
        var events: [[UInt8]] = []
        var bytes = 0
        /// The cursor of the next page.
        var next: Int
    }

    private let call: Call
    private let subscription: FeedSubscription
    private let options: FeedOptions
    private let standing: FollowersStanding
    /// Up to here there is nothing for this client.
    private let looked: Atomic<Int>
    /// Whether everything was delivered, and the page waits for new items.
    private let isAtEnd = Atomic(false)
    private let isOver = Atomic(false)

    init(
        _ call: Call, _ subscription: FeedSubscription, _ options: FeedOptions, from since: Int,
        _ standing: FollowersStanding
    ) {
        self.call = call
        self.subscription = subscription
        self.options = options
        self.standing = standing
        looked = Atomic(since)
    }

    /// Responds when the page is full, or when there are no more items for now.
    func fill() {
        fill(Contents(next: looked.load(ordering: .relaxed)))
    }

    /// Responds without waiting for further items. Existing items that are being read come first,
    /// or a client with a shorter wait would never advance.
    func giveUp() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        if isAtEnd.load(ordering: .sequentiallyConsistent) { respond(nil) }
    }

    private func fill(_ contents: Contents) {
        var contents = contents
        isAtEnd.store(false, ordering: .sequentiallyConsistent)
        while true {
            // The continuation uses the items read until now.
            let soFar = contents
            switch subscription.next({ [self] in fill(soFar) }) {
            case .items(let items):
                if add(items, to: &contents) { return respond(contents) }
            case .nothing(isAtEnd: false): return
            case .nothing(isAtEnd: true): return reachedEnd(contents)
            case .closed: return respond(contents)
            case .failed(let error): return refuse(options.problem(error, in: subscription.topic))
            }
        }
    }

    private func reachedEnd(_ contents: Contents) {
        let mayWait = contents.events.isEmpty && options.wait ?? .zero > .zero
        // Before it is asked whether the time is over: `giveUp` asks in the other order.
        isAtEnd.store(true, ordering: .sequentiallyConsistent)
        if !mayWait || isOver.load(ordering: .sequentiallyConsistent) { respond(contents) }
    }

    /// Returns whether the page is full.
    private func add(_ items: [FeedItem], to contents: inout Contents) -> Bool {
        for item in items {
            guard let position = item.position(in: subscription.topic) else { continue }
            let event = options.bytes(of: item, in: subscription.topic)
            contents.events.append(event)
            contents.bytes += event.count
            contents.next = position
            let isFull =
                contents.events.count == options.limit || contents.bytes >= Limits.pageBytes
            if isFull { return true }
        }
        contents.next = subscription.position
        if contents.events.isEmpty { looked.store(contents.next, ordering: .relaxed) }
        return false
    }

    func refuse(_ problem: Problem) {
        if subscription.cancel() { call.refuse(problem) }
    }

    private func respond(_ contents: Contents?) {
        // Only the caller that ends the subscription responds.
        guard subscription.cancel() else { return }
        if let problem = standing.problem() { return call.refuse(problem) }
        let contents = contents ?? Contents(next: looked.load(ordering: .relaxed))
        var text = call.jsonText()
        text.object { text in
            if case .document(let id) = subscription.topic { text.document(id) }
            text.name("events")
            text.array(contents.events) { $0.value(raw: $1) }
            text.member("next", options.shown(contents.next, in: subscription.topic))
        }
        call.send(call.json(text))
    }
}
