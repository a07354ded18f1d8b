import DocumentCore
import Threading

/// An item of a feed as text, held as long as somebody sends it.
public final class FeedText: Sendable {
    public let bytes: [UInt8]
    /// What counts it: a permit, or room in a page; what is small needs none.
    private let room: (any Sendable)?

    init(_ bytes: [UInt8], _ room: (any Sendable)?) {
        self.bytes = bytes
        self.room = room
    }
}

/// The texts of an item that are known: small ones stay, large ones are shared by those who send
/// them at the same time.
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
