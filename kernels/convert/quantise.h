/* kernels/convert/quantise.h: rows of floats to int8 with parameters of their own.
 *
 * In a row, low = min(0, x), high = max(0, x) over it, s = 255 / (high - low), 1 when they are
 * equal; z = -128 - low * s, or 127 - high * s where that end has the smaller error, clamped and
 * rounded; q = clamp(round(x * s) + z). Rounding is to nearest even. A row that holds a NaN or an
 * infinity, or spans more than a float can say, gets a scale that is not finite, and whatever is
 * computed from it is NaN or infinite; other rows do not notice. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The value of q is scale * (q - zero_point). */
struct sl_row_params {
    float scale; /* 1 / s */
    int32_t zero_point;
};

enum sl_row_type {
    SL_ROWS_F32, /* float */
    SL_ROWS_F16, /* half, stored as uint16_t */
    SL_ROWS_QD8  /* int8_t with params */
};

/* Rows in memory, borrowed. */
struct sl_rows {
    const void *data;
    size_t stride;                      /* elements from row to row */
    int type;                           /* enum sl_row_type */
    const struct sl_row_params *params; /* one a row of SL_ROWS_QD8, else not read */
};

struct sl_quantise {
    const char *name;
    uint32_t needs;
    /* m rows of k elements, f32 or f16, into rows of int8 with out_stride and params [m]. */
    void (*run)(size_t m, size_t k, const struct sl_rows *rows, int8_t *out, size_t out_stride,
                struct sl_row_params *out_params);
};

/* The first kernel of the list whose needs `isa` meets; never NULL. */
const struct sl_quantise *sl_quantise_select(uint32_t isa);
const struct sl_quantise *sl_quantise_at(size_t i);

/* The parameters of a row between low and high; *out_multiplier is s. */
static inline struct sl_row_params sl_row_params_of(float low, float high, float *out_multiplier)
{
    low = low > 0 ? 0 : low; /* a NaN stays */
    high = high < 0 ? 0 : high;
    float s = low == high ? 1.0f : 255.0f / (high - low);
    float from_low = low * s, from_high = high * s;
    float z =
        (from_low - 128.0f) + (from_high + 127.0f) > 0 ? -128.0f - from_low : 127.0f - from_high;
    z = z < -128.0f ? -128.0f : z;
    z = z > 127.0f ? 127.0f : z;
    *out_multiplier = s;
    return (struct sl_row_params){1.0f / s, z == z ? (int32_t)rintf(z) : 0};
}

/* x times a multiplier, rounded, moved by the zero point; a NaN becomes the zero point. */
static inline int8_t sl_quantised_of(float x, float multiplier, int32_t zero_point)
{
    float y = x * multiplier;
    y = y == y ? y : 0;
    y = y < -512.0f ? -512.0f : y;
    y = y > 512.0f ? 512.0f : y;
    int32_t q = (int32_t)rintf(y) + zero_point;
    return (int8_t)(q < -128 ? -128 : q > 127 ? 127 : q);
}

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_quantise kernel;
#include "kernels/convert/quantise.inc"
#undef SL_KERNEL
