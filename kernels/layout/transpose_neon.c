/* kernels/layout/transpose_neon.c: transpose of 32-bit elements in blocks of 8x8, what is left over
 * by lanes; three rows or columns (pixels' channels) by the loads and stores that interleave. */
#include "kernels/cpu/isa.h"
#include "kernels/layout/layout.h"

#define BITS 32
#define ARGS sl_transpose_args
#include "kernels/layout/transpose_few_neon.inc"

SL_INLINE void transpose_4x4(uint32x4_t *a, uint32x4_t *b, uint32x4_t *c, uint32x4_t *d)
{
    uint32x4_t ac0 = vzip1q_u32(*a, *c), ac1 = vzip2q_u32(*a, *c);
    uint32x4_t bd0 = vzip1q_u32(*b, *d), bd1 = vzip2q_u32(*b, *d);
    *a = vzip1q_u32(ac0, bd0);
    *b = vzip2q_u32(ac0, bd0);
    *c = vzip1q_u32(ac1, bd1);
    *d = vzip2q_u32(ac1, bd1);
}

static inline void block(const struct plane *p, const uint32_t *in, uint32_t *out)
{
    uint32x4_t v[2][8];
    SL_UNROLL
    for (size_t r = 0; r < 8; r++, in += p->in_step) {
        uint32x4x2_t pair = vld1q_u32_x2(in);
        v[0][r] = pair.val[0];
        v[1][r] = pair.val[1];
    }
    SL_UNROLL
    for (size_t c = 0; c < 2; c++) {
        transpose_4x4(&v[c][0], &v[c][1], &v[c][2], &v[c][3]);
        transpose_4x4(&v[c][4], &v[c][5], &v[c][6], &v[c][7]);
    }
    SL_UNROLL
    for (size_t c = 0; c < 8; c++, out += p->out_step) {
        uint32x4x2_t pair = {{v[c / 4][c % 4], v[c / 4][4 + c % 4]}};
        vst1q_u32_x2(out, pair);
    }
}

static void blocks(const struct plane *p)
{
    size_t rows = p->rows / 8 * 8, cols = p->cols / 8 * 8;
    for (size_t r = 0; cols > 0 && r < rows; r += 8) {
        const uint32_t *in = p->in + r * p->in_step;
        uint32_t *out = p->out + r;
        for (size_t c = 0; c < cols; c += 8, in += 8, out += 8 * p->out_step)
            block(p, in, out);
    }
    around_blocks(p, rows, cols);
}

static void interleave_3(const struct plane *p)
{
    const uint32_t *a = p->in, *b = a + p->in_step, *c = b + p->in_step;
    uint32_t *out = p->out;
    size_t i = 0;
    for (; i + 8 <= p->cols; i += 8, a += 8, b += 8, c += 8) {
        uint32x4x3_t v = {{vld1q_u32(a), vld1q_u32(b), vld1q_u32(c)}};
        uint32x4x3_t w = {{vld1q_u32(a + 4), vld1q_u32(b + 4), vld1q_u32(c + 4)}};
        vst3q_u32(out, v);
        out += 12;
        SL_FORGET(out);
        vst3q_u32(out, w);
        out += 12;
        SL_FORGET(a);
        SL_FORGET(b);
        SL_FORGET(c);
    }
    around_blocks(p, 3, i);
}

static void deinterleave_3(const struct plane *p)
{
    const uint32_t *in = p->in;
    uint32_t *a = p->out, *b = a + p->out_step, *c = b + p->out_step;
    size_t i = 0;
    for (; i + 8 <= p->rows; i += 8, in += 24) {
        uint32x4x3_t v = vld3q_u32(in), w = vld3q_u32(in + 12);
        vst1q_u32(a + i, v.val[0]);
        vst1q_u32(a + i + 4, w.val[0]);
        vst1q_u32(b + i, v.val[1]);
        vst1q_u32(b + i + 4, w.val[1]);
        vst1q_u32(c + i, v.val[2]);
        vst1q_u32(c + i + 4, w.val[2]);
    }
    around_blocks(p, i, 3);
}

const struct sl_transpose sl_transpose_x32_x32_8x8_neon_zip = {
    .name = "sl_transpose_x32_x32_8x8_neon_zip",
    .needs = SL_ISA_NEON,
    .run = transpose,
};
