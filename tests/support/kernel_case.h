/* tests/support/kernel_case.h: what the tests of all kernel families share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Says on stdout whether this CPU runs the kernel, and returns it. */
bool sl_case_may_run(const char *kernel, uint32_t needs);

/* A repeatable random size in [low, high]. */
size_t sl_case_pick(uint32_t *seed, size_t low, size_t high);

/* Guarded floats in [-1, 1); end them with sl_guarded_free(). */
float *sl_case_floats(uint32_t *seed, size_t count);

/* Guarded floats of one value. */
float *sl_case_constant(size_t count, float value);

/* The clamp of the contracts: a NaN stays. */
double sl_case_clamp(double x, double min, double max);

/* Fails unless got[i] is within `tolerance` times the largest finite |want|; NaN and infinities
 * must match. `shape` says which case it was. */
void sl_case_close(const char *kernel, const char *shape, const float *got, const double *want,
                   size_t count, double tolerance);

/* Size of a windowed output along one axis; 0 when no window fits. `pads` is of both sides. */
size_t sl_case_out_size(size_t in, size_t kernel, size_t stride, size_t dilation, size_t pads);

/* Frees guarded blocks; NULLs are passed over. */
void sl_case_free(size_t count, void *const *blocks);
