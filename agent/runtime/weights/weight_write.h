/* agent/runtime/weights/weight_write.h: writes a weight file. */
#pragma once

#include "agent/runtime/weights/weight_store.h"

/* Writes what the store has noted under another name, syncs it and gives it its name at once, so
 * that of several writers the last one wins and no reader sees half a file; then notes in
 * `directory` that it is whole. 0, -errno, -ENOMEM, SL_E_STATE when some of it was not packed, or
 * SL_E_LIMIT for more than `max_bytes`, of which nothing is written. */
int sl_weight_write(const struct sl_weight_store *store, struct sl_content key, uint64_t max_bytes,
                    const char *directory, const char *path);
