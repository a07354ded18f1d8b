import CSQLite
import Glibc
import Journaling

/// One open connection. One thread at a time uses it.
// @unchecked: the owner guards it, with a lock or by being the only writer.
@safe final class SQLiteConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    // At a stable address, because SQLite writes to it after each commit.
    private let logSize: UnsafeMutablePointer<Int32>

    enum Mode: Int32 {
        case readWrite, readOnly
        /// The only connection that there is: what SQLite keeps in a file for several is in memory,
        /// so nothing is written by opening and reading, and no room is needed.
        case alone
        /// Makes no files, not even for the time of reading. The file must not change meanwhile,
        /// and must have no log.
        case atRest

        /// The mode for reading a journal that a daemon may be writing, or that no process has
        /// open.
        static func reading(_ path: String, isInUse: Bool) -> Mode {
            let hasLog = unsafe access(path + "-wal", F_OK) == 0
            return isInUse || hasLog ? .readOnly : .atRest
        }

        fileprivate var flags: Int32 {
            // The connection is never used by two threads at once, so SQLite need not lock it.
            let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            switch self {
            case .readWrite: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .alone: return common | SQLITE_OPEN_READWRITE
            case .readOnly: return common | SQLITE_OPEN_READONLY
            case .atRest: return common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        }

        fileprivate func name(_ path: String) -> String {
            guard self == .atRest else { return path }
            var name = "file:"
            for scalar in path.unicodeScalars {
                switch scalar {
                case "%": name += "%25"
                case "?": name += "%3f"
                case "#": name += "%23"
                default: name.unicodeScalars.append(scalar)
                }
            }
            return name + "?immutable=1"
        }
    }

    init(path: String, mode: Mode) throws(SQLiteError) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(mode.name(path), &opened, mode.flags, nil)
        guard let opened = unsafe opened else {
            throw SQLiteError(code: code, message: "cannot open \(path)")
        }
        // From here on `deinit` frees both, whether this throws or not.
        unsafe handle = opened
        unsafe logSize = .allocate(capacity: 1)
        unsafe logSize.initialize(to: 0)
        guard code == SQLITE_OK else {
            let message = unsafe String(cString: sqlite3_errmsg(opened))
            throw SQLiteError(code: code, message: "cannot open \(path): \(message)")
        }
        unsafe sqlite3_busy_timeout(handle, 5_000)
        _ = unsafe versiond_defensive(handle)
        if mode == .alone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
        unsafe logSize.deallocate()
    }

    /// Counts the log's pages after each commit, in the place of SQLite's own hook, which would
    /// move them and hide I/O errors. After `PRAGMA wal_autocheckpoint`, which takes the hook away.
    func countLoggedPages() {
        unsafe sqlite3_wal_hook(
            handle,
            { size, _, _, pages in
                unsafe size?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logSize)
    }

    /// The pages in the write-ahead log after the last commit.
    var loggedPages: Int { unsafe Int(logSize.pointee) }

    /// Makes the log so long before it is written, if there is room. Returns how long it is, or 0
    /// if there is none.
    func lengthenLog(to bytes: Int) -> Int {
        unsafe Int(versiond_lengthen_log(handle, Int64(bytes)))
    }

    static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

    var error: SQLiteError {
        let code = unsafe sqlite3_extended_errcode(handle)
        // SQLite knows one reason for a write that found no room; there are three.
        if code == SQLiteError.write, unsafe [EDQUOT, EFBIG].contains(versiond_log_errno(handle)) {
            return SQLiteError(code: SQLiteError.full, message: "the quota or limit is reached")
        }
        return unsafe SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    /// Runs SQL that returns nothing.
    func execute(_ sql: String) throws(SQLiteError) {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
    }

    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw error }
        return unsafe SQLiteStatement(statement, connection: self)
    }

    /// The first column of the first row, for pragmas.
    func integer(_ sql: String) throws(SQLiteError) -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// How many rows the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Rewrites the file without gaps, in the mode in which it can free pages later.
    func compact() throws(SQLiteError) {
        try execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }

    /// Moves pages from the write-ahead log into the database, as far as readers allow; with
    /// `isWhole` it waits for them, and leaves the log empty.
    ///
    /// Explicitly, because SQLite's automatic checkpoint hides I/O errors. Returns `false` if a
    /// reader did not end.
    @discardableResult
    func checkpoint(isWhole: Bool = false) throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, isWhole ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw error }
        return code == SQLITE_OK
    }

    /// Makes the log durable before its content is shown. After a kill, the log may hold a commit
    /// that was written and never synced: without this, a power cut would undo a state that readers
    /// saw.
    func syncLog() throws(SQLiteError) {
        do throws(SQLiteError) {
            try checkpoint(isWhole: true)
        } catch {
            // Without room the log stays; it is read from there.
            if error.code & 0xff != SQLiteError.full { throw error }
        }
    }
}

/// One prepared statement; finalized when it goes.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    // Holds the connection open for as long as the statement lives.
    private let connection: SQLiteConnection

    fileprivate init(_ handle: OpaquePointer, connection: SQLiteConnection) {
        unsafe self.handle = handle
        self.connection = connection
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Makes the statement ready to run again.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    func bind(_ index: Int32, _ value: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, index, Int64(value)))
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(SQLiteError) {
        // An empty array has no address, and a null address would bind NULL.
        if bytes.isEmpty {
            try check(unsafe sqlite3_bind_zeroblob(handle, index, 0))
        } else {
            let count = Int32(clamping: bytes.count)
            guard count == bytes.count else { throw .tooBig }
            try check(unsafe versiond_bind_blob(handle, index, bytes, count))
        }
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw connection.error }
    }

    /// Steps to the next row; `false` when there is none.
    func step() throws(SQLiteError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.error
        }
    }

    /// Runs the statement to its end and makes it ready again.
    func run() throws(SQLiteError) {
        defer { reset() }
        _ = try step()
    }

    func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    func integer(_ column: Int32) -> Int {
        unsafe Int(sqlite3_column_int64(handle, column))
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
