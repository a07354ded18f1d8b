public import JSONTree
public import Journaling
import Threading

/// One event of a feed: a change, or the end of a group. Shared by all followers.
public final class FeedItem: Sendable {
    /// What happened.
    public enum Event: Sendable {
        /// `before` is the tree that the change's patch was applied to.
        case change(Change, before: JSON)
        /// The current version is finished. It has no revision of its own and is published live
        /// only.
        case seal
    }

    public let event: Event
    /// The document after it.
    public let document: Document
    /// The number of the change in the journal's order; `nil` for a seal, and where a document is
    /// read from the journal by its revisions.
    public let sequence: Int?
    /// Larger renderings are made anew for each reader.
    private static let keptBytesMax = 64 << 10

    private let renderings = Lock<[Int: [UInt8]]>([:])

    init(_ event: Event, _ document: Document, sequence: Int?) {
        self.event = event
        self.document = document
        self.sequence = sequence
    }

    convenience init(_ event: FeedEvent) {
        switch event {
        case .change(let change, let before, let document, let sequence):
            self.init(.change(change, before: before), document, sequence: sequence)
        case .seal(let document): self.init(.seal, document, sequence: nil)
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
        guard case .change = event else { return nil }
        return topic == .all ? sequence : document.revision
    }
}

/// What can be followed.
public enum FeedTopic: Sendable, Hashable {
    /// One document; positions are revisions.
    case document(DocumentID)
    /// Every document; positions are numbers in the order of commits.
    case all
}
