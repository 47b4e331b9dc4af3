/* kernels/unary/unary_qs8_neon.c: look-up and clamp of int8, NEON. */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/unary/unary_qs8.h"

/* A quarter of the table for each TBL; the others leave what they do not reach. */
SL_INLINE int8x16_t entries(const int8x16x4_t quarter[4], int8x16_t x)
{
    uint8x16_t at = vreinterpretq_u8_s8(x), step = vdupq_n_u8(64);
    int8x16_t y = vqtbl4q_s8(quarter[0], at);
    SL_UNROLL
    for (size_t i = 1; i < 4; i++) {
        at = vsubq_u8(at, step);
        y = vqtbx4q_s8(y, quarter[i], at);
    }
    return y;
}

static void look_up(const struct sl_unary_qs8_args *args)
{
    int8x16x4_t quarter[4];
    size_t count = args->count;
    const int8_t *in = args->in;
    int8_t *out = args->out;
    SL_UNROLL
    for (size_t i = 0; i < 4; i++) {
        SL_UNROLL
        for (size_t j = 0; j < 4; j++)
            quarter[i].val[j] = vld1q_s8(args->table + 64 * i + 16 * j);
    }
    for (; count >= 32; count -= 32, in += 32, out += 32) {
        int8x16_t x = vld1q_s8(in), y = vld1q_s8(in + 16);
        vst1q_s8(out, entries(quarter, x));
        vst1q_s8(out + 16, entries(quarter, y));
    }
    for (size_t some; count > 0; count -= some, in += some, out += some) {
        some = count < 16 ? count : 16;
        int8x16_t x = entries(quarter, sl_neon_bytes(in, some));
        memcpy(out, &x, some);
    }
}

static void clamp(const struct sl_unary_qs8_args *args)
{
    int8x16_t min = vdupq_n_s8(args->min), max = vdupq_n_s8(args->max), x[8];
    size_t count = args->count;
    const int8_t *in = args->in;
    int8_t *out = args->out;
    for (; count >= 128; count -= 128, in += 128, out += 128) {
        SL_UNROLL
        for (size_t i = 0; i < 8; i++)
            x[i] = vminq_s8(vmaxq_s8(vld1q_s8(in + 16 * i), min), max);
        SL_UNROLL
        for (size_t i = 0; i < 8; i++)
            vst1q_s8(out + 16 * i, x[i]);
    }
    for (size_t some; count > 0; count -= some, in += some, out += some) {
        some = count < 16 ? count : 16;
        x[0] = min;
        memcpy(x, in, some);
        x[0] = vminq_s8(vmaxq_s8(x[0], min), max);
        memcpy(out, x, some);
    }
}

const struct sl_unary_qs8 sl_unary_table_qs8_qs8_1x32_neon = {
    .name = "sl_unary_table_qs8_qs8_1x32_neon",
    .needs = SL_ISA_NEON,
    .op = SL_UNARY_QS8_TABLE,
    .run = look_up,
};

const struct sl_unary_qs8 sl_unary_clamp_qs8_qs8_1x128_neon = {
    .name = "sl_unary_clamp_qs8_qs8_1x128_neon",
    .needs = SL_ISA_NEON,
    .op = SL_UNARY_QS8_CLAMP,
    .run = clamp,
};
