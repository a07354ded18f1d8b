import Journaling

/// A transaction that gives all entries of a document other bodies.
struct RewritingTransaction {
    typealias Command = PostgreSQLConnection.Command

    private let connection: PostgreSQLConnection
    private let document: DocumentID

    init(_ connection: PostgreSQLConnection, _ document: DocumentID) {
        self.connection = connection
        self.document = document
    }

    /// Locks the document: no other transaction can write to it from now on. Returns its newest
    /// entry.
    func begin() throws(PostgreSQLError) -> JournalHead? {
        let answers = try connection.run(
            [Command(.begin)] + connection.opening
                + [Command(.lock, [PostgreSQLConnection.names([document])])])
        return PostgreSQLConnection.heads(answers.last?.rows ?? [])[document]
    }

    /// Stores the new bodies, and perhaps an entry behind them, whose number is returned.
    func commit(_ draft: RewrittenEntries, _ end: RewritingEnd) throws(JournalError) -> Int? {
        var draft = draft
        let (segments, last) = try draft.finished()
        do throws(PostgreSQLError) {
            try store(segments, last.entry)
        } catch {
            throw error.asJournalError
        }
        do throws(PostgreSQLError) {
            guard case .adding(let entry) = end else {
                try connection.run([Command(.commit)])
                return nil
            }
            let numbering = AppendingTransaction.numbering(
                [entry], [], of: [entry.document], isAll: true)
            let answers = try connection.run(
                AppendingTransaction.storing([[entry]], []) + numbering + [Command(.commit)])
            return answers[2].rows.first?.integer(0)
        } catch {
            if case .lost(let reason) = error { throw .uncertain(reason) }
            throw error.asJournalError
        }
    }

    /// All entries are packed but the last one, as in `RewrittenEntries`.
    private func store(
        _ segments: [Segment], _ last: JournalEntry
    ) throws(PostgreSQLError) {
        let name = SQLValue.text(document.name)
        try connection.run(
            [.removeEntries, .removeSegments, .removeAllCheckpoints].map { Command($0, [name]) })
        for segment in segments {
            try connection.run([Command(.addSegment, segment.values)])
        }
        try connection.run([
            Command(
                .addEntry,
                [
                    name, .integer(last.revision), .integer(last.lifecycle.rawValue),
                    .bytes(last.chain.bytes), .bytes(last.body),
                ]), Command(.rewriteHead, [name, .bytes(last.chain.bytes)]),
        ])
    }
}

extension Segment {
    /// The columns of its row.
    var values: [SQLValue] {
        [
            .text(document.name), .integer(first), .integer(count), .bytes(chain.bytes),
            .bytes(body),
        ]
    }
}

extension PostgreSQLConnection {
    /// Frees what is no longer found, as far as the server lets this role do it.
    func vacuum() throws(PostgreSQLError) {
        for statement in Statement.vacuum { try run([Command(statement)]) }
    }
}
