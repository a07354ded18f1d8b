import DocumentCore
import JSONTree
public import Journaling
import Threading

/// One event of a feed: a change, or the end of a group. Shared by all followers.
public final class FeedItem: Sendable {
    /// The event.
    public let event: FeedEvent
    private let texts = Lock(FeedTexts())

    init(_ event: FeedEvent) {
        self.event = event
        (weight, textMax, textRoom) = FeedItem.size(of: event)
    }

    /// The number of the change in the journal's order; `nil` for a seal, and where a document is
    /// read from the journal by its revisions.
    public var sequence: Int? {
        if case .change(_, let sequence) = event { sequence } else { nil }
    }

    /// The document after it.
    public var document: Document {
        switch event {
        case .change(let made, _): made.document
        case .seal(let document): document
        }
    }

    /// The approximate bytes without the document after it: the edits, and the former values that
    /// the tree after them does not share.
    let weight: Int
    /// About how long its text is at most.
    let textMax: Int
    /// The free memory required to make the text: it also needs a tree of all operations.
    let textRoom: Int

    /// O(edits), and so found once.
    private static func size(
        of event: FeedEvent
    ) -> (weight: Int, textMax: Int, textRoom: Int) {
        guard case .change(let made, _) = event else { return (512, 512, 512) }
        let edits = made.change.edits
        let (bytes, values) = (edits.byteCount, edits.valueCount)
        let copied = min(made.document.weight, edits.count * bytesPerPath)
        let textMax = 512 + bytes + made.document.tree.byteCount
        return (
            512 + edits.count * bytesPerEdit + copied + Document.weight(bytes, values),
            textMax, textMax + edits.count * bytesPerOperation
        )
    }

    /// The bytes of an edit without its values, including the nodes of a tree that it copies.
    private static let bytesPerEdit = 200
    private static let bytesPerPath = 1_024
    /// The bytes of an operation as a tree.
    private static let bytesPerOperation = 400

    /// Whether its text may be long.
    public var isLarge: Bool { textMax > FeedTexts.smallMax }

    /// The item as text, made once for each key, however many read it; without a key for one alone.
    ///
    /// A long text is counted before it is made: `room` returns room for its bytes, or `nil`, and
    /// then this returns `nil`.
    func text(
        _ key: Int?, room: (Int) -> (any Sendable)?, _ make: (FeedItem) -> [UInt8]
    ) -> FeedText? {
        if let known = known(key) { return known }
        guard isLarge else { return made(key, nil, make) }
        return room(textRoom).map { made(key, $0, make) }
    }

    /// The item as text, not counted: for one response, which is counted as a whole.
    public func text(_ key: Int?, _ make: (FeedItem) -> [UInt8]) -> [UInt8] {
        (known(key) ?? made(key, nil, make)).bytes
    }

    /// A long, uncounted text is not shared.
    private func made(
        _ key: Int?, _ room: (any Sendable)?, _ make: (FeedItem) -> [UInt8]
    ) -> FeedText {
        let bytes = make(self)
        let isSmall = bytes.count <= FeedTexts.smallMax
        // It is made; from now on it is the text alone.
        _ = (room as? ByteBudget.Permit)?.adjust(to: bytes.count)
        let text = FeedText(bytes, isSmall ? nil : room)
        if let key, isSmall || room != nil { texts.withLock { $0.keep(text, as: key) } }
        return text
    }

    private func known(_ key: Int?) -> FeedText? {
        guard let key else { return nil }
        return texts.withLock { $0[key] }
    }

    /// The position of a change in the feed of its document, or in that of all documents.
    public func position(in topic: FeedTopic) -> Int? {
        guard case .change(let made, _) = event else { return nil }
        return topic == .all ? sequence : made.document.revision
    }
}

/// Which documents of all are followed: those whose names begin with a prefix, or some of them.
public struct FeedScope: Sendable, Hashable {
    let prefix: String
    /// These alone; `nil` for all with the prefix.
    let documents: Set<DocumentID>?

    /// Documents of a prefix: all of them, or those that are named.
    public init(prefix: String, documents: Set<DocumentID>? = nil) {
        self.prefix = prefix
        self.documents = documents
    }

    /// Every document.
    static let all = FeedScope(prefix: "")

    /// Of these items those that belong to it.
    func filter(_ items: [FeedItem]) -> [FeedItem] {
        // Most are of no document of the daemon's own.
        if self == .all, !items.contains(where: \.document.id.isOwn) { return items }
        return items.filter { contains($0.document.id) }
    }

    private func contains(_ id: DocumentID) -> Bool {
        id.isBelow(prefix) && documents?.contains(id) ?? true
    }

    /// Their entries after a number and up to another, in the order of commits. Blocks.
    func entries(
        after sequence: Int, upTo last: Int = .max, _ journal: any Journal, limit: Int
    ) throws(JournalError) -> JournalPage {
        guard let documents else {
            return try journal.entries(
                after: sequence, upTo: last, below: prefix, limit: limit)
        }
        let wanted = Array(documents.filter(contains))
        return try journal.entries(after: sequence, upTo: last, of: wanted, limit: limit)
    }
}

/// The topic of a feed.
public enum FeedTopic: Sendable, Hashable {
    /// One document; positions are revisions.
    case document(DocumentID)
    /// Every document; positions are numbers in the order of commits.
    case all
}
