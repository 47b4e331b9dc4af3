/* agent/runtime/xnn/names.c: operators as XNNPACK's profile names them. */
#include "agent/runtime/xnn/plan.h"
#include "kernels/cpu/isa.h"

/* With SME or SME2 XNNPACK packs the left operand, and its dense operators are named so. */
static bool packs_lhs(const struct sl_xnn_plan *plan)
{
    return (plan->isa & (SL_ISA_SME | SL_ISA_SME2)) != 0;
}

/* XNNPACK has a VMulCAddC for 1x1 kernels, but the real runtime was not seen to take it. */
static const char *depthwise_name(const struct sl_xnn_op *op)
{
    enum { MAX_TAPS = 25 }; /* of XNNPACK's largest depthwise kernel */
    const struct sl_xnn_window *w = &op->window;
    if (w->group_output_channels != 1)
        return "Convolution (NHWC, F32) IGEMM";
    return (uint64_t)w->kernel_height * w->kernel_width <= MAX_TAPS
               ? "Convolution (NHWC, F32) DWConv"
               : "Convolution (NHWC, F32) IGEMM";
}

static const char *deconv_name(const struct sl_xnn_window *w)
{
    bool strided = w->stride_height > 1 || w->stride_width > 1;
    bool covers = w->stride_height <= w->kernel_height && w->stride_width <= w->kernel_width;
    return strided && covers && w->dilation_height == 1 && w->dilation_width == 1
               ? "Deconvolution (NHWC, F32) Subconv2D"
               : "Deconvolution (NHWC, F32) IGEMM";
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

static const char *average_name(const struct sl_xnn_window *w)
{
    return w->padding_top != 0 || w->padding_right != 0 || w->padding_bottom != 0 ||
                   w->padding_left != 0
               ? "Average Pooling (NHWC, F32) Pixelwise Average Pooling"
               : "Average Pooling (NHWC, F32) Average Pooling";
}

const char *sl_xnn_op_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    switch (op->kind) {
    case SL_XNN_OP_CONV:
        return packs_lhs(plan) ? "Convolution (NHWC, PF32) IGEMM" : "Convolution (NHWC, F32) IGEMM";
    case SL_XNN_OP_DEPTHWISE:
        return depthwise_name(op);
    case SL_XNN_OP_DECONV:
        return deconv_name(&op->window);
    case SL_XNN_OP_RESIZE:
        return "Resize Bilinear (NHWC)";
    case SL_XNN_OP_GEMM:
        return packs_lhs(plan) ? "Fully Connected (NC, PF32) GEMM"
                               : "Fully Connected (NC, F32) GEMM";
    case SL_XNN_OP_DYNAMIC_GEMM:
        return packs_lhs(plan) ? "Dynamic Fully Connected (NC, PF32) GEMM"
                               : "Dynamic Fully Connected (NC, F32) GEMM";
    case SL_XNN_OP_BATCH_GEMM:
        return packs_lhs(plan) ? "Batch Matrix Multiply (NC, PF32) GEMM"
                               : "Batch Matrix Multiply (NC, F32) GEMM";
    case SL_XNN_OP_UNARY:
        return unary_name(op->code);
    case SL_XNN_OP_BINARY:
        return binary_name(op->code);
    case SL_XNN_OP_SQUARE:
        return "Square (NC)";
    case SL_XNN_OP_CLAMP:
        return "Clamp (NC)";
    case SL_XNN_OP_MAX_POOL:
        return "Max Pooling (NHWC, F32)";
    case SL_XNN_OP_AVG_POOL:
        return average_name(&op->window);
    case SL_XNN_OP_MEAN:
        return "Mean (ND) Reduce2";
    case SL_XNN_OP_MEAN_SQUARED:
        return "Mean Squared (ND) Reduce2";
    case SL_XNN_OP_CONVERT:
        return "Convert (NC)";
    case SL_XNN_OP_SOFTMAX:
        return "Softmax (NC, F32)";
    case SL_XNN_OP_TRANSPOSE:
        return "Transpose (ND, X32)";
    case SL_XNN_OP_RESHAPE:
        return "Static Reshape (NC)";
    case SL_XNN_OP_PAD:
        return "Constant Pad (ND, X32)";
    case SL_XNN_OP_SLICE:
        return "Slice (ND, X32)";
    default:
        return "Copy (NC, X32)"; /* copies and concatenations */
    }
}
