/* kernels/layout/resize_q11.h: what the kernels of resize_qs8.h share: the walk over pixels, with
 * weights of 11 bits behind the point. The including file defines RESIZE_MODE, the mode of its
 * functions (__arm_streaming or nothing), and blend_pixel(). */
#pragma once

#include "kernels/cpu/isa.h"
#include "kernels/layout/resize_qs8.h"

#define SL_ELEMENT int8_t
#define SL_NAME(before, after) before##_qs8##after

/* A pixel's four neighbours, `right` elements apart in a row, and what the right and the lower ones
 * weigh, of 2048. */
struct neighbours {
    const int8_t *top, *bottom;
    size_t right;
    int32_t x, y;
};

static void blend_pixel(const struct neighbours *of, size_t channels, int8_t *out) RESIZE_MODE;

/* To the nearest, of two the even one: beyond 2^23 floats are whole. */
static inline __attribute__((always_inline)) int32_t to_q11(float weight) RESIZE_MODE
{
    float whole = weight * 2048.0f + 8388608.0f;
    return (int32_t)(whole - 8388608.0f);
}

static inline __attribute__((always_inline)) void resize_pixel(size_t channels, const int8_t *top,
                                                               const int8_t *bottom, size_t right,
                                                               float x, float y,
                                                               int8_t *out) RESIZE_MODE
{
    const struct neighbours of = {top, bottom, right, to_q11(x), to_q11(y)};
    blend_pixel(&of, channels, out);
}

#define RESIZE_WALK walk
#include "kernels/layout/resize_walk.h"
