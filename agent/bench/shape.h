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
    SL_BENCH_FAMILY_END
};

enum { SL_BENCH_MAX_OP = 24, SL_BENCH_MAX_DIM = 1 << 16, SL_BENCH_MAX_ELEMENTS = 1 << 27 };

struct sl_bench_shape {
    int type;   /* enum sl_bench_type; F32 also of families that name their types */
    int family; /* enum sl_bench_family */
    /* The product as a GEMM: rows (output pixels), columns (output channels), depth. Of a depthwise
     * convolution and of pooling: output pixels, channels, window. Of a reduction: outer, inner,
     * reduced. Of a transpose: rows, columns, 1; of others: 1, elements, 1. */
    size_t m, n, k;
    char op[SL_BENCH_MAX_OP]; /* as kernels are named: "clamp"; "" for products and transposes */
    size_t in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride, padding;
};

/* "matmul:MxNxK" ("matmul_qd8:", "matmul_q4:", "matmul_q4_g32:" too), "convert:OP-N",
 * "conv:IHxIWxIC-OC-KHxKW-sS-pP", "depthwise:IHxIWxC-KHxKW-sS-pP", "unary:OP-N", "binary:OP-N"
 * (OP_clamped-N: with a clamp), "pool:OP-IHxIWxC-KHxKW-sS-pP", "reduce:OP-OUTERxREDUCEDxINNER" or
 * "transpose:ROWSxCOLUMNS". With "f16/" or "bf16/" before it: of halves, of bfloat16 products; with
 * "qs8/": of static int8. Returns 0, or SL_E_FORMAT for other words and shapes without output,
 * SL_E_LIMIT for one too large. */
int sl_bench_shape_parse(const char *text, struct sl_bench_shape *out);
const char *sl_bench_family_name(int family);
const char *sl_bench_type_name(int type);
