/* common/format/pte.c */
#include "common/format/pte.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/format/flatbuf_layout.h"
#include "common/format/tensor_shape.h"

struct segment {
    uint64_t offset; /* from the start of the file */
    struct sl_bytes bytes;
};

struct reader {
    struct sl_flatbuf fb; /* the program's part of the file */
    struct sl_pte *pte;   /* being filled */
    uint32_t segment_count;
    const struct segment *segments;
    struct sl_flatbuf_vector inline_blobs; /* backend_delegate_data */
    struct sl_pte_tensor *tensors;         /* of the pool: room for `tensor_room` */
    uint32_t tensor_room, tensor_count;    /* those of this plan */
    /* The layouts seen last, for each kind of table that there are many of. */
    struct sl_flatbuf_layouts of_value, of_tensor, of_place, of_extra, of_number, of_bool, of_list;
    struct sl_flatbuf_layouts of_instruction, of_call, of_free;
    bool inline_constants; /* legacy constant_buffer has entries */
};

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

static void check_data(struct reader *reader, const struct sl_pte_tensor *tensor,
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
static struct sl_pte_tensor *next_tensor(struct reader *reader)
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

static void read_tensor(struct reader *reader, const struct sl_flatbuf_record *from,
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
static void read_list(struct reader *reader, uint64_t at, unsigned item_bytes,
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

static void read_number(struct reader *reader, uint64_t at, struct sl_pte_value *value)
{
    struct sl_flatbuf_record number =
        sl_flatbuf_record_at(&reader->fb, at, &number_kind, &reader->of_number);
    const uint8_t *field = number.data ? sl_flatbuf_record_field(&number, 0) : NULL;
    if (value->kind == SL_PTE_INT)
        value->int_value = field ? (int64_t)sl_load_u64(field) : 0;
    else
        value->double_value = field ? sl_load_f64(field) : 0;
}

/* Few of these stand in a file. */
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

static void read_value(struct reader *reader, const struct sl_flatbuf_record *from,
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
        read_list(reader, at, 8, value);
        break;
    case SL_PTE_TENSOR_LIST:
    case SL_PTE_OPTIONAL_TENSOR_LIST:
        read_list(reader, at, 4, value);
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

static void read_values(struct reader *reader, const struct sl_flatbuf_table *table,
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

/* Slots of the schema's tables. */
enum { PLAN_NAME = 0, PLAN_INPUTS = 3, PLAN_OUTPUTS = 4, PLAN_CHAINS = 5, PLAN_OPERATORS = 6 };
enum { PLAN_DELEGATES = 7, PLAN_BUFFER_SIZES = 8 };
enum { CHAIN_INSTRUCTIONS = 2 };
enum { INSTRUCTION_TYPE = 0, INSTRUCTION_CONTENT = 1 };
enum { DELEGATE_ID = 0, DELEGATE_PROCESSED = 1, DELEGATE_SPECS = 2 };
enum { PROCESSED_LOCATION = 0, PROCESSED_INDEX = 1 };
enum { LOCATION_INLINE = 0, LOCATION_SEGMENT = 1 };

static const struct sl_flatbuf_kind instruction_kind = {"Instruction", 2, {1, 4}};
/* Two numbers, or a number and the offset of arguments; a number alone. */
static const struct sl_flatbuf_kind call_kind = {"instruction's content", 2, {4, 4}};
static const struct sl_flatbuf_kind free_kind = {"FreeCall", 1, {4}};

static void read_buffer_sizes(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                              struct sl_pte_plan *plan)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_BUFFER_SIZES, 8);
    if (fb->error == 0 && !vector.present)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s plans no buffers", plan->name);
    uint32_t count = vector.count > 0 ? vector.count - 1 : 0; /* entry 0 is reserved */
    uint64_t *sizes = sl_flatbuf_alloc(fb, count, sizeof(*sizes));
    for (uint32_t i = 0; i < count && fb->error == 0; i++) {
        sizes[i] = sl_load_u64(fb->data + vector.at + 8 * (size_t)(i + 1));
        if (sizes[i] > INT64_MAX)
            sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at,
                            "planned buffer %" PRIu32 " has a negative size", i + 1);
    }
    plan->buffer_bytes = sizes;
    plan->buffer_count = count;
}

/* Value indices, where they stand or a copy of them. */
static const uint32_t *take_indices(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *vector,
                                    const struct sl_pte_plan *plan, uint32_t *out_count)
{
    const uint32_t *indices = sl_flatbuf_numbers(fb, vector, sizeof(*indices)), *first = NULL;
    for (uint32_t i = 0; indices && i < vector->count; i++)
        if (indices[i] >= plan->value_count) {
            first = &indices[i];
            break;
        }
    if (first)
        sl_flatbuf_fail(fb, SL_E_FORMAT, vector->at + 4 * (uint64_t)(first - indices),
                        "there is no value %" PRId32 " (the method has %" PRIu32 ")",
                        (int32_t)*first, plan->value_count);
    *out_count = vector->count;
    return indices;
}

static const uint32_t *read_indices(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                    unsigned slot, const struct sl_pte_plan *plan,
                                    uint32_t *out_count)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, slot, 4);
    return take_indices(fb, &vector, plan, out_count);
}

static void read_operators(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                           struct sl_pte_plan *plan)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_OPERATORS, 4);
    struct sl_pte_operator *operators = sl_flatbuf_alloc(fb, vector.count, sizeof(*operators));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "Operator");
        struct sl_bytes name = sl_flatbuf_string(fb, &element, 0);
        struct sl_bytes overload = sl_flatbuf_string(fb, &element, 1);
        size_t dot = overload.size > 0 ? 1 : 0;
        if (fb->error != 0)
            return;
        if (name.size == 0 || name.size > SL_PTE_MAX_OPERATOR_NAME ||
            overload.size > SL_PTE_MAX_OPERATOR_NAME - name.size ||
            name.size + dot + overload.size > SL_PTE_MAX_OPERATOR_NAME) {
            sl_flatbuf_fail(fb, SL_E_FORMAT, element.at,
                            "operator %" PRIu32 " has no name or one of more than %d characters", i,
                            SL_PTE_MAX_OPERATOR_NAME);
            return;
        }
        char *joined = sl_flatbuf_alloc(fb, name.size + dot + overload.size + 1, 1);
        if (!joined)
            return;
        memcpy(joined, name.data, name.size);
        if (dot) {
            joined[name.size] = '.';
            memcpy(joined + name.size + 1, overload.data, overload.size);
        }
        operators[i].name = joined;
    }
    plan->operators = operators;
    plan->operator_count = vector.count;
}

static void read_specs(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_pte_delegate *delegate)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, DELEGATE_SPECS, 4);
    struct sl_pte_compile_spec *specs = sl_flatbuf_alloc(fb, vector.count, sizeof(*specs));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "CompileSpec");
        struct sl_flatbuf_vector value = sl_flatbuf_vector(fb, &element, 1, 1);
        specs[i].key = sl_flatbuf_text(fb, &element, 0);
        if (fb->error == 0 && !specs[i].key)
            sl_flatbuf_fail(fb, SL_E_FORMAT, element.at, "a compile spec has no key");
        specs[i].value = (struct sl_bytes){value.present ? fb->data + value.at : NULL, value.count};
    }
    delegate->specs = specs;
    delegate->spec_count = vector.count;
}

static void read_blob(struct reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_pte_delegate *delegate)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table processed =
        sl_flatbuf_child(fb, table, DELEGATE_PROCESSED, "BackendDelegateDataReference");
    unsigned location = sl_flatbuf_u8(fb, &processed, PROCESSED_LOCATION, LOCATION_INLINE);
    uint32_t index = sl_flatbuf_u32(fb, &processed, PROCESSED_INDEX, 0);
    uint32_t limit = location == LOCATION_INLINE    ? reader->inline_blobs.count
                     : location == LOCATION_SEGMENT ? reader->segment_count
                                                    : 0;
    if (fb->error == 0 && (processed.at == 0 || index >= limit))
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "the data of a delegate is not in the file");
    if (fb->error != 0)
        return;
    if (location == LOCATION_SEGMENT) {
        delegate->blob = reader->segments[index].bytes;
        delegate->blob_offset = reader->segments[index].offset;
        return;
    }
    struct sl_flatbuf_table holder =
        sl_flatbuf_element(fb, &reader->inline_blobs, index, "BackendDelegateInlineData");
    struct sl_flatbuf_vector data = sl_flatbuf_vector(fb, &holder, 0, 1);
    delegate->blob = (struct sl_bytes){fb->data + data.at, data.count};
    delegate->blob_offset = data.at;
}

static void read_delegates(struct reader *reader, const struct sl_flatbuf_table *table,
                           struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_DELEGATES, 4);
    struct sl_pte_delegate *delegates = sl_flatbuf_alloc(fb, vector.count, sizeof(*delegates));
    if (fb->error == 0 && !vector.present)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s has no list of delegates",
                        plan->name);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "BackendDelegate");
        delegates[i].id = sl_flatbuf_text(fb, &element, DELEGATE_ID);
        if (fb->error == 0 && !delegates[i].id)
            sl_flatbuf_fail(fb, SL_E_FORMAT, element.at, "delegate %" PRIu32 " has no name", i);
        read_blob(reader, &element, &delegates[i]);
        read_specs(fb, &element, &delegates[i]);
    }
    plan->delegates = delegates;
    plan->delegate_count = vector.count;
}

/* The two numbers that every kind of instruction but calls consists of. */
static void read_operands(struct sl_flatbuf *fb, const struct sl_flatbuf_record *content,
                          const struct sl_pte_plan *plan, uint32_t instruction_count,
                          struct sl_pte_instruction *out)
{
    uint32_t first = sl_flatbuf_record_u32(content, 0);
    uint32_t second = out->kind == SL_PTE_FREE_CALL ? 0 : sl_flatbuf_record_u32(content, 1);
    bool ok = first < plan->value_count;
    if (out->kind == SL_PTE_FREE_CALL) {
        out->index = first;
    } else {
        out->from = first;
        out->to = second;
        /* A jump right behind the last instruction ends the chain. */
        ok = ok && (out->kind == SL_PTE_MOVE_CALL ? second < plan->value_count
                                                  : second <= instruction_count);
    }
    if (!ok)
        sl_flatbuf_fail(fb, SL_E_FORMAT, content->at,
                        "an instruction names a value or a destination that is not there");
}

static void read_call(struct sl_flatbuf *fb, const struct sl_flatbuf_record *content,
                      const struct sl_pte_plan *plan, struct sl_pte_instruction *out)
{
    bool kernel = out->kind == SL_PTE_KERNEL_CALL;
    out->index = sl_flatbuf_record_u32(content, 0);
    if (out->index >= (kernel ? plan->operator_count : plan->delegate_count))
        sl_flatbuf_fail(fb, SL_E_FORMAT, content->at,
                        "an instruction calls %s %" PRIu32 ", which is not there",
                        kernel ? "operator" : "delegate", out->index);
    struct sl_flatbuf_vector args = sl_flatbuf_record_vector(fb, content, &call_kind, 1, 4);
    out->args = take_indices(fb, &args, plan, &out->arg_count);
}

static void read_instruction(struct reader *reader, const struct sl_flatbuf_record *from,
                             const struct sl_pte_plan *plan, uint32_t instruction_count,
                             struct sl_pte_instruction *out)
{
    struct sl_flatbuf *fb = &reader->fb;
    out->kind = sl_flatbuf_record_u8(from, INSTRUCTION_TYPE);
    unsigned field = from->layout->at[INSTRUCTION_CONTENT];
    if (field == 0 || out->kind < SL_PTE_KERNEL_CALL || out->kind > SL_PTE_FREE_CALL) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, from->at, "an instruction has unknown kind %d", out->kind);
        return;
    }
    bool frees = out->kind == SL_PTE_FREE_CALL;
    struct sl_flatbuf_record content =
        sl_flatbuf_record_at(fb, (uint64_t)from->at + field, frees ? &free_kind : &call_kind,
                             frees ? &reader->of_free : &reader->of_call);
    if (!content.data)
        return;
    if (out->kind == SL_PTE_KERNEL_CALL || out->kind == SL_PTE_DELEGATE_CALL)
        read_call(fb, &content, plan, out);
    else
        read_operands(fb, &content, plan, instruction_count, out);
}

static void read_chains(struct reader *reader, const struct sl_flatbuf_table *table,
                        struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_CHAINS, 4);
    struct sl_pte_chain *chains = sl_flatbuf_alloc(fb, vector.count, sizeof(*chains));
    if (fb->error == 0 && vector.count == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s has no instructions", plan->name);
    for (uint32_t c = 0; c < vector.count && fb->error == 0; c++) {
        struct sl_flatbuf_table chain = sl_flatbuf_element(fb, &vector, c, "Chain");
        struct sl_flatbuf_vector list = sl_flatbuf_vector(fb, &chain, CHAIN_INSTRUCTIONS, 4);
        struct sl_pte_instruction *instructions =
            sl_flatbuf_alloc(fb, list.count, sizeof(*instructions));
        for (uint32_t i = 0; i < list.count && fb->error == 0; i++) {
            struct sl_flatbuf_record element = sl_flatbuf_record_at(
                fb, list.at + 4 * (uint64_t)i, &instruction_kind, &reader->of_instruction);
            if (element.data)
                read_instruction(reader, &element, plan, list.count, &instructions[i]);
        }
        chains[c] = (struct sl_pte_chain){list.count, instructions};
    }
    plan->chains = chains;
    plan->chain_count = vector.count;
}

static void read_plan(struct reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    plan->name = sl_flatbuf_text(fb, table, PLAN_NAME);
    if (fb->error == 0 && !plan->name)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a method has no name");
    if (fb->error != 0)
        return;
    read_buffer_sizes(fb, table, plan);
    read_values(reader, table, plan);
    plan->inputs = read_indices(fb, table, PLAN_INPUTS, plan, &plan->input_count);
    plan->outputs = read_indices(fb, table, PLAN_OUTPUTS, plan, &plan->output_count);
    read_operators(fb, table, plan);
    read_delegates(reader, table, plan);
    read_chains(reader, table, plan);
}

/* Slots of the schema's tables. */
enum { PROGRAM_PLANS = 1, PROGRAM_CONSTANT_BUFFER = 2, PROGRAM_INLINE_BLOBS = 3 };
enum { PROGRAM_SEGMENTS = 4, PROGRAM_CONSTANTS = 5, PROGRAM_MUTABLE = 6, PROGRAM_NAMED = 7 };
enum { SEGMENT_OFFSET = 0, SEGMENT_SIZE = 1 };
enum { SUBSEGMENT_INDEX = 0, SUBSEGMENT_OFFSETS = 1 };
enum { NAMED_KEY = 0, NAMED_SEGMENT = 1 };

/* The extended header, which follows offset and identifier. */
enum { HEADER_AT = 8, HEADER_MIN_BYTES = 24, HEADER_BYTES = 32 };

/* An unaliased program needs about three times its size in our arrays. */
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

struct layout {
    uint64_t program_bytes;
    uint64_t segment_base; /* 0: no segments */
};

static int check_identifier(struct sl_flatbuf *fb, struct sl_bytes file)
{
    if (file.size < 8)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, 0, "the file ends before its identifier");
    const uint8_t *id = file.data + 4;
    if (memcmp(id, "ET12", 4) == 0)
        return 0;
    if (memcmp(id, "BP08", 4) == 0)
        return sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, 4,
                               "this is a bundled program; give the program inside it");
    if (memcmp(id, "ET", 2) == 0)
        return sl_flatbuf_fail(
            fb, SL_E_UNSUPPORTED, 4, "the program has format version %c%c, we read version 12",
            id[2] >= '0' && id[2] <= '9' ? id[2] : '?', id[3] >= '0' && id[3] <= '9' ? id[3] : '?');
    return sl_flatbuf_fail(fb, SL_E_FORMAT, 4,
                           "not an ExecuTorch program: the identifier is not ET12");
}

static int read_header(struct sl_flatbuf *fb, struct sl_bytes file, struct layout *layout)
{
    *layout = (struct layout){.program_bytes = file.size};
    const uint8_t *header = file.data + HEADER_AT;
    uint64_t room = file.size - HEADER_AT;
    if (room < 4 || memcmp(header, "eh00", 4) != 0)
        return 0;
    if (room < HEADER_MIN_BYTES)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT, "the file ends in its header");
    uint32_t header_bytes = sl_load_u32(header + 4);
    if (header_bytes < HEADER_MIN_BYTES)
        return sl_flatbuf_fail(fb, SL_E_FORMAT, HEADER_AT + 4,
                               "a header of %" PRIu32 " bytes is too short", header_bytes);
    if (room < header_bytes)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT, "the file ends in its header");
    *layout = (struct layout){sl_load_u64(header + 8), sl_load_u64(header + 16)};
    uint64_t area = header_bytes >= HEADER_BYTES ? sl_load_u64(header + 24) : 0;
    if (layout->program_bytes > file.size)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT + 8,
                               "the program has %" PRIu64 " bytes, the file only %zu",
                               layout->program_bytes, file.size);
    if (!sl_range_ok(layout->segment_base, area, file.size))
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT + 16,
                               "the segments reach past the end of the file (%zu bytes)",
                               file.size);
    return 0;
}

static void read_segments(struct reader *reader, const struct sl_flatbuf_table *program,
                          uint64_t base)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_bytes file = reader->pte->file;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, program, PROGRAM_SEGMENTS, 4);
    struct segment *segments = sl_flatbuf_alloc(fb, vector.count, sizeof(*segments));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "DataSegment");
        uint64_t offset = sl_flatbuf_u64(fb, &table, SEGMENT_OFFSET, 0);
        uint64_t size = sl_flatbuf_u64(fb, &table, SEGMENT_SIZE, 0);
        if (fb->error != 0)
            return;
        if (base == 0 && size > 0) {
            sl_flatbuf_fail(fb, SL_E_FORMAT, table.at,
                            "there is a segment but no header says where segments begin");
            return;
        }
        if (!sl_range_ok(offset, size, file.size - base)) {
            sl_flatbuf_fail(fb, SL_E_TRUNCATED, table.at,
                            "segment %" PRIu32 " reaches past the end of the file (%zu bytes)", i,
                            file.size);
            return;
        }
        segments[i] = (struct segment){base + offset, {file.data + base + offset, (size_t)size}};
    }
    reader->segments = segments;
    reader->segment_count = vector.count;
}

/* A table SubsegmentOffsets: one segment with an offset for each of its entries. */
static void read_subsegment(struct reader *reader, const struct sl_flatbuf_table *table,
                            struct sl_bytes *out_bytes, uint32_t *out_count,
                            const uint64_t **out_offsets)
{
    struct sl_flatbuf *fb = &reader->fb;
    uint32_t segment = sl_flatbuf_u32(fb, table, SUBSEGMENT_INDEX, 0);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, SUBSEGMENT_OFFSETS, 8);
    uint64_t *offsets = sl_flatbuf_alloc(fb, vector.count, sizeof(*offsets));
    if (fb->error != 0 || vector.count == 0)
        return;
    struct sl_bytes bytes = {0};
    if (segment < reader->segment_count)
        bytes = reader->segments[segment].bytes;
    else if (vector.count > 1)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "there is no segment %" PRIu32, segment);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        offsets[i] = sl_load_u64(fb->data + vector.at + 8 * (size_t)i);
        if (offsets[i] > bytes.size)
            sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at + 8 * (uint64_t)i,
                            "constant %" PRIu32 " begins past the end of its segment", i);
    }
    *out_bytes = bytes;
    *out_count = vector.count;
    *out_offsets = offsets;
}

static void read_constants(struct reader *reader, const struct sl_flatbuf_table *program)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_pte *pte = reader->pte;
    struct sl_flatbuf_table constants =
        sl_flatbuf_child(fb, program, PROGRAM_CONSTANTS, "SubsegmentOffsets");
    read_subsegment(reader, &constants, &pte->constants, &pte->constant_count,
                    &pte->constant_offsets);
    /* Entry 0 is the only one that the runtime uses. */
    struct sl_flatbuf_vector states = sl_flatbuf_vector(fb, program, PROGRAM_MUTABLE, 4);
    if (states.count > 0) {
        struct sl_flatbuf_table state = sl_flatbuf_element(fb, &states, 0, "SubsegmentOffsets");
        read_subsegment(reader, &state, &pte->mutable_data, &pte->mutable_count,
                        &pte->mutable_offsets);
    }
    reader->inline_constants = sl_flatbuf_vector(fb, program, PROGRAM_CONSTANT_BUFFER, 4).count > 1;
}

static uint64_t start_of(const char *key)
{
    uint64_t start = 0;
    strncpy((char *)&start, key, sizeof(start)); /* no text: compared alone */
    return start;
}

static unsigned bucket_of(uint64_t start)
{
    return (unsigned)(start * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SL_PTE_NAMED_BUCKETS;
}

static void read_named(struct reader *reader, const struct sl_flatbuf_table *program)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, program, PROGRAM_NAMED, 4);
    struct sl_pte_named_data *named = sl_flatbuf_alloc(fb, vector.count, sizeof(*named));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "NamedData");
        uint32_t segment = sl_flatbuf_u32(fb, &table, NAMED_SEGMENT, 0);
        named[i].key = sl_flatbuf_text(fb, &table, NAMED_KEY);
        if (fb->error == 0 && (!named[i].key || segment >= reader->segment_count))
            sl_flatbuf_fail(fb, SL_E_FORMAT, table.at,
                            "named data %" PRIu32 " has no key or names no segment", i);
        if (fb->error != 0)
            break;
        named[i].data = reader->segments[segment].bytes;
        named[i].start = start_of(named[i].key);
    }
    for (uint32_t i = vector.count; i > 0 && fb->error == 0; i--) { /* of equal keys the first */
        uint32_t *first = &reader->pte->named_first[bucket_of(named[i - 1].start)];
        named[i - 1].next = *first;
        *first = i;
    }
    reader->pte->named = named;
    reader->pte->named_count = vector.count;
}

static void read_program(struct reader *reader, uint64_t segment_base)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table program = sl_flatbuf_root(fb, 0, "Program");
    read_segments(reader, &program, segment_base);
    read_constants(reader, &program);
    read_named(reader, &program);
    reader->inline_blobs = sl_flatbuf_vector(fb, &program, PROGRAM_INLINE_BLOBS, 4);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, &program, PROGRAM_PLANS, 4);
    struct sl_pte_plan *plans = sl_flatbuf_alloc(fb, vector.count, sizeof(*plans));
    if (fb->error == 0 && vector.count == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, program.at, "the program has no method");
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "ExecutionPlan");
        read_plan(reader, &table, &plans[i]);
    }
    reader->pte->plans = plans;
    reader->pte->plan_count = vector.count;
}

int sl_pte_parse(struct sl_bytes file, struct sl_pte *out, struct sl_diag *diag)
{
    struct sl_pte pte = {.file = file};
    struct reader reader = {.fb = {.data = file.data, .diag = diag}, .pte = &pte};
    struct layout layout;
    int rc = check_identifier(&reader.fb, file);
    if (rc == 0)
        rc = read_header(&reader.fb, file, &layout);
    if (rc == 0 && layout.program_bytes > SL_FLATBUF_MAX_BYTES)
        rc = sl_flatbuf_fail(&reader.fb, SL_E_LIMIT, HEADER_AT, "the program is larger than 2 GiB");
    if (rc < 0)
        return rc;
    reader.fb.size = (size_t)layout.program_bytes;
    pte.pool = sl_arena_new(reader.fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
    if (!pte.pool)
        return -ENOMEM;
    reader.fb.pool = pte.pool;
    read_program(&reader, layout.segment_base);
    if (reader.fb.error == 0)
        *out = pte;
    else
        sl_pte_fini(&pte);
    return reader.fb.error;
}

void sl_pte_fini(struct sl_pte *pte)
{
    sl_arena_free(pte->pool);
    *pte = (struct sl_pte){0};
}

const struct sl_pte_plan *sl_pte_find_plan(const struct sl_pte *pte, const char *name)
{
    for (uint32_t i = 0; i < pte->plan_count; i++) {
        if (!name || *name == '\0' || strcmp(pte->plans[i].name, name) == 0)
            return &pte->plans[i];
    }
    return NULL;
}

int sl_pte_constant(const struct sl_pte *pte, uint32_t data_buffer_idx, uint64_t nbytes,
                    const uint8_t **out_data)
{
    if (data_buffer_idx == 0 || data_buffer_idx >= pte->constant_count ||
        !sl_range_ok(pte->constant_offsets[data_buffer_idx], nbytes, pte->constants.size))
        return SL_E_FORMAT;
    *out_data = pte->constants.data + pte->constant_offsets[data_buffer_idx];
    return 0;
}

int sl_pte_find_named(const struct sl_pte *pte, const char *key, struct sl_bytes *out)
{
    const uint64_t start = start_of(key);
    for (uint32_t i = pte->named_first[bucket_of(start)]; i != 0; i = pte->named[i - 1].next) {
        const struct sl_pte_named_data *named = &pte->named[i - 1];
        if (named->start == start && strcmp(named->key, key) == 0) {
            *out = named->data;
            return 0;
        }
    }
    return SL_E_NOT_FOUND;
}
