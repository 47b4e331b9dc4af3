/* host/device/block_map.c */
#include "host/device/block_map.h"

#include <errno.h>

#include "common/base/mem.h"

enum { FIRST_CAPACITY = 4096 };

struct sl_block_slot {
    uint64_t key;
    uint32_t block; /* index + 1; 0: the slot is free */
};

void sl_block_map_fini(struct sl_block_map *map)
{
    sl_free(map->slots);
    *map = (struct sl_block_map){0};
}

static struct sl_block_slot *find(const struct sl_block_map *map, uint64_t key)
{
    size_t mask = map->capacity - 1;
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
    while (map->slots[i].block != 0 && map->slots[i].key != key)
        i = (i + 1) & mask;
    return &map->slots[i];
}

static int grow(struct sl_block_map *map)
{
    struct sl_block_map wider = {.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY,
                                 .used = map->used};
    wider.slots = sl_calloc(wider.capacity, sizeof(*wider.slots));
    if (!wider.slots)
        return -ENOMEM;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].block != 0)
            *find(&wider, map->slots[i].key) = map->slots[i];
    }
    sl_free(map->slots);
    *map = wider;
    return 0;
}

int sl_block_map_set(struct sl_block_map *map, uint64_t key, uint32_t block)
{
    if (map->used * 2 >= map->capacity) {
        int rc = grow(map);
        if (rc < 0)
            return rc;
    }
    struct sl_block_slot *slot = find(map, key);
    map->used += slot->block == 0;
    *slot = (struct sl_block_slot){.key = key, .block = block + 1};
    return 0;
}

uint32_t sl_block_map_get(const struct sl_block_map *map, uint64_t key)
{
    return map->capacity ? find(map, key)->block - 1 : UINT32_MAX; /* a free slot wraps to MAX */
}
