/* tests/support/kernel_case.h: what the tests of all kernel families share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every kernel of a family's list whose operands are of one type of floats, of enum sl_element. */
#define SL_EACH(kernel, family, type)                                                              \
    for (size_t sl_at = 0; ((kernel) = sl_##family##_at(sl_at)) != NULL; sl_at++)                  \
        if ((kernel)->element == (type))

/* Says on stdout whether this CPU's test runs the kernel, and returns it: the CPU can, and if it
 * has SME, the kernel needs that. All others are the same code at every vector length: the emulated
 * CPU without SME and this machine run them. Where SL_ALL_SVL is set, all run. */
bool sl_case_may_run(const char *kernel, uint32_t needs);

/* The result for one number does not depend on the length of vectors, so only one emulated CPU of
 * those with SME sweeps all numbers: 512 bits, SVE. With SL_ALL_SVL set, all do. */
bool sl_case_sweeps(void);

/* A repeatable random size in [low, high]. */
size_t sl_case_pick(uint32_t *seed, size_t low, size_t high);

/* The size to try after `size`, up to one more than two blocks, then 0: the first 140 and those
 * next to a block's end one by one, between them every seventh, which meets each remainder of a
 * vector. At the longest vectors, which the emulator takes longest for, only the first 20 come one
 * by one unless SL_ALL_SVL is set. Begin with 1. */
size_t sl_case_next_size(size_t size, size_t block);

/* Guarded floats in [-1, 1); end them with sl_guarded_free(). */
float *sl_case_floats(uint32_t *seed, size_t count);

/* Guarded floats of one value. */
float *sl_case_constant(size_t count, float value);

/* Puts an infinity, a NaN, a denormal and a -0 among a fifth of all inputs, those of some sizes:
 * each is to reach what it is in the window of, and nothing else. */
void sl_case_specials(float *data, size_t count);
void sl_case_special_halves(uint16_t *data, size_t count);

/* The clamp of the contracts: a NaN stays. */
double sl_case_clamp(double x, double min, double max);

/* Fails unless got[i] is within `tolerance` times the largest finite |want|; NaN and infinities
 * must match. `shape` says which case it was. */
void sl_case_close(const char *kernel, const char *shape, const float *got, const double *want,
                   size_t count, double tolerance);

/* The same for sums of `terms` products of numbers in [-1, 1), and clamps of them: within 2 ulp *
 * sqrt(terms) of what such a sum is like, or of the largest |want| if that is more. */
void sl_case_close_sums(const char *kernel, const char *shape, const float *got, const double *want,
                        size_t count, size_t terms);

/* Size of a windowed output along one axis; 0 when no window fits. `pads` is of both sides. */
size_t sl_case_out_size(size_t in, size_t kernel, size_t stride, size_t dilation, size_t pads);

/* Frees guarded blocks; NULLs are passed over. */
void sl_case_free(size_t count, void *const *blocks);

/* Guarded halves (bfloat16s when `bfloat`), aligned to 2 bytes only, in [-1, 1). */
uint16_t *sl_case_halves(uint32_t *seed, size_t count, bool bfloat);

/* Guarded 16-bit elements of one value. */
uint16_t *sl_case_constant_halves(size_t count, uint16_t bits);

/* One unit in the last place of a half of this size. */
double sl_case_half_ulp(double value);

/* Fails unless the half got[i] is within `ulps` units in the last place of want[i] plus `slack`;
 * what lies beyond the largest half must be an infinity, or the largest one within the bound. */
void sl_case_close_halves(const char *kernel, const char *shape, const uint16_t *got,
                          const double *want, size_t count, double ulps, double slack);

/* The same numbers in f32, guarded. */
float *sl_case_widen(const uint16_t *halves, size_t count);

/* As sl_case_close_halves() within half a unit, for results that were computed in f32. */
void sl_case_close_to_f32(const char *kernel, const char *shape, const uint16_t *got,
                          const float *want, size_t count, double slack);
