/* agent/runtime/ops/cast.h: elements of any plain type as f32, int64 or f64, and back.
 *
 * Most operators compute in f32 for floating point, f64 where a double takes part, and int64 for
 * integers and Bool. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_CAST_BLOCK = 256 }; /* elements that engines hold at a time */

enum sl_cast_class { SL_CAST_F32, SL_CAST_I64, SL_CAST_F64, SL_CAST_CLASSES };

/* One number of any class. */
union sl_cast_number {
    float f32;
    int64_t i64;
    double f64;
};

/* out[i] = element i of `in`, elements `stride` bytes apart. */
typedef void (*sl_cast_load_fn)(const uint8_t *in, ptrdiff_t stride, size_t count, void *out);
typedef void (*sl_cast_store_fn)(const void *in, size_t count, uint8_t *out, ptrdiff_t stride);

/* For an element type (enum sl_scalar_type); NULL for one that is not supported. */
sl_cast_load_fn sl_cast_load(int class, int scalar_type);
sl_cast_store_fn sl_cast_store(int class, int scalar_type);

/* The class that elements of a type are computed in. */
int sl_cast_class(int scalar_type);
bool sl_cast_is_float(int scalar_type);
bool sl_cast_is_half(int scalar_type);

/* As an Arm CPU converts to 32 bits: at the ends of the range beyond it; 0 for a NaN. */
static inline int32_t sl_cast_to_int32(double value)
{
    if (value >= 2147483647.0)
        return INT32_MAX;
    if (value <= -2147483648.0)
        return INT32_MIN;
    return value == value ? (int32_t)value : 0;
}

/* The integer nearest to zero from `value`, at the ends of the range beyond it; 0 for a NaN. */
static inline int64_t sl_cast_to_int(double value)
{
    if (value >= 9223372036854775807.0)
        return INT64_MAX;
    if (value <= -9223372036854775808.0)
        return INT64_MIN;
    return value == value ? (int64_t)value : 0;
}
