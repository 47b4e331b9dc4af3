/* kernels/layout/transpose_x16_neon.c: transposes of 16-bit elements by blocks of 16 x 8 and 8 x 8,
 * fewer rows or columns by fours and pairs; three rows or columns (pixels' channels) by the stores
 * and loads that interleave. */
#include <string.h>

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

/* Four rows of eight, `step` bytes apart. */
SL_INLINE uint8x16x4_t load_rows(const uint8_t *in, size_t step)
{
    size_t twice = 2 * step, thrice = 3 * step;
    return (uint8x16x4_t){
        {vld1q_u8(in), vld1q_u8(in + step), vld1q_u8(in + twice), vld1q_u8(in + thrice)}};
}

/* Bytes of the elements of two neighbouring columns in four rows of 16 bytes: the first one's, then
 * the second one's. */
#define PLACES(at)                                                                                 \
    {(at),     (at) + 1, (at) + 16, (at) + 17, (at) + 32, (at) + 33, (at) + 48, (at) + 49,         \
     (at) + 2, (at) + 3, (at) + 18, (at) + 19, (at) + 34, (at) + 35, (at) + 50, (at) + 51}

/* Halves of two columns become one of them. */
SL_INLINE uint16x8_t join(uint8x16_t above, uint8x16_t below, int second)
{
    uint64x2_t a = vreinterpretq_u64_u8(above), b = vreinterpretq_u64_u8(below);
    return vreinterpretq_u16_u64(second ? vzip2q_u64(a, b) : vzip1q_u64(a, b));
}

/* `eights` of rows by eight columns, two columns at a time. Returns where the next columns go. */
SL_INLINE uint16_t *block(size_t eights, const struct matrix *m, const uint16_t *from,
                          uint16_t *out)
{
    static const uint8_t places[SIDE / 2][16] = {PLACES(0), PLACES(4), PLACES(8), PLACES(12)};
    size_t step = m->in_step * sizeof(uint16_t);
    const uint8_t *in = (const uint8_t *)from;
    uint8x16x4_t rows[4];
    SL_UNROLL
    for (size_t i = 0; i < 2 * eights; i++, in += 4 * step) {
        SL_FORGET(in);
        rows[i] = load_rows(in, step);
    }
    SL_UNROLL
    for (size_t i = 0; i < SIDE; i++, out += m->out_step) {
        uint8x16_t at = vld1q_u8(places[i / 2]), part[4] = {at, at, at, at};
        SL_UNROLL
        for (size_t j = 0; j < 2 * eights; j++)
            part[j] = vqtbl4q_u8(rows[j], at);
        uint16x8_t first = join(part[0], part[1], i % 2);
        uint16x8x2_t column = {{first, eights == 2 ? join(part[2], part[3], i % 2) : first}};
        if (eights == 2)
            vst1q_u16_x2(out, column);
        else
            vst1q_u16(out, first);
    }
    return out;
}

/* Rows r0 to r1 by columns c0 to c1, the ends left out: few elements. */
static __attribute__((noinline)) void elements(const struct matrix *m, size_t r0, size_t r1,
                                               size_t c0, size_t c1)
{
    for (size_t c = c0; c < c1; c++)
        for (size_t r = r0; r < r1; r++)
            m->out[c * m->out_step + r] = m->in[r * m->in_step + c];
}

/* Rows r to r + 3 where there are fewer than eight. */
static void row_quad(const struct matrix *m, size_t r)
{
    const uint16_t *in = m->in + r * m->in_step;
    uint16_t *out = m->out + r;
    size_t c = 0, step = m->in_step;
    for (; c + SIDE <= m->cols; c += SIDE, in += SIDE) {
        uint16x8_t x[4], v[4];
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            v[i] = vld1q_u16(in + i * step);
        uint16x8_t even_low = vzip1q_u16(v[0], v[2]), even_high = vzip2q_u16(v[0], v[2]);
        uint16x8_t odd_low = vzip1q_u16(v[1], v[3]), odd_high = vzip2q_u16(v[1], v[3]);
        x[0] = vzip1q_u16(even_low, odd_low);
        x[1] = vzip2q_u16(even_low, odd_low);
        x[2] = vzip1q_u16(even_high, odd_high);
        x[3] = vzip2q_u16(even_high, odd_high);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++, out += 2 * m->out_step) {
            vst1_u16(out, vget_low_u16(x[i]));
            vst1_u16(out + m->out_step, vget_high_u16(x[i]));
        }
    }
    elements(m, r, r + 4, c, m->cols);
}

/* Rows r and r + 1. */
static void row_pair(const struct matrix *m, size_t r)
{
    const uint16_t *in = m->in + r * m->in_step;
    uint16_t *out = m->out + r;
    size_t c = 0;
    for (; c + SIDE <= m->cols; c += SIDE, in += SIDE) {
        uint16x8_t a = vld1q_u16(in), b = vld1q_u16(in + m->in_step);
        uint16x8_t pairs[2] = {vzip1q_u16(a, b), vzip2q_u16(a, b)};
        SL_UNROLL
        for (size_t i = 0; i < SIDE; i++, out += m->out_step) {
            uint32x4_t four = vreinterpretq_u32_u16(pairs[i / 4]);
            uint32_t pair = i % 4 == 0   ? vgetq_lane_u32(four, 0)
                            : i % 4 == 1 ? vgetq_lane_u32(four, 1)
                            : i % 4 == 2 ? vgetq_lane_u32(four, 2)
                                         : vgetq_lane_u32(four, 3);
            memcpy(out, &pair, sizeof(pair));
        }
    }
    elements(m, r, r + 2, c, m->cols);
}

/* Columns c to c + 3 where there are fewer than eight. */
static void column_quad(const struct matrix *m, size_t c)
{
    const uint16_t *in = m->in + c;
    uint16_t *out = m->out + c * m->out_step;
    size_t r = 0, step = m->in_step;
    for (; r + SIDE <= m->rows; r += SIDE, out += SIDE) {
        uint16x8_t p[4];
        SL_UNROLL
        for (size_t i = 0; i < 4; i++, in += 2 * step)
            p[i] = vcombine_u16(vld1_u16(in), vld1_u16(in + step));
        uint16x8_t even_low = vuzp1q_u16(p[0], p[1]), even_high = vuzp1q_u16(p[2], p[3]);
        uint16x8_t odd_low = vuzp2q_u16(p[0], p[1]), odd_high = vuzp2q_u16(p[2], p[3]);
        vst1q_u16(out, vuzp1q_u16(even_low, even_high));
        vst1q_u16(out + m->out_step, vuzp1q_u16(odd_low, odd_high));
        vst1q_u16(out + 2 * m->out_step, vuzp2q_u16(even_low, even_high));
        vst1q_u16(out + 3 * m->out_step, vuzp2q_u16(odd_low, odd_high));
    }
    elements(m, r, m->rows, c, c + 4);
}

/* Columns c and c + 1. */
static void column_pair(const struct matrix *m, size_t c)
{
    const uint16_t *in = m->in + c;
    uint16_t *out = m->out + c * m->out_step;
    size_t r = 0;
    for (; r + SIDE <= m->rows; r += SIDE, out += SIDE) {
        uint32_t pairs[SIDE];
        SL_UNROLL
        for (size_t i = 0; i < SIDE; i++, in += m->in_step)
            memcpy(&pairs[i], in, sizeof(pairs[i]));
        uint16x8_t a = vreinterpretq_u16_u32(vld1q_u32(pairs));
        uint16x8_t b = vreinterpretq_u16_u32(vld1q_u32(pairs + 4));
        vst1q_u16(out, vuzp1q_u16(a, b));
        vst1q_u16(out + m->out_step, vuzp2q_u16(a, b));
    }
    elements(m, r, m->rows, c, c + 2);
}

/* Fewer than eight rows. */
static void few_rows(const struct matrix *m)
{
    size_t r = 0;
    if (r + 4 <= m->rows) {
        row_quad(m, r);
        r += 4;
    }
    if (r + 2 <= m->rows) {
        row_pair(m, r);
        r += 2;
    }
    elements(m, r, m->rows, 0, m->cols);
}

/* Fewer than eight columns. */
static void few_columns(const struct matrix *m)
{
    size_t c = 0;
    if (c + 4 <= m->cols) {
        column_quad(m, c);
        c += 4;
    }
    if (c + 2 <= m->cols) {
        column_pair(m, c);
        c += 2;
    }
    elements(m, 0, m->rows, c, m->cols);
}

/* The last block of an axis laps over the one before. */
SL_INLINE size_t next_block(size_t at, size_t block, size_t end)
{
    return at + block < end && at + 2 * block > end ? end - block : at + block;
}

/* A row of blocks. */
SL_INLINE void block_row(size_t eights, const struct matrix *m, size_t r)
{
    const uint16_t *in = m->in + r * m->in_step;
    uint16_t *out = m->out + r;
    size_t left = m->cols;
    for (; left >= SIDE; left -= SIDE, in += SIDE)
        out = block(eights, m, in, out);
    if (left > 0)
        block(eights, m, in + left - SIDE, out - (SIDE - left) * m->out_step);
}

static void blocks(const struct matrix *m)
{
    if (m->rows < 2 * SIDE) {
        for (size_t r = 0; r < m->rows; r = next_block(r, SIDE, m->rows))
            block_row(1, m, r);
        return;
    }
    for (size_t r = 0; r < m->rows; r = next_block(r, 2 * SIDE, m->rows))
        block_row(2, m, r);
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
    elements(m, 0, m->rows, c, m->cols);
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
    elements(m, r, m->rows, 0, m->cols);
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
        else if (m.rows < SIDE)
            few_rows(&m);
        else
            few_columns(&m);
        m.in += args->in_batch_stride;
        m.out += args->out_batch_stride;
    }
}

const struct sl_transpose_x16 sl_transpose_x16_x16_16x8_neon_tbl = {
    .name = "sl_transpose_x16_x16_16x8_neon_tbl",
    .needs = SL_ISA_NEON,
    .run = transpose,
};
