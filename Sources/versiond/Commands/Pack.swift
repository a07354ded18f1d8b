import ArgumentParser
import Documents
import Glibc
import Journaling
import PostgreSQLJournaling
import SQLiteJournaling

/// `versiond pack`: packs all that can be packed, and gives back the disk.
struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Pack old changes and free disk space. For a directory the daemon must be stopped.",
        discussion: """
            A running daemon packs in the background, except the newest changes of each document. \
            This command packs all changes but the last of each document, and rewrites the file \
            without gaps, which needs free space of the size of the file. For a database the \
            daemons may run, and the database reuses the freed space. An interrupted command \
            loses no data.
            """)

    @OptionGroup var choice: JournalChoice

    func run() async throws {
        if choice.isDatabase { try packDatabase() } else { try packDirectory() }
    }

    private func packDatabase() throws {
        try choice.writing(mayCreate: false) { journal in
            guard let packable = journal as? PostgreSQLJournal else { return }
            try Pack.forget(packable)
            let entries = try packable.packAll()
            // A role that may not: the server does it by itself.
            try? packable.vacuum()
            print("\(entries) changes packed")
        }
    }

    private func packDirectory() throws {
        let data = try DataDirectory(choice.directory, mayCreate: false)
        let before = data.journalBytes()
        let journal = try data.openJournal()
        let entries: Int
        do {
            defer { withExtendedLifetime(data) { journal.close() } }
            try Pack.forget(journal)
            entries = try journal.packAll()
            try journal.compact()
        }
        print("\(entries) changes packed, from \(before) to \(data.journalBytes()) bytes")
    }
}

extension Pack {
    /// Frees the disk space of changes that retention has removed.
    private static func forget(_ journal: any Journal) throws {
        // In a database its clock is the authority: a machine with another one forgets nothing.
        let time = (journal as? any TimeKeeping)?.time
            .map { Timestamp(milliseconds: Int($0 / .milliseconds(1))) }
        try Audit.forEachDocument(journal) { id in
            // A document that cannot be replayed stays as it is; `versiond check` says why.
            _ = try? Forgetting.forget(id, in: journal, at: time ?? .ofSystem)
        }
    }
}

extension DataDirectory {
    /// The size of the journal on the disk, including its log.
    fileprivate func journalBytes() -> Int {
        ["journal.sqlite", "journal.sqlite-wal"].reduce(0) { sum, name in
            var status = stat()
            let isThere = unsafe stat(path + "/" + name, &status) == 0
            return isThere ? sum + Int(status.st_size) : sum
        }
    }
}
