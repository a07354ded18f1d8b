#include <sqlite3.h>

// Swift cannot import SQLITE_TRANSIENT: it is a function pointer made by a cast macro.
static inline int versiond_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The write-ahead log as SQLite has it open, or null.
static inline sqlite3_file *versiond_log(sqlite3 *connection) {
    sqlite3_file *log = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    return code == SQLITE_OK && log && log->pMethods ? log : 0;
}

// The errno of the last failed operation on the write-ahead log, or 0. SQLite keeps it with the file and
// tells ENOSPC only.
static inline int versiond_log_errno(sqlite3 *connection) {
    sqlite3_file *log = versiond_log(connection);
    int number = 0;
    if (!log) return 0;
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

// Writes zeros behind the end of the write-ahead log, until it is `wanted` bytes long. Returns how long it is then.
static inline sqlite3_int64 versiond_lengthen_log(sqlite3 *connection, sqlite3_int64 wanted) {
    static const char zeros[1 << 16];
    sqlite3_file *log = versiond_log(connection);
    sqlite3_int64 size = 0;
    if (!log) return 0;
    if (log->pMethods->xFileSize(log, &size) != SQLITE_OK) return 0;
    while (size < wanted) {
        int count = wanted - size < (sqlite3_int64)sizeof zeros ? (int)(wanted - size) : (int)sizeof zeros;
        if (log->pMethods->xWrite(log, zeros, count, size) != SQLITE_OK) break;
        size += count;
    }
    return size;
}

// Swift cannot import sqlite3_db_config: it is variadic.
static inline int versiond_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
