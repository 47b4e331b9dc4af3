/* agent/trace/name_table.c: open addressing, at most half full. */
#include "agent/trace/name_table.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"

struct sl_name_entry {
    char *text; /* owned; NULL: free */
    size_t len;
    uint64_t hash;
    uint32_t id;
};

void sl_name_table_fini(struct sl_name_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        sl_free(table->entries[i].text);
    sl_free(table->entries);
    *table = (struct sl_name_table){0};
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text, size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The entry that holds the text, or the free one where it belongs. */
static struct sl_name_entry *find(const struct sl_name_table *table, const char *text, size_t len,
                                  uint64_t hash)
{
    size_t mask = table->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct sl_name_entry *entry = &table->entries[i];
        if (!entry->text ||
            (entry->hash == hash && entry->len == len && memcmp(entry->text, text, len) == 0))
            return entry;
    }
}

static int grow(struct sl_name_table *table)
{
    struct sl_name_table bigger = {.capacity = table->capacity ? table->capacity * 2 : 64,
                                   .count = table->count};
    bigger.entries = sl_calloc(bigger.capacity, sizeof(*bigger.entries));
    if (!bigger.entries)
        return -ENOMEM;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct sl_name_entry *old = &table->entries[i];
        if (old->text)
            *find(&bigger, old->text, old->len, old->hash) = *old;
    }
    sl_free(table->entries);
    *table = bigger;
    return 0;
}

int64_t sl_name_table_intern(struct sl_name_table *table, const char *text, size_t len,
                             bool *out_new)
{
    if (table->count * 2 >= table->capacity) {
        int rc = grow(table);
        if (rc < 0)
            return rc;
    }
    uint64_t hash = hash_of(text, len);
    struct sl_name_entry *entry = find(table, text, len, hash);
    if (entry->text) {
        *out_new = false;
        return entry->id;
    }
    if (table->count >= SL_TRACE_MAX_NAMES)
        return SL_E_LIMIT;
    char *copy = sl_strndup(text, len);
    if (!copy)
        return -ENOMEM;
    *entry = (struct sl_name_entry){
        .text = copy, .len = len, .hash = hash, .id = (uint32_t)++table->count};
    *out_new = true;
    return entry->id;
}
