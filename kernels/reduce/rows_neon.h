/* kernels/reduce/rows_neon.h: how rows of floats are walked in NEON: 16 elements at a time, then 4,
 * and what is left together with elements before it. */
#pragma once

#include "kernels/cpu/neon.h"

enum { LANES = 4, QUAD = 16 };

/* The elements behind a row's whole vectors; a row that has any comes with those before them, which
 * are done twice. */
SL_INLINE float32x4_t load_last(const float *row, size_t count)
{
    return count >= LANES ? vld1q_f32(row + count - LANES) : sl_neon_load(row, count);
}

SL_INLINE void store_last(float *row, size_t count, float32x4_t v)
{
    if (count >= LANES)
        vst1q_f32(row + count - LANES, v);
    else
        sl_neon_store(row, v, count);
}

/* Lanes of load_last() that no whole vector has. */
SL_INLINE uint32x4_t last_lanes(size_t count)
{
    static const int32_t lanes[] = {0, 1, 2, 3};
    int32x4_t lane = vld1q_s32(lanes), rest = vdupq_n_s32((int32_t)(count % LANES));
    return count < LANES ? vcltq_s32(lane, rest)
                         : vcgeq_s32(vaddq_s32(lane, rest), vdupq_n_s32(LANES));
}

SL_INLINE float32x4x4_t load_quad(const float **at)
{
    float32x4x4_t v = vld1q_f32_x4(*at);
    *at += QUAD;
    SL_FORGET(*at);
    return v;
}

SL_INLINE void store_quad(float **at, float32x4x4_t v)
{
    vst1q_f32_x4(*at, v);
    *at += QUAD;
    SL_FORGET(*at);
}
