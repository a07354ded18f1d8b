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
        _ own: [SharedPresence], by daemon: [UInt8], since: Int, at now: Int
    ) throws(JournalError) -> [SharedPresence] {
        // In the order of keys, so that two daemons never wait for each other.
        let sorted = own.sorted { left, right in
            left.document == right.document
                ? left.client < right.client : left.document < right.document
        }
        let rows = try reading { connection throws(PostgreSQLError) in
            for one in sorted {
                try connection.run([.init(.putPresence, one.values(by: daemon, at: now))])
            }
            if since == 0 {
                let past = now - PostgreSQLJournal.presenceKept
                _ = try connection.run([.init(.removePresence, [.integer(past)])])
            }
            return try connection.rows(
                .newPresence, [.integer(since), .bytes(daemon), .integer(now)])
        }
        return rows.compactMap { SharedPresence($0, at: now) }
    }

    /// How long a row stays whose time is over: clocks differ.
    private static let presenceKept = 10_000
}

extension SharedPresence {
    fileprivate func values(by daemon: [UInt8], at now: Int) -> [SQLValue] {
        [
            .text(document.name), .text(client.text), .bytes(daemon), .text(actor.text),
            .text(owner.text), .bytes(state), .integer(revision ?? -1), .integer(stamp),
            .integer(now),
            .integer(now + milliseconds),
        ]
    }

    fileprivate init?(_ row: SQLRow, at now: Int) {
        guard let document = DocumentID(row.text(0)) else { return nil }
        self.init(
            document: document, client: Name(row.text(1)), actor: Name(row.text(2)),
            owner: Name(row.text(3)), state: row.columns[4],
            revision: row.integer(5) < 0 ? nil : row.integer(5),
            stamp: row.integer(6), milliseconds: max(1, row.integer(7) - now))
    }
}
