/* common/format/flatbuf_layout.h: where the fields of a kind of table lie, checked once.
 *
 * Writers let tables with the same fields share one field list. What the list says is checked when
 * it is first met; of every further table with it only the place is. The checks are flatbuf.h's,
 * and so are the words of failures. */
#pragma once

#include "common/format/flatbuf_table.h"

enum { SL_FLATBUF_LAYOUT_SLOTS = 12, SL_FLATBUF_LAYOUTS = 8 };

/* The fields of a kind of table that are read. */
struct sl_flatbuf_kind {
    const char *name;
    uint8_t slots;                          /* how many are looked at */
    uint8_t bytes[SL_FLATBUF_LAYOUT_SLOTS]; /* of each slot's field; 0: not read */
};

struct sl_flatbuf_layout {
    uint32_t vtable;                      /* whose; 0: none yet */
    uint16_t table_bytes;                 /* the fields end by then */
    uint16_t at[SL_FLATBUF_LAYOUT_SLOTS]; /* in the table; 0: absent */
};

/* Those of one kind. All zeros is a valid start. */
struct sl_flatbuf_layouts {
    struct sl_flatbuf_layout known[SL_FLATBUF_LAYOUTS];
};

/* The place of a list among those known: lists stand close to each other. */
SL_FLATBUF_INLINE unsigned sl_flatbuf_layout_place(uint32_t vtable)
{
    return (vtable / 2 ^ vtable / 8) % SL_FLATBUF_LAYOUTS;
}

/* A table of a kind, until the next of that kind. `data` NULL: an absent one, or one that failed.
 */
struct sl_flatbuf_record {
    const uint8_t *data;
    uint32_t at;                            /* in the file, for messages */
    const struct sl_flatbuf_layout *layout; /* NULL if and only if `data` is */
};

/* The layout of the table that the offset at `at` names, found and checked as if nothing were
 * known; NULL when it failed. */
SL_FLATBUF_APART const struct sl_flatbuf_layout *
sl_flatbuf_layout_new(struct sl_flatbuf *fb, uint64_t at, const struct sl_flatbuf_kind *kind,
                      struct sl_flatbuf_layouts *layouts);
/* Says what is wrong with a vector field. */
SL_FLATBUF_APART void sl_flatbuf_record_no_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_kind *kind, unsigned slot,
                                                  uint64_t at);

/* The table that the offset at `at` names: four bytes of the file, as are all that a vector of
 * offsets or a field of a record holds. */
SL_FLATBUF_INLINE struct sl_flatbuf_record sl_flatbuf_record_at(struct sl_flatbuf *fb, uint64_t at,
                                                                const struct sl_flatbuf_kind *kind,
                                                                struct sl_flatbuf_layouts *layouts)
{
    const uint64_t size = fb->size, table = at + sl_load_u32(fb->data + at);
    const struct sl_flatbuf_layout *layout = NULL;
    if (table != at && sl_range_ok(table, 4, size)) {
        uint32_t vtable = (uint32_t)table - sl_load_u32(fb->data + table);
        layout = &layouts->known[sl_flatbuf_layout_place(vtable)];
        if (vtable == 0 || layout->vtable != vtable || layout->table_bytes > size - table)
            layout = NULL;
    }
    if (!layout)
        layout = sl_flatbuf_layout_new(fb, at, kind, layouts);
    return (struct sl_flatbuf_record){layout ? fb->data + table : NULL, (uint32_t)table, layout};
}

/* Returns the target of the offset field in `slot`; absent where the field is. */
SL_FLATBUF_INLINE struct sl_flatbuf_record
sl_flatbuf_record_child(struct sl_flatbuf *fb, const struct sl_flatbuf_record *record,
                        unsigned slot, const struct sl_flatbuf_kind *kind,
                        struct sl_flatbuf_layouts *layouts)
{
    unsigned field = record->layout->at[slot];
    if (field == 0)
        return (struct sl_flatbuf_record){0};
    return sl_flatbuf_record_at(fb, (uint64_t)record->at + field, kind, layouts);
}

/* The field in `slot`, or NULL where it is absent. */
SL_FLATBUF_INLINE const uint8_t *sl_flatbuf_record_field(const struct sl_flatbuf_record *record,
                                                         unsigned slot)
{
    unsigned field = record->layout->at[slot];
    return field == 0 ? NULL : record->data + field;
}

/* Scalars whose default is 0. */
SL_FLATBUF_INLINE uint8_t sl_flatbuf_record_u8(const struct sl_flatbuf_record *record,
                                               unsigned slot)
{
    const uint8_t *field = sl_flatbuf_record_field(record, slot);
    return field ? *field : 0;
}

SL_FLATBUF_INLINE uint32_t sl_flatbuf_record_u32(const struct sl_flatbuf_record *record,
                                                 unsigned slot)
{
    const uint8_t *field = sl_flatbuf_record_field(record, slot);
    return field ? sl_load_u32(field) : 0;
}

SL_FLATBUF_INLINE struct sl_flatbuf_vector
sl_flatbuf_record_vector(struct sl_flatbuf *fb, const struct sl_flatbuf_record *record,
                         const struct sl_flatbuf_kind *kind, unsigned slot, unsigned element_bytes)
{
    unsigned field = record->layout->at[slot];
    if (field == 0)
        return (struct sl_flatbuf_vector){.name = kind->name};
    uint64_t at = (uint64_t)record->at + field, vector = at + sl_load_u32(fb->data + at);
    bool inside = vector != at && sl_range_ok(vector, 4, fb->size);
    uint32_t count = inside ? sl_load_u32(fb->data + vector) : 0;
    if (!inside || (uint64_t)count * element_bytes > fb->size - vector - 4) {
        sl_flatbuf_record_no_vector(fb, kind, slot, at);
        return (struct sl_flatbuf_vector){.name = kind->name};
    }
    return (struct sl_flatbuf_vector){kind->name, (uint32_t)(vector + 4), count, true};
}
