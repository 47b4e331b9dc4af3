/* tests/support/qs8_case.h: what the tests of static int8 kernels share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/requant.h"

/* Guarded bytes of all values, the extremes often; end them with sl_guarded_free(). */
int8_t *sl_case_bytes(uint32_t *seed, size_t count);
int8_t *sl_case_same_bytes(size_t count, int8_t value);

/* A quantised layer of n output channels with depth k: a bias (or none), scales that spread sums
 * over the output's range and, here and there, far beyond, zero points and a clamp. */
struct sl_qs8_case {
    int32_t *bias;
    float *scale;
    struct sl_requant requant; /* of the two above */
    struct sl_requant_out out;
};
struct sl_qs8_case sl_qs8_case_new(uint32_t *seed, size_t n, size_t k);
void sl_qs8_case_free(struct sl_qs8_case *layer);

/* The value of channel c whose products (input less its zero point, times weight) sum to `sum`, by
 * a second statement of the arithmetic: in double precision, the product rounded to f32 first. */
int8_t sl_qs8_case_value(const struct sl_qs8_case *layer, size_t c, int64_t sum);

/* Fails with the first byte that differs. */
void sl_qs8_case_equal(const char *kernel, const char *shape, const int8_t *got, const int8_t *want,
                       size_t count);

/* Sizes to enumerate: 1, and one below, at and above one and two vectors of words of the streaming
 * length of this CPU (of 16 bytes without one), and a prime beyond. Writes up to 8, returns how
 * many. */
size_t sl_qs8_case_sizes(size_t *out);
