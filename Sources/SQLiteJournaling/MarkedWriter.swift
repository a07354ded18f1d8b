import Journaling

/// The connection that writes, and the mark beside the journal that it raises after each commit.
///
/// A class: what it refers to is not counted anew for each commit. The journal's lock guards it.
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
        // What is stored would not be guarded: nothing is, until the mark can be written.
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

    /// Puts the mark into both of its places, so that nothing is left of the chain of what was
    /// erased.
    func replaceMark() throws(JournalError) {
        do throws(JournalError) {
            for _ in 0..<2 { try raiseMark() }
            try highWater.sync()
        } catch {
            noteFailedMark(error)
            throw error
        }
    }

    /// Removes what an erasure has left, if something is left. What cannot be removed now is left
    /// for the next attempt, or the next start.
    func removeLeftovers() throws(JournalError) {
        do throws(JournalError) { try writer.removeLeftovers() } catch .leftovers { return }
    }
}
