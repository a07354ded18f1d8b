import Threading

@testable import DocumentCore

/// Replies by numbers. A line only carries replies, so a reply records its number when it is
/// called.
struct NumberedReplies: Sendable {
    private let called = Lock(-1)

    subscript(number: Int) -> Reply {
        Reply { [called] _ in called.withLock { $0 = number } }
    }

    func number(of reply: Reply) -> Int {
        reply.refuse(.abandoned)
        return called.withLock { $0 }
    }
}
