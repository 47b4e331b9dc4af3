/* agent/bench/shape.h: the shapes that `kernels --bench` takes, as words. */
#pragma once

#include <stddef.h>

enum sl_bench_type { SL_BENCH_F32, SL_BENCH_QS8, SL_BENCH_F16, SL_BENCH_BF16, SL_BENCH_TYPE_END };

enum sl_bench_family {
    SL_BENCH_MATMUL,
    SL_BENCH_CONV,
    SL_BENCH_DEPTHWISE,
    SL_BENCH_UNARY,
    SL_BENCH_BINARY,
    SL_BENCH_POOL,
    SL_BENCH_REDUCE,
    SL_BENCH_TRANSPOSE,
    SL_BENCH_CONVERT,
    SL_BENCH_MATMUL_QD8,    /* dynamic int8 */
    SL_BENCH_MATMUL_Q4,     /* its weights int4, by channel */
    SL_BENCH_MATMUL_Q4_G32, /* in groups of 32 */
    SL_BENCH_MATMUL_Q4_G64,
    SL_BENCH_MATMUL_Q4_G128,
    SL_BENCH_DECONV,    /* transposed convolution */
    SL_BENCH_BATCH,     /* pairs of matrices, neither constant; the right ones [k][n] */
    SL_BENCH_BATCH_NK,  /* the right ones [n][k] */
    SL_BENCH_BATCH_QD8, /* dynamic int8, the right ones int8 [k][n] */
    SL_BENCH_ARGMAX,
    SL_BENCH_RESIZE,
    SL_BENCH_QUANTISE,
    SL_BENCH_REPEAT,
    SL_BENCH_STRIDE,
    SL_BENCH_PERMUTE,
    SL_BENCH_FAMILY_END
};

enum {
    SL_BENCH_MAX_OP = 24,
    SL_BENCH_MAX_DIM = 1 << 16,
    SL_BENCH_MAX_ELEMENTS = 1 << 27,
    SL_BENCH_MAX_RANK = 6
};

struct sl_bench_shape {
    int type;   /* enum sl_bench_type; F32 also of families that name their types */
    int family; /* enum sl_bench_family */
    /* The product as a GEMM: rows (output pixels), columns (output channels), depth. Of a
     * transposed convolution its rows are input pixels, of batches those of all. Of a depthwise
     * convolution and of pooling: output pixels, channels, window. Of a reduction: outer, inner,
     * reduced. Of a transpose: rows, columns, 1; of a resize: output pixels, channels, 1; of what
     * is quantised: rows, columns, 1; of what is repeated: elements, times, 1; of what lies
     * apart: elements, step, 1; of others: 1, elements, 1. */
    size_t m, n, k;
    char op[SL_BENCH_MAX_OP]; /* as kernels are named: "clamp"; "" for products and transposes */
    size_t in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w;
    size_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    size_t groups, multiplier; /* of convolutions, of depthwise ones; else 1 */
    size_t batch;              /* 1 where there is none */
    size_t rank, dims[SL_BENCH_MAX_RANK], perm[SL_BENCH_MAX_RANK]; /* of a permutation */
};

/* As the usage of `kernels` says them: "FAMILY:" and numbers, "TYPE/" before it. Returns 0, or
 * SL_E_FORMAT for other words and shapes without output, SL_E_LIMIT for one too large. */
int sl_bench_shape_parse(const char *text, struct sl_bench_shape *out);
const char *sl_bench_family_name(int family);
const char *sl_bench_type_name(int type);

/* Elements of the input and of the output of one run; weights are not among them. */
size_t sl_bench_shape_in(const struct sl_bench_shape *shape);
size_t sl_bench_shape_out(const struct sl_bench_shape *shape);
/* How many k share a scale of int4 weights; 0: all. */
size_t sl_bench_shape_group(const struct sl_bench_shape *shape);

/* The fields that shapes of convolutions have, dense and depthwise, by the names they have in both.
 */
#define SL_BENCH_WINDOW(s)                                                                         \
    .batch = 1, .in_h = (s)->in_h, .in_w = (s)->in_w, .out_h = (s)->out_h, .out_w = (s)->out_w,    \
    .kernel_h = (s)->kernel_h, .kernel_w = (s)->kernel_w, .stride_h = (s)->stride_h,               \
    .stride_w = (s)->stride_w, .dilation_h = (s)->dilation_h, .dilation_w = (s)->dilation_w,       \
    .pad_top = (s)->pad_h, .pad_left = (s)->pad_w
