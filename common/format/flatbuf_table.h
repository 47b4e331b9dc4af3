/* common/format/flatbuf_table.h: finds tables, vectors and fields of a FlatBuffer within its
 * bounds.
 *
 * Inline, since the readers of whole files do it for each field: a call would cost more than the
 * reading. flatbuf.h has the rest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;
struct sl_arena;

#define SL_FLATBUF_MAX_BYTES ((uint64_t)INT32_MAX) /* as the format has it: offsets are signed */

struct sl_flatbuf {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t origin;         /* of `data` in the file: added to the offsets in messages */
    struct sl_arena *pool; /* borrowed */
    struct sl_diag *diag;  /* borrowed; may be NULL */
    int error;
};

/* A table; `at` 0 is an absent one, of which every field is absent. */
struct sl_flatbuf_table {
    const char *name; /* of the schema, for messages */
    uint32_t at, vtable;
    uint16_t vtable_bytes, table_bytes;
};

/* `at` is the first element's offset; an absent vector has no elements. */
struct sl_flatbuf_vector {
    const char *name; /* of the table that holds it */
    uint32_t at, count;
    bool present;
};

/* Sets `error` once, with words about offset `at`. Returns it. */
__attribute__((format(printf, 4, 5))) int sl_flatbuf_fail(struct sl_flatbuf *fb, int code,
                                                          uint64_t at, const char *what, ...);

#define SL_FLATBUF_INLINE static inline __attribute__((always_inline))
#define SL_FLATBUF_APART __attribute__((noinline, cold))

/* These find out again what failed and say so, so that success needs no stack frame. */
SL_FLATBUF_APART struct sl_flatbuf_table sl_flatbuf_no_table(struct sl_flatbuf *fb, uint64_t at,
                                                             const char *name);
SL_FLATBUF_APART uint64_t sl_flatbuf_outside(struct sl_flatbuf *fb,
                                             const struct sl_flatbuf_table *table, unsigned slot,
                                             uint64_t absent);
SL_FLATBUF_APART struct sl_flatbuf_table sl_flatbuf_no_child(struct sl_flatbuf *fb,
                                                             const struct sl_flatbuf_table *table,
                                                             unsigned slot, const char *name);
SL_FLATBUF_APART struct sl_flatbuf_vector sl_flatbuf_no_vector(struct sl_flatbuf *fb,
                                                               const struct sl_flatbuf_table *table,
                                                               unsigned slot, uint64_t at);
SL_FLATBUF_APART struct sl_flatbuf_vector
sl_flatbuf_vector_outside(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          unsigned slot);

/* No range wraps: a file has at most SL_FLATBUF_MAX_BYTES. */
SL_FLATBUF_INLINE struct sl_flatbuf_table sl_flatbuf_fast_root(struct sl_flatbuf *fb, uint64_t at,
                                                               const char *name)
{
    const uint64_t size = fb->size;
    if (fb->error != 0 || !sl_range_ok(at, 4, size))
        return sl_flatbuf_no_table(fb, at, name);
    uint32_t offset = sl_load_u32(fb->data + at);
    uint64_t table = at + offset;
    if (offset == 0 || !sl_range_ok(table, 4, size))
        return sl_flatbuf_no_table(fb, at, name);
    /* negative is a huge one */
    uint64_t vtable = table - (uint64_t)(int64_t)(int32_t)sl_load_u32(fb->data + table);
    if (!sl_range_ok(vtable, 4, size))
        return sl_flatbuf_no_table(fb, at, name);
    uint16_t vtable_bytes = sl_load_u16(fb->data + vtable);
    uint16_t table_bytes = sl_load_u16(fb->data + vtable + 2);
    if (vtable_bytes < 4 || vtable_bytes % 2 != 0 || table_bytes < 4 ||
        vtable_bytes > size - vtable || table_bytes > size - table)
        return sl_flatbuf_no_table(fb, at, name);
    return (struct sl_flatbuf_table){name, (uint32_t)table, (uint32_t)vtable, vtable_bytes,
                                     table_bytes};
}

/* Returns the field's offset in its table: 0 where it is absent. After a failure too: the field is
 * inside all the same, and scalars are not looked at then. */
SL_FLATBUF_INLINE unsigned sl_flatbuf_at(const struct sl_flatbuf *fb,
                                         const struct sl_flatbuf_table *table, unsigned slot)
{
    if (table->at == 0 || 4 + 2 * slot >= table->vtable_bytes)
        return 0;
    return sl_load_u16(fb->data + table->vtable + 4 + 2 * slot);
}

SL_FLATBUF_INLINE bool sl_flatbuf_inside(const struct sl_flatbuf_table *table, unsigned offset,
                                         unsigned bytes)
{
    return offset >= 4 && offset + bytes <= table->table_bytes;
}

SL_FLATBUF_INLINE struct sl_flatbuf_table
sl_flatbuf_fast_child(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                      const char *name)
{
    unsigned offset = sl_flatbuf_at(fb, table, slot);
    if (offset == 0)
        return (struct sl_flatbuf_table){.name = name};
    if (!sl_flatbuf_inside(table, offset, 4))
        return sl_flatbuf_no_child(fb, table, slot, name);
    return sl_flatbuf_fast_root(fb, (uint64_t)table->at + offset, name);
}

SL_FLATBUF_INLINE struct sl_flatbuf_vector
sl_flatbuf_fast_vector(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                       unsigned element_bytes)
{
    unsigned field = sl_flatbuf_at(fb, table, slot);
    if (field == 0 || fb->error != 0)
        return (struct sl_flatbuf_vector){.name = table->name};
    if (!sl_flatbuf_inside(table, field, 4))
        return sl_flatbuf_vector_outside(fb, table, slot);
    uint64_t at = (uint64_t)table->at + field;
    uint32_t offset = sl_load_u32(fb->data + at);
    uint64_t vector = at + offset;
    if (offset == 0 || !sl_range_ok(vector, 4, fb->size))
        return sl_flatbuf_no_vector(fb, table, slot, at);
    uint32_t count = sl_load_u32(fb->data + vector);
    if ((uint64_t)count * element_bytes > fb->size - vector - 4)
        return sl_flatbuf_no_vector(fb, table, slot, at);
    return (struct sl_flatbuf_vector){table->name, (uint32_t)(vector + 4), count, true};
}

SL_FLATBUF_INLINE uint8_t sl_flatbuf_fast_u8(struct sl_flatbuf *fb,
                                             const struct sl_flatbuf_table *table, unsigned slot,
                                             uint8_t absent)
{
    unsigned offset = sl_flatbuf_at(fb, table, slot);
    if (offset == 0)
        return absent;
    if (!sl_flatbuf_inside(table, offset, 1))
        return (uint8_t)sl_flatbuf_outside(fb, table, slot, absent);
    return *(fb->data + table->at + offset);
}

SL_FLATBUF_INLINE uint32_t sl_flatbuf_fast_u32(struct sl_flatbuf *fb,
                                               const struct sl_flatbuf_table *table, unsigned slot,
                                               uint32_t absent)
{
    unsigned offset = sl_flatbuf_at(fb, table, slot);
    if (offset == 0)
        return absent;
    if (!sl_flatbuf_inside(table, offset, 4))
        return (uint32_t)sl_flatbuf_outside(fb, table, slot, absent);
    return sl_load_u32(fb->data + table->at + offset);
}
