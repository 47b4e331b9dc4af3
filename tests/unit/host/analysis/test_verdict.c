/* tests/unit/host/analysis/test_verdict.c */
#include "host/analysis/verdict.h"

#include <math.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "tests/support/test.h"

/* Pairs of times with an interval, on a device whose noise floor is `floor`. */
static struct sl_comparison pairs(double low, double high, size_t blocks, double floor)
{
    struct sl_comparison c = {.unit = SL_TRACE_NS, .method = SL_METHOD_PAIRED, .blocks = blocks};
    c.ratio = sqrt(low * high);
    c.low = c.sign_low = low;
    c.high = c.sign_high = high;
    c.confidence = 0.95;
    c.margin = 0.01;
    c.noise_floor = floor;
    return c;
}

TEST(an_interval_on_one_side_of_1_is_a_verdict)
{
    struct sl_comparison c = pairs(1.02, 1.04, 20, NAN);
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    c = pairs(0.96, 0.98, 20, NAN);
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_SLOWER);
    c = pairs(1.02, 1.04, 20, NAN);
    c.sign_low = 0.99; /* both intervals must say so */
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
}

TEST(equal_is_said_of_an_interval_within_the_margin_alone)
{
    struct sl_comparison c = pairs(0.995, 1.005, 20, NAN);
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_EQUIVALENT);
    c = pairs(0.985, 1.005, 20, NAN);
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
}

TEST(below_a_noise_floor_nothing_can_be_told)
{
    struct sl_comparison c = pairs(1.02, 1.04, 20, 0.05);
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(c.reasons[0], "below this device's noise floor, 5 %: cannot tell"));
    c = pairs(0.995, 1.005, 20, 0.05); /* not "no difference" either */
    sl_verdict_judge(&c);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
}

TEST(few_pairs_show_the_exact_interval_or_none)
{
    struct sl_comparison c = pairs(1.5, 1.6, 10, NAN);
    c.sign_low = 1.4;
    sl_verdict_judge(&c);
    assert_true(c.low == 1.4 && c.verdict == SL_VERDICT_FASTER);
    c = pairs(1.5, 1.6, 5, NAN);
    c.sign_low = c.sign_high = NAN;
    sl_verdict_judge(&c);
    assert_true(isnan(c.low) && isnan(c.detectable) && c.verdict == SL_VERDICT_INCONCLUSIVE);
}

TEST(a_wider_interval_detects_less)
{
    struct sl_comparison narrow = pairs(0.99, 1.01, 20, NAN);
    struct sl_comparison wide = pairs(0.98, 1.02, 20, NAN);
    assert_true(sl_verdict_detectable(&narrow) > 0.01);
    assert_true(sl_verdict_detectable(&wide) > 1.9 * sl_verdict_detectable(&narrow));
}
