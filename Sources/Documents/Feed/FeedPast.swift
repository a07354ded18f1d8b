import DocumentCore
import JSONTree
import Journaling

/// Makes feed items of journal entries, by replaying their documents.
struct FeedPast {
    private static let pageSize = 64
    /// The limit on the bytes of documents kept between two pages; above it they are read again.
    private static let bytesKeptMax = 64 << 20
    /// The bytes of changes after which a page ends.
    private static let pageBytes = 1 << 20

    private let topic: FeedTopic
    private let scope: FeedScope
    private let journal: any Journal
    private var documents: [DocumentID: Document] = [:]
    private var bytesKept = 0

    init(_ topic: FeedTopic, _ scope: FeedScope, _ journal: any Journal) {
        self.topic = topic
        self.scope = scope
        self.journal = journal
    }

    /// Drops the documents; they are read again when needed.
    mutating func forget() {
        documents = [:]
        bytesKept = 0
    }

    /// The items after a position, and the position up to which all were scanned. Blocks.
    mutating func page(after position: Int) throws(ChangeError) -> (items: [FeedItem], end: Int) {
        do {
            switch topic {
            case .document(let id):
                let entries = try journal.entries(
                    of: id, from: position + 1, limit: FeedPast.pageSize)
                var (items, bytes, end) = ([FeedItem](), 0, position)
                for entry in entries where bytes < FeedPast.pageBytes {
                    items.append(try item(of: entry, sequence: nil))
                    bytes += entry.body.count
                    end = entry.revision
                }
                return (items, end)
            case .all:
                let page = try scope.entries(
                    after: position, journal, limit: FeedPast.pageSize)
                var (items, bytes, end) = ([FeedItem](), 0, page.end)
                for (sequence, entry) in page.entries {
                    items.append(try item(of: entry, sequence: sequence))
                    bytes += entry.body.count
                    if bytes >= FeedPast.pageBytes {
                        end = sequence
                        break
                    }
                }
                return (items, end)
            }
        } catch let error as ChangeError {
            throw error
        } catch {
            throw .journal(error as? JournalError ?? .unavailable("\(error)"))
        }
    }

    /// The item of one place in the order of commits; `nil` if there is nothing any more. Blocks.
    mutating func item(at place: EntryPlace) throws(ChangeError) -> FeedItem? {
        let entries = try journaled(
            journal.entries(
                of: place.document, from: place.revision, limit: 1))
        guard let entry = entries.first, entry.revision == place.revision else { return nil }
        return try item(of: entry, sequence: place.sequence)
    }

    private mutating func item(
        of entry: JournalEntry, sequence: Int?
    ) throws(ChangeError) -> FeedItem {
        do throws(ChangeError) {
            return try attempt(entry, sequence)
        } catch {
            // The kept documents may be older than a rewriting of the entries.
            guard case .journal(.corrupt) = error, !documents.isEmpty else { throw error }
            forget()
            return try attempt(entry, sequence)
        }
    }

    private mutating func attempt(
        _ entry: JournalEntry, _ sequence: Int?
    ) throws(ChangeError) -> FeedItem {
        var document = try document(before: entry)
        let before = document.tree
        let change: Change
        do { change = try document.replay(entry) } catch { throw .journal(error) }
        if bytesKept > FeedPast.bytesKeptMax { forget() }
        documents[entry.document] = document
        bytesKept += document.weight
        return FeedItem(
            .change(Transition(change, from: before, to: document), sequence: sequence))
    }

    private mutating func document(before entry: JournalEntry) throws(ChangeError) -> Document {
        if let known = documents.removeValue(forKey: entry.document) {
            bytesKept -= known.weight
            if known.revision == entry.revision - 1 { return known }
        }
        if entry.revision == 0 { return .unborn(entry.document) }
        return try DocumentPast(entry.document, journal).anyDocument(at: entry.revision - 1)
    }
}
