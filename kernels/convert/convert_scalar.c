/* kernels/convert/convert_scalar.c: element by element, portable: what the other engines compute.
 */
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/convert/requantise.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"

static int8_t requantised(int8_t q, struct sl_requantise r)
{
    int32_t y = (r.offset + q * r.multiplier) >> 8;
    return (int8_t)(y < -128 ? -128 : y > 127 ? 127 : y);
}

static float value_of(int8_t q, const struct sl_convert_args *args)
{
    return (float)(q - args->in_zero) * args->in_scale;
}

/* A kernel of type `in_type` to `out_type`: `formula` of x, with args in sight. */
#define CONVERT(op_name, kernel, in_type, out_type, prepare, formula)                              \
    static void run_##kernel(const struct sl_convert_args *args)                                   \
    {                                                                                              \
        const in_type *in = args->in;                                                              \
        out_type *out = args->out;                                                                 \
        prepare;                                                                                   \
        for (size_t i = 0; i < args->count; i++) {                                                 \
            in_type x = in[i];                                                                     \
            out[i] = formula;                                                                      \
        }                                                                                          \
    }                                                                                              \
    const struct sl_convert sl_convert_##kernel = {                                                \
        .name = "sl_convert_" #kernel, .needs = SL_ISA_NONE, .op = op_name, .run = run_##kernel}

#define INVERSE const float multiplier = 1.0f / args->out_scale

CONVERT(SL_CONVERT_F16_F32, f16_f32_scalar, float, uint16_t, (void)0, sl_half_from_float(x));
CONVERT(SL_CONVERT_F32_F16, f32_f16_scalar, uint16_t, float, (void)0, sl_half_to_float(x));
CONVERT(SL_CONVERT_BF16_F32, bf16_f32_scalar, float, uint16_t, (void)0, sl_bfloat_from_float(x));
CONVERT(SL_CONVERT_F32_BF16, f32_bf16_scalar, uint16_t, float, (void)0, sl_bfloat_to_float(x));
CONVERT(SL_CONVERT_QS8_F32, qs8_f32_scalar, float, int8_t, INVERSE,
        sl_quantised_of(x, multiplier, args->out_zero));
CONVERT(SL_CONVERT_QS8_F16, qs8_f16_scalar, uint16_t, int8_t, INVERSE,
        sl_quantised_of(sl_half_to_float(x), multiplier, args->out_zero));
CONVERT(SL_CONVERT_F32_QS8, f32_qs8_scalar, int8_t, float, (void)0, value_of(x, args));
CONVERT(SL_CONVERT_F16_QS8, f16_qs8_scalar, int8_t, uint16_t, (void)0,
        sl_half_from_float(value_of(x, args)));
CONVERT(SL_CONVERT_QS8_QS8, qs8_qs8_scalar, int8_t, int8_t,
        const struct sl_requantise r = sl_requantise_of(args), requantised(x, r));
