public import Journaling
import Naming

extension PostgreSQLJournal: PresenceSharing {
    public func preparePresence() throws(JournalError) {
        try reading { connection throws(PostgreSQLError) in
            for statement in Statement.presenceTables {
                _ = try connection.run([.init(statement)])
            }
        }
    }

    public func exchangePresence(
        _ own: [SharedPresence], by daemon: [UInt8], after mark: Int
    ) throws(JournalError) -> (others: [SharedPresence], mark: Int) {
        // In the order of keys, so that two daemons never wait for each other.
        let sorted = own.sorted { left, right in
            left.document == right.document
                ? left.client < right.client : left.document < right.document
        }
        let rows = try reading { connection throws(PostgreSQLError) in
            for one in sorted {
                try connection.run([.init(.putPresence, one.values(by: daemon))])
            }
            if mark == 0 { _ = try connection.run([.init(.removePresence)]) }
            return try connection.rows(.newPresence, [.integer(mark), .bytes(daemon)])
        }
        return (rows.compactMap(SharedPresence.init), rows.last?.integer(7) ?? mark)
    }
}

extension SharedPresence {
    fileprivate func values(by daemon: [UInt8]) -> [SQLValue] {
        [
            .text(document.name), .text(client.text), .bytes(daemon), .text(actor.text),
            .text(owner.text), .bytes(state), .integer(revision ?? -1), .integer(milliseconds),
        ]
    }

    fileprivate init?(_ row: SQLRow) {
        guard let document = DocumentID(row.text(0)) else { return nil }
        self.init(
            document: document, client: Name(row.text(1)), actor: Name(row.text(2)),
            owner: Name(row.text(3)), state: row.columns[4],
            revision: row.integer(5) < 0 ? nil : row.integer(5),
            milliseconds: max(1, row.integer(6)))
    }
}
