/* kernels/layout/transpose_x16_neon.c: transposes of 16-bit elements by blocks of 16 x 8 and 8 x 8,
 * what is left over by lanes; three rows or columns (pixels' channels) by the stores and loads that
 * interleave. */
#include "kernels/cpu/isa.h"
#include "kernels/layout/layout_x16.h"

#define BITS 16
#define ARGS sl_transpose_x16_args
#include "kernels/layout/transpose_few_neon.inc"

enum { SIDE = 8 };

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
SL_INLINE uint16_t *block(size_t eights, const struct plane *p, const uint16_t *from, uint16_t *out)
{
    static const uint8_t places[SIDE / 2][16] = {PLACES(0), PLACES(4), PLACES(8), PLACES(12)};
    size_t step = p->in_step * sizeof(uint16_t);
    const uint8_t *in = (const uint8_t *)from;
    uint8x16x4_t rows[4];
    SL_UNROLL
    for (size_t i = 0; i < 2 * eights; i++, in += 4 * step) {
        SL_FORGET(in);
        rows[i] = load_rows(in, step);
    }
    SL_UNROLL
    for (size_t i = 0; i < SIDE; i++, out += p->out_step) {
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

/* A row of blocks. */
SL_INLINE void block_row(size_t eights, const struct plane *p, size_t r)
{
    const uint16_t *in = p->in + r * p->in_step;
    uint16_t *out = p->out + r;
    for (size_t left = p->cols; left >= SIDE; left -= SIDE, in += SIDE)
        out = block(eights, p, in, out);
}

static void blocks(const struct plane *p)
{
    size_t r = 0;
    for (; r + 2 * SIDE <= p->rows; r += 2 * SIDE)
        block_row(2, p, r);
    if (r + SIDE <= p->rows) {
        block_row(1, p, r);
        r += SIDE;
    }
    around_blocks(p, r, p->cols / SIDE * SIDE);
}

static void interleave_3(const struct plane *p)
{
    size_t c = 0;
    for (; c + SIDE <= p->cols; c += SIDE) {
        const uint16_t *at = p->in + c;
        uint16x8x3_t pixels = {
            {vld1q_u16(at), vld1q_u16(at + p->in_step), vld1q_u16(at + 2 * p->in_step)}};
        vst3q_u16(p->out + 3 * c, pixels);
    }
    around_blocks(p, 3, c);
}

static void deinterleave_3(const struct plane *p)
{
    size_t r = 0;
    for (; r + SIDE <= p->rows; r += SIDE) {
        uint16x8x3_t pixels = vld3q_u16(p->in + 3 * r);
        SL_UNROLL
        for (size_t c = 0; c < 3; c++)
            vst1q_u16(p->out + c * p->out_step + r, pixels.val[c]);
    }
    around_blocks(p, r, 3);
}

const struct sl_transpose_x16 sl_transpose_x16_x16_16x8_neon_tbl = {
    .name = "sl_transpose_x16_x16_16x8_neon_tbl",
    .needs = SL_ISA_NEON,
    .run = transpose,
};
