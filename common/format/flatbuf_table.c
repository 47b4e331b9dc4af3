/* common/format/flatbuf_table.c */
#include "common/format/flatbuf_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/base/error.h"

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

/* Gives `absent` back, as the scalar that the field would be. Not optimised: the caller shall not
 * know that, and keep the number across the call. */
__attribute__((optnone)) uint64_t sl_flatbuf_outside(struct sl_flatbuf *fb,
                                                     const struct sl_flatbuf_table *table,
                                                     unsigned slot, uint64_t absent)
{
    sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "field %u of table %s lies outside its table", slot,
                    table->name);
    return absent;
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
