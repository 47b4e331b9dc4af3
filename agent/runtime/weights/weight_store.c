/* agent/runtime/weights/weight_store.c */
#include "agent/runtime/weights/weight_store.h"

#include <string.h>

#include "agent/runtime/budget.h"
#include "common/base/error.h"
#include "common/base/mem.h"

static struct sl_weight_blob **bucket_of(struct sl_weight_store *store,
                                         const struct sl_weight_key *key)
{
    uint64_t mixed = (uint64_t)(uintptr_t)key->weights / 16 ^ key->form;
    return &store->buckets[(mixed ^ mixed >> 13 ^ mixed >> 29) % SL_WEIGHT_BUCKETS];
}

static bool same(const struct sl_weight_key *a, const struct sl_weight_key *b)
{
    return a->kernel == b->kernel && a->weights == b->weights && a->bias == b->bias &&
           a->scales == b->scales && a->form == b->form && a->bytes == b->bytes;
}

static struct sl_weight_blob *find(struct sl_weight_store *store, const struct sl_weight_key *key)
{
    struct sl_weight_blob *blob = *bucket_of(store, key);
    while (blob && (blob->failed || !same(&blob->key, key)))
        blob = blob->next;
    return blob;
}

/* The next entry of the file, if it is what the key asks for. */
static const uint8_t *next_in_file(struct sl_weight_store *store, const struct sl_weight_key *key)
{
    if (!store->file || store->lying)
        return NULL;
    store->lying = store->order_count >= store->file->count;
    if (store->lying)
        return NULL;
    struct sl_weight_entry entry = sl_weight_file_entry(store->file, store->order_count);
    store->lying = entry.form != key->form || entry.bytes != key->bytes;
    return store->lying ? NULL : store->file->bytes.data + entry.offset;
}

/* Mapped weights count as packed ones do: a run has them in memory all the same. */
static struct sl_weight_blob *add(struct sl_weight_store *store, const struct sl_weight_key *key,
                                  const uint8_t *mapped)
{
    struct sl_weight_blob *blob = sl_calloc(1, sizeof(*blob));
    if (!blob)
        return NULL;
    blob->key = *key;
    blob->mapped = mapped != NULL;
    blob->packed = mapped ? (void *)(uintptr_t)mapped : sl_budget_alloc(store->budget, key->bytes);
    if (mapped && !sl_budget_take(store->budget, key->bytes))
        blob->packed = NULL;
    if (!blob->packed) {
        sl_free(blob);
        return NULL;
    }
    struct sl_weight_blob **bucket = bucket_of(store, key);
    blob->next = *bucket;
    *bucket = blob;
    return blob;
}

static int note(struct sl_weight_store *store, struct sl_weight_blob *blob)
{
    if (!store->recording)
        return 0;
    if (store->order_count == store->order_room) {
        uint32_t room = store->order_room != 0 ? store->order_room * 2 : 64;
        struct sl_weight_blob **order =
            room > SL_WEIGHT_MAX_ENTRIES ? NULL : sl_realloc(store->order, room, sizeof(*order));
        if (!order)
            return SL_E_LIMIT;
        store->order = order;
        store->order_room = room;
    }
    store->order[store->order_count++] = blob;
    blob->noted = true;
    blob->users++;
    return 0;
}

int sl_weight_store_take(struct sl_weight_store *store, const struct sl_weight_key *key,
                         struct sl_weight_blob **out)
{
    struct sl_weight_blob *blob = find(store, key);
    bool found = blob != NULL;
    if (found && blob->noted) { /* a file has it once, where it was asked for first */
        blob->users++;
        *out = blob;
        return 0;
    }
    const uint8_t *mapped = next_in_file(store, key); /* the same that others have, if they do */
    if (!blob)
        blob = add(store, key, mapped);
    if (!blob)
        return SL_E_LIMIT;
    blob->users++;
    if (note(store, blob) != 0) {
        sl_weight_store_drop(store, blob);
        return SL_E_LIMIT;
    }
    *out = blob;
    return found || mapped ? 0 : 1;
}

void sl_weight_store_drop(struct sl_weight_store *store, struct sl_weight_blob *blob)
{
    if (--blob->users != 0)
        return;
    struct sl_weight_blob **at = bucket_of(store, &blob->key);
    while (*at != blob)
        at = &(*at)->next;
    *at = blob->next;
    if (blob->mapped)
        sl_budget_give(store->budget, blob->key.bytes);
    else
        sl_budget_free(store->budget, blob->packed, blob->key.bytes);
    sl_free(blob);
}

void sl_weight_store_record(struct sl_weight_store *store, const struct sl_weight_file *file)
{
    store->recording = true;
    store->lying = false;
    store->file = file;
}

bool sl_weight_store_served(const struct sl_weight_store *store)
{
    return store->file && !store->lying && store->order_count == store->file->count;
}

void sl_weight_store_stop(struct sl_weight_store *store)
{
    for (uint32_t i = 0; i < store->order_count; i++) {
        store->order[i]->noted = false;
        sl_weight_store_drop(store, store->order[i]);
    }
    sl_free(store->order);
    store->order = NULL;
    store->order_count = store->order_room = 0;
    store->recording = store->lying = false;
    store->file = NULL;
}

bool sl_weight_store_keep(struct sl_weight_store *store, struct sl_bytes file)
{
    if (store->file_count == SL_WEIGHT_MAX_FILES)
        return false;
    store->files[store->file_count++] = file;
    return true;
}

void sl_weight_store_fini(struct sl_weight_store *store)
{
    sl_weight_store_stop(store);
    for (uint32_t i = 0; i < store->file_count; i++)
        sl_file_unmap(&store->files[i]);
    store->file_count = 0;
}
