/* agent/run/schedule.h: in which order the two variants of a run are executed.
 *
 * Pairs alternate, ABBA: with first order 0 they run (0,1) (1,0) (0,1) …, so each variant stands
 * first as often as second and a linear drift cancels. The first order is bit 0 of
 * splitmix64(seed), so a stored seed gives the schedule again. */
#pragma once

#include <stdint.h>

/* The first output of splitmix64 (Steele, Lea, Flood 2014) from this state. */
uint64_t sl_schedule_splitmix64(uint64_t seed);

/* The variant (0 or 1) that runs first in `pair`; the other one follows. */
unsigned sl_schedule_first(uint64_t seed, uint32_t pair);
