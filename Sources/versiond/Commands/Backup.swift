import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import Journaling
import SQLiteJournaling

/// `versiond backup`: a copy of everything, beside a daemon that goes on.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy everything into a new directory, also while the daemon runs.",
        discussion: """
            The copy is what was stored at one moment, complete and checked: all files, and of \
            each document the chain and the replay of all changes. It is a directory like the \
            first one: `versiond restore` brings it back, and a daemon can be started on it. Of a \
            database it is a directory, too. If it is ended early, nothing of that name is left.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The directory to make.")
    var target: String

    @Flag(help: "Check the files of the copy only, and not each document.")
    var quick = false

    func run() async throws {
        if choice.isDatabase { try copyDatabase() } else { try copyDirectory() }
        print("everything is in \(target)")
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
        abstract: "Make a data directory of a backup, or fill a database; it is checked first.",
        discussion: """
            Before it is said to be ready, all files are checked, and of each document the chain \
            and the replay of all changes. The directory must not be there yet: set the old one \
            aside, do not delete it. If this fails or is ended early, nothing of that name is \
            left. A database must be empty, and gets nothing of a damaged backup; if it is ended \
            early, the same command goes on. What clients know of changes that are not in the \
            backup is refused from then on: `other-history`.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The backup.")
    var backup: String

    @Flag(help: "Check the files only, and not each document.")
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

    /// Calls `fill` with an empty directory beside it, which then gets its name.
    func make(_ fill: (String) throws -> Void) throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else {
            throw CannotRun.noDirectory("\(path) is there already")
        }
        let partial = path + ".partial"
        // What an earlier attempt has left.
        try? files.removeItem(atPath: partial)
        do {
            try files.createDirectory(
                atPath: partial, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CannotRun.noDirectory("\(partial) cannot be made: \(CannotRun.reason(error))")
        }
        do {
            try fill(partial)
        } catch {
            try? files.removeItem(atPath: partial)
            throw error
        }
        guard unsafe rename(partial, path) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw CannotRun.noDirectory("\(path) cannot be made: \(reason)")
        }
        DataDirectory.sync(URL(filePath: path).deletingLastPathComponent().path)
    }
}
