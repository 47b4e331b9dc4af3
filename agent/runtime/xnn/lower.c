/* agent/runtime/xnn/lower.c */
#include "agent/runtime/xnn/lower.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "agent/runtime/xnn/plan.h"
#include "agent/runtime/xnn/table.h"
#include "common/base/error.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"

enum { IN = SL_XNN_WIRE_IN, OUT = SL_XNN_WIRE_OUT, TEMP = SL_XNN_WIRE_TEMP };
/* The last of the memories between steps is an operator's own; the others hold wide operands. */
enum { OWN_TEMP = SL_XNN_MAX_TEMPS - 1 };

/* An operator while it is lowered: where its steps find its operands. */
struct lowering {
    struct sl_xnn_plan *plan;
    struct sl_xnn_op *op;
    uint32_t isa; /* the plan's, without streaming mode where the operator is kept out of it */
    int form;
    uint8_t a, b, out; /* enum sl_xnn_wire */
};

static const struct sl_xnn_operand *input(const struct lowering *l, uint32_t k)
{
    return l->op->inputs[k] == SL_XNN_NONE ? NULL : &l->plan->operands[l->op->inputs[k]];
}

static const struct sl_xnn_operand *output(const struct lowering *l)
{
    return &l->plan->operands[l->op->output];
}

static struct sl_step *next_step(const struct lowering *l, uint8_t a, uint8_t b, uint8_t out)
{
    assert(l->op->step_count < l->op->step_room);
    uint32_t at = l->op->step_first + l->op->step_count++;
    l->plan->wires[at] = (struct sl_xnn_wires){a, b, out};
    return &l->plan->steps[at];
}

/* The only step of an operator. */
static struct sl_step *only_step(const struct lowering *l)
{
    return next_step(l, l->a, l->b, l->out);
}

static bool is_half(const struct lowering *l)
{
    return l->form == SL_XNN_FORM_F16;
}

static int element_of(const struct lowering *l)
{
    return is_half(l) ? SL_F16 : SL_F32;
}

static size_t float_bytes(const struct lowering *l)
{
    return sl_element_bytes(element_of(l));
}

static int float_type(const struct sl_xnn_operand *operand)
{
    return !operand || operand->type == SL_XNN_FP32 ? SL_F32
           : operand->type == SL_XNN_FP16           ? SL_F16
                                                    : SL_BF16;
}

static struct sl_constants constants_of(const struct lowering *l)
{
    const struct sl_xnn_operand *weights = input(l, 1), *bias = input(l, 2);
    return (struct sl_constants){
        .weights = weights->constant,
        .bias = bias ? bias->constant : NULL,
        .weights_type = float_type(weights),
        .bias_type = float_type(bias),
        .isa = l->isa,
        .budget = l->plan->budget,
    };
}

static int lower_gemm(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = output(l);
    const struct sl_constants constants = constants_of(l);
    struct sl_xnn_op *op = l->op;
    size_t k = in->dims[in->rank - 1], n = out->dims[out->rank - 1], m = out->count / n;
    struct sl_step *step = next_step(l, l->a, 0, l->out);
    return sl_step_gemm(step, l->isa, element_of(l), m, n, k, op->transposed, &constants,
                        &op->weights);
}

/* Packs, then multiplies. */
static int lower_dynamic_gemm(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = output(l);
    const struct sl_constants none = {.budget = l->plan->budget};
    struct sl_xnn_op *op = l->op;
    size_t k = in->dims[in->rank - 1], n = out->dims[out->rank - 1], m = out->count / n;
    struct sl_step *pack = next_step(l, IN + 1, op->input_count > 2 ? IN + 2 : 0, TEMP + OWN_TEMP);
    struct sl_step *step = next_step(l, IN, TEMP + OWN_TEMP, OUT);
    int rc =
        sl_step_gemm(step, l->isa, element_of(l), m, n, k, op->transposed, &none, &op->weights);
    if (rc == 0)
        sl_step_pack(pack, step, op->transposed, &op->temp_bytes[OWN_TEMP]);
    return rc;
}

/* A left operand that is [k][m] is transposed first. */
static int lower_batch_gemm(const struct lowering *l)
{
    const struct sl_xnn_operand *a = input(l, 0), *b = input(l, 1);
    size_t dims[SL_XNN_MAX_RANK], perm[SL_XNN_MAX_RANK];
    uint8_t left = l->a;
    memcpy(dims, a->dims, sizeof(dims));
    if (l->op->node->flags & SL_XNN_FLAG_TRANSPOSE_A) {
        for (uint32_t i = 0; i < a->rank; i++)
            perm[i] = i;
        perm[a->rank - 2] = a->rank - 1;
        perm[a->rank - 1] = a->rank - 2;
        dims[a->rank - 2] = a->dims[a->rank - 1];
        dims[a->rank - 1] = a->dims[a->rank - 2];
        left = TEMP + OWN_TEMP;
        sl_step_permute_of(next_step(l, l->a, 0, left), l->isa, float_bytes(l), a->rank, a->dims,
                           perm);
        l->op->temp_bytes[OWN_TEMP] = a->count * float_bytes(l);
    }
    const struct sl_batch_shape shape = {a->rank, b->rank, dims, b->dims, l->op->transposed};
    struct sl_step *step = next_step(l, left, l->b, l->out);
    return sl_step_batch_gemm(step, l->isa, element_of(l), &shape);
}

static struct sl_conv_shape conv_shape(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]],
                                *out = &plan->operands[op->output];
    const struct sl_xnn_window *w = &op->window;
    return (struct sl_conv_shape){
        .batch = in->dims[0],
        .in_h = in->dims[1],
        .in_w = in->dims[2],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .groups = w->groups,
        .group_in_c = w->group_input_channels,
        .group_out_c = w->group_output_channels,
        .kernel_h = w->kernel_height,
        .kernel_w = w->kernel_width,
        .stride_h = w->stride_height,
        .stride_w = w->stride_width,
        .dilation_h = w->dilation_height,
        .dilation_w = w->dilation_width,
        .pad_top = w->padding_top,
        .pad_left = w->padding_left,
    };
}

static struct sl_pool_args pool_shape(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]],
                                *out = &plan->operands[op->output];
    const struct sl_xnn_window *w = &op->window;
    bool average = op->kind == SL_XNN_OP_AVG_POOL;
    return (struct sl_pool_args){
        .op = average ? SL_POOL_AVERAGE : SL_POOL_MAX,
        .batch = in->dims[0],
        .in_h = in->dims[1],
        .in_w = in->dims[2],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .channels = in->dims[3],
        .kernel_h = w->kernel_height,
        .kernel_w = w->kernel_width,
        .stride_h = w->stride_height,
        .stride_w = w->stride_width,
        .dilation_h = average ? 1 : w->dilation_height,
        .dilation_w = average ? 1 : w->dilation_width,
        .pad_top = w->padding_top,
        .pad_left = w->padding_left,
    };
}

static int lower_conv(const struct lowering *l)
{
    const struct sl_constants constants = constants_of(l);
    const struct sl_conv_shape shape = conv_shape(l->plan, l->op);
    const struct sl_depthwise_shape depthwise = sl_step_depthwise_shape(&shape);
    struct sl_weights *weights = &l->op->weights;
    struct sl_step *step = next_step(l, l->a, 0, l->out);
    uint32_t isa = l->isa;
    if (l->op->kind == SL_XNN_OP_CONV)
        return sl_step_conv(step, isa, element_of(l), &shape, &constants, weights);
    if (l->op->kind == SL_XNN_OP_DECONV)
        return sl_step_deconv(step, isa, element_of(l), &shape, &constants, weights);
    return sl_step_depthwise(step, isa, element_of(l), &depthwise, &constants, weights);
}

static int lower_pool(const struct lowering *l)
{
    const struct sl_pool_args shape = pool_shape(l->plan, l->op);
    return sl_step_pool(only_step(l), l->isa, element_of(l), &shape);
}

static int lower_argmax(const struct lowering *l)
{
    const struct sl_xnn_operand *out = output(l);
    const struct sl_xnn_window *w = &l->op->window;
    const size_t image[] = {out->dims[1], out->dims[2], w->kernel_height, w->kernel_width};
    const struct sl_argmax_args shape = {
        .batch = out->dims[0],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .channels = out->dims[3],
        .kernel_h = w->kernel_height,
        .kernel_w = w->kernel_width,
    };
    if (!sl_product_ok(image, 4) || w->kernel_height > INT32_MAX / w->kernel_width)
        return SL_ET_INVALID_ARGUMENT;
    sl_step_argmax(next_step(l, IN, SL_XNN_WIRE_OUT2, OUT), l->isa, &shape);
    return 0;
}

static struct sl_resize_args resize_shape(const struct sl_xnn_plan *plan,
                                          const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    const struct sl_xnn_operand *out = &plan->operands[op->output];
    return (struct sl_resize_args){
        .batch = in->dims[0],
        .channels = in->dims[3],
        .in_h = in->dims[1],
        .in_w = in->dims[2],
        .out_h = out->dims[1],
        .out_w = out->dims[2],
        .align_corners = op->node->flags & SL_XNN_FLAG_ALIGN_CORNERS,
    };
}

static struct sl_quant quant_of(const struct sl_xnn_operand *operand)
{
    return (struct sl_quant){operand->quant.scale, operand->quant.zero_point};
}

/* 0, or SL_ET_INVALID_PROGRAM when there is not a scale for each channel. */
static int int8_constants_of(const struct lowering *l, size_t channels,
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

static int qs8_weighted(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    struct sl_step *step = next_step(l, IN, 0, OUT);
    struct sl_weights *weights = &l->op->weights;
    struct sl_constants_qs8 c;
    uint32_t isa = l->isa;
    size_t n = out->dims[out->rank - 1];
    int rc = int8_constants_of(l, n, &c);
    if (rc != 0)
        return rc;
    if (l->op->kind == SL_XNN_OP_GEMM)
        return sl_step_gemm_qs8(step, isa, out->count / n, n, in->dims[in->rank - 1],
                                l->op->transposed, &c, weights);
    const struct sl_conv_shape shape = conv_shape(l->plan, l->op);
    const struct sl_depthwise_shape depthwise = sl_step_depthwise_shape(&shape);
    if (l->op->kind == SL_XNN_OP_CONV)
        return sl_step_conv_qs8(step, isa, &shape, &c, weights);
    if (l->op->kind == SL_XNN_OP_DECONV)
        return sl_step_deconv_qs8(step, isa, &shape, &c, weights);
    return sl_step_depthwise_qs8(step, isa, &depthwise, &c, weights);
}

static int qs8_binary(const struct lowering *l)
{
    const struct sl_xnn_operand *a = input(l, 0), *b = input(l, 1);
    const struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    const struct sl_quant quants[3] = {quant_of(a), quant_of(b), quant_of(out)};
    struct sl_broadcast_plan plan;
    if (!sl_broadcast_of(a->rank, a->dims, b->rank, b->dims, out->rank, out->dims, 1, &plan))
        return SL_ET_INVALID_ARGUMENT;
    return sl_step_binary_qs8(next_step(l, IN, IN + 1, OUT), l->isa, l->op->code, &plan, quants);
}

static int qs8_table(const struct lowering *l)
{
    struct sl_step *step = next_step(l, IN, 0, OUT);
    sl_step_table_qs8(step, l->isa, l->plan->operands[l->op->output].count);
    if (!l->op->table)
        return sl_xnn_fill_table(l->plan, l->op, step->quant.unary.table) != 0
                   ? SL_ET_INVALID_PROGRAM
                   : 0;
    for (int i = 0; i < 256; i++)
        step->quant.unary.table[i] = l->op->table[i];
    return 0;
}

static int qs8_mean(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    const struct sl_quant quants[2] = {quant_of(in), quant_of(out)};
    size_t last = in->dims[in->rank - 1], pixels = in->dims[in->rank - 3] * in->dims[in->rank - 2];
    return sl_step_mean_qs8(next_step(l, IN, 0, OUT), l->isa, in->count / pixels / last, pixels,
                            last, quants);
}

static int lower_qs8(const struct lowering *l)
{
    const struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    int8_t min, max;
    sl_xnn_bounds(l->op, out, &min, &max);
    switch (l->op->kind) {
    case SL_XNN_OP_BINARY:
        return qs8_binary(l);
    case SL_XNN_OP_MEAN:
        return qs8_mean(l);
    case SL_XNN_OP_MAX_POOL: {
        const struct sl_pool_args shape = pool_shape(l->plan, l->op);
        return sl_step_pool_qs8(next_step(l, IN, 0, OUT), l->isa, &shape, min, max);
    }
    case SL_XNN_OP_RESIZE: {
        const struct sl_resize_args shape = resize_shape(l->plan, l->op);
        sl_step_resize(next_step(l, IN, 0, OUT), l->isa, SL_QS8, &shape);
        return 0;
    }
    case SL_XNN_OP_CLAMP:
        if (!sl_xnn_keeps_scaling(l->plan, l->op))
            return qs8_table(l);
        sl_step_clamp_qs8(next_step(l, IN, 0, OUT), l->isa, out->count, min, max);
        return 0;
    case SL_XNN_OP_UNARY:
    case SL_XNN_OP_SQUARE:
    case SL_XNN_OP_TABLE:
        return qs8_table(l);
    default:
        return qs8_weighted(l);
    }
}

static int row_type(int type)
{
    return type == SL_XNN_FP16 ? SL_ROWS_F16 : type == SL_XNN_FP32 ? SL_ROWS_F32 : SL_ROWS_QD8;
}

/* Weights as the program holds them; false when their scales do not fit. */
static bool dynamic_weights(const struct lowering *l, size_t n, size_t k,
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

/* A result in f32 becomes bfloat16 afterwards. */
static void add_narrowing(const struct lowering *l, const struct sl_xnn_operand *out)
{
    const struct sl_quant none = {0};
    sl_step_set_clamp(&l->plan->steps[l->op->step_first + l->op->step_count - 1], l->op->min,
                      l->op->max);
    l->op->temp_bytes[0] = out->count * sizeof(float);
    sl_step_convert(next_step(l, TEMP, 0, OUT), l->isa, SL_CONVERT_BF16_F32, out->count, none,
                    none);
}

static int lower_qd8(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = &l->plan->operands[l->op->output];
    const struct sl_xnn_operand *bias = input(l, 2);
    bool narrows = out->type == SL_XNN_BF16, product = l->op->kind == SL_XNN_OP_GEMM;
    struct sl_step *step = next_step(l, IN, 0, narrows ? TEMP : OUT);
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
        rc = sl_step_gemm_qd8(step, l->isa, &gemm, &l->op->weights);
    } else {
        const struct sl_conv_shape shape = conv_shape(l->plan, l->op);
        rc = sl_step_conv_qd8(step, l->isa, &shape, l->op->kind == SL_XNN_OP_DECONV, &gemm,
                              &l->op->weights);
    }
    if (rc == 0 && narrows)
        add_narrowing(l, out);
    return rc;
}

static void add_quantise(const struct lowering *l, uint8_t from, int type)
{
    const struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    size_t rows = sl_xnn_operand_rows(out);
    sl_step_quantise(next_step(l, from, 0, OUT), l->isa, type, rows, out->count / rows);
}

/* One conversion, or by way of f32. */
static int lower_convert(const struct lowering *l)
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
        sl_step_convert(next_step(l, IN, 0, TEMP), l->isa, sl_xnn_convert_op(in->type, SL_XNN_FP32),
                        in->count, from, to);
        op = sl_xnn_convert_op(SL_XNN_FP32, out->type);
    }
    if (out->type == SL_XNN_QDINT8)
        add_quantise(l, at, row_type(type));
    else if (in->type == out->type && in->type != SL_XNN_QINT8)
        sl_step_copy_dense(next_step(l, at, 0, OUT), sl_xnn_operand_bytes(out));
    else if (op == SL_CONVERT_QS8_QS8 && !(from.scale / to.scale <= 128.0f))
        return SL_ET_INVALID_PROGRAM;
    else
        sl_step_convert(next_step(l, at, 0, OUT), l->isa, op, out->count, from, to);
    return 0;
}

static int lower_resize(const struct lowering *l)
{
    const struct sl_resize_args shape = resize_shape(l->plan, l->op);
    sl_step_resize(only_step(l), l->isa, element_of(l), &shape);
    return 0;
}

static int lower_transpose(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0);
    size_t perm[SL_XNN_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++)
        perm[i] = l->op->node->params[i];
    sl_step_permute_of(only_step(l), l->isa, sl_xnn_datatype_size(in->type), in->rank, in->dims,
                       perm);
    return 0;
}

/* The bits of a padding value in the operand's type. */
static uint32_t padding_bits(const struct sl_xnn_operand *out, float value)
{
    uint32_t bits;
    const struct sl_xnn_op point = {.min = value, .max = value};
    int8_t q, same;
    switch (out->type) {
    case SL_XNN_FP16:
        return sl_half_from_float(value);
    case SL_XNN_BF16:
        return sl_bfloat_from_float(value);
    case SL_XNN_QINT8:
        sl_xnn_bounds(&point, out, &q, &same);
        return (uint8_t)q;
    default:
        memcpy(&bits, &value, sizeof(bits));
        return bits;
    }
}

/* The value's bytes first, then the box inside it. */
static int lower_pad(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = output(l);
    size_t origin[SL_XNN_MAX_RANK] = {0}, at[SL_XNN_MAX_RANK];
    const struct sl_box box = {
        sl_xnn_datatype_size(in->type), in->rank, in->dims, in->dims, origin, out->dims, at};
    for (uint32_t i = 0; i < in->rank; i++)
        at[i] = l->op->node->params[i];
    sl_step_fill(next_step(l, 0, 0, OUT), box.element_bytes, out->count,
                 padding_bits(out, l->op->node->alpha));
    sl_step_copy_box(only_step(l), &box);
    return 0;
}

static int lower_slice(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = output(l);
    size_t origin[SL_XNN_MAX_RANK] = {0}, at[SL_XNN_MAX_RANK];
    const struct sl_box box = {
        sl_xnn_datatype_size(in->type), in->rank, out->dims, in->dims, at, out->dims, origin};
    for (uint32_t i = 0; i < in->rank; i++)
        at[i] = l->op->node->params[i];
    sl_step_copy_box(only_step(l), &box);
    return 0;
}

/* The last step of the operator that writes `operand`, if no other step of it writes there. */
static struct sl_step *last_writer(const struct sl_xnn_plan *plan, const struct sl_xnn_op *before,
                                   int32_t operand)
{
    const struct sl_xnn_op *op = before;
    do {
        if (op-- == plan->ops)
            return NULL;
    } while (op->output != operand);
    uint32_t last = op->step_first + op->step_count - 1;
    for (uint32_t k = op->step_first; k < last; k++)
        if (plan->wires[k].out == OUT)
            return NULL;
    bool moves = op->kind == SL_XNN_OP_CONCAT || plan->wires[last].out != OUT;
    return moves ? NULL : &plan->steps[last];
}

/* Threads can share the writing of rows of which some begin with a cache line. */
static bool rows_meet_lines(size_t at_bytes, size_t pitch_bytes)
{
    enum { LINE_BYTES = 64 };
    size_t step = pitch_bytes % LINE_BYTES == 0 ? LINE_BYTES : pitch_bytes & -pitch_bytes;
    return at_bytes % step == 0;
}

/* True if input `k` may get other memory: nobody else reads it, and it fills its memory alone. */
static bool may_move(const struct lowering *l, uint32_t k)
{
    const struct sl_xnn_operand *in = input(l, k);
    for (uint32_t other = 0; other < l->op->input_count; other++)
        if (other != k && l->op->inputs[other] == l->op->inputs[k])
            return false;
    return in->uses == 1 && in->count != 0 && in->external_id == SL_XNN_NO_ID && !in->constant &&
           in->type == output(l)->type && in->type != SL_XNN_QDINT8 &&
           in->memory == l->op->inputs[k];
}

/* Makes input `k` the part of the output that begins at element `at`, so that nothing is left to
 * copy: a run, or the same columns of each of many rows. False where that cannot be. */
static bool join_in_place(const struct lowering *l, uint32_t k, size_t at)
{
    struct sl_xnn_operand *in = &l->plan->operands[l->op->inputs[k]];
    const struct sl_xnn_operand *out = output(l);
    size_t element = sl_xnn_datatype_size(in->type), rows = 1, axis = l->op->node->axis;
    struct sl_step *step = may_move(l, k) ? last_writer(l->plan, l->op, l->op->inputs[k]) : NULL;
    for (size_t d = 0; d < axis; d++)
        rows *= out->dims[d];
    if (!step || !rows_meet_lines(at * element, out->dims[out->rank - 1] * element) ||
        (rows > 1 && (axis + 1 != out->rank || !sl_step_set_pitch(step, out->dims[axis]))))
        return false;
    in->memory = l->op->output;
    in->part_at = at * element;
    in->run_bytes = in->count / rows * element;
    in->pitch_bytes = out->count / rows * element;
    return true;
}

static int lower_concat(const struct lowering *l)
{
    const struct sl_xnn_operand *out = output(l);
    size_t origin[SL_XNN_MAX_RANK] = {0}, at[SL_XNN_MAX_RANK] = {0}, axis = l->op->node->axis;
    size_t inner = 1;
    for (size_t d = axis + 1; d < out->rank; d++)
        inner *= out->dims[d];
    for (uint32_t k = 0; k < l->op->input_count; k++) {
        const struct sl_xnn_operand *in = input(l, k);
        const struct sl_box box = {
            sl_xnn_datatype_size(in->type), in->rank, in->dims, in->dims, origin, out->dims, at};
        if (!join_in_place(l, k, at[axis] * inner))
            sl_step_copy_box(next_step(l, (uint8_t)(IN + k), 0, OUT), &box);
        at[axis] += in->dims[axis];
    }
    if (l->op->step_count == 0)
        sl_step_none(only_step(l));
    return 0;
}

static void add_reduce(const struct lowering *l, struct sl_step *step)
{
    const struct sl_xnn_operand *in = input(l, 0);
    size_t last = in->rank != 0 ? in->dims[in->rank - 1] : 1, pixels = last;
    bool softmax = l->op->kind == SL_XNN_OP_SOFTMAX;
    if (!softmax)
        pixels = in->dims[in->rank - 3] * in->dims[in->rank - 2];
    sl_step_reduce(step, l->isa, element_of(l), softmax ? SL_REDUCE_SOFTMAX : SL_REDUCE_MEAN,
                   in->count / pixels / (softmax ? 1 : last), pixels, softmax ? 1 : last);
}

static int add_binary(const struct lowering *l, struct sl_step *step, int code,
                      const struct sl_xnn_operand *b, const struct sl_xnn_operand *out)
{
    const struct sl_xnn_operand *a = input(l, 0);
    return sl_step_binary(step, l->isa, element_of(l), code, a->rank, a->dims, b->rank, b->dims,
                          out->rank, out->dims);
}

/* The squares first, then their mean. */
static int lower_mean_squared(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0);
    uint8_t between = TEMP + OWN_TEMP;
    int rc = add_binary(l, next_step(l, l->a, l->a, between), SL_BINARY_MULTIPLY, in, in);
    l->op->temp_bytes[OWN_TEMP] = in->count * float_bytes(l);
    add_reduce(l, next_step(l, between, 0, l->out));
    return rc;
}

static int lower_unary(const struct lowering *l)
{
    const struct sl_xnn_op *op = l->op;
    bool clamp = op->kind == SL_XNN_OP_CLAMP;
    sl_step_unary(only_step(l), l->isa, element_of(l), clamp ? SL_UNARY_CLAMP : op->code,
                  output(l)->count, clamp ? op->min : op->node->alpha, clamp ? op->max : 0);
    return 0;
}

static int lower_floats(const struct lowering *l)
{
    switch (l->op->kind) {
    case SL_XNN_OP_CONV:
    case SL_XNN_OP_DEPTHWISE:
    case SL_XNN_OP_DECONV:
        return lower_conv(l);
    case SL_XNN_OP_GEMM:
        return lower_gemm(l);
    case SL_XNN_OP_DYNAMIC_GEMM:
        return lower_dynamic_gemm(l);
    case SL_XNN_OP_BATCH_GEMM:
        return lower_batch_gemm(l);
    case SL_XNN_OP_MEAN_SQUARED:
        return lower_mean_squared(l);
    case SL_XNN_OP_UNARY:
    case SL_XNN_OP_CLAMP:
        return lower_unary(l);
    case SL_XNN_OP_BINARY:
        return add_binary(l, only_step(l), l->op->code, input(l, 1), output(l));
    case SL_XNN_OP_SQUARE:
        return add_binary(l, next_step(l, l->a, l->a, l->out), SL_BINARY_MULTIPLY, input(l, 0),
                          output(l));
    case SL_XNN_OP_MAX_POOL:
    case SL_XNN_OP_AVG_POOL:
        return lower_pool(l);
    case SL_XNN_OP_ARGMAX:
        return lower_argmax(l);
    case SL_XNN_OP_RESIZE:
        return lower_resize(l);
    default:
        add_reduce(l, only_step(l));
        return 0;
    }
}

static void add_convert(const struct lowering *l, const struct sl_xnn_operand *operand, int op,
                        uint8_t from, uint8_t to)
{
    const struct sl_quant quant = {operand->quant.scale, operand->quant.zero_point};
    sl_step_convert(next_step(l, from, 0, to), l->isa, op, operand->count, quant, quant);
}

/* Operands are made f32 first, and what comes out of it is converted back. */
static int lower_wide(const struct lowering *l)
{
    struct lowering inner = *l;
    const struct sl_xnn_operand *out = output(l);
    bool weighted = l->op->kind == SL_XNN_OP_CONV || l->op->kind == SL_XNN_OP_DEPTHWISE ||
                    l->op->kind == SL_XNN_OP_DECONV;
    inner.form = SL_XNN_FORM_F32;
    for (uint32_t k = 0; k < (weighted ? 1 : l->op->input_count) && k < 2; k++) {
        const struct sl_xnn_operand *in = input(l, k);
        add_convert(l, in, sl_xnn_convert_op(in->type, SL_XNN_FP32), (uint8_t)(IN + k),
                    (uint8_t)(TEMP + k));
        l->op->temp_bytes[k] = in->count * sizeof(float);
    }
    inner.a = TEMP;
    inner.b = l->op->input_count > 1 && !weighted ? TEMP + 1 : 0;
    inner.out = TEMP + 2;
    l->op->temp_bytes[2] = out->count * sizeof(float);
    int rc = lower_floats(&inner);
    sl_step_set_clamp(&l->plan->steps[l->op->step_first + l->op->step_count - 1], l->op->min,
                      l->op->max);
    add_convert(l, out, sl_xnn_convert_op(SL_XNN_FP32, out->type), TEMP + 2, OUT);
    return rc;
}

/* bfloat16 products have a kernel of their own. */
static int lower_bfloat_gemm(const struct lowering *l)
{
    const struct sl_xnn_operand *in = input(l, 0), *out = output(l);
    const struct sl_constants constants = constants_of(l);
    size_t k = in->dims[in->rank - 1], n = out->dims[out->rank - 1];
    return sl_step_gemm(next_step(l, IN, 0, OUT), l->isa, SL_BF16, out->count / n, n, k,
                        l->op->transposed, &constants, &l->op->weights);
}

static int lower_move(const struct lowering *l)
{
    switch (l->op->kind) {
    case SL_XNN_OP_TRANSPOSE:
        return lower_transpose(l);
    case SL_XNN_OP_PAD:
        return lower_pad(l);
    case SL_XNN_OP_SLICE:
        return lower_slice(l);
    case SL_XNN_OP_CONCAT:
        return lower_concat(l);
    case SL_XNN_OP_CONVERT:
        return lower_convert(l);
    default:
        sl_step_copy_dense(only_step(l), sl_xnn_operand_bytes(output(l)));
        return 0;
    }
}

static int lower_any(const struct lowering *l)
{
    switch (l->op->form) {
    case SL_XNN_FORM_BYTES:
        return lower_move(l);
    case SL_XNN_FORM_QS8:
        return lower_qs8(l);
    case SL_XNN_FORM_QD8:
        return l->op->kind == SL_XNN_OP_CONVERT ? lower_convert(l) : lower_qd8(l);
    case SL_XNN_FORM_WIDE:
        return l->op->kind == SL_XNN_OP_GEMM ? lower_bfloat_gemm(l) : lower_wide(l);
    default:
        return lower_floats(l);
    }
}

/* True for moves that leave every element where it is: reshapes, and transposes that only shift
 * dimensions of size 1. */
static bool keeps_order(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_operand *in = &plan->operands[op->inputs[0]];
    size_t last = 0;
    if (op->kind == SL_XNN_OP_RESHAPE)
        return true;
    if (op->kind != SL_XNN_OP_TRANSPOSE)
        return false;
    for (uint32_t i = 0; i < in->rank; i++) {
        size_t from = op->node->params[i];
        if (in->dims[from] == 1)
            continue;
        if (from < last)
            return false;
        last = from;
    }
    return true;
}

/* An operator of one step that moves nothing, or everything. */
static bool lower_in_place(const struct lowering *l)
{
    struct sl_xnn_operand *out = &l->plan->operands[l->op->output];
    if (out->count != 0 && !keeps_order(l->plan, l->op))
        return false;
    struct sl_step *step = only_step(l);
    if (out->count == 0) {
        sl_step_none(step);
    } else if (out->external_output) {
        sl_step_copy_dense(step, sl_xnn_operand_bytes(out));
    } else {
        sl_step_none(step);
        out->memory = l->plan->operands[l->op->inputs[0]].memory;
    }
    return true;
}

static const char *why(int rc)
{
    return rc == SL_ET_MEMORY_ALLOCATION_FAILED ? "its packed weights go over the memory limit"
           : rc == SL_ET_INVALID_PROGRAM        ? "its scales or their number are refused"
                                                : "its shape is not one that can be computed";
}

/* Memory between steps at multiples of 64, then the most that any step needs. */
static bool add_scratch(const struct sl_xnn_plan *plan, struct sl_xnn_op *op)
{
    size_t most = 0;
    for (uint32_t k = 0; k < op->step_count; k++) {
        const struct sl_step *step = &plan->steps[op->step_first + k];
        most = step->workspace_bytes > most ? step->workspace_bytes : most;
    }
    op->scratch_bytes = most;
    for (int t = 0; t < SL_XNN_MAX_TEMPS; t++) {
        op->temp_bytes[t] = (op->temp_bytes[t] + 63) & ~(size_t)63;
        if (__builtin_add_overflow(op->scratch_bytes, op->temp_bytes[t], &op->scratch_bytes))
            return false;
    }
    return true;
}

static uint32_t isa_of(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2;
    bool kept = sl_kept_out_node(plan->kept, plan->place, op->node->index);
    return kept ? plan->isa & ~sme : plan->isa;
}

int sl_xnn_lower(struct sl_xnn_plan *plan, struct sl_xnn_op *op, struct sl_diag *diag)
{
    const struct lowering l = {plan, op, isa_of(plan, op), op->form, IN, IN + 1, OUT};
    op->step_count = 0;
    op->scratch_bytes = 0;
    memset(op->temp_bytes, 0, sizeof(op->temp_bytes));
    plan->operands[op->output].memory = op->output;
    if (op->output2 != SL_XNN_NONE)
        plan->operands[op->output2].memory = op->output2;
    if (lower_in_place(&l))
        return 0;
    for (uint32_t k = 0; k < op->input_count; k++)
        if (input(&l, k) && input(&l, k)->count == 0 && op->kind != SL_XNN_OP_CONCAT &&
            op->kind != SL_XNN_OP_PAD)
            return sl_xnn_op_error(op, diag, SL_ET_INVALID_PROGRAM, "its input is empty");
    int rc = lower_any(&l);
    if (rc != 0)
        return sl_xnn_op_error(op, diag, rc, why(rc));
    sl_step_set_clamp(&plan->steps[op->step_first + op->step_count - 1], op->min, op->max);
    if (!add_scratch(plan, op))
        return sl_xnn_op_error(op, diag, SL_ET_MEMORY_ALLOCATION_FAILED,
                               "its scratch memory is too large");
    return 0;
}
