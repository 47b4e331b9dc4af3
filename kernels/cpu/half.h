/* kernels/cpu/half.h: 16-bit floats as plain numbers: half precision and bfloat16. Rounding is to
 * nearest, ties to even; NaN stays NaN. */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
static inline float sl_half_to_float(uint16_t bits)
{
    __fp16 half;
    memcpy(&half, &bits, sizeof(half));
    return (float)half;
}

static inline uint16_t sl_half_from_float(float value)
{
    __fp16 half = (__fp16)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof(bits));
    return bits;
}
#else
static inline float sl_half_to_float(uint16_t bits)
{
    uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13, sign = (uint32_t)(bits & 0x8000) << 16;
    float value;
    if (magnitude >= 0x7c00u << 13)
        magnitude += 0x70000000u; /* infinities and NaNs: the exponent's ones go up */
    memcpy(&value, &magnitude, sizeof(value));
    if (magnitude < 0x7c00u << 13)
        value *= 0x1p112f; /* the exponents' biases differ by 112; this makes subnormals right */
    return sign != 0 ? -value : value;
}

static inline uint16_t sl_half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    if (magnitude >= 0x477ff000)
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* subnormal: units of 2^-24, rounded by the addition */
        float shifted;
        memcpy(&shifted, &magnitude, sizeof(shifted));
        shifted += 0.5f;
        memcpy(&magnitude, &shifted, sizeof(magnitude));
        return (uint16_t)(sign | (magnitude - 0x3f000000));
    }
    magnitude += 0xc8000fff + (magnitude >> 13 & 1); /* the bias, and rounding */
    return (uint16_t)(sign | magnitude >> 13);
}
#endif

static inline float sl_bfloat_to_float(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof(value));
    return value;
}

static inline uint16_t sl_bfloat_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (value != value)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
