#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/sockios.h>

// Not by _GNU_SOURCE: types of the C library would then differ from those that Swift knows.
#ifndef POLLRDHUP
#define POLLRDHUP 0x2000
#endif

// Swift cannot import macros that are casts.
static const uint64_t versiond_unknown_size = MHD_SIZE_UNKNOWN;
static const ssize_t versiond_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;

// Swift cannot import MHD_start_daemon: it is variadic.
static inline struct MHD_Daemon *versiond_start(
    int listening_socket, unsigned int connections_max,
    unsigned int connections_per_address_max, unsigned int idle_seconds_max,
    size_t connection_bytes_max, MHD_AccessHandlerCallback handle,
    MHD_RequestCompletedCallback complete, MHD_NotifyConnectionCallback notify,
    void *(*log_target)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *), const char *tls_key,
    const char *tls_certificate, void *context) {
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)tls_key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)tls_certificate},
        // GnuTLS would speak TLS 1.0 and 1.1, too.
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (tls_key ? MHD_USE_TLS : 0), 0, NULL, NULL,
        handle, context,
        MHD_OPTION_ARRAY, tls_key ? tls : tls + 3,
        MHD_OPTION_LISTEN_SOCKET, listening_socket,
        MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, connections_per_address_max,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_bytes_max,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, complete, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context,
        MHD_OPTION_URI_LOG_CALLBACK, log_target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_END);
}

// Swift cannot import the MHD_get_…_info functions: they are variadic.
static inline int versiond_epoll_descriptor(struct MHD_Daemon *daemon) {
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

// The user at the other end of a local socket, or -1. glibc hides struct ucred from Swift.
static inline int64_t versiond_peer_user(int descriptor) {
    struct { int32_t process; uint32_t user, group; } peer;
    socklen_t size = sizeof peer;
    struct sockaddr address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, &address, &length) != 0 || address.sa_family != AF_UNIX) return -1;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (int64_t)peer.user : -1;
}

// The address at the other end of a network connection, as 16 bytes of IPv6 (IPv4 is mapped).
// By the layout that Linux defines, and not by <netinet/in.h>: its types would then be this
// module's for Swift, and not those of the C library.
static inline bool versiond_peer_address(int descriptor, uint64_t *high, uint64_t *low) {
    enum { v4_offset = 4, v6_offset = 8 };
    uint8_t peer[128] __attribute__((aligned(8)));
    socklen_t size = sizeof peer;
    uint16_t family;
    uint8_t bytes[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (getpeername(descriptor, (struct sockaddr *)peer, &size) != 0) return false;
    memcpy(&family, peer, sizeof family);
    if (family == AF_INET) memcpy(bytes + 12, peer + v4_offset, 4);
    else if (family == AF_INET6) memcpy(bytes, peer + v6_offset, 16);
    else return false;
    memcpy(high, bytes, 8);
    memcpy(low, bytes + 8, 8);
    return true;
}

// Whether the other end has closed its side.
static inline bool versiond_has_gone(int descriptor) {
    struct pollfd state = {descriptor, POLLRDHUP, 0};
    return poll(&state, 1, 0) > 0;
}

// Whether the other end has received all that was sent.
static inline bool versiond_has_taken_all(int descriptor) {
    int bytes;
    return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 && bytes == 0;
}

// The largest chunk that is sent at once.
enum { versiond_chunk_bytes_max = 4 << 10 };

// Sends a chunk of a response (RFC 9112 section 7.1) without waiting. Returns how many bytes of it
// were sent, or -1; `whole` is how many there are. Copied once, since the kernel takes longer to
// look at three parts.
static inline ssize_t versiond_send_chunk(
    int descriptor, const void *bytes, size_t count, size_t *whole) {
    // At most four digits, and two ends of lines.
    char text[versiond_chunk_bytes_max + 8], *end = text;
    for (int shift = 12; shift >= 0; shift -= 4)
        if (count >> shift || shift == 0) *end++ = "0123456789abcdef"[count >> shift & 15];
    *end++ = '\r', *end++ = '\n';
    memcpy(end, bytes, count), end += count;
    *end++ = '\r', *end++ = '\n';
    *whole = (size_t)(end - text);
    return send(descriptor, text, *whole, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static inline unsigned int versiond_connections(struct MHD_Daemon *daemon) {
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

static inline int versiond_descriptor(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static inline void *versiond_context(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}
