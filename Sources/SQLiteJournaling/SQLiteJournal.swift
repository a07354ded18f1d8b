import Glibc
public import Journaling
import Threading

/// A journal in one SQLite file.
///
/// One connection writes, in one transaction for each batch, with `synchronous=FULL`; it alone
/// moves the write-ahead log into the database. Readers have connections of their own.
public final class SQLiteJournal: Journal {
    private let writing: Lock<Writing>
    let readers: ReaderPool
    let path: String
    let room: DiskRoom
    let observer: (any JournalObserver)?
    /// The number of the last entry; outside the writer, so that reading it waits for no commit.
    let committed: Lock<Int>
    /// Why the last commit was refused for lack of room, if nothing was stored since.
    private let lack = Lock<JournalError?>(nil)
    public let knownCuts = KnownCuts()
    let segments = SegmentCache<Int>()
    let columns: any BodyColumns
    /// The key of the last document that packing has visited on its way through all.
    let packingPosition = Lock(0)

    /// Opens the journal in a directory, and makes it if there is none.
    ///
    /// Throws `.corrupt` if entries are missing that were once confirmed, unless `acceptingLoss`.
    /// `columns` takes the bodies of entries apart that are packed.
    public init(
        directory: String, acceptingLoss: Bool = false, columns: any BodyColumns = WholeBodies(),
        observer: (any JournalObserver)? = nil
    ) throws(JournalError) {
        self.columns = columns
        self.observer = observer
        path = directory + "/journal.sqlite"
        room = DiskRoom(directory: directory)
        readers = ReaderPool(path, segments)
        (writing, committed) = (Lock(.closed), Lock(0))
        let mark = acceptingLoss ? nil : try HighWaterMark.read(in: directory)
        if let mark, mark.sequence > 0 { try SQLiteJournal.checkFile(path) }
        do throws(JournalError) {
            try openForWriting(checking: acceptingLoss ? nil : .some(mark))
            room.keepReserve()
        } catch {
            if acceptingLoss { throw error }
            try openWithoutRoom(checking: mark, after: error)
        }
        try readCuts()
    }

    /// Opens the journal in a directory for reading only: nothing in its files changes. For the
    /// operator's tools.
    ///
    /// - Parameter isInUse: whether a daemon may be writing there; later entries are not visible.
    public init(readingFrom directory: String, isInUse: Bool = false) throws(JournalError) {
        columns = WholeBodies()
        observer = nil
        path = directory + "/journal.sqlite"
        room = DiskRoom(directory: directory)
        readers = ReaderPool(path, segments)
        writing = Lock(.closed)
        let mode = SQLiteConnection.Mode.reading(path, isInUse: isInUse)
        do {
            try SQLiteJournal.checkFile(path)
            let connection = try SQLiteConnection(path: path, mode: mode)
            if try Schema.isMissing(connection) { throw Schema.missing(in: path) }
            committed = Lock(try connection.lastMark().sequence)
            try readers.open(mode)
        } catch {
            throw SQLiteJournal.opening(error)
        }
        try readCuts()
    }

    /// An error of opening, as what it means for the caller.
    static func opening(_ error: any Error) -> JournalError {
        error as? JournalError ?? (error as? SQLiteError)?.whenReading ?? .unavailable("\(error)")
    }

    /// SQLite would make an empty database in the place of a lost one.
    static func checkFile(_ path: String) throws(JournalError) {
        guard unsafe access(path, F_OK) == 0 else {
            throw .corrupt("\(path) is missing: \(HighWaterMark.advice)")
        }
    }

    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        do throws(JournalError) {
            let fates = try withWriter { marked throws(JournalError) in
                let fates = try marked.commit(batch)
                committed.withLock { $0 = marked.writer.mark.sequence }
                return fates
            }
            noteLack(nil)
            return fates
        } catch {
            if case .full = error { noteLack(error) }
            throw error
        }
    }

    public var fault: JournalError? { lack.withLock { $0 } }

    func noteLack(_ error: JournalError?) {
        lack.withLock { $0 = error }
    }

    /// Calls `body` with exclusive use of the writer. If there was no room to open the writer and
    /// there is now, opens it first.
    func withWriter<Result>(
        _ body: (MarkedWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try writing.withLock { writing throws(JournalError) in
            if case .withoutRoom = writing { try reopen(&writing) }
            guard case .open(let marked, let identity) = writing else {
                throw .stopped("the journal is closed")
            }
            // Commits into a removed or replaced file would be lost.
            if FileIdentity(path) != identity {
                marked.writer.stop("\(path) has been removed or replaced")
            }
            return try body(marked)
        }
    }

    func setWriting(_ new: Writing) {
        writing.withLock { $0 = new }
    }

    /// How many documents of clients there are or were. O(documents of the daemon's own).
    public func documentCount() throws(JournalError) -> Int {
        try reading { reader throws(SQLiteError) in try reader.documentCount() }
    }

    /// The version of SQLite that is at work.
    public static var libraryVersion: String { SQLiteConnection.libraryVersion }

    public var lastSequence: Int { committed.withLock { $0 } }

    public func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        let last = min(last, lastSequence)
        return try reading { reader throws(SQLiteError) in
            try reader.entries(after: sequence, upTo: last, prefix: prefix, limit: limit)
        }
    }

    public func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage {
        let last = min(last, lastSequence)
        return try reading { reader throws(SQLiteError) in
            try reader.entries(after: sequence, upTo: last, of: documents, limit: limit)
        }
    }

    public func head(of document: DocumentID) throws(JournalError) -> JournalHead? {
        try reading { reader throws(SQLiteError) in try reader.head(of: document) }
    }

    public func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try reading { reader throws(SQLiteError) in
            try reader.entries(of: document, from: revision, limit: limit)
        }
    }

    public func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try reading { reader throws(SQLiteError) in
            try reader.entries(of: document, upTo: revision, limit: limit)
        }
    }

    public func segment(
        of document: DocumentID, holding revision: Int
    ) throws(JournalError) -> Segment? {
        try reading { reader throws(SQLiteError) in
            try reader.segments?.segment(of: document, holding: revision)
        }
    }

    public func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(JournalError) -> Checkpoint? {
        try reading { reader throws(SQLiteError) in
            try reader.checkpoint(of: document, notAfter: revision)
        }
    }

    public func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing] {
        try reading { reader throws(SQLiteError) in
            try reader.documents(prefix: prefix, after: name, limit: limit)
        }
    }

    public func documents(
        changedAfter sequence: Int, prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentRevision] {
        try reading { reader throws(SQLiteError) in
            try reader.documents(
                changedAfter: sequence, prefix: prefix, after: name, limit: limit)
        }
    }

    public func close() {
        readers.close()
        writing.withLock { writing in
            if case .open(let marked, _) = writing {
                marked.writer.close()
                try? marked.highWater.sync()
            }
            // SQLite removes the log with the last connection.
            writing = .closed
        }
    }

    /// Reads with a connection of its own.
    func reading<Result>(
        _ body: (SQLiteReader) throws(SQLiteError) -> Result
    ) throws(JournalError) -> Result {
        do throws(SQLiteError) { return try readers.reading(body) } catch {
            throw error.whenReading
        }
    }
}
