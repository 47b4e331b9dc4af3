/* kernels/layout/transpose_x8_neon.c: transposes of bytes by blocks of 16 x 16. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/layout/layout_x8.h"

enum { SIDE = 16 };

/* One plane: out[c][r] = in[r][c]. */
struct plane {
    const uint8_t *in;
    uint8_t *out;
    size_t rows, cols, in_stride, out_stride;
};

/* Four rounds of zips between the halves of the 16 vectors. */
static inline void transpose_block(const uint8_t *in, size_t in_stride, uint8_t *out,
                                   size_t out_stride)
{
    uint8x16_t x[SIDE], y[SIDE];
    for (int i = 0; i < SIDE; i++)
        x[i] = vld1q_u8(in + (size_t)i * in_stride);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < SIDE / 2; i++) {
            y[2 * i] = vzip1q_u8(x[i], x[i + SIDE / 2]);
            y[2 * i + 1] = vzip2q_u8(x[i], x[i + SIDE / 2]);
        }
        for (int i = 0; i < SIDE; i++)
            x[i] = y[i];
    }
    for (int i = 0; i < SIDE; i++)
        vst1q_u8(out + (size_t)i * out_stride, x[i]);
}

static void transpose_bytes(const struct plane *p, size_t first_row, size_t first_col)
{
    for (size_t r = first_row; r < p->rows; r++)
        for (size_t c = first_col; c < p->cols; c++)
            p->out[c * p->out_stride + r] = p->in[r * p->in_stride + c];
}

/* The last block of an axis laps over the one before. */
static size_t next_block(size_t at, size_t end)
{
    return at + SIDE < end && at + 2 * SIDE > end ? end - SIDE : at + SIDE;
}

/* At least 16 rows and columns. */
static void transpose_blocks(const struct plane *p)
{
    for (size_t c = 0; c < p->cols; c = next_block(c, p->cols))
        for (size_t r = 0; r < p->rows; r = next_block(r, p->rows))
            transpose_block(p->in + r * p->in_stride + c, p->in_stride,
                            p->out + c * p->out_stride + r, p->out_stride);
}

/* Three planes to pixels of three channels. */
static void interleave(const struct plane *p)
{
    size_t c = 0;
    for (; c + SIDE <= p->cols; c += SIDE) {
        uint8x16x3_t x = {{vld1q_u8(p->in + c), vld1q_u8(p->in + p->in_stride + c),
                           vld1q_u8(p->in + 2 * p->in_stride + c)}};
        vst3q_u8(p->out + 3 * c, x);
    }
    transpose_bytes(p, 0, c);
}

static void transpose_plane(const struct plane *p)
{
    if (p->rows >= SIDE && p->cols >= SIDE)
        transpose_blocks(p);
    else if (p->rows == 3 && p->out_stride == 3)
        interleave(p);
    else
        transpose_bytes(p, 0, 0);
}

static void transpose(const struct sl_transpose_x8_args *args)
{
    struct plane plane = {args->in,   args->out,           args->rows,
                          args->cols, args->in_row_stride, args->out_row_stride};
    for (size_t b = 0; b < args->batch; b++) {
        transpose_plane(&plane);
        plane.in += args->in_batch_stride;
        plane.out += args->out_batch_stride;
    }
}

const struct sl_transpose_x8 sl_transpose_x8_x8_16x16_neon = {
    .name = "sl_transpose_x8_x8_16x16_neon",
    .needs = SL_ISA_NEON,
    .run = transpose,
};
#endif
