/* common/format/flatbuf_layout.c */
#include "common/format/flatbuf_layout.h"

const struct sl_flatbuf_layout *sl_flatbuf_layout_new(struct sl_flatbuf *fb, uint64_t at,
                                                      const struct sl_flatbuf_kind *kind,
                                                      struct sl_flatbuf_layouts *layouts)
{
    struct sl_flatbuf_table table = sl_flatbuf_fast_root(fb, at, kind->name);
    struct sl_flatbuf_layout layout = {.vtable = table.vtable, .table_bytes = table.table_bytes};
    if (fb->error != 0)
        return NULL;
    const unsigned listed = (table.vtable_bytes - 4u) / 2;
    const unsigned slots = listed < kind->slots ? listed : kind->slots;
    const uint8_t *list = fb->data + table.vtable + 4;
    for (unsigned slot = 0; slot < slots; slot++) {
        unsigned field = kind->bytes[slot] != 0 ? sl_load_u16(list + 2 * slot) : 0;
        if (field != 0 && !sl_flatbuf_inside(&table, field, kind->bytes[slot])) {
            sl_flatbuf_outside(fb, &table, slot, 0);
            return NULL;
        }
        layout.at[slot] = (uint16_t)field;
    }
    struct sl_flatbuf_layout *known = &layouts->known[sl_flatbuf_layout_place(layout.vtable)];
    *known = layout;
    return known;
}

void sl_flatbuf_record_no_vector(struct sl_flatbuf *fb, const struct sl_flatbuf_kind *kind,
                                 unsigned slot, uint64_t at)
{
    const struct sl_flatbuf_table table = {.name = kind->name};
    sl_flatbuf_no_vector(fb, &table, slot, at);
}
