import Documents
import FoundationEssentials
import Glibc
import JSONTree
import Journaling
import SQLiteJournaling

/// The one directory in which everything is stored. One process at a time has it.
final class DataDirectory: Sendable {
    let path: String
    private let lock: Int32
    /// Whether a daemon has it. Only those know that said they do not mind.
    let isInUse: Bool

    /// The default directory of the operator's tools.
    static var standard: String {
        ProcessInfo.processInfo.environment["VERSIOND_DIRECTORY"] ?? "versiond-data"
    }

    /// Takes the directory, and makes it if `mayCreate` allows. With `maybeInUse` another process
    /// may have it; then nothing may be written.
    init(_ path: String, mayCreate: Bool, maybeInUse: Bool = false) throws {
        let url = URL(filePath: path)
        self.path = url.path
        if mayCreate { try DataDirectory.make(url) }
        let isThere = FileManager.default.fileExists(atPath: self.path + "/journal.sqlite")
        guard mayCreate || isThere else {
            throw CannotRun.noDirectory("\(self.path) has no journal")
        }
        lock = unsafe open(self.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw CannotRun.noDirectory("cannot open \(self.path): \(reason)")
        }
        Ownership.adopt(lock, in: self.path)
        isInUse = flock(lock, LOCK_EX | LOCK_NB) != 0
        guard !isInUse || maybeInUse else {
            throw CannotRun.inUse("\(self.path) is in use by another versiond")
        }
    }

    /// Makes a directory that is still there after a power cut.
    private static func make(_ url: URL) throws {
        let files = FileManager.default
        var missing: [URL] = []
        var above = url
        while above.path != "/", !above.path.isEmpty, !files.fileExists(atPath: above.path) {
            missing.append(above)
            above = above.deletingLastPathComponent()
        }
        for directory in missing.reversed() {
            guard unsafe mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
                let reason = unsafe String(cString: strerror(errno))
                throw CannotRun.noDirectory("cannot create \(directory.path): \(reason)")
            }
        }
        for made in missing { sync(made.deletingLastPathComponent().path) }
    }

    /// Makes the names in a directory durable. Not every file system can, and then has no need to.
    static func sync(_ path: String) {
        let directory = unsafe open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// Runs `body` with the journal of a directory that must be there already, and changes nothing
    /// in it; for the operator's tools.
    static func withJournal(
        in path: String, _ body: (SQLiteJournal) throws -> Void
    ) throws {
        let directory = try DataDirectory(path, mayCreate: false, maybeInUse: true)
        let journal = try SQLiteJournal(
            readingFrom: directory.path, isInUse: directory.isInUse)
        // The directory is ours until the journal is closed.
        defer { withExtendedLifetime(directory) { journal.close() } }
        try body(journal)
    }

    /// A file of nothing, whose time says when the last backup was done.
    private static func backupMark(in path: String) -> String { path + "/last-backup" }

    /// Notes that a backup is done. Where that cannot be noted, only a metric is missing.
    func noteBackup() {
        let file = unsafe open(
            DataDirectory.backupMark(in: path), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        Ownership.adopt(file, in: path)
        futimens(file, nil)
        close(file)
    }

    /// When the last backup of a directory was done, in seconds since 1970; 0 for never.
    static func lastBackup(in path: String) -> Double {
        var status = stat()
        guard unsafe stat(backupMark(in: path), &status) == 0 else { return 0 }
        return Double(status.st_mtim.tv_sec)
    }

    /// Whether nothing was ever stored, since a first start found no room for the tables.
    func isEmpty() throws -> Bool {
        // Only a complete scan finds damage.
        (try? SQLiteCheck.isEmpty(path, isInUse: isInUse)) ?? false
    }

    /// The faults of the journal's files, one sentence each.
    func faults() throws -> [String] {
        try SQLiteCheck.faults(in: path, isInUse: isInUse)
    }

    /// Opens the journal, and creates it if there is none.
    func openJournal(observer: (any JournalObserver)? = nil) throws -> SQLiteJournal {
        // All files stay in the directory: the root may be read-only, and temporary files may
        // contain private content.
        unsafe setenv("SQLITE_TMPDIR", path, 0)
        return try SQLiteJournal(directory: path, columns: ChangeColumns(), observer: observer)
    }

    /// Opens the journal although entries are missing. Also returns where a copy
    /// of the files is as they were.
    func openJournalAcceptingLoss() throws -> (journal: SQLiteJournal, copy: String) {
        let time = Date().formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.omitted))
        let copy = path + "/set-aside-" + time
        let files = FileManager.default
        try files.createDirectory(
            atPath: copy, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        for name in try files.contentsOfDirectory(atPath: path)
        where name.hasPrefix("journal.sqlite") || name == "high-water" {
            try files.copyItem(atPath: path + "/" + name, toPath: copy + "/" + name)
        }
        return (
            try SQLiteJournal(
                directory: path, acceptingLoss: true, columns: ChangeColumns()), copy
        )
    }
}
