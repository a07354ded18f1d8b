// A closed loop of requests over kept connections: each connection sends its next request when it
// has the response to the last. Reads lines "COUNT METHOD PATH TYPE BODY" and prints for each
// "SECONDS P50 P99" (microseconds). In path and body, # is the number of the request, and @ a
// random number from 1 to DOCUMENTS.
//
// Usage: burst PORT CONNECTIONS [DOCUMENTS]

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { bytes_max = 1 << 16, connections_max = 10000, commands_max = 1 << 16 };

struct client {
    int socket;
    size_t received;
    double sent;
    char *response;
};

static struct client clients[connections_max];
static int connections, documents = 1;
static long number;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    fprintf(stderr, "burst: %s\n", what);
    exit(1);
}

static size_t fill(char *to, const char *pattern) {
    char *start = to;
    for (; *pattern; pattern++) {
        if (*pattern == '#') to += sprintf(to, "%ld", number);
        else if (*pattern == '@') to += sprintf(to, "%ld", 1 + random() % documents);
        else *to++ = *pattern;
    }
    *to = 0;
    return (size_t)(to - start);
}

static void send_request(struct client *c, char *method, char *path, char *type, char *body) {
    static char filled[bytes_max], target[4096], request[bytes_max + 8192];
    number++;
    fill(target, path);
    size_t length = fill(filled, body);
    // Lines of more header fields, each with its end.
    const char *more = getenv("BURST_FIELDS") ? getenv("BURST_FIELDS") : "";
    int head = length
        ? sprintf(request, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n"
                  "Content-Length: %zu\r\n%s\r\n", method, target, type, length, more)
        : sprintf(request, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", method, target, more);
    memcpy(request + head, filled, length);
    c->received = 0;
    c->sent = now();
    if (send(c->socket, request, (size_t)head + length, 0) != (ssize_t)((size_t)head + length))
        fail("a request was not taken");
}

// Whether the response is complete.
static int receive(struct client *c) {
    ssize_t count = recv(c->socket, c->response + c->received, bytes_max - 1 - c->received, 0);
    if (count <= 0) fail("a connection ended");
    c->received += (size_t)count;
    c->response[c->received] = 0;
    char *end = strstr(c->response, "\r\n\r\n");
    if (!end) return 0;
    char *field = strcasestr(c->response, "\r\ncontent-length:");
    size_t length = field && field < end ? strtoul(field + 17, NULL, 10) : 0;
    if (c->received < (size_t)(end + 4 - c->response) + length) return 0;
    if (c->response[9] != '2') fail(c->response);
    return 1;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run(int poll, long count, char *method, char *path, char *type, char *body) {
    double *times = malloc((size_t)count * sizeof *times), start = now();
    long sent = 0, done = 0;
    for (; sent < connections && sent < count; sent++)
        send_request(&clients[sent], method, path, type, body);
    while (done < count) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 20000);
        if (ready <= 0) fail("no response within 20 seconds");
        for (int at = 0; at < ready; at++) {
            struct client *c = events[at].data.ptr;
            if (!receive(c)) continue;
            times[done++] = now() - c->sent;
            if (sent < count) sent++, send_request(c, method, path, type, body);
        }
    }
    double elapsed = now() - start;
    qsort(times, (size_t)count, sizeof *times, order);
    printf("%.6f %.1f %.1f\n", elapsed, times[count / 2] * 1e6, times[count * 99 / 100] * 1e6);
    fflush(stdout);
    free(times);
}

static void open_clients(int poll, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    for (int at = 0; at < connections; at++) {
        struct client *c = &clients[at];
        c->socket = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(c->socket, (struct sockaddr *)&address, sizeof address)) fail("no connection");
        setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        c->response = malloc(bytes_max);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(poll, EPOLL_CTL_ADD, c->socket, &event);
    }
}

int main(int count, char **arguments) {
    if (count < 3) fail("usage: burst PORT CONNECTIONS [DOCUMENTS]");
    connections = atoi(arguments[2]);
    if (connections < 1 || connections > connections_max) fail("1 to 10000 connections");
    if (count > 3) documents = atoi(arguments[3]);
    int poll = epoll_create1(0);
    open_clients(poll, atoi(arguments[1]));
    static char line[commands_max], method[16], path[4096], type[256], body[commands_max];
    while (fgets(line, sizeof line, stdin)) {
        long requests;
        body[0] = 0;
        if (sscanf(line, "%ld %15s %4095s %255s %65535[^\n]", &requests, method, path, type, body)
            < 3) fail(line);
        run(poll, requests, method, path, type, body);
    }
    return 0;
}
