// The options that jemalloc reads when a program is loaded, where it is linked (jemalloc(3), "Tuning").
// The environment variable MALLOC_CONF comes after them.
extern const char *malloc_conf;
