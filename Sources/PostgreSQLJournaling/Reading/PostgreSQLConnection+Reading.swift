import Hashing
import Journaling

// Reads of the tables.

extension PostgreSQLConnection {
    /// More than any page.
    private static let limitMax = 1 << 40

    func rows(_ statement: Statement, _ values: [SQLValue]) throws(PostgreSQLError)
        -> [SQLRow]
    {
        try run([Command(statement, values)])[0].rows
    }

    /// A commit, by its last number and its name.
    struct StoredBatch: Sendable, Equatable {
        let last: Int
        let batch: [UInt8]

        /// An empty head, if there is no row.
        fileprivate init(_ row: SQLRow?) {
            last = row?.integer(0) ?? 0
            batch = row?.bytes(1) ?? []
        }
    }

    /// A server: the cluster that it is of, and the timeline that it writes.
    struct Server: Sendable, Equatable {
        let system: Int
        let timeline: Int
    }

    /// The newest commit.
    func newest() throws(PostgreSQLError) -> StoredBatch {
        StoredBatch(try rows(.newest, []).first)
    }

    /// The name of the commit that ended at a number; empty if none did.
    func batch(at last: Int) throws(PostgreSQLError) -> [UInt8] {
        try rows(.batchAt, [.integer(last)]).first?.bytes(0) ?? []
    }

    /// The last number of which the order is packed; 0 if none is.
    func packedOrderEnd() throws(PostgreSQLError) -> Int {
        try rows(.packedOrderEnd, []).first?.integer(0) ?? 0
    }

    /// `nil` from engines that do not report it.
    func server() throws(PostgreSQLError) -> Server? {
        try told(.server).flatMap { row in
            Int(row.text(1), radix: 16).map { Server(system: row.integer(0), timeline: $0) }
        }
    }

    /// The time of the server's clock, since 1970; `nil` from engines that do not report it.
    func time() throws(PostgreSQLError) -> Duration? {
        try told(.clock).map { .microseconds($0.integer(0)) }
    }

    /// The row of a statement that not all engines know.
    func told(_ statement: Statement) throws(PostgreSQLError) -> SQLRow? {
        do throws(PostgreSQLError) { return try rows(statement, []).first } catch {
            if case .refused = error { return nil }
            throw error
        }
    }

    /// With the newest commit, asked for before them.
    func newestAndHeads(
        of documents: [DocumentID]
    ) throws(PostgreSQLError) -> (newest: StoredBatch, heads: [DocumentID: JournalHead]) {
        let answers = try run([
            Command(.newest), Command(.heads, [PostgreSQLConnection.names(documents)]),
        ])
        return (StoredBatch(answers[0].rows.first), PostgreSQLConnection.heads(answers[1].rows))
    }

    func heads(
        of documents: [DocumentID]
    ) throws(PostgreSQLError) -> [DocumentID: JournalHead] {
        PostgreSQLConnection.heads(try rows(.heads, [PostgreSQLConnection.names(documents)]))
    }

    static func names(_ documents: [DocumentID]) -> SQLValue {
        .array(documents.map { Array($0.name.utf8) })
    }

    static func heads(_ rows: [SQLRow]) -> [DocumentID: JournalHead] {
        var heads: [DocumentID: JournalHead] = [:]
        for row in rows {
            guard let id = DocumentID(row.text(0)), let chain = ChainHash(bytes: row.bytes(2))
            else { continue }
            heads[id] = JournalHead(revision: row.integer(1), chain: chain)
        }
        return heads
    }

    /// The places of a commit: its last number, its documents and their revisions.
    static func places(_ row: SQLRow) -> [EntryPlace] {
        let (names, revisions) = (row.elements(1), row.integers(2))
        let first = row.integer(0) - revisions.count + 1
        return zip(names, revisions).enumerated().compactMap { index, pair in
            DocumentID(String(decoding: pair.0, as: UTF8.self)).map {
                EntryPlace(sequence: first + index, document: $0, revision: pair.1)
            }
        }
    }

    func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(PostgreSQLError) -> [DocumentListing] {
        let prefix = Array(prefix.utf8)
        // Always one bound on each side: otherwise the server may scan all later names. UTF-8 never
        // contains the byte of the last bound.
        let next: [UInt8] = name.map { Array($0.utf8) + [0] } ?? []
        let rows = try rows(
            .documents,
            [
                .bytes(prefix.lexicographicallyPrecedes(next) ? next : prefix),
                .bytes(PostgreSQLConnection.end(of: prefix) ?? [0xff]),
                .integer(min(limit, PostgreSQLConnection.limitMax)),
            ])
        return rows.compactMap { row in
            DocumentID(row.text(0)).map {
                DocumentListing(document: $0, revision: row.integer(1), isDeleted: row.flag(2))
            }
        }
    }

    func usage(ofPrefix prefix: String) throws(PostgreSQLError) -> PrefixUsage {
        let end = PostgreSQLConnection.end(of: Array(prefix.utf8))
        let values: [SQLValue] = [.bytes(DocumentID.bound(below: prefix)), .bytes(end)]
        let row = try patiently(try run([Command(.usageOfPrefix, values)])[0].rows[0])
        return PrefixUsage(documents: row.integer(0), bytes: row.integer(1))
    }

    /// The first name after all that begin with a prefix; `nil` if there is none.
    static func end(of prefix: [UInt8]) -> [UInt8]? {
        guard let place = prefix.lastIndex(where: { $0 < 0xff }) else { return nil }
        return prefix[..<place] + [prefix[place] + 1]
    }
}
