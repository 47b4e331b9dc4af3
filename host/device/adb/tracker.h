/* host/device/adb/tracker.h: follows which devices an adb server has, for as long as it lives; asks
 * again, with back-off, where no server answers. On the loop's thread. */
#pragma once

#include <stddef.h>

#include "host/device/adb/listing.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_adb_tracker;

/* Lists the present devices after each change; may repeat itself. `reason` is why nothing is known
 * (no server, or an answer that is none), else NULL. Borrowed for the call. */
typedef void (*sl_adb_tracker_fn)(void *user, const struct sl_adb_listed *listed, size_t count,
                                  const char *reason);

int sl_adb_tracker_new(uv_loop_t *loop, sl_adb_tracker_fn changed, void *user,
                       struct sl_adb_tracker **out);

/* Tells again, within the call, what was told last; nothing before the first time. */
void sl_adb_tracker_tell(const struct sl_adb_tracker *tracker);

/* Nothing is told any more; `closed` comes last, from the loop. */
void sl_adb_tracker_close(struct sl_adb_tracker *tracker, void (*closed)(void *user), void *user);
