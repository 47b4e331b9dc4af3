/* host/plugin/process.h: the process of one plug-in: started, fed with lines, listened to, ended
 * with its group, and started again with back-off when it dies. On the loop's thread.
 *
 * Neither pipe of a plug-in that writes more than the limits below is read for the rest of the
 * second, so that it waits and the daemon does not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_plugin_process;

enum {
    SL_PLUGIN_LINES_PER_S = 4096,       /* of its output, empty ones too */
    SL_PLUGIN_BYTES_PER_S = 1 << 20,    /* of its output, and as many of its standard error */
    SL_PLUGIN_UNREAD_BYTES = 256 << 10, /* that it may leave unread of what it was told */
    SL_PLUGIN_BACK_OFF_MS = 500,        /* before the first new start, doubled by each */
    SL_PLUGIN_BACK_OFF_MAX_MS = 60000,
    SL_PLUGIN_END_MS = 1000, /* from the request to end to the kill */
};

/* Called from the loop, never inside a call below; none of them after close. */
struct sl_plugin_process_events {
    void (*up)(void *user);
    /* It could not be started, or has died: why. It is started again by itself. */
    void (*down)(void *user, bool started, const char *why);
    /* A line without its end; `whole` is false for one that was too long. */
    void (*line)(void *user, struct sl_bytes line, bool whole);
    /* It is not read until the next second; once a second at most. */
    void (*flood)(void *user);
};

/* `name` and `words` (the program first, `count` of them) are borrowed as long as it lives. Starts
 * it from the loop. 0, -ENOMEM or libuv's code. */
int sl_plugin_process_new(uv_loop_t *loop, const char *name, const char *const *words, size_t count,
                          const struct sl_plugin_process_events *events, void *user,
                          struct sl_plugin_process **out);

bool sl_plugin_process_is_up(const struct sl_plugin_process *process);

/* Writes `text` (copied) and a newline. SL_E_STATE: it does not run; SL_E_FULL: it does not read;
 * -ENOMEM. */
int sl_plugin_process_say(struct sl_plugin_process *process, const char *text, size_t len);

/* Asks its group to end (SIGTERM), kills it SL_PLUGIN_END_MS later; `closed` comes last. */
void sl_plugin_process_close(struct sl_plugin_process *process, void (*closed)(void *user),
                             void *user);
