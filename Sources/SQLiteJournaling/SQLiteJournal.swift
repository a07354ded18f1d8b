public import Journaling
import Threading

/// A journal in one SQLite file.
///
/// One connection writes, in one transaction for each batch, with `synchronous=FULL`; it alone
/// moves the write-ahead log into the database. Readers have connections of their own.
public final class SQLiteJournal: Journal {
    /// Connections that may read at once.
    private static let readersMax = 4

    private let writer: Lock<SQLiteWriter>
    private let readers: Lock<[SQLiteReader]>
    private let path: String
    private let highWater: HighWaterMark
    /// The number of the last entry; beside the writer, so that nobody waits for a commit.
    private let committed: Lock<Int>

    /// Opens the journal in a directory, and makes it if there is none.
    ///
    /// Throws `.corrupt` if entries are missing that were once confirmed, unless `acceptingLoss`.
    public init(directory: String, acceptingLoss: Bool = false) throws(JournalError) {
        path = directory + "/journal.sqlite"
        do {
            let connection = try SQLiteConnection(path: path, mode: .readWrite)
            let writer = try SQLiteWriter(connection)
            highWater = HighWaterMark(path: directory + "/high-water")
            if acceptingLoss {
                highWater.settle(at: writer.mark)
            } else {
                try highWater.check(against: writer)
            }
            self.writer = Lock(writer)
            committed = Lock(writer.mark.sequence)
        } catch let error as JournalError {
            throw error
        } catch {
            throw (error as? SQLiteError)?.whenReading ?? .unavailable("\(error)")
        }
        readers = Lock(try SQLiteJournal.openReaders(path))
    }

    /// At once: later there may be no descriptor left.
    private static func openReaders(_ path: String) throws(JournalError) -> [SQLiteReader] {
        do throws(SQLiteError) {
            var readers: [SQLiteReader] = []
            for _ in 0..<readersMax { readers.append(try SQLiteReader(path: path)) }
            return readers
        } catch {
            throw error.whenReading
        }
    }

    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let (fates, mark) = try writer.withLock { writer throws(JournalError) in
            let fates = try writer.commit(batch)
            committed.withLock { $0 = writer.mark.sequence }
            return (fates, writer.mark)
        }
        highWater.rise(to: mark)
        return fates
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
        let mark = writer.withLock { writer in
            writer.close()
            return writer.mark
        }
        highWater.settle(at: mark)
    }

    /// Reads with a connection that nobody else uses meanwhile.
    private func reading<Result>(
        _ body: (SQLiteReader) throws(SQLiteError) -> Result
    ) throws(JournalError) -> Result {
        do throws(SQLiteError) {
            let reader: SQLiteReader
            if let idle = readers.withLock({ $0.popLast() }) {
                reader = idle
            } else {
                reader = try SQLiteReader(path: path)
            }
            let result = try body(reader)
            readers.withLock { if $0.count < SQLiteJournal.readersMax { $0.append(reader) } }
            return result
        } catch {
            throw error.whenReading
        }
    }
}
