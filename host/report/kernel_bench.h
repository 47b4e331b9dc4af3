/* host/report/kernel_bench.h: what a kernel's stage cost, next to the least it could, and to what
 * others need where that is given. Schema sme2lab.kernels/1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_buf;
struct sl_json;
struct sl_kernel_anchors;
struct sl_reach_roof;
struct sl_style;

/* The estimated time of a counted stage on one silicon. */
struct sl_kernel_estimate {
    char profile[48]; /* "": there is none */
    char bound[32];
    double low_ns, mid_ns, high_ns;
};

/* One stage, as the agent ran it. Texts are the caller's. */
struct sl_kernel_row {
    char family[16];  /* "matmul", "matmul_qd8", "conv", "depthwise", "unary", "batch_nk", ... */
    char type[8];     /* "qs8": static int8; "f16", "bf16"; "" and "f32": floats, or what the family
                         says */
    char shape[96];   /* as it was asked for */
    char kernel[128]; /* sl_matmul_... */
    char stage[16];   /* "rhs_pack", "lhs_pack", "kernel", "whole", "clamped" */
    uint64_t m, n, k; /* depthwise, pool: output pixels, channels, window; reduce: outer, inner,
                         reduced; transpose: rows, columns, 1; others: 1, elements, 1, or as
                         agent/bench/shape.h says */
    uint64_t outputs; /* of the whole; inputs of a reduction. 0: m by n */
    bool counted;     /* else `ns` counts */
    uint64_t instructions, mac_instructions;
    uint64_t ns;
    struct sl_kernel_estimate estimate;
    double most_ulp; /* how far a unary operator's results are off at most; 0: exact, or not said */
};

/* "sme2", "neon" or "portable", by the kernel's name. */
const char *sl_kernel_engine(const struct sl_kernel_row *row);

/* Fewest multiply-accumulate instructions that the stage can do with; 0 for packs. `svl` in bits.
 */
uint64_t sl_kernel_min_mac(const struct sl_kernel_row *row, unsigned svl);

/* The measured rows, and their machine. */
struct sl_kernel_bench {
    const struct sl_kernel_row *rows;
    size_t count;
    unsigned svl;                            /* bits */
    unsigned threads;                        /* at once, each with operands of its own; 0: one */
    bool emulated;                           /* times are the emulator's, and mean nothing */
    const struct sl_reach_roof *roof;        /* what the device does at most; NULL: not known */
    const char *roofline;                    /* which, or why there is none; NULL: not asked */
    const struct sl_kernel_anchors *anchors; /* NULL: none given */
};

/* True if the family is one of products. */
bool sl_kernel_multiplies(const struct sl_kernel_row *row);

/* Outputs of a row; of reductions inputs, of packs what is packed. */
uint64_t sl_kernel_elements(const struct sl_kernel_row *row);

/* Multiply-adds that a row asks for, or 0; and bytes it has to move at least where it multiplies
 * nothing, or 0. */
uint64_t sl_kernel_multiply_adds(const struct sl_kernel_row *row);
uint64_t sl_kernel_bytes(const struct sl_kernel_row *row);

/* How much of the device's peak a timed row of one thread reaches: multiply-adds of its type, or
 * bytes. 0 where either is not known. */
double sl_kernel_share_of_peak(const struct sl_kernel_row *row, const struct sl_reach_roof *roof);

/* One object. Returns the writer's error. */
int sl_kernel_bench_json(struct sl_json *json, const struct sl_kernel_bench *bench);
int sl_kernel_bench_text(struct sl_buf *out, const struct sl_style *style,
                         const struct sl_kernel_bench *bench);
