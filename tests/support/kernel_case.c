/* tests/support/kernel_case.c */
#include "tests/support/kernel_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/sve.h"
#include "tests/support/test.h"

bool sl_case_may_run(const char *kernel, uint32_t needs)
{
    uint32_t isa = sl_isa_detect(), sme = SL_ISA_SME | SL_ISA_SME2;
    bool elsewhere = (isa & sme) != 0 && (needs & sme) == 0 && !getenv("SL_ALL_SVL");
    bool may = (needs & ~isa) == 0 && !elsewhere;
    printf("%s %s\n", may ? "runs:   " : "skipped:", kernel);
    return may;
}

bool sl_case_sweeps(void)
{
    size_t svl = sl_isa_svl_bytes();
    return svl == 0 || (svl == 64 && sl_case_has_sve()) || getenv("SL_ALL_SVL");
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

size_t sl_case_pick(uint32_t *seed, size_t low, size_t high)
{
    return low + next(seed) % (high - low + 1);
}

size_t sl_case_next_size(size_t size, size_t block)
{
    bool longest = sl_isa_svl_bytes() == 256 && !getenv("SL_ALL_SVL");
    size_t past = (size + 2) % block, single = longest ? 20 : 140;
    if (size > 2 * block)
        return 0;
    if (size < single || past < 4)
        return size + 1;
    size_t edge = (size + 2) / block * block + block - 2;
    return size + 7 < edge ? size + 7 : edge;
}

float *sl_case_floats(uint32_t *seed, size_t count)
{
    float *data = sl_guarded_new(count * sizeof(float), sizeof(float));
    for (size_t i = 0; i < count; i++)
        data[i] = (float)next(seed) / (float)(1 << 23) - 1.0f;
    return data;
}

float *sl_case_constant(size_t count, float value)
{
    float *data = sl_guarded_new(count * sizeof(float), sizeof(float));
    for (size_t i = 0; i < count; i++)
        data[i] = value;
    return data;
}

static const float specials[] = {INFINITY, NAN, 0x1p-24f, -0.0f}; /* 2^-24: of halves alone one */

void sl_case_specials(float *data, size_t count)
{
    for (size_t i = 0; count % 5 == 0 && i < 4; i++)
        data[count * (i + 1) / 6] = i == 2 ? 1e-40f : specials[i];
}

void sl_case_special_halves(uint16_t *data, size_t count)
{
    for (size_t i = 0; count % 5 == 0 && i < 4; i++)
        data[count * (i + 1) / 6] = sl_half_from_float(specials[i]);
}

double sl_case_clamp(double x, double min, double max)
{
    x = x < min ? min : x;
    return x > max ? max : x;
}

static double largest_of(const double *want, size_t count)
{
    double peak = 1e-30;
    for (size_t i = 0; i < count; i++)
        if (isfinite(want[i]) && fabs(want[i]) > peak)
            peak = fabs(want[i]);
    return peak;
}

static void close_within(const char *kernel, const char *shape, const float *got,
                         const double *want, size_t count, double bound)
{
    for (size_t i = 0; i < count; i++) {
        double g = (double)got[i];
        bool same = isnan(want[i])   ? isnan(g)
                    : isinf(want[i]) ? g == want[i]
                                     : fabs(g - want[i]) <= bound;
        if (!same)
            fail_msg("%s, %s: element %zu is %.9g, want %.9g within %g", kernel, shape, i, g,
                     want[i], bound);
    }
}

void sl_case_close(const char *kernel, const char *shape, const float *got, const double *want,
                   size_t count, double tolerance)
{
    close_within(kernel, shape, got, want, count, tolerance * largest_of(want, count));
}

void sl_case_close_sums(const char *kernel, const char *shape, const float *got, const double *want,
                        size_t count, size_t terms)
{
    double root = sqrt((double)terms + 1), typical = root / 3; /* each is 1/3 of 1 */
    double peak = largest_of(want, count), ulp = ldexp(1, ilogb(fmax(typical, peak)) - 23);
    close_within(kernel, shape, got, want, count, 2 * root * ulp);
}

size_t sl_case_out_size(size_t in, size_t kernel, size_t stride, size_t dilation, size_t pads)
{
    size_t span = (kernel - 1) * dilation + 1;
    return in + pads >= span ? (in + pads - span) / stride + 1 : 0;
}

void sl_case_free(size_t count, void *const *blocks)
{
    for (size_t i = 0; i < count; i++)
        sl_guarded_free(blocks[i]);
}

uint16_t *sl_case_halves(uint32_t *seed, size_t count, bool bfloat)
{
    uint16_t *data = sl_guarded_new(count * sizeof(uint16_t), sizeof(uint16_t));
    for (size_t i = 0; i < count; i++) {
        float value = (float)next(seed) / (float)(1 << 23) - 1.0f;
        data[i] = bfloat ? sl_bfloat_from_float(value) : sl_half_from_float(value);
    }
    return data;
}

uint16_t *sl_case_constant_halves(size_t count, uint16_t bits)
{
    uint16_t *data = sl_guarded_new(count * sizeof(uint16_t), sizeof(uint16_t));
    for (size_t i = 0; i < count; i++)
        data[i] = bits;
    return data;
}

double sl_case_half_ulp(double value)
{
    int exponent = -14;
    if (isfinite(value) && fabs(value) >= 0x1p-14)
        exponent = ilogb(value) < 15 ? ilogb(value) : 15;
    return ldexp(1, exponent - 10);
}

static bool near_half(double got, double want, double bound)
{
    if (isnan(want))
        return isnan(got);
    if (isinf(want) || (isinf(got) && fabs(want) + bound >= 65520))
        return got == (want > 0 ? (double)INFINITY : -(double)INFINITY);
    return fabs(got - want) <= bound;
}

void sl_case_close_halves(const char *kernel, const char *shape, const uint16_t *got,
                          const double *want, size_t count, double ulps, double slack)
{
    for (size_t i = 0; i < count; i++) {
        double g = (double)sl_half_to_float(got[i]);
        if (!near_half(g, want[i], ulps * sl_case_half_ulp(want[i]) + slack))
            fail_msg("%s, %s: element %zu is %.9g, want %.9g (%g ulp)", kernel, shape, i, g,
                     want[i], fabs(g - want[i]) / sl_case_half_ulp(want[i]));
    }
}

float *sl_case_widen(const uint16_t *halves, size_t count)
{
    float *data = sl_case_constant(count, 0);
    for (size_t i = 0; i < count; i++)
        data[i] = sl_half_to_float(halves[i]);
    return data;
}

void sl_case_close_to_f32(const char *kernel, const char *shape, const uint16_t *got,
                          const float *want, size_t count, double slack)
{
    for (size_t i = 0; i < count; i++) {
        double exact = (double)want[i];
        sl_case_close_halves(kernel, shape, got + i, &exact, 1, 0.5, slack);
    }
}
