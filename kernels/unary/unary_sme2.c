/* kernels/unary/unary_sme2.c: the clamp in streaming mode, 32 vectors a turn. */
#include <arm_sme.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/unary/unary.h"

struct sl_unary_clamp { /* the assembly knows its layout */
    size_t count;
    const float *in;
    float *out;
    float min, max;
};

void sl_unary_clamp_sme2_asm(const void *clamp) __arm_streaming;

static void clamp(size_t count, const float *in, float *out, float a, float b)
{
    struct sl_unary_clamp args = {count, in, out, a, b};
    sl_streaming_run(sl_unary_clamp_sme2_asm, &args);
}

const struct sl_unary sl_unary_clamp_f32_f32_16vl_sme2 = {
    .name = "sl_unary_clamp_f32_f32_16vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_UNARY_CLAMP,
    .run = clamp,
};
