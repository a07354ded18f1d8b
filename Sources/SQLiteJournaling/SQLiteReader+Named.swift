import Journaling

// Entries of some documents, in the order of commits.

extension SQLiteReader {
    /// Each document's own entries are read, and nothing else, however much others have.
    func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(SQLiteError) -> JournalPage {
        var page: [Segment.Numbered] = []
        // What stands behind the end of a full page cannot be on it.
        var end = max(sequence, last)
        for document in documents {
            page += try entries(of: document, after: sequence, upTo: end, limit)
            page.sort { $0.sequence < $1.sequence }
            if let count = SQLiteReader.fullCount(page, limit) {
                page.removeLast(page.count - count)
                end = page.last?.sequence ?? end
            }
        }
        return JournalPage(entries: page, end: end)
    }

    /// How many of these entries make a full page; `nil` if all of them do not.
    private static func fullCount(_ entries: [Segment.Numbered], _ limit: Int) -> Int? {
        var bytes = 0
        for (index, item) in entries.enumerated() {
            bytes += item.entry.body.count
            if index + 1 == limit || bytes >= JournalPage.bytesMax { return index + 1 }
        }
        return nil
    }

    /// The first entries of a document behind a number: up to `limit`, or `JournalPage.bytesMax`.
    private func entries(
        of document: DocumentID, after sequence: Int, upTo last: Int, _ limit: Int
    ) throws(SQLiteError) -> [Segment.Numbered] {
        guard var next = try firstRevision(of: document, after: sequence) else { return [] }
        var found: [Segment.Numbered] = []
        var bytes = 0
        while found.count < limit, bytes < JournalPage.bytesMax {
            let page = try numbered(of: document, from: next, limit: limit)
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

    static let revisionBehind = """
        SELECT revision FROM entry
        WHERE document = (SELECT key FROM document WHERE name = ?1) AND sequence > ?2
        ORDER BY revision LIMIT 1
        """

    /// Where to look for the first entry of a document behind a number; `nil` if there is none.
    private func firstRevision(
        of document: DocumentID, after sequence: Int
    ) throws(SQLiteError) -> Int? {
        if let packed = try segments?.firstRevision(of: document, after: sequence) { return packed }
        defer { findBehind.reset() }
        try findBehind.bind(1, Array(document.name.utf8))
        try findBehind.bind(2, sequence)
        return try findBehind.step() ? findBehind.integer(0) : nil
    }
}
