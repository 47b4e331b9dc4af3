/* agent/runtime/lockstep.c */
#include "agent/runtime/lockstep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/executor.h"
#include "agent/runtime/label.h"
#include "agent/runtime/ops/registry.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/variant.h"
#include "agent/runtime/xnn/delegate.h"
#include "common/base/mem.h"
#include "common/format/distance.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/denormals.h"

/* Who runs together, and where they are. */
struct lockstep {
    struct sl_variant *reference;
    struct sl_lockstep_side *sides;
    size_t count;
};

/* One instruction of the reference and of a side. */
struct meeting {
    struct sl_lockstep_side *side;
    struct sl_instruction *reference, *own;
};

/* A value that both have computed: the reference's bytes and a side's. */
struct computed {
    int scalar_type, kind;
    struct sl_bytes reference, own;
};

static int kind_of(int scalar_type)
{
    switch (scalar_type) {
    case SL_SCALAR_FLOAT:
    case SL_SCALAR_DOUBLE:
        return SL_LOCKSTEP_FLOAT;
    case SL_SCALAR_HALF:
    case SL_SCALAR_BFLOAT16:
        return SL_LOCKSTEP_HALF;
    default:
        return SL_LOCKSTEP_EXACT;
    }
}

/* --- what is kept of the comparison --- */

static void name_row(const struct meeting *at, const struct sl_xnn_op *reference,
                     const struct sl_xnn_op *own, struct sl_lockstep_row *row)
{
    const struct sl_op_call *call = at->own->call;
    row->node = -1;
    row->chain = at->own->chain;
    row->instruction = at->own->index;
    row->kernel = row->reference = NULL;
    if (own) {
        sl_label_op_name(at->own->plan, own, row->name, sizeof(row->name));
        row->node = own->node->index;
        row->kernel = at->own->plan->steps[own->step_first].kernel;
        row->reference = at->reference->plan->steps[reference->step_first].kernel;
    } else {
        const struct sl_op_call *other = at->reference->call;
        sl_op_event_name(call->op, row->name, sizeof(row->name));
        row->kernel = call->step_count != 0 ? call->steps[call->main_step].kernel : NULL;
        row->reference = other->step_count != 0 ? other->steps[other->main_step].kernel : NULL;
    }
}

/* Outputs of different sizes are infinitely far apart. */
static double measure(const struct computed *value, double *out_max_abs)
{
    *out_max_abs = (double)INFINITY;
    if (value->reference.size != value->own.size)
        return (double)INFINITY;
    if (memcmp(value->reference.data, value->own.data, value->own.size) == 0) {
        *out_max_abs = 0;
        return 0;
    }
    if (!sl_distance_reads(value->scalar_type))
        return (double)INFINITY;
    struct sl_distance d = sl_distance_between(value->scalar_type, value->reference, value->own);
    *out_max_abs = d.worst;
    if (value->kind == SL_LOCKSTEP_ROUNDED)
        return isinf(d.worst) ? d.worst : sl_distance_of_rms(&d);
    return value->kind >= SL_LOCKSTEP_STEPS ? d.worst : sl_distance_of_peak(&d);
}

static void compare(const struct meeting *at, const struct sl_xnn_op *reference,
                    const struct sl_xnn_op *own, const struct computed *value)
{
    struct sl_lockstep_side *side = at->side;
    double max_abs, distance = value->own.size == 0 ? 0 : measure(value, &max_abs);
    if (!(distance > side->farthest[value->kind]))
        return;
    side->farthest[value->kind] = distance;
    /* The last place is for the farthest. */
    struct sl_lockstep_row *row =
        &side->rows[side->row_count < SL_LOCKSTEP_ROWS ? side->row_count++ : SL_LOCKSTEP_ROWS - 1];
    name_row(at, reference, own, row);
    row->kind = value->kind;
    row->distance = distance;
    row->max_abs = max_abs;
}

/* --- tensors --- */

/* The reference's shape and numbers. */
static int take_over(struct sl_tensor *to, const struct sl_tensor *from, struct sl_diag *diag)
{
    int rc = sl_tensor_resize(to, from->rank, from->sizes, diag);
    bool known = from->data && from->nbytes <= from->room_bytes;
    if (rc == 0 && known && to->data && from->nbytes <= to->room_bytes && to->data != from->data)
        memcpy(to->data, from->data, from->nbytes);
    return rc;
}

static int meet_tensor(const struct meeting *at, const struct sl_tensor *from, struct sl_tensor *to,
                       struct sl_diag *diag)
{
    if (!from || !to || from->constant || !from->data || !to->data ||
        from->nbytes > from->room_bytes || to->nbytes > to->room_bytes)
        return 0;
    const struct sl_op_call *call = at->own->call;
    bool quantised = call && strncmp(call->op->name, "quantized_decomposed::quantize", 30) == 0;
    bool bytes = from->scalar_type == SL_SCALAR_CHAR || from->scalar_type == SL_SCALAR_BYTE;
    const struct computed value = {
        from->scalar_type,
        quantised && bytes ? SL_LOCKSTEP_STEPS : kind_of(from->scalar_type),
        {from->data, from->nbytes},
        {to->data, to->nbytes},
    };
    if (call)
        compare(at, NULL, NULL, &value);
    return take_over(to, from, diag);
}

/* All tensors among the instruction's arguments: those that it only reads are equal. */
static int meet_arguments(const struct meeting *at, const struct sl_method *reference,
                          const struct sl_method *own, struct sl_diag *diag)
{
    const struct sl_pte_instruction *from = at->own->from;
    int rc = 0;
    for (uint32_t i = 0; i < from->arg_count && rc == 0; i++) {
        const struct sl_method_value *value = &reference->values[from->args[i]];
        rc = meet_tensor(at, sl_method_tensor(reference, from->args[i]),
                         sl_method_tensor(own, from->args[i]), diag);
        for (uint32_t k = 0;
             at->own->call && sl_op_is_tensor_list(value) && k < value->list->list.count && rc == 0;
             k++)
            rc = meet_tensor(at, sl_op_list_tensor(at->reference->call, i, k),
                             sl_op_list_tensor(at->own->call, i, k), diag);
    }
    return rc;
}

/* --- delegates --- */

static struct computed computed_of(const struct sl_xnn_op *op, const struct sl_xnn_operand *a,
                                   const struct sl_bytes values[2])
{
    static const int types[] = {
        [SL_XNN_FP32] = SL_SCALAR_FLOAT,    [SL_XNN_FP16] = SL_SCALAR_HALF,
        [SL_XNN_QINT8] = SL_SCALAR_CHAR,    [SL_XNN_QUINT8] = SL_SCALAR_BYTE,
        [SL_XNN_QDINT8] = SL_SCALAR_CHAR,   [SL_XNN_INT32] = SL_SCALAR_INT,
        [SL_XNN_BF16] = SL_SCALAR_BFLOAT16,
    };
    size_t places = sizeof(types) / sizeof(types[0]);
    int scalar = (size_t)a->type < places ? types[a->type] : SL_SCALAR_BYTE;
    bool steps = scalar == SL_SCALAR_CHAR || a->type == SL_XNN_QUINT8;
    int kind = steps ? SL_LOCKSTEP_STEPS : kind_of(scalar);
    if (op->form == SL_XNN_FORM_QD8 && kind <= SL_LOCKSTEP_HALF)
        kind = SL_LOCKSTEP_ROUNDED;
    return (struct computed){scalar, kind, values[0], values[1]};
}

/* Through other memory, since either may be a part of a concatenation. */
static int meet_operand(const struct meeting *at, const struct sl_xnn_op *reference,
                        const struct sl_xnn_op *own, int32_t operand)
{
    if (operand == SL_XNN_NONE)
        return 0;
    const struct sl_xnn_operand *a = &at->reference->plan->operands[operand];
    const struct sl_xnn_operand *b = &at->own->plan->operands[operand];
    if (!a->data || !b->data || a->type != b->type)
        return 0;
    size_t element = sl_xnn_datatype_size(a->type);
    size_t bytes = sl_xnn_operand_bytes(a), own_bytes = sl_xnn_operand_bytes(b);
    uint8_t *dense = sl_malloc(bytes + own_bytes + 1, 1);
    if (!dense)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    sl_xnn_operand_gather(a, dense);
    sl_xnn_operand_gather(b, dense + bytes);
    const struct sl_bytes values[2] = {{dense, a->count * element},
                                       {dense + bytes, b->count * element}};
    struct computed value = computed_of(own, a, values);
    compare(at, reference, own, &value);
    if (bytes == own_bytes)
        sl_xnn_operand_scatter(b, dense);
    sl_free(dense);
    return 0;
}

/* The side's operator, from `first` on, that writes what the reference's has written; NULL: none
 * does, since it computes that in another one. */
static const struct sl_xnn_op *counterpart(const struct sl_xnn_plan *plan, uint32_t first,
                                           const struct sl_xnn_op *reference)
{
    for (uint32_t i = first; i < plan->op_count; i++)
        if (plan->ops[i].output == reference->output)
            return &plan->ops[i];
    return NULL;
}

/* The side catches up with what the reference's operator has just written. */
static int follow_op(const struct meeting *at, uint32_t *next, const struct sl_crew *crew,
                     const struct sl_xnn_op *reference)
{
    const struct sl_xnn_plan *plan = at->own->plan;
    const struct sl_xnn_op *own = counterpart(plan, *next, reference);
    if (!own)
        return 0;
    for (; &plan->ops[*next] <= own; ++*next)
        sl_xnn_op_run(plan, &plan->ops[*next], crew);
    at->side->compared++;
    int rc = meet_operand(at, reference, own, reference->output);
    return rc == 0 && own->output2 == reference->output2
               ? meet_operand(at, reference, own, reference->output2)
               : rc;
}

static int run_delegates(const struct lockstep *l, struct sl_instruction *instruction,
                         const struct meeting *meetings, struct sl_diag *diag)
{
    const struct sl_xnn_plan *plan = instruction->plan;
    uint32_t next[SL_LOCKSTEP_VARIANTS] = {0};
    int rc = sl_instruction_ready(l->reference, instruction, diag);
    for (size_t i = 0; i < l->count && rc == 0; i++)
        rc = sl_instruction_ready(l->sides[i].variant, meetings[i].own, diag);
    if (rc != 0)
        return rc;
    uint64_t denormals = sl_denormals_flush();
    for (const struct sl_xnn_op *op = plan->ops; op < plan->ops + plan->op_count && rc == 0; op++) {
        sl_xnn_op_run(plan, op, &l->reference->method->crew);
        for (size_t i = 0; i < l->count && rc == 0; i++)
            rc = follow_op(&meetings[i], &next[i], &l->sides[i].variant->method->crew, op);
    }
    for (size_t i = 0; i < l->count; i++) {
        const struct sl_xnn_plan *own = meetings[i].own->plan;
        for (; next[i] < own->op_count; next[i]++)
            sl_xnn_op_run(own, &own->ops[next[i]], &l->sides[i].variant->method->crew);
        sl_xnn_delegate_widen(own);
    }
    sl_denormals_restore(denormals);
    sl_xnn_delegate_widen(plan);
    return rc == 0 ? 0 : sl_diag_set(diag, rc, NULL, "no memory to compare an operator's output");
}

/* --- instructions --- */

static int run_calls(const struct lockstep *l, struct sl_instruction *instruction, uint32_t *next,
                     struct meeting *meetings, struct sl_diag *diag)
{
    int rc = sl_instruction_run(l->reference, instruction, NULL, next, diag);
    for (size_t i = 0; i < l->count && rc == 0; i++) {
        uint32_t own_next = instruction->index + 1;
        rc = sl_instruction_run(l->sides[i].variant, meetings[i].own, NULL, &own_next, diag);
        if (instruction->call && !instruction->call->op->prim)
            l->sides[i].compared++;
    }
    return rc;
}

static int step(const struct lockstep *l, struct sl_instruction *instruction, uint32_t *next,
                struct sl_diag *diag)
{
    struct meeting meetings[SL_LOCKSTEP_VARIANTS];
    size_t place = (size_t)(instruction - l->reference->instructions);
    for (size_t i = 0; i < l->count; i++)
        meetings[i] =
            (struct meeting){&l->sides[i], instruction, &l->sides[i].variant->instructions[place]};
    int rc = instruction->plan ? run_delegates(l, instruction, meetings, diag)
                               : run_calls(l, instruction, next, meetings, diag);
    for (size_t i = 0; i < l->count && rc == 0; i++)
        if (instruction->plan || instruction->call)
            rc = meet_arguments(&meetings[i], l->reference->method, l->sides[i].variant->method,
                                diag);
    return rc;
}

static int begin(const struct lockstep *l, struct sl_diag *diag)
{
    const struct sl_method *method = l->reference->method;
    int rc = sl_method_take_inputs(l->reference->method, diag);
    for (size_t i = 0; i < l->count && rc == 0; i++) {
        struct sl_lockstep_side *side = &l->sides[i];
        *side = (struct sl_lockstep_side){.variant = side->variant};
        for (uint32_t k = 0; k < method->plan->input_count && rc == 0; k++) {
            uint32_t value = method->plan->inputs[k];
            const struct sl_tensor *from = sl_method_tensor(method, value);
            struct sl_tensor *to = sl_method_tensor(side->variant->method, value);
            rc = from && to ? take_over(to, from, diag) : 0;
        }
    }
    return rc;
}

int sl_lockstep_execute(struct sl_variant *reference, struct sl_lockstep_side *sides, size_t count,
                        struct sl_diag *diag)
{
    const struct lockstep l = {reference, sides, count};
    uint64_t budget = reference->method->model->limits.instructions;
    int rc = begin(&l, diag);
    for (uint32_t chain = 0; chain < reference->chain_count && rc == 0; chain++) {
        uint32_t first = reference->chain_first[chain];
        uint32_t end = reference->chain_first[chain + 1] - first;
        for (uint32_t i = 0, next; i < end && rc == 0; i = next) {
            next = i + 1;
            rc = budget-- == 0 ? SL_ET_INVALID_PROGRAM
                               : step(&l, &reference->instructions[first + i], &next, diag);
        }
    }
    return rc;
}
