/* agent/serve/crash_note.h: asks the system what it noted of a process that died, off the loop. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_buf;

/* `done` comes once, from the loop, with what sl_crash_log_read() has, perhaps nothing; borrowed
 * for the call. `root` is borrowed until then. -ENOMEM, -errno: it does not come. */
int sl_crash_note_start(uv_loop_t *loop, const char *root, pid_t pid, uint64_t since_ms,
                        void (*done)(void *user, const struct sl_buf *said), void *user);
