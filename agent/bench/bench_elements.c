/* agent/bench/bench_elements.c: kernels of floats that have no product in them: one stage, the
 * whole.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/single.h"
#include "agent/bench/stage.h"
#include "kernels/binary/binary.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/resize.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"

struct element_job {
    struct sl_bench_single single; /* comes first: stages get its address */
    bool clamp;                    /* found out before the call, whose instructions are counted */
};

static const char clamped[] = "_clamped";

/* Length of the operation's name; the rest is `clamped` or nothing. */
static size_t op_length(const struct sl_bench_shape *s)
{
    size_t len = strlen(s->op), tail = sizeof(clamped) - 1;
    return len > tail && strcmp(s->op + len - tail, clamped) == 0 ? len - tail : len;
}

static int computes(const char *name, const struct sl_bench_shape *s)
{
    return sl_bench_single_computes(name, s, op_length(s));
}

/* Clamps of -1/2 .. 1/2 where there is one; the constants that ELU and the like take are 1/2. */
static void run_unary(void *data)
{
    const struct element_job *j = data;
    const struct sl_unary *kernel = j->single.kernel;
    kernel->run(j->single.shape->n, (const void *)j->single.operands.in,
                (void *)j->single.operands.out, kernel->op == SL_UNARY_CLAMP ? -0.5f : 0.5f, 0.5f);
}

static void run_binary(void *data)
{
    const struct element_job *j = data;
    const struct sl_binary_args args = {.count = j->single.shape->n,
                                        .a = (const void *)j->single.operands.in,
                                        .b = (const void *)j->single.operands.weights,
                                        .a_step = 1,
                                        .b_step = 1,
                                        .out = (void *)j->single.operands.out,
                                        .min = j->clamp ? -0.5f : -INFINITY,
                                        .max = j->clamp ? 0.5f : INFINITY};
    ((const struct sl_binary *)j->single.kernel)->run(&args);
}

static void run_pool(void *data)
{
    const struct element_job *j = data;
    const struct sl_bench_shape *s = j->single.shape;
    const struct sl_pool *kernel = j->single.kernel;
    const struct sl_pool_args args = {.op = kernel->op,
                                      .batch = 1,
                                      .in_h = s->in_h,
                                      .in_w = s->in_w,
                                      .out_h = s->out_h,
                                      .out_w = s->out_w,
                                      .channels = s->in_c,
                                      .kernel_h = s->kernel_h,
                                      .kernel_w = s->kernel_w,
                                      .stride_h = s->stride_h,
                                      .stride_w = s->stride_w,
                                      .dilation_h = s->dilation_h,
                                      .dilation_w = s->dilation_w,
                                      .pad_top = s->pad_h,
                                      .pad_left = s->pad_w,
                                      .in = (const void *)j->single.operands.in,
                                      .out = (void *)j->single.operands.out,
                                      .min = -INFINITY,
                                      .max = INFINITY};
    kernel->run(&args);
}

static void run_reduce(void *data)
{
    const struct element_job *j = data;
    const struct sl_bench_shape *s = j->single.shape;
    const struct sl_reduce_args args = {.outer = s->m,
                                        .reduced = s->k,
                                        .inner = s->n,
                                        .in = (const void *)j->single.operands.in,
                                        .out = (void *)j->single.operands.out,
                                        .scale = 1.0f / (float)s->k,
                                        .eps = 1e-5f,
                                        .weight = (const void *)j->single.operands.weights,
                                        .bias = (const void *)j->single.operands.bias};
    ((const struct sl_reduce *)j->single.kernel)->run(&args);
}

#define RUN_TRANSPOSE(transpose)                                                                   \
    static void run_##transpose(void *data)                                                        \
    {                                                                                              \
        const struct element_job *j = data;                                                        \
        const struct sl_bench_shape *s = j->single.shape;                                          \
        const struct sl_##transpose##_args args = {.batch = 1,                                     \
                                                   .rows = s->m,                                   \
                                                   .cols = s->n,                                   \
                                                   .in = (const void *)j->single.operands.in,      \
                                                   .in_row_stride = s->n,                          \
                                                   .out = (void *)j->single.operands.out,          \
                                                   .out_row_stride = s->m};                        \
        ((const struct sl_##transpose *)j->single.kernel)->run(&args);                             \
    }
RUN_TRANSPOSE(transpose)
RUN_TRANSPOSE(transpose_x16)

/* Bilinear, between the centres of pixels. */
static void run_resize(void *data)
{
    const struct element_job *j = data;
    const struct sl_bench_shape *s = j->single.shape;
    const struct sl_resize_args args = {.batch = 1,
                                        .in_h = s->in_h,
                                        .in_w = s->in_w,
                                        .out_h = s->out_h,
                                        .out_w = s->out_w,
                                        .channels = s->in_c,
                                        .in = (const void *)j->single.operands.in,
                                        .out = (void *)j->single.operands.out};
    ((const struct sl_resize *)j->single.kernel)->run(&args);
}

static int run_chosen(const struct sl_bench_search *search, struct element_job *job, uint64_t seed,
                      void (*run)(void *data), struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = job->single.shape;
    if (search->found && s->family == SL_BENCH_UNARY)
        bench->most_ulp = sl_unary_most_ulp(job->single.kernel);
    job->clamp = op_length(s) < strlen(s->op);
    return sl_bench_single_run(search, &job->single, seed, job->clamp ? clamped + 1 : "whole", run,
                               bench);
}

/* A bench of one family; families differ only in their lists. `fits` is of the kernel `at`. */
#define ELEMENT_BENCH(function, family, fits)                                                      \
    int function(const struct sl_bench_choice *choice, uint64_t seed,                              \
                 struct sl_bench_stage_run *bench)                                                 \
    {                                                                                              \
        struct sl_bench_search search = {.choice = choice};                                        \
        struct element_job job = {.single.shape = bench->shape};                                   \
        const struct sl_##family *at;                                                              \
        for (size_t i = 0; (at = sl_##family##_at(i)); i++) {                                      \
            if (sl_bench_consider(&search, at->name, at->needs, fits))                             \
                job.single.kernel = at;                                                            \
        }                                                                                          \
        return run_chosen(&search, &job, seed, run_##family, bench);                               \
    }
#define OF_TYPE (at->element == sl_bench_element(bench->shape))

ELEMENT_BENCH(sl_bench_unary, unary, OF_TYPE &&computes(at->name, bench->shape))
ELEMENT_BENCH(sl_bench_binary, binary, OF_TYPE &&computes(at->name, bench->shape))
ELEMENT_BENCH(sl_bench_pool, pool, OF_TYPE &&computes(at->name, bench->shape))
ELEMENT_BENCH(sl_bench_reduce, reduce,
              OF_TYPE &&computes(at->name, bench->shape) &&
                  (sl_reduce_folds(at->op) || bench->shape->n == 1))
ELEMENT_BENCH(sl_bench_resize, resize, OF_TYPE)
ELEMENT_BENCH(sl_bench_transpose, transpose, 1)
ELEMENT_BENCH(sl_bench_transpose_f16, transpose_x16, 1)
