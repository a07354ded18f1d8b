import ArgumentParser
import FoundationEssentials
import Glibc
import JSONTree
import Journaling
import SQLiteJournaling

/// The one directory in which everything is stored. One process at a time has it.
final class DataDirectory: Sendable {
    let path: String
    private let lock: Int32

    /// Where the operator's tools look if nobody says otherwise.
    static var standard: String {
        ProcessInfo.processInfo.environment["VERSIOND_DIRECTORY"] ?? "versiond-data"
    }

    /// Takes the directory, and makes it if `isNew` allows.
    init(_ path: String, mayCreate: Bool) throws {
        let url = URL(filePath: path)
        self.path = url.path
        if mayCreate {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let isThere = FileManager.default.fileExists(atPath: self.path + "/journal.sqlite")
        guard mayCreate || isThere else {
            throw ValidationError("there is no journal in \(self.path)")
        }
        lock = unsafe open(self.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw ValidationError("\(self.path) cannot be opened") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw ValidationError("\(self.path) is in use by another versiond")
        }
    }

    deinit {
        close(lock)
    }

    /// Runs `body` with the journal of a directory that must be there already; for the operator's
    /// tools.
    static func withJournal(
        in path: String, _ body: (SQLiteJournal) throws -> Void
    ) throws {
        let directory = try DataDirectory(path, mayCreate: false)
        let journal = try directory.openJournal()
        // The directory is ours until the journal is closed.
        defer { withExtendedLifetime(directory) { journal.close() } }
        try body(journal)
    }

    /// Opens the journal, and creates it if there is none.
    func openJournal(acceptingLoss: Bool = false) throws -> SQLiteJournal {
        try SQLiteJournal(directory: path, acceptingLoss: acceptingLoss)
    }
}
