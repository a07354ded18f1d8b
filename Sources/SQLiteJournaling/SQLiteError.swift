import CSQLite
import Journaling

/// A result code of SQLite and what it said.
struct SQLiteError: Error {
    let code: Int32
    let message: String

    static let full = SQLITE_FULL
    /// `SQLITE_IOERR_WRITE`, which Swift cannot import: a macro with an expression.
    static let write = SQLITE_IOERR | 3 << 8
    static let tooBig = SQLiteError(code: SQLITE_TOOBIG, message: "an entry is too big")
}

extension SQLiteError {
    /// The meaning of a failed commit for the requests that wait for it.
    ///
    /// A failed fsync is not tried again: the kernel may have dropped the pages, and a second fsync
    /// that succeeds would prove nothing (the PostgreSQL fsync error of 2018).
    var whenCommitting: JournalError {
        switch code & 0xff {
        case SQLITE_FULL: .full(message)
        case SQLITE_IOERR: .outcomeUnknown(message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(message)
        default: .unavailable(message)
        }
    }

    /// The meaning of a failure after an erasure was committed: remains are in the files.
    var whenFinishingErasure: JournalError {
        let failure = whenCommitting
        if case .full(let reason) = failure { return .leftovers(reason) }
        return failure
    }

    var whenReading: JournalError {
        switch code & 0xff {
        // Opening in write mode also writes.
        case SQLITE_FULL: .full(message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(message)
        default: .unavailable(message)
        }
    }
}
