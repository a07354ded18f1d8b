import Documents
import Journaling
import Logging
import PostgreSQLJournaling
import SQLiteJournaling

/// Where the daemon stores everything: in a directory of its own, or in a database that it shares
/// with other daemons.
enum Storage: Sendable {
    case directory(DataDirectory, SQLiteJournal)
    case database(PostgreSQLAddress, PostgreSQLJournal)

    /// As the settings say.
    init(
        _ settings: Settings, acceptingLoss: Bool, _ measurements: Measurements, _ logger: Logger
    ) throws {
        if !settings.journal.isEmpty {
            self = try .database(opening: settings.journal)
            if case .database(_, let journal) = self, !journal.isListening {
                logger.notice(
                    """
                    the database sends no notifications here, as behind a pooler: it is asked \
                    instead, and followers of other daemons hear of changes up to 0.5 s later
                    """)
            }
            return
        }
        let directory = try DataDirectory(settings.directory, mayCreate: true)
        guard acceptingLoss else {
            self = .directory(directory, try directory.openJournal(observer: measurements.ofDisk))
            return
        }
        let (journal, copy) = try directory.openJournalAcceptingLoss()
        logger.warning("the journal is used as it is; its files as they were are in \(copy)")
        self = .directory(directory, journal)
    }

    /// What the URL of a database says.
    static func address(of url: String) throws -> PostgreSQLAddress {
        guard let address = PostgreSQLAddress(url) else {
            throw CannotRun.configuration("journal must be a URL like postgresql://host/database")
        }
        return address
    }

    /// A database by its URL.
    static func database(opening url: String) throws -> Storage {
        let address = try address(of: url)
        let clock = ContinuousClock()
        let start = clock.now
        let journal = try PostgreSQLJournal(address, columns: ChangeColumns()) {
            clock.now - start
        }
        return .database(address, journal)
    }

    var journal: any Journal {
        switch self {
        case .directory(_, let journal): journal
        case .database(_, let journal): journal
        }
    }

    /// The journal in a directory, if it is one.
    var file: SQLiteJournal? {
        if case .directory(_, let journal) = self { journal } else { nil }
    }

    /// For the log: never with a password.
    var description: String {
        switch self {
        case .directory(let directory, _): directory.path
        case .database(let address, _): address.description
        }
    }

    /// The libraries that store, and their versions.
    var libraries: [String: String] {
        switch self {
        case .directory: ["sqlite": SQLiteJournal.libraryVersion]
        case .database(_, let journal):
            ["libpq": PostgreSQLJournal.libraryVersion, "server": journal.serverVersion]
        }
    }
}
