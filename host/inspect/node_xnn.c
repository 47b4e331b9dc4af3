/* host/inspect/node_xnn.c: nodes of an XNNPACK graph: shapes, multiply-accumulates, bytes. */
#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/saturate.h"
#include "common/format/xnngraph.h"
#include "host/inspect/build.h"

static uint64_t count_of(const struct sl_xnn_value *value)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < value->rank; i++)
        count = sl_times(count, value->dims[i]);
    return count;
}

/* Dimension `back` from the innermost; 1 outside the rank. */
static uint64_t dim_back(const struct sl_xnn_value *value, uint32_t back)
{
    return back < value->rank ? value->dims[value->rank - 1 - back] : 1;
}

static void add_dims(struct sl_dims *dims, const struct sl_xnn_value *value)
{
    for (uint32_t i = 0; i < value->rank || i == 0; i++)
        sl_dims_add(dims, value->rank == 0 ? 1 : value->dims[i]);
}

/* Biases are left out: they tell nothing. */
static bool is_bias(const struct sl_xnn_node *node, uint32_t i)
{
    return i == 2 &&
           (node->type == SL_XNN_CONV2D || node->type == SL_XNN_DEPTHWISE_CONV2D ||
            node->type == SL_XNN_CONV_TRANSPOSE_2D || node->type == SL_XNN_FULLY_CONNECTED);
}

static void list_operands(const struct sl_xnn_graph *graph, const struct sl_xnn_node *from,
                          struct sl_operands *operands)
{
    struct sl_dims beyond = {0};
    for (uint32_t i = 0; i < from->input_count; i++) {
        const struct sl_xnn_value *value = sl_xnn_find_value(graph, from->inputs[i]);
        if (value && !is_bias(from, i))
            add_dims(sl_operands_add(operands, &beyond), value);
    }
    if (from->type == SL_XNN_MAX_POOLING_2D || from->type == SL_XNN_AVG_POOLING_2D) {
        struct sl_dims *window = sl_operands_add(operands, &beyond);
        sl_dims_add(window, from->window.kernel_height);
        sl_dims_add(window, from->window.kernel_width);
    }
    const struct sl_xnn_value *out = sl_xnn_find_value(graph, from->outputs[0]);
    if (out)
        add_dims(&operands->out, out);
}

static void set_work(struct sl_inspect_node *node, int work, uint64_t m, uint64_t n, uint64_t k)
{
    node->work = work;
    node->m = m;
    node->n = n;
    node->k = k;
}

/* Batch products: the right matrix is [.., k, n]; its n is the output's. */
static void measure_product(const struct sl_xnn_node *from, const struct sl_xnn_value *in,
                            const struct sl_xnn_value *out, struct sl_inspect_node *node)
{
    uint64_t n = dim_back(out, 0), m = dim_back(out, 1), count = count_of(out);
    uint64_t k = dim_back(in, (from->flags & SL_XNN_FLAG_TRANSPOSE_A) != 0 ? 1 : 0);
    if (from->type == SL_XNN_FULLY_CONNECTED)
        m = n != 0 ? count / n : 0;
    set_work(node, SL_WORK_PRODUCT, m, n, k);
    node->batch = sl_times(m, n) != 0 ? count / sl_times(m, n) : 0;
}

static void measure_window(const struct sl_xnn_node *from, const struct sl_xnn_value *in,
                           const struct sl_xnn_value *out, struct sl_inspect_node *node)
{
    const struct sl_xnn_window *w = &from->window;
    uint64_t taps = sl_times(w->kernel_height, w->kernel_width), n = dim_back(out, 0);
    uint64_t pixels = n != 0 ? count_of(out) / n : 0;
    if (from->type == SL_XNN_DEPTHWISE_CONV2D) {
        set_work(node, SL_WORK_DEPTHWISE, pixels, n, taps);
    } else if (from->type == SL_XNN_CONV_TRANSPOSE_2D) {
        uint64_t channels = dim_back(in, 0);
        set_work(node, SL_WORK_OTHER, channels != 0 ? count_of(in) / channels : 0,
                 sl_times(taps, w->group_output_channels), w->group_input_channels);
    } else {
        set_work(node, SL_WORK_WINDOW, pixels, w->group_output_channels,
                 sl_times(taps, w->group_input_channels));
        node->batch = w->groups;
        node->taps = w->kernel_height;
        if (taps == 1 && w->groups == 1 && w->stride_height == 1 && w->stride_width == 1)
            node->work = SL_WORK_PRODUCT;
    }
}

static void measure(const struct sl_xnn_graph *graph, const struct sl_xnn_node *from,
                    struct sl_inspect_node *node)
{
    const struct sl_xnn_value *in = sl_xnn_find_value(graph, from->inputs[0]);
    const struct sl_xnn_value *out = sl_xnn_find_value(graph, from->outputs[0]);
    if (!in || !out)
        return;
    switch (from->type) {
    case SL_XNN_FULLY_CONNECTED:
    case SL_XNN_BATCH_MATRIX_MULTIPLY:
        measure_product(from, in, out, node);
        break;
    case SL_XNN_CONV2D:
    case SL_XNN_DEPTHWISE_CONV2D:
    case SL_XNN_CONV_TRANSPOSE_2D:
        measure_window(from, in, out, node);
        break;
    case SL_XNN_MAX_POOLING_2D:
    case SL_XNN_AVG_POOLING_2D:
        set_work(node, SL_WORK_DEPTHWISE, dim_back(out, 0) ? count_of(out) / dim_back(out, 0) : 0,
                 dim_back(out, 0), sl_times(from->window.kernel_height, from->window.kernel_width));
        break;
    case SL_XNN_GLOBAL_AVG_POOLING_2D:
        set_work(node, SL_WORK_FOLD, dim_back(in, 3), dim_back(in, 0),
                 sl_times(dim_back(in, 1), dim_back(in, 2)));
        break;
    case SL_XNN_SOFTMAX:
        set_work(node, SL_WORK_FOLD, dim_back(in, 0) ? count_of(in) / dim_back(in, 0) : 0, 1,
                 dim_back(in, 0));
        break;
    case SL_XNN_STATIC_TRANSPOSE:
        set_work(node, SL_WORK_ELEMENTS, dim_back(out, 0) ? count_of(out) / dim_back(out, 0) : 0,
                 dim_back(out, 0), 1);
        break;
    case SL_XNN_CONVERT:
        set_work(node, SL_WORK_ELEMENTS, 1, count_of(in), 1);
        break;
    default:
        set_work(node, SL_WORK_ELEMENTS, 1, count_of(out), 1);
    }
}

/* The type that tells most: of the weights where they are narrower than the input. */
static const char *type_of(const struct sl_xnn_graph *graph, const struct sl_xnn_node *from)
{
    const struct sl_xnn_value *in = sl_xnn_find_value(graph, from->inputs[0]);
    const struct sl_xnn_value *out = sl_xnn_find_value(graph, from->outputs[0]);
    const struct sl_xnn_value *weights =
        from->input_count > 1 ? sl_xnn_find_value(graph, from->inputs[1]) : NULL;
    if (in && in->datatype == SL_XNN_QDINT8 && weights)
        return weights->datatype == SL_XNN_QCINT4   ? "qd8*qc4"
               : weights->datatype == SL_XNN_QBINT4 ? "qd8*qb4"
                                                    : "qd8*qc8";
    if (from->type == SL_XNN_CONVERT && out)
        return out->datatype == SL_XNN_QDINT8 ? "to qd8" : sl_xnn_datatype_name(out->datatype);
    return in ? sl_xnn_datatype_name(in->datatype) : "?";
}

static void add_bytes(const struct sl_xnn_graph *graph, const struct sl_xnn_node *from,
                      struct sl_inspect_node *node)
{
    for (uint32_t i = 0; i < from->input_count; i++) {
        const struct sl_xnn_value *value = sl_xnn_find_value(graph, from->inputs[i]);
        if (!value)
            continue;
        uint64_t *sum =
            value->data.source == SL_XNN_DATA_NONE ? &node->in_bytes : &node->weight_bytes;
        *sum = sl_plus(*sum, sl_xnn_value_bytes(value));
    }
    for (uint32_t i = 0; i < from->output_count; i++) {
        const struct sl_xnn_value *value = sl_xnn_find_value(graph, from->outputs[i]);
        node->out_bytes = sl_plus(node->out_bytes, value ? sl_xnn_value_bytes(value) : 0);
    }
}

/* Who wrote each value of the graph, by its place in the table. */
struct writers {
    const struct sl_xnn_graph *graph;
    uint32_t *of;
};

static uint32_t *writer_of(const struct writers *writers, uint32_t id)
{
    const struct sl_xnn_value *value = sl_xnn_find_value(writers->graph, id);
    return value ? &writers->of[value - writers->graph->values] : NULL;
}

static int add_node(struct sl_inspect_build *b, const struct sl_pte_instruction *instruction,
                    const struct writers *writers, const struct sl_xnn_node *from,
                    struct sl_diag *diag)
{
    struct sl_inspect_node *node;
    int rc = sl_inspect_add(b, &node, diag);
    if (rc < 0)
        return rc;
    uint32_t self = b->inspect->node_count - 1;
    node->delegate = (int32_t)instruction->index;
    node->index = from->index;
    node->kind = sl_xnn_node_name(from->type);
    node->type = type_of(writers->graph, from);
    list_operands(writers->graph, from, &node->operands);
    sl_inspect_describe(node, (from->flags & SL_XNN_FLAG_TRANSPOSE_A) != 0);
    measure(writers->graph, from, node);
    add_bytes(writers->graph, from, node);
    for (uint32_t i = 0; i < from->input_count; i++) {
        const uint32_t *writer = writer_of(writers, from->inputs[i]);
        if (writer)
            sl_inspect_link(node, *writer);
    }
    for (uint32_t i = 0; i < from->output_count; i++) {
        uint32_t *writer = writer_of(writers, from->outputs[i]);
        if (writer)
            *writer = self;
    }
    return 0;
}

/* External values take their writers from the call's arguments, or give them back. */
static void join_externals(struct sl_inspect_build *b, const struct sl_pte_instruction *call,
                           const struct writers *writers, bool before)
{
    for (uint32_t i = 0; i < writers->graph->value_count; i++) {
        const struct sl_xnn_value *value = &writers->graph->values[i];
        if (before)
            writers->of[i] = SL_INSPECT_NO_NODE;
        if (value->external_id >= call->arg_count)
            continue;
        uint32_t argument = call->args[value->external_id];
        if (before && value->external_input)
            writers->of[i] = b->writer[argument];
        else if (!before && value->external_output)
            b->writer[argument] = writers->of[i];
    }
}

int sl_inspect_graph(struct sl_inspect_build *b, const struct sl_pte_instruction *instruction,
                     const struct sl_xnn_graph *graph, struct sl_diag *diag)
{
    struct writers writers = {graph, sl_malloc(graph->value_count, sizeof(uint32_t))};
    int rc = 0;
    if (!writers.of)
        return sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
    join_externals(b, instruction, &writers, true);
    for (uint32_t i = 0; i < graph->node_count && rc == 0; i++)
        rc = add_node(b, instruction, &writers, &graph->nodes[i], diag);
    join_externals(b, instruction, &writers, false);
    sl_free(writers.of);
    return rc;
}
