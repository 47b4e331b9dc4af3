/* tests/unit/kernels/unary/test_unary.c: every unary operator of the list against a plain one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/unary/unary.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* Past two turns of 16 of the longest vectors. */
enum { LONGEST = 2100 };

static void check(const struct sl_unary *kernel, size_t count, bool in_place)
{
    uint32_t seed = (uint32_t)count;
    static double want[LONGEST];
    float *in = sl_case_floats(&seed, count);
    float *out = in_place ? in : sl_case_constant(count, 77);
    if (count > 3) {
        in[1] = NAN;
        in[2] = INFINITY;
        in[3] = -INFINITY;
    }
    for (size_t i = 0; i < count; i++)
        want[i] = sl_case_clamp((double)in[i], -0.5, 0.25);
    kernel->run(count, in, out, -0.5f, 0.25f);
    sl_case_close(kernel->name, in_place ? "in place" : "apart", out, want, count, 0);
    sl_guarded_free(in);
    if (!in_place)
        sl_guarded_free(out);
}

TEST(every_count_is_clamped_exactly)
{
    const struct sl_unary *kernel;
    SL_EACH (kernel, unary, SL_F32) {
        if (!sl_case_may_run(kernel->name, kernel->needs) || kernel->op != SL_UNARY_CLAMP)
            continue;
        for (size_t count = 0; count < LONGEST; count += count < 140 ? 1 : 37) {
            check(kernel, count, false);
            check(kernel, count, true);
        }
    }
}

TEST(select_gives_the_operator_asked_for)
{
    assert_int_equal(sl_unary_select(SL_ISA_NONE, SL_F32, SL_UNARY_CLAMP)->needs, SL_ISA_NONE);
}
