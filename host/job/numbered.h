/* host/job/numbered.h: things found by their number, which is not 0. A table with open addressing,
 * at most half full. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_numbered {
    struct sl_numbered_slot {
        uint64_t number; /* 0: free */
        void *of;        /* borrowed */
    } *slots;            /* owned; twice as many as there is room for */
    size_t room, count;
};

/* Room for so many: with it putting cannot fail. -ENOMEM. */
int sl_numbered_reserve(struct sl_numbered *table, size_t room);
void sl_numbered_fini(struct sl_numbered *table);

/* The number is not there yet. */
void sl_numbered_put(struct sl_numbered *table, uint64_t number, void *of);
void *sl_numbered_find(const struct sl_numbered *table, uint64_t number); /* NULL: not there */
void *sl_numbered_take(struct sl_numbered *table, uint64_t number);       /* the same */
