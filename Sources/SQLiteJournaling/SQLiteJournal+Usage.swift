public import Journaling

extension SQLiteJournal: UsageReporting {
    public func usage(limit: Int) throws(JournalError) -> [DocumentUsage] {
        try reading { reader throws(SQLiteError) in try reader.usage(limit: limit) }
    }
}

extension SQLiteReader {
    /// What a row takes beside its body.
    private static let rowBytes = 48

    func usage(limit: Int) throws(SQLiteError) -> [DocumentUsage] {
        let (perRow, packed) = (SQLiteReader.rowBytes, segments != nil)
        let statement = try connection.prepare(
            """
            SELECT name, sum(entries), sum(bytes) AS total FROM (
                SELECT document, count(*) AS entries, sum(length(body) + \(perRow)) AS bytes
                FROM entry GROUP BY document
                \(packed
                    ? """
                    UNION ALL SELECT document, sum(count), sum(length(body) + \(perRow))
                    FROM segment GROUP BY document
                    """ : "")
                UNION ALL SELECT document, 0, sum(length(body) + \(perRow))
                FROM checkpoint GROUP BY document)
            JOIN document ON document.key = document
            GROUP BY document.key ORDER BY total DESC, name LIMIT ?1
            """)
        try statement.bind(1, limit)
        var found: [DocumentUsage] = []
        while try statement.step() {
            let name = String(decoding: statement.bytes(0), as: UTF8.self)
            guard let document = DocumentID(name) else { continue }
            found.append(
                DocumentUsage(
                    document: document, entries: statement.integer(1), bytes: statement.integer(2)))
        }
        return found
    }
}
