import Hashing
import Journaling

/// A connection that only reads. One thread at a time uses it.
final class SQLiteReader {
    private let findHead, findEntries, findDocuments: SQLiteStatement
    let findCheckpoint, listCheckpoints, findBody, findSeveral: SQLiteStatement
    private let findCommitted, findLast, findLastDocument: SQLiteStatement
    let findUnpacked, findNumbered, findKey, findBehind, findChanged: SQLiteStatement
    /// `nil` in a journal of an older schema, which is only read.
    let findRows: SQLiteStatement?
    private let begin, end: SQLiteStatement
    let connection: SQLiteConnection
    /// `nil` in a journal of an older schema, which is only read.
    let segments: SQLiteSegments?

    convenience init(
        path: String, mode: SQLiteConnection.Mode, _ cache: SegmentCache<Int>
    ) throws(SQLiteError) {
        try self.init(SQLiteConnection(path: path, mode: mode), cache)
    }

    init(_ connection: SQLiteConnection, _ cache: SegmentCache<Int>) throws(SQLiteError) {
        self.connection = connection
        let version = try connection.integer("PRAGMA user_version")
        segments =
            version == Schema.withoutSegments ? nil : try SQLiteSegments(connection, cache)
        findRows = try StoredIndex(connection).rows(ofSchema: version)
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        findHead = try connection.prepare(
            """
            SELECT revision, chain FROM entry
            WHERE document = (SELECT key FROM document WHERE name = ?1)
            ORDER BY revision DESC LIMIT 1
            """)
        findEntries = try connection.prepare(
            """
            SELECT revision, lifecycle, body, chain FROM entry
            WHERE document = (SELECT key FROM document WHERE name = ?1) AND revision >= ?2
            ORDER BY revision LIMIT ?3
            """)
        findLast = try connection.prepare(
            """
            SELECT revision, lifecycle, body, chain FROM entry
            WHERE document = (SELECT key FROM document WHERE name = ?1) AND revision <= ?2
            ORDER BY revision DESC LIMIT ?3
            """)
        findCheckpoint = try connection.prepare(SQLiteReader.chainOfCheckpoints)
        listCheckpoints = try connection.prepare(SQLiteCheckpoints.listed)
        findBody = try connection.prepare(
            "SELECT body, checksum FROM checkpoint WHERE document = ?1 AND revision = ?2")
        findSeveral = try connection.prepare(SQLiteReader.severalCheckpoints)
        findDocuments = try connection.prepare(
            """
            SELECT name, deleted,
                (SELECT revision FROM entry WHERE document = key ORDER BY revision DESC LIMIT 1)
            FROM document WHERE name >= ?1 AND name < ?2
            ORDER BY name LIMIT ?3
            """)
        findUnpacked = try connection.prepare(
            """
            SELECT key, name,
                (SELECT revision FROM entry WHERE document = key ORDER BY revision LIMIT 1),
                (SELECT revision FROM entry WHERE document = key ORDER BY revision DESC LIMIT 1),
                (SELECT sequence FROM entry WHERE document = key ORDER BY revision DESC LIMIT 1)
            FROM document WHERE key > ?1 ORDER BY key LIMIT ?2
            """)
        findNumbered = try connection.prepare(
            """
            SELECT sequence, revision, lifecycle, body, chain FROM entry
            WHERE document = ?1 AND revision >= ?2 ORDER BY revision LIMIT ?3
            """)
        findKey = try connection.prepare("SELECT key FROM document WHERE name = ?1")
        findBehind = try connection.prepare(
            SQLiteReader.revisionBehind(hasSegments: segments != nil))
        findChanged = try connection.prepare(
            SQLiteReader.changedBehind(hasSegments: segments != nil))
        findLastDocument = try connection.prepare(SQLiteReader.documentsOfClients)
        findCommitted = try connection.prepare(
            """
            SELECT entry.sequence, document.name, entry.revision, entry.lifecycle, entry.body,
                entry.chain, \(segments == nil
                    ? "previous.chain" : SQLiteReader.previousChain)
            FROM entry JOIN document ON document.key = entry.document
            LEFT JOIN entry AS previous ON previous.document = entry.document
                AND previous.revision = entry.revision - 1
            WHERE entry.sequence > ?1 AND entry.sequence <= ?2
                AND document.name >= ?3 AND (?4 IS NULL OR document.name < ?4)
            ORDER BY entry.sequence LIMIT ?5
            """)
    }

    /// Runs all statements on one state of the file, whatever is committed meanwhile: an entry that
    /// one statement does not find is packed, and the next statement must see it packed.
    func reading<Result>(
        _ body: (SQLiteReader) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try begin.run()
        do throws(SQLiteError) {
            let result = try body(self)
            try end.run()
            return result
        } catch {
            try? end.run()
            throw error
        }
    }

    /// Of the entry before, which may be the last one of a segment.
    private static let previousChain = """
        coalesce(previous.chain, (
            SELECT chain FROM segment WHERE segment.document = entry.document
                AND segment.first < entry.revision ORDER BY segment.first DESC LIMIT 1))
        """

    /// The limit on entries that are scanned at once, whatever the prefix.
    private static let lookedMax = 10_000

    /// Entries in the order of commits.
    func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(SQLiteError) -> JournalPage {
        if last - sequence > SQLiteReader.scannedFew, let few = try fewDocuments(of: prefix) {
            return try entries(after: sequence, upTo: last, of: few, limit: limit)
        }
        // Of all documents there is an entry with each number.
        let looked = prefix.isEmpty ? min(limit, SQLiteReader.lookedMax) : SQLiteReader.lookedMax
        let last = max(sequence, min(last, sequence + looked))
        let prefix = Array(prefix.utf8)
        var page = try rows(after: sequence, upTo: last, prefix, limit)
        try addPacked(to: &page, after: sequence, prefix, limit)
        return page
    }

    private func rows(
        after sequence: Int, upTo last: Int, _ prefix: [UInt8], _ limit: Int
    ) throws(SQLiteError) -> JournalPage {
        defer { findCommitted.reset() }
        try findCommitted.bind(1, sequence)
        try findCommitted.bind(2, last)
        try findCommitted.bind(3, prefix)
        if let end = SQLiteReader.end(of: prefix) { try findCommitted.bind(4, end) }
        try findCommitted.bind(5, limit)
        var found: [(sequence: Int, entry: JournalEntry)] = []
        var bytes = 0
        while bytes < JournalPage.bytesMax, try findCommitted.step() {
            let sequence = findCommitted.integer(0)
            let entry = try committedEntry(sequence)
            found.append((sequence, entry))
            bytes += entry.body.count
        }
        let isAll = JournalPage.isAll(found.map(\.entry), limit: limit)
        return JournalPage(
            entries: found, end: isAll ? last : found.last?.sequence ?? sequence)
    }

    /// Adds what segments hold of a page, which may become shorter for it.
    private func addPacked(
        to page: inout JournalPage, after sequence: Int, _ prefix: [UInt8], _ limit: Int
    ) throws(SQLiteError) {
        guard let segments else { return }
        var found: [Segment.Numbered] = []
        let end = page.end
        try segments.forEach(
            after: sequence, upTo: page.end, prefix: prefix, end: SQLiteReader.end(of: prefix)
        ) { first, entries throws(SQLiteError) in
            // Later pages begin after the entries that already suffice.
            let before = found.filter { $0.sequence < first }
            if SQLiteReader.fullCount(before, limit) != nil { return false }
            found += try entries().filter { $0.sequence > sequence && $0.sequence <= end }
            return true
        }
        if found.isEmpty { return }
        page = SQLiteReader.page(found + page.entries, upTo: end, limit)
    }

    /// The first of these entries, at most a page. Entries after the last one of a full page were
    /// not scanned.
    static func page(_ entries: [Segment.Numbered], upTo last: Int, _ limit: Int) -> JournalPage {
        let entries = entries.sorted { $0.sequence < $1.sequence }
        guard let count = fullCount(entries, limit) else {
            return JournalPage(entries: entries, end: last)
        }
        return JournalPage(
            entries: Array(entries.prefix(count)), end: entries[count - 1].sequence)
    }

    /// How many of these entries make a full page; `nil` if all of them do not.
    private static func fullCount(_ entries: [Segment.Numbered], _ limit: Int) -> Int? {
        var bytes = 0
        for (index, item) in entries.enumerated() {
            bytes += item.entry.body.count
            if index + 1 == limit || bytes >= JournalPage.bytesMax { return index + 1 }
        }
        return nil
    }

    /// The current row of `findCommitted`, checked against the entry before it.
    private func committedEntry(_ sequence: Int) throws(SQLiteError) -> JournalEntry {
        let name = String(decoding: findCommitted.bytes(1), as: UTF8.self)
        let revision = findCommitted.integer(2)
        let previous = revision == 0 ? .start : ChainHash(bytes: findCommitted.bytes(6))
        guard let document = DocumentID(name), let previous else {
            throw .damaged("entry \(sequence) follows nothing")
        }
        return try row(of: findCommitted, from: 2)
            .entry(of: document, at: revision, following: previous)
    }

    private static let documentsOfClients =
        "SELECT max(key) - (SELECT count(*) FROM document WHERE name < ?1) FROM document"

    /// The documents of clients. Names are never removed, and numbered in a row. O(documents of the
    /// daemon's own).
    func documentCount() throws(SQLiteError) -> Int {
        defer { findLastDocument.reset() }
        try findLastDocument.bind(1, DocumentID.bound(below: ""))
        return try findLastDocument.step() ? findLastDocument.integer(0) : 0
    }

    func head(of document: DocumentID) throws(SQLiteError) -> JournalHead? {
        defer { findHead.reset() }
        try findHead.bind(1, Array(document.name.utf8))
        guard try findHead.step(), let chain = ChainHash(bytes: findHead.bytes(1)) else {
            return nil
        }
        return JournalHead(revision: findHead.integer(0), chain: chain)
    }

    /// Checks the chain from entry to entry, so that nothing damaged is handed out.
    func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(SQLiteError) -> [JournalEntry] {
        let rows = try rows(of: document, from: revision, limit: limit)
        if rows.first?.revision == revision {
            return try checked(rows, of: document, from: revision)
        }
        let packed =
            try segments?.entries(of: document, from: revision, limit: limit) ?? []
        guard let end = packed.last else {
            if rows.isEmpty { return [] }
            throw .damaged("the chain of \(document) breaks at revision \(revision)")
        }
        let bytes = packed.reduce(0) { $0 + $1.body.count }
        guard packed.count < limit, bytes < JournalPage.bytesMax else { return packed }
        let later = try self.rows(
            of: document, from: end.revision + 1, limit: limit - packed.count)
        if later.isEmpty { return packed }
        return packed + (try checked(later, of: document, from: end.revision + 1))
    }

    /// A row of the table.
    struct Row {
        let revision: Int
        let lifecycle: Int
        let body: [UInt8]
        /// `nil` if it is none.
        let chain: ChainHash?

        /// The entry, if it is the one of a revision and follows the one before.
        func entry(
            of document: DocumentID, at expected: Int, following previous: ChainHash
        ) throws(SQLiteError) -> JournalEntry {
            let entry = JournalEntry(
                document: document, revision: revision, body: body, following: previous,
                lifecycle: JournalEntry.Lifecycle(rawValue: lifecycle) ?? .goesOn)
            guard revision == expected, entry.chain == chain else {
                throw .damaged("the chain of \(document) breaks at revision \(revision)")
            }
            return entry
        }
    }

    private func rows(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(SQLiteError) -> [Row] {
        defer { findEntries.reset() }
        try findEntries.bind(1, Array(document.name.utf8))
        try findEntries.bind(2, revision)
        try findEntries.bind(3, limit)
        var rows: [Row] = []
        var bytes = 0
        while bytes < JournalPage.bytesMax, try findEntries.step() {
            let row = row(of: findEntries)
            bytes += row.body.count
            rows.append(row)
            // The first ones are packed, or missing: the rest is of no use.
            if rows.count == 1, row.revision != revision { break }
        }
        return rows
    }

    private func checked(
        _ rows: [Row], of document: DocumentID, from revision: Int
    ) throws(SQLiteError) -> [JournalEntry] {
        var previous = try chain(of: document, before: revision)
        var entries: [JournalEntry] = []
        entries.reserveCapacity(rows.count)
        for row in rows {
            let entry = try row.entry(
                of: document, at: revision + entries.count, following: previous)
            previous = entry.chain
            entries.append(entry)
        }
        return entries
    }

    /// The last entries up to a revision.
    func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(SQLiteError) -> [JournalEntry] {
        let (rows, bytes) = try lastRows(of: document, upTo: revision, limit)
        let first = rows.first?.revision ?? revision + 1
        let entries = rows.isEmpty ? [] : try checked(rows, of: document, from: first)
        guard let segments, first > 0, rows.count < limit, bytes < JournalPage.bytesMax else {
            return entries
        }
        let older = try segments.entries(
            of: document, upTo: first - 1, limit: limit - rows.count,
            bytesMax: JournalPage.bytesMax - bytes)
        return older + entries
    }

    /// The last rows up to a revision, with about how many bytes they have.
    private func lastRows(
        of document: DocumentID, upTo revision: Int, _ limit: Int
    ) throws(SQLiteError) -> (rows: [Row], bytes: Int) {
        defer { findLast.reset() }
        try findLast.bind(1, Array(document.name.utf8))
        try findLast.bind(2, revision)
        try findLast.bind(3, limit)
        var rows: [Row] = []
        var bytes = 0
        while bytes < JournalPage.bytesMax, try findLast.step() {
            rows.append(row(of: findLast))
            bytes += rows[rows.count - 1].body.count
        }
        return (rows.reversed(), bytes)
    }

    /// The current row of a statement, in the columns from this one on.
    func row(of statement: SQLiteStatement, from column: Int32 = 0) -> Row {
        Row(
            revision: statement.integer(column), lifecycle: statement.integer(column + 1),
            body: statement.bytes(column + 2),
            chain: ChainHash(bytes: statement.bytes(column + 3)))
    }

    func chain(
        of document: DocumentID, before revision: Int
    ) throws(SQLiteError) -> ChainHash {
        if revision <= 0 { return .start }
        let rows = try rows(of: document, from: revision - 1, limit: 1)
        if let row = rows.first, row.revision == revision - 1 {
            guard let chain = row.chain else {
                throw .damaged("the chain of \(document) has no hash at revision \(revision - 1)")
            }
            return chain
        }
        return try segments?.chain(of: document, before: revision) ?? .start
    }

    func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(SQLiteError) -> [DocumentListing] {
        defer { findDocuments.reset() }
        let prefix = Array(prefix.utf8)
        try findDocuments.bind(1, SQLiteReader.start(of: prefix, after: name))
        // A bound in every query: with "?2 IS NULL OR" SQLite scans all later names. UTF-8 never
        // contains this byte.
        try findDocuments.bind(2, SQLiteReader.end(of: prefix) ?? [0xff])
        try findDocuments.bind(3, limit)
        var listings: [DocumentListing] = []
        while try findDocuments.step() {
            let name = String(decoding: findDocuments.bytes(0), as: UTF8.self)
            guard let document = DocumentID(name) else { continue }
            listings.append(
                DocumentListing(
                    document: document, revision: findDocuments.integer(2),
                    isDeleted: findDocuments.integer(1) == 1))
        }
        return listings
    }

    /// The least name that begins with `prefix` and comes after another one. In a query it is the
    /// only lower bound: of two, SQLite begins at the first, and walks to the other.
    static func start(of prefix: [UInt8], after name: String?) -> [UInt8] {
        let next: [UInt8] = name.map { Array($0.utf8) + [0] } ?? []
        return prefix.lexicographicallyPrecedes(next) ? next : prefix
    }

    /// The first byte string behind all those that begin with `prefix`, or `nil` if there is none.
    static func end(of prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 < 0xff }) else { return nil }
        return Array(prefix[..<last]) + [prefix[last] + 1]
    }
}

extension SQLiteError {
    /// The bytes read are not the bytes written.
    static func damaged(_ message: String) -> SQLiteError {
        SQLiteError(code: 11, message: message)
    }
}
