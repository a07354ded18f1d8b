import Glibc
public import Journaling

extension SQLiteJournal: FigureReporting {
    public var libraries: [String: String] { ["sqlite": SQLiteJournal.libraryVersion] }

    public var figures: [String: Double] {
        [
            "documents_stored": Double((try? documentCount()) ?? 0),
            "journal_bytes": SQLiteJournal.size(path),
            "wal_bytes": SQLiteJournal.size(path + "-wal"),
            "disk_free_bytes": Double(freeBytes ?? 0),
        ]
    }

    private static func size(_ path: String) -> Double {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Double(status.st_size) : 0
    }
}
