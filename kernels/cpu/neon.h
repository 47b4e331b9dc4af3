/* kernels/cpu/neon.h: what NEON kernels share. */
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SL_INLINE static inline __attribute__((always_inline))
#define SL_UNROLL _Pragma("clang loop unroll(full)")

/* Makes the compiler forget where a pointer comes from, so that it neither keeps what it loaded
 * through it in other registers nor derives one pointer from another in a loop. */
#define SL_FORGET(pointer) __asm__("" : "+r"(pointer))

/* The first `lanes` floats (1 to 4); the other lanes are 0. */
SL_INLINE float32x4_t sl_neon_load(const float *at, size_t lanes)
{
    if (lanes >= 4)
        return vld1q_f32(at);
    float32x4_t v = vld1q_lane_f32(at, vdupq_n_f32(0), 0);
    v = lanes > 1 ? vld1q_lane_f32(at + 1, v, 1) : v;
    return lanes > 2 ? vld1q_lane_f32(at + 2, v, 2) : v;
}

SL_INLINE void sl_neon_store(float *at, float32x4_t v, size_t lanes)
{
    if (lanes >= 4) {
        vst1q_f32(at, v);
        return;
    }
    vst1q_lane_f32(at, v, 0);
    if (lanes > 1)
        vst1q_lane_f32(at + 1, v, 1);
    if (lanes > 2)
        vst1q_lane_f32(at + 2, v, 2);
}

/* Four vectors, and on to the next. */
SL_INLINE uint16x8x4_t sl_neon_next_x16(const uint16_t **at)
{
    uint16x8x4_t v = vld1q_u16_x4(*at);
    *at += 32;
    SL_FORGET(*at);
    return v;
}

SL_INLINE float32x4_t sl_neon_clamp(float32x4_t v, float32x4_t min, float32x4_t max)
{
    return vminq_f32(vmaxq_f32(v, min), max);
}

/* The first `count` bytes (1 to 16); the other lanes are 0. */
SL_INLINE int8x16_t sl_neon_bytes(const int8_t *at, size_t count)
{
    int8x16_t x = vdupq_n_s8(0);
    if (count == 16)
        return vld1q_s8(at);
    memcpy(&x, at, count);
    return x;
}

/* Returns the table that moves the last `tail` of 16 bytes to the front, zeros behind them. */
SL_INLINE uint8x16_t sl_neon_tail_order(size_t tail)
{
    static const uint8_t order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return vaddq_u8(vld1q_u8(order), vdupq_n_u8((uint8_t)(16 - tail)));
}
