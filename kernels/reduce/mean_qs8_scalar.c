/* kernels/reduce/mean_qs8_scalar.c: portable means of int8. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/mean_qs8.h"

static size_t workspace_bytes(size_t inner)
{
    return inner * sizeof(int32_t);
}

/* One output value from the sum of its inputs. */
static int8_t finish(int32_t sum, float scale, float offset, struct sl_requant_out out)
{
#pragma STDC FP_CONTRACT OFF
    float product = (float)sum * scale, y = product + offset;
    y = y < out.min ? out.min : y;
    return (int8_t)rintf(y > out.max ? out.max : y);
}

static void run(const struct sl_mean_qs8_args *args)
{
    float offset = sl_mean_qs8_offset(args);
    int32_t *sum = args->workspace;
    const int8_t *in = args->in;
    int8_t *out = args->out;
    for (size_t o = 0; o < args->outer; o++, out += args->inner) {
        memset(sum, 0, args->inner * sizeof(*sum));
        for (size_t r = 0; r < args->reduced; r++, in += args->inner)
            for (size_t i = 0; i < args->inner; i++)
                sum[i] += in[i];
        for (size_t i = 0; i < args->inner; i++)
            out[i] = finish(sum[i], args->scale, offset, args->out_quant);
    }
}

const struct sl_mean_qs8 sl_mean_qs8_qs8_1x1_scalar = {
    .name = "sl_mean_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
