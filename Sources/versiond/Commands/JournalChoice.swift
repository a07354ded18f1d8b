import ArgumentParser
import Foundation
import Journaling
import PostgreSQLJournaling
import SQLiteJournaling

/// Which journal an operator's tool works on.
struct JournalChoice: ParsableArguments {
    @Option(name: .shortAndLong, help: "The data directory (or VERSIOND_DIRECTORY).")
    var directory = DataDirectory.standard

    @Option(
        help: """
            The URL of the database instead of a directory: postgresql://host/database (or \
            VERSIOND_JOURNAL).
            """)
    var journal = ProcessInfo.processInfo.environment["VERSIOND_JOURNAL"] ?? ""

    var isDatabase: Bool { !journal.isEmpty }

    /// Runs `body` with a read-only journal; a daemon may run.
    func reading(_ body: (any Journal) throws -> Void) throws {
        guard !isDatabase else { return try withDatabase(body) }
        try DataDirectory.withJournal(in: directory) { try body($0) }
    }

    /// Runs `body` with the journal, to write to it. A directory must not be in use; a database may
    /// be.
    func writing(mayCreate: Bool, _ body: (any Journal) throws -> Void) throws {
        guard !isDatabase else { return try withDatabase(body) }
        let data = try DataDirectory(directory, mayCreate: mayCreate)
        let journal = try data.openJournal()
        defer { withExtendedLifetime(data) { journal.close() } }
        try body(journal)
    }

    /// The faults of the journal, one sentence each.
    func faults() throws -> [String] {
        guard !isDatabase else {
            var faults: [String] = []
            try withDatabase { faults = try ($0 as? any SelfChecking)?.faults() ?? [] }
            return faults
        }
        return try DataDirectory(directory, mayCreate: false, maybeInUse: true).faults()
    }

    /// Whether nothing was ever stored, since a first start found no room for the tables.
    func isEmpty() throws -> Bool {
        if isDatabase { return false }
        return try DataDirectory(directory, mayCreate: false, maybeInUse: true).isEmpty()
    }

    private func withDatabase(_ body: (any Journal) throws -> Void) throws {
        let opened = try Storage.open(journal, mayChangeTables: false).journal
        defer { opened.close() }
        try body(opened)
    }
}

/// `versiond schema`: the SQL of the tables, for operators who create them.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the SQL that creates the tables in PostgreSQL.",
        discussion: """
            A daemon creates the tables if its role has the rights. Otherwise run versiond schema \
            | psql as another role; Documentation/Operations/PostgreSQL.md lists the rights.
            """)

    @Option(
        help: """
            Print the SQL that upgrades the tables of this older schema: 1 (versiond 0.3). Stop \
            its daemons first.
            """)
    var from = 0

    func run() throws {
        guard let sql = PostgreSQLJournal.schema(from: from) else {
            throw ValidationError("unknown schema \(from)")
        }
        print(sql, terminator: "")
    }
}
