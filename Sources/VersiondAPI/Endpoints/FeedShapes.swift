import Documents
import HTTPServing
import Journaling

extension Call {
    /// Answers with what a subscription has, in the shape that is wanted.
    func follow(_ subscription: FeedSubscription, _ wish: FeedWish, from since: Int) {
        guard wish.shape == .page else {
            return stream(wish.shape.mediaType, from: FeedStream(subscription, wish))
        }
        let page = FeedPage(call: self, subscription: subscription, wish: wish)
        if let wait = wish.wait { responder.remind(after: wait) { page.answer([], next: since) } }
        page.fill([])
    }
}

/// A feed as a stream of lines or events.
struct FeedStream: HTTPStreamSource {
    private let subscription: FeedSubscription
    private let wish: FeedWish
    private var hasBegun = false
    private var isOver = false

    init(_ subscription: FeedSubscription, _ wish: FeedWish) {
        self.subscription = subscription
        self.wish = wish
    }

    var quietMax: Duration { wish.heartbeat }

    func end() {
        subscription.cancel()
    }

    mutating func next(isQuiet: Bool, wake: @escaping @Sendable () -> Void) -> HTTPStreamPart {
        if isOver { return .end }
        if !hasBegun {
            // The first words tell where it begins.
            hasBegun = true
            return .bytes(bookmark)
        }
        while true {
            switch subscription.next(wake) {
            case .items(let items):
                if items.isEmpty { continue }
                return .bytes(items.flatMap { wish.bytes(of: $0, in: subscription.topic) })
            case .nothing: return isQuiet ? .bytes(bookmark) : .nothing
            case .closed: return .end
            case .failed(let error):
                isOver = true
                return .bytes(wish.failure(Problem(error)))
            }
        }
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
            case .closed: return refuse(Problem(HTTPFault.stopping))
            case .failed(let error): return refuse(Problem(error))
            }
        }
    }

    private func refuse(_ problem: Problem) {
        subscription.cancel()
        call.refuse(problem)
    }

    /// `next` is what to ask for next.
    func answer(_ items: [FeedItem], next: Int) {
        subscription.cancel()
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
