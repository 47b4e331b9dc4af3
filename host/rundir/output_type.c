/* host/rundir/output_type.c */
#include "host/rundir/output_type.h"

#include <math.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/pte.h"
#include "common/format/xnngraph.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_value.h"

enum { MAX_HOPS = 32 }; /* through what only moves numbers */

static bool is_quantised(int datatype)
{
    return datatype == SL_XNN_QINT8 || datatype == SL_XNN_QUINT8 || datatype == SL_XNN_QDINT8;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Is it rounded to 8 bits as it is made, statically or dynamically? */
static bool is_rounding(const struct sl_xnn_value *value)
{
    bool rounded = is_quantised(value->datatype) || value->dq_datatype == SL_XNN_QINT8;
    return rounded && value->data.source == SL_XNN_DATA_NONE;
}

/* A node that only moves or chooses numbers keeps their roundings and adds none. */
static bool only_moves(int node)
{
    return node == SL_XNN_STATIC_RESHAPE || node == SL_XNN_STATIC_TRANSPOSE ||
           node == SL_XNN_STATIC_SLICE || node == SL_XNN_COPY || node == SL_XNN_MAX_POOLING_2D;
}

/* Kernels that add many products of halves in half precision keep no more than 8 bits of a sum. */
static bool adds_halves(const struct sl_xnn_node *node, const struct sl_xnn_value *out)
{
    return out->datatype == SL_XNN_FP16 &&
           (node->type == SL_XNN_CONV2D || node->type == SL_XNN_FULLY_CONNECTED ||
            node->type == SL_XNN_DEPTHWISE_CONV2D || node->type == SL_XNN_CONV_TRANSPOSE_2D ||
            node->type == SL_XNN_BATCH_MATRIX_MULTIPLY);
}

static uint32_t *depth_at(const struct sl_xnn_graph *graph, uint32_t *depths, uint32_t id)
{
    const struct sl_xnn_value *value = sl_xnn_find_value(graph, id);
    return value ? &depths[value - graph->values] : NULL;
}

/* Each node's outputs lie as deep as the deepest of its inputs, and one deeper where they are
 * rounded or as coarse. Nodes stand in the order they run. */
static uint32_t follow_nodes(const struct sl_xnn_graph *graph, uint32_t *depths)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < graph->value_count; i++) /* inputs may come rounded */
        depths[i] = is_rounding(&graph->values[i]);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_xnn_node *node = &graph->nodes[i];
        uint32_t depth = 0;
        for (uint32_t k = 0; k < node->input_count; k++) {
            const uint32_t *at = depth_at(graph, depths, node->inputs[k]);
            depth = at && *at > depth ? *at : depth;
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t *at = depth_at(graph, depths, node->outputs[k]);
            const struct sl_xnn_value *made = at ? &graph->values[at - depths] : NULL;
            if (at)
                *at = depth +
                      (!only_moves(node->type) && (is_rounding(made) || adds_halves(node, made)));
            deepest = at && *at > deepest ? *at : deepest;
        }
    }
    return deepest;
}

/* Roundings to 8 bits on the longest way through the graph; 0 too where memory is short. */
static uint32_t depth_of_graph(struct sl_bytes blob)
{
    struct sl_xnn_graph graph;
    if (sl_xnn_graph_parse(blob, &graph, NULL) < 0)
        return 0;
    uint32_t *depths = sl_calloc(graph.value_count, sizeof(*depths));
    uint32_t depth = depths ? follow_nodes(&graph, depths) : 0;
    sl_free(depths);
    sl_xnn_graph_fini(&graph);
    return depth;
}

static uint32_t count_quantised(const struct sl_pte_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        for (uint32_t i = 0; i < plan->chains[c].count; i++) {
            const struct sl_pte_instruction *one = &plan->chains[c].instructions[i];
            if (one->kind == SL_PTE_DELEGATE_CALL)
                count += depth_of_graph(plan->delegates[one->index].blob);
            else if (one->kind == SL_PTE_KERNEL_CALL)
                count +=
                    has_prefix(plan->operators[one->index].name, "quantized_decomposed::quantize");
        }
    return count;
}

static const struct sl_xnn_node *maker_of(const struct sl_xnn_graph *graph, uint32_t id)
{
    const struct sl_xnn_node *maker = NULL;
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].output_count; k++)
            maker = graph->nodes[i].outputs[k] == id ? &graph->nodes[i] : maker;
    return maker;
}

/* The scale of what argument `place` of a delegate call was before it became floats; or 0. */
static double step_in_graph(struct sl_bytes blob, uint32_t place)
{
    struct sl_xnn_graph graph;
    const struct sl_xnn_value *value = NULL;
    double step = 0;
    if (sl_xnn_graph_parse(blob, &graph, NULL) < 0)
        return 0;
    for (uint32_t i = 0; i < graph.value_count; i++)
        if (graph.values[i].external_output && graph.values[i].external_id == place)
            value = &graph.values[i];
    for (int hop = 0; value && step == 0 && hop < MAX_HOPS; hop++) {
        const struct sl_xnn_node *maker = maker_of(&graph, value->id);
        if (is_quantised(value->datatype) && value->quant.kind == SL_XNN_QUANT_PER_TENSOR)
            step = (double)value->quant.scale;
        value = maker && (maker->type == SL_XNN_CONVERT || only_moves(maker->type))
                    ? sl_xnn_find_value(&graph, maker->inputs[0])
                    : NULL;
    }
    sl_xnn_graph_fini(&graph);
    return step;
}

/* The instruction that writes the value last; *out_place is where among its arguments. */
static const struct sl_pte_instruction *writer_of(const struct sl_pte_plan *plan, uint32_t value,
                                                  uint32_t *out_place)
{
    const struct sl_pte_instruction *writer = NULL;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        for (uint32_t i = 0; i < plan->chains[c].count; i++) {
            const struct sl_pte_instruction *one = &plan->chains[c].instructions[i];
            uint32_t n = one->arg_count;
            bool kernel = one->kind == SL_PTE_KERNEL_CALL && n > 0 && one->args[n - 1] == value;
            for (uint32_t k = 0; one->kind == SL_PTE_DELEGATE_CALL && k < n; k++)
                if (one->args[k] == value) {
                    writer = one;
                    *out_place = k;
                }
            writer = kernel ? one : writer;
        }
    return writer;
}

/* The step of a value that is dequantised, or only moved since. */
static double step_of(const struct sl_pte_plan *plan, uint32_t value)
{
    static const char *const moves[] = {
        "aten::view_copy", "aten::permute_copy", "aten::clone",      "aten::squeeze_copy",
        "aten::slice",     "aten::unsqueeze",    "aten::select",     "aten::expand_copy",
        "dim_order_ops::", "aten::t_copy",       "aten::alias_copy", "executorch_prim::et_view"};
    for (int hop = 0; hop < MAX_HOPS; hop++) {
        uint32_t place = 0;
        const struct sl_pte_instruction *writer = writer_of(plan, value, &place);
        if (!writer)
            return 0;
        if (writer->kind == SL_PTE_DELEGATE_CALL)
            return step_in_graph(plan->delegates[writer->index].blob, place);
        const char *name = plan->operators[writer->index].name;
        const struct sl_pte_value *scale =
            writer->arg_count > 1 ? &plan->values[writer->args[1]] : NULL;
        if (has_prefix(name, "quantized_decomposed::dequantize_per_tensor.out"))
            return scale && scale->kind == SL_PTE_DOUBLE ? scale->double_value : 0;
        bool moved = false;
        for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
            moved = moved || has_prefix(name, moves[i]);
        if (!moved)
            return 0;
        value = writer->args[0];
    }
    return 0;
}

size_t sl_output_types_find(const struct sl_pte_plan *plan, struct sl_output_type *out, size_t max)
{
    size_t count = plan->output_count < max ? plan->output_count : max;
    uint32_t quantised = count_quantised(plan);
    for (size_t i = 0; i < count; i++) {
        const struct sl_pte_value *value = &plan->values[plan->outputs[i]];
        out[i] = (struct sl_output_type){.scalar_type = -1};
        if (value->kind != SL_PTE_TENSOR)
            continue;
        double step = quantised > 0 ? step_of(plan, plan->outputs[i]) : 0;
        out[i].scalar_type = value->tensor->scalar_type;
        out[i].quantised_values = quantised;
        out[i].step = isfinite(step) && step > 0 ? step : 0;
    }
    return count;
}

void sl_output_type_put(struct sl_json *json, const struct sl_output_type *type)
{
    if (type->quantised_values > 0)
        sl_json_u64(json, "quantised_values", type->quantised_values);
    if (type->step > 0)
        sl_json_f64(json, "step", type->step);
}

struct sl_output_type sl_output_type_read(const struct cJSON *output, int scalar_type)
{
    double values = sl_value_number(output, "quantised_values", 0);
    double step = sl_value_number(output, "step", 0);
    return (struct sl_output_type){
        .scalar_type = scalar_type,
        .quantised_values = values > 0 && values < 1e9 ? (uint32_t)values : 0,
        .step = step > 0 && step < 1e30 ? step : 0,
    };
}
