public import Journaling

/// Checks the files of a journal for damage. Changes nothing.
public enum SQLiteCheck {
    /// The faults, one sentence each; empty if the files are whole.
    ///
    /// The chains of documents prove each step, not that the end was reached: so entries are
    /// counted, and found through the table and through the index.
    ///
    /// - Parameter isInUse: whether a daemon may be writing there: then the check reads the state
    ///   of one moment.
    public static func faults(
        in directory: String, isInUse: Bool = false
    ) throws(JournalError) -> [String] {
        let path = directory + "/journal.sqlite"
        do {
            // First the mark: the state that is read after it must reach at least as far.
            let mark = try HighWaterMark.read(in: directory)
            let connection = try SQLiteConnection(
                path: path, mode: .reading(path, isInUse: isInUse))
            try connection.execute("BEGIN")
            return try faults(connection, mark)
        } catch {
            throw SQLiteJournal.opening(error)
        }
    }

    /// Whether nothing was ever stored in a directory, because its first start found no room for
    /// the tables: then there is nothing to check.
    public static func isEmpty(
        _ directory: String, isInUse: Bool = false
    ) throws(JournalError) -> Bool {
        let path = directory + "/journal.sqlite"
        do {
            if let mark = try HighWaterMark.read(in: directory), mark != .start { return false }
            return try Schema.isMissing(
                SQLiteConnection(path: path, mode: .reading(path, isInUse: isInUse)))
        } catch {
            throw SQLiteJournal.opening(error)
        }
    }

    private static func faults(
        _ connection: SQLiteConnection, _ mark: HighWaterMark.Mark?
    ) throws -> [String] {
        try Schema.check(connection)
        var faults = try connection.texts("PRAGMA integrity_check").filter { $0 != "ok" }
        let hasSegments = try connection.hasSegments
        for query in hasSegments ? queries + segmentQueries : queries {
            // In files without segments, the same queries see a table without rows.
            let known = hasSegments ? query : noSegments + query
            faults += try connection.texts(known)
        }
        if hasSegments { faults += try wronglyListed(connection) }
        do throws(JournalError) {
            try connection.checkReach(mark)
        } catch {
            faults.append("\(error)")
        }
        return faults
    }

    /// Documents listed as deleted or not, where what says so was packed.
    private static func wronglyListed(_ connection: SQLiteConnection) throws -> [String] {
        let segments = try SQLiteSegments(connection, SegmentCache<Int>())
        let statement = try connection.prepare(
            """
            SELECT name, deleted, max(segment.first + segment.count) - 1
            FROM document JOIN segment ON segment.document = document.key
            WHERE NOT EXISTS (SELECT 1 FROM entry WHERE entry.document = document.key
                AND lifecycle <> \(JournalEntry.Lifecycle.goesOn.rawValue))
            GROUP BY document.key
            """)
        var faults: [String] = []
        while try statement.step() {
            let name = String(decoding: statement.bytes(0), as: UTF8.self)
            do throws(SQLiteError) {
                let isEnded = try isEnded(name, upTo: statement.integer(2), segments)
                if isEnded == (statement.integer(1) != 0) { continue }
                faults.append("document \(name) is listed as \(isEnded ? "there" : "deleted")")
            } catch {
                faults.append("\(error)")
            }
        }
        return faults
    }

    /// Whether the last packed entry that begins or ends a document ends it.
    private static func isEnded(
        _ name: String, upTo revision: Int, _ segments: SQLiteSegments
    ) throws(SQLiteError) -> Bool {
        guard let document = DocumentID(name) else { throw .damaged("a document has no name") }
        var next = revision
        while let entries = try segments.entries(of: document, holding: next) {
            if let turn = entries.last(where: { $0.entry.lifecycle != .goesOn }) {
                return turn.entry.lifecycle == .ends
            }
            next = (entries.first?.entry.revision ?? 0) - 1
        }
        return false
    }

    private static let noSegments =
        "WITH segment(document, first, count) AS (SELECT 0, 0, 0 WHERE 0) "

    /// Each finds faults, and nothing in a whole journal.
    private static let queries = [
        """
        SELECT 'the table has ' || tableCount || ' entries, the index ' || indexCount
            || ', the segments ' || packedCount || ', and the last number is ' || last
        FROM (SELECT
            (SELECT count(*) FROM entry NOT INDEXED) AS tableCount,
            (SELECT count(*) FROM entry INDEXED BY entry_revision) AS indexCount,
            (SELECT coalesce(sum(count), 0) FROM segment) AS packedCount,
            (SELECT coalesce(max(sequence), 0) FROM entry) AS last)
        WHERE tableCount + packedCount <> last OR indexCount <> tableCount
        """,
        """
        SELECT 'document ' || document || ' has ' || count(*) || ' entries, from '
            || min(revision) || ' to ' || max(revision)
        FROM entry GROUP BY document
        HAVING min(revision) <> coalesce((SELECT max(segment.first + segment.count) FROM segment
                WHERE segment.document = entry.document), 0)
            OR count(*) <> max(revision) - min(revision) + 1
        """,
        """
        SELECT 'entry ' || sequence || ' belongs to no document' FROM entry
        WHERE document NOT IN (SELECT key FROM document)
        """,
        """
        SELECT 'document ' || key || ' is listed as deleted or not, and its entries say otherwise'
        FROM document JOIN entry AS last ON last.document = key AND last.revision =
            (SELECT max(revision) FROM entry WHERE document = key
                AND lifecycle <> \(JournalEntry.Lifecycle.goesOn.rawValue))
        WHERE deleted <> (last.lifecycle = \(JournalEntry.Lifecycle.ends.rawValue))
        """,
    ]

    private static let segmentQueries = [
        """
        SELECT 'document ' || document || ' has no segment before revision ' || first
        FROM segment WHERE first <> coalesce(
            (SELECT former.first + former.count FROM segment AS former
             WHERE former.document = segment.document AND former.first < segment.first
             ORDER BY former.first DESC LIMIT 1), 0)
        """,
        """
        SELECT 'segment ' || key || ' belongs to no document, or to one that has only segments'
        FROM segment WHERE document NOT IN (SELECT document FROM entry)
        """,
    ]
}

extension SQLiteConnection {
    /// The first column of all rows.
    func texts(_ sql: String) throws(SQLiteError) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }

    /// The last entry in the order of commits.
    func lastMark() throws(SQLiteError) -> HighWaterMark.Mark {
        let statement = try prepare(
            "SELECT sequence, chain FROM entry ORDER BY sequence DESC LIMIT 1")
        guard try statement.step() else { return .start }
        return HighWaterMark.Mark(sequence: statement.integer(0), chain: statement.bytes(1))
    }

    var hasSegments: Bool {
        get throws(SQLiteError) {
            try integer("PRAGMA user_version") != Schema.withoutSegments
        }
    }

    /// How many entries there are, packed or not.
    private func entryCount() throws(SQLiteError) -> Int {
        let unpacked = try integer("SELECT count(*) FROM entry")
        guard try hasSegments else { return unpacked }
        return unpacked + (try integer("SELECT coalesce(sum(count), 0) FROM segment"))
    }

    /// Throws `.corrupt` if entries are missing that were once confirmed.
    func checkReach(_ mark: HighWaterMark.Mark?) throws(JournalError) {
        do throws(SQLiteError) {
            let last = try lastMark()
            guard let mark else {
                let isMarked = try integer("PRAGMA application_id") == Schema.markedID
                if last.sequence == 0 || !isMarked { return }
                throw .lost(
                    "the file high-water is missing, and the journal has \(last.sequence) entries")
            }
            let isThere = try chain(at: mark.sequence) == mark.chain
            guard try isThere ? true : isFormer(mark) else {
                throw .lost(
                    "the journal once held entry \(mark.sequence), and now ends at "
                        + "\(last.sequence) or holds another one")
            }
            let count = try entryCount()
            guard count == last.sequence else {
                throw .lost("the journal has \(count) entries, and should have \(last.sequence)")
            }
        } catch {
            throw error.whenReading
        }
    }

    /// Whether the mark is from before a document was rewritten.
    private func isFormer(_ mark: HighWaterMark.Mark) throws(SQLiteError) -> Bool {
        guard try hasSegments else { return false }
        return try ErasureState(self).isFormer(mark)
    }

    /// The chain of the entry with this number; empty for the one before the first.
    private func chain(at sequence: Int) throws(SQLiteError) -> [UInt8]? {
        if sequence == 0 { return [] }
        let statement = try prepare("SELECT chain FROM entry WHERE sequence = ?1")
        try statement.bind(1, sequence)
        if try statement.step() { return statement.bytes(0) }
        guard try hasSegments else { return nil }
        var found: [UInt8]?
        try SQLiteSegments(self, SegmentCache<Int>()).forEach(
            after: sequence - 1, upTo: sequence, prefix: [], end: nil
        ) { _, entries throws(SQLiteError) in
            found = try entries().first { $0.sequence == sequence }?.entry.chain.bytes
            return found == nil
        }
        return found
    }
}

extension SQLiteError {
    fileprivate static func lost(_ what: String) -> SQLiteError {
        .damaged("\(what): \(HighWaterMark.advice)")
    }
}
