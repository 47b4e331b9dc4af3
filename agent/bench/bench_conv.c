/* agent/bench/bench_conv.c: stages of convolutions of floats, dense and depthwise: the weights'
 * pack and the whole. */
#include <math.h>
#include <stdbool.h>

#include "agent/bench/kernels.h"
#include "agent/bench/operands.h"
#include "agent/bench/repeated.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/deconv.h"
#include "kernels/depthwise/depthwise.h"

/* The operations of a kernel (OWN), and of a transposed convolution built on it (DECONV). */
#define OWN_BYTES(l) (l)->kernel->weights_bytes(&(l)->args.shape)
#define OWN_SPACE(l) (l)->kernel->workspace_bytes(&(l)->args.shape)
#define OWN_PACK(l)                                                                                \
    (l)->kernel->pack_weights(&(l)->args.shape, (const void *)(l)->operands.weights,               \
                              (const void *)(l)->operands.bias, (l)->operands.packed)
#define OWN_RUN(l) (l)->kernel->run(&(l)->args)
#define DECONV_BYTES(l) sl_deconv_bytes((l)->kernel, &(l)->args.shape)
#define DECONV_SPACE(l) sl_deconv_workspace_bytes((l)->kernel, &(l)->args.shape)
#define DECONV_PACK(l)                                                                             \
    sl_deconv_pack((l)->kernel, &(l)->args.shape, (const void *)(l)->operands.weights,             \
                   (const void *)(l)->operands.bias, (l)->operands.packed,                         \
                   (l)->operands.workspace)
#define DECONV_RUN(l) sl_deconv_run((l)->kernel, &(l)->args)

/* Defines the bench of one family, over the kernels of `list`; families differ in their types and
 * `verbs`, above. `channels` are the shape's other fields. The workspace has room for the weights
 * too. A kernel that this CPU cannot run is never asked whether it fits. With a multiplier,
 * channels are repeated first. */
#define LAYER_BENCH(family, list, verbs, channels)                                                 \
    struct family##_layer {                                                                        \
        const struct sl_##list *kernel;                                                            \
        struct sl_##list##_args args;                                                              \
        struct sl_bench_operands operands;                                                         \
        struct sl_bench_repeated repeated;                                                         \
    };                                                                                             \
    static void family##_pack(void *data)                                                          \
    {                                                                                              \
        const struct family##_layer *l = data;                                                     \
        verbs##_PACK(l);                                                                           \
    }                                                                                              \
    static void family##_run(void *data)                                                           \
    {                                                                                              \
        const struct family##_layer *l = data;                                                     \
        verbs##_RUN(l);                                                                            \
    }                                                                                              \
    static void family##_run_repeated(void *data)                                                  \
    {                                                                                              \
        const struct family##_layer *l = data;                                                     \
        sl_bench_repeated_run(&l->repeated);                                                       \
        verbs##_RUN(l);                                                                            \
    }                                                                                              \
    static int family##_prepare(struct family##_layer *l, const struct sl_bench_shape *s,          \
                                uint32_t isa, uint64_t seed)                                       \
    {                                                                                              \
        size_t space = (verbs##_SPACE(l) + s->k * s->n * sizeof(float) + 63) / 64 * 64;            \
        const struct sl_bench_sizes sizes = {sl_bench_shape_in(s),                                 \
                                             s->k * s->n,                                          \
                                             s->n,                                                 \
                                             sl_bench_shape_out(s),                                \
                                             verbs##_BYTES(l),                                     \
                                             space + sl_bench_repeated_bytes(s, sizeof(float))};   \
        int rc = sl_bench_operands_init(&l->operands, &sizes, seed);                               \
        if (rc != 0)                                                                               \
            return rc;                                                                             \
        sl_bench_operands_narrow(&l->operands, &sizes, s->type);                                   \
        l->repeated = sl_bench_repeated_of(s, isa, sl_element_bytes(l->kernel->element),           \
                                           l->operands.in, (char *)l->operands.workspace + space); \
        l->args.in = s->multiplier > 1 ? l->repeated.wide : (void *)l->operands.in;                \
        l->args.weights = l->operands.packed;                                                      \
        l->args.out = (void *)l->operands.out;                                                     \
        l->args.workspace = l->operands.workspace;                                                 \
        l->args.min = -INFINITY;                                                                   \
        l->args.max = INFINITY;                                                                    \
        return 0;                                                                                  \
    }                                                                                              \
    int sl_bench_##family(const struct sl_bench_choice *choice, uint64_t seed,                     \
                          struct sl_bench_stage_run *bench)                                        \
    {                                                                                              \
        const struct sl_bench_shape *s = bench->shape;                                             \
        struct family##_layer l = {.args.shape = {SL_BENCH_WINDOW(s), channels}};                  \
        struct sl_bench_search search = {.choice = choice};                                        \
        const struct sl_##list *at;                                                                \
        for (size_t i = 0; (at = sl_##list##_at(i)); i++) {                                        \
            bool fits = !at->fits || (at->needs & ~choice->isa) != 0 || at->fits(&l.args.shape);   \
            fits = fits && at->element == sl_bench_element(s);                                     \
            if (sl_bench_consider(&search, at->name, at->needs, fits))                             \
                l.kernel = at;                                                                     \
        }                                                                                          \
        int rc = sl_bench_chosen(&search, &bench->kernel);                                         \
        if (rc == 0)                                                                               \
            rc = family##_prepare(&l, s, choice->isa, seed);                                       \
        if (rc == 0) {                                                                             \
            sl_bench_stage(bench, "rhs_pack", family##_pack, &l);                                  \
            sl_bench_stage(bench, "whole",                                                         \
                           s->multiplier > 1 ? family##_run_repeated : family##_run, &l);          \
        }                                                                                          \
        sl_bench_operands_fini(&l.operands);                                                       \
        return rc < 0 ? rc : bench->error;                                                         \
    }

#define CONV_CHANNELS                                                                              \
    .groups = s->groups, .group_in_c = s->in_c / s->groups, .group_out_c = s->out_c / s->groups
#define DEPTHWISE_CHANNELS .channels = s->in_c * s->multiplier, .multiplier = 1

LAYER_BENCH(conv, conv, OWN, CONV_CHANNELS)
LAYER_BENCH(deconv, conv, DECONV, CONV_CHANNELS)
LAYER_BENCH(depthwise, depthwise, OWN, DEPTHWISE_CHANNELS)
