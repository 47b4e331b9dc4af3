/* agent/runtime/xnn/table.c */
#include "agent/runtime/xnn/table.h"

#include <math.h>
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "common/base/mem.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"

static bool is_value(const struct sl_xnn_plan *plan, int32_t operand)
{
    int type = plan->operands[operand].type;
    return type == SL_XNN_QINT8 || type == SL_XNN_FP32 || type == SL_XNN_FP16;
}

static bool is_number(const struct sl_xnn_plan *plan, int32_t operand)
{
    const struct sl_xnn_operand *o = &plan->operands[operand];
    return o->constant && o->count == 1 && is_value(plan, operand);
}

/* A chain of functions of one value. */
struct chain {
    struct sl_xnn_op *ops[SL_XNN_MAX_CHAIN];
    uint32_t count;
    int32_t values[SL_XNN_MAX_CHAIN + 1]; /* operands: what comes in, what each operator makes */
};

/* Returns the operand's place among the chain's values; -1: it is none of them. */
static int place_of(const struct chain *chain, int32_t operand)
{
    for (uint32_t i = 0; i <= chain->count; i++)
        if (chain->values[i] == operand)
            return (int)i;
    return -1;
}

/* The input that an operator is a function of, when the other one, if there is one, is a number. */
static int32_t argument_of(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    if (op->kind != SL_XNN_OP_BINARY)
        return op->inputs[0];
    uint32_t number = is_number(plan, op->inputs[0]) ? 0 : 1;
    const struct sl_xnn_operand *other = &plan->operands[op->inputs[1 - number]];
    bool fits = is_number(plan, op->inputs[number]) && !other->constant &&
                plan->operands[op->inputs[number]].rank <= other->rank;
    return fits ? op->inputs[1 - number] : SL_XNN_NONE;
}

/* True if the operator goes on from the chain, or may begin one. */
static bool is_link(const struct sl_xnn_plan *plan, const struct chain *chain,
                    const struct sl_xnn_op *op)
{
    bool known = op->kind == SL_XNN_OP_UNARY || op->kind == SL_XNN_OP_SQUARE ||
                 op->kind == SL_XNN_OP_CLAMP || op->kind == SL_XNN_OP_CONVERT ||
                 (op->kind == SL_XNN_OP_BINARY &&
                  (op->form == SL_XNN_FORM_QS8 || op->form == SL_XNN_FORM_F32));
    if (op->dead || !known || !is_value(plan, op->output) || !is_value(plan, op->inputs[0]))
        return false;
    return argument_of(plan, op) != SL_XNN_NONE ||
           (chain->count != 0 && place_of(chain, op->inputs[0]) >= 0 &&
            place_of(chain, op->inputs[1]) >= 0);
}

/* The only reader of `operand`, or NULL. */
static struct sl_xnn_op *sole_reader(struct sl_xnn_plan *plan, int32_t operand)
{
    const struct sl_xnn_operand *o = &plan->operands[operand];
    if (o->external_output || o->uses != 1 || o->producer == SL_XNN_NONE)
        return NULL;
    for (uint32_t i = (uint32_t)o->producer + 1; i < plan->op_count; i++)
        for (uint32_t k = 0; k < plan->ops[i].input_count && !plan->ops[i].dead; k++)
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
              : op->kind == SL_XNN_OP_CLAMP   ? SL_UNARY_CLAMP
                                              : op->code,
        .a = op->kind == SL_XNN_OP_CLAMP ? op->min : op->node->alpha,
        .b = op->max,
        .in_scale = in->scale,
        .out_scale = out->scale,
        .in_zero = in->zero_point,
        .out_zero = out->zero_point,
    };
    return sl_unary_qs8_table(&function, table);
}

/* The result for every int8 value: int8 or float. */
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

static void apply_float(const struct sl_xnn_op *op, const float *a, const float *b, float *x)
{
    if (op->kind == SL_XNN_OP_CLAMP)
        sl_unary_select(SL_ISA_NONE, SL_F32, SL_UNARY_CLAMP)->run(256, a, x, op->min, op->max);
    else if (op->kind == SL_XNN_OP_UNARY)
        sl_unary_select(SL_ISA_NONE, SL_F32, op->code)->run(256, a, x, op->node->alpha, 0);
    else if (op->kind == SL_XNN_OP_BINARY)
        sl_binary_select(SL_ISA_NONE, SL_F32, op->code)
            ->run(&(struct sl_binary_args){256, a, b, 1, 1, x, -INFINITY, INFINITY});
    else
        for (int i = 0; i < 256; i++)
            x[i] = op->kind == SL_XNN_OP_SQUARE ? a[i] * a[i] : a[i];
}

static int apply_binary_int8(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                             const int8_t *a, const int8_t *b, int8_t *q)
{
    const struct sl_xnn_scaling *l = &plan->operands[op->inputs[0]].quant,
                                *r = &plan->operands[op->inputs[1]].quant,
                                *out = &plan->operands[op->output].quant;
    struct sl_binary_qs8_args args = {
        .count = 256,
        .a = a,
        .b = b,
        .a_step = 1,
        .b_step = 1,
        .out = q,
        .out_quant = {(int8_t)out->zero_point, -128, 127},
    };
    if (sl_binary_qs8_prepare(op->code, (struct sl_quant_scale){l->scale, l->zero_point},
                              (struct sl_quant_scale){r->scale, r->zero_point}, out->scale,
                              &args.plan) != 0)
        return -1;
    sl_binary_qs8_select(SL_ISA_NONE, op->code)->run(&args);
    return 0;
}

static int apply_int8(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, const int8_t *a,
                      const int8_t *b, int8_t *q)
{
    int8_t table[256], min, max;
    if (op->kind == SL_XNN_OP_BINARY)
        return apply_binary_int8(plan, op, a, b, q);
    if (op->kind != SL_XNN_OP_CLAMP || !sl_xnn_keeps_scaling(plan, op)) {
        if (sl_xnn_fill_table(plan, op, table) != 0)
            return -1;
        for (int i = 0; i < 256; i++)
            q[i] = table[(uint8_t)a[i]];
        return 0;
    }
    sl_xnn_bounds(op, &plan->operands[op->output], &min, &max);
    for (int i = 0; i < 256; i++)
        q[i] = a[i] < min ? min : a[i] > max ? max : a[i];
    return 0;
}

/* A number, as what every value becomes. */
static void fill_number(const struct sl_xnn_operand *number, struct image *image)
{
    uint16_t half;
    float x = 0;
    int8_t q = 0;
    if (number->type == SL_XNN_FP32) {
        memcpy(&x, number->constant, sizeof(x));
    } else if (number->type == SL_XNN_FP16) {
        memcpy(&half, number->constant, sizeof(half));
        x = sl_half_to_float(half);
    } else {
        memcpy(&q, number->constant, sizeof(q));
    }
    for (int i = 0; i < 256; i++) {
        image->q[i] = q;
        image->x[i] = x;
    }
}

/* One link of a chain: from what `images` has for its inputs to the next image. */
static int apply(const struct sl_xnn_plan *plan, const struct chain *chain, uint32_t link,
                 struct image *images)
{
    const struct sl_xnn_op *op = chain->ops[link];
    const struct sl_xnn_operand *out = &plan->operands[op->output];
    struct image *made = &images[link + 1], number;
    const struct image *from[2] = {NULL, NULL};
    for (uint32_t k = 0; k < op->input_count && k < 2; k++) {
        int place = place_of(chain, op->inputs[k]);
        from[k] = place >= 0 ? &images[place] : &number;
        if (place < 0)
            fill_number(&plan->operands[op->inputs[k]], &number);
    }
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    const struct image *b = from[1] ? from[1] : from[0];
    if (in->type == SL_XNN_QINT8 && out->type == SL_XNN_QINT8)
        return apply_int8(plan, op, from[0]->q, b->q, made->q);
    if (in->type == SL_XNN_QINT8)
        convert(SL_CONVERT_F32_QS8, &in->quant, from[0]->q, made->x);
    else
        apply_float(op, from[0]->x, b->x, made->x);
    for (int i = 0; i < 256 && out->type == SL_XNN_FP16; i++)
        made->x[i] = sl_half_to_float(sl_half_from_float(made->x[i]));
    if (out->type == SL_XNN_QINT8)
        convert(SL_CONVERT_QS8_F32, &out->quant, made->x, made->q);
    return 0;
}

static int8_t *make_table(const struct sl_xnn_plan *plan, const struct chain *chain)
{
    struct image images[SL_XNN_MAX_CHAIN + 1];
    int8_t *table = sl_calloc(256, sizeof(*table));
    for (int i = 0; i < 256; i++)
        images[0].q[i] = (int8_t)(uint8_t)i;
    for (uint32_t i = 0; i < chain->count && table; i++)
        if (apply(plan, chain, i, images) != 0) {
            sl_free(table);
            table = NULL;
        }
    if (table)
        memcpy(table, images[chain->count].q, sizeof(images[0].q));
    return table;
}

/* All operators from `op` on that are one function of its argument, and give int8. */
static void follow(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct chain *chain)
{
    chain->count = 0;
    chain->values[0] = argument_of(plan, op);
    while (op && chain->count < SL_XNN_MAX_CHAIN && is_link(plan, chain, op)) {
        chain->ops[chain->count++] = op;
        chain->values[chain->count] = op->output;
        op = sole_reader(plan, op->output);
    }
    while (chain->count > 1 && plan->operands[chain->values[chain->count]].type != SL_XNN_QINT8)
        chain->count--;
}

/* The table is called by what it computes: conversions and clamps around a function are not it. */
static void name_after(struct sl_xnn_op *table, const struct chain *chain)
{
    const struct sl_xnn_op *first = NULL, *clamp = NULL;
    uint32_t functions = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct sl_xnn_op *op = chain->ops[i];
        bool bounds = op->kind == SL_XNN_OP_CLAMP, converts = op->kind == SL_XNN_OP_CONVERT;
        first = first || bounds || converts ? first : op;
        clamp = clamp || !bounds ? clamp : op;
        functions += !bounds && !converts;
    }
    const struct sl_xnn_op *named = first ? first : clamp ? clamp : table;
    bool known = functions == 1 && named->kind == SL_XNN_OP_UNARY;
    table->code = known ? named->code : SL_XNN_NONE;
    table->node = named->node;
    table->origin = named->origin;
}

/* The chain from `op` becomes one operator in the place of its last. Without memory, or with scales
 * that are refused, it stays as it is. */
static void fuse_from(struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    struct chain chain;
    follow(plan, op, &chain);
    if (chain.count < 2)
        return;
    struct sl_xnn_op *last = chain.ops[chain.count - 1];
    last->table = make_table(plan, &chain);
    if (!last->table)
        return;
    for (uint32_t i = 0; i < chain.count; i++)
        for (uint32_t k = 0; k < chain.ops[i]->input_count; k++)
            if (!sl_xnn_is_repeated(chain.ops[i], k))
                plan->operands[chain.ops[i]->inputs[k]].uses--;
    for (uint32_t i = 0; i + 1 < chain.count; i++)
        chain.ops[i]->dead = true;
    name_after(last, &chain);
    last->kind = SL_XNN_OP_TABLE;
    last->form = SL_XNN_FORM_QS8;
    last->inputs[0] = chain.values[0];
    last->input_count = 1;
    plan->operands[chain.values[0]].uses++;
}

void sl_xnn_fuse_tables(struct sl_xnn_plan *plan)
{
    for (uint32_t i = 0; i < plan->op_count; i++) {
        struct sl_xnn_op *op = &plan->ops[i];
        const struct chain none = {.count = 0, .values = {SL_XNN_NONE}};
        if (is_link(plan, &none, op) && plan->operands[argument_of(plan, op)].type == SL_XNN_QINT8)
            fuse_from(plan, op);
    }
}
