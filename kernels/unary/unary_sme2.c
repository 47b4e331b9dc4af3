/* kernels/unary/unary_sme2.c: unary operators in streaming mode, four vectors at a time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/unary/unary.h"

static inline svfloat32x4_t clamp_quad(svfloat32x4_t x, svfloat32_t min,
                                       svfloat32_t max) __arm_streaming
{
    return svmin_single_f32_x4(svmax_single_f32_x4(x, min), max);
}

struct clamp {
    size_t count;
    const float *in;
    float *out;
    float min, max;
};

static void clamp_body(const void *args) __arm_streaming
{
    const struct clamp *c = args;
    const float *in = c->in;
    float *out = c->out;
    size_t count = c->count;
    svfloat32_t min = svdup_f32(c->min), max = svdup_f32(c->max);
    svcount_t all = svptrue_c32();
    size_t quad = 4 * svcntw();
    for (size_t turns = count / (4 * quad); turns > 0; turns--) {
        svst1_vnum_f32_x4(all, out, 0, clamp_quad(svld1_vnum_f32_x4(all, in, 0), min, max));
        svst1_vnum_f32_x4(all, out, 4, clamp_quad(svld1_vnum_f32_x4(all, in, 4), min, max));
        svst1_vnum_f32_x4(all, out, 8, clamp_quad(svld1_vnum_f32_x4(all, in, 8), min, max));
        svst1_vnum_f32_x4(all, out, 12, clamp_quad(svld1_vnum_f32_x4(all, in, 12), min, max));
        in += 4 * quad;
        out += 4 * quad;
    }
    count %= 4 * quad;
    for (size_t i = 0; i < count; i += quad) {
        svcount_t some = svwhilelt_c32_u64(i, count, 4);
        svst1_f32_x4(some, out + i, clamp_quad(svld1_f32_x4(some, in + i), min, max));
    }
}

static void clamp(size_t count, const float *in, float *out, float a, float b)
{
    struct clamp args = {count, in, out, a, b};
    sl_streaming_run(clamp_body, &args);
}

const struct sl_unary sl_unary_clamp_f32_f32_16vl_sme2 = {
    .name = "sl_unary_clamp_f32_f32_16vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_UNARY_CLAMP,
    .run = clamp,
};
