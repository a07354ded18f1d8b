import Crypto
import Journaling

/// A connection that only reads. One thread at a time uses it.
final class SQLiteReader {
    private let findHead, findEntries, findCheckpoint, findDocuments: SQLiteStatement
    private let findCommitted, findFirst: SQLiteStatement

    init(path: String, mode: SQLiteConnection.Mode) throws(SQLiteError) {
        let connection = try SQLiteConnection(path: path, mode: mode)
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
        // Sizes only: which of the last entries are not too much together.
        findFirst = try connection.prepare(
            """
            SELECT revision, length(body) FROM entry
            WHERE document = (SELECT key FROM document WHERE name = ?1) AND revision <= ?2
            ORDER BY revision DESC LIMIT ?3
            """)
        findCheckpoint = try connection.prepare(
            """
            SELECT revision, chain, body, checksum FROM checkpoint
            WHERE document = (SELECT key FROM document WHERE name = ?1) AND revision <= ?2
            ORDER BY revision DESC LIMIT 1
            """)
        findDocuments = try connection.prepare(
            """
            SELECT name, deleted,
                (SELECT revision FROM entry WHERE document = key ORDER BY revision DESC LIMIT 1)
            FROM document WHERE name > ?1 AND name >= ?2 AND (?3 IS NULL OR name < ?3)
            ORDER BY name LIMIT ?4
            """)
        findCommitted = try connection.prepare(
            """
            SELECT entry.sequence, document.name, entry.revision, entry.lifecycle, entry.body,
                entry.chain, previous.chain
            FROM entry JOIN document ON document.key = entry.document
            LEFT JOIN entry AS previous ON previous.document = entry.document
                AND previous.revision = entry.revision - 1
            WHERE entry.sequence > ?1 AND entry.sequence <= ?2
                AND document.name >= ?3 AND (?4 IS NULL OR document.name < ?4)
            ORDER BY entry.sequence LIMIT ?5
            """)
    }

    /// The limit on entries that are scanned at once, whatever the prefix.
    private static let lookedMax = 10_000

    /// Entries in the order of commits.
    func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(SQLiteError) -> JournalPage {
        let last = max(sequence, min(last, sequence + SQLiteReader.lookedMax))
        let prefix = Array(prefix.utf8)
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

    /// The row that `findCommitted` stands at, checked against the entry before it.
    private func committedEntry(_ sequence: Int) throws(SQLiteError) -> JournalEntry {
        let name = String(decoding: findCommitted.bytes(1), as: UTF8.self)
        let revision = findCommitted.integer(2)
        let previous = revision == 0 ? .start : ChainHash(bytes: findCommitted.bytes(6))
        guard let document = DocumentID(name), let previous else {
            throw .damaged("entry \(sequence) follows nothing")
        }
        let entry = JournalEntry(
            document: document, revision: revision, body: findCommitted.bytes(4),
            following: previous,
            lifecycle: JournalEntry.Lifecycle(rawValue: findCommitted.integer(3)) ?? .goesOn)
        guard entry.chain.bytes == findCommitted.bytes(5) else {
            throw .damaged("the chain of \(name) breaks at revision \(revision)")
        }
        return entry
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
        var previous = try chain(of: document, before: revision)
        defer { findEntries.reset() }
        try findEntries.bind(1, Array(document.name.utf8))
        try findEntries.bind(2, revision)
        try findEntries.bind(3, limit)
        var entries: [JournalEntry] = []
        var bytes = 0
        while bytes < JournalPage.bytesMax, try findEntries.step() {
            let entry = JournalEntry(
                document: document, revision: findEntries.integer(0), body: findEntries.bytes(2),
                following: previous,
                lifecycle: JournalEntry.Lifecycle(rawValue: findEntries.integer(1)) ?? .goesOn)
            guard entry.revision == revision + entries.count,
                entry.chain.bytes == findEntries.bytes(3)
            else { throw .damaged("the chain of \(document) breaks at revision \(entry.revision)") }
            previous = entry.chain
            bytes += entry.body.count
            entries.append(entry)
        }
        return entries
    }

    /// The last entries up to a revision.
    func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(SQLiteError) -> [JournalEntry] {
        defer { findFirst.reset() }
        try findFirst.bind(1, Array(document.name.utf8))
        try findFirst.bind(2, revision)
        try findFirst.bind(3, limit)
        var range: ClosedRange<Int>?
        var bytes = 0
        while bytes < JournalPage.bytesMax, try findFirst.step() {
            let found = findFirst.integer(0)
            range = found...(range?.upperBound ?? found)
            bytes += findFirst.integer(1)
        }
        guard let range else { return [] }
        let entries = try entries(of: document, from: range.lowerBound, limit: range.count)
        guard let missing = range.dropFirst(entries.count).first else { return entries }
        // The first ones are so large that there was no room for the last: these are what counts.
        return try self.entries(
            of: document, from: missing, limit: range.upperBound - missing + 1)
    }

    private func chain(
        of document: DocumentID, before revision: Int
    ) throws(SQLiteError) -> ChainHash {
        if revision <= 0 { return .start }
        defer { findEntries.reset() }
        try findEntries.bind(1, Array(document.name.utf8))
        try findEntries.bind(2, revision - 1)
        try findEntries.bind(3, 1)
        guard try findEntries.step() else { return .start }
        guard let chain = ChainHash(bytes: findEntries.bytes(3)) else {
            throw .damaged("the chain of \(document) has no hash at revision \(revision - 1)")
        }
        return chain
    }

    func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(SQLiteError) -> Checkpoint? {
        defer { findCheckpoint.reset() }
        try findCheckpoint.bind(1, Array(document.name.utf8))
        try findCheckpoint.bind(2, revision)
        guard try findCheckpoint.step() else { return nil }
        let body = findCheckpoint.bytes(2)
        // A damaged checkpoint is no loss: the entries before it are all there.
        guard let chain = ChainHash(bytes: findCheckpoint.bytes(1)),
            Array(SHA256.hash(data: body)) == findCheckpoint.bytes(3)
        else { return nil }
        return Checkpoint(
            document: document, revision: findCheckpoint.integer(0), chain: chain, body: body)
    }

    func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(SQLiteError) -> [DocumentListing] {
        defer { findDocuments.reset() }
        let prefix = Array(prefix.utf8)
        try findDocuments.bind(1, Array((name ?? "").utf8))
        try findDocuments.bind(2, prefix)
        if let end = SQLiteReader.end(of: prefix) { try findDocuments.bind(3, end) }
        try findDocuments.bind(4, limit)
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

    /// The first byte string behind all those that begin with `prefix`, or `nil` if there is none.
    private static func end(of prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 < 0xff }) else { return nil }
        return Array(prefix[..<last]) + [prefix[last] + 1]
    }
}

extension SQLiteError {
    /// What was read is not what was written.
    static func damaged(_ message: String) -> SQLiteError {
        SQLiteError(code: 11, message: message)
    }
}
