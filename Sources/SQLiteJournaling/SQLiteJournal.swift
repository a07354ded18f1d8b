import Glibc
public import Journaling
import Threading

/// A journal in one SQLite file.
///
/// One connection writes, in one transaction for each batch, with `synchronous=FULL`; it alone
/// moves the write-ahead log into the database. Readers have connections of their own.
public final class SQLiteJournal: Journal {
    /// Connections that may read at once.
    private static let readersMax = 4

    /// `nil` when the journal is closed, or only read.
    private let writer: Lock<SQLiteWriter?>
    private let readers: Lock<[SQLiteReader]>
    private let path: String
    private let mode: SQLiteConnection.Mode
    private let identity: FileIdentity?
    let highWater: HighWaterMark?
    /// The number of the last entry; beside the writer, so that nobody waits for a commit.
    let committed: Lock<Int>
    let segments = SegmentCache()
    let columns: any BodyColumns
    /// The key of the document that was looked at last, on the way through all of them to pack.
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
        path = directory + "/journal.sqlite"
        mode = .readOnly
        do {
            let mark = acceptingLoss ? nil : try HighWaterMark.read(in: directory)
            if let mark, mark.sequence > 0 { try SQLiteJournal.checkFile(path) }
            let connection = try SQLiteConnection(path: path, mode: .readWrite)
            Ownership.adopt(path, in: directory)
            let writer = try SQLiteWriter(connection, observer)
            if !acceptingLoss { try connection.checkReach(mark) }
            try writer.syncLog()
            highWater = try HighWaterMark(directory: directory, at: writer.mark)
            try writer.noteMark()
            if try writer.isUnfinished() { try writer.finishErasure() }
            identity = FileIdentity(path)
            self.writer = Lock(writer)
            committed = Lock(writer.mark.sequence)
        } catch {
            throw SQLiteJournal.opening(error)
        }
        readers = Lock(try SQLiteJournal.openReaders(path, .readOnly, segments))
    }

    /// Opens the journal in a directory for reading only: nothing in its files changes. For the
    /// operator's tools.
    ///
    /// - Parameter isInUse: whether somebody may be writing there; what is written later is not
    ///   seen.
    public init(readingFrom directory: String, isInUse: Bool = false) throws(JournalError) {
        columns = WholeBodies()
        path = directory + "/journal.sqlite"
        mode = .reading(path, isInUse: isInUse)
        writer = Lock(nil)
        highWater = nil
        identity = nil
        do {
            try SQLiteJournal.checkFile(path)
            let connection = try SQLiteConnection(path: path, mode: mode)
            committed = Lock(try connection.lastMark().sequence)
        } catch {
            throw SQLiteJournal.opening(error)
        }
        readers = Lock(try SQLiteJournal.openReaders(path, mode, segments))
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

    /// At once: later there may be no descriptor left.
    private static func openReaders(
        _ path: String, _ mode: SQLiteConnection.Mode, _ cache: SegmentCache
    ) throws(JournalError) -> [SQLiteReader] {
        do throws(SQLiteError) {
            var readers: [SQLiteReader] = []
            for _ in 0..<readersMax {
                readers.append(try SQLiteReader(path: path, mode: mode, cache))
            }
            return readers
        } catch {
            throw error.whenReading
        }
    }

    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        try withWriter { writer throws(JournalError) in
            let fates = try writer.commit(batch)
            let mark = writer.mark
            committed.withLock { $0 = mark.sequence }
            do throws(JournalError) {
                try highWater?.rise(to: mark)
            } catch {
                // This batch is durable; the next one would not be guarded.
                writer.stop("\(error)")
            }
            return fates
        }
    }

    /// Calls `body` with the writer, which nobody else uses meanwhile.
    func withWriter<Result>(
        _ body: (inout SQLiteWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try writer.withLock { writer throws(JournalError) in
            guard writer != nil else { throw .stopped("the journal is closed") }
            // A file that was removed or replaced would take commits that nobody finds again.
            if FileIdentity(path) != identity {
                writer!.stop("\(path) has been removed or replaced")
            }
            return try body(&writer!)
        }
    }

    /// How many documents there are or were. O(1).
    public func documentCount() throws(JournalError) -> Int {
        try reading { reader throws(SQLiteError) in try reader.documentCount() }
    }

    /// The version of SQLite that is at work.
    public static var libraryVersion: String { SQLiteConnection.libraryVersion }

    public var lastSequence: Int { committed.withLock { $0 } }

    public func entries(
        after sequence: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        let last = lastSequence
        return try reading { reader throws(SQLiteError) in
            try reader.entries(after: sequence, upTo: last, prefix: prefix, limit: limit)
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

    public func close() {
        readers.withLock { $0 = [] }
        writer.withLock { writer in
            writer?.close()
            // The last connection goes, and the log with it.
            writer = nil
        }
        try? highWater?.sync()
    }

    /// Reads with a connection that nobody else uses meanwhile.
    func reading<Result>(
        _ body: (SQLiteReader) throws(SQLiteError) -> Result
    ) throws(JournalError) -> Result {
        do throws(SQLiteError) {
            let reader: SQLiteReader
            if let idle = readers.withLock({ $0.popLast() }) {
                reader = idle
            } else {
                reader = try SQLiteReader(path: path, mode: mode, segments)
            }
            let result = try reader.reading(body)
            readers.withLock { if $0.count < SQLiteJournal.readersMax { $0.append(reader) } }
            return result
        } catch {
            throw error.whenReading
        }
    }
}
