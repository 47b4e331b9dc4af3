/* agent/trace/name_table.h: gives equal texts equal ids, counted from 1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_name_entry;

/* All zero is an empty table. */
struct sl_name_table {
    struct sl_name_entry *entries; /* owned; a power of two of them, or NULL */
    size_t capacity, count;
};

void sl_name_table_fini(struct sl_name_table *table);

/* The id of `len` bytes of `text`, which are copied when new. -ENOMEM or SL_E_LIMIT past
 * SL_TRACE_MAX_NAMES. */
int64_t sl_name_table_intern(struct sl_name_table *table, const char *text, size_t len,
                             bool *out_new);
