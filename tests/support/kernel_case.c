/* tests/support/kernel_case.c */
#include "tests/support/kernel_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"

bool sl_case_may_run(const char *kernel, uint32_t needs)
{
    bool may = (needs & ~sl_isa_detect()) == 0;
    printf("%s %s\n", may ? "runs:   " : "skipped:", kernel);
    return may;
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

double sl_case_clamp(double x, double min, double max)
{
    x = x < min ? min : x;
    return x > max ? max : x;
}

void sl_case_close(const char *kernel, const char *shape, const float *got, const double *want,
                   size_t count, double tolerance)
{
    double peak = 1e-30;
    for (size_t i = 0; i < count; i++)
        if (isfinite(want[i]) && fabs(want[i]) > peak)
            peak = fabs(want[i]);
    for (size_t i = 0; i < count; i++) {
        double g = (double)got[i];
        bool same = isnan(want[i])   ? isnan(g)
                    : isinf(want[i]) ? g == want[i]
                                     : fabs(g - want[i]) <= tolerance * peak;
        if (!same)
            fail_msg("%s, %s: element %zu is %.9g, want %.9g (peak %g)", kernel, shape, i, g,
                     want[i], peak);
    }
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
