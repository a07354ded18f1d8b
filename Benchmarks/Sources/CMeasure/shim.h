#include <malloc.h>
#include <zstd.h>
