/* common/format/flatbuf.c */
#include "common/format/flatbuf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/pool.h"

int sl_flatbuf_fail(struct sl_flatbuf *fb, int code, uint64_t at, const char *what, ...)
{
    if (fb->error != 0)
        return fb->error;
    fb->error = code;
    char where[32], words[192];
    va_list args;
    va_start(args, what);
    vsnprintf(words, sizeof(words), what, args);
    va_end(args);
    snprintf(where, sizeof(where), "byte %" PRIu64, fb->origin + at);
    return sl_diag_set(fb->diag, code, where, "%s", words);
}

void *sl_flatbuf_alloc(struct sl_flatbuf *fb, size_t count, size_t size)
{
    void *block = NULL;
    if (fb->error != 0)
        return NULL;
    int rc = sl_pool_alloc(fb->pool, count, size, &block);
    if (rc == SL_E_LIMIT)
        sl_flatbuf_fail(
            fb, rc, 0,
            "its parts overlap: together they ask for far more memory than the file has bytes");
    else if (rc < 0)
        sl_flatbuf_fail(fb, rc, 0, "out of memory");
    return block;
}

/* Failures are told by functions of their own, called last: what succeeds needs no frame. */
#define APART __attribute__((noinline, cold)) static

APART struct sl_flatbuf_table no_table(struct sl_flatbuf *fb, uint64_t at, const char *name)
{
    struct sl_flatbuf_table none = {.name = name};
    if (fb->error != 0)
        return none;
    if (!sl_range_ok(at, 4, fb->size)) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "no room for the offset of table %s", name);
        return none;
    }
    uint32_t offset = sl_load_u32(fb->data + at);
    if (offset == 0 || !sl_range_ok(at + offset, 4, fb->size)) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "an offset in %s points outside (%" PRIu32 ")", name,
                        offset);
        return none;
    }
    at += offset;
    int64_t vtable = (int64_t)at - (int32_t)sl_load_u32(fb->data + at);
    if (vtable < 0 || !sl_range_ok((uint64_t)vtable, 4, fb->size)) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "the field list of table %s lies outside", name);
        return none;
    }
    uint16_t vtable_bytes = sl_load_u16(fb->data + vtable);
    uint16_t table_bytes = sl_load_u16(fb->data + vtable + 2);
    if (vtable_bytes < 4 || vtable_bytes % 2 != 0 || table_bytes < 4 ||
        !sl_range_ok((uint64_t)vtable, vtable_bytes, fb->size))
        sl_flatbuf_fail(fb, SL_E_FORMAT, (uint64_t)vtable,
                        "the field list of table %s has impossible sizes (%u, %u)", name,
                        vtable_bytes, table_bytes);
    else
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "table %s reaches past the end", name);
    return none;
}

/* No range wraps: a file has at most SL_FLATBUF_MAX_BYTES. */
struct sl_flatbuf_table sl_flatbuf_root(struct sl_flatbuf *fb, uint64_t at, const char *name)
{
    const uint64_t size = fb->size;
    if (fb->error != 0 || !sl_range_ok(at, 4, size))
        return no_table(fb, at, name);
    uint32_t offset = sl_load_u32(fb->data + at);
    uint64_t table = at + offset;
    if (offset == 0 || !sl_range_ok(table, 4, size))
        return no_table(fb, at, name);
    /* negative is a huge one */
    uint64_t vtable = table - (uint64_t)(int64_t)(int32_t)sl_load_u32(fb->data + table);
    if (!sl_range_ok(vtable, 4, size))
        return no_table(fb, at, name);
    uint16_t vtable_bytes = sl_load_u16(fb->data + vtable);
    uint16_t table_bytes = sl_load_u16(fb->data + vtable + 2);
    if (vtable_bytes < 4 || vtable_bytes % 2 != 0 || table_bytes < 4 ||
        vtable_bytes > size - vtable || table_bytes > size - table)
        return no_table(fb, at, name);
    return (struct sl_flatbuf_table){name, (uint32_t)table, (uint32_t)vtable, vtable_bytes,
                                     table_bytes};
}

/* Gives `absent` back, as the scalar that the field would be. Not optimised: who calls it shall not
 * know that, and keep the number across the call. */
APART __attribute__((optnone)) uint64_t field_outside(struct sl_flatbuf *fb,
                                                      const struct sl_flatbuf_table *table,
                                                      unsigned slot, uint64_t absent)
{
    sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "field %u of table %s lies outside its table", slot,
                    table->name);
    return absent;
}

/* Where in its table the field lies: 0 where it is absent. */
static inline unsigned field_at(const struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                unsigned slot)
{
    if (fb->error != 0 || table->at == 0 || 4 + 2 * slot >= table->vtable_bytes)
        return 0;
    return sl_load_u16(fb->data + table->vtable + 4 + 2 * slot);
}

static inline bool field_inside(const struct sl_flatbuf_table *table, unsigned offset,
                                unsigned bytes)
{
    return offset >= 4 && offset + bytes <= table->table_bytes;
}

const uint8_t *sl_flatbuf_field(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                unsigned slot, unsigned bytes)
{
    unsigned offset = field_at(fb, table, slot);
    if (offset == 0)
        return NULL;
    if (!field_inside(table, offset, bytes)) {
        field_outside(fb, table, slot, 0);
        return NULL;
    }
    return fb->data + table->at + offset;
}

APART struct sl_flatbuf_table no_child(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                       unsigned slot, const char *name)
{
    field_outside(fb, table, slot, 0);
    return (struct sl_flatbuf_table){.name = name};
}

struct sl_flatbuf_table sl_flatbuf_child(struct sl_flatbuf *fb,
                                         const struct sl_flatbuf_table *table, unsigned slot,
                                         const char *name)
{
    unsigned offset = field_at(fb, table, slot);
    if (offset == 0)
        return (struct sl_flatbuf_table){.name = name};
    if (!field_inside(table, offset, 4))
        return no_child(fb, table, slot, name);
    return sl_flatbuf_root(fb, (uint64_t)table->at + offset, name);
}

/* The vector field at `at`, known to lie inside, is none. */
APART struct sl_flatbuf_vector
no_vector(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot, uint64_t at)
{
    uint32_t offset = sl_load_u32(fb->data + at);
    if (offset == 0 || !sl_range_ok(at + offset, 4, fb->size))
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "an offset in %s points outside (%" PRIu32 ")",
                        table->name, offset);
    else
        sl_flatbuf_fail(fb, SL_E_FORMAT, at + offset,
                        "the vector of %" PRIu32
                        " elements in field %u of table %s reaches past the end",
                        sl_load_u32(fb->data + at + offset), slot, table->name);
    return (struct sl_flatbuf_vector){.name = table->name};
}

APART struct sl_flatbuf_vector vector_outside(struct sl_flatbuf *fb,
                                              const struct sl_flatbuf_table *table, unsigned slot)
{
    field_outside(fb, table, slot, 0);
    return (struct sl_flatbuf_vector){.name = table->name};
}

struct sl_flatbuf_vector sl_flatbuf_vector(struct sl_flatbuf *fb,
                                           const struct sl_flatbuf_table *table, unsigned slot,
                                           unsigned element_bytes)
{
    unsigned field = field_at(fb, table, slot);
    if (field == 0)
        return (struct sl_flatbuf_vector){.name = table->name};
    if (!field_inside(table, field, 4))
        return vector_outside(fb, table, slot);
    uint64_t at = (uint64_t)table->at + field;
    uint32_t offset = sl_load_u32(fb->data + at);
    uint64_t vector = at + offset;
    if (offset == 0 || !sl_range_ok(vector, 4, fb->size))
        return no_vector(fb, table, slot, at);
    uint32_t count = sl_load_u32(fb->data + vector);
    if ((uint64_t)count * element_bytes > fb->size - vector - 4)
        return no_vector(fb, table, slot, at);
    return (struct sl_flatbuf_vector){table->name, (uint32_t)(vector + 4), count, true};
}

struct sl_flatbuf_table sl_flatbuf_element(struct sl_flatbuf *fb,
                                           const struct sl_flatbuf_vector *vector, uint32_t index,
                                           const char *name)
{
    return sl_flatbuf_root(fb, vector->at + 4 * (uint64_t)index, name);
}

struct sl_bytes sl_flatbuf_string(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                  unsigned slot)
{
    struct sl_flatbuf_vector text = sl_flatbuf_vector(fb, table, slot, 1);
    if (!text.present)
        return (struct sl_bytes){0};
    uint64_t end = (uint64_t)text.at + text.count;
    if (end >= fb->size || fb->data[end] != 0) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, text.at,
                        "the text in field %u of table %s is not terminated", slot, table->name);
        return (struct sl_bytes){0};
    }
    return (struct sl_bytes){fb->data + text.at, text.count};
}

const char *sl_flatbuf_text(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                            unsigned slot)
{
    return (const char *)sl_flatbuf_string(fb, table, slot).data;
}

uint8_t sl_flatbuf_u8(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                      uint8_t absent)
{
    unsigned offset = field_at(fb, table, slot);
    if (offset == 0)
        return absent;
    if (!field_inside(table, offset, 1))
        return (uint8_t)field_outside(fb, table, slot, absent);
    return *(fb->data + table->at + offset);
}

int16_t sl_flatbuf_i16(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                       int16_t absent)
{
    unsigned offset = field_at(fb, table, slot);
    if (offset == 0)
        return absent;
    if (!field_inside(table, offset, 2))
        return (int16_t)field_outside(fb, table, slot, (uint64_t)absent);
    return (int16_t)sl_load_u16(fb->data + table->at + offset);
}

uint32_t sl_flatbuf_u32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                        uint32_t absent)
{
    unsigned offset = field_at(fb, table, slot);
    if (offset == 0)
        return absent;
    if (!field_inside(table, offset, 4))
        return (uint32_t)field_outside(fb, table, slot, absent);
    return sl_load_u32(fb->data + table->at + offset);
}

int32_t sl_flatbuf_i32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                       int32_t absent)
{
    return (int32_t)sl_flatbuf_u32(fb, table, slot, (uint32_t)absent);
}

uint64_t sl_flatbuf_u64(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                        uint64_t absent)
{
    const uint8_t *field = sl_flatbuf_field(fb, table, slot, 8);
    return field ? sl_load_u64(field) : absent;
}

float sl_flatbuf_f32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                     float absent)
{
    const uint8_t *field = sl_flatbuf_field(fb, table, slot, 4);
    return field ? sl_load_f32(field) : absent;
}
