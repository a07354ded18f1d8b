import ArgumentParser
import Documents
import Glibc
import Journaling
import SQLiteJournaling

/// `versiond pack`: packs all that can be packed, and gives back the disk.
struct Pack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pack old changes, and give back the disk. Needs a stopped daemon.",
        discussion: """
            A running daemon packs by itself and leaves the newest changes of each document as \
            they are; this packs all but the last one, and then writes the file anew without gaps. \
            Needs as much room on the disk as the file takes. It may be ended at any time: nothing \
            is lost, and what is packed stays so.
            """)

    @Option(name: .shortAndLong, help: "Where everything is stored (or VERSIOND_DIRECTORY).")
    var directory = DataDirectory.standard

    func run() async throws {
        let data = try DataDirectory(directory, mayCreate: false)
        let before = data.journalBytes()
        let journal = try data.openJournal()
        let entries: Int
        do {
            defer { withExtendedLifetime(data) { journal.close() } }
            try Pack.forget(journal)
            entries = try journal.packAll()
            try journal.compact()
        }
        print("\(entries) changes packed, \(before) bytes are \(data.journalBytes()) now")
    }
}

extension Pack {
    /// Frees the disk of what the bounds on histories have forgotten.
    private static func forget(_ journal: SQLiteJournal) throws {
        try Audit.forEachDocument(journal) { id in
            // A document that cannot be replayed stays as it is; `versiond check` says why.
            _ = try? Forgetting.forget(id, in: journal, at: .ofSystem)
        }
    }
}

extension DataDirectory {
    /// What the journal takes on the disk, its log included.
    fileprivate func journalBytes() -> Int {
        ["journal.sqlite", "journal.sqlite-wal"].reduce(0) { sum, name in
            var status = stat()
            let isThere = unsafe stat(path + "/" + name, &status) == 0
            return isThere ? sum + Int(status.st_size) : sum
        }
    }
}
