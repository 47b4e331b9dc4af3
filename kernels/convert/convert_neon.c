/* kernels/convert/convert_neon.c: conversions, 16 elements at a time; what is left goes the
 * portable way. */
#include "kernels/convert/convert.h"
#include "kernels/convert/requantise.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

enum { AT_ONCE = 16 };

struct floats {
    float32x4_t v[4];
};

/* The constants of a conversion. */
struct numbers {
    float32x4_t multiplier;
    int16x8_t zero; /* added */
    int32x4_t offset;
    int32_t factor;
};

SL_INLINE struct floats load_f32(const void *in)
{
    float32x4x4_t x = vld1q_f32_x4(in);
    return (struct floats){{x.val[0], x.val[1], x.val[2], x.val[3]}};
}

SL_INLINE struct floats load_f16(const void *in)
{
    uint16x8x2_t x = vld1q_u16_x2(in);
    float16x8_t a = vreinterpretq_f16_u16(x.val[0]), b = vreinterpretq_f16_u16(x.val[1]);
    return (struct floats){{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a),
                            vcvt_f32_f16(vget_low_f16(b)), vcvt_high_f32_f16(b)}};
}

SL_INLINE struct floats load_bf16(const void *in)
{
    uint16x8x2_t x = vld1q_u16_x2(in);
    uint16x8_t none = vdupq_n_u16(0);
    return (struct floats){{vreinterpretq_f32_u16(vzip1q_u16(none, x.val[0])),
                            vreinterpretq_f32_u16(vzip2q_u16(none, x.val[0])),
                            vreinterpretq_f32_u16(vzip1q_u16(none, x.val[1])),
                            vreinterpretq_f32_u16(vzip2q_u16(none, x.val[1]))}};
}

/* The value of int8, zero point taken off and scaled. */
SL_INLINE struct floats load_qs8(const void *in, const struct numbers *n)
{
    int8x16_t q = vld1q_s8(in);
    int16x8_t low = vaddw_s8(n->zero, vget_low_s8(q)), high = vaddw_high_s8(n->zero, q);
    int32x4_t wide[4] = {vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low),
                         vmovl_s16(vget_low_s16(high)), vmovl_high_s16(high)};
    struct floats x;
    SL_UNROLL
    for (size_t i = 0; i < 4; i++)
        x.v[i] = vmulq_f32(vcvtq_f32_s32(wide[i]), n->multiplier);
    return x;
}

SL_INLINE void store_f32(void *out, struct floats x)
{
    float32x4x4_t all = {{x.v[0], x.v[1], x.v[2], x.v[3]}};
    vst1q_f32_x4(out, all);
}

SL_INLINE void store_f16(void *out, struct floats x)
{
    float16x8_t a = vcvt_high_f16_f32(vcvt_f16_f32(x.v[0]), x.v[1]);
    float16x8_t b = vcvt_high_f16_f32(vcvt_f16_f32(x.v[2]), x.v[3]);
    uint16x8x2_t both = {{vreinterpretq_u16_f16(a), vreinterpretq_u16_f16(b)}};
    vst1q_u16_x2(out, both);
}

/* To nearest even; a NaN keeps its upper bits and becomes quiet. */
SL_INLINE uint32x4_t bf16_of(float32x4_t x)
{
    uint32x4_t bits = vreinterpretq_u32_f32(x),
               even = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    uint32x4_t rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), even);
    return vbslq_u32(vceqq_f32(x, x), rounded, vorrq_u32(bits, vdupq_n_u32(0x400000)));
}

SL_INLINE void store_bf16(void *out, struct floats x)
{
    uint16x8_t a = vshrn_high_n_u32(vshrn_n_u32(bf16_of(x.v[0]), 16), bf16_of(x.v[1]), 16);
    uint16x8_t b = vshrn_high_n_u32(vshrn_n_u32(bf16_of(x.v[2]), 16), bf16_of(x.v[3]), 16);
    uint16x8x2_t both = {{a, b}};
    vst1q_u16_x2(out, both);
}

SL_INLINE void store_qs8(void *out, struct floats x, const struct numbers *n)
{
    int16x4_t q[4];
    SL_UNROLL
    for (size_t i = 0; i < 4; i++)
        q[i] = vqmovn_s32(vcvtnq_s32_f32(vmulq_f32(x.v[i], n->multiplier)));
    vst1q_s8(out, vcombine_s8(vqmovn_s16(vqaddq_s16(vcombine_s16(q[0], q[1]), n->zero)),
                              vqmovn_s16(vqaddq_s16(vcombine_s16(q[2], q[3]), n->zero))));
}

SL_INLINE int8x8_t requantised(int8x8_t q, const struct numbers *n)
{
    int16x8_t wide = vmovl_s8(q);
    int32x4_t low = vmlaq_n_s32(n->offset, vmovl_s16(vget_low_s16(wide)), n->factor);
    int32x4_t high = vmlaq_n_s32(n->offset, vmovl_high_s16(wide), n->factor);
    /* >> 8 may leave int16: saturated there, then again to int8 */
    return vqmovn_s16(vcombine_s16(vqshrn_n_s32(low, 8), vqshrn_n_s32(high, 8)));
}

SL_INLINE void move_qs8(const void *in, void *out, const struct numbers *n)
{
    int8x16_t q = vld1q_s8(in);
    vst1q_s8(out, vcombine_s8(requantised(vget_low_s8(q), n), requantised(vget_high_s8(q), n)));
}

static struct numbers to_int8(const struct sl_convert_args *args)
{
    return (struct numbers){.multiplier = vdupq_n_f32(1.0f / args->out_scale),
                            .zero = vdupq_n_s16((int16_t)args->out_zero)};
}

static struct numbers of_int8(const struct sl_convert_args *args)
{
    return (struct numbers){.multiplier = vdupq_n_f32(args->in_scale),
                            .zero = vdupq_n_s16((int16_t)-args->in_zero)};
}

static struct numbers int8_to_int8(const struct sl_convert_args *args)
{
    struct sl_requantise r = sl_requantise_of(args);
    return (struct numbers){.offset = vdupq_n_s32(r.offset), .factor = r.multiplier};
}

static struct numbers none(const struct sl_convert_args *args)
{
    (void)args;
    return (struct numbers){.factor = 0};
}

/* A kernel: `step` converts 16 elements from `in` to `out`, of in_bytes and out_bytes each. */
#define CONVERT(op_name, types, in_bytes, out_bytes, numbers_of, step)                             \
    static void run_##types(const struct sl_convert_args *args)                                    \
    {                                                                                              \
        struct sl_convert_args rest = *args;                                                       \
        const char *in = args->in;                                                                 \
        char *out = args->out;                                                                     \
        const struct numbers n = numbers_of(args);                                                 \
        for (; rest.count >= AT_ONCE; rest.count -= AT_ONCE) {                                     \
            step;                                                                                  \
            in += AT_ONCE * (in_bytes);                                                            \
            out += AT_ONCE * (out_bytes);                                                          \
        }                                                                                          \
        (void)n;                                                                                   \
        rest.in = in;                                                                              \
        rest.out = out;                                                                            \
        if (rest.count > 0)                                                                        \
            sl_convert_##types##_scalar.run(&rest);                                                \
    }                                                                                              \
    const struct sl_convert sl_convert_##types##_neon = {.name = "sl_convert_" #types "_neon",     \
                                                         .needs = SL_ISA_NEON,                     \
                                                         .op = op_name,                            \
                                                         .run = run_##types}

CONVERT(SL_CONVERT_F16_F32, f16_f32, 4, 2, none, store_f16(out, load_f32(in)));
CONVERT(SL_CONVERT_F32_F16, f32_f16, 2, 4, none, store_f32(out, load_f16(in)));
CONVERT(SL_CONVERT_BF16_F32, bf16_f32, 4, 2, none, store_bf16(out, load_f32(in)));
CONVERT(SL_CONVERT_F32_BF16, f32_bf16, 2, 4, none, store_f32(out, load_bf16(in)));
CONVERT(SL_CONVERT_QS8_F32, qs8_f32, 4, 1, to_int8, store_qs8(out, load_f32(in), &n));
CONVERT(SL_CONVERT_QS8_F16, qs8_f16, 2, 1, to_int8, store_qs8(out, load_f16(in), &n));
CONVERT(SL_CONVERT_F32_QS8, f32_qs8, 1, 4, of_int8, store_f32(out, load_qs8(in, &n)));
CONVERT(SL_CONVERT_F16_QS8, f16_qs8, 1, 2, of_int8, store_f16(out, load_qs8(in, &n)));
CONVERT(SL_CONVERT_QS8_QS8, qs8_qs8, 1, 1, int8_to_int8, move_qs8(in, out, &n));
