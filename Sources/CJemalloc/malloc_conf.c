#include "malloc_conf.h"

// jemalloc gives free pages back within the decay time, 10 s by default, and a fast machine fills 1 GiB sooner.
const char *malloc_conf = "dirty_decay_ms:1000";
