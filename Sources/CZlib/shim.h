#include <stdint.h>
#include <zlib.h>

// Swift cannot import deflateInit2 and inflateInit2: they are macros. 31 means gzip, with the
// largest window.
static inline int versiond_deflate_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
}

static inline int versiond_inflate_begin(z_stream *stream) {
    return inflateInit2(stream, 31);
}
