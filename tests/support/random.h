/* tests/support/random.h: repeatable random numbers (splitmix64). */
#pragma once

#include <stdint.h>

/* A number below `below`, which is not 0. The state's first value is the seed. */
static inline uint64_t sl_random_below(uint64_t *state, uint64_t below)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}
