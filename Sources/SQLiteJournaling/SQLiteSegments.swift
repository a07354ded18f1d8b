import Journaling

/// Finds and unpacks segments. One thread at a time uses it.
final class SQLiteSegments {
    private let findBehind, findInOrder, findChain: SQLiteStatement
    private let cache: SegmentCache<Int>

    private static let columns = """
        segment.key, document.name, segment.first, segment.count, segment.first_sequence,
        segment.last_sequence, segment.chain, segment.body
        """

    init(_ connection: SQLiteConnection, _ cache: SegmentCache<Int>) throws(SQLiteError) {
        self.cache = cache
        findBehind = try connection.prepare(
            """
            SELECT \(SQLiteSegments.columns)
            FROM segment JOIN document ON document.key = segment.document
            WHERE segment.document = (SELECT key FROM document WHERE name = ?1)
                AND segment.first <= ?2
            ORDER BY segment.first DESC LIMIT 1
            """)
        findInOrder = try connection.prepare(
            """
            SELECT \(SQLiteSegments.columns)
            FROM segment JOIN document ON document.key = segment.document
            WHERE segment.last_sequence > ?1 AND segment.first_sequence <= ?2
                AND document.name >= ?3 AND (?4 IS NULL OR document.name < ?4)
            ORDER BY segment.first_sequence
            """)
        findChain = try connection.prepare(
            """
            SELECT chain FROM segment
            WHERE document = (SELECT key FROM document WHERE name = ?1) AND first + count = ?2
                AND first < ?2 AND first >= ?2 - \(PackingPolicy.entriesMax)
            """)
    }

    /// The chain before a revision at which a segment ended.
    func chain(
        of document: DocumentID, before revision: Int
    ) throws(SQLiteError) -> ChainHash? {
        if revision == 0 { return .start }
        defer { findChain.reset() }
        try findChain.bind(1, Array(document.name.utf8))
        try findChain.bind(2, revision)
        guard try findChain.step() else { return nil }
        guard let chain = ChainHash(bytes: findChain.bytes(0)) else {
            throw .damaged("a segment of \(document) has no chain")
        }
        return chain
    }

    /// Packed entries from a revision on, up to `limit` of them or `JournalPage.bytesMax`.
    func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(SQLiteError) -> [JournalEntry] {
        var found: [JournalEntry] = []
        var bytes = 0
        while found.count < limit, bytes < JournalPage.bytesMax,
            let segment = try entries(of: document, holding: revision + found.count)
        {
            for (_, entry) in segment where entry.revision == revision + found.count {
                guard found.count < limit, bytes < JournalPage.bytesMax else { break }
                found.append(entry)
                bytes += entry.body.count
            }
        }
        return found
    }

    /// Packed entries up to a revision, at most `limit` of them or about `bytesMax`.
    func entries(
        of document: DocumentID, upTo revision: Int, limit: Int, bytesMax: Int
    ) throws(SQLiteError) -> [JournalEntry] {
        var found: [JournalEntry] = []
        var bytes = 0
        var next = revision
        while next >= 0, found.count < limit, bytes < bytesMax,
            let segment = try entries(of: document, holding: next)
        {
            for (_, entry) in segment.reversed() where entry.revision == next {
                guard found.count < limit, bytes < bytesMax else { break }
                found.append(entry)
                bytes += entry.body.count
                next -= 1
            }
        }
        return found.reversed()
    }

    /// The entries of the segment that holds a revision, or `nil` if none does.
    func entries(
        of document: DocumentID, holding revision: Int
    ) throws(SQLiteError) -> [Segment.Numbered]? {
        defer { findBehind.reset() }
        return try find(document, holding: revision) ? try unpacked(findBehind) : nil
    }

    /// The segment that holds a revision, as it is stored, or `nil` if none does.
    func segment(
        of document: DocumentID, holding revision: Int
    ) throws(SQLiteError) -> Segment? {
        defer { findBehind.reset() }
        return try find(document, holding: revision) ? try stored(findBehind) : nil
    }

    /// Moves `findBehind` to the segment that holds a revision, if there is one.
    private func find(
        _ document: DocumentID, holding revision: Int
    ) throws(SQLiteError) -> Bool {
        try findBehind.bind(1, Array(document.name.utf8))
        try findBehind.bind(2, revision)
        return try findBehind.step() && revision &- findBehind.integer(2) < findBehind.integer(3)
    }

    /// Calls `body` with the entries of each segment that holds some of these numbers, in the order
    /// of their first ones, until it returns `false`.
    func forEach(
        after sequence: Int, upTo last: Int, prefix: [UInt8], end: [UInt8]?,
        _ body: (_ first: Int, _ entries: () throws(SQLiteError) -> [Segment.Numbered])
            throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        defer { findInOrder.reset() }
        try findInOrder.bind(1, sequence)
        try findInOrder.bind(2, last)
        try findInOrder.bind(3, prefix)
        if let end { try findInOrder.bind(4, end) }
        while try findInOrder.step() {
            let goesOn = try body(findInOrder.integer(4)) { () throws(SQLiteError) in
                try unpacked(findInOrder)
            }
            guard goesOn else { return }
        }
    }

    /// The stored form of a statement's current segment.
    private func stored(_ statement: SQLiteStatement) throws(SQLiteError) -> Segment {
        let name = String(decoding: statement.bytes(1), as: UTF8.self)
        guard let document = DocumentID(name), let chain = ChainHash(bytes: statement.bytes(6)),
            statement.integer(4) <= statement.integer(5)
        else { throw .damaged("a segment of \(name) is damaged") }
        return Segment(
            document: document, first: statement.integer(2), count: statement.integer(3),
            sequences: statement.integer(4)...statement.integer(5), chain: chain,
            body: statement.bytes(7))
    }

    /// The entries of a statement's current segment.
    private func unpacked(
        _ statement: SQLiteStatement
    ) throws(SQLiteError) -> [Segment.Numbered] {
        let key = statement.integer(0)
        if let known = cache[key] { return known }
        let segment = try stored(statement)
        let document = segment.document
        guard let previous = try chain(of: document, before: segment.first) else {
            throw .damaged(
                "a segment of \(document) is missing before revision \(segment.first)")
        }
        let entries: [Segment.Numbered]
        do throws(Segment.Fault) {
            entries = try segment.entries(following: previous)
        } catch {
            throw .damaged(
                "a segment of \(document) is damaged, from revision \(segment.first) on")
        }
        cache.add(entries, key: key)
        return entries
    }
}
