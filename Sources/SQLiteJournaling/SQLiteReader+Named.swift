import Journaling

// Entries of some documents, in the order of commits.

extension SQLiteReader {
    /// The entries that a scan passes in less time than it takes to seek the documents of a prefix.
    static let scannedFew = 1_000

    /// The most documents whose entries are read one document after another, instead of a scan of
    /// all entries.
    private static let namesFew = 8

    /// The documents of a prefix; `nil` if they are many.
    func fewDocuments(of prefix: String) throws(SQLiteError) -> [DocumentID]? {
        if prefix.isEmpty { return nil }
        let limit = SQLiteReader.namesFew + 1
        let listings = try documents(prefix: prefix, after: nil, limit: limit)
        return listings.count < limit ? listings.map(\.document) : nil
    }

    /// Each document's own entries are read, and nothing else, however much others have.
    func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(SQLiteError) -> JournalPage {
        // Entries after the end of a full page are not on it.
        var page = JournalPage(entries: [], end: max(sequence, last))
        for document in documents {
            let more = try entries(of: document, after: sequence, upTo: page.end, limit)
            page = SQLiteReader.page(page.entries + more, upTo: page.end, limit)
        }
        return page
    }

    /// The first entries of a document behind a number: up to `limit`, or `JournalPage.bytesMax`.
    private func entries(
        of document: DocumentID, after sequence: Int, upTo last: Int, _ limit: Int
    ) throws(SQLiteError) -> [Segment.Numbered] {
        guard var next = try firstRevision(of: document, after: sequence) else { return [] }
        var found: [Segment.Numbered] = []
        var bytes = 0
        while found.count < limit, bytes < JournalPage.bytesMax {
            let page = try numbered(of: document, from: next, upTo: last, limit: limit)
            guard let newest = page.last else { break }
            for item in page where item.sequence > sequence && item.sequence <= last {
                if found.count == limit || bytes >= JournalPage.bytesMax { return found }
                found.append(item)
                bytes += item.entry.body.count
            }
            if newest.sequence >= last { break }
            next = newest.entry.revision + 1
        }
        return found
    }

    /// Of the first entry of a document behind a number; of one that is packed, of the first in its
    /// segment. O(segments and rows of the document).
    static func revisionBehind(hasSegments: Bool) -> String {
        let key = "(SELECT key FROM document WHERE name = ?1)"
        let row = """
            (SELECT revision FROM entry WHERE document = \(key) AND sequence > ?2
            ORDER BY revision LIMIT 1)
            """
        let segment = """
            (SELECT first FROM segment WHERE document = \(key) AND last_sequence > ?2
            ORDER BY first LIMIT 1)
            """
        return "SELECT coalesce(\(hasSegments ? segment : "NULL"), \(row), -1)"
    }

    /// The revision of a document's first entry after a number; `nil` if there is none.
    private func firstRevision(
        of document: DocumentID, after sequence: Int
    ) throws(SQLiteError) -> Int? {
        defer { findBehind.reset() }
        try findBehind.bind(1, Array(document.name.utf8))
        try findBehind.bind(2, sequence)
        guard try findBehind.step(), findBehind.integer(0) >= 0 else { return nil }
        return findBehind.integer(0)
    }

    /// Documents with entries behind a number, and the revision of the first; of one that is
    /// packed, of the first in its segment, with its number. O(rows and segments behind it).
    static func changedBehind(hasSegments: Bool) -> String {
        let rows = "SELECT document, revision, sequence FROM entry WHERE sequence > ?1"
        let segments =
            "SELECT document, first, first_sequence FROM segment WHERE last_sequence > ?1"
        return """
            SELECT name, min(revision), min(sequence)
            FROM (\(rows)\(hasSegments ? " UNION ALL " + segments : ""))
            JOIN document ON document.key = document
            WHERE name >= ?2 AND name < ?3 GROUP BY name ORDER BY name LIMIT ?4
            """
    }

    /// Documents of a prefix with entries after a number, and the revision of the first of these.
    func documents(
        changedAfter sequence: Int, prefix: String, after name: String?, limit: Int
    ) throws(SQLiteError) -> [DocumentRevision] {
        let prefix = Array(prefix.utf8)
        defer { findChanged.reset() }
        try findChanged.bind(1, sequence)
        try findChanged.bind(2, SQLiteReader.start(of: prefix, after: name))
        try findChanged.bind(3, SQLiteReader.end(of: prefix) ?? [0xff])
        try findChanged.bind(4, limit)
        var found: [DocumentRevision] = []
        while try findChanged.step() {
            guard let document = DocumentID(findChanged.text(0)) else { continue }
            var first = findChanged.integer(1)
            // A segment holds entries on both sides of the number.
            if findChanged.integer(2) <= sequence {
                let entries = try entries(of: document, after: sequence, upTo: .max, 1)
                first = entries.first?.entry.revision ?? first
            }
            found.append(DocumentRevision(document, first))
        }
        return found
    }
}
