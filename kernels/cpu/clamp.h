/* kernels/cpu/clamp.h: the one meaning of a clamp in scalar code: a NaN stays, of -0 a least 0
 * makes 0, as FMAX and XNNPACK do. */
#pragma once

static inline float sl_clamp(float x, float min, float max)
{
    x = x <= min ? min : x;
    return x > max ? max : x;
}
