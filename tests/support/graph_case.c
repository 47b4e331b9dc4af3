/* tests/support/graph_case.c */
#include "tests/support/graph_case.h"
#include "agent/runtime/xnn/delegate.h"

#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/test.h"

struct sl_graph_case sl_graph;

void sl_graph_begin(void)
{
    memset(&sl_graph, 0, sizeof(sl_graph));
    sl_graph.budget.limit = 64 << 20;
    sl_graph.workspace.budget = &sl_graph.budget;
    sl_graph.graph.values = sl_graph.values;
    sl_graph.graph.nodes = sl_graph.nodes;
}

uint32_t sl_graph_add_value(const uint32_t *dims, uint32_t rank)
{
    struct sl_xnn_value *value = &sl_graph.values[sl_graph.graph.value_count];
    value->id = sl_graph.graph.value_count++;
    value->datatype = SL_XNN_FP32;
    value->rank = rank;
    value->external_id = SL_XNN_NO_ID;
    memcpy(value->dims, dims, rank * sizeof(*dims));
    return value->id;
}

/* An input or output of the delegate, with data 0, 1/7, 2/7 ... around zero. */
static uint32_t add_external(bool output, const uint32_t *dims, uint32_t rank)
{
    static const uint8_t order[SL_TENSOR_MAX_RANK] = {0, 1, 2, 3, 4, 5};
    uint32_t id = sl_graph_add_value(dims, rank), k = sl_graph.arg_count++;
    for (uint32_t i = 0; i < rank; i++)
        sl_graph.bounds[k][i] = (int32_t)dims[i];
    const struct sl_pte_tensor from = {.scalar_type = SL_SCALAR_FLOAT,
                                       .rank = rank,
                                       .sizes = sl_graph.bounds[k],
                                       .dim_order = order,
                                       .dynamism = SL_PTE_DYNAMIC_BOUND};
    assert_int_equal(sl_tensor_init(&sl_graph.tensors[k], &from, NULL), 0);
    assert_true(sl_graph.tensors[k].max_nbytes <= sizeof(sl_graph.data[k]));
    sl_tensor_bind(&sl_graph.tensors[k], sl_graph.data[k], sizeof(sl_graph.data[k]));
    sl_graph.args[k] = &sl_graph.tensors[k];
    sl_graph.values[id].external_id = k;
    sl_graph.values[id].external_input = !output;
    sl_graph.values[id].external_output = output;
    for (int i = 0; i < MAX_FLOATS && !output; i++)
        sl_graph.data[k][i] = (float)(i * 13 % 29 - 14) / 7.0f;
    return id;
}

uint32_t sl_graph_add_input(const uint32_t *dims, uint32_t rank)
{
    return add_external(false, dims, rank);
}

uint32_t sl_graph_add_output(const uint32_t *dims, uint32_t rank)
{
    return add_external(true, dims, rank);
}

uint32_t sl_graph_add_constant(const float *data, const uint32_t *dims, uint32_t rank)
{
    size_t count = 1;
    uint32_t id = sl_graph_add_value(dims, rank);
    for (uint32_t i = 0; i < rank; i++)
        count *= dims[i];
    sl_graph.values[id].data.source = SL_XNN_DATA_INLINE;
    sl_graph.values[id].data.bytes =
        (struct sl_bytes){(const uint8_t *)data, count * sizeof(float)};
    return id;
}

uint32_t sl_graph_add_int8(const uint32_t *dims, uint32_t rank, float scale, int32_t zero_point)
{
    uint32_t id = sl_graph_add_value(dims, rank);
    sl_graph.values[id].datatype = SL_XNN_QINT8;
    sl_graph.values[id].quant.kind = SL_XNN_QUANT_PER_TENSOR;
    sl_graph.values[id].quant.scale = scale;
    sl_graph.values[id].quant.zero_point = zero_point;
    return id;
}

uint32_t sl_graph_add_int8_constant(const int8_t *data, const uint32_t *dims, uint32_t rank,
                                    float scale)
{
    uint32_t id = sl_graph_add_int8(dims, rank, scale, 0);
    sl_graph.values[id].data.source = SL_XNN_DATA_INLINE;
    sl_graph.values[id].data.bytes = (struct sl_bytes){(const uint8_t *)data, MAX_FLOATS};
    return id;
}

struct sl_xnn_node *sl_graph_add_node(int type, uint32_t count, const uint32_t *in, uint32_t out)
{
    struct sl_xnn_node *node = &sl_graph.nodes[sl_graph.graph.node_count];
    node->type = type;
    node->index = sl_graph.graph.node_count++;
    node->input_count = count;
    memcpy(node->inputs, in, count * sizeof(*in));
    node->output_count = 1;
    node->outputs[0] = out;
    node->output_min = -INFINITY;
    node->output_max = INFINITY;
    return node;
}

int sl_graph_compile(uint32_t isa)
{
    struct sl_xnn_graph graph = sl_graph.graph;
    const struct sl_xnn_allowed allowed = {.isa = isa};
    return sl_xnn_delegate_from_graph(&sl_graph.model, &graph, &allowed, &sl_graph.budget, NULL,
                                      &sl_graph.plan, &sl_graph.diag);
}

int sl_graph_shape(void)
{
    int rc =
        sl_xnn_delegate_shape(sl_graph.plan, sl_graph.args, sl_graph.arg_count, &sl_graph.diag);
    if (rc != 0)
        return rc;
    assert_int_equal(sl_workspace_reserve(&sl_graph.workspace, sl_graph.plan->workspace_bytes), 0);
    sl_xnn_delegate_bind(sl_graph.plan, sl_graph.args, sl_graph.workspace.base);
    return 0;
}

void sl_graph_run_on(uint32_t isa)
{
    if (sl_graph_compile(isa) != 0 || sl_graph_shape() != 0)
        fail_msg("%s (%s)", sl_graph.diag.what, sl_graph.diag.where);
    for (uint32_t i = 0; i < sl_graph.plan->op_count; i++)
        sl_xnn_op_run(sl_graph.plan, &sl_graph.plan->ops[i], NULL);
}

void sl_graph_run(void)
{
    sl_graph_run_on(sl_isa_detect());
}

void sl_graph_end(void)
{
    sl_xnn_delegate_free(sl_graph.plan);
    sl_workspace_fini(&sl_graph.workspace);
    assert_int_equal(sl_graph.budget.used, 0);
}

void sl_graph_check_names(uint32_t count, const char *const *names)
{
    assert_int_equal(sl_graph.plan->op_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(sl_graph.plan->ops[i].name, names[i]);
}

void sl_graph_check_float(float have, float want)
{
    if (!(fabsf(have - want) <= 1e-5f * fmaxf(1.0f, fabsf(want))))
        fail_msg("%g where %g was expected", (double)have, (double)want);
}

void sl_graph_set_window(struct sl_xnn_node *node, uint32_t kernel, uint32_t stride, uint32_t pad)
{
    node->window.kernel_height = node->window.kernel_width = kernel;
    node->window.stride_height = node->window.stride_width = stride;
    node->window.dilation_height = node->window.dilation_width = 1;
    node->window.padding_top = node->window.padding_left = pad;
    node->window.padding_bottom = node->window.padding_right = pad;
}

void sl_graph_set_channels(struct sl_xnn_node *node, uint32_t groups, uint32_t ic, uint32_t oc)
{
    node->window.groups = groups;
    node->window.group_input_channels = ic;
    node->window.group_output_channels = oc;
}
