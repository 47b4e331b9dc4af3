/* agent/run/schedule.c */
#include "agent/run/schedule.h"

uint64_t sl_schedule_splitmix64(uint64_t seed)
{
    uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

unsigned sl_schedule_first(uint64_t seed, uint32_t pair)
{
    return (unsigned)((sl_schedule_splitmix64(seed) ^ pair) & 1);
}
