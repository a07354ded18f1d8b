import DocumentCore
import Threading

/// An item of a feed as text, held while it is being sent.
public final class FeedText: Sendable {
    public let bytes: [UInt8]
    /// The owner of its bytes: a permit, or room in a page; small texts need none.
    private let room: (any Sendable)?

    init(_ bytes: [UInt8], _ room: (any Sendable)?) {
        self.bytes = bytes
        self.room = room
    }
}

/// The known texts of an item: small ones stay, large ones are shared by concurrent senders.
struct FeedTexts {
    /// Larger texts are counted, and are not kept.
    static let smallMax = 64 << 10

    private struct Large {
        weak let text: FeedText?
    }

    private var small: [Int: FeedText] = [:]
    private var large: [Int: Large] = [:]

    subscript(key: Int) -> FeedText? { small[key] ?? large[key]?.text }

    mutating func keep(_ text: FeedText, as key: Int) {
        if text.bytes.count <= FeedTexts.smallMax {
            small[key] = text
        } else {
            large[key] = Large(text: text)
        }
    }
}
