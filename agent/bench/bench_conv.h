/* agent/bench/bench_conv.h: stages of convolutions, dense and depthwise: the weights' pack and the
 * whole; of the type that the including file names (kernels/cpu/element.h). */
#pragma once

#include <math.h>

#include "agent/bench/kernels.h"
#include "agent/bench/operands.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "kernels/cpu/element.h"

/* The fields that both kinds of shape have, by the names they have in both. */
#define WINDOW(s)                                                                                  \
    .batch = 1, .in_h = (s)->in_h, .in_w = (s)->in_w, .out_h = (s)->out_h, .out_w = (s)->out_w,    \
    .kernel_h = (s)->kernel_h, .kernel_w = (s)->kernel_w, .stride_h = (s)->stride,                 \
    .stride_w = (s)->stride, .dilation_h = 1, .dilation_w = 1, .pad_top = (s)->padding,            \
    .pad_left = (s)->padding

/* A bench of one family; families differ only in the types of their kernels. `channels` are the
 * shape's other fields. */
#define LAYER_BENCH(family, channels)                                                              \
    struct family##_layer {                                                                        \
        const struct SL_NAME(sl_##family, ) * kernel;                                              \
        struct SL_NAME(sl_##family, _args) args;                                                   \
        struct sl_bench_operands operands;                                                         \
    };                                                                                             \
    static void family##_pack(void *data)                                                          \
    {                                                                                              \
        const struct family##_layer *l = data;                                                     \
        l->kernel->pack_weights(&l->args.shape, (const void *)l->operands.weights,                 \
                                (const void *)l->operands.bias, l->operands.packed);               \
    }                                                                                              \
    static void family##_run(void *data)                                                           \
    {                                                                                              \
        const struct family##_layer *l = data;                                                     \
        l->kernel->run(&l->args);                                                                  \
    }                                                                                              \
    static int family##_prepare(struct family##_layer *l, const struct sl_bench_shape *s,          \
                                uint64_t seed)                                                     \
    {                                                                                              \
        const struct sl_bench_sizes sizes = {s->in_h * s->in_w * s->in_c,                          \
                                             s->k * s->n,                                          \
                                             s->n,                                                 \
                                             s->m * s->n,                                          \
                                             l->kernel->weights_bytes(&l->args.shape),             \
                                             l->kernel->workspace_bytes(&l->args.shape)};          \
        int rc = sl_bench_operands_init(&l->operands, &sizes, seed);                               \
        if (rc == 0)                                                                               \
            sl_bench_operands_narrow(&l->operands, &sizes, s->type);                               \
        l->args.in = (const void *)l->operands.in;                                                 \
        l->args.weights = l->operands.packed;                                                      \
        l->args.out = (void *)l->operands.out;                                                     \
        l->args.workspace = l->operands.workspace;                                                 \
        l->args.min = -INFINITY;                                                                   \
        l->args.max = INFINITY;                                                                    \
        return rc;                                                                                 \
    }                                                                                              \
    int SL_NAME(sl_bench_##family, )(const struct sl_bench_choice *choice, uint64_t seed,          \
                                     struct sl_bench_stage_run *bench)                             \
    {                                                                                              \
        const struct sl_bench_shape *s = bench->shape;                                             \
        struct family##_layer l = {.args.shape = {WINDOW(s), channels}};                           \
        struct sl_bench_search search = {.choice = choice};                                        \
        const struct SL_NAME(sl_##family, ) * at;                                                  \
        for (size_t i = 0; (at = SL_NAME(sl_##family, _at)(i)); i++) {                             \
            if (sl_bench_consider(&search, at->name, at->needs,                                    \
                                  !at->fits || at->fits(&l.args.shape)))                           \
                l.kernel = at;                                                                     \
        }                                                                                          \
        int rc = sl_bench_chosen(&search, &bench->kernel);                                         \
        if (rc == 0)                                                                               \
            rc = family##_prepare(&l, s, seed);                                                    \
        if (rc == 0) {                                                                             \
            sl_bench_stage(bench, "rhs_pack", family##_pack, &l);                                  \
            sl_bench_stage(bench, "whole", family##_run, &l);                                      \
        }                                                                                          \
        sl_bench_operands_fini(&l.operands);                                                       \
        return rc < 0 ? rc : bench->error;                                                         \
    }

#define CONV_CHANNELS .groups = 1, .group_in_c = s->in_c, .group_out_c = s->out_c
#define DEPTHWISE_CHANNELS .channels = s->in_c, .multiplier = 1

LAYER_BENCH(conv, CONV_CHANNELS)
LAYER_BENCH(depthwise, DEPTHWISE_CHANNELS)
