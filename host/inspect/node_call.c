/* host/inspect/node_call.c: an operator outside delegates: shapes, multiply-accumulates, bytes. */
#include <string.h>

#include "common/base/saturate.h"
#include "common/format/scalar_type.h"
#include "host/inspect/build.h"

/* The tensors of a call in the order of its arguments, the output last. */
struct operands {
    const struct sl_pte_plan *plan;
    const struct sl_pte_instruction *call;
    const struct sl_pte_tensor *in[SL_INSPECT_MAX_FROM], *out;
    uint32_t in_count;
};

static uint64_t count_of(const struct sl_pte_tensor *tensor)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        count = sl_times(count, (uint64_t)tensor->sizes[i]);
    return count;
}

static uint64_t dim_back(const struct sl_pte_tensor *tensor, uint32_t back)
{
    return back < tensor->rank ? (uint64_t)tensor->sizes[tensor->rank - 1 - back] : 1;
}

static void add_dims(struct sl_dims *dims, const struct sl_pte_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank || i == 0; i++)
        sl_dims_add(dims, tensor->rank == 0 ? 1 : (uint64_t)tensor->sizes[i]);
}

static void read_tensor(struct sl_inspect_build *b, struct sl_inspect_node *node,
                        struct operands *operands, uint32_t value)
{
    const struct sl_pte_tensor *tensor = operands->plan->values[value].tensor;
    bool constant = !tensor->planned && (tensor->data_buffer_idx != 0 || tensor->external);
    uint64_t *sum = constant ? &node->weight_bytes : &node->in_bytes;
    *sum = sl_plus(*sum, sl_inspect_tensor_bytes(tensor));
    sl_inspect_link(node, b->writer[value]);
    if (operands->in_count < SL_INSPECT_MAX_FROM)
        operands->in[operands->in_count++] = tensor;
}

/* Items of a list are values too; -1 is a gap. */
static void read_argument(struct sl_inspect_build *b, struct sl_inspect_node *node,
                          struct operands *operands, uint32_t argument)
{
    const struct sl_pte_value *value = &operands->plan->values[argument];
    if (value->kind == SL_PTE_TENSOR)
        read_tensor(b, node, operands, argument);
    if (value->kind != SL_PTE_TENSOR_LIST && value->kind != SL_PTE_OPTIONAL_TENSOR_LIST)
        return;
    for (uint32_t i = 0; i < value->list.count; i++) {
        int64_t item = value->list.ints[i];
        if (item >= 0 && operands->plan->values[item].kind == SL_PTE_TENSOR)
            read_tensor(b, node, operands, (uint32_t)item);
    }
}

/* The last argument is what the call returns: a value, or a list of them; `out` arguments before it
 * are the same values. */
static bool is_output(const struct operands *operands, uint32_t argument)
{
    uint32_t last = operands->call->args[operands->call->arg_count - 1];
    const struct sl_pte_value *value = &operands->plan->values[last];
    bool found = argument == last;
    for (uint32_t i = 0; value->kind == SL_PTE_TENSOR_LIST && i < value->list.count; i++)
        found = found || value->list.ints[i] == (int64_t)argument;
    return found;
}

static void add_output(struct sl_inspect_node *node, struct operands *operands, int64_t argument)
{
    if (argument < 0 || operands->plan->values[argument].kind != SL_PTE_TENSOR)
        return;
    const struct sl_pte_tensor *tensor = operands->plan->values[argument].tensor;
    operands->out = operands->out ? operands->out : tensor;
    node->out_bytes = sl_plus(node->out_bytes, sl_inspect_tensor_bytes(tensor));
}

static void read_operands(struct sl_inspect_build *b, struct sl_inspect_node *node,
                          struct operands *operands)
{
    const struct sl_pte_instruction *call = operands->call;
    if (call->arg_count == 0)
        return;
    for (uint32_t i = 0; i + 1 < call->arg_count; i++)
        if (!is_output(operands, call->args[i]))
            read_argument(b, node, operands, call->args[i]);
    uint32_t last = call->args[call->arg_count - 1];
    const struct sl_pte_value *value = &operands->plan->values[last];
    add_output(node, operands, last);
    for (uint32_t i = 0; value->kind == SL_PTE_TENSOR_LIST && i < value->list.count; i++)
        add_output(node, operands, value->list.ints[i]);
}

static void list_operands(struct sl_inspect_node *node, const struct operands *operands)
{
    struct sl_dims beyond = {0};
    for (uint32_t i = 0; i < operands->in_count && i < 3; i++)
        add_dims(sl_operands_add(&node->operands, &beyond), operands->in[i]);
    if (operands->out)
        add_dims(&node->operands.out, operands->out);
}

/* A convolution of the portable library says so itself. */
static bool goes_back(const struct sl_inspect_node *node, const struct operands *operands)
{
    if (strcmp(node->kind, "aten::convolution.out") != 0 || operands->call->arg_count <= 6)
        return false;
    const struct sl_pte_value *transposed = &operands->plan->values[operands->call->args[6]];
    return transposed->kind == SL_PTE_BOOL && transposed->bool_value;
}

static void measure_product(struct sl_inspect_node *node, const struct sl_pte_tensor *left,
                            const struct sl_pte_tensor *out)
{
    uint64_t matrix;
    node->work = SL_WORK_PRODUCT;
    node->m = dim_back(out, 1);
    node->n = dim_back(out, 0);
    node->k = dim_back(left, 0);
    matrix = sl_times(node->m, node->n);
    node->batch = matrix != 0 ? count_of(out) / matrix : 0;
}

/* The weights of a convolution are [out][in / groups][taps], of a transposed one [in][..][taps]. */
static void measure_window(struct sl_inspect_node *node, const struct operands *operands)
{
    const struct sl_pte_tensor *weights = operands->in[1];
    uint64_t first = weights->rank > 0 ? (uint64_t)weights->sizes[0] : 0;
    if (first == 0)
        return;
    node->work = goes_back(node, operands) ? SL_WORK_OTHER : SL_WORK_WINDOW;
    node->n = first;
    node->m = count_of(operands->out) / first;
    node->k = count_of(weights) / first;
    node->taps = weights->rank == 4 ? (uint64_t)weights->sizes[2] : 1;
}

/* Row by row: what folds or moves the innermost dimension. Along which dimensions other folds go is
 * not looked at. */
static void measure_rows(struct sl_inspect_node *node, const struct operands *operands)
{
    static const char *const folds[] = {"aten::_softmax.out", "aten::native_layer_norm.out"};
    uint64_t row = dim_back(operands->out, 0);
    uint64_t rows = row != 0 ? count_of(operands->out) / row : 0;
    for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++)
        if (strcmp(node->kind, folds[i]) == 0) {
            node->work = SL_WORK_FOLD;
            node->m = rows;
            node->n = 1;
            node->k = row;
        }
    if (strcmp(node->kind, "aten::permute_copy.out") == 0) {
        node->m = rows;
        node->n = row;
    }
    if (strcmp(node->kind, "aten::mean.out") == 0 ||
        strcmp(node->kind, "aten::sum.IntList_out") == 0)
        node->work = SL_WORK_OTHER;
}

static void measure(struct sl_inspect_node *node, const struct operands *operands)
{
    static const struct {
        const char *name;
        uint32_t left; /* which tensor is the left matrix */
    } products[] = {
        {"aten::mm.out", 0}, {"aten::bmm.out", 0}, {"aten::linear.out", 0}, {"aten::addmm.out", 1}};
    if (!operands->out)
        return;
    node->work = SL_WORK_ELEMENTS;
    node->m = node->k = 1;
    node->n = count_of(operands->out);
    for (uint32_t i = 0; i < operands->in_count; i++)
        node->n = count_of(operands->in[i]) > node->n ? count_of(operands->in[i]) : node->n;
    measure_rows(node, operands);
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
        if (strcmp(node->kind, products[i].name) == 0 && products[i].left < operands->in_count)
            measure_product(node, operands->in[products[i].left], operands->out);
    if (strcmp(node->kind, "aten::convolution.out") == 0 && operands->in_count > 1 &&
        operands->call->arg_count > 6)
        measure_window(node, operands);
}

/* Notes the node as writer of its output, and of the items of a list of them. */
static void note_writer(struct sl_inspect_build *b, const struct operands *operands)
{
    const struct sl_pte_instruction *call = operands->call;
    uint32_t self = b->inspect->node_count - 1;
    if (call->arg_count == 0)
        return;
    uint32_t last = call->args[call->arg_count - 1];
    const struct sl_pte_value *value = &operands->plan->values[last];
    b->writer[last] = self;
    if (value->kind != SL_PTE_TENSOR_LIST)
        return;
    for (uint32_t i = 0; i < value->list.count; i++)
        if (value->list.ints[i] >= 0)
            b->writer[value->list.ints[i]] = self;
}

int sl_inspect_call(struct sl_inspect_build *b, const struct sl_pte_instruction *instruction,
                    struct sl_diag *diag)
{
    struct operands operands = {.plan = b->inspect->methods[b->method].plan, .call = instruction};
    struct sl_inspect_node *node;
    int rc = sl_inspect_add(b, &node, diag);
    if (rc < 0)
        return rc;
    node->index = instruction->index;
    node->kind = operands.plan->operators[instruction->index].name;
    read_operands(b, node, &operands);
    const struct sl_pte_tensor *typed = operands.in_count > 0 ? operands.in[0] : operands.out;
    node->type = typed ? sl_scalar_name(typed->scalar_type) : "";
    list_operands(node, &operands);
    sl_inspect_describe(node, goes_back(node, &operands));
    measure(node, &operands);
    note_writer(b, &operands);
    return 0;
}
