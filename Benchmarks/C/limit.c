// The limit: libmicrohttpd answering fixed bytes from its own event loop, with nothing behind it.
// With a database as second argument, each PATCH is first stored in SQLite (an entry appended, the
// document's row replaced) and synced, in groups: the same suspend, commit, resume as versiond,
// without versions, checks or JSON. Who asks for changes is sent a fixed event at each PATCH.

#include <microhttpd.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] =
    "{\"document\":\"bench\",\"revision\":1,\"version\":1,\"patch\":[{\"op\":\"replace\",\"path\":\"/n\","
    "\"value\":1}],\"change\":{\"revision\":1,\"kind\":\"append\",\"joins\":false,\"time\":"
    "\"2026-01-01T00:00:00.000Z\"},\"hasUndo\":true,\"hasRedo\":false,\"scopeLevel\":0}\n";

static const char head[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    "f\r\nevent: bookmark\r\n";
static const char event[] =
    "115\r\nevent: change\nid: 11\ndata: {\"event\":\"change\",\"document\":\"bench\",\"revision\":11,"
    "\"version\":11,\"patch\":[{\"op\":\"replace\",\"path\":\"/n\",\"value\":2}],\"change\":{\"revision\":11,"
    "\"kind\":\"append\",\"joins\":false,\"time\":\"2026-01-01T00:00:00.000Z\"},\"hasUndo\":true,"
    "\"hasRedo\":false,\"scopeLevel\":0}\n\n\r\n";

enum { followers_max = 20000 };
static int followers[followers_max], follower_count;

struct request {
    struct MHD_Connection *connection;
    struct request *next;
    size_t size;
    char body[4096];
};

static sqlite3 *database;
static sqlite3_stmt *begin, *append, *replace, *commit;
static int wake_up;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static struct request *waiting, *done;

static void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return;
    fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    abort();
}

static void step(sqlite3_stmt *statement) {
    check(sqlite3_step(statement));
    sqlite3_reset(statement);
}

static void prepare(const char *sql, sqlite3_stmt **statement) {
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
}

static void open_database(const char *path) {
    check(sqlite3_open(path, &database));
    check(sqlite3_exec(database,
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE event(document TEXT, revision INTEGER, body BLOB,"
        "  PRIMARY KEY(document, revision)) WITHOUT ROWID;"
        "CREATE TABLE document(name TEXT PRIMARY KEY, revision INTEGER, body BLOB) WITHOUT ROWID;",
        NULL, NULL, NULL));
    prepare("BEGIN IMMEDIATE", &begin);
    prepare("INSERT INTO event VALUES('bench', ?, ?)", &append);
    prepare("INSERT INTO document VALUES('bench', ?, ?) ON CONFLICT(name)"
            " DO UPDATE SET revision = excluded.revision, body = excluded.body", &replace);
    prepare("COMMIT", &commit);
}

static void store(sqlite3_stmt *statement, sqlite3_int64 revision, struct request *r) {
    sqlite3_bind_int64(statement, 1, revision);
    sqlite3_bind_blob(statement, 2, r->body, (int)r->size, SQLITE_STATIC);
    step(statement);
}

static void *write_journal(void *unused) {
    (void)unused;
    sqlite3_int64 revision = 0;
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (!waiting) pthread_cond_wait(&condition, &mutex);
        struct request *batch = waiting, *last = NULL;
        waiting = NULL;
        pthread_mutex_unlock(&mutex);
        step(begin);
        for (struct request *r = batch; r; last = r, r = r->next) {
            store(append, ++revision, r);
            store(replace, revision, r);
        }
        step(commit);
        pthread_mutex_lock(&mutex);
        last->next = done;
        done = batch;
        pthread_mutex_unlock(&mutex);
        uint64_t one = 1;
        if (write(wake_up, &one, 8) < 0) abort();
    }
}

static enum MHD_Result reply(struct MHD_Connection *connection) {
    struct MHD_Response *response = MHD_create_response_from_buffer(
        sizeof answer - 1, (void *)answer, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "ETag", "\"1\"");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result follow(struct MHD_Connection *connection) {
    int socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    if (follower_count == followers_max) return MHD_NO;
    if (send(socket, head, sizeof head - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return MHD_NO;
    followers[follower_count++] = socket;
    MHD_suspend_connection(connection);
    return MHD_YES;
}

static void tell(void) {
    for (int at = 0; at < follower_count; at++)
        send(followers[at], event, sizeof event - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *data, size_t *size, void **slot) {
    (void)context, (void)version;
    if (!*slot) {
        struct request *r = calloc(1, sizeof *r);
        r->connection = connection;
        *slot = r;
        return MHD_YES;
    }
    struct request *r = *slot;
    if (*size) {
        size_t room = sizeof r->body - r->size, taken = *size < room ? *size : room;
        memcpy(r->body + r->size, data, taken);
        r->size += taken;
        *size = 0;
        return MHD_YES;
    }
    if (method[0] == 'G' && strstr(url, "/feed")) return follow(connection);
    if (!database || method[0] == 'G') return reply(connection);
    MHD_suspend_connection(connection);
    pthread_mutex_lock(&mutex);
    r->next = waiting;
    waiting = r;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return MHD_YES;
}

static void complete(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    free(*slot);
}

int main(int count, char **arguments) {
    int port = count > 1 ? atoi(arguments[1]) : 8090;
    if (count > 2) open_database(arguments[2]);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, handle, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_CONNECTION_LIMIT, 2000u + followers_max,
        MHD_OPTION_END);
    if (!daemon) return 1;
    wake_up = eventfd(0, EFD_NONBLOCK);
    int poll = epoll_create1(0);
    struct epoll_event readable = {.events = EPOLLIN};
    epoll_ctl(poll, EPOLL_CTL_ADD, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, &readable);
    epoll_ctl(poll, EPOLL_CTL_ADD, wake_up, &readable);
    pthread_t thread;
    if (database) pthread_create(&thread, NULL, write_journal, NULL);
    for (;;) {
        MHD_UNSIGNED_LONG_LONG timeout;
        struct epoll_event events[4];
        int wait = MHD_get_timeout(daemon, &timeout) == MHD_YES && timeout < 1000 ? (int)timeout : 1000;
        epoll_wait(poll, events, 4, wait);
        uint64_t rung;
        if (read(wake_up, &rung, 8) > 0) {
            pthread_mutex_lock(&mutex);
            struct request *batch = done, *next;
            done = NULL;
            pthread_mutex_unlock(&mutex);
            for (struct request *r = batch; r; r = next) {
                next = r->next;
                reply(r->connection);
                MHD_resume_connection(r->connection);
                tell();
            }
        }
        MHD_run(daemon);
    }
}
