// RE2 has no interface in C: here is what is needed of it.

#include "cre2.h"

#include <cstdio>
#include <new>
#include <re2/re2.h>

struct versiond_pattern {
    RE2 expression;

    versiond_pattern(re2::StringPiece text, const RE2::Options &options) : expression(text, options) {}
};

versiond_pattern *versiond_pattern_make(
    const uint8_t *text, size_t count, int64_t bytes_max, char *fault, size_t fault_room) {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(bytes_max);
    options.set_never_capture(true);
    auto *pattern = new (std::nothrow)
        versiond_pattern(re2::StringPiece(reinterpret_cast<const char *>(text), count), options);
    if (pattern && pattern->expression.ok()) return pattern;
    std::snprintf(fault, fault_room, "%s", pattern ? pattern->expression.error().c_str() : "no memory");
    delete pattern;
    return nullptr;
}

int versiond_pattern_matches(const versiond_pattern *pattern, const uint8_t *text, size_t count) {
    re2::StringPiece piece(reinterpret_cast<const char *>(text), count);
    return pattern->expression.Match(piece, 0, count, RE2::UNANCHORED, nullptr, 0);
}

void versiond_pattern_free(versiond_pattern *pattern) { delete pattern; }
