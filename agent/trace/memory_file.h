/* agent/trace/memory_file.h: a file that lives in memory or, where the kernel has none, on disk
 * without a name. */
#pragma once

/* A descriptor that closes on exec and is the caller's to close, or -errno. */
int sl_memory_file_open(const char *name);
