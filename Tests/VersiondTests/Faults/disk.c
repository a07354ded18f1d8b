// A disk that fails on demand: preloaded before the daemon, it looks into the file that DISK_FAULT names.
// "full" makes writes to the journal's log fail with ENOSPC, "quota" with EDQUOT, "sync" makes its fdatasync fail with EIO.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_log(int descriptor) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 4) return 0;
    path[count] = 0;
    return strcmp(path + count - 4, "-wal") == 0;
}

static int is_asked(const char *fault) {
    const char *path = getenv("DISK_FAULT");
    if (!path) return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[16] = {0};
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    return count > 0 && strncmp(text, fault, strlen(fault)) == 0;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    if (is_log(descriptor) && is_asked("full")) {
        errno = ENOSPC;
        return -1;
    }
    if (is_log(descriptor) && is_asked("quota")) {
        errno = EDQUOT;
        return -1;
    }
    return real(descriptor, bytes, count, offset);
}

int fdatasync(int descriptor) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    if (is_log(descriptor) && is_asked("sync")) {
        errno = EIO;
        return -1;
    }
    return real(descriptor);
}
