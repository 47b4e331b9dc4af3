/* common/format/xnn_value.c: the values of an XNNPACK graph. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/error.h"
#include "common/format/xnn_parts.h"

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
static void read_place(struct sl_xnn_reader *reader, uint32_t index, struct sl_xnn_data *data)
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
static void read_data(struct sl_xnn_reader *reader, uint32_t index, uint64_t needed, uint64_t at,
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
        over |= product > INT64_MAX;
    }
    if (over)
        sl_flatbuf_fail(fb, SL_E_FORMAT, dims.at,
                        "a value's dimensions multiply to more than can be");
    value->rank = dims.count;
}

static void read_external(struct sl_xnn_reader *reader, const struct sl_flatbuf_record *tensor,
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

static void read_tensor(struct sl_xnn_reader *reader, const struct sl_flatbuf_record *tensor,
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
static void read_scales(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *params,
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

static void read_quant(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table,
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
static void read_quantized(struct sl_xnn_reader *reader, uint64_t at, struct sl_xnn_value *value)
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

static void read_value(struct sl_xnn_reader *reader, const struct sl_flatbuf_record *from,
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

void sl_xnn_read_values(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table)
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
