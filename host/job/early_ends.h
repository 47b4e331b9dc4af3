/* host/job/early_ends.h: ends of jobs that a device told before the lab had read its jobs back:
 * kept until then. */
#pragma once

#include <stdbool.h>

#include "host/records.h"

struct sl_early_end {
    struct sl_early_end *next;
    uint64_t job;
    char device[SL_NAME_BYTES], detail[SL_DETAIL_BYTES];
    int cause;
    bool has_run;
    struct sl_run_record run;
};

/* Everything is copied; at most one for each device comes in. 0 or -ENOMEM. */
int sl_early_ends_put(struct sl_early_end **list, uint64_t job, const char *device, int cause,
                      const char *detail, const struct sl_run_record *run);
bool sl_early_ends_have(const struct sl_early_end *list, uint64_t job, const char *device);

/* One of them, the caller's to sl_free(); NULL when there is none. */
struct sl_early_end *sl_early_ends_take(struct sl_early_end **list);
