// The least that a durable write can take: bytes written over others, and synced. For each line "COUNT" it prints
// "SECONDS P50 P99" (microseconds), as burst does.
//
// Usage: raw FILE BYTES

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { file_bytes = 4 << 20, writes_max = 1 << 20, bytes_max = 1 << 16 };

static double times[writes_max];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static void check(int is_right, const char *what) {
    if (is_right) return;
    fprintf(stderr, "raw: %s\n", what);
    exit(1);
}

int main(int count, char **arguments) {
    check(count == 3, "usage: raw FILE BYTES");
    size_t size = strtoul(arguments[2], NULL, 10);
    check(size > 0 && size <= bytes_max, "1 to 65,536 bytes");
    int file = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    static char bytes[bytes_max];
    memset(bytes, 'x', sizeof bytes);
    // Written once before: a log that begins anew in its old place does not grow, either.
    for (off_t at = 0; at < file_bytes; at += sizeof bytes)
        check(pwrite(file, bytes, sizeof bytes, at) == sizeof bytes, "cannot write");
    check(fsync(file) == 0, "cannot sync");
    off_t at = 0;
    for (long writes; scanf("%ld", &writes) == 1 && writes > 0 && writes <= writes_max;) {
        double start = now();
        for (long done = 0; done < writes; done++) {
            double before = now();
            if (at + (off_t)size > file_bytes) at = 0;
            bytes[0]++;
            check(pwrite(file, bytes, size, at) == (ssize_t)size, "cannot write");
            check(fdatasync(file) == 0, "cannot sync");
            at += size;
            times[done] = now() - before;
        }
        double seconds = now() - start;
        qsort(times, writes, sizeof *times, ascending);
        printf("%.6f %.1f %.1f\n", seconds, times[writes / 2] * 1e6, times[writes * 99 / 100] * 1e6);
        fflush(stdout);
    }
}
