/* agent/runtime/xnn/names.c */
#include "agent/runtime/xnn/names.h"

#include "agent/runtime/xnn/plan.h"
#include "kernels/cpu/isa.h"

/* With SME or SME2 XNNPACK packs the left operand, and its dense operators are named so. */
static bool packs_lhs(const struct sl_xnn_plan *plan)
{
    return (plan->isa & (SL_ISA_SME | SL_ISA_SME2)) != 0;
}

enum { F32, F16, QS8, QD8, QD8_F16, KINDS };

/* The column of the tables below. */
static int column(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int out = plan->operands[op->output].type;
    if (op->form == SL_XNN_FORM_QD8)
        return out == SL_XNN_FP16 ? QD8_F16 : QD8;
    return out == SL_XNN_QINT8 ? QS8 : out == SL_XNN_FP16 ? F16 : F32;
}

/* In half precision only products whose weights are stored so are packed. */
static bool is_packed(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    bool wide_weights = plan->operands[op->output].type == SL_XNN_FP16 &&
                        op->kind == SL_XNN_OP_GEMM &&
                        plan->operands[op->inputs[1]].type != SL_XNN_FP16;
    return packs_lhs(plan) && !wide_weights && op->form != SL_XNN_FORM_QD8;
}

/* Weights of int8 with one scale for all. */
static bool has_one_scale(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    return op->form == SL_XNN_FORM_QS8 && plan->operands[op->inputs[1]].type == SL_XNN_QINT8;
}

static const char *conv_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const names[KINDS][2] = {
        [F32] = {"Convolution (NHWC, F32) IGEMM", "Convolution (NHWC, PF32) IGEMM"},
        [F16] = {"Convolution (NHWC, F16) IGEMM", "Convolution (NHWC, PF16) IGEMM"},
        [QS8] = {"Convolution (NHWC, QC8) IGEMM", "Convolution (NHWC, PQS8, QS8, QC8W) IGEMM"},
        [QD8] = {"Convolution (NHWC, QD8, F32, QC8W) IGEMM"},
        [QD8_F16] = {"Convolution (NHWC, QD8, F16, QC8W) IGEMM"},
    };
    return has_one_scale(plan, op) && !packs_lhs(plan)
               ? "Convolution (NHWC, QS8) IGEMM"
               : names[column(plan, op)][is_packed(plan, op)];
}

/* XNNPACK has a VMulCAddC for 1x1 kernels, but the real runtime was not seen to take it. */
static const char *depthwise_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const names[QS8 + 1][2] = {
        [F32] = {"Convolution (NHWC, F32) IGEMM", "Convolution (NHWC, F32) DWConv"},
        [F16] = {"Convolution (NHWC, F16) IGEMM", "Convolution (NHWC, F16) DWConv"},
        [QS8] = {"Convolution (NHWC, QC8) IGEMM", "Convolution (NHWC, QC8) DWConv"},
    };
    enum { MAX_TAPS = 25 }; /* of XNNPACK's largest depthwise kernel */
    const struct sl_xnn_window *w = &op->window;
    bool direct =
        w->group_output_channels == 1 && (uint64_t)w->kernel_height * w->kernel_width <= MAX_TAPS;
    if (has_one_scale(plan, op))
        return direct ? "Convolution (NHWC, QS8) DWConv" : "Convolution (NHWC, QS8) IGEMM";
    return names[column(plan, op)][direct];
}

static const char *deconv_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const names[KINDS][2] = {
        [F32] = {"Deconvolution (NHWC, F32) IGEMM", "Deconvolution (NHWC, F32) Subconv2D"},
        [F16] = {"Deconvolution (NHWC, F16) IGEMM", "Deconvolution (NHWC, F16) Subconv2D"},
        [QS8] = {"Deconvolution (NC, QS8, QC8W) IGEMM", "Deconvolution (NC, QS8, QC8W) Subconv2D"},
        [QD8] = {"Deconvolution (NHWC, QD8, F32, QC8W) IGEMM",
                 "Deconvolution (NHWC, QD8, F32, QC8W) Subconv2D"},
        [QD8_F16] = {"Deconvolution (NHWC, QD8, F16, QC8W) IGEMM",
                     "Deconvolution (NHWC, QD8, F16, QC8W) Subconv2D"},
    };
    const struct sl_xnn_window *w = &op->window;
    bool strided = w->stride_height > 1 || w->stride_width > 1;
    bool covers = w->stride_height <= w->kernel_height && w->stride_width <= w->kernel_width;
    bool split = strided && covers && w->dilation_height == 1 && w->dilation_width == 1;
    if (op->form == SL_XNN_FORM_QS8 && packs_lhs(plan))
        return "Deconvolution (NHWC, PQS8, QS8, QC8W) IGEMM";
    if (has_one_scale(plan, op))
        return split ? "Deconvolution (NHWC, QS8) Subconv2D" : "Deconvolution (NHWC, QS8) IGEMM";
    return names[column(plan, op)][split];
}

static const char *dynamic_product_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const names[3][3] = {
        {"Fully Connected (NC, QP8, F32, QC8W) GEMM", "Fully Connected (NC, QD8, F16, QC8W) GEMM",
         "Fully Connected (NC, QD8, BF16, QC8W) GEMM"},
        {"Fully Connected (NC, QP8, F32, QC4W) GEMM", "Fully Connected (NC, QD8, F16, QC4W) GEMM",
         "Fully Connected (NC, QD8, BF16, QC4W) GEMM"},
        {"Fully Connected (NC, QP8, F32, QB4W) GEMM", "Fully Connected (NC, QD8, F16, QB4W) GEMM",
         "Fully Connected (NC, QD8, BF16, QB4W) GEMM"},
    };
    int weights = plan->operands[op->inputs[1]].type, out = plan->operands[op->output].type;
    return names[weights == SL_XNN_QBINT4   ? 2
                 : weights == SL_XNN_QCINT4 ? 1
                                            : 0][out == SL_XNN_BF16   ? 2
                                                 : out == SL_XNN_FP16 ? 1
                                                                      : 0];
}

static const char *product_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const names[QS8 + 1][2] = {
        [F32] = {"Fully Connected (NC, F32) GEMM", "Fully Connected (NC, PF32) GEMM"},
        [F16] = {"Fully Connected (NC, F16) GEMM", "Fully Connected (NC, PF16) GEMM"},
        [QS8] = {"Fully Connected (NC, QS8, QC8W) GEMM", "Fully Connected (NC, PQS8, QC8W) GEMM"},
    };
    int in = plan->operands[op->inputs[0]].type, weights = plan->operands[op->inputs[1]].type;
    if (op->form == SL_XNN_FORM_QD8)
        return dynamic_product_name(plan, op);
    if (in == SL_XNN_BF16)
        return "Fully Connected (NC, BF16, F32) GEMM";
    if (weights == SL_XNN_QINT8)
        return "Fully Connected (NC, QS8) GEMM";
    return names[column(plan, op)][is_packed(plan, op)];
}

static const char *moved_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const names[4][3] = {
        {"Transpose (ND, X8)", "Transpose (ND, X16)", "Transpose (ND, X32)"},
        {"Constant Pad (ND, X8)", "Constant Pad (ND, X16)", "Constant Pad (ND, X32)"},
        {"Slice (ND, X8)", "Slice (ND, X16)", "Slice (ND, X32)"},
        {"Copy (NC, X8)", "Copy (NC, X16)", "Copy (NC, X32)"}, /* concatenations too */
    };
    size_t bytes = sl_xnn_datatype_size(plan->operands[op->output].type);
    return names[op->kind == SL_XNN_OP_TRANSPOSE ? 0
                 : op->kind == SL_XNN_OP_PAD     ? 1
                 : op->kind == SL_XNN_OP_SLICE   ? 2
                                                 : 3][bytes >> 1];
}

static const char *convert_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    int from = plan->operands[op->inputs[0]].type;
    if (plan->operands[op->output].type != SL_XNN_QDINT8)
        return op->by_channel ? "Convert (NC, QS8, QC8)" : "Convert (NC)";
    return from == SL_XNN_FP16   ? "Convert (NC, F16, QD8)"
           : from == SL_XNN_BF16 ? "Convert (NC, BF16, QD8)"
                                 : "Convert (NC, F32, QD8)";
}

static const char *binary_name(int binary)
{
    static const char *const names[] = {
        [SL_BINARY_ADD] = "Add (ND)",           [SL_BINARY_SUBTRACT] = "Subtract (ND)",
        [SL_BINARY_MULTIPLY] = "Multiply (ND)", [SL_BINARY_DIVIDE] = "Divide (ND)",
        [SL_BINARY_MAXIMUM] = "Maximum (ND)",   [SL_BINARY_MINIMUM] = "Minimum (ND)",
        [SL_BINARY_PRELU] = "PReLU (ND)",
    };
    return names[binary];
}

static const char *unary_name(int unary)
{
    static const char *const names[] = {
        [SL_UNARY_CLAMP] = "Clamp (NC)",
        [SL_UNARY_ABS] = "Abs (NC)",
        [SL_UNARY_NEGATE] = "Negate (NC)",
        [SL_UNARY_FLOOR] = "Floor (NC)",
        [SL_UNARY_CEILING] = "Ceiling (NC)",
        [SL_UNARY_SQRT] = "Square Root (NC)",
        [SL_UNARY_RSQRT] = "Reciprocal Square Root (NC)",
        [SL_UNARY_EXP] = "Exp (NC)",
        [SL_UNARY_LOG] = "Log (NC)",
        [SL_UNARY_SIN] = "Sine (NC)",
        [SL_UNARY_COS] = "Cosine (NC)",
        [SL_UNARY_SIGMOID] = "Sigmoid (NC)",
        [SL_UNARY_TANH] = "TanH (NC)",
        [SL_UNARY_HARDSWISH] = "HardSwish (NC)",
        [SL_UNARY_GELU] = "GELU (NC)",
        [SL_UNARY_ELU] = "ELU (NC)",
        [SL_UNARY_LEAKY_RELU] = "LeakyReLU (NC)",
    };
    return names[unary];
}

static const char *average_name(const struct sl_xnn_op *op, bool half)
{
    static const char *const names[2][2] = {
        {"Average Pooling (NHWC, F32) Average Pooling",
         "Average Pooling (NHWC, F32) Pixelwise Average Pooling"},
        {"Average Pooling (NHWC, F16) Average Pooling",
         "Average Pooling (NHWC, F16) Pixelwise Average Pooling"},
    };
    const struct sl_xnn_window *w = &op->window;
    bool padded = w->padding_top != 0 || w->padding_right != 0 || w->padding_bottom != 0 ||
                  w->padding_left != 0 || (op->node->flags & SL_XNN_FLAG_SAME_PADDING);
    return names[half][padded];
}

static const char *function_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const max_pool[] = {
        [F32] = "Max Pooling (NHWC, F32)",
        [F16] = "Max Pooling (NHWC, F16)",
        [QS8] = "Max Pooling (NHWC, S8)",
    };
    int type = column(plan, op);
    switch (op->kind) {
    case SL_XNN_OP_UNARY:
        return unary_name(op->code);
    case SL_XNN_OP_BINARY:
        return binary_name(op->code);
    case SL_XNN_OP_SQUARE:
        return "Square (NC)";
    case SL_XNN_OP_CLAMP:
        return "Clamp (NC)";
    case SL_XNN_OP_MAX_POOL:
        return max_pool[type];
    case SL_XNN_OP_AVG_POOL:
        return average_name(op, type == F16);
    case SL_XNN_OP_ARGMAX:
        return "ArgMax Pooling (NHWC, F32)";
    case SL_XNN_OP_MEAN:
        return type == QS8 ? "Mean (ND)" : "Mean (ND) Reduce2";
    case SL_XNN_OP_MEAN_SQUARED:
        return "Mean Squared (ND) Reduce2";
    case SL_XNN_OP_TABLE:
        return op->code == SL_XNN_NONE ? "Unary Op Table (NC, S8)" : unary_name(op->code);
    case SL_XNN_OP_SOFTMAX:
        return type == F16 ? "Softmax (NC, F16)" : "Softmax (NC, F32)";
    default:
        return "Resize Bilinear (NHWC)";
    }
}

const char *sl_xnn_op_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    static const char *const matrices[2][2][2] = {
        {{"Batch Matrix Multiply (NC, F32) GEMM", "Batch Matrix Multiply (NC, PF32) GEMM"},
         {"Batch Matrix Multiply (NC, F16) GEMM", "Batch Matrix Multiply (NC, PF16) GEMM"}},
        {{"Dynamic Fully Connected (NC, F32) GEMM", "Dynamic Fully Connected (NC, PF32) GEMM"},
         {"Dynamic Fully Connected (NC, F16) GEMM", "Dynamic Fully Connected (NC, PF16) GEMM"}},
    };
    switch (op->kind) {
    case SL_XNN_OP_CONV:
        return conv_name(plan, op);
    case SL_XNN_OP_DEPTHWISE:
        return depthwise_name(plan, op);
    case SL_XNN_OP_DECONV:
        return deconv_name(plan, op);
    case SL_XNN_OP_GEMM:
        return product_name(plan, op);
    case SL_XNN_OP_DYNAMIC_GEMM:
    case SL_XNN_OP_BATCH_GEMM:
        if (op->by_channel)
            return "Batch Matrix Multiply (NC, F32, QC8W) GEMM";
        return matrices[op->kind == SL_XNN_OP_DYNAMIC_GEMM][column(plan, op) == F16]
                       [packs_lhs(plan)];
    case SL_XNN_OP_CONVERT:
        return convert_name(plan, op);
    case SL_XNN_OP_RESHAPE:
        return "Static Reshape (NC)";
    case SL_XNN_OP_TRANSPOSE:
    case SL_XNN_OP_PAD:
    case SL_XNN_OP_SLICE:
    case SL_XNN_OP_CONCAT:
    case SL_XNN_OP_COPY:
        return moved_name(plan, op);
    default:
        return function_name(plan, op);
    }
}
