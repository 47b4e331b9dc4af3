/* kernels/matmul/matmul_narrow_neon.h: products of fewer columns than a vector holds: vectors run
 * along k and are added up at the end; for matmul_mla_neon.h.
 *
 * Packed weights are a vector of biases and then of each LANES k a vector of every column, zeros
 * past the last k. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/neon_vector.h"

enum { NARROW = LANES == 4 ? 3 : 6, NARROW_ROWS = 8 };

/* Rows are loaded by whole vectors, so k is at least one. */
static inline bool is_narrow(size_t n, size_t k)
{
    return n > 0 && n <= NARROW && k >= LANES;
}

static inline size_t narrow_elements(size_t n, size_t k)
{
    return LANES * (1 + n * ((k + LANES - 1) / LANES));
}

/* Element (j, p) of the weights is at j * n_stride + p * k_stride. */
static inline void pack_narrow(size_t n, size_t k, const SL_ELEMENT *rhs, size_t n_stride,
                               size_t k_stride, const SL_ELEMENT *bias, SL_ELEMENT *out)
{
    for (size_t c = 0; c < LANES; c++)
        *out++ = bias && c < n ? bias[c] : 0;
    for (size_t from = 0; from < k; from += LANES)
        for (size_t c = 0; c < n; c++)
            for (size_t p = from; p < from + LANES; p++)
                *out++ = p < k ? rhs[c * n_stride + p * k_stride] : 0;
}

/* Shared by all blocks. */
struct narrow {
    const struct SL_NAME(sl_matmul, _args) * args;
    uint8x16_t order; /* moves the last k % LANES of a vector to its front, zeros behind them */
    vec_t min, max;
};

/* The sums of a vector's lanes: four rows' (LANES of them, when there are as many) of one column.
 */
SL_INLINE vec_t add_lanes(size_t mr, size_t n, const vec_t *acc)
{
    size_t step = mr > 1 ? n : 0;
    vec_t low = V(vpaddq)(V(vpaddq)(acc[0], acc[step]), V(vpaddq)(acc[2 * step], acc[3 * step]));
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
    if (mr < 8)
        return V(vpaddq)(low, low);
    acc += 4 * step;
    return V(vpaddq)(
        low, V(vpaddq)(V(vpaddq)(acc[0], acc[step]), V(vpaddq)(acc[2 * step], acc[3 * step])));
#else
    return low;
#endif
}

/* `rows` rows of n columns, a vector a column. */
SL_INLINE void put_columns(size_t rows, size_t n, const vec_t *column, SL_ELEMENT *dst,
                           size_t stride)
{
    SL_ELEMENT lanes[NARROW][LANES];
    if (rows == LANES && n == 1 && stride == 1) {
        v_store(dst, column[0]);
        return;
    }
    SL_UNROLL
    for (size_t c = 0; c < n; c++)
        v_store(lanes[c], column[c]);
    SL_UNROLL
    for (size_t r = 0; r < rows; r++, dst += stride) {
        SL_UNROLL
        for (size_t c = 0; c < n; c++)
            dst[c] = lanes[c][r];
    }
}

/* `vectors` vectors of k of all rows, which move on. */
SL_INLINE const SL_ELEMENT *take(size_t mr, size_t n, size_t vectors, const SL_ELEMENT **at,
                                 const SL_ELEMENT *w, vec_t *acc)
{
    vec_t b[2 * NARROW];
    SL_UNROLL
    for (size_t j = 0; j < vectors * n; j++)
        b[j] = v_load(w + LANES * j);
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        vec_t x[2] = {v_load(at[i]), vectors > 1 ? v_load(at[i] + LANES) : b[0]};
        at[i] += vectors * LANES;
        SL_FORGET(at[i]);
        SL_UNROLL
        for (size_t j = 0; j < vectors * n; j++)
            acc[i * n + j % n] = V(vfmaq)(acc[i * n + j % n], x[j / n], b[j]);
    }
    return w + vectors * n * LANES;
}

SL_INLINE void take_last(size_t mr, size_t n, const struct narrow *job, const SL_ELEMENT **at,
                         const SL_ELEMENT *w, vec_t *acc)
{
    size_t back = LANES - job->args->k % LANES;
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        uint8x16_t bytes = vqtbl1q_u8(vld1q_u8((const uint8_t *)(at[i] - back)), job->order);
        vec_t x;
        memcpy(&x, &bytes, sizeof(x));
        SL_UNROLL
        for (size_t j = 0; j < n; j++)
            acc[i * n + j] = V(vfmaq)(acc[i * n + j], x, v_load(w + LANES * j));
    }
}

SL_INLINE void narrow_block(size_t mr, size_t n, const struct narrow *job, const SL_ELEMENT *lhs,
                            SL_ELEMENT *dst)
{
    const SL_ELEMENT *at[NARROW_ROWS], *bias = job->args->rhs, *w = bias + LANES;
    size_t k = job->args->k, vectors = n * mr <= 16 ? 2 : 1; /* as registers allow */
    size_t rows = mr < LANES ? mr : LANES;
    vec_t acc[NARROW_ROWS * NARROW], column[NARROW];
    SL_UNROLL
    for (size_t i = 0; i < mr; i++) {
        at[i] = lhs + i * job->args->lhs_stride;
        SL_FORGET(at[i]);
    }
    SL_UNROLL
    for (size_t i = 0; i < mr * n; i++)
        acc[i] = v_set(0);
    for (; k >= vectors * LANES; k -= vectors * LANES)
        w = take(mr, n, vectors, at, w, acc);
    if (vectors == 2 && k >= LANES)
        w = take(mr, n, 1, at, w, acc);
    if (job->args->k % LANES)
        take_last(mr, n, job, at, w, acc);
    SL_UNROLL
    for (size_t i = 0; i < mr; i += rows, dst += rows * job->args->dst_stride) {
        SL_UNROLL
        for (size_t c = 0; c < n; c++) {
            vec_t sum = V(vaddq)(add_lanes(mr, n, acc + i * n + c), v_load_dup(bias + c));
            column[c] = v_clamp(sum, job->min, job->max);
        }
        put_columns(rows, n, column, dst, job->args->dst_stride);
    }
}

SL_INLINE void narrow_rows(size_t n, const struct narrow *job)
{
    const size_t most = n <= 2 ? NARROW_ROWS : 4;
    size_t m = job->args->m, from = job->args->lhs_stride, to = job->args->dst_stride;
    const SL_ELEMENT *lhs = job->args->lhs;
    SL_ELEMENT *dst = job->args->dst;
    for (; m >= most; m -= most, lhs += most * from, dst += most * to)
        narrow_block(most, n, job, lhs, dst);
    if (most > 4 && m >= 4) {
        narrow_block(4, n, job, lhs, dst);
        m -= 4;
        lhs += 4 * from;
        dst += 4 * to;
    }
    for (; m > 0; m--, lhs += from, dst += to)
        narrow_block(1, n, job, lhs, dst);
}

/* Inlined for each count of columns. */
static void run_narrow(const struct SL_NAME(sl_matmul, _args) * args)
{
    uint8_t order[16];
    for (size_t i = 0; i < sizeof(order); i++)
        order[i] = (uint8_t)(i + (LANES - args->k % LANES) * sizeof(SL_ELEMENT));
    const struct narrow job = {args, vld1q_u8(order), v_set(args->min), v_set(args->max)};
    if (args->n == 1)
        narrow_rows(1, &job);
    else if (args->n == 2)
        narrow_rows(2, &job);
    else if (args->n == 3)
        narrow_rows(3, &job);
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
    else if (args->n == 4)
        narrow_rows(4, &job);
    else if (args->n == 5)
        narrow_rows(5, &job);
    else
        narrow_rows(6, &job);
#endif
}
