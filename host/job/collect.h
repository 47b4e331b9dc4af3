/* host/job/collect.h: a job that starts again first looks whether its device keeps the result of
 * a start before: the host that sent it died, and the device went on without it. On the loop's
 * thread. */
#pragma once

#include <stdint.h>

#include "host/job/kept_list.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_collect;

enum {
    SL_COLLECT_LOOK_MS = 100,
    SL_COLLECT_PATIENCE_MS = 3000 /* for the device to say what it keeps */
};

/* Copied. */
struct sl_collect_wish {
    struct sl_kept_start before; /* the latest that may have left one; those before it may too */
    const char *device, *config_json; /* what was asked for */
};

/* `config_json` collects the result, borrowed for the call; NULL: there is none to collect. The
 * look is over and freed after this. */
typedef void (*sl_collect_fn)(void *user, const char *config_json);

/* Looks into `kept` (borrowed until the end) for the result of the latest start of those. `done`
 * comes once, never inside this call. 0 or -ENOMEM. */
int sl_collect_start(uv_loop_t *loop, const struct sl_kept_list *kept,
                     const struct sl_collect_wish *wish, sl_collect_fn done, void *user,
                     struct sl_collect **out);
/* `done` does not come any more. NULL is a no-op. */
void sl_collect_stop(struct sl_collect *collect);
