/* agent/bench/bench_qs8.c: stages of the static int8 kernels, all families. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/bench/kernels.h"
#include "agent/bench/repeated.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "common/base/mem.h"
#include "kernels/binary/binary_qs8.h"
#include "kernels/conv/deconv_qs8.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/resize.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/unary/unary_qs8.h"

static const struct sl_requant_out out_quant = {5, -128, 127};

/* One kernel on one shape; which of the args are used is its family's matter. */
struct job {
    const void *kernel; /* a struct sl_<family>_qs8 */
    const struct sl_bench_shape *shape;
    struct sl_requant requant;
    int8_t *in, *weights, *out;
    int32_t *bias;
    float *scale;
    void *packed, *workspace;
    struct sl_matmul_qs8_args matmul;
    struct sl_conv_qs8_args conv;
    struct sl_depthwise_qs8_args depthwise;
    struct sl_bench_repeated repeated;
};

static void fill(int8_t *bytes, size_t count, uint64_t seed)
{
    uint32_t state = (uint32_t)seed * 2654435761u + 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (int8_t)(state >> 24);
    }
}

/* 0 or -ENOMEM; end with job_fini() either way. */
static int job_init(struct job *j, size_t in, size_t weights, size_t packed_bytes,
                    size_t workspace_bytes, uint64_t seed)
{
    const struct sl_bench_shape *s = j->shape;
    j->in = sl_aligned_alloc(64, in);
    j->weights = sl_aligned_alloc(64, weights);
    j->out = sl_aligned_alloc(64, sl_bench_shape_out(s));
    j->bias = sl_aligned_alloc(64, s->n * sizeof(int32_t));
    j->scale = sl_aligned_alloc(64, s->n * sizeof(float));
    j->packed = sl_aligned_alloc(64, packed_bytes);
    j->workspace = sl_aligned_alloc(64, workspace_bytes);
    if (!j->in || !j->weights || !j->out || !j->bias || !j->scale || !j->packed || !j->workspace)
        return -ENOMEM;
    fill(j->in, in, seed);
    fill(j->weights, weights, seed + 1);
    for (size_t i = 0; i < s->n; i++) {
        j->bias[i] = (int32_t)(i * 37 % 1000) - 500;
        j->scale[i] = 1e-4f * (float)(1 + i % 7);
    }
    j->requant = (struct sl_requant){j->bias, j->scale, 3};
    return 0;
}

static void job_fini(struct job *j)
{
    void *blocks[] = {j->in, j->weights, j->out, j->bias, j->scale, j->packed, j->workspace};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        sl_free(blocks[i]);
}

static void matmul_pack_rhs(void *data)
{
    const struct job *j = data;
    const struct sl_matmul_qs8 *kernel = j->kernel;
    kernel->pack_rhs(j->shape->n, j->shape->k, j->weights, false, &j->requant, j->packed);
}

static void matmul_pack_lhs(void *data)
{
    const struct job *j = data;
    const struct sl_matmul_qs8 *kernel = j->kernel;
    kernel->pack_lhs(j->shape->m, j->shape->k, j->in, j->shape->k, j->workspace);
}

static void matmul_run_packed(void *data)
{
    const struct job *j = data;
    ((const struct sl_matmul_qs8 *)j->kernel)->run_packed(&j->matmul);
}

static void matmul_run(void *data)
{
    const struct job *j = data;
    ((const struct sl_matmul_qs8 *)j->kernel)->run(&j->matmul);
}

static void matmul_stages(struct job *j, const struct sl_matmul_qs8 *kernel,
                          struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = j->shape;
    j->matmul = (struct sl_matmul_qs8_args){s->m,      s->n,   s->k, j->in,     s->k,
                                            j->packed, j->out, s->n, out_quant, j->workspace};
    sl_bench_stage(bench, "rhs_pack", matmul_pack_rhs, j);
    if (kernel->run_packed) {
        sl_bench_stage(bench, "lhs_pack", matmul_pack_lhs, j);
        sl_bench_stage(bench, "kernel", matmul_run_packed, j);
    } else {
        sl_bench_stage(bench, "kernel", matmul_run, j); /* the left operand is read in place */
    }
    sl_bench_stage(bench, "whole", matmul_run, j);
}

int sl_bench_matmul_qs8(const struct sl_bench_choice *choice, uint64_t seed,
                        struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = bench->shape;
    struct job j = {.shape = s};
    struct sl_bench_search search = {.choice = choice};
    const struct sl_matmul_qs8 *at, *kernel = NULL;
    for (size_t i = 0; (at = sl_matmul_qs8_at(i)); i++)
        if (sl_bench_consider(&search, at->name, at->needs, !at->gemv || s->m == 1))
            j.kernel = kernel = at;
    int rc = sl_bench_chosen(&search, &bench->kernel);
    if (rc == 0)
        rc = job_init(&j, s->m * s->k, s->n * s->k, kernel->rhs_bytes(s->n, s->k),
                      kernel->workspace_bytes(s->m, s->n, s->k), seed);
    if (rc == 0)
        matmul_stages(&j, kernel, bench);
    job_fini(&j);
    return rc < 0 ? rc : bench->error;
}

/* The operations of a kernel (OWN), and of a transposed convolution built on it (DECONV). */
#define OWN_BYTES(kernel, shape) (kernel)->weights_bytes(shape)
#define OWN_SPACE(kernel, shape) (kernel)->workspace_bytes(shape)
#define OWN_PACK(j, kernel, shape)                                                                 \
    (kernel)->pack_weights(shape, (j)->weights, &(j)->requant, (j)->packed)
#define OWN_RUN(kernel, args) (kernel)->run(args)
#define DECONV_BYTES(kernel, shape) sl_deconv_qs8_bytes(kernel, shape)
#define DECONV_SPACE(kernel, shape) sl_deconv_qs8_workspace_bytes(kernel, shape)
#define DECONV_PACK(j, kernel, shape)                                                              \
    sl_deconv_qs8_pack(kernel, shape, (j)->weights, &(j)->requant, (j)->packed, (j)->workspace)
#define DECONV_RUN(kernel, args) sl_deconv_qs8_run(kernel, args)

/* A bench of a family of layers, by the kernels of `list`; they differ in their types and `verbs`,
 * above. The workspace has room for the weights too. */
#define LAYER_BENCH(family, list, verbs, fits)                                                     \
    static void family##_pack(void *data)                                                          \
    {                                                                                              \
        const struct job *j = data;                                                                \
        const struct sl_##list##_qs8 *kernel = j->kernel;                                          \
        verbs##_PACK(j, kernel, &j->list.shape);                                                   \
    }                                                                                              \
    static void family##_run(void *data)                                                           \
    {                                                                                              \
        const struct job *j = data;                                                                \
        verbs##_RUN((const struct sl_##list##_qs8 *)j->kernel, &j->list);                          \
    }                                                                                              \
    static void family##_run_repeated(void *data)                                                  \
    {                                                                                              \
        const struct job *j = data;                                                                \
        sl_bench_repeated_run(&j->repeated);                                                       \
        verbs##_RUN((const struct sl_##list##_qs8 *)j->kernel, &j->list);                          \
    }                                                                                              \
    static int family##_stages(struct job *j, const struct sl_bench_choice *choice, uint64_t seed, \
                               struct sl_bench_stage_run *bench)                                   \
    {                                                                                              \
        struct sl_##list##_qs8_args *args = &j->list;                                              \
        struct sl_bench_search search = {.choice = choice};                                        \
        const struct sl_##list##_qs8 *at, *kernel = NULL;                                          \
        for (size_t i = 0; (at = sl_##list##_qs8_at(i)); i++)                                      \
            if (sl_bench_consider(&search, at->name, at->needs, fits))                             \
                j->kernel = kernel = at;                                                           \
        int rc = sl_bench_chosen(&search, &bench->kernel);                                         \
        size_t space = 0, weights = j->shape->k * j->shape->n;                                     \
        if (rc == 0) {                                                                             \
            space = (verbs##_SPACE(kernel, &args->shape) + weights + 63) / 64 * 64;                \
            rc = job_init(j, sl_bench_shape_in(j->shape), weights,                                 \
                          verbs##_BYTES(kernel, &args->shape),                                     \
                          space + sl_bench_repeated_bytes(j->shape, 1), seed);                     \
        }                                                                                          \
        if (rc == 0)                                                                               \
            j->repeated = sl_bench_repeated_of(j->shape, choice->isa, 1, j->in,                    \
                                               (char *)j->workspace + space);                      \
        args->in = j->shape->multiplier > 1 ? j->repeated.wide : j->in;                            \
        args->in_zero = j->requant.in_zero;                                                        \
        args->weights = j->packed;                                                                 \
        args->out = j->out;                                                                        \
        args->out_quant = out_quant;                                                               \
        args->workspace = j->workspace;                                                            \
        if (rc == 0) {                                                                             \
            sl_bench_stage(bench, "rhs_pack", family##_pack, j);                                   \
            sl_bench_stage(bench, "whole",                                                         \
                           j->shape->multiplier > 1 ? family##_run_repeated : family##_run, j);    \
        }                                                                                          \
        job_fini(j);                                                                               \
        return rc < 0 ? rc : bench->error;                                                         \
    }

LAYER_BENCH(conv, conv, OWN, 1)
LAYER_BENCH(deconv, conv, DECONV, 1)
/* A kernel that this CPU cannot run is not asked whether it fits. */
LAYER_BENCH(depthwise, depthwise, OWN,
            !at->fits || (at->needs & ~choice->isa) != 0 || at->fits(&args->shape))

/* Serves plain and transposed convolutions. */
static struct job conv_job(const struct sl_bench_shape *s)
{
    struct job j = {.shape = s};
    j.conv.shape = (struct sl_conv_shape){SL_BENCH_WINDOW(s), .groups = s->groups,
                                          .group_in_c = s->in_c / s->groups,
                                          .group_out_c = s->out_c / s->groups};
    sl_conv_qs8_dense(&j.conv);
    return j;
}

int sl_bench_conv_qs8(const struct sl_bench_choice *choice, uint64_t seed,
                      struct sl_bench_stage_run *bench)
{
    struct job j = conv_job(bench->shape);
    return conv_stages(&j, choice, seed, bench);
}

int sl_bench_deconv_qs8(const struct sl_bench_choice *choice, uint64_t seed,
                        struct sl_bench_stage_run *bench)
{
    struct job j = conv_job(bench->shape);
    return deconv_stages(&j, choice, seed, bench);
}

int sl_bench_depthwise_qs8(const struct sl_bench_choice *choice, uint64_t seed,
                           struct sl_bench_stage_run *bench)
{
    const struct sl_bench_shape *s = bench->shape;
    struct job j = {.shape = s};
    j.depthwise.shape = (struct sl_depthwise_shape){
        SL_BENCH_WINDOW(s), .channels = s->in_c * s->multiplier, .multiplier = 1};
    return depthwise_stages(&j, choice, seed, bench);
}

static void unary_run(void *data)
{
    const struct job *j = data;
    ((const struct sl_unary_qs8 *)j->kernel)
        ->run(&(struct sl_unary_qs8_args){j->shape->n, j->in, j->out, j->weights, -100, 100});
}

static void binary_run(void *data)
{
    const struct job *j = data;
    const struct sl_binary_qs8 *kernel = j->kernel;
    struct sl_binary_qs8_args args = {.count = j->shape->n,
                                      .a = j->in,
                                      .b = j->in + j->shape->n,
                                      .a_step = 1,
                                      .b_step = 1,
                                      .out = j->out,
                                      .out_quant = out_quant};
    const struct sl_quant_scale a = {0.02f, 3}, b = {0.03f, -4};
    sl_binary_qs8_prepare(kernel->op, a, b, 0.04f, &args.plan);
    kernel->run(&args);
}

static void pool_run(void *data)
{
    const struct job *j = data;
    const struct sl_bench_shape *s = j->shape;
    const struct sl_pool_qs8_args args = {
        1,           s->in_h,     s->in_w,     s->out_h,    s->out_w,      s->in_c,
        s->kernel_h, s->kernel_w, s->stride_h, s->stride_w, s->dilation_h, s->dilation_w,
        s->pad_h,    s->pad_w,    j->in,       j->out,      -128,          127};
    ((const struct sl_pool_qs8 *)j->kernel)->run(&args);
}

static void reduce_run(void *data)
{
    const struct job *j = data;
    const struct sl_bench_shape *s = j->shape;
    const struct sl_mean_qs8_args args = {
        s->m, s->k, s->n, j->in, j->out, 0.7f / (float)s->k, 3, out_quant, j->workspace};
    ((const struct sl_mean_qs8 *)j->kernel)->run(&args);
}

static void transpose_run(void *data)
{
    const struct job *j = data;
    const struct sl_bench_shape *s = j->shape;
    ((const struct sl_transpose_x8 *)j->kernel)
        ->run(&(struct sl_transpose_x8_args){.batch = 1,
                                             .rows = s->m,
                                             .cols = s->n,
                                             .in = (const void *)j->in,
                                             .in_row_stride = s->n,
                                             .out = (void *)j->out,
                                             .out_row_stride = s->m});
}

static void resize_run(void *data)
{
    const struct job *j = data;
    const struct sl_bench_shape *s = j->shape;
    const struct sl_resize_args args = {1,       s->in_h, s->in_w, s->out_h, s->out_w,
                                        s->in_c, false,   j->in,   j->out};
    ((const struct sl_resize *)j->kernel)->run(&args);
}

/* True if the kernel's name begins with the list's word and the operation of the shape. */
static int computes(const char *name, const char *word, const struct sl_bench_shape *s)
{
    char begin[64];
    int len = snprintf(begin, sizeof(begin), "sl_%s%s_", word, s->op);
    return len > 0 && strncmp(name, begin, (size_t)len) == 0;
}

/* The families whose kernels are one operation each; their shapes name it, or they have but one. */
#define ELEMENT_BENCH(family, list, fits)                                                          \
    int sl_bench_##family##_qs8(const struct sl_bench_choice *choice, uint64_t seed,               \
                                struct sl_bench_stage_run *bench)                                  \
    {                                                                                              \
        const struct sl_bench_shape *s = bench->shape;                                             \
        struct job j = {.shape = s};                                                               \
        struct sl_bench_search search = {.choice = choice};                                        \
        const struct sl_##list *at;                                                                \
        for (size_t i = 0; (at = sl_##list##_at(i)); i++)                                          \
            if (sl_bench_consider(&search, at->name, at->needs, fits))                             \
                j.kernel = at;                                                                     \
        size_t in = 2 * sl_bench_shape_in(s); /* of both operands where there are two */           \
        int rc = sl_bench_chosen(&search, &bench->kernel);                                         \
        if (rc == 0)                                                                               \
            rc = job_init(&j, in, 256, 1, 8 * s->n, seed);                                         \
        if (rc == 0)                                                                               \
            sl_bench_stage(bench, "whole", family##_run, &j);                                      \
        job_fini(&j);                                                                              \
        return rc < 0 ? rc : bench->error;                                                         \
    }

ELEMENT_BENCH(unary, unary_qs8, computes(at->name, "unary_", s))
ELEMENT_BENCH(binary, binary_qs8, computes(at->name, "binary_", s))
ELEMENT_BENCH(pool, pool_qs8, computes(at->name, "pool_", s))
ELEMENT_BENCH(reduce, mean_qs8, computes(at->name, "", s))
ELEMENT_BENCH(transpose, transpose_x8, true)
ELEMENT_BENCH(resize, resize, at->element == SL_QS8)
