/* kernels/convert/convert_sme2.c: conversions in streaming mode, eight vectors of floats a turn. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/convert/convert.h"
#include "kernels/convert/floats_sme2.h"
#include "kernels/convert/requantise.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

/* Not 0: FPSR says that something was invalid. */
uint64_t sl_convert_qs8_f32_sme2_asm(const float *in, int8_t *out, size_t turns, float multiplier,
                                     int32_t zero) __arm_streaming __arm_inout("za");
void sl_convert_f32_qs8_sme2_asm(const int8_t *in, float *out, size_t turns, float multiplier,
                                 int32_t zero) __arm_streaming __arm_inout("za");

struct numbers {
    float multiplier;
    int32_t zero; /* added */
    struct sl_requantise to_int8;
};

SL_SME2_INLINE svfloat32x4_t load_bf16(const void *in, size_t i, size_t count) __arm_streaming
{
    svuint16x2_t half = svld1_u16_x2(sl_some_c16(i, count), (const uint16_t *)in + i);
    svuint16_t none = svdup_u16(0);
    svuint16x2_t a = svzip_u16_x2(svcreate2_u16(none, svget2_u16(half, 0)));
    svuint16x2_t b = svzip_u16_x2(svcreate2_u16(none, svget2_u16(half, 1)));
    return svcreate4_f32(
        svreinterpret_f32_u16(svget2_u16(a, 0)), svreinterpret_f32_u16(svget2_u16(a, 1)),
        svreinterpret_f32_u16(svget2_u16(b, 0)), svreinterpret_f32_u16(svget2_u16(b, 1)));
}

SL_SME2_INLINE svint32x4_t load_int8(const void *in, size_t i, size_t count) __arm_streaming
{
    svint8_t q = svld1_s8(sl_some_b8(i, count), (const int8_t *)in + i);
    return svunpk_s32_s16_x4(svunpk_s16_s8_x2(q));
}

SL_SME2_INLINE svfloat32x4_t load_qs8(const void *in, size_t i, size_t count,
                                      const struct numbers *n) __arm_streaming
{
    svint32x4_t q = svadd_single_s32_x4(load_int8(in, i, count), svdup_s32(n->zero));
    return sl_scaled(svcvt_f32_s32_x4(q), n->multiplier);
}

SL_SME2_INLINE void store_f32(void *out, size_t i, size_t count, svfloat32x4_t x) __arm_streaming
{
    svst1_f32_x4(sl_some_c32(i, count), (float *)out + i, x);
}

SL_SME2_INLINE void store_f16(void *out, size_t i, size_t count, svfloat32x4_t x) __arm_streaming
{
    svfloat16_t a = svcvt_f16_f32_x2(svcreate2_f32(svget4_f32(x, 0), svget4_f32(x, 1)));
    svfloat16_t b = svcvt_f16_f32_x2(svcreate2_f32(svget4_f32(x, 2), svget4_f32(x, 3)));
    svst1_u16_x2(sl_some_c16(i, count), (uint16_t *)out + i,
                 svcreate2_u16(svreinterpret_u16_f16(a), svreinterpret_u16_f16(b)));
}

SL_SME2_INLINE void store_bf16(void *out, size_t i, size_t count, svfloat32x4_t x) __arm_streaming
{
    svbfloat16_t a = svcvt_bf16_f32_x2(svcreate2_f32(svget4_f32(x, 0), svget4_f32(x, 1)));
    svbfloat16_t b = svcvt_bf16_f32_x2(svcreate2_f32(svget4_f32(x, 2), svget4_f32(x, 3)));
    svst1_u16_x2(sl_some_c16(i, count), (uint16_t *)out + i,
                 svcreate2_u16(svreinterpret_u16_bf16(a), svreinterpret_u16_bf16(b)));
}

/* Clamped to 2^30 before a zero point is added, which so cannot wrap. */
SL_SME2_INLINE void store_qs8(void *out, size_t i, size_t count, svfloat32x4_t x,
                              const struct numbers *n) __arm_streaming
{
    svint32x4_t q = svcvt_s32_f32_x4(svrintn_f32_x4(sl_scaled(x, n->multiplier)));
    q = svclamp_single_s32_x4(q, svdup_s32(-(1 << 30)), svdup_s32(1 << 30));
    q = svadd_single_s32_x4(q, svdup_s32(n->zero));
    svst1_s8(sl_some_b8(i, count), (int8_t *)out + i, svqcvt_s8_s32_x4(q));
}

SL_SME2_INLINE void move_qs8(const void *in, void *out, size_t i, size_t count,
                             const struct numbers *n) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svint32_t offset = svdup_s32(n->to_int8.offset);
    int32_t m = n->to_int8.multiplier;
    svint32x4_t q = load_int8(in, i, count);
    svint32_t a = svmla_n_s32_x(all, offset, svget4_s32(q, 0), m);
    svint32_t b = svmla_n_s32_x(all, offset, svget4_s32(q, 1), m);
    svint32_t c = svmla_n_s32_x(all, offset, svget4_s32(q, 2), m);
    svint32_t d = svmla_n_s32_x(all, offset, svget4_s32(q, 3), m);
    q = svcreate4_s32(svasr_n_s32_x(all, a, 8), svasr_n_s32_x(all, b, 8), svasr_n_s32_x(all, c, 8),
                      svasr_n_s32_x(all, d, 8));
    svst1_s8(sl_some_b8(i, count), (int8_t *)out + i, svqcvt_s8_s32_x4(q));
}

struct call {
    const struct sl_convert_args *args;
    struct numbers numbers;
};

/* How many elements the assembly converted: all whole turns, on vectors of at least 16 floats. */
static size_t no_turns(const struct call *call) __arm_streaming __arm_inout("za")
{
    (void)call;
    return 0;
}

SL_SME2_INLINE size_t turns_of(const struct call *call) __arm_streaming
{
    return svcntw() >= 16 ? call->args->count / (64 * svcntw()) : 0;
}

static size_t turns_to_int8(const struct call *call) __arm_streaming __arm_inout("za")
{
    size_t turns = turns_of(call);
    if (turns > 0 && sl_convert_qs8_f32_sme2_asm(call->args->in, call->args->out, turns,
                                                 call->numbers.multiplier, call->numbers.zero))
        return 0; /* a NaN or what leaves int32: once more, with care */
    return turns * 64 * svcntw();
}

static size_t turns_of_int8(const struct call *call) __arm_streaming __arm_inout("za")
{
    size_t turns = turns_of(call);
    if (turns > 0)
        sl_convert_f32_qs8_sme2_asm(call->args->in, call->args->out, turns,
                                    call->numbers.multiplier, call->numbers.zero);
    return turns * 64 * svcntw();
}

static struct numbers to_int8(const struct sl_convert_args *args)
{
    return (struct numbers){.multiplier = 1.0f / args->out_scale, .zero = args->out_zero};
}

static struct numbers of_int8(const struct sl_convert_args *args)
{
    return (struct numbers){.multiplier = args->in_scale, .zero = -args->in_zero};
}

static struct numbers int8_to_int8(const struct sl_convert_args *args)
{
    return (struct numbers){.to_int8 = sl_requantise_of(args)};
}

static struct numbers none(const struct sl_convert_args *args)
{
    (void)args;
    return (struct numbers){.zero = 0};
}

/* A kernel: `step` converts 4 VL elements from i on, `count` as the loads and stores take it. */
#define CONVERT(op_name, types, numbers_of, turns, step)                                           \
    static void body_##types(const void *pointer) __arm_streaming __arm_inout("za")                \
    {                                                                                              \
        const struct call *call = pointer;                                                         \
        const struct numbers *n = &call->numbers;                                                  \
        const void *in = call->args->in;                                                           \
        void *out = call->args->out;                                                               \
        size_t i = turns(call), total = call->args->count, quad = 4 * svcntw();                    \
        for (; i + quad <= total; i += quad) {                                                     \
            const size_t count = SL_WHOLE;                                                         \
            step;                                                                                  \
        }                                                                                          \
        if (i < total) {                                                                           \
            const size_t count = total;                                                            \
            step;                                                                                  \
        }                                                                                          \
        (void)n;                                                                                   \
    }                                                                                              \
    static void run_##types(const struct sl_convert_args *args)                                    \
    {                                                                                              \
        struct call call = {args, numbers_of(args)};                                               \
        if (args->count > 0)                                                                       \
            sl_streaming_run_za(body_##types, &call);                                              \
    }                                                                                              \
    const struct sl_convert sl_convert_##types##_4vl_sme2 = {.name =                               \
                                                                 "sl_convert_" #types "_4vl_sme2", \
                                                             .needs = SL_ISA_SME2,                 \
                                                             .op = op_name,                        \
                                                             .run = run_##types}

CONVERT(SL_CONVERT_F16_F32, f16_f32, none, no_turns,
        store_f16(out, i, count, sl_load_f32(in, i, count)));
CONVERT(SL_CONVERT_F32_F16, f32_f16, none, no_turns,
        store_f32(out, i, count, sl_load_f16(in, i, count)));
CONVERT(SL_CONVERT_BF16_F32, bf16_f32, none, no_turns,
        store_bf16(out, i, count, sl_load_f32(in, i, count)));
CONVERT(SL_CONVERT_F32_BF16, f32_bf16, none, no_turns,
        store_f32(out, i, count, load_bf16(in, i, count)));
CONVERT(SL_CONVERT_QS8_F32, qs8_f32, to_int8, turns_to_int8,
        store_qs8(out, i, count, sl_load_f32(in, i, count), n));
CONVERT(SL_CONVERT_QS8_F16, qs8_f16, to_int8, no_turns,
        store_qs8(out, i, count, sl_load_f16(in, i, count), n));
CONVERT(SL_CONVERT_F32_QS8, f32_qs8, of_int8, turns_of_int8,
        store_f32(out, i, count, load_qs8(in, i, count, n)));
CONVERT(SL_CONVERT_F16_QS8, f16_qs8, of_int8, no_turns,
        store_f16(out, i, count, load_qs8(in, i, count, n)));
CONVERT(SL_CONVERT_QS8_QS8, qs8_qs8, int8_to_int8, no_turns, move_qs8(in, out, i, count, n));
