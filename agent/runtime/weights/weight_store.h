/* agent/runtime/weights/weight_store.h: the packed weights of a method.
 *
 * Variants, and operators, that need the same constants in the same layout share one copy. While a
 * variant is compiled the store hands out what a weight file holds, in its order, and notes what
 * was packed instead, so that a file can be written; what several ask for is in it once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/weights/weight_file.h"

struct sl_budget;

/* The sources of packed weights. Pointers are compared, not followed. */
struct sl_weight_key {
    const void *kernel, *weights, *bias, *scales;
    uint64_t form; /* shape, types and numbers that decide the layout; the same in each process */
    uint64_t bytes;
};

struct sl_weight_blob {
    struct sl_weight_blob *next; /* in its bucket */
    struct sl_weight_key key;
    void *packed; /* 64-byte aligned; never written where it is mapped */
    uint32_t users;
    bool mapped; /* lies in a weight file */
    bool failed; /* was not packed: not to be shared or kept */
    bool noted;  /* is in the store's `order` */
};

enum { SL_WEIGHT_BUCKETS = 256, SL_WEIGHT_MAX_FILES = 8 };

/* All zeros but the budget is a valid start. */
struct sl_weight_store {
    struct sl_budget *budget;
    struct sl_weight_blob *buckets[SL_WEIGHT_BUCKETS];
    struct sl_bytes files[SL_WEIGHT_MAX_FILES]; /* owned mappings */
    uint32_t file_count;
    /* While a variant is compiled with a cache: */
    bool recording;
    bool lying;                        /* the file did not hold what was asked for */
    const struct sl_weight_file *file; /* borrowed; NULL: none */
    struct sl_weight_blob **order;     /* owned; what was asked for, each once and held once */
    uint32_t order_count, order_room;
};

/* After every user is gone. */
void sl_weight_store_fini(struct sl_weight_store *store);

/* The blob of the key: 0, or 1 when the caller is to pack it now. SL_E_LIMIT over the budget or out
 * of memory. Give back with sl_weight_store_drop(). */
int sl_weight_store_take(struct sl_weight_store *store, const struct sl_weight_key *key,
                         struct sl_weight_blob **out);
void sl_weight_store_drop(struct sl_weight_store *store, struct sl_weight_blob *blob);

/* From here on what is asked for is noted; `file` (NULL: none) is asked first. */
void sl_weight_store_record(struct sl_weight_store *store, const struct sl_weight_file *file);
/* True if everything noted came from the file, and nothing is left in it. */
bool sl_weight_store_served(const struct sl_weight_store *store);
/* Ends noting and lets go of what was noted. */
void sl_weight_store_stop(struct sl_weight_store *store);
/* Takes over a mapping that blobs lie in; false when there are too many. */
bool sl_weight_store_keep(struct sl_weight_store *store, struct sl_bytes file);
