/* common/format/flatbuild.c */
#include "common/format/flatbuild.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/base/mem.h"

#define MAX_BYTES ((size_t)INT32_MAX)

void sl_flatbuild_init(struct sl_flatbuild *build)
{
    *build = (struct sl_flatbuild){.align = 4};
}

void sl_flatbuild_fini(struct sl_flatbuild *build)
{
    sl_free(build->data);
    *build = (struct sl_flatbuild){0};
}

/* The byte behind them is for the terminator of the buffer that gets the file. */
static int take_room(struct sl_flatbuild *build, size_t capacity)
{
    uint8_t *data = sl_malloc(capacity + 1, 1);
    if (!data)
        return -ENOMEM;
    if (build->size > 0)
        memcpy(data + capacity - build->size, build->data + build->capacity - build->size,
               build->size);
    sl_free(build->data);
    build->data = data;
    build->capacity = capacity;
    return 0;
}

static int grow(struct sl_flatbuild *build, size_t needed)
{
    size_t capacity = build->capacity < 2048 ? 4096 : build->capacity * 2;
    return take_room(build, capacity < needed ? needed : capacity);
}

void sl_flatbuild_reserve(struct sl_flatbuild *build, size_t bytes)
{
    if (build->error == 0 && bytes > build->capacity && bytes <= MAX_BYTES)
        build->error = take_room(build, bytes);
}

/* Takes `bytes` in front of what there is, with zeroes behind them so that the object's part that
 * begins `lead` bytes after its start is aligned. NULL with `error` set on failure. */
static uint8_t *emit(struct sl_flatbuild *build, size_t lead, size_t bytes, size_t align)
{
    if (build->error == 0 && (bytes > MAX_BYTES || build->size > MAX_BYTES - bytes - align))
        build->error = SL_E_LIMIT;
    if (build->error != 0)
        return NULL;
    size_t misfit = (build->size + bytes - lead) % align;
    size_t pad = misfit == 0 ? 0 : align - misfit;
    size_t needed = build->size + bytes + pad;
    if (needed > build->capacity)
        build->error = grow(build, needed);
    if (build->error != 0)
        return NULL;
    build->size = needed;
    uint8_t *at = build->data + build->capacity - needed;
    memset(at + bytes, 0, pad);
    return at;
}

uint32_t sl_flatbuild_string(struct sl_flatbuild *build, const char *text, size_t len)
{
    size_t whole = len <= MAX_BYTES ? 4 + len + 1 : MAX_BYTES + 1;
    uint8_t *at = emit(build, 0, whole, 4);
    if (!at)
        return 0;
    sl_store_u32(at, (uint32_t)len);
    memcpy(at + 4, text, len);
    at[4 + len] = 0;
    return (uint32_t)build->size;
}

uint32_t sl_flatbuild_bytes(struct sl_flatbuild *build, const void *bytes, size_t len)
{
    uint8_t *at = emit(build, 0, len <= MAX_BYTES ? 4 + len : MAX_BYTES + 1, 4);
    if (!at)
        return 0;
    sl_store_u32(at, (uint32_t)len);
    if (len > 0)
        memcpy(at + 4, bytes, len);
    return (uint32_t)build->size;
}

uint32_t sl_flatbuild_refs(struct sl_flatbuild *build, const uint32_t *refs, size_t count)
{
    uint8_t *at = emit(build, 0, count <= MAX_BYTES / 8 ? 4 + 4 * count : MAX_BYTES + 1, 4);
    if (!at)
        return 0;
    uint32_t ref = (uint32_t)build->size;
    sl_store_u32(at, (uint32_t)count);
    for (size_t i = 0; i < count; i++) /* distance of the field minus distance of the object */
        sl_store_u32(at + 4 + 4 * i, ref - 4 - 4 * (uint32_t)i - refs[i]);
    return ref;
}

void sl_flatbuild_begin_table(struct sl_flatbuild_table *table)
{
    *table = (struct sl_flatbuild_table){.align = 4};
}

static uint8_t *add(struct sl_flatbuild_table *table, unsigned slot, uint16_t bytes)
{
    uint16_t at = (uint16_t)((table->bytes + bytes - 1) / bytes * bytes);
    assert(slot < SL_FLATBUILD_MAX_SLOTS && at + bytes <= SL_FLATBUILD_MAX_TABLE_BYTES);
    table->offsets[slot] = (uint16_t)(at + 4);
    table->bytes = (uint16_t)(at + bytes);
    if (table->align < bytes)
        table->align = bytes;
    if (table->slot_count < slot + 1)
        table->slot_count = (uint16_t)(slot + 1);
    return table->data + at;
}

void sl_flatbuild_add_u64(struct sl_flatbuild_table *table, unsigned slot, uint64_t value,
                          uint64_t absent)
{
    if (value != absent)
        sl_store_u64(add(table, slot, 8), value);
}

void sl_flatbuild_add_i32(struct sl_flatbuild_table *table, unsigned slot, int32_t value,
                          int32_t absent)
{
    if (value != absent)
        sl_store_u32(add(table, slot, 4), (uint32_t)value);
}

void sl_flatbuild_add_ref(struct sl_flatbuild_table *table, unsigned slot, uint32_t ref)
{
    sl_store_u32(add(table, slot, 4), ref); /* made relative once the table has its place */
    table->ref_slots |= (uint16_t)(1u << slot);
}

/* The vtable of the table's fields: one made before, or a new one in front. */
static uint32_t put_vtable(struct sl_flatbuild *build, const struct sl_flatbuild_table *table)
{
    uint16_t words[2 + SL_FLATBUILD_MAX_SLOTS] = {(uint16_t)(4 + 2 * table->slot_count),
                                                  (uint16_t)(4 + table->bytes)};
    memcpy(words + 2, table->offsets, sizeof(table->offsets));
    for (unsigned i = 0; i < build->vtable_count; i++) {
        if (memcmp(build->vtables[i].words, words, sizeof(words)) == 0)
            return build->vtables[i].ref;
    }
    uint8_t *at = emit(build, 0, words[0], 1); /* flatcc aligns it no further */
    if (!at)
        return 0;
    for (unsigned i = 0; i < words[0] / 2u; i++)
        sl_store_u16(at + 2 * i, words[i]);
    uint32_t ref = (uint32_t)build->size;
    if (build->vtable_count < SL_FLATBUILD_MAX_VTABLES) {
        memcpy(build->vtables[build->vtable_count].words, words, sizeof(words));
        build->vtables[build->vtable_count].ref = ref;
        build->vtable_count++;
    }
    return ref;
}

uint32_t sl_flatbuild_end_table(struct sl_flatbuild *build, struct sl_flatbuild_table *table)
{
    uint32_t vtable = put_vtable(build, table);
    /* The fields are aligned, not the offset in front of them. */
    uint8_t *at = emit(build, 4, 4 + (size_t)table->bytes, table->align);
    if (!at)
        return 0;
    if (build->align < table->align)
        build->align = table->align;
    uint32_t ref = (uint32_t)build->size;
    sl_store_u32(at, vtable - ref);
    memcpy(at + 4, table->data, table->bytes);
    for (unsigned slot = 0; slot < table->slot_count; slot++) {
        if ((table->ref_slots >> slot & 1) == 0)
            continue;
        uint8_t *field = at + table->offsets[slot];
        sl_store_u32(field, ref - table->offsets[slot] - sl_load_u32(field));
    }
    return ref;
}

/* The file's block becomes the buffer's, which begins where its bytes do. */
static int hand_over(struct sl_flatbuild *build, struct sl_buf *out)
{
    assert(out->size == 0);
    if (build->size > out->limit)
        return SL_E_LIMIT;
    memmove(build->data, build->data + build->capacity - build->size, build->size);
    build->data[build->size] = 0;
    sl_buf_fini(out);
    out->data = build->data;
    out->size = build->size;
    out->capacity = build->capacity + 1;
    build->data = NULL;
    build->size = build->capacity = 0;
    return 0;
}

int sl_flatbuild_finish(struct sl_flatbuild *build, uint32_t root, const char identifier[4],
                        struct sl_buf *out)
{
    uint8_t *at = emit(build, 0, 12, build->align);
    if (!at)
        return build->error;
    sl_store_u32(at, (uint32_t)build->size - 4);
    sl_store_u32(at + 4, (uint32_t)build->size - 4 - root);
    memcpy(at + 8, identifier, 4);
    return hand_over(build, out);
}
