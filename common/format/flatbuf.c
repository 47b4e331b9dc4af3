/* common/format/flatbuf.c */
#include "common/format/flatbuf.h"

#include "common/base/arena.h"
#include "common/base/error.h"

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
    int rc = sl_arena_alloc(fb->pool, count, size, &block);
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
        int rc = sl_arena_charge(fb->pool, vector->count * element_bytes);
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
