/* common/base/saturate.h: sums and products that stay at the largest number. */
#pragma once

#include <stdint.h>

static inline uint64_t sl_times(uint64_t a, uint64_t b)
{
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static inline uint64_t sl_plus(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}
