/* kernels/reduce/reduce_wide.h: softmax and layer norm of halves by the f32 kernels: rows are
 * widened to a buffer, some at a time, and rounded once on their way back. Rows that no buffer
 * holds go to the portable kernel.
 *
 * The including file defines ENGINE, ISA, SOFTMAX and, if it wants one, LAYER_NORM (f32 kernels),
 * and the functions widen() and narrow() between arrays of halves and floats. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_f16.h"

enum { BUFFER = 8192, MOST_WEIGHTS = BUFFER / 2 };

static void widen(size_t count, const uint16_t *in, float *out);
static void narrow(size_t count, const float *in, uint16_t *out);

static void by_rows(const struct sl_reduce *kernel, const struct sl_reduce_f16_args *args,
                    const float *weight, const float *bias)
{
    float buffer[BUFFER], mean[BUFFER], rstd[BUFFER];
    size_t count = args->reduced, most = BUFFER / count;
    for (size_t o = 0, rows; o < args->outer; o += rows) {
        rows = args->outer - o < most ? args->outer - o : most;
        widen(rows * count, args->in + o * count, buffer);
        const struct sl_reduce_args wide = {.outer = rows,
                                            .reduced = count,
                                            .inner = 1,
                                            .in = buffer,
                                            .out = buffer,
                                            .eps = args->eps,
                                            .weight = weight,
                                            .bias = bias,
                                            .mean = args->mean ? mean : NULL,
                                            .rstd = args->rstd ? rstd : NULL};
        kernel->run(&wide);
        narrow(rows * count, buffer, args->out + o * count);
        if (args->mean)
            narrow(rows, mean, args->mean + o);
        if (args->rstd)
            narrow(rows, rstd, args->rstd + o);
    }
}

static void softmax(const struct sl_reduce_f16_args *args)
{
    if (args->reduced > BUFFER)
        sl_reduce_softmax_f16_f16_1x1_scalar.run(args);
    else if (args->reduced > 0)
        by_rows(&SOFTMAX, args, NULL, NULL);
}

#if defined(LAYER_NORM)
static void layer_norm(const struct sl_reduce_f16_args *args)
{
    float weight[MOST_WEIGHTS], bias[MOST_WEIGHTS];
    if (args->reduced > MOST_WEIGHTS) {
        sl_reduce_layer_norm_f16_f16_1x1_scalar.run(args);
        return;
    }
    if (args->weight)
        widen(args->reduced, args->weight, weight);
    if (args->bias)
        widen(args->reduced, args->bias, bias);
    if (args->reduced > 0)
        by_rows(&LAYER_NORM, args, args->weight ? weight : NULL, args->bias ? bias : NULL);
}

#endif

#define KERNEL_2(op, engine) sl_reduce_##op##_f16_f16_wide_##engine
#define KERNEL(op, engine) KERNEL_2(op, engine)
#define NAME_2(kernel) #kernel
#define NAME(kernel) NAME_2(kernel)

const struct sl_reduce_f16 KERNEL(softmax, ENGINE) = {
    .name = NAME(KERNEL(softmax, ENGINE)),
    .needs = ISA,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};

#if defined(LAYER_NORM)
const struct sl_reduce_f16 KERNEL(layer_norm, ENGINE) = {
    .name = NAME(KERNEL(layer_norm, ENGINE)),
    .needs = ISA,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
#endif
