/* tests/unit/host/analysis/test_verdict.c */
#include "host/analysis/verdict.h"

#include <math.h>

#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "tests/support/test.h"

/* Pairs of times with an interval, on a device whose noise floor is `floor`. */
static struct sl_comparison pairs(double low, double high, double floor)
{
    return (struct sl_comparison){.unit = SL_TRACE_NS,
                                  .method = SL_METHOD_PAIRED,
                                  .verdict = SL_VERDICT_INCONCLUSIVE,
                                  .blocks = SL_COMPARISON_MIN_BLOCKS,
                                  .ratio = sqrt(low * high),
                                  .low = low,
                                  .high = high,
                                  .sign_low = low,
                                  .sign_high = high,
                                  .noise_floor = floor};
}

static int gate(struct sl_comparison c)
{
    return sl_verdict_gate(&c, 0.05);
}

TEST(faster_and_slower_are_words_for_time)
{
    struct sl_comparison c = {.unit = SL_TRACE_NS, .verdict = SL_VERDICT_FASTER};
    assert_string_equal(sl_verdict_name(&c), "faster");
    c.unit = SL_TRACE_INSTRUCTIONS;
    assert_string_equal(sl_verdict_name(&c), "fewer-instructions");
    c.verdict = SL_VERDICT_SLOWER;
    assert_string_equal(sl_verdict_name(&c), "more-instructions");
    c.verdict = SL_VERDICT_UNFIT;
    assert_string_equal(sl_verdict_name(&c), "unfit");
}

/* The interval decides, all of it: none passes for being uncertain. */
TEST(a_gate_of_five_per_cent_is_a_test_of_non_inferiority)
{
    assert_int_equal(gate(pairs(0.96, 1.02, NAN)), SL_GATE_PASSED);
    assert_int_equal(gate(pairs(0.94, 1.02, NAN)), SL_GATE_OPEN);
    assert_int_equal(gate(pairs(0.94, 0.96, NAN)), SL_GATE_OPEN);
    assert_int_equal(gate(pairs(0.90, 0.94, NAN)), SL_GATE_FAILED);
}

TEST(a_noise_floor_widens_both_bounds)
{
    assert_int_equal(gate(pairs(0.96, 1.02, 0.04)), SL_GATE_OPEN);
    assert_int_equal(gate(pairs(0.90, 0.94, 0.04)), SL_GATE_OPEN);
    assert_int_equal(gate(pairs(1.00, 1.02, 0.04)), SL_GATE_PASSED);
}

TEST(what_is_unfit_passes_no_gate_and_fails_none)
{
    struct sl_comparison c = pairs(0.5, 0.6, NAN);
    c.verdict = SL_VERDICT_UNFIT;
    assert_int_equal(gate(c), SL_GATE_OPEN);
    c = pairs(1.5, 1.6, NAN);
    c.verdict = SL_VERDICT_INCOMPARABLE;
    assert_int_equal(gate(c), SL_GATE_OPEN);
}

TEST(counts_are_their_own_interval)
{
    struct sl_comparison c = {.unit = SL_TRACE_INSTRUCTIONS, .method = SL_METHOD_EXACT};
    c.verdict = SL_VERDICT_SLOWER;
    c.ratio = 1 / 1.04;
    assert_int_equal(gate(c), SL_GATE_PASSED);
    c.ratio = 1 / 1.06;
    assert_int_equal(gate(c), SL_GATE_FAILED);
}
