import JSONTree
import Journaling

/// Makes feed items of what the journal holds, by replaying the documents that it is about.
struct FeedPast {
    private static let pageSize = 64
    /// Documents that are kept between two pages; beyond that they are read anew.
    private static let documentsMax = 64

    private let topic: FeedTopic
    private let prefix: String
    private let journal: any Journal
    private var documents: [DocumentID: Document] = [:]

    init(_ topic: FeedTopic, prefix: String, _ journal: any Journal) {
        self.topic = topic
        self.prefix = prefix
        self.journal = journal
    }

    mutating func forget() {
        documents = [:]
    }

    /// The items after a position, and up to where everything was looked at. Blocks.
    mutating func page(after position: Int) throws(ChangeError) -> (items: [FeedItem], end: Int) {
        do {
            switch topic {
            case .document(let id):
                let entries = try journal.entries(
                    of: id, after: position, limit: FeedPast.pageSize)
                var items: [FeedItem] = []
                for entry in entries { items.append(try item(of: entry, sequence: 0)) }
                return (items, entries.last?.revision ?? position)
            case .all:
                let page = try journal.entries(
                    after: position, prefix: prefix, limit: FeedPast.pageSize)
                var items: [FeedItem] = []
                for (sequence, entry) in page.entries {
                    items.append(try item(of: entry, sequence: sequence))
                }
                return (items, page.end)
            }
        } catch let error as ChangeError {
            throw error
        } catch {
            throw .journal(error as? JournalError ?? .unavailable("\(error)"))
        }
    }

    private mutating func item(
        of entry: JournalEntry, sequence: Int
    ) throws(ChangeError) -> FeedItem {
        var document = try document(before: entry)
        let before = document.tree
        let change: Change
        do { change = try Replay.advance(&document, by: entry) } catch { throw .journal(error) }
        if documents.count >= FeedPast.documentsMax { documents = [:] }
        documents[entry.document] = document
        return FeedItem(.change(change, before: before), document, sequence: sequence)
    }

    private mutating func document(before entry: JournalEntry) throws(ChangeError) -> Document {
        if let known = documents.removeValue(forKey: entry.document),
            known.revision == entry.revision - 1
        {
            return known
        }
        if entry.revision == 0 { return .unborn(entry.document) }
        let found = try Replay.document(entry.document, from: journal, upTo: entry.revision - 1)
        guard let found, found.document.revision == entry.revision - 1 else {
            throw .unknownRevision(entry.revision)
        }
        return found.document
    }
}
