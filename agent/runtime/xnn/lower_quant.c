/* agent/runtime/xnn/lower_quant.c: from operators over quantised values to kernel steps. */
#include <math.h>

#include "agent/runtime/xnn/plan.h"

enum { IN = SL_XNN_WIRE_IN, OUT = SL_XNN_WIRE_OUT, TEMP = SL_XNN_WIRE_TEMP };

static const struct sl_xnn_operand *input(const struct sl_xnn_lowering *l, uint32_t k)
{
    return l->op->inputs[k] == SL_XNN_NONE ? NULL : &l->plan->operands[l->op->inputs[k]];
}

static struct sl_quant quant_of(const struct sl_xnn_operand *operand)
{
    return (struct sl_quant){operand->quant.scale, operand->quant.zero_point};
}

static int8_t bound(float value, const struct sl_xnn_scaling *quant)
{
    float q = value / quant->scale + (float)quant->zero_point;
    q = q > -128.0f ? q : -128.0f; /* a NaN too */
    q = q < 127.0f ? q : 127.0f;
    return (int8_t)lrintf(q);
}

void sl_xnn_bounds(const struct sl_xnn_op *op, const struct sl_xnn_operand *out, int8_t *min,
                   int8_t *max)
{
    *min = bound(op->min, &out->quant);
    *max = bound(op->max, &out->quant);
}

/* 0, or SL_ET_INVALID_PROGRAM when there is not a scale for each channel. */
static int constants_of(const struct sl_xnn_lowering *l, size_t channels,
                        struct sl_constants_qs8 *out)
{
    const struct sl_xnn_operand *weights = input(l, 1), *bias = input(l, 2);
    const struct sl_xnn_operand *to = &l->plan->operands[l->op->output];
    bool per_channel = weights->type == SL_XNN_QCINT8;
    *out = (struct sl_constants_qs8){
        .weights = weights->constant,
        .bias = bias ? bias->constant : NULL,
        .weights_scale = per_channel ? weights->quant.scales : &weights->quant.scale,
        .per_channel = per_channel,
        .in = quant_of(input(l, 0)),
        .out = quant_of(to),
        .budget = l->plan->budget,
    };
    sl_xnn_bounds(l->op, to, &out->min, &out->max);
    bool fits =
        per_channel ? weights->quant.scale_count == channels : weights->quant.zero_point == 0;
    return fits ? 0 : SL_ET_INVALID_PROGRAM;
}

static int lower_weighted(const struct sl_xnn_lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    struct sl_step *step = sl_xnn_next_step(l, IN, 0, OUT);
    struct sl_weights *weights = &l->op->weights;
    struct sl_constants_qs8 c;
    uint32_t isa = l->plan->isa;
    size_t n = out->dims[out->rank - 1];
    int rc = constants_of(l, n, &c);
    if (rc != 0)
        return rc;
    if (l->op->kind == SL_XNN_OP_GEMM)
        return sl_step_gemm_qs8(step, isa, out->count / n, n, in->dims[in->rank - 1],
                                l->op->transposed, &c, weights);
    const struct sl_conv_shape shape = sl_xnn_conv_shape(l->plan, l->op);
    const struct sl_depthwise_shape depthwise = sl_step_depthwise_shape(&shape);
    if (l->op->kind == SL_XNN_OP_CONV)
        return sl_step_conv_qs8(step, isa, &shape, &c, weights);
    if (l->op->kind == SL_XNN_OP_DECONV)
        return sl_step_deconv_qs8(step, isa, &shape, &c, weights);
    return sl_step_depthwise_qs8(step, isa, &depthwise, &c, weights);
}

static int lower_binary(const struct sl_xnn_lowering *l)
{
    const struct sl_xnn_operand *a = input(l, 0), *b = input(l, 1);
    const struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    const struct sl_quant quants[3] = {quant_of(a), quant_of(b), quant_of(out)};
    struct sl_broadcast_plan plan;
    if (!sl_broadcast_of(a->rank, a->dims, b->rank, b->dims, out->rank, out->dims, &plan))
        return SL_ET_INVALID_ARGUMENT;
    return sl_step_binary_qs8(sl_xnn_next_step(l, IN, IN + 1, OUT), l->plan->isa, l->op->code,
                              &plan, quants);
}

static int lower_table(const struct sl_xnn_lowering *l)
{
    struct sl_step *step = sl_xnn_next_step(l, IN, 0, OUT);
    sl_step_table_qs8(step, l->plan->isa, l->plan->operands[l->op->output].count);
    if (!l->op->table)
        return sl_xnn_fill_table(l->plan, l->op, step->quant.unary.table) != 0
                   ? SL_ET_INVALID_PROGRAM
                   : 0;
    for (int i = 0; i < 256; i++)
        step->quant.unary.table[i] = l->op->table[i];
    return 0;
}

static int lower_mean(const struct sl_xnn_lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    const struct sl_quant quants[2] = {quant_of(in), quant_of(out)};
    size_t last = in->dims[in->rank - 1], pixels = in->dims[in->rank - 3] * in->dims[in->rank - 2];
    return sl_step_mean_qs8(sl_xnn_next_step(l, IN, 0, OUT), l->plan->isa,
                            in->count / pixels / last, pixels, last, quants);
}

int sl_xnn_lower_qs8(const struct sl_xnn_lowering *l)
{
    const struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    int8_t min, max;
    sl_xnn_bounds(l->op, out, &min, &max);
    switch (l->op->kind) {
    case SL_XNN_OP_BINARY:
        return lower_binary(l);
    case SL_XNN_OP_MEAN:
        return lower_mean(l);
    case SL_XNN_OP_MAX_POOL: {
        const struct sl_pool_args shape = sl_xnn_pool_shape(l->plan, l->op);
        return sl_step_pool_qs8(sl_xnn_next_step(l, IN, 0, OUT), l->plan->isa, &shape, min, max);
    }
    case SL_XNN_OP_RESIZE: {
        const struct sl_resize_args shape = sl_xnn_resize_shape(l->plan, l->op);
        sl_step_resize_qs8(sl_xnn_next_step(l, IN, 0, OUT), l->plan->isa, &shape);
        return 0;
    }
    case SL_XNN_OP_CLAMP:
        if (!sl_xnn_keeps_scaling(l->plan, l->op))
            return lower_table(l);
        sl_step_clamp_qs8(sl_xnn_next_step(l, IN, 0, OUT), l->plan->isa, out->count, min, max);
        return 0;
    case SL_XNN_OP_UNARY:
    case SL_XNN_OP_SQUARE:
    case SL_XNN_OP_TABLE:
        return lower_table(l);
    default:
        return lower_weighted(l);
    }
}

static int row_type(int type)
{
    return type == SL_XNN_FP16 ? SL_ROWS_F16 : type == SL_XNN_FP32 ? SL_ROWS_F32 : SL_ROWS_QD8;
}

/* Weights as the program holds them; false when their scales do not fit. */
static bool dynamic_weights(const struct sl_xnn_lowering *l, size_t n, size_t k,
                            struct sl_weights_qd8 *out)
{
    const struct sl_xnn_operand *weights = input(l, 1), *bias = input(l, 2);
    const struct sl_xnn_scaling *quant = &weights->quant;
    *out = (struct sl_weights_qd8){
        .n = n,
        .k = k,
        .data = weights->constant,
        .transposed = l->op->transposed,
        .scale = quant->scales,
        .bias = bias ? bias->constant : NULL,
    };
    if (weights->type != SL_XNN_QBINT4)
        return quant->scale_count == n;
    out->scale = quant->group_scales;
    out->scale_bf16 = true;
    out->group = quant->group_size;
    return out->group != 0 && out->group % 32 == 0 && k % out->group == 0 &&
           quant->scale_count == n * (k / out->group);
}

/* What is made in f32 becomes bfloat16 after it. */
static void add_narrowing(const struct sl_xnn_lowering *l, const struct sl_xnn_operand *out)
{
    const struct sl_quant none = {0};
    sl_step_set_clamp(&l->plan->steps[l->op->step_first + l->op->step_count - 1], l->op->min,
                      l->op->max);
    l->op->temp_bytes[0] = out->count * sizeof(float);
    sl_step_convert(sl_xnn_next_step(l, TEMP, 0, OUT), l->plan->isa, SL_CONVERT_BF16_F32,
                    out->count, none, none);
}

int sl_xnn_lower_qd8(const struct sl_xnn_lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    const struct sl_xnn_operand *bias = input(l, 2);
    bool narrows = out->type == SL_XNN_BF16, product = l->op->kind == SL_XNN_OP_GEMM;
    struct sl_step *step = sl_xnn_next_step(l, IN, 0, narrows ? TEMP : OUT);
    size_t n = out->dims[out->rank - 1], k = in->dims[in->rank - 1];
    struct sl_gemm_qd8 gemm = {
        .m = out->count / n,
        .lhs_type = row_type(in->type),
        .out_type = narrows ? SL_ROWS_F32 : row_type(out->type),
        .q4 = input(l, 1)->type != SL_XNN_QCINT8,
        .budget = l->plan->budget,
    };
    if (!dynamic_weights(l, n, k, &gemm.weights) || (bias && bias->type != SL_XNN_FP32) ||
        (in->type == SL_XNN_QDINT8 && sl_xnn_operand_rows(in) != (product ? gemm.m : in->dims[0])))
        return SL_ET_INVALID_PROGRAM;
    int rc;
    if (product) {
        rc = sl_step_gemm_qd8(step, l->plan->isa, &gemm, &l->op->weights);
    } else {
        const struct sl_conv_shape shape = sl_xnn_conv_shape(l->plan, l->op);
        rc = sl_step_conv_qd8(step, l->plan->isa, &shape, l->op->kind == SL_XNN_OP_DECONV, &gemm,
                              &l->op->weights);
    }
    if (rc == 0 && narrows)
        add_narrowing(l, out);
    return rc;
}

int sl_xnn_convert_op(int from, int to)
{
    static const struct {
        int from, to, op;
    } known[] = {
        {SL_XNN_FP32, SL_XNN_FP16, SL_CONVERT_F16_F32},
        {SL_XNN_FP16, SL_XNN_FP32, SL_CONVERT_F32_F16},
        {SL_XNN_FP32, SL_XNN_BF16, SL_CONVERT_BF16_F32},
        {SL_XNN_BF16, SL_XNN_FP32, SL_CONVERT_F32_BF16},
        {SL_XNN_FP32, SL_XNN_QINT8, SL_CONVERT_QS8_F32},
        {SL_XNN_FP16, SL_XNN_QINT8, SL_CONVERT_QS8_F16},
        {SL_XNN_QINT8, SL_XNN_FP32, SL_CONVERT_F32_QS8},
        {SL_XNN_QINT8, SL_XNN_FP16, SL_CONVERT_F16_QS8},
        {SL_XNN_QINT8, SL_XNN_QINT8, SL_CONVERT_QS8_QS8},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].from == from && known[i].to == to)
            return known[i].op;
    return -1;
}

static void add_quantise(const struct sl_xnn_lowering *l, uint8_t from, int type)
{
    const struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    size_t rows = sl_xnn_operand_rows(out);
    sl_step_quantise(sl_xnn_next_step(l, from, 0, OUT), l->plan->isa, type, rows,
                     out->count / rows);
}

/* One conversion, or by way of f32. */
int sl_xnn_lower_convert(const struct sl_xnn_lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    const struct sl_quant from = quant_of(in), to = quant_of(out);
    uint8_t at = IN;
    int type = in->type, op = sl_xnn_convert_op(in->type, out->type);
    bool wide = in->type == SL_XNN_BF16 && out->type == SL_XNN_QDINT8;
    if (wide || (op < 0 && out->type != SL_XNN_QDINT8 && in->type != out->type)) {
        l->op->temp_bytes[0] = in->count * sizeof(float);
        at = TEMP;
        type = SL_XNN_FP32;
        sl_step_convert(sl_xnn_next_step(l, IN, 0, TEMP), l->plan->isa,
                        sl_xnn_convert_op(in->type, SL_XNN_FP32), in->count, from, to);
        op = sl_xnn_convert_op(SL_XNN_FP32, out->type);
    }
    if (out->type == SL_XNN_QDINT8)
        add_quantise(l, at, row_type(type));
    else if (in->type == out->type && in->type != SL_XNN_QINT8)
        sl_step_copy_dense(sl_xnn_next_step(l, at, 0, OUT), sl_xnn_operand_bytes(out));
    else if (op == SL_CONVERT_QS8_QS8 && !(from.scale / to.scale <= 128.0f))
        return SL_ET_INVALID_PROGRAM;
    else
        sl_step_convert(sl_xnn_next_step(l, at, 0, OUT), l->plan->isa, op, out->count, from, to);
    return 0;
}
