import Journaling

/// An error between the daemon and the database.
enum PostgreSQLError: Error, Equatable {
    /// The connection cannot be made.
    case unreachable(String)
    /// The connection was lost, or the server ends it. The commands sent may have been carried out
    /// or not.
    case lost(String)
    /// The transaction can be tried again: it met another one, or waited too long for it.
    case transient(String)
    /// The same, because another transaction holds a row or a table that it needs.
    case locked(String)
    /// The disk is full.
    case full(String)
    /// The server only reads: a standby.
    case readOnly(String)
    /// The database has lost entries that were stored there: the state in memory cannot be used.
    case lostHistory(String)
    /// The data read is not the data written.
    case corrupt(String)
    /// Anything else; nothing of the transaction was done.
    case refused(state: String, String)

    /// By the five characters that the standard and PostgreSQL give to each error.
    init(state: String, _ message: String) {
        let message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        switch state {
        // Serialization failure, deadlock, statement timeout.
        case "40001", "40P01", "57014": self = .transient(message)
        // Lock timeout.
        case "55P03": self = .locked(message)
        // The server is shutting down, has crashed, or is starting; an administrator has ended the
        // connection, or it was silent in a transaction for too long.
        case "57P01", "57P02", "57P03", "57P05", "25P03": self = .lost(message)
        // Statement completion unknown: other engines say so of a commit.
        case "40003": self = .lost(message)
        case "53100": self = .full(message)
        case "25006": self = .readOnly(message)
        case let state where state.hasPrefix("08"): self = .lost(message)
        case let state where state.hasPrefix("53"): self = .unreachable(message)
        default: self = .refused(state: state, message)
        }
    }

    /// Another version has changed the tables while this one was running.
    static let otherTables = PostgreSQLError.refused(
        state: "55000",
        "its tables are not of schema \(Statement.schemaVersion) any more; run the versiond that "
            + "changed them")

    /// The journal error for a read, or for changes that were certainly not stored.
    var asJournalError: JournalError {
        switch self {
        case .unreachable(let reason), .lost(let reason), .transient(let reason),
            .locked(let reason), .readOnly(let reason):
            .unavailable("the database says: \(reason)")
        case .lostHistory(let reason): .stopped(reason)
        case .corrupt(let reason): .corrupt(reason)
        case .full(let reason): .full("the database says: \(reason)")
        case .refused(let state, let reason):
            .unavailable("the database says: \(reason) (\(state))")
        }
    }
}
