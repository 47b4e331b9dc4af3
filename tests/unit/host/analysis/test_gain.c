/* tests/unit/host/analysis/test_gain.c */
#include "host/analysis/gain.h"

#include <math.h>

#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/analysis/verdict.h"
#include "tests/support/test.h"

/* A comparison of 20 pairs whose interval reaches `width` either way. */
static struct sl_comparison paired(double ratio, double width)
{
    return (struct sl_comparison){.unit = SL_TRACE_NS,
                                  .method = SL_METHOD_PAIRED,
                                  .blocks = 20,
                                  .ratio = ratio,
                                  .low = ratio / (1 + width),
                                  .high = ratio * (1 + width),
                                  .sign_low = ratio / (1 + width),
                                  .sign_high = ratio * (1 + width),
                                  .noise_floor = NAN};
}

static struct sl_comparison counted(double ratio)
{
    struct sl_comparison c = paired(ratio, 0);
    c.unit = SL_TRACE_INSTRUCTIONS;
    c.method = SL_METHOD_EXACT;
    return c;
}

static int gate(const struct sl_comparison *before, const struct sl_comparison *after,
                double threshold)
{
    struct sl_gain gain;
    assert_true(sl_gain_of(before, after, &gain));
    return sl_gain_gate(&gain, threshold);
}

TEST(a_fall_from_15x_to_8x_fails_though_both_win)
{
    struct sl_comparison before = paired(15, 0.02), after = paired(8, 0.02);
    assert_int_equal(gate(&before, &after, 0.05), SL_GATE_FAILED);
    assert_int_equal(gate(&before, &after, 0), SL_GATE_FAILED);
    assert_int_equal(gate(&after, &before, 0.05), SL_GATE_PASSED);
    before = counted(15);
    after = counted(8);
    assert_int_equal(gate(&before, &after, 0), SL_GATE_FAILED);
    assert_int_equal(gate(&before, &after, 1), SL_GATE_PASSED);
    assert_int_equal(gate(&before, &before, 0), SL_GATE_PASSED);
}

TEST(what_the_intervals_leave_open_is_not_told)
{
    struct sl_comparison before = paired(2, 0.03), after = paired(1.93, 0.03);
    assert_int_equal(gate(&before, &after, 0.05), SL_GATE_OPEN);
    assert_int_equal(gate(&before, &after, 0.20), SL_GATE_PASSED);
    assert_int_equal(gate(&before, &after, 0), SL_GATE_OPEN);
}

TEST(a_larger_fall_never_passes_where_a_smaller_one_does_not)
{
    struct sl_comparison before = paired(4, 0.01);
    int worst = SL_GATE_PASSED;
    for (double after = 4; after > 3; after -= 0.02) {
        struct sl_comparison now = paired(after, 0.01);
        int found = gate(&before, &now, 0.05);
        assert_true(found == SL_GATE_FAILED || worst != SL_GATE_FAILED);
        assert_true(found != SL_GATE_PASSED || worst == SL_GATE_PASSED);
        worst = found;
    }
    assert_int_equal(worst, SL_GATE_FAILED);
}

TEST(a_noise_floor_keeps_both_answers_back)
{
    struct sl_comparison before = paired(4, 0.005), after = paired(3.7, 0.005);
    assert_int_equal(gate(&before, &after, 0.05), SL_GATE_FAILED);
    after.noise_floor = 0.1;
    assert_int_equal(gate(&before, &after, 0.05), SL_GATE_OPEN);
    assert_int_equal(gate(&before, &before, 0.05), SL_GATE_PASSED);
}

TEST(sides_without_a_ratio_have_no_gain)
{
    struct sl_gain gain;
    struct sl_comparison before = paired(4, 0.01), after = paired(4, 0.01);
    after.verdict = SL_VERDICT_WRONG;
    assert_false(sl_gain_of(&before, &after, &gain));
    after = counted(4);
    assert_false(sl_gain_of(&before, &after, &gain));
    after = paired(4, 0.01);
    after.sign_low = after.low = NAN;
    assert_false(sl_gain_of(&before, &after, &gain));
}
