/* common/base/clock.h: the time of this machine. */
#pragma once

#include <stdint.h>

/* Nanoseconds since some moment in the past; they never go back. */
uint64_t sl_clock_ns(void);

/* The same, and the time that the machine slept counts, where the system tells it. */
uint64_t sl_clock_with_sleep_ns(void);

/* Nanoseconds since 1970 in UTC, as the machine has it set. */
uint64_t sl_clock_utc_ns(void);

/* Milliseconds since 1970 in UTC. */
uint64_t sl_clock_utc_ms(void);

enum { SL_CLOCK_TEXT_BYTES = 25 }; /* "2026-11-23T02:38:11.042Z" and its end */

/* Writes `utc_ms` to out[SL_CLOCK_TEXT_BYTES] as ISO 8601 has it; returns `out`. */
const char *sl_clock_format(uint64_t utc_ms, char *out);
