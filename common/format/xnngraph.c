/* common/format/xnngraph.c: the blob's header and the graph as a whole. */
#include "common/format/xnngraph.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/pool.h"
#include "common/format/xnn_parts.h"

/* Slots of table XNNGraph. */
enum { GRAPH_EXTERNS = 3, GRAPH_CONSTANT_BUFFER = 6, GRAPH_CONSTANT_DATA = 8 };

enum { HEADER_BYTES = 30, IDENTIFIER_AT = 4 };

/* An unaliased graph needs about five times its size in our arrays. */
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

/* Narrows `fb` to the flatbuffer and finds the constant region. Blobs without our header are the
 * bare flatbuffer of old exporters. */
static int read_header(struct sl_xnn_reader *reader, struct sl_bytes blob)
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

static void read_graph(struct sl_xnn_reader *reader)
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
    sl_xnn_read_values(reader, &table);
    sl_xnn_read_nodes(reader, &table);
}

int sl_xnn_graph_parse(struct sl_bytes blob, struct sl_xnn_graph *out, struct sl_diag *diag)
{
    struct sl_xnn_graph graph = {0};
    struct sl_xnn_reader reader = {.fb = {.diag = diag}, .graph = &graph};
    int rc = read_header(&reader, blob);
    if (rc < 0)
        return rc;
    graph.pool = sl_pool_new(reader.fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
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
    sl_pool_free(graph->pool);
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
