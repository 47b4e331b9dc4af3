/* host/report/unit.h: the unit of a file's figures, in keys, columns and sentences. `unit` is enum
 * sl_trace_unit of common/format/sltrace.h: SL_TRACE_NS or SL_TRACE_INSTRUCTIONS. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SL_UNIT_KEY_SIZE = 64 };

const char *sl_unit_name(int unit);    /* "ns", "instructions" */
const char *sl_unit_suffix(int unit);  /* "_ns", "_insns" */
const char *sl_unit_words(int unit);   /* "executed instructions", "time" */
const char *sl_unit_caption(int unit); /* what a table's figures are, in words */

/* "median" becomes "median_ns" or "median_insns". Returns `out`. */
const char *sl_unit_key(char out[SL_UNIT_KEY_SIZE], const char *stem, int unit);

/* A figure for people: "1.234 ms", "17.42 M". `size` of at least 24. Returns `out`. */
const char *sl_unit_format(char *out, size_t size, double value, int unit);
