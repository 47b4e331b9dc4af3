/* host/job/numbered.c */
#include "host/job/numbered.h"

#include <errno.h>

#include "common/base/mem.h"

enum { ROOM_AT_FIRST = 64 };

static size_t mask_of(const struct sl_numbered *table)
{
    return 2 * table->room - 1;
}

static size_t home_of(const struct sl_numbered *table, uint64_t number)
{
    return (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask_of(table);
}

/* Returns the slot of the number, or the free one for it. */
static size_t slot_of(const struct sl_numbered *table, uint64_t number)
{
    size_t slot = home_of(table, number);
    while (table->slots[slot].number != 0 && table->slots[slot].number != number)
        slot = (slot + 1) & mask_of(table);
    return slot;
}

int sl_numbered_reserve(struct sl_numbered *table, size_t room)
{
    struct sl_numbered larger = {.room = table->room == 0 ? ROOM_AT_FIRST : table->room};
    if (room <= table->room)
        return 0;
    while (larger.room < room)
        larger.room *= 2;
    larger.slots = sl_calloc(2 * larger.room, sizeof(*larger.slots));
    if (!larger.slots)
        return -ENOMEM;
    for (size_t i = 0; i < 2 * table->room; i++) {
        if (table->slots[i].number != 0)
            sl_numbered_put(&larger, table->slots[i].number, table->slots[i].of);
    }
    sl_numbered_fini(table);
    *table = larger;
    return 0;
}

void sl_numbered_fini(struct sl_numbered *table)
{
    sl_free(table->slots);
    *table = (struct sl_numbered){0};
}

void sl_numbered_put(struct sl_numbered *table, uint64_t number, void *of)
{
    table->slots[slot_of(table, number)] = (struct sl_numbered_slot){number, of};
    table->count++;
}

void *sl_numbered_find(const struct sl_numbered *table, uint64_t number)
{
    return table->room == 0 ? NULL : table->slots[slot_of(table, number)].of;
}

/* Moves back the things behind it that had made way. */
void *sl_numbered_take(struct sl_numbered *table, uint64_t number)
{
    void *of = sl_numbered_find(table, number);
    if (!of)
        return NULL;
    size_t mask = mask_of(table), hole = slot_of(table, number);
    for (size_t at = (hole + 1) & mask; table->slots[at].number != 0; at = (at + 1) & mask) {
        size_t home = home_of(table, table->slots[at].number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        table->slots[hole] = table->slots[at];
        hole = at;
    }
    table->slots[hole] = (struct sl_numbered_slot){0};
    table->count--;
    return of;
}
