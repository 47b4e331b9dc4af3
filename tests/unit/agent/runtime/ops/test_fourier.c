/* tests/unit/agent/runtime/ops/test_fourier.c: against the sums that define a transform. */
#include "agent/runtime/ops/fourier.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/unit.h"

enum { MOST = 120 };

static double sample(size_t i)
{
    return sin((double)(i * i + 3 * i + 1));
}

static struct sl_complex by_definition(size_t count, bool back, const struct sl_complex *in,
                                       size_t k)
{
    struct sl_complex sum = {0.0, 0.0};
    for (size_t j = 0; j < count; j++) {
        double angle = (back ? 2.0 : -2.0) * acos(-1.0) * (double)(j * k % count) / (double)count;
        sum.re += in[j].re * cos(angle) - in[j].im * sin(angle);
        sum.im += in[j].re * sin(angle) + in[j].im * cos(angle);
    }
    return sum;
}

static void check(size_t count, bool back)
{
    struct sl_complex roots[MOST], in[MOST], out[MOST];
    struct sl_complex *workspace = calloc(sl_fourier_workspace(count), sizeof(*workspace));
    sl_fourier_roots(count, roots);
    for (size_t i = 0; i < count; i++)
        in[i] = (struct sl_complex){sample(i), sample(i + MOST)};
    sl_fourier(count, back, roots, in, out, workspace);
    free(workspace);
    for (size_t k = 0; k < count; k++) {
        struct sl_complex want = by_definition(count, back, in, k);
        if (fabs(out[k].re - want.re) > 1e-12 || fabs(out[k].im - want.im) > 1e-12)
            fail_msg("%zu of %zu: %g %g, not %g %g", k, count, out[k].re, out[k].im, want.re,
                     want.im);
    }
}

TEST(transforms_of_every_length_are_the_sums_that_define_them)
{
    for (size_t count = 1; count <= MOST; count++) {
        check(count, false);
        check(count, true);
    }
}
