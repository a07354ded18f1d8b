#include <sqlite3.h>

// Swift cannot import SQLITE_TRANSIENT: it is a function pointer made by a cast macro.
static inline int versiond_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The errno of the last failed operation on the write-ahead log, or 0. SQLite keeps it with the file and
// tells ENOSPC only.
static inline int versiond_log_errno(sqlite3 *connection) {
    sqlite3_file *log = 0;
    int number = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK || !log || !log->pMethods) return 0;
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

// Swift cannot import sqlite3_db_config: it is variadic.
static inline int versiond_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
