#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A regular expression of RE2.
typedef struct versiond_pattern versiond_pattern;

/// The expression that `text` is, or NULL, and then why in `fault`, which ends with a zero.
versiond_pattern *versiond_pattern_make(
    const uint8_t *text, size_t count, int64_t bytes_max, char *fault, size_t fault_room);

/// Whether the expression matches somewhere in a text.
int versiond_pattern_matches(const versiond_pattern *pattern, const uint8_t *text, size_t count);

void versiond_pattern_free(versiond_pattern *pattern);

#ifdef __cplusplus
}
#endif
