public import Journaling

extension PostgreSQLConnection {
    /// Stores an update in a transaction of its own, unless another daemon moves the index, or has
    /// moved it. Waits for none: replies to clients come after it.
    func store(_ update: IndexUpdate) throws(PostgreSQLError) {
        do throws(PostgreSQLError) { try storeNow(update) } catch .locked { return }
    }

    private func storeNow(_ update: IndexUpdate) throws(PostgreSQLError) {
        let ends: [SQLValue] = [.integer(update.start), .integer(update.end)]
        let moved = try run([
            Command(.begin), Command(.waitForMoment), Command(.moveIndex, ends),
        ])[2].rows
        guard !moved.isEmpty else {
            try run([Command(.rollback)])
            return
        }
        var (keys, values, removed): ([[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [])
        for (key, value) in update.values {
            if let value {
                keys.append(key)
                values.append(value)
            } else {
                removed.append(key)
            }
        }
        try run([
            Command(.setIndexRows, [.array(keys), .array(values)]),
            Command(.removeIndexRows, [.array(removed)]), Command(.commit),
        ])
    }
}

extension PostgreSQLJournal {
    public func indexPosition() throws(JournalError) -> Int {
        try reading { connection throws(PostgreSQLError) in
            try connection.rows(.indexPosition, []).first?.integer(0) ?? 0
        }
    }

    public func indexRows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(JournalError) -> [IndexRow] {
        try reading { connection throws(PostgreSQLError) in
            try connection.rows(.indexRows, [.bytes(key), .bytes(end), .integer(limit)])
        }.map { IndexRow(key: $0.bytes(0), value: $0.bytes(1)) }
    }
}
