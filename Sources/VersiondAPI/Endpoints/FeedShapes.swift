import Documents
import HTTPServing
import Journaling

extension Call {
    /// Answers with what a subscription has, in the shape that is wanted. `expulsion` says why the
    /// client may go on no more, if it may not: a token may be taken away meanwhile.
    func follow(
        _ subscription: FeedSubscription, _ wish: FeedWish, from since: Int,
        _ expulsion: @escaping @Sendable () -> Problem?
    ) {
        guard wish.shape == .page else {
            return stream(
                wish.shape.mediaType, from: FeedStream(subscription, wish, expulsion))
        }
        let page = FeedPage(
            call: self, subscription: subscription, wish: wish, expulsion: expulsion)
        if let wait = wish.wait, wait > .zero {
            let isTaken = responder.remind(after: wait) { page.answer([], next: since) }
            if !isTaken { return page.refuse(Problem(HTTPFault.tooManyStreams(max: nil))) }
        }
        page.fill([])
    }
}

/// A feed as a stream of lines or events.
struct FeedStream: HTTPStreamSource {
    private let subscription: FeedSubscription
    private let wish: FeedWish
    private let expulsion: @Sendable () -> Problem?
    private var items: ArraySlice<FeedItem> = []
    private var hasBegun = false
    private var isOver = false

    /// What is handed over at once, if one item is not larger.
    private static let partBytes = 64 << 10

    init(
        _ subscription: FeedSubscription, _ wish: FeedWish,
        _ expulsion: @escaping @Sendable () -> Problem?
    ) {
        self.subscription = subscription
        self.wish = wish
        self.expulsion = expulsion
    }

    var quietMax: Duration { wish.heartbeat }

    func end() {
        subscription.cancel()
    }

    mutating func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        if isOver { return .end }
        if let problem = expulsion() { return last(problem) }
        if !hasBegun {
            // The first words tell where it begins.
            hasBegun = true
            return .bytes(bookmark)
        }
        while items.isEmpty {
            switch subscription.next(wake) {
            case .items(let more): items = more[...]
            case .nothing: return isQuiet ? .bytes(bookmark) : .nothing
            case .closed: return .end
            case .failed(let error): return last(Problem(error))
            }
        }
        return .bytes(part())
    }

    private mutating func part() -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < FeedStream.partBytes, let item = items.popFirst() {
            bytes += wish.bytes(of: item, in: subscription.topic)
        }
        return bytes
    }

    private mutating func last(_ problem: Problem) -> HTTPStreamPart {
        isOver = true
        return .bytes(wish.failure(problem))
    }

    private var bookmark: [UInt8] {
        wish.bookmark(subscription.position, in: subscription.topic)
    }
}

/// A feed as one answer, which may wait for the first change.
struct FeedPage: Sendable {
    let call: Call
    let subscription: FeedSubscription
    let wish: FeedWish
    let expulsion: @Sendable () -> Problem?

    /// Beyond it a page ends, however few changes it has: they may each be as large as a document.
    private static let bytesMax = 4 << 20

    /// Goes on until the page is full, or there is no more for now.
    func fill(_ items: [FeedItem]) {
        var items = items
        while true {
            // What is woken goes on with what is there by now.
            let soFar = items
            switch subscription.next({ fill(soFar) }) {
            case .items(let more):
                items += more.filter { $0.position(in: subscription.topic) != nil }
                if let last = items.dropFirst(wish.limit - 1).first?.position(
                    in: subscription.topic)
                {
                    return answer(Array(items.prefix(wish.limit)), next: last)
                }
            case .nothing(let isAtEnd):
                let mayWait = items.isEmpty && wish.wait ?? .zero > .zero
                if isAtEnd && !mayWait { answer(items, next: subscription.position) }
                return
            case .closed: return answer(items, next: subscription.position)
            case .failed(let error): return refuse(Problem(error))
            }
        }
    }

    /// How many of the items fit into the page; at least one.
    private func room(for items: [FeedItem]) -> Int {
        var bytes = 0
        for (index, item) in items.prefix(wish.limit).enumerated() {
            bytes += wish.bytes(of: item, in: subscription.topic).count
            if bytes > FeedPage.bytesMax { return max(1, index) }
        }
        return min(items.count, wish.limit)
    }

    func refuse(_ problem: Problem) {
        if subscription.cancel() { call.refuse(problem) }
    }

    /// `next` is what to ask for next.
    func answer(_ items: [FeedItem], next: Int) {
        // Whoever ends the subscription answers, and nobody else.
        guard subscription.cancel() else { return }
        if let problem = expulsion() { return call.refuse(problem) }
        let topic = subscription.topic
        var text = JSONText()
        text.object { text in
            if case .document(let id) = topic { text.member("document", id.name) }
            text.name("changes")
            text.array(items) { $0.value(raw: wish.bytes(of: $1, in: topic)) }
            text.member("next", next)
        }
        call.send(call.json(text))
    }
}
