public import Journaling

// Rewriting the entries of a document, so that something in them is erased.

extension PostgreSQLJournal {
    /// See `Journal.rewrite`. When it returns, no query finds the former entries; PostgreSQL
    /// removes them from the disk at its next vacuum, but not from its own log, backups and
    /// standbys.
    public func rewrite(
        _ document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) -> Bool {
        var draft = RewrittenEntries(columns)
        var read = JournalHead(revision: -1, chain: .start)
        try extend(&draft, &read, of: document, by: rewriting)
        let connection = try rewriter()
        let transaction = RewritingTransaction(connection, document)
        let newest: JournalHead?
        do throws(PostgreSQLError) { newest = try transaction.begin() } catch {
            throw error.asJournalError
        }
        // Adds the changes committed meanwhile. From now on, none are committed.
        try extend(&draft, &read, of: document, by: rewriting)
        guard newest == nil || newest == read else { throw PostgreSQLJournal.overtaken }
        guard let head = draft.head else { return false }
        let end = try rewriting.end(after: head)
        if case .nothing = end { return false }
        if let added = try transaction.commit(draft, end) { watch.committed(added) }
        if rewriting.leavesNothing { try? connection.vacuum() }
        return true
    }

    /// A connection of its own: the server rolls its transaction back when it closes.
    private func rewriter() throws(JournalError) -> PostgreSQLConnection {
        do throws(PostgreSQLError) {
            return try newReader(patience: PostgreSQLConnection.longPatience)
        } catch {
            throw error.asJournalError
        }
    }

    /// Another process has rewritten the document meanwhile: what was read is no longer true.
    private static let overtaken = JournalError.unavailable(
        "another daemon rewrote the document; retry")

    /// Reads and rewrites up to the end that there is now; `read` is the last one that was read.
    private func extend(
        _ draft: inout RewrittenEntries, _ read: inout JournalHead, of document: DocumentID,
        by rewriting: any EntryRewriting
    ) throws(JournalError) {
        while true {
            let entries = try entries(
                of: document, from: draft.nextRevision, limit: PostgreSQLJournal.pageSize)
            if entries.isEmpty { return }
            for entry in entries {
                guard entry.follows(read) else { throw PostgreSQLJournal.overtaken }
                read = JournalHead(revision: entry.revision, chain: entry.chain)
                try draft.add(entry, entry.revision + 1, body: rewriting.body(of: entry))
            }
        }
    }
}
