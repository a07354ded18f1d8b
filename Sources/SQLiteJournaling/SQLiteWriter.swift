import Hashing
import Journaling

/// The one connection that writes.
struct SQLiteWriter {
    /// Bytes in the write-ahead log above which it is moved into the database.
    private static let loggedBytesMax = 16 << 20
    /// Pages that go back to the disk with a segment at most, so that no commit waits long.
    private static let pagesGivenBack = 1_024

    private let connection: SQLiteConnection
    /// Pages in the write-ahead log above which it is moved into the database.
    private let loggedPagesMax: Int
    private let observer: (any JournalObserver)?
    private let begin, commit, rollback: SQLiteStatement
    private let insertEntry, insertDocument, markDeleted, findKey, findTail: SQLiteStatement
    private let checkpoints: SQLiteCheckpoints
    private let insertSegment, removeEntries: SQLiteStatement
    private let erasure: ErasureState
    private var tails: [DocumentID: Tail] = [:]
    /// Where documents ended when they were rewritten: older checkpoints have what is gone.
    private var rewritten: [DocumentID: Int] = [:]
    /// Whether the files may contain remains of erased entries.
    private var hasLeftovers: Bool
    /// Why nothing is written any more.
    private var stopped: String?
    /// Whether the log grows because no room is left to move it into the file.
    private var isCheckpointLate = false
    private var logRoom: LogRoom
    /// The last committed entry.
    private(set) var mark: HighWaterMark.Mark

    /// The last entry of a document. We are the only writer, so the cache is always current.
    private struct Tail {
        let key: Int
        var head: JournalHead?
    }

    /// Tails that are remembered, so that a commit looks up few.
    private static let tailsMax = 100_000

    init(_ connection: SQLiteConnection, _ observer: (any JournalObserver)? = nil) throws {
        self.connection = connection
        self.observer = observer
        try SQLiteWriter.configure(connection)
        let pageBytes = max(1, try connection.integer("PRAGMA page_size"))
        loggedPagesMax = SQLiteWriter.loggedBytesMax / pageBytes
        logRoom = LogRoom(pageBytes: pageBytes, pagesMax: loggedPagesMax)
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        findKey = try connection.prepare("SELECT key FROM document WHERE name = ?1")
        insertDocument = try connection.prepare(
            "INSERT INTO document(name, deleted) VALUES(?1, 0) RETURNING key")
        markDeleted = try connection.prepare("UPDATE document SET deleted = ?2 WHERE key = ?1")
        findTail = try connection.prepare(
            "SELECT revision, chain FROM entry WHERE document = ?1 ORDER BY revision DESC LIMIT 1")
        // Nothing but values: with a SELECT, SQLite makes a table and a journal for each statement.
        insertEntry = try connection.prepare(
            "INSERT INTO entry(sequence, document, revision, lifecycle, body, chain) "
                + "VALUES(?6, ?1, ?2, ?3, ?4, ?5) ON CONFLICT(document, revision) DO NOTHING")
        checkpoints = try SQLiteCheckpoints(connection)
        insertSegment = try connection.prepare(
            """
            INSERT INTO segment(
                document, first, count, first_sequence, last_sequence, chain, body, key)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        removeEntries = try connection.prepare(
            "DELETE FROM entry WHERE document = ?1 AND revision BETWEEN ?2 AND ?3")
        erasure = ErasureState(connection)
        // A mark from before the last rewriting may be next to the journal.
        hasLeftovers = try erasure.formerMark != nil
        mark = try connection.lastMark()
    }

    /// Settings, and proof that they took: a commit must mean an fsync.
    private static func configure(_ connection: SQLiteConnection) throws {
        // The setting takes effect in an empty file only; in others it would be a needless write.
        if try connection.integer("PRAGMA user_version") == 0 {
            // Small ones: what is left over at the end of each is a part of a short history.
            try connection.execute("PRAGMA page_size = 1024; PRAGMA auto_vacuum = INCREMENTAL")
        }
        let mode = try connection.prepare("PRAGMA journal_mode = WAL")
        guard try mode.step(), mode.text(0) == "wal" else {
            throw JournalError.unavailable("SQLite cannot keep a write-ahead log here")
        }
        mode.reset()
        try connection.execute("PRAGMA synchronous = FULL")
        // SQLite overwrites deleted content, so that an erasure leaves nothing.
        try connection.execute("PRAGMA secure_delete = ON")
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF")
        connection.countLoggedPages()
        guard try connection.integer("PRAGMA synchronous") == 2 else {
            throw JournalError.unavailable("SQLite does not keep synchronous = FULL")
        }
        switch try connection.integer("PRAGMA user_version") {
        case 0:
            try connection.execute(
                "BEGIN; \(Schema.statements) \(Schema.segmentStatements) "
                    + "\(Schema.indexStatements) COMMIT")
        case Schema.withoutSegments:
            try Schema.check(connection)
            try connection.execute(
                "BEGIN; \(Schema.segmentStatements) \(Schema.indexStatements) "
                    + "\(ErasureState.leftoversStatement) COMMIT")
        case Schema.withoutIndex:
            try Schema.check(connection)
            try connection.execute("BEGIN; \(Schema.indexStatements) COMMIT")
        case Schema.version: try Schema.check(connection)
        case let version:
            throw JournalError.unavailable(
                "the journal has schema \(version); this versiond knows \(Schema.version)")
        }
    }

    /// Notes that there is a mark, and from now on must be.
    func noteMark() throws(SQLiteError) {
        if try connection.integer("PRAGMA application_id") == Schema.markedID { return }
        try connection.execute("PRAGMA application_id = \(Schema.markedID)")
    }

    /// Refuses all commits from now on.
    mutating func stop(_ reason: String) {
        stopped = stopped ?? reason
    }

    mutating func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        if let stopped { throw .stopped(stopped) }
        let fates: [EntryFate]
        do {
            fates = try store(batch)
        } catch {
            tails = [:]
            if connection.isInTransaction { try? rollback.run() }
            throw error.whenCommitting
        }
        checkpointIfDue()
        makeLogRoom()
        return fates
    }

    /// The batch is durable at this point; without room, the next one reports the error.
    private mutating func makeLogRoom() {
        guard let wanted = logRoom.wanted(used: connection.loggedPages) else { return }
        logRoom.found(bytes: connection.lengthenLog(to: wanted), wanted: wanted)
    }

    private mutating func store(_ batch: JournalBatch) throws(SQLiteError) -> [EntryFate] {
        var fates: [EntryFate] = []
        fates.reserveCapacity(batch.entries.count)
        var last = mark
        try begin.run()
        var unit = 0
        for place in batch.entries.indices where place >= fates.count {
            if unit < batch.units.count, batch.units[unit].places.contains(place) {
                fates += try store(batch.units[unit], of: batch, &last)
                unit += 1
            } else {
                fates.append(try store(batch.entries[place], &last))
            }
        }
        for checkpoint in batch.checkpoints {
            try storeIfPossible { writer throws(SQLiteError) in try writer.insert(checkpoint) }
        }
        if let update = batch.index {
            try storeIfPossible { writer throws(SQLiteError) in
                try StoredIndex(writer.connection).store(update)
            }
        }
        let start = observer?.now()
        try commit.run()  // Durable when this returns.
        if let observer, let start { observer.synced(in: observer.now() - start) }
        mark = last
        return fates
    }

    private mutating func store(
        _ entry: JournalEntry, _ last: inout HighWaterMark.Mark
    ) throws(SQLiteError) -> EntryFate {
        guard try insert(entry, sequence: last.sequence + 1) else { return .refused }
        last = HighWaterMark.Mark(sequence: last.sequence + 1, chain: entry.chain.bytes)
        return .stored(sequence: last.sequence)
    }

    /// Stores all entries of a unit, or none. A unit that follows the stored state succeeds as a
    /// rule: the savepoint is for files in another state.
    private mutating func store(
        _ unit: JournalUnit, of batch: JournalBatch, _ last: inout HighWaterMark.Mark
    ) throws(SQLiteError) -> [EntryFate] {
        let refused = unit.places.map { _ in EntryFate.refused }
        let entries = Array(batch.entries[unit.places])
        guard try follows(JournalBatch(unit: entries, if: unit.conditions)) else { return refused }
        let before = last
        try connection.execute("SAVEPOINT unit")
        var fates: [EntryFate] = []
        for entry in entries { fates.append(try store(entry, &last)) }
        if fates.contains(.refused) {
            try connection.execute("ROLLBACK TO unit")
            (tails, last, fates) = ([:], before, refused)
        }
        try connection.execute("RELEASE unit")
        return fates
    }

    private mutating func follows(_ unit: JournalBatch) throws(SQLiteError) -> Bool {
        try unit.following { document throws(SQLiteError) in
            // A query does not create a document.
            if tails[document] == nil, try known(document) == nil { return nil }
            return try tail(of: document).head
        }.allSatisfy { $0 }
    }

    /// Stores an entry, if it follows its document's last one.
    private mutating func insert(
        _ entry: JournalEntry, sequence: Int
    ) throws(SQLiteError) -> Bool {
        var tail = try tail(of: entry.document)
        if !entry.follows(tail.head) {
            // A refusal must rest on the file, not on the memory of it.
            tails[entry.document] = nil
            tail = try self.tail(of: entry.document)
            guard entry.follows(tail.head) else { return false }
        }
        try insertEntry.bind(1, tail.key)
        try insertEntry.bind(2, entry.revision)
        try insertEntry.bind(3, entry.lifecycle.rawValue)
        try insertEntry.bind(4, entry.body)
        try insertEntry.bind(5, entry.chain.bytes)
        try insertEntry.bind(6, sequence)
        try insertEntry.run()
        guard connection.changes == 1 else {
            tails[entry.document] = nil
            return false
        }
        if entry.lifecycle != .goesOn && entry.revision > 0 {
            try markDeleted.bind(1, tail.key)
            try markDeleted.bind(2, entry.lifecycle == .ends ? 1 : 0)
            try markDeleted.run()
        }
        tail.head = entry.head
        tails[entry.document] = tail
        return true
    }

    /// Puts a segment in the place of its entries, in one commit. Returns `false` if they are not
    /// there.
    mutating func commit(_ segment: Segment) throws(JournalError) -> Bool {
        try committing { writer throws(SQLiteError) in try writer.store(segment) }
    }

    /// Puts a document's packed checkpoints in the place of others, in one commit; nothing if those
    /// are not there any more.
    mutating func commit(_ packed: SQLiteCheckpoints.Packed) throws(JournalError) {
        _ = try committing { writer throws(SQLiteError) in try writer.store(packed) }
    }

    /// Stores cuts in the place of those that are known, in one commit; `false` if others are
    /// stored.
    mutating func commit(
        _ cuts: [HistoryCut], replacing known: [HistoryCut]
    ) throws(JournalError) -> Bool {
        try committing { writer throws(SQLiteError) in
            let stored = StoredCuts(writer.connection)
            guard try stored.read() == known else { return false }
            // One statement is one commit.
            try stored.write(cuts)
            return true
        }
    }

    private mutating func committing(
        _ store: (inout SQLiteWriter) throws(SQLiteError) -> Bool
    ) throws(JournalError) -> Bool {
        if let stopped { throw .stopped(stopped) }
        do throws(SQLiteError) {
            return try store(&self)
        } catch {
            if connection.isInTransaction { try? rollback.run() }
            let failure = error.whenCommitting
            // After a failed fsync of any caller, no commit may follow.
            if failure.isFinal { stop("\(failure)") }
            throw failure
        }
    }

    private func store(_ segment: Segment) throws(SQLiteError) -> Bool {
        try begin.run()
        let key = try key(of: segment.document)
        try removeEntries.bind(1, key)
        try removeEntries.bind(2, segment.first)
        try removeEntries.bind(3, segment.first + segment.count - 1)
        try removeEntries.run()
        guard connection.changes == segment.count else {
            try rollback.run()
            return false
        }
        try insert(segment, of: key, as: nil)
        return try endPacking()
    }

    private func store(_ packed: SQLiteCheckpoints.Packed) throws(SQLiteError) -> Bool {
        try begin.run()
        guard try checkpoints.replace(packed) else {
            try rollback.run()
            return false
        }
        return try endPacking()
    }

    private func endPacking() throws(SQLiteError) -> Bool {
        // Each step returns a part of the free pages to the disk; it need not be all.
        try connection.execute("PRAGMA incremental_vacuum(\(SQLiteWriter.pagesGivenBack))")
        try commit.run()
        return true
    }

    /// `number`: the segment's own key; `nil` for the next one.
    private func insert(
        _ segment: Segment, of document: Int, as number: Int?
    ) throws(SQLiteError) {
        try insertSegment.bind(1, document)
        try insertSegment.bind(2, segment.first)
        try insertSegment.bind(3, segment.count)
        try insertSegment.bind(4, segment.sequences.lowerBound)
        try insertSegment.bind(5, segment.sequences.upperBound)
        try insertSegment.bind(6, segment.chain.bytes)
        try insertSegment.bind(7, segment.body)
        if let number { try insertSegment.bind(8, number) }
        try insertSegment.run()
    }

    /// Rewrites the file without gaps, in the mode in which it can free pages later.
    func compact() throws(JournalError) {
        do {
            try connection.compact()
            try connection.checkpoint(isWhole: true)
        } catch {
            throw error.whenCommitting
        }
    }

    /// A missing checkpoint only makes replay longer, and an index can be behind, so their failure
    /// must not fail entries.
    private mutating func storeIfPossible(
        _ store: (inout SQLiteWriter) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try connection.execute("SAVEPOINT extra")
        if (try? store(&self)) == nil {
            // A full disk ends the whole transaction, and then there is none to go back to.
            guard connection.isInTransaction else { throw connection.error }
            try connection.execute("ROLLBACK TO extra")
        }
        try connection.execute("RELEASE extra")
    }

    private mutating func insert(_ checkpoint: Checkpoint) throws(SQLiteError) {
        guard try isCurrent(checkpoint) else { return }
        try checkpoints.insert(checkpoint, of: try tail(of: checkpoint.document).key)
    }

    /// Whether the document was not rewritten since; then its chain is another one.
    private mutating func isCurrent(_ checkpoint: Checkpoint) throws(SQLiteError) -> Bool {
        guard let end = rewritten[checkpoint.document] else { return true }
        if checkpoint.revision != end { return checkpoint.revision > end }
        guard let head = try tail(of: checkpoint.document).head else { return false }
        return head.revision > end || head.chain == checkpoint.chain
    }

    private mutating func tail(of document: DocumentID) throws(SQLiteError) -> Tail {
        if let known = tails[document] { return known }
        if tails.count >= SQLiteWriter.tailsMax { tails = [:] }
        let key = try key(of: document)
        try findTail.bind(1, key)
        defer { findTail.reset() }
        var tail = Tail(key: key)
        if try findTail.step() {
            guard let chain = ChainHash(bytes: findTail.bytes(1)) else {
                throw .damaged("the last entry of \(document) has no chain")
            }
            tail.head = JournalHead(revision: findTail.integer(0), chain: chain)
        }
        tails[document] = tail
        return tail
    }

    private func key(of document: DocumentID) throws(SQLiteError) -> Int {
        if let key = try known(document) { return key }
        guard let key = try key(of: document, insertDocument) else { throw connection.error }
        return key
    }

    /// The key of a document that there is.
    private func known(_ document: DocumentID) throws(SQLiteError) -> Int? {
        try key(of: document, findKey)
    }

    private func key(
        of document: DocumentID, _ statement: SQLiteStatement
    ) throws(SQLiteError) -> Int? {
        try statement.bind(1, Array(document.name.utf8))
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Puts segments in the place of all that there is of a document, and an entry behind them.
    mutating func commit(
        _ segments: [Segment], last: Segment.Numbered
    ) throws(JournalError) {
        if let stopped { throw .stopped(stopped) }
        do {
            try replace(with: segments, last)
        } catch {
            tails = [:]
            if connection.isInTransaction { try? rollback.run() }
            let failure = error.whenCommitting
            if failure.isFinal { stop("\(failure)") }
            throw failure
        }
        rewritten[last.entry.document] = last.entry.revision
    }

    private mutating func replace(
        with segments: [Segment], _ last: Segment.Numbered
    ) throws(SQLiteError) {
        try begin.run()
        let document = last.entry.document
        let key = try key(of: document)
        try erasure.begin(at: mark)
        // Keys are never used again: readers remember by them what they have unpacked.
        let lastKey = try connection.integer("SELECT coalesce(max(key), 0) FROM segment")
        for table in ["entry", "segment", "checkpoint"] {
            try connection.execute("DELETE FROM \(table) WHERE document = \(key)")
        }
        for (index, segment) in segments.enumerated() {
            try insert(segment, of: key, as: lastKey + 1 + index)
        }
        tails[document] = Tail(
            key: key,
            head: JournalHead(
                revision: last.entry.revision - 1, chain: last.entry.previousChain))
        guard try insert(last.entry, sequence: last.sequence) else {
            throw .damaged("the end of \(document) does not follow")
        }
        try connection.execute("PRAGMA incremental_vacuum(\(SQLiteWriter.pagesGivenBack))")
        let end = try connection.lastMark()
        try commit.run()  // Durable when this returns.
        mark = end
    }

    /// The mark next to the journal is the new one.
    func endRewriting() throws(JournalError) {
        do { try erasure.end() } catch { throw error.whenCommitting }
    }

    /// Removes all remains of replaced entries from the files; see `ErasureState`. Throws
    /// `.leftovers` if there is no room for that, or if a reader prevents the log from being
    /// emptied.
    mutating func finishErasure() throws(JournalError) {
        hasLeftovers = true
        try removeLeftovers()
    }

    /// Removes what an erasure has left, if something is left. Throws as `finishErasure`.
    mutating func removeLeftovers() throws(JournalError) {
        guard hasLeftovers else { return }
        do {
            try erasure.finish()
            hasLeftovers = try !connection.checkpoint(isWhole: true)
            logRoom.emptied()
        } catch {
            throw error.whenFinishingErasure
        }
        if hasLeftovers { throw .leftovers("a reader keeps it in the log for a while") }
    }

    /// The batch is durable by now; if the log cannot be moved, it is the next one that is refused.
    private mutating func checkpointIfDue() {
        guard connection.loggedPages >= loggedPagesMax else { return }
        let start = observer?.now()
        do {
            try connection.checkpoint()
            if let observer, let start { observer.checkpointed(in: observer.now() - start) }
            isCheckpointLate = false
        } catch {
            // A full disk may have room again by the next attempt; any other fault stays one.
            guard error.code == SQLiteError.full else {
                stopped = "the log cannot be moved: \(error.message)"
                return
            }
            // Said once: it is tried again after each commit.
            if !isCheckpointLate { observer?.checkpointFailed("\(error.message)") }
            isCheckpointLate = true
        }
    }

    /// Moves the log into the database; what cannot be moved stays in the log and is read from
    /// there.
    func close() {
        _ = try? connection.checkpoint(isWhole: true)
    }
}
