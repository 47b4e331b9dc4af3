/* common/format/flatbuf.c */
#include "common/format/flatbuf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/pool.h"
#include "common/format/flatbuf_fast.h"

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

static void no_room(struct sl_flatbuf *fb, int rc)
{
    if (rc == SL_E_LIMIT)
        sl_flatbuf_fail(
            fb, rc, 0,
            "its parts overlap: together they ask for far more memory than the file has bytes");
    else
        sl_flatbuf_fail(fb, rc, 0, "out of memory");
}

void *sl_flatbuf_alloc(struct sl_flatbuf *fb, size_t count, size_t size)
{
    void *block = NULL;
    if (fb->error != 0)
        return NULL;
    int rc = sl_pool_alloc(fb->pool, count, size, &block);
    if (rc < 0)
        no_room(fb, rc);
    return block;
}

const void *sl_flatbuf_numbers(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *vector,
                               size_t element_bytes)
{
    const uint8_t *at = fb->data + vector->at;
    if (fb->error != 0)
        return NULL;
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (uintptr_t)at % element_bytes == 0) {
        int rc = sl_pool_charge(fb->pool, vector->count * element_bytes);
        if (rc == 0)
            return at;
        no_room(fb, rc);
        return NULL;
    }
    uint32_t *words = sl_flatbuf_alloc(fb, vector->count, element_bytes);
    uint64_t *pairs = (uint64_t *)(void *)words;
    for (uint32_t i = 0; words && i < vector->count; i++) {
        if (element_bytes == sizeof(*pairs))
            pairs[i] = sl_load_u64(at + element_bytes * i);
        else
            words[i] = sl_load_u32(at + element_bytes * i);
    }
    return words;
}

/* Failures are told by functions of their own, called last: what succeeds needs no frame. */
struct sl_flatbuf_table sl_flatbuf_no_table(struct sl_flatbuf *fb, uint64_t at, const char *name)
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

/* Gives `absent` back, as the scalar that the field would be. Not optimised: who calls it shall not
 * know that, and keep the number across the call. */
__attribute__((optnone)) uint64_t sl_flatbuf_outside(struct sl_flatbuf *fb,
                                                     const struct sl_flatbuf_table *table,
                                                     unsigned slot, uint64_t absent)
{
    sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "field %u of table %s lies outside its table", slot,
                    table->name);
    return absent;
}

const uint8_t *sl_flatbuf_field(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                unsigned slot, unsigned bytes)
{
    unsigned offset = sl_flatbuf_at(fb, table, slot);
    if (offset == 0 || fb->error != 0)
        return NULL;
    if (!sl_flatbuf_inside(table, offset, bytes)) {
        sl_flatbuf_outside(fb, table, slot, 0);
        return NULL;
    }
    return fb->data + table->at + offset;
}

struct sl_flatbuf_table sl_flatbuf_no_child(struct sl_flatbuf *fb,
                                            const struct sl_flatbuf_table *table, unsigned slot,
                                            const char *name)
{
    sl_flatbuf_outside(fb, table, slot, 0);
    return (struct sl_flatbuf_table){.name = name};
}

/* The vector field at `at`, known to lie inside, is none. */
struct sl_flatbuf_vector sl_flatbuf_no_vector(struct sl_flatbuf *fb,
                                              const struct sl_flatbuf_table *table, unsigned slot,
                                              uint64_t at)
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

struct sl_flatbuf_vector sl_flatbuf_vector_outside(struct sl_flatbuf *fb,
                                                   const struct sl_flatbuf_table *table,
                                                   unsigned slot)
{
    sl_flatbuf_outside(fb, table, slot, 0);
    return (struct sl_flatbuf_vector){.name = table->name};
}

struct sl_flatbuf_table sl_flatbuf_root(struct sl_flatbuf *fb, uint64_t at, const char *name)
{
    return sl_flatbuf_fast_root(fb, at, name);
}

struct sl_flatbuf_table sl_flatbuf_child(struct sl_flatbuf *fb,
                                         const struct sl_flatbuf_table *table, unsigned slot,
                                         const char *name)
{
    return sl_flatbuf_fast_child(fb, table, slot, name);
}

struct sl_flatbuf_vector sl_flatbuf_vector(struct sl_flatbuf *fb,
                                           const struct sl_flatbuf_table *table, unsigned slot,
                                           unsigned element_bytes)
{
    return sl_flatbuf_fast_vector(fb, table, slot, element_bytes);
}

struct sl_flatbuf_table sl_flatbuf_element(struct sl_flatbuf *fb,
                                           const struct sl_flatbuf_vector *vector, uint32_t index,
                                           const char *name)
{
    return sl_flatbuf_root(fb, vector->at + 4 * (uint64_t)index, name);
}

struct sl_bytes sl_flatbuf_terminated(struct sl_flatbuf *fb, struct sl_flatbuf_vector text,
                                      unsigned slot)
{
    if (!text.present)
        return (struct sl_bytes){0};
    uint64_t end = (uint64_t)text.at + text.count;
    if (end >= fb->size || fb->data[end] != 0) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, text.at,
                        "the text in field %u of table %s is not terminated", slot, text.name);
        return (struct sl_bytes){0};
    }
    return (struct sl_bytes){fb->data + text.at, text.count};
}

struct sl_bytes sl_flatbuf_string(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                  unsigned slot)
{
    return sl_flatbuf_terminated(fb, sl_flatbuf_vector(fb, table, slot, 1), slot);
}

const char *sl_flatbuf_text(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                            unsigned slot)
{
    return (const char *)sl_flatbuf_string(fb, table, slot).data;
}

uint8_t sl_flatbuf_u8(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                      uint8_t absent)
{
    return fb->error != 0 ? absent : sl_flatbuf_fast_u8(fb, table, slot, absent);
}

uint32_t sl_flatbuf_u32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                        uint32_t absent)
{
    return fb->error != 0 ? absent : sl_flatbuf_fast_u32(fb, table, slot, absent);
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
