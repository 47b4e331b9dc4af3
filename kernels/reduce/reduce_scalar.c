/* kernels/reduce/reduce_scalar.c: portable reductions. */
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"

static void mean(const struct sl_reduce_args *args)
{
    for (size_t o = 0; o < args->outer; o++) {
        const float *in = args->in + o * args->reduced * args->inner;
        for (size_t i = 0; i < args->inner; i++) {
            double sum = 0;
            for (size_t r = 0; r < args->reduced; r++)
                sum += (double)in[r * args->inner + i];
            args->out[o * args->inner + i] = (float)(sum * (double)args->scale);
        }
    }
}

static void softmax(const struct sl_reduce_args *args)
{
    for (size_t o = 0; o < args->outer; o++) {
        const float *in = args->in + o * args->reduced;
        float *out = args->out + o * args->reduced;
        float max = -INFINITY;
        for (size_t r = 0; r < args->reduced; r++)
            max = in[r] > max ? in[r] : max;
        float sum = 0;
        for (size_t r = 0; r < args->reduced; r++)
            sum += out[r] = expf(in[r] - max);
        for (size_t r = 0; r < args->reduced; r++)
            out[r] /= sum;
    }
}

static void layer_norm_row(const struct sl_reduce_args *args, size_t o)
{
    size_t count = args->reduced;
    const float *in = args->in + o * count;
    float *out = args->out + o * count;
    double sum = 0, squares = 0;
    for (size_t r = 0; r < count; r++)
        sum += (double)in[r];
    double average = sum / (double)count;
    for (size_t r = 0; r < count; r++) {
        double d = (double)in[r] - average;
        squares += d * d;
    }
    double rstd = 1 / sqrt(squares / (double)count + (double)args->eps);
    for (size_t r = 0; r < count; r++) {
        float y = (float)(((double)in[r] - average) * rstd);
        y = args->weight ? y * args->weight[r] : y;
        out[r] = args->bias ? y + args->bias[r] : y;
    }
    if (args->mean)
        args->mean[o] = (float)average;
    if (args->rstd)
        args->rstd[o] = (float)rstd;
}

static void layer_norm(const struct sl_reduce_args *args)
{
    for (size_t o = 0; o < args->outer; o++)
        layer_norm_row(args, o);
}

const struct sl_reduce sl_reduce_mean_f32_f32_1x1_scalar = {
    .name = "sl_reduce_mean_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_MEAN,
    .run = mean,
};

const struct sl_reduce sl_reduce_softmax_f32_f32_1x1_scalar = {
    .name = "sl_reduce_softmax_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_SOFTMAX,
    .run = softmax,
};

const struct sl_reduce sl_reduce_layer_norm_f32_f32_1x1_scalar = {
    .name = "sl_reduce_layer_norm_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
