/* host/analysis/random.h: a reproducible stream of numbers (SplitMix64: public domain algorithm by
 * Sebastiano Vigna). Not for secrets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_random {
    uint64_t state; /* the seed */
};

static inline uint64_t sl_random_next(struct sl_random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 to below - 1; `below` is at least 1 and at most 2^32, for which the bias is below 2^-32. */
static inline size_t sl_random_below(struct sl_random *random, size_t below)
{
    return (size_t)((sl_random_next(random) >> 32) * (uint64_t)below >> 32);
}
