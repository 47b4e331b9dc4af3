/* host/report/time_text.h: times and spans as people read them. */
#pragma once

#include <stdint.h>

enum { SL_TIME_TEXT_BYTES = 32 };

/* Unix time as "2026-11-21 12:03:40" of this machine's zone; "-" for 0. Returns `out`. */
const char *sl_time_text(uint64_t ms, char out[SL_TIME_TEXT_BYTES]);

/* A span as "12.3 s" or "4 min"; "-" where it has no begin. An end of 0 is now. Returns `out`. */
const char *sl_span_text(uint64_t from_ms, uint64_t to_ms, char out[SL_TIME_TEXT_BYTES]);
