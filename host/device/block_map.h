/* host/device/block_map.h: hash from an address to a block's index; open addressing, no deletion.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_block_map {
    struct sl_block_slot *slots; /* owned */
    size_t capacity;             /* a power of two, or 0 */
    size_t used;
};

void sl_block_map_fini(struct sl_block_map *map);

/* Sets `key` (new or not) to `block`. 0 or -ENOMEM. The number of keys is the caller's to bound. */
int sl_block_map_set(struct sl_block_map *map, uint64_t key, uint32_t block);

/* The block of `key`, or UINT32_MAX. */
uint32_t sl_block_map_get(const struct sl_block_map *map, uint64_t key);
