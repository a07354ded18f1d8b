import Documents
import Journaling
import SQLiteJournaling

/// The check of a copy of a journal before it is reported as whole.
enum CopyCheck {
    /// Throws the first fault of the files in a directory; and of its documents, of which all
    /// changes are replayed, unless it `isQuick`.
    static func run(_ path: String, isQuick: Bool) throws {
        if let fault = try SQLiteCheck.faults(in: path).first { throw CannotRun.damaged(fault) }
        if isQuick { return }
        let journal = try SQLiteJournal(readingFrom: path)
        defer { journal.close() }
        var first: CannotRun?
        try Audit.forEachDocument(journal) { id in
            if first != nil { return }
            do throws(ChangeError) { _ = try Audit.check(id, journal) } catch {
                first = .damaged("\(id): \(error.reason)")
            }
        }
        if let first { throw first }
    }
}
