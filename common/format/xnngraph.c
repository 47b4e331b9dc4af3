/* common/format/xnngraph.c */
#include "common/format/xnngraph.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/format/flatbuf.h"
#include "common/format/flatbuf_layout.h"
#include "common/format/flatbuf_table.h"
#include "common/format/tensor_shape.h"

struct reader {
    struct sl_flatbuf fb; /* the flatbuffer's part of the blob */
    struct sl_xnn_graph *graph;
    struct sl_bytes constants; /* the blob's constant region */
    struct sl_flatbuf_vector constant_data, constant_buffer;
    uint32_t extern_count;
    struct sl_flatbuf_layouts of_value, of_tensor, of_data; /* of which there are many */
};

/* Slots of the schema's tables. */
enum { GRAPH_VALUES = 2 };
enum { XVALUE_TYPE = 0, XVALUE_CONTENT = 1 };
enum { XVALUE_TENSOR = 1, XVALUE_QUANTIZED = 2 }; /* codes of the union */
enum { TENSOR_DATATYPE = 0, TENSOR_RANK = 1, TENSOR_DIMS = 2, TENSOR_BUFFER = 3 };
enum { TENSOR_EXTERNAL_ID = 4, TENSOR_FLAGS = 5, TENSOR_ID = 6, TENSOR_DQ = 7 };
enum { QUANTIZED_TENSOR = 0, QUANTIZED_TYPE = 1, QUANTIZED_PARAMS = 2 };
enum { CHANNEL_SCALE = 0, CHANNEL_DIM = 1, CHANNEL_BUFFER = 2, CHANNEL_COUNT = 3 };
enum { GROUP_SIZE = 2, GROUP_BUFFER = 4, GROUP_COUNT = 5 };
enum { DATA_OFFSET = 0, DATA_SIZE = 1, DATA_KEY = 2 };

enum { FLAG_INPUT = 1, FLAG_OUTPUT = 2 };

static const struct sl_flatbuf_kind value_kind = {"XValue", 2, {1, 4}};
static const struct sl_flatbuf_kind tensor_kind = {"XNNTensorValue", 8, {2, 4, 4, 4, 4, 4, 4, 2}};
static const struct sl_flatbuf_kind data_kind = {"ConstantDataOffset", 3, {8, 8, 4}};

/* A name to look up, or a place in the blob. */
static void read_place(struct reader *reader, uint32_t index, struct sl_xnn_data *data)
{
    struct sl_flatbuf *fb = &reader->fb;
    uint64_t at = reader->constant_data.at + 4 * (uint64_t)index;
    struct sl_flatbuf_record entry = sl_flatbuf_record_at(fb, at, &data_kind, &reader->of_data);
    if (!entry.data)
        return;
    const uint8_t *offset_field = sl_flatbuf_record_field(&entry, DATA_OFFSET);
    const uint8_t *size_field = sl_flatbuf_record_field(&entry, DATA_SIZE);
    uint64_t offset = offset_field ? sl_load_u64(offset_field) : 0;
    uint64_t size = size_field ? sl_load_u64(size_field) : 0;
    struct sl_flatbuf_vector key = sl_flatbuf_record_vector(fb, &entry, &data_kind, DATA_KEY, 1);
    data->key = (const char *)sl_flatbuf_terminated(fb, key, DATA_KEY).data;
    data->source = data->key ? SL_XNN_DATA_NAMED : SL_XNN_DATA_INLINE;
    if (fb->error != 0 || data->key)
        return;
    if (!sl_range_ok(offset, size, reader->constants.size)) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, entry.at,
                        "constant %" PRIu32 " lies outside the constant region", index);
        return;
    }
    data->bytes = (struct sl_bytes){reader->constants.data + offset, (size_t)size};
}

/* Bytes of constant `index`. */
static void read_data(struct reader *reader, uint32_t index, uint64_t needed, uint64_t at,
                      struct sl_xnn_data *data)
{
    struct sl_flatbuf *fb = &reader->fb;
    if (fb->error != 0)
        return;
    if (index < reader->constant_data.count) {
        read_place(reader, index, data);
        if (data->key)
            return;
    } else if (index < reader->constant_buffer.count) {
        struct sl_flatbuf_table entry =
            sl_flatbuf_element(fb, &reader->constant_buffer, index, "Buffer");
        struct sl_flatbuf_vector storage = sl_flatbuf_vector(fb, &entry, 0, 1);
        data->source = SL_XNN_DATA_INLINE;
        data->bytes = (struct sl_bytes){fb->data + storage.at, storage.count};
    } else {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "there is no constant %" PRIu32, index);
    }
    if (fb->error == 0 && data->bytes.size < needed)
        sl_flatbuf_fail(fb, SL_E_FORMAT, at,
                        "constant %" PRIu32 " has %zu bytes, its value needs %" PRIu64, index,
                        data->bytes.size, needed);
}

static void read_dims(struct sl_flatbuf *fb, const struct sl_flatbuf_record *tensor,
                      struct sl_xnn_value *value)
{
    struct sl_flatbuf_vector dims =
        sl_flatbuf_record_vector(fb, tensor, &tensor_kind, TENSOR_DIMS, 4);
    uint32_t rank = sl_flatbuf_record_u32(tensor, TENSOR_RANK);
    uint64_t product = 8; /* no element is larger */
    bool over = false;
    if (dims.count > SL_XNN_MAX_RANK || (dims.present && rank != dims.count)) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, tensor->at,
                        "a value of rank %" PRIu32 " has %" PRIu32 " dimensions (at most %d)", rank,
                        dims.count, SL_XNN_MAX_RANK);
        return;
    }
    for (uint32_t i = 0; i < dims.count; i++) {
        value->dims[i] = sl_load_u32(fb->data + dims.at + 4 * i);
        over |= __builtin_mul_overflow(product, (uint64_t)value->dims[i], &product);
        over |= product > SL_TENSOR_MAX_BYTES;
    }
    if (over)
        sl_flatbuf_fail(fb, SL_E_FORMAT, dims.at,
                        "a value's dimensions multiply to more than can be");
    value->rank = dims.count;
}

static void read_external(struct reader *reader, const struct sl_flatbuf_record *tensor,
                          struct sl_xnn_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    uint32_t flags = sl_flatbuf_record_u32(tensor, TENSOR_FLAGS);
    uint32_t external = sl_flatbuf_record_u32(tensor, TENSOR_EXTERNAL_ID);
    if ((flags & ~(uint32_t)(FLAG_INPUT | FLAG_OUTPUT)) != 0)
        sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, tensor->at, "a value has unknown flags 0x%" PRIx32,
                        flags);
    if (flags != 0 && external >= reader->extern_count)
        sl_flatbuf_fail(fb, SL_E_FORMAT, tensor->at,
                        "external value %" PRIu32 " is none of the %" PRIu32 " inputs and outputs",
                        external, reader->extern_count);
    value->external_input = (flags & FLAG_INPUT) != 0;
    value->external_output = (flags & FLAG_OUTPUT) != 0;
    value->external_id = flags != 0 ? external : SL_XNN_NO_ID;
}

static int16_t record_i16(const struct sl_flatbuf_record *record, unsigned slot)
{
    const uint8_t *field = sl_flatbuf_record_field(record, slot);
    return field ? (int16_t)sl_load_u16(field) : 0;
}

static void read_tensor(struct reader *reader, const struct sl_flatbuf_record *tensor,
                        struct sl_xnn_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    value->id = sl_flatbuf_record_u32(tensor, TENSOR_ID);
    value->datatype = record_i16(tensor, TENSOR_DATATYPE);
    if (value->datatype < SL_XNN_FP32 || value->datatype > SL_XNN_BF16)
        sl_flatbuf_fail(fb, SL_E_FORMAT, tensor->at, "value %" PRIu32 " has unknown datatype %d",
                        value->id, value->datatype);
    if (value->id == SL_XNN_NO_ID)
        sl_flatbuf_fail(fb, SL_E_FORMAT, tensor->at, "a value has the id that means none");
    read_dims(fb, tensor, value);
    read_external(reader, tensor, value);
    uint32_t buffer = sl_flatbuf_record_u32(tensor, TENSOR_BUFFER);
    if (buffer != 0 && fb->error == 0)
        read_data(reader, buffer, sl_xnn_value_bytes(value), tensor->at, &value->data);
    bool dynamic = record_i16(tensor, TENSOR_DQ) == SL_XNN_QINT8;
    value->dq_datatype = dynamic && value->external_input ? SL_XNN_QINT8 : 0;
}

/* Scales as a constant of `count` elements, or as the inline vector. */
static void read_scales(struct reader *reader, const struct sl_flatbuf_table *params,
                        struct sl_xnn_value *value, uint32_t buffer, uint32_t count)
{
    struct sl_flatbuf *fb = &reader->fb;
    unsigned element_bytes = value->quant.kind == SL_XNN_QUANT_PER_CHANNEL ? 4 : 2;
    if (buffer != 0) {
        value->quant.scale_count = count;
        read_data(reader, buffer, (uint64_t)count * element_bytes, params->at,
                  &value->quant.scale_data);
        return;
    }
    struct sl_flatbuf_vector inline_scales = sl_flatbuf_vector(fb, params, CHANNEL_SCALE, 4);
    float *scales = sl_flatbuf_alloc(fb, inline_scales.count, sizeof(*scales));
    for (uint32_t i = 0; scales && i < inline_scales.count; i++)
        scales[i] = sl_load_f32(fb->data + inline_scales.at + 4 * (size_t)i);
    value->quant.scale_count = inline_scales.count;
    value->quant.scales = scales;
}

static void check_channel(struct sl_flatbuf *fb, const struct sl_flatbuf_table *params,
                          const struct sl_xnn_value *value)
{
    int32_t dim = value->quant.channel_dim;
    if (fb->error != 0)
        return;
    if (dim < 0 || (uint32_t)dim >= value->rank) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, params->at,
                        "value %" PRIu32 " has scales along dimension %" PRId32 " of %" PRIu32,
                        value->id, dim, value->rank);
        return;
    }
    if (value->quant.kind == SL_XNN_QUANT_PER_CHANNEL &&
        value->quant.scale_count != value->dims[dim])
        sl_flatbuf_fail(fb, SL_E_FORMAT, params->at,
                        "value %" PRIu32 " has %" PRIu32 " scales for %" PRIu32 " channels",
                        value->id, value->quant.scale_count, value->dims[dim]);
}

static void check_groups(struct sl_flatbuf *fb, const struct sl_flatbuf_table *params,
                         const struct sl_xnn_value *value)
{
    uint32_t size = value->quant.group_size;
    if (fb->error != 0)
        return;
    if (value->rank != 2 || size == 0 || size % 32 != 0 || value->dims[1] % size != 0 ||
        value->quant.scale_count != (uint64_t)value->dims[0] * (value->dims[1] / size))
        sl_flatbuf_fail(fb, SL_E_FORMAT, params->at,
                        "value %" PRIu32 " has %" PRIu32 " scales for groups of %" PRIu32
                        ", which does not fit its shape",
                        value->id, value->quant.scale_count, size);
}

static void read_quant(struct reader *reader, const struct sl_flatbuf_table *table,
                       struct sl_xnn_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table params =
        sl_flatbuf_child(fb, table, QUANTIZED_PARAMS, "quantization parameters");
    int kind = sl_flatbuf_u8(fb, table, QUANTIZED_TYPE, 0);
    value->quant.kind = kind;
    if (fb->error == 0 && (params.at == 0 || kind < SL_XNN_QUANT_PER_CHANNEL ||
                           kind > SL_XNN_QUANT_PER_CHANNEL_GROUP))
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "value %" PRIu32 " has quantization parameters of unknown kind %d",
                        value->id, kind);
    if (kind == SL_XNN_QUANT_PER_TENSOR) {
        value->quant.scale = sl_flatbuf_f32(fb, &params, 0, 0);
        value->quant.zero_point = sl_flatbuf_i32(fb, &params, 1, 0);
    } else if (kind == SL_XNN_QUANT_PER_TOKEN) {
        value->quant.nonbatch_dims = sl_flatbuf_u32(fb, &params, 0, 0);
        if (fb->error == 0 && value->quant.nonbatch_dims > value->rank)
            sl_flatbuf_fail(fb, SL_E_FORMAT, params.at,
                            "value %" PRIu32 " of rank %" PRIu32 " shares scales over %" PRIu32
                            " dimensions",
                            value->id, value->rank, value->quant.nonbatch_dims);
    } else if (kind == SL_XNN_QUANT_PER_CHANNEL) {
        value->quant.channel_dim = sl_flatbuf_i32(fb, &params, CHANNEL_DIM, 0);
        read_scales(reader, &params, value, sl_flatbuf_u32(fb, &params, CHANNEL_BUFFER, 0),
                    sl_flatbuf_u32(fb, &params, CHANNEL_COUNT, 0));
        check_channel(fb, &params, value);
    } else {
        value->quant.channel_dim = sl_flatbuf_i32(fb, &params, CHANNEL_DIM, 0);
        value->quant.group_size = sl_flatbuf_u32(fb, &params, GROUP_SIZE, 0);
        read_scales(reader, &params, value, sl_flatbuf_u32(fb, &params, GROUP_BUFFER, 0),
                    sl_flatbuf_u32(fb, &params, GROUP_COUNT, 0));
        check_channel(fb, &params, value);
        check_groups(fb, &params, value);
    }
}

/* `at` is where the offset of the value's content is. */
static void read_quantized(struct reader *reader, uint64_t at, struct sl_xnn_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table content = sl_flatbuf_root(fb, at, "XNNQuantizedTensorValue");
    const uint8_t *field = sl_flatbuf_field(fb, &content, QUANTIZED_TENSOR, 4);
    struct sl_flatbuf_record tensor = {0};
    if (field)
        tensor = sl_flatbuf_record_at(fb, (uint64_t)(field - fb->data), &tensor_kind,
                                      &reader->of_tensor);
    if (!tensor.data) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, at, "a value has unknown kind %d or no content",
                        XVALUE_QUANTIZED);
        return;
    }
    read_tensor(reader, &tensor, value);
    if (fb->error == 0)
        read_quant(reader, &content, value);
}

static void read_value(struct reader *reader, const struct sl_flatbuf_record *from,
                       struct sl_xnn_value *value)
{
    struct sl_flatbuf *fb = &reader->fb;
    int type = sl_flatbuf_record_u8(from, XVALUE_TYPE);
    unsigned field = from->layout->at[XVALUE_CONTENT];
    uint64_t at = (uint64_t)from->at + field;
    if (field == 0 || (type != XVALUE_TENSOR && type != XVALUE_QUANTIZED)) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, from->at, "a value has unknown kind %d or no content",
                        type);
        return;
    }
    if (type == XVALUE_QUANTIZED) {
        read_quantized(reader, at, value);
        return;
    }
    struct sl_flatbuf_record tensor =
        sl_flatbuf_record_at(fb, at, &tensor_kind, &reader->of_tensor);
    if (tensor.data)
        read_tensor(reader, &tensor, value);
}

/* No two values may claim one argument of the delegate's call. */
static void check_externals(struct sl_flatbuf *fb, const struct sl_xnn_value *values,
                            uint32_t count, uint32_t at)
{
    uint8_t seen[SL_XNN_MAX_EXTERNS / 8] = {0};
    for (uint32_t i = 0; i < count && fb->error == 0; i++) {
        uint32_t external = values[i].external_id;
        if (external == SL_XNN_NO_ID)
            continue;
        if ((seen[external / 8] >> external % 8 & 1) != 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, at, "two values are external value %" PRIu32,
                            external);
        seen[external / 8] |= (uint8_t)(1 << external % 8);
    }
}

static int compare_ids(const void *left, const void *right)
{
    const struct sl_xnn_value *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static void read_values(struct reader *reader, const struct sl_flatbuf_table *table)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, GRAPH_VALUES, 4);
    struct sl_xnn_value *values = sl_flatbuf_alloc(fb, vector.count, sizeof(*values));
    bool sorted = true;
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_record value =
            sl_flatbuf_record_at(fb, vector.at + 4 * (uint64_t)i, &value_kind, &reader->of_value);
        if (value.data)
            read_value(reader, &value, &values[i]);
        sorted = sorted && (i == 0 || values[i - 1].id < values[i].id);
    }
    check_externals(fb, values, vector.count, vector.at);
    if (fb->error != 0)
        return;
    if (!sorted)
        qsort(values, vector.count, sizeof(*values), compare_ids);
    for (uint32_t i = 1; i < vector.count; i++) {
        if (values[i - 1].id == values[i].id)
            sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at, "two values have the id %" PRIu32,
                            values[i].id);
    }
    reader->graph->values = values;
    reader->graph->value_count = vector.count;
}

/* Slots of the schema's tables. */
enum { GRAPH_NODES = 1 };
enum { XNODE_TYPE = 0, XNODE_CONTENT = 1, XNODE_DEBUG_HANDLE = 2, XNODE_MIN_MAX = 3 };

/* The slots of a node's table for the fields that all nodes have. */
struct form {
    uint8_t input_count, inputs[6]; /* slots */
    uint8_t optional;               /* bit i: input i may be absent */
    uint8_t output_count, outputs[2];
    uint8_t flags;
    void (*read_rest)(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node); /* NULL: nothing more */
};

/* The window's numbers are the table's first, in its order. */
static void read_numbers(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         struct sl_xnn_node *node, unsigned count)
{
    uint32_t numbers[sizeof(node->window) / sizeof(uint32_t)] = {0};
    for (unsigned slot = 0; slot < count; slot++)
        numbers[slot] = sl_flatbuf_fast_u32(fb, table, slot, 0);
    memcpy(&node->window, numbers, sizeof(numbers));
}

static void read_window(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_xnn_node *node)
{
    read_numbers(fb, table, node, 6);
}

static void read_pool(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    read_numbers(fb, table, node, 10);
}

static void read_conv(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    read_numbers(fb, table, node, 15);
}

static void read_axis(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    node->axis = sl_flatbuf_u32(fb, table, 0, 0);
}

static void read_slope(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_xnn_node *node)
{
    node->alpha = sl_flatbuf_f32(fb, table, 0, 0);
}

/* A vector with one number for each dimension. */
static uint32_t read_params(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                            unsigned slot, uint32_t *params)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, slot, 4);
    if (fb->error == 0 && vector.count > SL_XNN_MAX_RANK)
        sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at,
                        "a node has parameters for %" PRIu32 " dimensions, more than %d",
                        vector.count, SL_XNN_MAX_RANK);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++)
        params[i] = sl_load_u32(fb->data + vector.at + 4 * i);
    return vector.count;
}

static void expect_count(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         uint32_t count, uint32_t expected)
{
    if (fb->error == 0 && count != expected)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a node for %" PRIu32 " dimensions has %" PRIu32 " parameters", expected,
                        count);
}

static void read_reshape(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         struct sl_xnn_node *node)
{
    node->param_count = read_params(fb, table, 1, node->params);
    expect_count(fb, table, node->param_count, sl_flatbuf_u32(fb, table, 0, 0));
}

static void read_transpose(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                           struct sl_xnn_node *node)
{
    uint32_t seen = 0;
    read_reshape(fb, table, node);
    for (uint32_t i = 0; i < node->param_count && fb->error == 0; i++) {
        uint32_t dim = node->params[i];
        if (dim >= node->param_count || (seen >> dim & 1) != 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a transpose is not a permutation");
        else
            seen |= 1u << dim;
    }
}

static void read_slice(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_xnn_node *node)
{
    read_reshape(fb, table, node);
    expect_count(fb, table, read_params(fb, table, 2, node->params2), node->param_count);
}

static void read_pad(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                     struct sl_xnn_node *node)
{
    node->param_count = read_params(fb, table, 0, node->params);
    expect_count(fb, table, read_params(fb, table, 1, node->params2), node->param_count);
    node->alpha = sl_flatbuf_f32(fb, table, 2, 0);
}

static void read_resize(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_xnn_node *node)
{
    node->param_count = 2;
    node->params[0] = sl_flatbuf_u32(fb, table, 0, 0);
    node->params[1] = sl_flatbuf_u32(fb, table, 1, 0);
}

static const struct form one = {1, {0}, 0, 1, {1}, 2, NULL};
static const struct form two = {2, {0, 1}, 0, 1, {2}, 3, NULL};
static const struct form cat2 = {2, {1, 2}, 0, 1, {5}, 6, read_axis};
static const struct form cat3 = {3, {1, 2, 3}, 0, 1, {5}, 6, read_axis};
static const struct form cat4 = {4, {1, 2, 3, 4}, 0, 1, {5}, 6, read_axis};
static const struct form cat5 = {5, {1, 2, 3, 4, 7}, 0, 1, {5}, 6, read_axis};
static const struct form conv = {3, {15, 16, 17}, 1 << 2, 1, {18}, 19, read_conv};
static const struct form pool = {1, {10}, 0, 1, {11}, 12, read_pool};
static const struct form argmax = {1, {6}, 0, 2, {7, 8}, 9, read_window};
static const struct form linear = {3, {0, 1, 2}, 1 << 2, 1, {3}, 4, NULL};
static const struct form transpose = {1, {2}, 0, 1, {3}, 4, read_transpose};
static const struct form resize = {1, {2}, 0, 1, {3}, 4, read_resize};
static const struct form pad = {1, {3}, 0, 1, {4}, 5, read_pad};
static const struct form reshape = {1, {2}, 0, 1, {3}, 4, read_reshape};
static const struct form slice = {1, {3}, 0, 1, {4}, 5, read_slice};
static const struct form slope = {1, {1}, 0, 1, {2}, 3, read_slope};
static const struct form attention = {5, {0, 1, 2, 3, 4}, 1 << 3 | 1 << 4, 1, {5}, 6, NULL};

static const struct {
    const char *name;
    const struct form *form;
} node_types[SL_XNN_NODE_TYPE_END] = {
    [SL_XNN_ADD] = {"Add", &two},
    [SL_XNN_FULLY_CONNECTED] = {"FullyConnected", &linear},
    [SL_XNN_SOFTMAX] = {"Softmax", &one},
    [SL_XNN_SIGMOID] = {"Sigmoid", &one},
    [SL_XNN_STATIC_TRANSPOSE] = {"StaticTranspose", &transpose},
    [SL_XNN_CLAMP] = {"Clamp", &one},
    [SL_XNN_CONV2D] = {"Conv2d", &conv},
    [SL_XNN_DIV] = {"Div", &two},
    [SL_XNN_STATIC_RESIZE_BILINEAR_2D] = {"StaticResizeBilinear2D", &resize},
    [SL_XNN_STATIC_CONSTANT_PAD] = {"StaticConstantPad", &pad},
    [SL_XNN_AVG_POOLING_2D] = {"AvgPooling2d", &pool},
    [SL_XNN_MINIMUM] = {"Minimum", &two},
    [SL_XNN_DEPTHWISE_CONV2D] = {"DepthwiseConv2d", &conv},
    [SL_XNN_MAX_POOLING_2D] = {"MaxPooling2d", &pool},
    [SL_XNN_MULTIPLY] = {"Multiply", &two},
    [SL_XNN_SUBTRACT] = {"Subtract", &two},
    [SL_XNN_FLOOR] = {"Floor", &one},
    [SL_XNN_CONVERT] = {"Convert", &one},
    [SL_XNN_GLOBAL_AVG_POOLING_2D] = {"GlobalAvgPooling2d", &one},
    [SL_XNN_STATIC_RESHAPE] = {"StaticReshape", &reshape},
    [SL_XNN_ARG_MAX_POOLING_2D] = {"ArgMaxPooling2d", &argmax},
    [SL_XNN_SQUARE_ROOT] = {"SquareRoot", &one},
    [SL_XNN_CEILING] = {"Ceiling", &one},
    [SL_XNN_HARDSWISH] = {"Hardswish", &one},
    [SL_XNN_LEAKY_RELU] = {"LeakyReLU", &slope},
    [SL_XNN_MAXIMUM] = {"Maximum", &two},
    [SL_XNN_NEGATE] = {"Negate", &one},
    [SL_XNN_SQUARE] = {"Square", &one},
    [SL_XNN_ELU] = {"ELU", &slope},
    [SL_XNN_ABS] = {"Abs", &one},
    [SL_XNN_PRELU] = {"PReLU", &two},
    [SL_XNN_CONCATENATE2] = {"Concatenate2", &cat2},
    [SL_XNN_CONCATENATE3] = {"Concatenate3", &cat3},
    [SL_XNN_CONCATENATE4] = {"Concatenate4", &cat4},
    [SL_XNN_STATIC_SLICE] = {"StaticSlice", &slice},
    [SL_XNN_SCALED_DOT_PRODUCT_ATTENTION] = {"ScaledDotProductAttention", &attention},
    [SL_XNN_BATCH_MATRIX_MULTIPLY] = {"BatchMatrixMultiply", &two},
    [SL_XNN_CONCATENATE5] = {"Concatenate5", &cat5},
    [SL_XNN_CONV_TRANSPOSE_2D] = {"ConvTranspose2d", &conv},
    [SL_XNN_RECIPROCAL_SQUARE_ROOT] = {"ReciprocalSquareRoot", &one},
    [SL_XNN_LOG] = {"Log", &one},
    [SL_XNN_GELU] = {"Gelu", &one},
    [SL_XNN_TANH] = {"Tanh", &one},
    [SL_XNN_EXP] = {"Exp", &one},
    [SL_XNN_SIN] = {"Sin", &one},
    [SL_XNN_COPY] = {"Copy", &one},
    [SL_XNN_COS] = {"Cos", &one},
};

const char *sl_xnn_node_name(int type)
{
    bool known = type > 0 && type < SL_XNN_NODE_TYPE_END && node_types[type].name;
    return known ? node_types[type].name : "?";
}

/* The value id in `slot`, checked. */
static uint32_t read_id(struct reader *reader, const struct sl_flatbuf_table *table, unsigned slot,
                        bool optional)
{
    struct sl_flatbuf *fb = &reader->fb;
    uint32_t id = sl_flatbuf_u32(fb, table, slot, 0);
    bool absent = optional && id == SL_XNN_NO_ID;
    if (fb->error == 0 && !absent && !sl_xnn_find_value(reader->graph, id))
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a %s node refers to value %" PRIu32 ", which is not defined", table->name,
                        id);
    return id;
}

static void read_node(struct reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    struct sl_flatbuf *fb = &reader->fb;
    node->type = sl_flatbuf_u8(fb, table, XNODE_TYPE, 0);
    struct sl_flatbuf_table content =
        sl_flatbuf_child(fb, table, XNODE_CONTENT, sl_xnn_node_name(node->type));
    if (fb->error == 0 && (node->type == 0 || node->type >= SL_XNN_NODE_TYPE_END))
        sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, table->at, "a node has unknown kind %d", node->type);
    else if (fb->error == 0 && content.at == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a node has no content");
    if (fb->error != 0)
        return;
    const struct form *form = node_types[node->type].form;
    node->input_count = form->input_count;
    for (unsigned i = 0; i < form->input_count; i++)
        node->inputs[i] =
            read_id(reader, &content, form->inputs[i], (form->optional >> i & 1) != 0);
    node->output_count = form->output_count;
    for (unsigned i = 0; i < form->output_count; i++)
        node->outputs[i] = read_id(reader, &content, form->outputs[i], false);
    node->flags = sl_flatbuf_u32(fb, &content, form->flags, 0);
    if (form->read_rest)
        form->read_rest(fb, &content, node);
    node->debug_handle = sl_flatbuf_u32(fb, table, XNODE_DEBUG_HANDLE, 0);
    struct sl_flatbuf_table range = sl_flatbuf_child(fb, table, XNODE_MIN_MAX, "OutputMinMax");
    /* A bound that a present table leaves out is 0; without the table there is none. */
    node->output_min = sl_flatbuf_f32(fb, &range, 0, range.at != 0 ? 0 : -INFINITY);
    node->output_max = sl_flatbuf_f32(fb, &range, 1, range.at != 0 ? 0 : INFINITY);
    if (fb->error == 0 && !(node->output_min <= node->output_max))
        sl_flatbuf_fail(fb, SL_E_FORMAT, range.at, "a node clamps its output to an empty range");
}

static void read_nodes(struct reader *reader, const struct sl_flatbuf_table *table)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, GRAPH_NODES, 4);
    struct sl_xnn_node *nodes = sl_flatbuf_alloc(fb, vector.count, sizeof(*nodes));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "XNode");
        nodes[i].index = i;
        read_node(reader, &element, &nodes[i]);
    }
    reader->graph->nodes = nodes;
    reader->graph->node_count = vector.count;
}

/* Slots of table XNNGraph. */
enum { GRAPH_EXTERNS = 3, GRAPH_CONSTANT_BUFFER = 6, GRAPH_CONSTANT_DATA = 8 };

enum { HEADER_BYTES = 30, IDENTIFIER_AT = 4 };

/* An unaliased graph needs about five times its size in our arrays. */
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

/* Narrows `fb` to the flatbuffer and finds the constant region. Blobs without our header are the
 * bare flatbuffer of old exporters. */
static int read_header(struct reader *reader, struct sl_bytes blob)
{
    struct sl_flatbuf *fb = &reader->fb;
    fb->data = blob.data;
    fb->size = blob.size;
    if (blob.size < HEADER_BYTES)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, 0,
                               "a delegate blob of %zu bytes has no room for its header",
                               blob.size);
    if (memcmp(blob.data + IDENTIFIER_AT, "XH00", 4) == 0) {
        uint32_t offset = sl_load_u32(blob.data + 10);
        uint32_t size = sl_load_u32(blob.data + 14);
        uint32_t constants = sl_load_u32(blob.data + 18);
        uint64_t constants_size = sl_load_u64(blob.data + 22);
        if (size < 8 || !sl_range_ok(offset, size, blob.size) ||
            !sl_range_ok(constants, constants_size, blob.size) ||
            constants < (uint64_t)offset + size)
            return sl_flatbuf_fail(
                fb, SL_E_FORMAT, 10,
                "the parts that the header names lie outside the blob or overlap");
        reader->constants = (struct sl_bytes){blob.data + constants, (size_t)constants_size};
        fb->data = blob.data + offset;
        fb->size = size;
        fb->origin = offset;
    }
    const uint8_t *id = fb->data + IDENTIFIER_AT;
    if (memcmp(id, "XN00", 4) != 0 && memcmp(id, "XN01", 4) != 0)
        return sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, IDENTIFIER_AT,
                               "not an XNNPACK graph we know: the identifier is not XN00 or XN01");
    if (fb->size > SL_FLATBUF_MAX_BYTES)
        return sl_flatbuf_fail(fb, SL_E_LIMIT, 0, "the graph is larger than 2 GiB");
    return 0;
}

static void read_graph(struct reader *reader)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table table = sl_flatbuf_root(fb, 0, "XNNGraph");
    reader->extern_count = sl_flatbuf_u32(fb, &table, GRAPH_EXTERNS, 0);
    if (fb->error == 0 && reader->extern_count > SL_XNN_MAX_EXTERNS)
        sl_flatbuf_fail(fb, SL_E_LIMIT, table.at,
                        "the graph has %" PRIu32 " inputs and outputs, more than %d",
                        reader->extern_count, SL_XNN_MAX_EXTERNS);
    reader->graph->extern_count = reader->extern_count;
    reader->constant_data = sl_flatbuf_vector(fb, &table, GRAPH_CONSTANT_DATA, 4);
    reader->constant_buffer = sl_flatbuf_vector(fb, &table, GRAPH_CONSTANT_BUFFER, 4);
    read_values(reader, &table);
    read_nodes(reader, &table);
}

int sl_xnn_graph_parse(struct sl_bytes blob, struct sl_xnn_graph *out, struct sl_diag *diag)
{
    struct sl_xnn_graph graph = {0};
    struct reader reader = {.fb = {.diag = diag}, .graph = &graph};
    int rc = read_header(&reader, blob);
    if (rc < 0)
        return rc;
    graph.pool = sl_arena_new(reader.fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
    if (!graph.pool)
        return -ENOMEM;
    reader.fb.pool = graph.pool;
    read_graph(&reader);
    if (reader.fb.error == 0)
        *out = graph;
    else
        sl_xnn_graph_fini(&graph);
    return reader.fb.error;
}

void sl_xnn_graph_fini(struct sl_xnn_graph *graph)
{
    sl_arena_free(graph->pool);
    *graph = (struct sl_xnn_graph){0};
}

const struct sl_xnn_value *sl_xnn_find_value(const struct sl_xnn_graph *graph, uint32_t id)
{
    if (id < graph->value_count && graph->values[id].id == id)
        return &graph->values[id]; /* as exporters number them */
    uint32_t low = 0, high = graph->value_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->values[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->value_count && graph->values[low].id == id ? &graph->values[low] : NULL;
}

const char *sl_xnn_datatype_name(int datatype)
{
    static const char *const names[] = {
        [SL_XNN_FP32] = "fp32",       [SL_XNN_FP16] = "fp16",     [SL_XNN_QINT8] = "qint8",
        [SL_XNN_QUINT8] = "quint8",   [SL_XNN_QINT32] = "qint32", [SL_XNN_QCINT8] = "qcint8",
        [SL_XNN_QCINT32] = "qcint32", [SL_XNN_QCINT4] = "qcint4", [SL_XNN_QDINT8] = "qdint8",
        [SL_XNN_QBINT4] = "qbint4",   [SL_XNN_QPINT8] = "qpint8", [SL_XNN_INT32] = "int32",
        [SL_XNN_PFP32] = "pfp32",     [SL_XNN_BF16] = "bf16",
    };
    return datatype >= SL_XNN_FP32 && datatype <= SL_XNN_BF16 ? names[datatype] : "?";
}

size_t sl_xnn_datatype_size(int datatype)
{
    switch (datatype) {
    case SL_XNN_FP32:
    case SL_XNN_QINT32:
    case SL_XNN_QCINT32:
    case SL_XNN_INT32:
    case SL_XNN_PFP32:
        return 4;
    case SL_XNN_FP16:
    case SL_XNN_BF16:
        return 2;
    case SL_XNN_QINT8:
    case SL_XNN_QUINT8:
    case SL_XNN_QCINT8:
    case SL_XNN_QDINT8:
    case SL_XNN_QPINT8:
        return 1;
    default:
        return 0;
    }
}

uint64_t sl_xnn_value_bytes(const struct sl_xnn_value *value)
{
    uint64_t size = sl_xnn_datatype_size(value->datatype);
    uint64_t bytes = size != 0 ? size : 1;
    for (uint32_t i = 0; i < value->rank; i++) {
        uint64_t dim = value->dims[i];
        if (size == 0 && i + 1 == value->rank)
            dim = dim / 2 + dim % 2; /* two 4-bit values in a byte; each row is whole bytes */
        bytes *= dim;
    }
    return bytes;
}
