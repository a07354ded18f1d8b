// A disk that fails on demand, and that keeps only what was synced: preloaded before the daemon.
//
// DISK_FAULT  a file whose text says what fails, looked at on each call:
//             "full" ENOSPC, "quota" EDQUOT: writes to the journal's log, and whatever takes room;
//             "no-room" ENOSPC: whatever makes a file longer;
//             "mark-full" ENOSPC: writes to the file high-water
//             "sync" its fdatasync fails with EIO; "flaky" one sync of thirty does, of any file
//             "short" each write of more than a sector writes half of it
// DISK_ROOT   a directory: what happens in it is recorded
// DISK_LOG    the file that it is recorded in, for disk.py
// DISK_STOP   the process is killed before this operation on the disk, counted from 1
// DISK_CLOCK  a file with seconds to add to the time of day

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, #name)

// MARK: What is asked for

static size_t text_of(const char *variable, char *text, size_t size) {
    const char *path = getenv(variable);
    if (!path) return 0;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = syscall(SYS_read, file, text, size - 1);
    syscall(SYS_close, file);
    text[count > 0 ? count : 0] = 0;
    return count > 0 ? (size_t)count : 0;
}

static int is_asked(const char *fault) {
    char text[16];
    return text_of("DISK_FAULT", text, sizeof text) && strncmp(text, fault, strlen(fault)) == 0;
}

static int path_of(int descriptor, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, size - 1);
    if (count < 4) return 0;
    path[count] = 0;
    return 1;
}

static int ends_with(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

static int is_log(int descriptor) {
    char path[512];
    return path_of(descriptor, path, sizeof path) && ends_with(path, "-wal");
}

static int is_mark(int descriptor) {
    char path[512];
    return path_of(descriptor, path, sizeof path)
        && (ends_with(path, "/high-water") || ends_with(path, "/high-water.new"));
}

// MARK: Recording

enum { CREATED = 1, WROTE, TRUNCATED, SYNCING, SYNCED, SYNC_FAILED, UNLINKED, RENAMED, MADE };

struct record {
    uint32_t kind, length;
    uint64_t file, position;
};

static int log_file = -1;
static const char *root;
static long stop_before;
static atomic_long operations;
static atomic_ulong syncs;
// From this operation on there is no room: what makes a file longer fails.
static long full_from;

__attribute__((constructor)) static void begin(void) {
    root = getenv("DISK_ROOT");
    const char *path = getenv("DISK_LOG");
    if (root && path)
        log_file = (int)syscall(
            SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("DISK_STOP")) stop_before = atol(getenv("DISK_STOP"));
    if (getenv("DISK_FULL_FROM")) full_from = atol(getenv("DISK_FULL_FROM"));
}

// The name of an open file if it is one that is recorded. What lies in shared memory is made anew.
static int is_recorded(const char *path) {
    return root && strncmp(path, root, strlen(root)) == 0 && !ends_with(path, "-shm");
}

static uint64_t recorded(int descriptor) {
    char path[512];
    struct stat status;
    if (log_file < 0 || !path_of(descriptor, path, sizeof path) || !is_recorded(path)) return 0;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

// One call, so that records of two threads never mix.
static void record(
    uint32_t kind, uint64_t file, uint64_t position, const void *bytes, size_t length) {
    struct record head = {kind, (uint32_t)length, file, position};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
    syscall(SYS_writev, log_file, parts, 2);
}

// Before each operation that could be the last.
static void step(void) {
    if (atomic_fetch_add(&operations, 1) + 1 == stop_before) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
}

// Whether a file may be as long as that.
static int has_room(int descriptor, off_t end) {
    char path[512];
    struct stat status;
    int is_full = is_asked("no-room") || (full_from && operations >= full_from);
    if (!is_full || !root || !path_of(descriptor, path, sizeof path)) return 1;
    if (strncmp(path, root, strlen(root)) != 0) return 1;
    if (fstat(descriptor, &status) != 0 || end <= status.st_size) return 1;
    errno = ENOSPC;
    return 0;
}

// MARK: Writing

static ssize_t written(
    int descriptor, const void *bytes, size_t count, off_t position,
    ssize_t (*real)(int, const void *, size_t, off_t)) {
    if (is_log(descriptor)) {
        errno = is_asked("full") ? ENOSPC : is_asked("quota") ? EDQUOT : 0;
        if (errno) return -1;
    }
    if (is_asked("mark-full") && is_mark(descriptor)) {
        errno = ENOSPC;
        return -1;
    }
    if (!has_room(descriptor, position + (off_t)count)) return -1;
    uint64_t file = recorded(descriptor);
    if (file && count > 512 && is_asked("short")) count /= 2;
    if (file) {
        step();
        record(WROTE, file, (uint64_t)position, bytes, count);
    }
    return real(descriptor, bytes, count, position);
}

int posix_fallocate(int descriptor, off_t start, off_t count) {
    REAL(int, posix_fallocate, int, off_t, off_t);
    if (is_asked("full")) return ENOSPC;
    if (is_asked("quota")) return EDQUOT;
    if (!has_room(descriptor, start + count)) return ENOSPC;
    return real(descriptor, start, count);
}

int posix_fallocate64(int descriptor, off64_t start, off64_t count) {
    return posix_fallocate(descriptor, start, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t position) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    return written(descriptor, bytes, count, position, real);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t position) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    return written(descriptor, bytes, count, position, real);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, write, int, const void *, size_t);
    uint64_t file = recorded(descriptor);
    if (file) {
        int is_appending = fcntl(descriptor, F_GETFL) & O_APPEND;
        step();
        record(
            WROTE, file, (uint64_t)lseek(descriptor, 0, is_appending ? SEEK_END : SEEK_CUR), bytes,
            count);
    }
    return real(descriptor, bytes, count);
}

static int truncated(int descriptor, off_t length, int (*real)(int, off_t)) {
    if (!has_room(descriptor, length)) return -1;
    uint64_t file = recorded(descriptor);
    if (file) {
        step();
        record(TRUNCATED, file, (uint64_t)length, "", 0);
    }
    return real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    REAL(int, ftruncate64, int, off64_t);
    return truncated(descriptor, length, real);
}

int ftruncate(int descriptor, off_t length) {
    REAL(int, ftruncate, int, off_t);
    return truncated(descriptor, length, real);
}

// MARK: Syncing

// What was recorded before the beginning is durable when the end is recorded.
static int synced(int descriptor, int (*real)(int)) {
    if (is_log(descriptor) && is_asked("sync")) {
        errno = EIO;
        return -1;
    }
    uint64_t file = recorded(descriptor);
    uint64_t number = atomic_fetch_add(&syncs, 1);
    if (!file) return real(descriptor);
    step();
    record(SYNCING, file, number, "", 0);
    if (is_asked("flaky") && random() % 30 == 0) {
        record(SYNC_FAILED, file, number, "", 0);
        errno = EIO;
        return -1;
    }
    int result = real(descriptor);
    record(result == 0 ? SYNCED : SYNC_FAILED, file, number, "", 0);
    return result;
}

int fdatasync(int descriptor) {
    REAL(int, fdatasync, int);
    return synced(descriptor, real);
}

int fsync(int descriptor) {
    REAL(int, fsync, int);
    return synced(descriptor, real);
}

// MARK: Names

// SQLite and Foundation name files in full.
static int opened(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
    struct stat status;
    int is_noted = log_file >= 0 && is_recorded(path) && (flags & (O_CREAT | O_TRUNC));
    int is_new = is_noted && stat(path, &status) != 0;
    if (is_noted) step();
    int descriptor = real(path, flags, mode);
    if (!is_noted || descriptor < 0 || fstat(descriptor, &status) != 0) return descriptor;
    if (is_new) record(CREATED, status.st_ino, 0, path, strlen(path));
    else if (flags & O_TRUNC) record(TRUNCATED, status.st_ino, 0, "", 0);
    return descriptor;
}

static mode_t mode_in(int flags, va_list arguments) {
    return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = mode_in(flags, arguments); \
        va_end(arguments); \
        return opened(path, flags, mode, real); \
    }

OPEN(open64)
OPEN(open)

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    int is_noted = log_file >= 0 && is_recorded(path);
    if (is_noted) step();
    int result = real(path);
    if (is_noted && result == 0) record(UNLINKED, 0, 0, path, strlen(path));
    return result;
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    int is_noted = log_file >= 0 && is_recorded(to);
    if (is_noted) step();
    int result = real(from, to);
    if (is_noted && result == 0) {
        char both[1024];
        size_t length = (size_t)snprintf(both, sizeof both, "%s%c%s", from, 0, to);
        record(RENAMED, 0, 0, both, length);
    }
    return result;
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    int is_noted = log_file >= 0 && is_recorded(path);
    if (is_noted) step();
    int result = real(path, mode);
    struct stat status;
    if (is_noted && result == 0 && stat(path, &status) == 0)
        record(MADE, status.st_ino, 0, path, strlen(path));
    return result;
}

// MARK: Time

static time_t clock_offset(void) {
    char text[32];
    return text_of("DISK_CLOCK", text, sizeof text) ? (time_t)atoll(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(int, clock_gettime, clockid_t, struct timespec *);
    int result = real(clock, time);
    if (clock == CLOCK_REALTIME && result == 0) time->tv_sec += clock_offset();
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    REAL(int, gettimeofday, struct timeval *, void *);
    int result = real(time, zone);
    if (result == 0) time->tv_sec += clock_offset();
    return result;
}
