/* agent/runtime/lanes.h: four floats at a time, in the compiler's own vectors: for rows that are
 * too short for loops that compilers vectorise, whose last elements they take one by one. Here the
 * last vector of a row overlaps the one before it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { SL_LANES = 4 };

typedef float sl_lanes __attribute__((vector_size(16)));
typedef uint32_t sl_lanes_u32 __attribute__((vector_size(16)));
typedef int32_t sl_lanes_s32 __attribute__((vector_size(16)));

static inline sl_lanes sl_lanes_load(const float *at)
{
    sl_lanes v;
    memcpy(&v, at, sizeof(v));
    return v;
}

static inline void sl_lanes_store(float *at, sl_lanes v)
{
    memcpy(at, &v, sizeof(v));
}

static inline sl_lanes sl_lanes_set(float value)
{
    return (sl_lanes){value, value, value, value};
}

/* at[0], at[step], at[2 * step] and at[3 * step]; nothing beyond is read. */
static inline __attribute__((always_inline)) sl_lanes sl_lanes_every(const float *at, size_t step)
{
    if (step == 1)
        return sl_lanes_load(at);
    if (step == 2)
        return __builtin_shufflevector(sl_lanes_load(at), sl_lanes_load(at + 3), 0, 2, 5, 7);
    return (sl_lanes){at[0], at[step], at[2 * step], at[3 * step]};
}

/* `then` where a lane of `mask` is set, `otherwise` where it is 0. */
static inline sl_lanes sl_lanes_choose(sl_lanes_s32 mask, sl_lanes then, sl_lanes otherwise)
{
    return (sl_lanes)((mask & (sl_lanes_s32)then) | (~mask & (sl_lanes_s32)otherwise));
}

/* Four of the 8 floats at `from`; bytes[4 * i] to bytes[4 * i + 3] are the places, in bytes, of
 * lane i. */
static inline sl_lanes sl_lanes_pick(const float *from, const uint8_t *bytes)
{
#if defined(__aarch64__)
    const uint8x16x2_t table = {{(uint8x16_t)vld1q_f32(from), (uint8x16_t)vld1q_f32(from + 4)}};
    return (sl_lanes)vqtbl2q_u8(table, vld1q_u8(bytes));
#else
    return (sl_lanes){from[bytes[0] / 4], from[bytes[4] / 4], from[bytes[8] / 4],
                      from[bytes[12] / 4]};
#endif
}

/* The vector to take after the one at x of `width` elements; `width` when that was the last. */
static inline size_t sl_lanes_next(size_t x, size_t width)
{
    size_t last = width - SL_LANES;
    if (last >= width)
        __builtin_unreachable(); /* a row is at least one vector */
    if (x >= last)
        return width;
    return x + SL_LANES < last ? x + SL_LANES : last;
}

/* A short row, without a call of memcpy(). */
static inline void sl_lanes_copy(float *restrict to, const float *restrict from, size_t count)
{
    if (count < 2 * SL_LANES || count > 16 * SL_LANES) {
        memcpy(to, from, count * sizeof(*to));
        return;
    }
    const float *end = from + count - 2 * SL_LANES;
    float *last = to + count - 2 * SL_LANES;
    for (; from < end; from += 2 * SL_LANES, to += 2 * SL_LANES) {
        sl_lanes_store(to, sl_lanes_load(from));
        sl_lanes_store(to + SL_LANES, sl_lanes_load(from + SL_LANES));
    }
    sl_lanes_store(last, sl_lanes_load(end));
    sl_lanes_store(last + SL_LANES, sl_lanes_load(end + SL_LANES));
}
