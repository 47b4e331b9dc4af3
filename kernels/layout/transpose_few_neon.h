/* kernels/layout/transpose_few_neon.h: transposes of fewer than eight rows or columns by the loads
 * and stores that take up to four neighbouring elements to or from a lane of as many vectors. The
 * including file defines BITS, 16 or 32, ARGS, the struct of its contract, and three walks over a
 * plane. */
#pragma once

#include "kernels/cpu/neon.h"

#define PASTED(a, b, c) a##b##c
#define JOINED(a, b, c) PASTED(a, b, c)
#if BITS == 16
#define VECTORS(n) JOINED(uint16x8x, n, _t)
#define EACH_LANE(step) step(1) step(2) step(3) step(4) step(5) step(6) step(7)
#else
#define VECTORS(n) JOINED(uint32x4x, n, _t)
#define EACH_LANE(step) step(1) step(2) step(3)
#endif
typedef JOINED(uint, BITS, _t) element_t;
enum { LANES = 128 / BITS };

/* One matrix of the batch. */
struct plane {
    size_t rows, cols;
    const element_t *in;
    size_t in_step;
    element_t *out;
    size_t out_step;
};

#define LOAD_LANE(lane)                                                                            \
    in += step;                                                                                    \
    v = TAKE(in, v, lane);
#define STORE_LANE(lane)                                                                           \
    out += step;                                                                                   \
    PUT(out, v, lane);

/* n columns of LANES rows; n rows to LANES columns. */
#define FEW(n)                                                                                     \
    SL_INLINE void columns_##n(const element_t *in, size_t step, element_t *const *out)            \
    {                                                                                              \
        VECTORS(n) v = JOINED(vld##n, q_dup_u, BITS)(in);                                          \
        EACH_LANE(LOAD_LANE)                                                                       \
        SL_UNROLL                                                                                  \
        for (size_t j = 0; j < n; j++)                                                             \
            JOINED(vst1q_u, BITS, )(out[j], v.val[j]);                                             \
    }                                                                                              \
    SL_INLINE void rows_##n(const element_t *const *in, size_t step, element_t *out)               \
    {                                                                                              \
        VECTORS(n) v;                                                                              \
        SL_UNROLL                                                                                  \
        for (size_t j = 0; j < n; j++)                                                             \
            v.val[j] = JOINED(vld1q_u, BITS, )(in[j]);                                             \
        PUT(out, v, 0);                                                                            \
        EACH_LANE(STORE_LANE)                                                                      \
    }

#define TAKE(in, v, lane) JOINED(vld4q_lane_u, BITS, )(in, v, lane)
#define PUT(out, v, lane) JOINED(vst4q_lane_u, BITS, )(out, v, lane)
FEW(4)
#undef TAKE
#undef PUT
#define TAKE(in, v, lane) JOINED(vld3q_lane_u, BITS, )(in, v, lane)
#define PUT(out, v, lane) JOINED(vst3q_lane_u, BITS, )(out, v, lane)
FEW(3)
#undef TAKE
#undef PUT
#define TAKE(in, v, lane) JOINED(vld2q_lane_u, BITS, )(in, v, lane)
#define PUT(out, v, lane) JOINED(vst2q_lane_u, BITS, )(out, v, lane)
FEW(2)
#undef TAKE
#undef PUT

/* Matrices of fewer rows and columns than LANES. */
static void elements(const struct plane *p)
{
    for (size_t c = 0; c < p->cols; c++)
        for (size_t r = 0; r < p->rows; r++)
            p->out[c * p->out_step + r] = p->in[r * p->in_step + c];
}

SL_INLINE void take_columns(size_t n, const element_t *in, size_t step, element_t *const *out)
{
    if (n == 4) {
        columns_4(in, step, out);
    } else if (n == 3) {
        columns_3(in, step, out);
    } else if (n == 2) {
        columns_2(in, step, out);
    } else {
        SL_UNROLL
        for (size_t r = 0; r < LANES; r++, in += step)
            out[0][r] = *in;
    }
}

/* The plane has n columns, and at least LANES rows: the last of them once more, if they are no
 * whole LANES. */
SL_INLINE void columns_of(size_t n, const struct plane *p)
{
    const element_t *in = p->in;
    element_t *out[4];
    for (size_t j = 0; j < n; j++)
        out[j] = p->out + j * p->out_step;
    for (size_t turns = p->rows / LANES; turns > 0; turns--, in += LANES * p->in_step) {
        take_columns(n, in, p->in_step, out);
        SL_UNROLL
        for (size_t j = 0; j < n; j++) {
            out[j] += LANES;
            SL_FORGET(out[j]);
        }
    }
    size_t rest = p->rows % LANES, back = LANES - rest;
    if (rest == 0)
        return;
    SL_UNROLL
    for (size_t j = 0; j < n; j++)
        out[j] -= back;
    take_columns(n, in - back * p->in_step, p->in_step, out);
}

SL_INLINE void take_rows(size_t n, const element_t *const *in, size_t step, element_t *out)
{
    if (n == 4) {
        rows_4(in, step, out);
    } else if (n == 3) {
        rows_3(in, step, out);
    } else if (n == 2) {
        rows_2(in, step, out);
    } else {
        SL_UNROLL
        for (size_t c = 0; c < LANES; c++, out += step)
            *out = in[0][c];
    }
}

/* The same of n rows, and at least LANES columns. */
SL_INLINE void rows_of(size_t n, const struct plane *p)
{
    const element_t *in[4];
    element_t *out = p->out;
    for (size_t j = 0; j < n; j++)
        in[j] = p->in + j * p->in_step;
    for (size_t turns = p->cols / LANES; turns > 0; turns--, out += LANES * p->out_step) {
        take_rows(n, in, p->out_step, out);
        SL_UNROLL
        for (size_t j = 0; j < n; j++) {
            in[j] += LANES;
            SL_FORGET(in[j]);
        }
    }
    size_t rest = p->cols % LANES, back = LANES - rest;
    if (rest == 0)
        return;
    SL_UNROLL
    for (size_t j = 0; j < n; j++)
        in[j] -= back;
    take_rows(n, in, p->out_step, out - back * p->out_step);
}

#define BY_COUNT(function, n, p)                                                                   \
    do {                                                                                           \
        if (n == 4)                                                                                \
            function(4, p);                                                                        \
        else if (n == 3)                                                                           \
            function(3, p);                                                                        \
        else if (n == 2)                                                                           \
            function(2, p);                                                                        \
        else if (n == 1)                                                                           \
            function(1, p);                                                                        \
    } while (0)

/* Fewer than eight columns, any rows. */
static void few_columns(struct plane p)
{
    size_t n = p.cols < 4 ? p.cols : 4, rest = p.cols - n;
    if (p.rows < LANES) {
        elements(&p);
        return;
    }
    BY_COUNT(columns_of, n, &p);
    p.in += n;
    p.out += n * p.out_step;
    BY_COUNT(columns_of, rest, &p);
}

/* Fewer than eight rows, any columns. */
static void few_rows(struct plane p)
{
    size_t n = p.rows < 4 ? p.rows : 4, rest = p.rows - n;
    if (p.cols < LANES) {
        elements(&p);
        return;
    }
    BY_COUNT(rows_of, n, &p);
    p.in += n * p.in_step;
    p.out += n;
    BY_COUNT(rows_of, rest, &p);
}

/* Blocks of `side` rows and columns did what is whole of them; the rest. */
SL_INLINE void around_blocks(const struct plane *p, size_t rows_done, size_t cols_done)
{
    struct plane below = *p, beside = *p;
    below.rows = p->rows - rows_done;
    below.cols = cols_done;
    below.in += rows_done * p->in_step;
    below.out += rows_done;
    beside.cols = p->cols - cols_done;
    beside.in += cols_done;
    beside.out += cols_done * p->out_step;
    if (below.rows > 0)
        few_rows(below);
    if (beside.cols > 0)
        few_columns(beside);
}

static void blocks(const struct plane *p);         /* at least 8 rows */
static void interleave_3(const struct plane *p);   /* three rows become pixels of three */
static void deinterleave_3(const struct plane *p); /* and back */

static void transpose(const struct ARGS *args)
{
    struct plane p = {args->rows,          args->cols, args->in,
                      args->in_row_stride, args->out,  args->out_row_stride};
    for (size_t b = 0; b < args->batch; b++) {
        if (p.rows == 3 && p.out_step == 3)
            interleave_3(&p);
        else if (p.cols == 3 && p.in_step == 3)
            deinterleave_3(&p);
        else if (p.rows < 8)
            few_rows(p);
        else
            blocks(&p);
        p.in += args->in_batch_stride;
        p.out += args->out_batch_stride;
    }
}
