/* tests/unit/host/analysis/test_calibration.c */
#include "host/analysis/calibration.h"

#include <math.h>
#include <string.h>

#include "tests/support/unit.h"

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/analysis/random.h"

enum { RUNS = 101 };

static struct sl_attribution_run runs[RUNS];

/* A warm-up run and 100 measured ones under a drift of 0.3 % a run, 1 % of noise either way. */
static struct sl_attribution fill(int unit, uint64_t seed)
{
    struct sl_random random = {seed};
    for (size_t i = 0; i < RUNS; i++) {
        double noise = 0.99 + 0.02 * (double)sl_random_below(&random, 1001) / 1000;
        runs[i] = (struct sl_attribution_run){.warmup = i == 0};
        runs[i].end_to_end =
            unit == SL_TRACE_INSTRUCTIONS ? 777 : (int64_t)(1e6 * (1 + 0.003 * (double)i) * noise);
    }
    return (struct sl_attribution){
        .unit = unit, .runs = runs, .run_count = RUNS, .measured_count = RUNS - 1};
}

static struct sl_comparison calibrate(const struct sl_attribution *a)
{
    struct sl_comparison c;
    const struct sl_comparison_options options = {
        .seed = 3, .iterations = 1000, .noise_floor = 0.5, .looks = 4};
    assert_int_equal(sl_calibration_make(a, &options, &c), 0);
    return c;
}

TEST(same_runs_are_rarely_told_apart_and_the_floor_holds_the_truth)
{
    unsigned false_verdicts = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct sl_attribution a = fill(SL_TRACE_NS, seed);
        struct sl_comparison c = calibrate(&a);
        assert_int_equal(c.blocks, 50);
        false_verdicts += c.verdict == SL_VERDICT_FASTER || c.verdict == SL_VERDICT_SLOWER;
        assert_true(c.noise_floor > 0.0005 && c.noise_floor < 0.02);
        assert_true(1 / (1 + c.noise_floor) <= c.low + 1e-12 &&
                    c.high <= 1 + c.noise_floor + 1e-12);
    }
    assert_true(false_verdicts <= 8); /* 5 % of 100 and what chance adds */
}

TEST(the_floor_does_not_shrink_with_longer_watching)
{
    double few = 0;
    double many = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct sl_attribution a = fill(SL_TRACE_NS, seed);
        many += calibrate(&a).noise_floor;
        a.run_count = 41;
        a.measured_count = 40;
        few += calibrate(&a).noise_floor;
    }
    assert_true(many > 0.8 * few && few > 0.8 * many);
}

TEST(equal_counts_have_no_noise_and_others_are_unfit)
{
    struct sl_attribution a = fill(SL_TRACE_INSTRUCTIONS, 1);
    struct sl_comparison c = calibrate(&a);
    assert_int_equal(c.verdict, SL_VERDICT_EQUIVALENT);
    assert_true(c.noise_floor == 0 && c.ratio == 1);
    runs[50].end_to_end = 778;
    c = calibrate(&a);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    assert_non_null(strstr(c.reasons[0], "differ by 1 instructions"));
}

TEST(one_run_has_no_neighbour)
{
    struct sl_attribution a = fill(SL_TRACE_NS, 1);
    a.run_count = 2;
    struct sl_comparison c = calibrate(&a);
    assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
    assert_true(isnan(c.noise_floor));
}

TEST(calibration_survives_each_failed_allocation)
{
    struct sl_attribution a = fill(SL_TRACE_NS, 1);
    const struct sl_comparison_options options = {.iterations = 100, .noise_floor = NAN};
    int rc = -12;
    for (unsigned nth = 1; rc == -12; nth++) {
        struct sl_comparison c;
        sl_mem_fail_nth(nth);
        rc = sl_calibration_make(&a, &options, &c);
    }
    assert_int_equal(rc, 0);
}
