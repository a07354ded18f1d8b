import Glibc
public import Journaling
import Threading

// Opening the file to write, and without room to write.

extension SQLiteJournal {
    /// How the file can be written to.
    enum Writing {
        case open(MarkedWriter, FileIdentity?)
        /// The room does not suffice to open it: one connection reads it alone until there is room.
        case withoutRoom
        /// It is closed, or only read.
        case closed
    }

    /// `mark`: how far the journal must reach; `nil` if that does not matter.
    func openForWriting(checking mark: HighWaterMark.Mark??) throws(JournalError) {
        let (new, sequence) = try opened(checking: mark)
        committed.withLock { $0 = sequence }
        setWriting(new)
    }

    private func opened(
        checking mark: HighWaterMark.Mark??
    ) throws(JournalError) -> (Writing, sequence: Int) {
        do {
            let connection = try SQLiteConnection(path: path, mode: .readWrite)
            Ownership.adopt(path, in: room.directory)
            let marked = try MarkedWriter(connection, in: room.directory, observer) {
                if let mark { try connection.checkReach(mark) }
            }
            try readers.open(.readOnly)
            return (.open(marked, FileIdentity(path)), marked.writer.mark.sequence)
        } catch {
            throw SQLiteJournal.opening(error)
        }
    }

    /// Opens what is there to read it, if it cannot be opened to write for lack of room. Nothing
    /// needs room for that.
    func openWithoutRoom(
        checking mark: HighWaterMark.Mark?, after error: JournalError
    ) throws(JournalError) {
        var lack = room.lack()
        // Closing may have freed some room, but not enough.
        if lack == nil, case .full = error { lack = error }
        guard let lack, unsafe access(path, F_OK) == 0 else { throw lack ?? error }
        do {
            let connection = try SQLiteConnection(path: path, mode: .alone)
            // A first start that found no room to make the tables.
            if try connection.integer("PRAGMA user_version") == 0 { throw lack }
            try Schema.check(connection)
            try connection.checkReach(mark)
            try connection.syncLog()
            let sequence = try connection.lastMark().sequence
            committed.withLock { $0 = sequence }
            try readers.open(alone: connection)
        } catch {
            throw SQLiteJournal.opening(error)
        }
        noteLack(lack)
        setWriting(.withoutRoom)
    }

    /// Opens the file in write mode, now that there may be room. Readers wait meanwhile.
    func reopen(_ writing: inout Writing) throws(JournalError) {
        if let lack = room.lack() { throw lack }
        readers.pause()
        do throws(JournalError) {
            (writing, _) = try opened(checking: nil)
        } catch {
            // The room did not suffice. Reading works again as before.
            do {
                try readers.open(alone: SQLiteConnection(path: path, mode: .alone))
            } catch { readers.resume() }
            throw room.lack() ?? error
        }
    }

}

extension SQLiteJournal: RoomWatching {
    /// Also removes the remains of an erasure.
    public func checkRoom() -> Bool {
        if fault == nil {
            _ = try? withWriter { marked throws(JournalError) in try marked.removeLeftovers() }
            return false
        }
        if room.lack() != nil { return false }
        guard (try? withWriter { _ in }) != nil else { return false }
        noteLack(nil)
        return true
    }

    /// The bytes that may still be written; `nil` if the file system does not say.
    public var freeBytes: Int? { room.freeBytes }
}
