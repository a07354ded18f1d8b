import DocumentCore
public import Journaling
import Threading

/// The journal's entries of all documents, in the order of commits. Every call blocks.
public struct JournalPast: Sendable {
    private let journal: any Journal
    private let isWanted: @Sendable () -> Bool

    /// A change with its number in the order of commits.
    public struct Item: Sendable {
        public let sequence: Int
        public let document: DocumentID
        public let change: Change
    }

    /// The numbers scanned at once, if all documents are wanted.
    static let span = 1_024
    /// The limit on them where each step takes more: that many changes are in memory.
    static let spanMax = 16_384

    init(_ journal: any Journal, while isWanted: @escaping @Sendable () -> Bool) {
        self.journal = journal
        self.isWanted = isWanted
    }

    /// The changes to some documents among those with the `span` numbers below `sequence`, the
    /// newest first, and down to which number that is; 0 is the end. O(span), and of documents that
    /// are named O(their segments).
    public func changes(
        before sequence: Int, of scope: FeedScope, span: Int
    ) throws(ChangeError) -> (items: [Item], end: Int) {
        let start = max(0, sequence - 1 - span)
        var items: [Item] = []
        var position = start
        while position < sequence - 1 {
            guard isWanted() else { throw .abandoned }
            let page = try journaled(
                scope.entries(
                    after: position, upTo: sequence - 1, journal, limit: span))
            for (number, entry) in page.entries {
                items.append(try JournalPast.item(number, entry))
            }
            guard page.end > position else { break }
            position = page.end
        }
        return (items.reversed(), start)
    }

    /// The documents of a prefix with entries after a number, up to one more than the limit.
    func documents(
        changedAfter sequence: Int, below prefix: String
    ) throws(ChangeError) -> [DocumentRevision] {
        guard isWanted() else { throw .abandoned }
        return try journaled(
            journal.documents(
                changedAfter: sequence, below: prefix, limit: JournalPast.documentsMax + 1))
    }

    /// All documents of a prefix, up to one more than the limit.
    func listings(prefix: String) throws(ChangeError) -> [DocumentListing] {
        guard isWanted() else { throw .abandoned }
        return try journaled(
            journal.documents(
                below: prefix, after: nil, limit: JournalPast.documentsMax + 1))
    }

    /// The journal's entries of one document.
    public func past(of document: DocumentID) -> DocumentPast {
        DocumentPast(document, journal, while: isWanted)
    }

    private static func item(_ number: Int, _ entry: JournalEntry) throws(ChangeError) -> Item {
        do {
            return Item(
                sequence: number, document: entry.document,
                change: try Change(decoding: entry.body, revision: entry.revision).outlined())
        } catch {
            throw .journal(.corrupt("an entry of \(entry.document) cannot be read"))
        }
    }
}

extension DocumentStore {
    /// The past of all documents. Reading it blocks, and ends when `isWanted` says no.
    public func journalPast(while isWanted: @escaping @Sendable () -> Bool) -> JournalPast {
        JournalPast(journal, while: isWanted)
    }
}
