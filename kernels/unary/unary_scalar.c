/* kernels/unary/unary_scalar.c: portable unary operators. */
#include "kernels/cpu/clamp.h"
#include "kernels/cpu/isa.h"
#include "kernels/unary/unary.h"

static void clamp(size_t count, const float *in, float *out, float a, float b)
{
    for (size_t i = 0; i < count; i++)
        out[i] = sl_clamp(in[i], a, b);
}

const struct sl_unary sl_unary_clamp_f32_f32_1x1_scalar = {
    .name = "sl_unary_clamp_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .op = SL_UNARY_CLAMP,
    .run = clamp,
};
