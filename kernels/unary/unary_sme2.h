/* kernels/unary/unary_sme2.h: the clamp in streaming mode, 32 vectors a turn, of the type that the
 * including file names (kernels/cpu/element.h), the kernel KERNEL, the assembly FUNCTION. */
#pragma once

#include <arm_sme.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

struct sl_unary_clamp { /* the assembly knows its layout */
    size_t count;
    const SL_ELEMENT *in;
    SL_ELEMENT *out;
    float min, max;
};

void FUNCTION(const void *clamp) __arm_streaming;

static void clamp(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)
{
    struct sl_unary_clamp args = {count, in, out, a, b};
    sl_streaming_run(FUNCTION, &args);
}

const struct SL_NAME(sl_unary, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .op = SL_UNARY_CLAMP,
    .run = clamp,
};
