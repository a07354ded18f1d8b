public import Journaling

/// The rows of the index, in a table of their own; its position is in the table `state`.
struct StoredIndex {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// The position is 0 without a row, and in a file of an older schema.
    func position() throws(SQLiteError) -> Int {
        if try connection.integer("PRAGMA user_version") <= Schema.withoutIndex { return 0 }
        return try connection.integer(
            "SELECT coalesce(CAST(max(value) AS INTEGER), 0) FROM state WHERE name = 'index'")
    }

    /// The query of rows from a key on and before another; `nil` in an older schema.
    func rows(ofSchema version: Int) throws(SQLiteError) -> SQLiteStatement? {
        if version <= Schema.withoutIndex { return nil }
        return try connection.prepare(
            "SELECT key, value FROM index_row WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3")
    }

    /// Does nothing if the index is not where the update begins.
    func store(_ update: IndexUpdate) throws(SQLiteError) {
        guard try position() == update.start else { return }
        let remove = try connection.prepare("DELETE FROM index_row WHERE key = ?1")
        let insert = try connection.prepare("INSERT OR REPLACE INTO index_row VALUES(?1, ?2)")
        for (key, value) in update.values {
            let statement = value == nil ? remove : insert
            try statement.bind(1, key)
            if let value { try insert.bind(2, value) }
            try statement.run()
        }
        let move = try connection.prepare("INSERT OR REPLACE INTO state VALUES('index', ?1)")
        try move.bind(1, Array("\(update.end)".utf8))
        try move.run()
    }
}

extension SQLiteReader {
    /// Rows from a key on and before another. A file of an older schema has none.
    func indexRows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(SQLiteError) -> [IndexRow] {
        guard let findRows else { return [] }
        defer { findRows.reset() }
        try findRows.bind(1, key)
        try findRows.bind(2, end)
        try findRows.bind(3, limit)
        var rows: [IndexRow] = []
        while try findRows.step() {
            rows.append(IndexRow(key: findRows.bytes(0), value: findRows.bytes(1)))
        }
        return rows
    }
}

extension SQLiteJournal {
    public func indexPosition() throws(JournalError) -> Int {
        try reading { reader throws(SQLiteError) in try StoredIndex(reader.connection).position() }
    }

    public func indexRows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(JournalError) -> [IndexRow] {
        try reading { reader throws(SQLiteError) in
            try reader.indexRows(from: key, before: end, limit: limit)
        }
    }
}
