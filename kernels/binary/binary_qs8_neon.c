/* kernels/binary/binary_qs8_neon.c: sums and products of int8, NEON, 16 at a time. */
#include <string.h>

#include "kernels/binary/binary_qs8.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

/* A plan in registers. */
struct plan {
    int8x16_t a_zero, b_zero, min, max;
    int32x4_t a_multiplier, b_multiplier, pre_shift, shift; /* shifts to the right are negative */
    int16x8_t zero;
};

static struct plan plan_of(const struct sl_binary_qs8_args *args)
{
    const struct sl_binary_qs8_plan *p = &args->plan;
    return (struct plan){.a_zero = vdupq_n_s8((int8_t)p->a_zero),
                         .b_zero = vdupq_n_s8((int8_t)p->b_zero),
                         .min = vdupq_n_s8(args->out_quant.min),
                         .max = vdupq_n_s8(args->out_quant.max),
                         .a_multiplier = vdupq_n_s32(p->a_multiplier),
                         .b_multiplier = vdupq_n_s32(p->b_multiplier),
                         .pre_shift = vdupq_n_s32(p->pre_shift),
                         .shift = vdupq_n_s32(-p->shift),
                         .zero = vdupq_n_s16(args->out_quant.zero)};
}

SL_INLINE int32x4_t sum_of(int16x4_t a, int16x4_t b, const struct plan *p)
{
    int32x4_t sum = vmulq_s32(vmovl_s16(a), p->a_multiplier);
    return vrshlq_s32(vmlaq_s32(sum, vmovl_s16(b), p->b_multiplier), p->shift);
}

SL_INLINE int32x4_t product_of(int16x4_t a, int16x4_t b, const struct plan *p)
{
    int32x4_t product = vshlq_s32(vmull_s16(a, b), p->pre_shift);
    return vrshlq_s32(vqdmulhq_s32(product, p->a_multiplier), p->shift);
}

/* Eight values less their zero points. */
SL_INLINE int16x8_t eight(int op, int16x8_t a, int16x8_t b, const struct plan *p)
{
    int16x4_t al = vget_low_s16(a), ah = vget_high_s16(a);
    int16x4_t bl = vget_low_s16(b), bh = vget_high_s16(b);
    int32x4_t low = op == SL_BINARY_ADD ? sum_of(al, bl, p) : product_of(al, bl, p);
    int32x4_t high = op == SL_BINARY_ADD ? sum_of(ah, bh, p) : product_of(ah, bh, p);
    return vqaddq_s16(vqmovn_high_s32(vqmovn_s32(low), high), p->zero);
}

SL_INLINE int8x16_t sixteen(int op, int8x16_t a, int8x16_t b, const struct plan *p)
{
    int16x8_t low = eight(op, vsubl_s8(vget_low_s8(a), vget_low_s8(p->a_zero)),
                          vsubl_s8(vget_low_s8(b), vget_low_s8(p->b_zero)), p);
    int16x8_t high = eight(op, vsubl_high_s8(a, p->a_zero), vsubl_high_s8(b, p->b_zero), p);
    int8x16_t y = vqmovn_high_s16(vqmovn_s16(low), high);
    return vminq_s8(vmaxq_s8(y, p->min), p->max);
}

SL_INLINE int8x16_t some_of(const int8_t *at, size_t step, size_t count)
{
    int8x16_t x = vdupq_n_s8(*at);
    if (step > 0)
        memcpy(&x, at, count);
    return x;
}

/* Steps are 1 or 0, constants of the caller. */
SL_INLINE void run_steps(int op, size_t a_step, size_t b_step,
                         const struct sl_binary_qs8_args *args)
{
    struct plan p = plan_of(args);
    const int8_t *a = args->a, *b = args->b;
    int8_t *out = args->out;
    size_t count = args->count;
    if (count == 0)
        return;
    int8x16_t a_all = vdupq_n_s8(*a), b_all = vdupq_n_s8(*b);
    for (; count >= 16; count -= 16, out += 16, a += 16 * a_step, b += 16 * b_step)
        vst1q_s8(out, sixteen(op, a_step ? vld1q_s8(a) : a_all, b_step ? vld1q_s8(b) : b_all, &p));
    if (count > 0) {
        int8x16_t y = sixteen(op, some_of(a, a_step, count), some_of(b, b_step, count), &p);
        memcpy(out, &y, count);
    }
}

SL_INLINE void run_op(int op, const struct sl_binary_qs8_args *args)
{
    if (args->a_step == 0)
        run_steps(op, 0, 1, args);
    else if (args->b_step == 0)
        run_steps(op, 1, 0, args);
    else
        run_steps(op, 1, 1, args);
}

/* Sums whose zero points, of operands and result, fit into where they start from. */
SL_INLINE int16x8_t eight_from(int32x4_t start, int16x8_t a, int16x8_t b, const struct plan *p)
{
    int32x4_t low = vmlaq_s32(start, vmovl_s16(vget_low_s16(a)), p->a_multiplier);
    int32x4_t high = vmlaq_s32(start, vmovl_high_s16(a), p->a_multiplier);
    low = vrshlq_s32(vmlaq_s32(low, vmovl_s16(vget_low_s16(b)), p->b_multiplier), p->shift);
    high = vrshlq_s32(vmlaq_s32(high, vmovl_high_s16(b), p->b_multiplier), p->shift);
    return vqmovn_high_s32(vqmovn_s32(low), high);
}

SL_INLINE int8x16_t sixteen_from(int32x4_t start, int8x16_t a, int8x16_t b, const struct plan *p)
{
    int16x8_t low = eight_from(start, vmovl_s8(vget_low_s8(a)), vmovl_s8(vget_low_s8(b)), p);
    int16x8_t high = eight_from(start, vmovl_high_s8(a), vmovl_high_s8(b), p);
    int8x16_t y = vqmovn_high_s16(vqmovn_s16(low), high);
    return vminq_s8(vmaxq_s8(y, p->min), p->max);
}

/* Dense sums, 32 at a time; returns how many that were. The sum of two products is below 2^30. */
static size_t add_dense(const struct sl_binary_qs8_args *args)
{
    const struct sl_binary_qs8_plan *q = &args->plan;
    struct plan p = plan_of(args);
    const int8_t *a = args->a, *b = args->b;
    int8_t *out = args->out;
    int32x4_t start = vdupq_n_s32(args->out_quant.zero * (1 << q->shift) -
                                  q->a_zero * q->a_multiplier - q->b_zero * q->b_multiplier);
    for (size_t turns = args->count / 32; turns > 0; turns--, a += 32, b += 32, out += 32) {
        int8x16_t first = sixteen_from(start, vld1q_s8(a), vld1q_s8(b), &p);
        int8x16_t second = sixteen_from(start, vld1q_s8(a + 16), vld1q_s8(b + 16), &p);
        vst1q_s8(out, first);
        vst1q_s8(out + 16, second);
    }
    return args->count / 32 * 32;
}

enum { MOST_FOLDED_SHIFT = 22 }; /* a zero point of 8 bits stays below 2^30 there */

static void add(const struct sl_binary_qs8_args *args)
{
    struct sl_binary_qs8_args rest = *args;
    if (args->a_step == 1 && args->b_step == 1 && args->plan.shift <= MOST_FOLDED_SHIFT) {
        size_t done = add_dense(args);
        rest.count -= done;
        rest.a += done;
        rest.b += done;
        rest.out += done;
    }
    run_op(SL_BINARY_ADD, &rest);
}

static void multiply(const struct sl_binary_qs8_args *args)
{
    run_op(SL_BINARY_MULTIPLY, args);
}

const struct sl_binary_qs8 sl_binary_add_qs8_qs8_qs8_1x16_neon = {
    .name = "sl_binary_add_qs8_qs8_qs8_1x16_neon",
    .needs = SL_ISA_NEON,
    .op = SL_BINARY_ADD,
    .run = add,
};

const struct sl_binary_qs8 sl_binary_multiply_qs8_qs8_qs8_1x16_neon = {
    .name = "sl_binary_multiply_qs8_qs8_qs8_1x16_neon",
    .needs = SL_ISA_NEON,
    .op = SL_BINARY_MULTIPLY,
    .run = multiply,
};
