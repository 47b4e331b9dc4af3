/* kernels/layout/transpose_x16_neon.c: transposes of 16-bit elements by blocks of 16 x 8 and 8 x 8;
 * three rows or columns (pixels' channels) by the stores and loads that interleave. */
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/layout/layout_x16.h"

enum { SIDE = 8 };

/* One matrix of the batch. */
struct matrix {
    size_t rows, cols;
    const uint16_t *in;
    size_t in_step;
    uint16_t *out;
    size_t out_step;
};

/* Eight rows become columns by three rounds of zips between the halves. */
SL_INLINE void load_columns(const uint16_t *in, size_t step, uint16x8_t columns[SIDE])
{
    uint16x8_t x[SIDE];
    SL_UNROLL
    for (size_t i = 0; i < SIDE; i++, in += step)
        columns[i] = vld1q_u16(in);
    SL_UNROLL
    for (int round = 0; round < 3; round++) {
        SL_UNROLL
        for (size_t i = 0; i < SIDE; i++)
            x[i] = columns[i];
        SL_UNROLL
        for (size_t i = 0; i < SIDE / 2; i++) {
            columns[2 * i] = vzip1q_u16(x[i], x[i + SIDE / 2]);
            columns[2 * i + 1] = vzip2q_u16(x[i], x[i + SIDE / 2]);
        }
    }
}

/* `eights` of rows by eight columns. */
SL_INLINE void block(size_t eights, const struct matrix *m, size_t r, size_t c)
{
    const uint16_t *in = m->in + r * m->in_step + c;
    uint16_t *out = m->out + c * m->out_step + r;
    uint16x8_t upper[SIDE], lower[SIDE];
    load_columns(in, m->in_step, upper);
    if (eights == 2)
        load_columns(in + SIDE * m->in_step, m->in_step, lower);
    SL_UNROLL
    for (size_t i = 0; i < SIDE; i++, out += m->out_step) {
        uint16x8x2_t column = {{upper[i], eights == 2 ? lower[i] : upper[i]}};
        if (eights == 2)
            vst1q_u16_x2(out, column);
        else
            vst1q_u16(out, column.val[0]);
    }
}

static __attribute__((noinline)) void elements(const struct matrix *m, size_t r0, size_t c0)
{
    for (size_t c = c0; c < m->cols; c++)
        for (size_t r = r0; r < m->rows; r++)
            m->out[c * m->out_step + r] = m->in[r * m->in_step + c];
}

/* The last block of an axis laps over the one before. */
SL_INLINE size_t next_block(size_t at, size_t block, size_t end)
{
    return at + block < end && at + 2 * block > end ? end - block : at + block;
}

static void blocks(const struct matrix *m)
{
    size_t tall = m->rows >= 2 * SIDE ? 2 * SIDE : SIDE;
    for (size_t r = 0; r < m->rows; r = next_block(r, tall, m->rows))
        for (size_t c = 0; c < m->cols; c = next_block(c, SIDE, m->cols)) {
            if (tall == SIDE)
                block(1, m, r, c);
            else
                block(2, m, r, c);
        }
}

/* Three rows become pixels of three. */
static void interleave_3(const struct matrix *m)
{
    size_t c = 0;
    for (; c + SIDE <= m->cols; c += SIDE) {
        const uint16_t *at = m->in + c;
        uint16x8x3_t pixels = {
            {vld1q_u16(at), vld1q_u16(at + m->in_step), vld1q_u16(at + 2 * m->in_step)}};
        vst3q_u16(m->out + 3 * c, pixels);
    }
    elements(m, 0, c);
}

/* And back. */
static void deinterleave_3(const struct matrix *m)
{
    size_t r = 0;
    for (; r + SIDE <= m->rows; r += SIDE) {
        uint16x8x3_t pixels = vld3q_u16(m->in + 3 * r);
        SL_UNROLL
        for (size_t c = 0; c < 3; c++)
            vst1q_u16(m->out + c * m->out_step + r, pixels.val[c]);
    }
    elements(m, r, 0);
}

static void transpose(const struct sl_transpose_x16_args *args)
{
    struct matrix m = {args->rows,          args->cols, args->in,
                       args->in_row_stride, args->out,  args->out_row_stride};
    for (size_t b = 0; b < args->batch; b++) {
        if (m.rows >= SIDE && m.cols >= SIDE)
            blocks(&m);
        else if (m.rows == 3 && m.out_step == 3)
            interleave_3(&m);
        else if (m.cols == 3 && m.in_step == 3)
            deinterleave_3(&m);
        else
            elements(&m, 0, 0);
        m.in += args->in_batch_stride;
        m.out += args->out_batch_stride;
    }
}

const struct sl_transpose_x16 sl_transpose_x16_x16_16x8_neon_zip = {
    .name = "sl_transpose_x16_x16_16x8_neon_zip",
    .needs = SL_ISA_NEON,
    .run = transpose,
};
