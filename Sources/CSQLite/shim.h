#include <sqlite3.h>

// Swift cannot import SQLITE_TRANSIENT: it is a function pointer made by a cast macro.
static inline int versiond_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Swift cannot import sqlite3_db_config: it is variadic.
static inline int versiond_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
