/* tests/unit/host/analysis/test_bootstrap.c: intervals of paired times. */
#include "host/analysis/bootstrap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "host/analysis/comparison.h"
#include "host/analysis/random.h"
#include "tests/support/test.h"

enum { PAIRS = 20 };

/* A sum of uniform numbers: near enough to a normal distribution of mean 0 and deviation 1. */
static double noise(struct sl_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)sl_random_below(random, 1 << 20) / (1 << 20);
    return sum;
}

/* Pairs whose drift is common to both sides. */
static void simulate(struct sl_random *random, double ratio, struct sl_time_pair out[PAIRS])
{
    for (int i = 0; i < PAIRS; i++) {
        double drift = 1e6 * (1 + 0.02 * i);
        out[i].process = 0;
        out[i].baseline = drift * ratio * (1 + 0.01 * noise(random));
        out[i].candidate = drift * (1 + 0.01 * noise(random));
    }
}

static struct sl_comparison compare(const struct sl_time_pair *pairs, size_t n)
{
    struct sl_comparison c;
    struct sl_comparison_options options = {.seed = 7, .iterations = 1000, .noise_floor = NAN};
    assert_int_equal(sl_comparison_make_pairs(pairs, n, &options, &c), 0);
    return c;
}

TEST(sign_interval_takes_the_ranks_of_the_binomial)
{
    double values[PAIRS];
    for (int i = 0; i < PAIRS; i++)
        values[PAIRS - 1 - i] = i + 1;
    /* P(Bin(20, 1/2) <= 5) = 0.0207: ranks 6 and 15. */
    struct sl_interval interval = sl_sign_interval(values, PAIRS, 0.95);
    assert_true(interval.low == 6 && interval.high == 15);
    assert_true(isnan(sl_sign_interval(values, 5, 0.95).low));
    assert_true(sl_sign_interval(values, 6, 0.95).low == 1);
    static const double confidences[] = {0.8, 0.9, 0.95, 0.99, 0.999};
    for (size_t i = 0; i < sizeof(confidences) / sizeof(confidences[0]); i++) {
        int least = sl_sign_least(confidences[i]);
        assert_false(isnan(sl_sign_interval(values, (size_t)least, confidences[i]).low));
        assert_true(isnan(sl_sign_interval(values, (size_t)least - 1, confidences[i]).low));
    }
}

TEST(intervals_cover_the_true_ratio_and_aa_gives_no_false_verdict)
{
    enum { EXPERIMENTS = 200 };
    struct sl_random random = {42};
    int covered = 0;
    int covered_by_signs = 0;
    int found = 0;
    int false_verdicts = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
        struct sl_time_pair pairs[PAIRS];
        simulate(&random, 1.03, pairs);
        struct sl_comparison c = compare(pairs, PAIRS);
        covered += c.low <= 1.03 && c.high >= 1.03;
        covered_by_signs += c.sign_low <= 1.03 && c.sign_high >= 1.03;
        found += c.verdict == SL_VERDICT_FASTER;
        simulate(&random, 1, pairs);
        c = compare(pairs, PAIRS);
        false_verdicts += c.verdict == SL_VERDICT_FASTER || c.verdict == SL_VERDICT_SLOWER;
    }
    assert_true(covered >= EXPERIMENTS * 91 / 100); /* 0.95 within what 200 experiments can tell */
    assert_true(covered_by_signs >= EXPERIMENTS * 92 / 100);
    assert_true(found >= EXPERIMENTS * 80 / 100);
    assert_true(false_verdicts <= EXPERIMENTS * 8 / 100);
}

TEST(same_pairs_and_seed_give_the_same_bits)
{
    struct sl_random random = {1};
    struct sl_time_pair pairs[PAIRS];
    simulate(&random, 1.1, pairs);
    struct sl_comparison a = compare(pairs, PAIRS);
    struct sl_comparison b = compare(pairs, PAIRS);
    assert_true(a.low == b.low && a.high == b.high && a.ratio == b.ratio);
    assert_int_equal(a.method, SL_METHOD_PAIRED);
}

/* Six pairs of one sign are 1 case of 32 by chance, five 1 of 16. */
TEST(few_pairs_are_judged_by_their_signs_and_one_has_no_interval)
{
    struct sl_time_pair pairs[PAIRS];
    for (int i = 0; i < PAIRS; i++)
        pairs[i] = (struct sl_time_pair){.baseline = 15e6, .candidate = 1e6};
    assert_int_equal(compare(pairs, PAIRS).verdict, SL_VERDICT_FASTER);
    assert_int_equal(compare(pairs, 10).verdict, SL_VERDICT_FASTER);
    assert_int_equal(compare(pairs, 6).verdict, SL_VERDICT_FASTER);
    struct sl_comparison five = compare(pairs, 5);
    assert_int_equal(five.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(five.reasons[0], "only 5 pairs"));
    struct sl_comparison one = compare(pairs, 1);
    assert_int_equal(one.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_true(one.ratio > 14.999 && one.ratio < 15.001);
    assert_true(isnan(one.low) && isnan(one.sign_low));
}
