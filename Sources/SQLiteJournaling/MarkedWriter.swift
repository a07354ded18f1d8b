import Journaling

/// The writing connection, and the mark next to the journal that it raises after each commit.
///
/// A class, so that a commit does not count the references of its parts again. The journal's lock
/// guards it.
final class MarkedWriter {
    var writer: SQLiteWriter
    let highWater: HighWaterMark
    /// Whether the last commit is durable, and the mark does not say so for lack of room.
    private var isMarkBehind = false

    init(
        _ connection: SQLiteConnection, in directory: String, _ observer: (any JournalObserver)?,
        check: () throws -> Void
    ) throws {
        writer = try SQLiteWriter(connection, observer)
        try check()
        try connection.syncLog()
        highWater = try HighWaterMark(directory: directory, at: writer.mark)
        try writer.noteMark()
        try removeLeftovers()
    }

    func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        // Until the mark can be written, it would not guard new entries: so none are stored.
        if isMarkBehind { try raiseMark() }
        let fates = try writer.commit(batch)
        do throws(JournalError) { try raiseMark() } catch { noteFailedMark(error) }
        return fates
    }

    private func raiseMark() throws(JournalError) {
        try highWater.rise(to: writer.mark)
        isMarkBehind = false
    }

    /// The batch is durable; it is the next one that is refused.
    private func noteFailedMark(_ error: JournalError) {
        if case .full = error { isMarkBehind = true } else { writer.stop("\(error)") }
    }

    /// Writes the mark into both of its places, so that the chain of erased entries is in neither.
    func replaceMark() throws(JournalError) {
        do throws(JournalError) {
            for _ in 0..<2 { try raiseMark() }
            try highWater.sync()
        } catch {
            noteFailedMark(error)
            throw error
        }
    }

    /// Removes the remains of an erasure, if there are any. On a failure, the next attempt or the
    /// next start removes them.
    func removeLeftovers() throws(JournalError) {
        do throws(JournalError) { try writer.removeLeftovers() } catch .leftovers { return }
    }
}
