import Documents
import Journaling
import Logging
import PostgreSQLJournaling
import SQLiteJournaling

/// Where the daemon stores everything: in a directory of its own, or in a database that it shares
/// with other daemons.
///
/// A journal declares by its capabilities what it can do besides storing; only this file knows
/// which journals exist.
struct Storage: Sendable {
    let journal: any Journal
    /// For the log: never with a password.
    let description: String
    /// The directory that is this daemon's as long as this is here; `nil` for a database.
    let directory: DataDirectory?
    /// Messages for the operator.
    let notices: [String]

    /// As the settings say.
    static func open(
        _ settings: Settings, acceptingLoss: Bool, observer: any JournalObserver
    ) throws -> Storage {
        if !settings.journal.isEmpty { return try open(settings.journal, mayChangeTables: true) }
        let directory = try DataDirectory(settings.directory, mayCreate: true)
        guard acceptingLoss else {
            return Storage(
                journal: try directory.openJournal(observer: observer),
                description: directory.path, directory: directory, notices: [])
        }
        let (journal, copy) = try directory.openJournalAcceptingLoss()
        return Storage(
            journal: journal, description: directory.path, directory: directory,
            notices: [
                "the daemon accepts the data loss; a copy of the original files is in \(copy)"
            ])
    }

    /// A database by its URL.
    ///
    /// - Parameter mayChangeTables: whether those of an older version may become what they are now.
    static func open(_ url: String, mayChangeTables: Bool) throws -> Storage {
        let address = try address(of: url)
        let clock = ContinuousClock()
        let start = clock.now
        let journal = try PostgreSQLJournal(
            address, columns: ChangeColumns(), mayChangeTables: mayChangeTables,
            wall: { .milliseconds(Timestamp.ofSystem.milliseconds) }, now: { clock.now - start })
        let polling = """
            the database sends no notifications, for example because of a pooler; the daemon polls \
            it, so followers receive changes of other daemons up to 0.5 s later
            """
        return Storage(
            journal: journal, description: address.description, directory: nil,
            notices: journal.isListening ? [] : [polling])
    }

    /// Throws if a URL means no journal.
    static func check(_ url: String) throws { _ = try address(of: url) }

    /// A URL as it may be shown.
    static func withoutPassword(_ url: String) -> String { PostgreSQLAddress.withoutPassword(url) }

    private static func address(of url: String) throws -> PostgreSQLAddress {
        guard let address = PostgreSQLAddress(url) else {
            throw CannotRun.configuration("journal must be a URL like postgresql://host/database")
        }
        return address
    }
}
