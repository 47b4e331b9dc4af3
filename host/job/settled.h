/* host/job/settled.h: the jobs of a device that this state is done with: had whole, cancelled or
 * given up. An agent that still holds one of them, because the last acknowledgement was lost, may
 * forget it; what is not among them is another daemon's, or of a state that was lost.
 *
 * The last so many, in <state>/agents/<device>/settled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/run_id.h"

enum { SL_SETTLED_MAX = 128, SL_SETTLED_PATH = 1024 };

struct sl_settled {
    char path[SL_SETTLED_PATH];
    struct sl_run_id ids[SL_SETTLED_MAX]; /* the oldest first */
    size_t count;
};

/* Reads the file; what is no number in it is passed over. -ENAMETOOLONG. */
int sl_settled_open(struct sl_settled *settled, const char *path);

/* Adds those that are not there yet, in place of the oldest, and writes the file: 0 or why that
 * could not be, and then they count until this daemon ends. */
int sl_settled_add(struct sl_settled *settled, const struct sl_run_id *ids, size_t count);
bool sl_settled_has(const struct sl_settled *settled, struct sl_run_id id);
