/* agent/runtime/xnn/table.c: functions of one int8 value as tables, and chains of them as one. */
#include <math.h>
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/mem.h"
#include "kernels/cpu/isa.h"

static bool is_unary(const struct sl_xnn_op *op)
{
    return op->kind == SL_XNN_OP_UNARY || op->kind == SL_XNN_OP_SQUARE ||
           op->kind == SL_XNN_OP_CLAMP || op->kind == SL_XNN_OP_CONVERT;
}

/* Types whose values a table's chain may pass through. */
static bool is_link(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int type = plan->operands[op->output].type;
    return !op->dead && is_unary(op) &&
           (type == SL_XNN_QINT8 || type == SL_XNN_FP32 || type == SL_XNN_FP16);
}

/* The only reader of `operand`, or NULL. */
static struct sl_xnn_op *sole_reader(struct sl_xnn_plan *plan, int32_t operand)
{
    const struct sl_xnn_operand *o = &plan->operands[operand];
    if (o->external_output || o->uses != 1 || o->producer == SL_XNN_NONE)
        return NULL;
    for (uint32_t i = (uint32_t)o->producer + 1; i < plan->op_count; i++)
        for (uint32_t k = 0; k < plan->ops[i].input_count; k++)
            if (plan->ops[i].inputs[k] == operand)
                return &plan->ops[i];
    return NULL;
}

int sl_xnn_fill_table(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, int8_t *table)
{
    const struct sl_xnn_scaling *in = &plan->operands[op->inputs[0]].quant;
    const struct sl_xnn_scaling *out = &plan->operands[op->output].quant;
    const struct sl_unary_qs8_function function = {
        .op = op->kind == SL_XNN_OP_SQUARE    ? SL_UNARY_QS8_SQUARE
              : op->kind == SL_XNN_OP_CONVERT ? SL_UNARY_QS8_CONVERT
                                              : op->code,
        .a = op->node->alpha,
        .in_scale = in->scale,
        .out_scale = out->scale,
        .in_zero = in->zero_point,
        .out_zero = out->zero_point,
    };
    return sl_unary_qs8_table(&function, table);
}

/* What every int8 value has become so far: int8 or float. */
struct image {
    int8_t q[256];
    float x[256];
};

static void convert(int op, const struct sl_xnn_scaling *quant, const void *in, void *out)
{
    const struct sl_convert_args args = {
        .count = 256,
        .in = in,
        .out = out,
        .in_scale = quant->scale,
        .out_scale = quant->scale,
        .in_zero = quant->zero_point,
        .out_zero = quant->zero_point,
    };
    sl_convert_select(SL_ISA_NONE, op)->run(&args);
}

static void apply_float(const struct sl_xnn_op *op, float *x)
{
    if (op->kind == SL_XNN_OP_CLAMP)
        sl_unary_select(SL_ISA_NONE, SL_UNARY_CLAMP)->run(256, x, x, op->min, op->max);
    else if (op->kind == SL_XNN_OP_UNARY)
        sl_unary_select(SL_ISA_NONE, op->code)->run(256, x, x, op->node->alpha, 0);
    for (int i = 0; i < 256 && op->kind == SL_XNN_OP_SQUARE; i++)
        x[i] *= x[i];
}

static int apply_int8(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, int8_t *q)
{
    int8_t table[256], min, max;
    if (op->kind != SL_XNN_OP_CLAMP) {
        if (sl_xnn_fill_table(plan, op, table) != 0)
            return -1;
        for (int i = 0; i < 256; i++)
            q[i] = table[(uint8_t)q[i]];
        return 0;
    }
    sl_xnn_bounds(op, &plan->operands[op->output], &min, &max);
    for (int i = 0; i < 256; i++)
        q[i] = q[i] < min ? min : q[i] > max ? max : q[i];
    return 0;
}

/* One link of a chain. */
static int apply(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, struct image *image)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    const struct sl_xnn_operand *out = &plan->operands[op->output];
    if (in->type == SL_XNN_QINT8 && out->type == SL_XNN_QINT8)
        return apply_int8(plan, op, image->q);
    if (in->type == SL_XNN_QINT8)
        convert(SL_CONVERT_F32_QS8, &in->quant, image->q, image->x);
    apply_float(op, image->x);
    if (out->type == SL_XNN_QINT8)
        convert(SL_CONVERT_QS8_F32, &out->quant, image->x, image->q);
    return 0;
}

static int8_t *make_table(const struct sl_xnn_plan *plan, struct sl_xnn_op *const *chain,
                          uint32_t count)
{
    struct image image;
    int8_t *table = sl_calloc(256, sizeof(*table));
    for (int i = 0; i < 256; i++)
        image.q[i] = (int8_t)(uint8_t)i;
    for (uint32_t i = 0; i < count && table; i++)
        if (apply(plan, chain[i], &image) != 0) {
            sl_free(table);
            table = NULL;
        }
    if (table)
        memcpy(table, image.q, sizeof(image.q));
    return table;
}

/* The chain from `op` becomes one operator in the place of its last that gives int8. Without
 * memory, or with scales that are refused, it stays as it is. */
static void fuse_from(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct sl_xnn_op *chain[SL_XNN_MAX_CHAIN];
    uint32_t count = 0;
    for (struct sl_xnn_op *next = op; next && count < SL_XNN_MAX_CHAIN && is_link(plan, next);
         next = sole_reader(plan, next->output))
        chain[count++] = next;
    while (count > 1 && plan->operands[chain[count - 1]->output].type != SL_XNN_QINT8)
        count--;
    if (count < 2)
        return;
    struct sl_xnn_op *last = chain[count - 1];
    last->table = make_table(plan, chain, count);
    if (!last->table)
        return;
    for (uint32_t i = 0; i + 1 < count; i++) {
        chain[i]->dead = true;
        plan->operands[chain[i]->output].uses = 0;
    }
    last->kind = SL_XNN_OP_TABLE;
    last->form = SL_XNN_FORM_QS8;
    last->inputs[0] = op->inputs[0];
}

void sl_xnn_fuse_tables(struct sl_xnn_plan *plan)
{
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct sl_xnn_op *op = &plan->ops[i];
        if (is_link(plan, op) && plan->operands[op->inputs[0]].type == SL_XNN_QINT8)
            fuse_from(plan, op);
    }
}
