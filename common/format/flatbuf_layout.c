/* common/format/flatbuf_layout.c */
#include "common/format/flatbuf_layout.h"

const struct sl_flatbuf_layout *sl_flatbuf_layout_new(struct sl_flatbuf *fb, uint64_t at,
                                                      const struct sl_flatbuf_kind *kind,
                                                      struct sl_flatbuf_layouts *layouts)
{
    struct sl_flatbuf_table table = sl_flatbuf_fast_root(fb, at, kind->name);
    struct sl_flatbuf_layout layout = {.vtable = table.vtable, .table_bytes = table.table_bytes};
    for (unsigned slot = 0; slot < kind->slots && fb->error == 0; slot++) {
        unsigned field = kind->bytes[slot] != 0 ? sl_flatbuf_at(fb, &table, slot) : 0;
        if (field != 0 && !sl_flatbuf_inside(&table, field, kind->bytes[slot]))
            sl_flatbuf_outside(fb, &table, slot, 0);
        layout.at[slot] = (uint16_t)field;
    }
    if (fb->error != 0)
        return NULL;
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
