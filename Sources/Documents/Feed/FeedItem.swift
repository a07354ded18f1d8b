public import Journaling
import Threading

/// One event of a feed: a change, or the end of a group. Shared by all followers.
public final class FeedItem: Sendable {
    /// What happened.
    public enum Event: Sendable {
        case change(Transition)
        /// The current version is finished. It has no revision of its own and is published live
        /// only.
        case seal(Document)
    }

    public let event: Event
    /// The number of the change in the journal's order; `nil` for a seal, and where a document is
    /// read from the journal by its revisions.
    public let sequence: Int?
    /// Larger renderings are made anew for each reader.
    private static let keptBytesMax = 64 << 10

    private let renderings = Lock<[Int: [UInt8]]>([:])

    init(_ event: Event, sequence: Int?) {
        self.event = event
        self.sequence = sequence
    }

    convenience init(_ event: FeedEvent) {
        switch event {
        case .change(let made, let sequence): self.init(.change(made), sequence: sequence)
        case .seal(let document): self.init(.seal(document), sequence: nil)
        }
    }

    /// The document after it.
    public var document: Document {
        switch event {
        case .change(let made): made.document
        case .seal(let document): document
        }
    }

    /// The item in bytes: rendered once for each key, however many read it.
    public func rendered(_ key: Int, _ make: (FeedItem) -> [UInt8]) -> [UInt8] {
        if let known = renderings.withLock({ $0[key] }) { return known }
        let bytes = make(self)
        if bytes.count <= FeedItem.keptBytesMax { renderings.withLock { $0[key] = bytes } }
        return bytes
    }

    /// Where a change stands in the feed of its document, or in that of all.
    public func position(in topic: FeedTopic) -> Int? {
        guard case .change(let made) = event else { return nil }
        return topic == .all ? sequence : made.document.revision
    }
}

/// What can be followed.
public enum FeedTopic: Sendable, Hashable {
    /// One document; positions are revisions.
    case document(DocumentID)
    /// Every document; positions are numbers in the order of commits.
    case all
}
