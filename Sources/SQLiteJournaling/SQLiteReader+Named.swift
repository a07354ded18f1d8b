import Journaling

// Entries of some documents, in the order of commits.

extension SQLiteReader {
    /// Each document's own entries are read, and nothing else, however much others have.
    func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(SQLiteError) -> JournalPage {
        var found: [Segment.Numbered] = []
        for document in documents {
            found += try entries(of: document, after: sequence, upTo: last, limit)
        }
        found.sort { $0.sequence < $1.sequence }
        var page: [Segment.Numbered] = []
        var bytes = 0
        for item in found {
            if page.count == limit || bytes >= JournalPage.bytesMax { break }
            page.append(item)
            bytes += item.entry.body.count
        }
        let isAll = page.count == found.count && found.count < limit
        return JournalPage(
            entries: page, end: isAll ? max(sequence, last) : page.last?.sequence ?? sequence)
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
