public import Journaling

extension SQLiteJournal: UsageReporting {
    public func usage(limit: Int) throws(JournalError) -> [DocumentUsage] {
        try reading { reader throws(SQLiteError) in try reader.usage(limit: limit) }
    }

    public func usage(ofPrefix prefix: String) throws(JournalError) -> PrefixUsage {
        try reading { reader throws(SQLiteError) in try reader.usage(ofPrefix: prefix) }
    }
}

extension SQLiteReader {
    /// The bytes of a row besides its body.
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
            JOIN document ON document.key = document WHERE name >= ?2
            GROUP BY document.key ORDER BY total DESC, name LIMIT ?1
            """)
        try statement.bind(1, limit)
        try statement.bind(2, DocumentID.bound(below: ""))
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

    func usage(ofPrefix prefix: String) throws(SQLiteError) -> PrefixUsage {
        let within = "name >= ?1 AND (?2 IS NULL OR name < ?2)"
        func total(of table: String) -> String {
            """
            (SELECT coalesce(sum(length(body) + \(SQLiteReader.rowBytes)), 0) FROM document
                JOIN \(table) ON \(table).document = document.key WHERE \(within))
            """
        }
        let tables = ["entry", "checkpoint"] + (segments == nil ? [] : ["segment"])
        let statement = try connection.prepare(
            """
            SELECT (SELECT count(*) FROM document WHERE \(within) AND deleted = 0),
                \(tables.map(total).joined(separator: " + "))
            """)
        try statement.bind(1, DocumentID.bound(below: prefix))
        if let end = SQLiteReader.end(of: Array(prefix.utf8)) { try statement.bind(2, end) }
        guard try statement.step() else { return PrefixUsage(documents: 0, bytes: 0) }
        return PrefixUsage(documents: statement.integer(0), bytes: statement.integer(1))
    }
}
