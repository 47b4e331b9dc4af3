/* kernels/layout/transpose_neon.c: transpose of 32-bit elements in blocks of 8x8 and 4x4, what is
 * left by pairs of rows and columns; three rows or columns (pixels' channels) by the loads and
 * stores that interleave. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/layout/layout.h"

/* One matrix of the batch. */
struct plane {
    size_t rows, cols;
    const uint32_t *in;
    size_t in_step;
    uint32_t *out;
    size_t out_step;
};

SL_INLINE void transpose_4x4(uint32x4_t *a, uint32x4_t *b, uint32x4_t *c, uint32x4_t *d)
{
    uint32x4_t ac0 = vzip1q_u32(*a, *c), ac1 = vzip2q_u32(*a, *c);
    uint32x4_t bd0 = vzip1q_u32(*b, *d), bd1 = vzip2q_u32(*b, *d);
    *a = vzip1q_u32(ac0, bd0);
    *b = vzip2q_u32(ac0, bd0);
    *c = vzip1q_u32(ac1, bd1);
    *d = vzip2q_u32(ac1, bd1);
}

/* `tall` and `wide` are the block's height and width in fours. */
SL_INLINE void block(size_t tall, size_t wide, const struct plane *p, const uint32_t *in,
                     uint32_t *out)
{
    uint32x4_t v[2][8];
    SL_UNROLL
    for (size_t r = 0; r < 4 * tall; r++, in += p->in_step) {
        uint32x4x2_t pair = {{vld1q_u32(in), vdupq_n_u32(0)}};
        if (wide == 2)
            pair = vld1q_u32_x2(in);
        v[0][r] = pair.val[0];
        v[1][r] = pair.val[1];
    }
    SL_UNROLL
    for (size_t c = 0; c < wide; c++) {
        SL_UNROLL
        for (size_t r = 0; r < 4 * tall; r += 4)
            transpose_4x4(&v[c][r], &v[c][r + 1], &v[c][r + 2], &v[c][r + 3]);
    }
    SL_UNROLL
    for (size_t c = 0; c < 4 * wide; c++, out += p->out_step) {
        uint32x4x2_t pair = {{v[c / 4][c % 4], v[c / 4][4 * (tall - 1) + c % 4]}};
        if (tall == 2)
            vst1q_u32_x2(out, pair);
        else
            vst1q_u32(out, pair.val[0]);
    }
}

/* What is left over: few elements, so a loop of its own that burdens no other. */
static __attribute__((noinline)) void elements(const struct plane *p, size_t r0, size_t r1,
                                               size_t c0, size_t c1)
{
    size_t in_step = p->in_step, out_step = p->out_step, rows = r1 - r0, cols = c1 - c0;
    const uint32_t *in = p->in + r0 * in_step + c0;
    uint32_t *out = p->out + c0 * out_step + r0;
    if (r0 >= r1 || c0 >= c1)
        return;
    if (rows < cols) /* the longer loop inside */
        for (; rows > 0; rows--, in += in_step, out++)
#pragma clang loop vectorize(disable) unroll_count(4)
            for (size_t c = 0; c < cols; c++)
                out[c * out_step] = in[c];
    else
        for (; cols > 0; cols--, in++, out += out_step)
#pragma clang loop vectorize(disable) unroll_count(4)
            for (size_t r = 0; r < rows; r++)
                out[r] = in[r * in_step];
}

/* Some rows, few and known, of a last column: a kernel of 3x3 has nine. */
SL_INLINE void last_column(const struct plane *p, size_t r, size_t rows)
{
    const uint32_t *in = p->in + r * p->in_step + p->cols - 1;
    uint32_t *out = p->out + (p->cols - 1) * p->out_step + r;
    SL_UNROLL
    for (size_t i = 0; i < rows; i++, in += p->in_step)
        out[i] = *in;
}

/* Rows r and r + 1. */
static void row_pair(const struct plane *p, size_t r)
{
    const uint32_t *a = p->in + r * p->in_step, *b = a + p->in_step;
    uint32_t *out = p->out + r;
    size_t c = 0, step = p->out_step;
    for (; c + 4 <= p->cols; c += 4) {
        uint32x4_t x = vld1q_u32(a + c), y = vld1q_u32(b + c);
        uint32x4_t low = vzip1q_u32(x, y), high = vzip2q_u32(x, y);
        vst1_u32(out, vget_low_u32(low));
        vst1_u32(out + step, vget_high_u32(low));
        out += 2 * step;
        vst1_u32(out, vget_low_u32(high));
        vst1_u32(out + step, vget_high_u32(high));
        out += 2 * step;
    }
    if (c + 1 == p->cols)
        last_column(p, r, 2);
    else
        elements(p, r, r + 2, c, p->cols);
}

/* Columns c and c + 1 of rows r up to, but not including, end. */
static void column_pair(const struct plane *p, size_t c, size_t r, size_t end)
{
    const uint32_t *in = p->in + r * p->in_step + c;
    uint32_t *a = p->out + c * p->out_step, *b = a + p->out_step;
    size_t step = p->in_step;
    for (; r + 4 <= end; r += 4) {
        uint32x4_t x = vcombine_u32(vld1_u32(in), vld1_u32(in + step));
        in += 2 * step;
        uint32x4_t y = vcombine_u32(vld1_u32(in), vld1_u32(in + step));
        in += 2 * step;
        vst1q_u32(a + r, vuzp1q_u32(x, y));
        vst1q_u32(b + r, vuzp2q_u32(x, y));
    }
    elements(p, r, end, c, c + 2);
}

/* `tall` fours of rows from r. */
SL_INLINE void band(size_t tall, const struct plane *p, size_t r)
{
    const uint32_t *in = p->in + r * p->in_step;
    uint32_t *out = p->out + r;
    size_t c = 0;
    for (; c + 8 <= p->cols; c += 8, in += 8, out += 8 * p->out_step)
        block(tall, 2, p, in, out);
    if (c + 4 <= p->cols) {
        block(tall, 1, p, in, out);
        c += 4;
    }
    if (c + 2 <= p->cols) {
        column_pair(p, c, r, r + 4 * tall);
        c += 2;
    }
    if (c < p->cols)
        last_column(p, r, 4 * tall);
}

static void blocks(const struct plane *p)
{
    size_t r = 0;
    for (; r + 8 <= p->rows; r += 8)
        band(2, p, r);
    if (r + 4 <= p->rows) {
        band(1, p, r);
        r += 4;
    }
    if (r + 2 <= p->rows) {
        row_pair(p, r);
        r += 2;
    }
    elements(p, r, p->rows, 0, p->cols);
}

/* Three dense rows become pixels of three. */
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
    if (i + 1 == p->cols)
        last_column(p, 0, 3);
    else
        elements(p, 0, 3, i, p->cols);
}

/* And back. */
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
    elements(p, i, p->rows, 0, 3);
}

static void transpose(const struct sl_transpose_args *args)
{
    struct plane p = {args->rows,          args->cols, args->in,
                      args->in_row_stride, args->out,  args->out_row_stride};
    for (size_t b = 0; b < args->batch; b++) {
        if (p.rows == 3 && p.out_step == 3)
            interleave_3(&p);
        else if (p.cols == 3 && p.in_step == 3)
            deinterleave_3(&p);
        else
            blocks(&p);
        p.in += args->in_batch_stride;
        p.out += args->out_batch_stride;
    }
}

const struct sl_transpose sl_transpose_x32_x32_8x8_neon_zip = {
    .name = "sl_transpose_x32_x32_8x8_neon_zip",
    .needs = SL_ISA_NEON,
    .run = transpose,
};
