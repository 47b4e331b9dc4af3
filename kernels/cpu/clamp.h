/* kernels/cpu/clamp.h: the one meaning of a clamp in scalar code: a NaN stays. */
#pragma once

static inline float sl_clamp(float x, float min, float max)
{
    x = x < min ? min : x;
    return x > max ? max : x;
}
