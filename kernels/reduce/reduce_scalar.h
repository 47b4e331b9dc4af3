/* kernels/reduce/reduce_scalar.h: portable reductions of the type that the including file names
 * (kernels/cpu/element.h), the kernels KERNEL(op). */
#pragma once

#include <math.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

static void mean(const struct SL_NAME(sl_reduce, _args) * args)
{
    for (size_t o = 0; o < args->outer; o++) {
        const SL_ELEMENT *in = args->in + o * args->reduced * args->inner;
        for (size_t i = 0; i < args->inner; i++) {
            double sum = 0;
            for (size_t r = 0; r < args->reduced; r++)
                sum += (double)SL_GET(in[r * args->inner + i]);
            args->out[o * args->inner + i] = SL_PUT((float)(sum * (double)args->scale));
        }
    }
}

static void softmax(const struct SL_NAME(sl_reduce, _args) * args)
{
    for (size_t o = 0; o < args->outer; o++) {
        const SL_ELEMENT *in = args->in + o * args->reduced;
        SL_ELEMENT *out = args->out + o * args->reduced;
        float max = -INFINITY;
        for (size_t r = 0; r < args->reduced; r++)
            max = SL_GET(in[r]) > max ? SL_GET(in[r]) : max;
        float sum = 0;
        for (size_t r = 0; r < args->reduced; r++)
            sum += expf(SL_GET(in[r]) - max);
        for (size_t r = 0; r < args->reduced; r++)
            out[r] = SL_PUT(expf(SL_GET(in[r]) - max) / sum);
    }
}

static void layer_norm_row(const struct SL_NAME(sl_reduce, _args) * args, size_t o)
{
    size_t count = args->reduced;
    const SL_ELEMENT *in = args->in + o * count;
    SL_ELEMENT *out = args->out + o * count;
    double sum = 0, squares = 0;
    for (size_t r = 0; r < count; r++)
        sum += (double)SL_GET(in[r]);
    double average = sum / (double)count;
    for (size_t r = 0; r < count; r++) {
        double d = (double)SL_GET(in[r]) - average;
        squares += d * d;
    }
    double rstd = 1 / sqrt(squares / (double)count + (double)args->eps);
    for (size_t r = 0; r < count; r++) {
        float y = (float)(((double)SL_GET(in[r]) - average) * rstd);
        y = args->weight ? y * SL_GET(args->weight[r]) : y;
        out[r] = SL_PUT(args->bias ? y + SL_GET(args->bias[r]) : y);
    }
    if (args->mean)
        args->mean[o] = SL_PUT((float)average);
    if (args->rstd)
        args->rstd[o] = SL_PUT((float)rstd);
}

static void layer_norm(const struct SL_NAME(sl_reduce, _args) * args)
{
    for (size_t o = 0; o < args->outer; o++)
        layer_norm_row(args, o);
}

static void rms_norm(const struct SL_NAME(sl_reduce, _args) * args)
{
    size_t count = args->reduced;
    for (size_t o = 0; count > 0 && o < args->outer; o++) {
        const SL_ELEMENT *in = args->in + o * count;
        double squares = 0;
        for (size_t r = 0; r < count; r++)
            squares += (double)SL_GET(in[r]) * (double)SL_GET(in[r]);
        double rstd = 1 / sqrt(squares / (double)count + (double)args->eps);
        for (size_t r = 0; r < count; r++) {
            float y = (float)((double)SL_GET(in[r]) * rstd);
            args->out[o * count + r] = SL_PUT(args->weight ? y * SL_GET(args->weight[r]) : y);
        }
        if (args->rstd)
            args->rstd[o] = SL_PUT((float)rstd);
    }
}

static void largest(const struct SL_NAME(sl_reduce, _args) * args)
{
    for (size_t i = 0; i < args->outer * args->inner; i++) {
        const SL_ELEMENT *in =
            args->in + i / args->inner * args->reduced * args->inner + i % args->inner;
        float best = SL_GET(in[0]);
        for (size_t r = 1; r < args->reduced; r++) {
            float value = SL_GET(in[r * args->inner]);
            best = isnan(best) || value <= best ? best : value;
        }
        args->out[i] = SL_PUT(best);
    }
}

const struct SL_NAME(sl_reduce, ) KERNEL(max) = {
    .name = SL_TEXT(KERNEL(max)),
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_MAX,
    .run = largest,
};

const struct SL_NAME(sl_reduce, ) KERNEL(mean) = {
    .name = SL_TEXT(KERNEL(mean)),
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

const struct SL_NAME(sl_reduce, ) KERNEL(softmax) = {
    .name = SL_TEXT(KERNEL(softmax)),
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};

const struct SL_NAME(sl_reduce, ) KERNEL(layer_norm) = {
    .name = SL_TEXT(KERNEL(layer_norm)),
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};

const struct SL_NAME(sl_reduce, ) KERNEL(rms_norm) = {
    .name = SL_TEXT(KERNEL(rms_norm)),
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_RMS_NORM,
    .run = rms_norm,
};
