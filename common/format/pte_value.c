/* common/format/pte_value.c: the values of a plan. */
#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/format/pte_parts.h"
#include "common/format/tensor_shape.h"

/* Slots of the schema's tables. */
enum { PLAN_VALUES = 2 };
enum { EVALUE_TYPE = 0, EVALUE_CONTENT = 1 };
enum { TENSOR_TYPE = 0, TENSOR_STORAGE_OFFSET = 1, TENSOR_SIZES = 2, TENSOR_DIM_ORDER = 3 };
enum { TENSOR_DATA = 5, TENSOR_ALLOCATION = 6, TENSOR_DYNAMISM = 8, TENSOR_EXTRA = 9 };
enum { ALLOCATION_ID = 0, ALLOCATION_LOW = 1, ALLOCATION_HIGH = 2 };
enum { EXTRA_NAME = 1, EXTRA_LOCATION = 2 };

static const struct sl_flatbuf_kind value_kind = {"EValue", 2, {1, 4}};
static const struct sl_flatbuf_kind tensor_kind = {"Tensor", 10, {1, 4, 4, 4, 0, 4, 4, 0, 1, 4}};
static const struct sl_flatbuf_kind allocation_kind = {"AllocationDetails", 3, {4, 4, 4}};
static const struct sl_flatbuf_kind extra_kind = {"ExtraTensorInfo", 3, {0, 4, 1}};
static const struct sl_flatbuf_kind number_kind = {"Int or Double", 1, {8}},
                                    bool_kind = {"Bool", 1, {1}};
static const struct sl_flatbuf_kind indices_kind = {"IntList or TensorList", 1, {4}};

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
    reader->tensor_count++;
    return reader->tensors++;
}

/* A tensor's name, and whether its data comes from elsewhere. */
static void read_extra(struct sl_flatbuf *fb, const struct sl_flatbuf_record *extra,
                       struct sl_pte_tensor *tensor)
{
    struct sl_bytes name = sl_flatbuf_terminated(
        fb, sl_flatbuf_record_vector(fb, extra, &extra_kind, EXTRA_NAME, 1), EXTRA_NAME);
    tensor->external = sl_flatbuf_record_u8(extra, EXTRA_LOCATION) != 0;
    tensor->name = (const char *)name.data;
}

static void read_tensor(struct sl_pte_reader *reader, const struct sl_flatbuf_record *from,
                        const struct sl_pte_plan *plan, struct sl_pte_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_pte_tensor *tensor = next_tensor(reader);
    struct sl_flatbuf_record place =
        sl_flatbuf_record_child(fb, from, TENSOR_ALLOCATION, &allocation_kind, &reader->of_place);
    struct sl_flatbuf_record extra =
        sl_flatbuf_record_child(fb, from, TENSOR_EXTRA, &extra_kind, &reader->of_extra);
    struct sl_tensor_shape shape;
    sl_tensor_shape_check(fb, (int8_t)sl_flatbuf_record_u8(from, TENSOR_TYPE),
                          sl_flatbuf_record_vector(fb, from, &tensor_kind, TENSOR_SIZES, 4),
                          sl_flatbuf_record_vector(fb, from, &tensor_kind, TENSOR_DIM_ORDER, 1),
                          from->at, &shape);
    if (fb->error != 0)
        return;
    tensor->scalar_type = shape.scalar_type;
    tensor->rank = shape.rank;
    tensor->sizes = shape.sizes;
    tensor->dim_order = shape.dim_order;
    tensor->dynamism = sl_flatbuf_record_u8(from, TENSOR_DYNAMISM);
    tensor->data_buffer_idx = sl_flatbuf_record_u32(from, TENSOR_DATA);
    if (place.data) {
        tensor->planned = true;
        tensor->memory_id = sl_flatbuf_record_u32(&place, ALLOCATION_ID);
        tensor->memory_offset = sl_flatbuf_record_u32(&place, ALLOCATION_LOW) |
                                (uint64_t)sl_flatbuf_record_u32(&place, ALLOCATION_HIGH) << 32;
    }
    if (extra.data)
        read_extra(fb, &extra, tensor);
    if (tensor->dynamism > SL_PTE_DYNAMIC_UNBOUND)
        sl_flatbuf_fail(fb, SL_E_FORMAT, from->at, "a tensor has unknown shape dynamism %d",
                        tensor->dynamism);
    if (sl_flatbuf_record_u32(from, TENSOR_STORAGE_OFFSET) != 0)
        sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, from->at, "a tensor has a storage offset");
    check_data(reader, tensor, plan, shape.nbytes, from->at);
    value->tensor = tensor;
}

/* Lists of value indices (i32 or i64 in the file); what they name is checked once all values are
 * known. */
static void read_indices(struct sl_pte_reader *reader, uint64_t at, unsigned item_bytes,
                         struct sl_pte_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_record list = sl_flatbuf_record_at(fb, at, &indices_kind, &reader->of_list);
    if (!list.data)
        return;
    struct sl_flatbuf_vector items =
        sl_flatbuf_record_vector(fb, &list, &indices_kind, 0, item_bytes);
    value->list.count = items.count;
    if (item_bytes == sizeof(*value->list.ints)) {
        value->list.ints = sl_flatbuf_numbers(fb, &items, item_bytes);
        return;
    }
    int64_t *own = sl_flatbuf_alloc(fb, items.count, sizeof(*own));
    for (uint32_t i = 0; own && i < items.count; i++)
        own[i] = (int32_t)sl_load_u32(fb->data + items.at + (size_t)item_bytes * i);
    value->list.ints = own;
}

static void read_literals(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                          struct sl_pte_value *value)
{
    bool wide = value->kind == SL_PTE_DOUBLE_LIST;
    struct sl_flatbuf_vector items = sl_flatbuf_vector(fb, table, 0, wide ? 8 : 1);
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

static void read_number(struct sl_pte_reader *reader, uint64_t at, struct sl_pte_value *value)
{
    struct sl_flatbuf_record number =
        sl_flatbuf_record_at(&reader->fb, at, &number_kind, &reader->of_number);
    const uint8_t *field = number.data ? sl_flatbuf_record_field(&number, 0) : NULL;
    if (value->kind == SL_PTE_INT)
        value->int_value = field ? (int64_t)sl_load_u64(field) : 0;
    else
        value->double_value = field ? sl_load_f64(field) : 0;
}

/* What there are few of. */
static void read_rare(struct sl_flatbuf *fb, uint64_t at, struct sl_pte_value *value)
{
    struct sl_flatbuf_table content = sl_flatbuf_root(fb, at, "value's content");
    switch (value->kind) {
    case SL_PTE_STRING:
        value->string_value = sl_flatbuf_text(fb, &content, 0);
        if (!value->string_value && fb->error == 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, content.at, "a text value has no text");
        break;
    case SL_PTE_DOUBLE_LIST:
    case SL_PTE_BOOL_LIST:
        read_literals(fb, &content, value);
        break;
    default:
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a value has unknown kind %d", value->kind);
    }
}

static void read_value(struct sl_pte_reader *reader, const struct sl_flatbuf_record *from,
                       const struct sl_pte_plan *plan, struct sl_pte_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    value->kind = sl_flatbuf_record_u8(from, EVALUE_TYPE);
    if (value->kind == SL_PTE_NONE || value->kind == SL_PTE_NULL)
        return;
    uint64_t at = (uint64_t)from->at + from->layout->at[EVALUE_CONTENT];
    if (at == from->at) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a value of kind %d has no content", value->kind);
        return;
    }
    struct sl_flatbuf_record content;
    switch (value->kind) {
    case SL_PTE_TENSOR:
        content = sl_flatbuf_record_at(fb, at, &tensor_kind, &reader->of_tensor);
        if (content.data)
            read_tensor(reader, &content, plan, value);
        break;
    case SL_PTE_INT:
    case SL_PTE_DOUBLE:
        read_number(reader, at, value);
        break;
    case SL_PTE_BOOL:
        content = sl_flatbuf_record_at(fb, at, &bool_kind, &reader->of_bool);
        value->bool_value = content.data && sl_flatbuf_record_u8(&content, 0) != 0;
        break;
    case SL_PTE_INT_LIST:
        read_indices(reader, at, 8, value);
        break;
    case SL_PTE_TENSOR_LIST:
    case SL_PTE_OPTIONAL_TENSOR_LIST:
        read_indices(reader, at, 4, value);
        break;
    default:
        read_rare(fb, at, value);
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
    const unsigned lists = 1u << SL_PTE_INT_LIST | 1u << SL_PTE_TENSOR_LIST |
                           1u << SL_PTE_OPTIONAL_TENSOR_LIST; /* kinds are known ones */
    for (uint32_t v = 0, count = plan->value_count; v < count; v++) {
        const struct sl_pte_value *value = &plan->values[v];
        if ((lists >> value->kind & 1) == 0)
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
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_VALUES, 4);
    struct sl_pte_value *values = sl_flatbuf_alloc(fb, vector.count, sizeof(*values));
    reader->tensor_count = 0;
    if (fb->error == 0 && !vector.present)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s has no values", plan->name);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_record value =
            sl_flatbuf_record_at(fb, vector.at + 4 * (uint64_t)i, &value_kind, &reader->of_value);
        if (value.data)
            read_value(reader, &value, plan, &values[i]);
    }
    plan->values = values;
    plan->value_count = vector.count;
    plan->tensor_count = reader->tensor_count;
    if (fb->error == 0)
        check_lists(fb, plan, table->at);
}
