/* agent/bench/kernels.h: which kernel to bench, and its stages. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_bench_shape;
struct sl_bench_stage_run;

/* Which kernel to take: by `name`, else the first of the list that fits the shape and whose name
 * ends in `engine`'s word ("sme2", "neon", "portable"). */
struct sl_bench_choice {
    const char *engine, *name; /* either may be NULL */
    uint32_t isa;              /* what this CPU has */
};

/* Runs all stages of one kernel on one shape. 0, SL_E_NOT_FOUND (no kernel fits), SL_E_UNSUPPORTED
 * (this CPU lacks what the kernel needs) or -ENOMEM. bench->kernel is set. */
int sl_bench_matmul(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench);
int sl_bench_conv(const struct sl_bench_choice *choice, uint64_t seed,
                  struct sl_bench_stage_run *bench);
int sl_bench_depthwise(const struct sl_bench_choice *choice, uint64_t seed,
                       struct sl_bench_stage_run *bench);
int sl_bench_unary(const struct sl_bench_choice *choice, uint64_t seed,
                   struct sl_bench_stage_run *bench);
int sl_bench_binary(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench);
int sl_bench_pool(const struct sl_bench_choice *choice, uint64_t seed,
                  struct sl_bench_stage_run *bench);
int sl_bench_reduce(const struct sl_bench_choice *choice, uint64_t seed,
                    struct sl_bench_stage_run *bench);
int sl_bench_convert(const struct sl_bench_choice *choice, uint64_t seed,
                     struct sl_bench_stage_run *bench);
int sl_bench_matmul_qd8(const struct sl_bench_choice *choice, uint64_t seed,
                        struct sl_bench_stage_run *bench); /* of every weight type */
int sl_bench_transpose(const struct sl_bench_choice *choice, uint64_t seed,
                       struct sl_bench_stage_run *bench);

/* The same for static int8. */
#define SL_BENCH_QS8(family)                                                                       \
    int sl_bench_##family##_qs8(const struct sl_bench_choice *choice, uint64_t seed,               \
                                struct sl_bench_stage_run *bench);
SL_BENCH_QS8(matmul)
SL_BENCH_QS8(conv)
SL_BENCH_QS8(depthwise)
SL_BENCH_QS8(unary)
SL_BENCH_QS8(binary)
SL_BENCH_QS8(pool)
SL_BENCH_QS8(reduce)
SL_BENCH_QS8(transpose)
#undef SL_BENCH_QS8

/* And for halves, and bfloat16 products. */
#define SL_BENCH_X16(family, type)                                                                 \
    int sl_bench_##family##_##type(const struct sl_bench_choice *choice, uint64_t seed,            \
                                   struct sl_bench_stage_run *bench);
SL_BENCH_X16(matmul, f16)
SL_BENCH_X16(conv, f16)
SL_BENCH_X16(depthwise, f16)
SL_BENCH_X16(unary, f16)
SL_BENCH_X16(binary, f16)
SL_BENCH_X16(pool, f16)
SL_BENCH_X16(reduce, f16)
SL_BENCH_X16(transpose, f16)
SL_BENCH_X16(matmul, bf16)
#undef SL_BENCH_X16

/* Search through one list. */
struct sl_bench_search {
    const struct sl_bench_choice *choice;
    const char *name; /* of the kernel chosen, or of one this CPU cannot run */
    int found;        /* 1: chosen */
};

/* True for the one kernel to take: the first that is wanted, fits and can run here. */
int sl_bench_consider(struct sl_bench_search *search, const char *name, uint32_t needs, int fits);
/* 0, SL_E_NOT_FOUND or SL_E_UNSUPPORTED as above. */
int sl_bench_chosen(const struct sl_bench_search *search, const char **out_name);
