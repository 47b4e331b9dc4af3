/* tests/fuzz/program_fields.c: the readers of common/format/flatbuf.h and flatbuf_layout.h, wrapped
 * (-Wl,--wrap), so that they tell what they read. */
#include "tests/fuzz/program_fields.h"

#include <stdbool.h>
#include <string.h>

#include "agent/runtime/model.h"
#include "agent/runtime/runtime.h"
#include "common/base/bytes.h"
#include "common/format/flatbuf.h"
#include "common/format/flatbuf_layout.h"

/* The fields read so far of the program that is being listed; `list` is false while mutants run. */
static struct {
    struct program_field fields[PROGRAM_FIELDS_MAX];
    size_t count;
    bool list;
} seen;

static void remember(enum program_field_kind kind, const uint8_t *at, uint32_t bytes,
                     uint32_t count, const char *name)
{
    if (seen.list && at && seen.count < PROGRAM_FIELDS_MAX)
        seen.fields[seen.count++] = (struct program_field){kind, at, bytes, count, name};
}

/* Every reader of common/format/flatbuf.h is wrapped (-Wl,--wrap). */
#define WRAP_SCALAR(suffix, type, kind)                                                            \
    type __real_sl_flatbuf_##suffix(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,   \
                                    unsigned slot, type absent);                                   \
    type __wrap_sl_flatbuf_##suffix(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,   \
                                    unsigned slot, type absent);                                   \
    type __wrap_sl_flatbuf_##suffix(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,   \
                                    unsigned slot, type absent)                                    \
    {                                                                                              \
        remember(kind, sl_flatbuf_field(fb, table, slot, sizeof(type)), sizeof(type), 1, NULL);    \
        return __real_sl_flatbuf_##suffix(fb, table, slot, absent);                                \
    }
WRAP_SCALAR(u8, uint8_t, SCALAR)
WRAP_SCALAR(u32, uint32_t, SCALAR)
WRAP_SCALAR(i32, int32_t, SCALAR)
WRAP_SCALAR(u64, uint64_t, SCALAR)
WRAP_SCALAR(f32, float, FLOAT)

struct sl_flatbuf_vector __real_sl_flatbuf_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_table *table,
                                                  unsigned slot, unsigned element_bytes);
struct sl_flatbuf_vector __wrap_sl_flatbuf_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_table *table,
                                                  unsigned slot, unsigned element_bytes);
struct sl_flatbuf_vector __wrap_sl_flatbuf_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_table *table,
                                                  unsigned slot, unsigned element_bytes)
{
    struct sl_flatbuf_vector v = __real_sl_flatbuf_vector(fb, table, slot, element_bytes);
    if (v.present) {
        remember(COUNT, fb->data + v.at - 4, 4, 1, NULL);
        if (v.count > 0 && element_bytes <= 8)
            remember(ELEMENTS, fb->data + v.at, element_bytes, v.count, NULL);
    }
    return v;
}

struct sl_flatbuf_table __real_sl_flatbuf_child(struct sl_flatbuf *fb,
                                                const struct sl_flatbuf_table *table, unsigned slot,
                                                const char *name);
struct sl_flatbuf_table __wrap_sl_flatbuf_child(struct sl_flatbuf *fb,
                                                const struct sl_flatbuf_table *table, unsigned slot,
                                                const char *name);
struct sl_flatbuf_table __wrap_sl_flatbuf_child(struct sl_flatbuf *fb,
                                                const struct sl_flatbuf_table *table, unsigned slot,
                                                const char *name)
{
    remember(OFFSET, sl_flatbuf_field(fb, table, slot, 4), 4, 1, name);
    return __real_sl_flatbuf_child(fb, table, slot, name);
}

/* Tables with records are read inline; what a field of theirs is, other than a number: a vector,
 * whose elements have so many bytes, or (0) an offset of what is read as a record itself. */
static const struct {
    const char *kind;
    unsigned slot, item_bytes;
} record_fields[] = {
    {"EValue", 1, 0},
    {"Tensor", 2, 4},
    {"Tensor", 3, 1},
    {"Tensor", 6, 0},
    {"Tensor", 9, 0},
    {"ExtraTensorInfo", 1, 1},
    {"IntList or TensorList", 0, 4},
    {"Instruction", 1, 0},
    {"instruction's content", 1, 4},
    {"XValue", 1, 0},
    {"XNNTensorValue", 2, 4},
    {"ConstantDataOffset", 2, 1},
};

static int item_bytes_of(const char *kind, unsigned slot)
{
    for (size_t i = 0; i < sizeof(record_fields) / sizeof(record_fields[0]); i++)
        if (record_fields[i].slot == slot && strcmp(record_fields[i].kind, kind) == 0)
            return (int)record_fields[i].item_bytes;
    return -1;
}

/* A vector where there is one: the second number of some instructions is just that. */
static bool remember_vector(const struct sl_flatbuf *fb, uint64_t at, uint32_t item_bytes)
{
    uint64_t vector = at + sl_load_u32(fb->data + at);
    if (!sl_range_ok(vector, 4, fb->size))
        return false;
    uint32_t count = sl_load_u32(fb->data + vector);
    if (!sl_range_ok(vector + 4, (uint64_t)count * item_bytes, fb->size))
        return false;
    remember(COUNT, fb->data + vector, 4, 1, NULL);
    if (count > 0)
        remember(ELEMENTS, fb->data + vector + 4, item_bytes, count, NULL);
    return true;
}

static void remember_record(const struct sl_flatbuf *fb, uint64_t at,
                            const struct sl_flatbuf_kind *kind,
                            const struct sl_flatbuf_layout *layout)
{
    uint64_t table = at + sl_load_u32(fb->data + at);
    remember(OFFSET, fb->data + at, 4, 1, kind->name);
    for (unsigned slot = 0; slot < kind->slots; slot++) {
        uint64_t field = table + layout->at[slot];
        int item_bytes = item_bytes_of(kind->name, slot);
        if (layout->at[slot] == 0 || item_bytes == 0)
            continue;
        if (item_bytes < 0 || !remember_vector(fb, field, (uint32_t)item_bytes))
            remember(SCALAR, fb->data + field, kind->bytes[slot], 1, NULL);
    }
}

/* Every record comes here while a program is listed: no layout stays known. */
const struct sl_flatbuf_layout *__real_sl_flatbuf_layout_new(struct sl_flatbuf *fb, uint64_t at,
                                                             const struct sl_flatbuf_kind *kind,
                                                             struct sl_flatbuf_layouts *layouts);
const struct sl_flatbuf_layout *__wrap_sl_flatbuf_layout_new(struct sl_flatbuf *fb, uint64_t at,
                                                             const struct sl_flatbuf_kind *kind,
                                                             struct sl_flatbuf_layouts *layouts);
const struct sl_flatbuf_layout *__wrap_sl_flatbuf_layout_new(struct sl_flatbuf *fb, uint64_t at,
                                                             const struct sl_flatbuf_kind *kind,
                                                             struct sl_flatbuf_layouts *layouts)
{
    enum { AT_ONCE = 64 }; /* records that are read one within the other, and many more */
    static struct sl_flatbuf_layout kept[AT_ONCE];
    static unsigned next;
    const struct sl_flatbuf_layout *layout = __real_sl_flatbuf_layout_new(fb, at, kind, layouts);
    if (!seen.list || !layout)
        return layout;
    struct sl_flatbuf_layout *own = &kept[next++ % AT_ONCE];
    *own = *layout;
    layouts->known[sl_flatbuf_layout_place(layout->vtable)].vtable = 0;
    remember_record(fb, at, kind, own);
    return own;
}

static void plan(struct sl_model *model, const char *name)
{
    struct sl_method *method = NULL;
    struct sl_variant *variant = NULL;
    struct sl_diag diag;
    if (sl_method_new(model, name, &method, &diag) == 0)
        (void)sl_variant_new(method, 0, 0, NULL, &variant, &diag);
    sl_variant_free(variant);
    sl_method_free(method);
}

size_t program_fields_list(const uint8_t *data, size_t size, const struct sl_data *external,
                           const struct program_field **out)
{
    const struct sl_runtime_limits limits = {.bytes = (64 << 20) + 4 * (uint64_t)size,
                                             .instructions = 1 << 16};
    struct sl_model *model = NULL;
    struct sl_diag diag;
    seen.count = 0;
    seen.list = true;
    if (sl_model_open_bytes(data, size, &limits, NULL, &model, &diag) == 0) {
        sl_model_set_data(model, external);
        for (uint32_t i = 0; i < model->pte.plan_count; i++)
            plan(model, model->pte.plans[i].name);
    }
    seen.list = false;
    sl_model_free(model);
    *out = seen.fields;
    return seen.count;
}
