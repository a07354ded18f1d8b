import ArgumentParser
import Foundation
import Journaling
import PostgreSQLJournaling
import SQLiteJournaling

/// Which journal an operator's tool works on.
struct JournalChoice: ParsableArguments {
    @Option(name: .shortAndLong, help: "Where everything is stored (or VERSIOND_DIRECTORY).")
    var directory = DataDirectory.standard

    @Option(
        help: """
            The database in which everything is stored, by its URL: postgresql://host/database (or \
            VERSIOND_JOURNAL). Instead of a directory.
            """)
    var journal = ProcessInfo.processInfo.environment["VERSIOND_JOURNAL"] ?? ""

    var isDatabase: Bool { !journal.isEmpty }

    /// Runs `body` with the journal, in which nothing is changed; also beside a daemon.
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

    /// What is wrong with it as a whole, one sentence each.
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

/// `versiond schema`: the tables of a database, for those who make them themselves.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the SQL that makes the tables in PostgreSQL.",
        discussion: """
            A daemon makes them itself if its role may. Otherwise: versiond schema | psql, as a \
            role that may; Documentation/Operations/PostgreSQL.md lists the rights that it needs.
            """)

    @Option(
        help: """
            Print what makes the tables of this older version those of today: of schema 1 \
            (versiond 0.3). Stop its daemons first.
            """)
    var from = 0

    func run() throws {
        guard let sql = PostgreSQLJournal.schema(from: from) else {
            throw ValidationError("There is no schema \(from)")
        }
        print(sql, terminator: "")
    }
}
