/* common/format/pte_value.c: the values of a plan. */
#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/format/flatbuf_fast.h"
#include "common/format/pte_parts.h"
#include "common/format/tensor_shape.h"

/* Slots of the schema's tables. */
enum { PLAN_VALUES = 2 };
enum { EVALUE_TYPE = 0, EVALUE_CONTENT = 1 };
enum { TENSOR_TYPE = 0, TENSOR_STORAGE_OFFSET = 1, TENSOR_SIZES = 2, TENSOR_DIM_ORDER = 3 };
enum { TENSOR_DATA = 5, TENSOR_ALLOCATION = 6, TENSOR_DYNAMISM = 8, TENSOR_EXTRA = 9 };
enum { ALLOCATION_ID = 0, ALLOCATION_LOW = 1, ALLOCATION_HIGH = 2 };
enum { EXTRA_NAME = 1, EXTRA_LOCATION = 2 };

static bool lies_in(struct sl_bytes area, uint32_t count, const uint64_t *offsets, uint32_t index,
                    uint64_t bytes)
{
    return index < count && sl_range_ok(offsets[index], bytes, area.size);
}

static void check_data(struct sl_pte_reader *reader, const struct sl_pte_tensor *tensor,
                       const struct sl_pte_plan *plan, uint64_t bytes, uint32_t at)
{
    struct sl_flatbuf *fb = &reader->fb;
    const struct sl_pte *pte = reader->pte;
    uint32_t data = tensor->data_buffer_idx;
    if (fb->error != 0)
        return;
    if (tensor->planned &&
        (tensor->memory_id == 0 || tensor->memory_id > plan->buffer_count ||
         !sl_range_ok(tensor->memory_offset, bytes, plan->buffer_bytes[tensor->memory_id - 1])))
        sl_flatbuf_fail(fb, SL_E_FORMAT, at,
                        "a tensor of %" PRIu64 " bytes lies outside planned buffer %" PRIu32, bytes,
                        tensor->memory_id);
    else if (tensor->external && !tensor->name)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "an external tensor has no name");
    else if (tensor->external || data == 0)
        return;
    else if (!tensor->planned && pte->constant_count == 0 && reader->inline_constants)
        sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, at,
                        "constants lie inside the program, as old exporters wrote them");
    else if (!tensor->planned
                 ? !lies_in(pte->constants, pte->constant_count, pte->constant_offsets, data, bytes)
                 : !lies_in(pte->mutable_data, pte->mutable_count, pte->mutable_offsets, data,
                            bytes))
        sl_flatbuf_fail(fb, SL_E_FORMAT, at,
                        "the %" PRIu64 " bytes of constant %" PRIu32 " lie outside its segment",
                        bytes, data);
}

/* Room for one more, of some made at a time. */
static struct sl_pte_tensor *next_tensor(struct sl_pte_reader *reader)
{
    enum { AT_A_TIME = 16 };
    if (reader->tensor_room == 0) {
        reader->tensors = sl_flatbuf_alloc(&reader->fb, AT_A_TIME, sizeof(*reader->tensors));
        reader->tensor_room = AT_A_TIME;
    }
    if (!reader->tensors)
        return NULL;
    reader->tensor_room--;
    return reader->tensors++;
}

static void read_tensor(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                        const struct sl_pte_plan *plan, struct sl_pte_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_pte_tensor *tensor = next_tensor(reader);
    if (!tensor)
        return;
    struct sl_tensor_shape shape;
    struct sl_flatbuf_table place =
        sl_flatbuf_fast_child(fb, table, TENSOR_ALLOCATION, "AllocationDetails");
    struct sl_flatbuf_table extra =
        sl_flatbuf_fast_child(fb, table, TENSOR_EXTRA, "ExtraTensorInfo");
    sl_tensor_shape_read(
        fb, table, (struct sl_tensor_slots){TENSOR_TYPE, TENSOR_SIZES, TENSOR_DIM_ORDER}, &shape);
    *tensor = (struct sl_pte_tensor){
        .scalar_type = shape.scalar_type,
        .rank = shape.rank,
        .sizes = shape.sizes,
        .dim_order = shape.dim_order,
        .dynamism = sl_flatbuf_fast_u8(fb, table, TENSOR_DYNAMISM, 0),
        .data_buffer_idx = sl_flatbuf_fast_u32(fb, table, TENSOR_DATA, 0),
        .planned = place.at != 0,
        .memory_id = sl_flatbuf_fast_u32(fb, &place, ALLOCATION_ID, 0),
        .memory_offset = sl_flatbuf_fast_u32(fb, &place, ALLOCATION_LOW, 0) |
                         (uint64_t)sl_flatbuf_fast_u32(fb, &place, ALLOCATION_HIGH, 0) << 32,
        .external = sl_flatbuf_fast_u8(fb, &extra, EXTRA_LOCATION, 0) != 0,
        .name = sl_flatbuf_text(fb, &extra, EXTRA_NAME),
    };
    if (fb->error == 0 && tensor->dynamism > SL_PTE_DYNAMIC_UNBOUND)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a tensor has unknown shape dynamism %d",
                        tensor->dynamism);
    if (fb->error == 0 && sl_flatbuf_fast_u32(fb, table, TENSOR_STORAGE_OFFSET, 0) != 0)
        sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, table->at, "a tensor has a storage offset");
    check_data(reader, tensor, plan, shape.nbytes, table->at);
    value->tensor = tensor;
}

/* Lists of value indices (i32 or i64 in the file); what they name is checked once all values are
 * known. */
static void read_indices(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         unsigned item_bytes, struct sl_pte_value *value)
{
    struct sl_flatbuf_vector items = sl_flatbuf_fast_vector(fb, table, 0, item_bytes);
    int64_t *own = sl_flatbuf_alloc(fb, items.count, sizeof(*own));
    for (uint32_t i = 0; own && i < items.count; i++) {
        const uint8_t *item = fb->data + items.at + (size_t)item_bytes * i;
        own[i] = item_bytes == 8 ? (int64_t)sl_load_u64(item) : (int32_t)sl_load_u32(item);
    }
    value->list.count = items.count;
    value->list.ints = own;
}

static void read_literals(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          struct sl_pte_value *value)
{
    bool wide = value->kind == SL_PTE_DOUBLE_LIST;
    struct sl_flatbuf_vector items = sl_flatbuf_fast_vector(fb, table, 0, wide ? 8 : 1);
    double *doubles = wide ? sl_flatbuf_alloc(fb, items.count, sizeof(*doubles)) : NULL;
    uint8_t *bools = wide ? NULL : sl_flatbuf_alloc(fb, items.count, sizeof(*bools));
    for (uint32_t i = 0; i < items.count && fb->error == 0; i++) {
        if (wide)
            doubles[i] = sl_load_f64(fb->data + items.at + 8 * (size_t)i);
        else
            bools[i] = fb->data[items.at + i] != 0;
    }
    value->list.count = items.count;
    value->list.doubles = doubles;
    value->list.bools = bools;
}

static void read_scalar(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_pte_value *value)
{
    if (value->kind == SL_PTE_BOOL) {
        value->bool_value = sl_flatbuf_fast_u8(fb, table, 0, 0) != 0;
    } else if (value->kind == SL_PTE_INT) {
        value->int_value = (int64_t)sl_flatbuf_u64(fb, table, 0, 0);
    } else if (value->kind == SL_PTE_DOUBLE) {
        const uint8_t *field = sl_flatbuf_field(fb, table, 0, 8);
        value->double_value = field ? sl_load_f64(field) : 0;
    } else {
        value->string_value = sl_flatbuf_text(fb, table, 0);
        if (!value->string_value && fb->error == 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a text value has no text");
    }
}

static void read_value(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                       const struct sl_pte_plan *plan, struct sl_pte_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    value->kind = sl_flatbuf_fast_u8(fb, table, EVALUE_TYPE, 0);
    if (value->kind == SL_PTE_NONE || value->kind == SL_PTE_NULL || fb->error != 0)
        return;
    struct sl_flatbuf_table content =
        sl_flatbuf_fast_child(fb, table, EVALUE_CONTENT, "value's content");
    if (fb->error == 0 && content.at == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a value of kind %d has no content",
                        value->kind);
    switch (fb->error == 0 ? value->kind : SL_PTE_NONE) {
    case SL_PTE_NONE:
        break;
    case SL_PTE_TENSOR:
        read_tensor(reader, &content, plan, value);
        break;
    case SL_PTE_INT_LIST:
        read_indices(fb, &content, 8, value);
        break;
    case SL_PTE_TENSOR_LIST:
    case SL_PTE_OPTIONAL_TENSOR_LIST:
        read_indices(fb, &content, 4, value);
        break;
    case SL_PTE_DOUBLE_LIST:
    case SL_PTE_BOOL_LIST:
        read_literals(fb, &content, value);
        break;
    default:
        if (value->kind > SL_PTE_OPTIONAL_TENSOR_LIST)
            sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a value has unknown kind %d", value->kind);
        else
            read_scalar(fb, &content, value);
    }
}

static bool item_ok(const struct sl_pte_plan *plan, int list_kind, int64_t item)
{
    bool optional = list_kind == SL_PTE_OPTIONAL_TENSOR_LIST;
    if (item < 0 || item >= plan->value_count)
        return optional && item == -1;
    int kind = plan->values[item].kind;
    if (list_kind == SL_PTE_INT_LIST)
        return kind == SL_PTE_INT;
    return kind == SL_PTE_TENSOR || (optional && (kind == SL_PTE_NULL || kind == SL_PTE_NONE));
}

static void check_lists(struct sl_flatbuf *fb, const struct sl_pte_plan *plan, uint32_t at)
{
    for (uint32_t v = 0; v < plan->value_count && fb->error == 0; v++) {
        const struct sl_pte_value *value = &plan->values[v];
        if (value->kind != SL_PTE_INT_LIST && value->kind != SL_PTE_TENSOR_LIST &&
            value->kind != SL_PTE_OPTIONAL_TENSOR_LIST)
            continue;
        for (uint32_t i = 0; i < value->list.count && fb->error == 0; i++) {
            if (!item_ok(plan, value->kind, value->list.ints[i]))
                sl_flatbuf_fail(fb, SL_E_FORMAT, at,
                                "item %" PRIu32 " of the list in value %" PRIu32
                                " names no value of its kind",
                                i, v);
        }
    }
}

void sl_pte_read_values(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                        struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_fast_vector(fb, table, PLAN_VALUES, 4);
    struct sl_pte_value *values = sl_flatbuf_alloc(fb, vector.count, sizeof(*values));
    if (fb->error == 0 && !vector.present)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s has no values", plan->name);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element =
            sl_flatbuf_fast_root(fb, vector.at + 4 * (uint64_t)i, "EValue");
        read_value(reader, &element, plan, &values[i]);
    }
    plan->values = values;
    plan->value_count = vector.count;
    check_lists(fb, plan, table->at);
}
