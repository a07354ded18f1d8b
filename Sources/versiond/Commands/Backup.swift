import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import Journaling
import SQLiteJournaling

/// `versiond backup`: a copy of all data; the daemon may run.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all data to a new directory; the daemon may run.",
        discussion: """
            The backup is a consistent copy. The command checks all files, and the chain and the \
            replay of each document. The copy is a data directory, also for a database: restore \
            it with `versiond restore`, or start a daemon on it once with --restored. An \
            interrupted backup leaves no directory of that name.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The directory to create.")
    var target: String

    @Flag(help: "Check only the files of the copy.")
    var quick = false

    func run() async throws {
        if choice.isDatabase { try copyDatabase() } else { try copyDirectory() }
        print("the backup is in \(target)")
    }

    private func copyDirectory() throws {
        let data = try DataDirectory(choice.directory, mayCreate: false, maybeInUse: true)
        try DirectoryCopy(target).make { partial in
            try SQLiteBackup.copy(from: data.path, to: partial, isInUse: data.isInUse)
            try CopyCheck.run(partial, isQuick: quick)
        }
        data.noteBackup()
    }

    /// Entry by entry, and then packed: the copy is small.
    private func copyDatabase() throws {
        try DirectoryCopy(target).make { partial in
            try choice.reading { journal in
                let copy = try SQLiteJournal(directory: partial, columns: ChangeColumns())
                defer { copy.close() }
                _ = try JournalCopy(from: journal, to: copy).run()
                try copy.packAll()
                try copy.compact()
            }
            try CopyCheck.run(partial, isQuick: quick)
        }
    }
}

/// `versiond restore`: a backup as a data directory.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore a backup to a data directory or a database, after a check.",
        discussion: """
            The command checks all files, and the chain and the replay of each document. The \
            directory must not exist: rename the old one, do not delete it. A failed or \
            interrupted restore leaves no directory of that name. A database must be empty; the \
            command stores nothing of a damaged backup, and continues an interrupted restore. \
            The daemon then refuses revisions that are not in the backup: `other-history`.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The backup.")
    var backup: String

    @Flag(help: "Check only the files.")
    var quick = false

    func run() async throws {
        let source = try DataDirectory(backup, mayCreate: false)
        if let fault = try source.faults().first { throw CannotRun.damaged(fault) }
        guard choice.isDatabase else { return try makeDirectory(of: source) }
        // A database has no name that it gets only when all is there: so the backup is checked.
        try CopyCheck.run(source.path, isQuick: quick)
        let journal = try SQLiteJournal(readingFrom: source.path)
        defer { withExtendedLifetime(source) { journal.close() } }
        var changes = 0
        try choice.writing(mayCreate: false) { target in
            changes = try JournalCopy(from: journal, to: target).run()
            try target.cut()
        }
        print("the database is ready: \(changes) changes")
    }

    private func makeDirectory(of source: DataDirectory) throws {
        let directory = choice.directory
        try DirectoryCopy(directory).make { partial in
            try SQLiteBackup.copy(from: source.path, to: partial, isInUse: false)
            try CopyCheck.run(partial, isQuick: quick)
            let journal = try SQLiteJournal(directory: partial, columns: ChangeColumns())
            defer { journal.close() }
            try journal.cut()
        }
        print("\(directory) is ready: versiond serve --directory \(directory)")
    }
}

/// A directory that is there as a whole, or not at all.
private struct DirectoryCopy {
    private let path: String

    init(_ path: String) {
        self.path = URL(filePath: path).path
    }

    /// Calls `fill` with an empty directory next to it, and then renames that directory.
    func make(_ fill: (String) throws -> Void) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else {
            throw CannotRun.noDirectory("\(path) already exists")
        }
        let partial = path + ".partial"
        // The rest of an earlier attempt.
        try? files.removeItem(atPath: partial)
        do {
            try files.createDirectory(
                atPath: partial, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CannotRun.noDirectory("cannot create \(partial): \(CannotRun.reason(error))")
        }
        do {
            try fill(partial)
        } catch {
            try? files.removeItem(atPath: partial)
            throw error
        }
        guard unsafe rename(partial, path) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw CannotRun.noDirectory("cannot create \(path): \(reason)")
        }
        DataDirectory.sync(URL(filePath: path).deletingLastPathComponent().path)
    }
}
