/* host/daemon/hook.h: the command of the configuration that brings a device back: it switches a
 * USB port, or reboots a phone. At most one a device; devices do not wait for each other. On the
 * loop's thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_hooks;

enum { SL_HOOK_MAX_WORDS = 16 };

/* `words` (borrowed, as long as the hooks live) are the program and its first arguments; the
 * device's name is the last one. After `limit_s` seconds its whole process group is killed. */
int sl_hooks_new(uv_loop_t *loop, const char *const *words, size_t count, uint32_t limit_s,
                 struct sl_hooks **out);

/* How it ends goes into the log. SL_E_STATE: it runs for that device already; -ENOMEM, or why it
 * cannot be started. */
int sl_hooks_run(struct sl_hooks *hooks, const char *device);

/* Kills those that run; `closed` comes last, from the loop. */
void sl_hooks_close(struct sl_hooks *hooks, void (*closed)(void *user), void *user);
