import Glibc
public import Journaling

/// Copies a journal while a daemon writes to it.
public enum SQLiteBackup {
    /// Copies the journal in a directory into another one, which must be empty, as it is at one
    /// moment. Durable when this returns.
    ///
    /// Nothing in the first directory changes. A writer there continues; the log grows meanwhile.
    /// Takes as long as reading all.
    ///
    /// - Parameter isInUse: whether a daemon may be writing there.
    public static func copy(
        from directory: String, to target: String, isInUse: Bool
    ) throws(JournalError) {
        let (path, copy) = (directory + "/journal.sqlite", target + "/journal.sqlite")
        do {
            try SQLiteJournal.checkFile(path)
            // First the mark: the copy must reach at least as far.
            let mark = try HighWaterMark.read(in: directory)
            let connection = try SQLiteConnection(
                path: path, mode: .reading(path, isInUse: isInUse))
            if try Schema.isMissing(connection) { throw Schema.missing(in: path) }
            try connection.execute("VACUUM INTO '\(copy.replacing("'", with: "''"))'")
            try sync(copy)
            let copied = try SQLiteConnection(path: copy, mode: .atRest)
            try copied.checkReach(mark)
            _ = try HighWaterMark(directory: target, at: copied.lastMark())
        } catch {
            throw SQLiteJournal.opening(error)
        }
    }

    private static func sync(_ path: String) throws(JournalError) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, fsync(file) == 0, fchmod(file, 0o600) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw .unavailable("\(path) cannot be stored: \(reason)")
        }
    }
}
