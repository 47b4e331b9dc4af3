/* agent/probe/crash_log.h: what Android's log has of a process that died. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct sl_buf;

enum { SL_CRASH_LOG_BYTES = 32 << 10 };

/* Appends the log's lines of that process since `since_ms` (UTC), the last of them where they are
 * too many, and what crash_dump wrote there of its death, which is the tombstone's text; nothing
 * where the system below `root` has no logcat or it says nothing. Nothing is cleared. Blocks for
 * some seconds at most: off the loop. */
void sl_crash_log_read(const char *root, pid_t pid, uint64_t since_ms, struct sl_buf *out);
