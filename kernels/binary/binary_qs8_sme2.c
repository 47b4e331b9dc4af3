/* kernels/binary/binary_qs8_sme2.c: sums and products of int8, four streaming vectors at a time. */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/binary/binary_qs8.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

#define INLINE static inline __attribute__((always_inline))

/* A vector of bytes as four of words. */
INLINE svint32x4_t words_of(svint8_t x) __arm_streaming
{
    return svunpk_s32_s16_x4(svunpk_s16_s8_x2(x));
}

/* Raw values; what their zero points come to is in `start`. */
INLINE svint8_t sums_of(svint8_t a, svint8_t b, const struct sl_binary_qs8_args *args,
                        int32_t start) __arm_streaming
{
    const struct sl_binary_qs8_plan *p = &args->plan;
    svbool_t all = svptrue_b32();
    svint32x4_t x = words_of(a), y = words_of(b);
    svint32_t s = svdup_s32(start), m = svdup_s32(p->a_multiplier), n = svdup_s32(p->b_multiplier);
    x = svcreate4_s32(
        svmla_s32_x(all, svmad_s32_x(all, svget4_s32(x, 0), m, s), svget4_s32(y, 0), n),
        svmla_s32_x(all, svmad_s32_x(all, svget4_s32(x, 1), m, s), svget4_s32(y, 1), n),
        svmla_s32_x(all, svmad_s32_x(all, svget4_s32(x, 2), m, s), svget4_s32(y, 2), n),
        svmla_s32_x(all, svmad_s32_x(all, svget4_s32(x, 3), m, s), svget4_s32(y, 3), n));
    x = svrshl_single_s32_x4(x, svdup_s32(-p->shift));
    return svqcvt_s8_s32_x4(svadd_single_s32_x4(x, svdup_s32(args->out_quant.zero)));
}

/* Bytes apart by parity, less their zero point; word i of the j-th product is of byte 4 i + j. */
INLINE svint8_t products_of(svint8_t a, svint8_t b,
                            const struct sl_binary_qs8_args *args) __arm_streaming
{
    const struct sl_binary_qs8_plan *p = &args->plan;
    svbool_t all = svptrue_b16();
    svint16_t x = svreinterpret_s16_s8(a), y = svreinterpret_s16_s8(b);
    int16_t x_zero = (int16_t)p->a_zero, y_zero = (int16_t)p->b_zero;
    svint16_t even_x = svsub_n_s16_x(all, svextb_s16_x(all, x), x_zero);
    svint16_t odd_x = svsub_n_s16_x(all, svasr_n_s16_x(all, x, 8), x_zero);
    svint16_t even_y = svsub_n_s16_x(all, svextb_s16_x(all, y), y_zero);
    svint16_t odd_y = svsub_n_s16_x(all, svasr_n_s16_x(all, y, 8), y_zero);
    svint32x4_t product = svcreate4_s32(svmullb_s32(even_x, even_y), svmullb_s32(odd_x, odd_y),
                                        svmullt_s32(even_x, even_y), svmullt_s32(odd_x, odd_y));
    product = svrshl_single_s32_x4(product, svdup_s32(p->pre_shift));
    product = svqdmulh_single_s32_x4(product, svdup_s32(p->a_multiplier));
    product = svrshl_single_s32_x4(product, svdup_s32(-p->shift));
    return svqcvtn_s8_s32_x4(svadd_single_s32_x4(product, svdup_s32(args->out_quant.zero)));
}

INLINE svint8_t values_of(int op, svint8_t a, svint8_t b, const struct sl_binary_qs8_args *args,
                          int32_t start) __arm_streaming
{
    return op == SL_BINARY_ADD ? sums_of(a, b, args, start) : products_of(a, b, args);
}

/* Steps are 1 or 0, constants of the caller. */
INLINE void run_steps(int op, size_t a_step, size_t b_step,
                      const struct sl_binary_qs8_args *pointer) __arm_streaming
{
    const struct sl_binary_qs8_args copy = *pointer, *args = &copy; /* stores do not change it */
    int32_t start =
        -args->plan.a_zero * args->plan.a_multiplier - args->plan.b_zero * args->plan.b_multiplier;
    svint8_t min = svdup_s8(args->out_quant.min), max = svdup_s8(args->out_quant.max);
    svint8_t a_all = svdup_s8(args->a[0]), b_all = svdup_s8(args->b[0]);
    for (size_t i = 0; i < args->count; i += 4 * svcntb()) {
        svcount_t some = svwhilelt_c8_u64(i, args->count, 4);
        svint8x4_t a =
            a_step ? svld1_s8_x4(some, args->a + i) : svcreate4_s8(a_all, a_all, a_all, a_all);
        svint8x4_t b =
            b_step ? svld1_s8_x4(some, args->b + i) : svcreate4_s8(b_all, b_all, b_all, b_all);
        svint8x4_t y = svcreate4_s8(values_of(op, svget4_s8(a, 0), svget4_s8(b, 0), args, start),
                                    values_of(op, svget4_s8(a, 1), svget4_s8(b, 1), args, start),
                                    values_of(op, svget4_s8(a, 2), svget4_s8(b, 2), args, start),
                                    values_of(op, svget4_s8(a, 3), svget4_s8(b, 3), args, start));
        svst1_s8_x4(some, args->out + i, svclamp_single_s8_x4(y, min, max));
    }
}

INLINE void run_op(int op, const void *pointer) __arm_streaming
{
    const struct sl_binary_qs8_args *args = pointer;
    if (args->a_step == 0)
        run_steps(op, 0, 1, args);
    else if (args->b_step == 0)
        run_steps(op, 1, 0, args);
    else
        run_steps(op, 1, 1, args);
}

static void add_body(const void *args) __arm_streaming
{
    run_op(SL_BINARY_ADD, args);
}

static void multiply_body(const void *args) __arm_streaming
{
    run_op(SL_BINARY_MULTIPLY, args);
}

static void add(const struct sl_binary_qs8_args *args)
{
    if (args->count > 0)
        sl_streaming_run(add_body, args);
}

static void multiply(const struct sl_binary_qs8_args *args)
{
    if (args->count > 0)
        sl_streaming_run(multiply_body, args);
}

const struct sl_binary_qs8 sl_binary_add_qs8_qs8_qs8_1x4vl_sme2 = {
    .name = "sl_binary_add_qs8_qs8_qs8_1x4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_BINARY_ADD,
    .run = add,
};

const struct sl_binary_qs8 sl_binary_multiply_qs8_qs8_qs8_1x4vl_sme2 = {
    .name = "sl_binary_multiply_qs8_qs8_qs8_1x4vl_sme2",
    .needs = SL_ISA_SME2,
    .op = SL_BINARY_MULTIPLY,
    .run = multiply,
};
