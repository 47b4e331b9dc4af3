/* agent/runtime/weights/weight_prune.h: keeps a weight cache's directory small. */
#pragma once

#include <stdint.h>

enum {
    SL_WEIGHT_MAX_FILES_SEEN = 4096, /* of a directory; what is beyond waits for the next time */
    SL_WEIGHT_MAX_NOTES = 1024,
    SL_WEIGHT_TORN_S = 3600, /* a file that nobody finished in so many seconds is left over */
};

/* Removes the weight files that were not used for longest, with their notes, until what is left
 * has `max_bytes` together; then the oldest notes above their number, and what writers that died
 * left over. Only files that a weight cache names so are looked at. Agents that have a removed file
 * open keep it. Returns how many weight files went, or -errno, -ENOMEM. */
int sl_weight_prune(const char *directory, uint64_t max_bytes);
