/* agent/bench/shape.h: the shapes that `kernels --bench` takes, as words. */
#pragma once

#include <stddef.h>

enum sl_bench_family { SL_BENCH_MATMUL, SL_BENCH_CONV, SL_BENCH_DEPTHWISE };

enum { SL_BENCH_MAX_DIM = 1 << 16, SL_BENCH_MAX_ELEMENTS = 1 << 27 };

struct sl_bench_shape {
    int family; /* enum sl_bench_family */
    /* The product as a GEMM: rows (output pixels), columns (output channels), depth. Of a depthwise
     * convolution: output pixels, channels, window. */
    size_t m, n, k;
    size_t in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride, padding;
};

/* "matmul:MxNxK", "conv:IHxIWxIC-OC-KHxKW-sS-pP" or "depthwise:IHxIWxC-KHxKW-sS-pP". Returns 0, or
 * SL_E_FORMAT for other words and shapes without output, SL_E_LIMIT for one too large. */
int sl_bench_shape_parse(const char *text, struct sl_bench_shape *out);
const char *sl_bench_family_name(int family);
