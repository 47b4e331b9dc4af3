/* tests/unit/host/analysis/test_comparison.c */
#include "host/analysis/comparison.h"

#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/scalar_type.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/attribution.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/random.h"
#include "host/analysis/verdict.h"
#include "tests/support/test.h"

enum { MAX_RUNS = 64 };

/* An attribution without operators: only runs are compared. */
struct side {
    struct sl_attribution a;
    struct sl_attribution_run runs[MAX_RUNS];
};

static void side_init(struct side *side, int unit, bool paired)
{
    *side = (struct side){.a = {.unit = unit, .by_origin = paired, .traced = paired}};
    side->a.runs = side->runs;
}

/* A run whose time is half convolution, half framework. */
static void add_run(struct side *side, uint32_t pair, bool warmup, int64_t total)
{
    struct sl_attribution_run *run = &side->runs[side->a.run_count++];
    *run = (struct sl_attribution_run){.pair = pair, .warmup = warmup, .end_to_end = total};
    run->categories[SL_CATEGORY_CONV] = total / 2;
    run->categories[SL_CATEGORY_FRAMEWORK] = total - total / 2;
    side->a.measured_count += !warmup;
}

static struct sl_comparison compare(const struct side *baseline, const struct side *candidate,
                                    const struct sl_agreement *agreement)
{
    struct sl_comparison c;
    struct sl_comparison_options options = {
        .seed = 7, .iterations = 2000, .noise_floor = NAN, .agreement = agreement};
    assert_int_equal(sl_comparison_make(&baseline->a, &candidate->a, &options, &c), 0);
    return c;
}

/* `pairs` pairs off, on under a drift of 1 % a pair and noise of some 2 %, true ratio as given. */
static void interleave(struct side *off, struct side *on, unsigned pairs, double true_ratio,
                       uint64_t seed)
{
    struct sl_random random = {seed};
    side_init(off, SL_TRACE_NS, true);
    side_init(on, SL_TRACE_NS, true);
    for (unsigned i = 0; i < pairs; i++) {
        double drift = 1e6 * (1.0 + 0.01 * i);
        double x = 1.0 + 0.0004 * ((double)sl_random_below(&random, 101) - 50);
        double y = 1.0 + 0.0004 * ((double)sl_random_below(&random, 101) - 50);
        add_run(off, i, true, 9000000); /* a warm-up that must not count */
        add_run(off, i, false, (int64_t)(drift * x));
        add_run(on, i, false, (int64_t)(drift * y / true_ratio));
    }
}

/* Three processes whose offsets are larger than any pair's noise: pairs of one say nothing of it.
 */
TEST(processes_are_the_sample_where_there_are_several)
{
    static const double offsets[] = {1.00, 1.03, 0.98};
    struct sl_time_pair pairs[60];
    struct sl_comparison c;
    const struct sl_comparison_options options = {
        .seed = 7, .iterations = 1000, .noise_floor = NAN};
    for (uint32_t i = 0; i < 60; i++)
        pairs[i] =
            (struct sl_time_pair){1e6 * offsets[i / 20] * (1 + 0.001 * (i % 3)), 1e6, i / 20};
    assert_int_equal(sl_comparison_make_pairs(pairs, 60, &options, &c), 0);
    assert_string_equal(sl_comparison_method_name(c.method), "processes");
    assert_int_equal(c.blocks, 3);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_true(c.low < 0.98 && c.high > 1.03);
    for (uint32_t i = 0; i < 60; i++)
        pairs[i].baseline *= 2;
    assert_int_equal(sl_comparison_make_pairs(pairs, 60, &options, &c), 0);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_int_equal(sl_verdict_gate(&c, 0.05), SL_GATE_PASSED);
}

TEST(pairs_find_the_ratio_under_drift)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 24, 1.5, 1);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.method, SL_METHOD_PAIRED);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_int_equal(c.blocks, 24);
    assert_true(c.low < 1.5 && 1.5 < c.high && c.high - c.low < 0.05);
    assert_true(c.low <= c.ratio && c.ratio <= c.high);
    assert_string_equal(sl_comparison_method_name(c.method), "paired-block-bootstrap");
    double delta = 0;
    double base = 0;
    double cand = 0;
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        delta += c.categories[k].delta;
        base += c.categories[k].baseline;
        cand += c.categories[k].candidate;
        assert_true(c.categories[k].delta_low <= c.categories[k].delta_high);
    }
    assert_true(fabs(delta - (cand - base)) < 1e-6);
    sl_comparison_fini(&c);
}

TEST(interval_covers_the_true_ratio_as_often_as_it_says)
{
    unsigned covered = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct side off;
        struct side on;
        interleave(&off, &on, 20, 1.25, 1000 + seed);
        struct sl_comparison c = compare(&off, &on, NULL);
        covered += c.low <= 1.25 && 1.25 <= c.high;
        sl_comparison_fini(&c);
    }
    assert_true(covered >= 182); /* 95 % of 200 less two standard deviations, rounded down */
}

TEST(the_same_seed_gives_the_same_bits)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 21, 1.1, 3);
    struct sl_comparison a = compare(&off, &on, NULL);
    struct sl_comparison b = compare(&off, &on, NULL);
    assert_true(a.low == b.low && a.high == b.high && a.ratio == b.ratio);
    assert_memory_equal(a.categories, b.categories, sizeof(a.categories));
    sl_comparison_fini(&a);
    sl_comparison_fini(&b);
}

TEST(equal_variants_are_equivalent)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 30, 1.0, 4);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_true(c.verdict == SL_VERDICT_EQUIVALENT || c.verdict == SL_VERDICT_INCONCLUSIVE);
    assert_true(c.low < 1 && c.high > 1);
    sl_comparison_fini(&c);
}

/* All come from the same resamples: the parts' intervals lie around theirs, and the whole's around
 * the sum. */
TEST(categories_and_their_intervals_belong_to_one_whole)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 24, 1.5, 1);
    struct sl_comparison c = compare(&off, &on, NULL);
    double delta = 0;
    double shares[2] = {0, 0};
    for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
        const struct sl_category_shift *s = &c.categories[k];
        delta += s->delta;
        shares[0] += s->share_baseline;
        shares[1] += s->share_candidate;
        assert_true(s->delta_low <= s->delta && s->delta <= s->delta_high);
        assert_true(s->share_low[0] <= s->share_baseline + 1e-12);
        assert_true(s->share_baseline <= s->share_high[0] + 1e-12);
        assert_true(s->share_low[1] <= s->share_candidate + 1e-12);
        assert_true(s->share_candidate <= s->share_high[1] + 1e-12);
    }
    assert_true(fabs(delta - (c.whole_candidate - c.whole_baseline)) < 1e-6);
    assert_true(fabs(shares[0] - 1) < 1e-12 && fabs(shares[1] - 1) < 1e-12);
    assert_true(c.whole_low < delta && delta < c.whole_high && c.whole_high < 0);
    sl_comparison_fini(&c);
}

TEST(change_below_the_noise_floor_is_no_verdict)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 30, 1.05, 5);
    struct sl_comparison c;
    struct sl_comparison_options options = {.seed = 7, .iterations = 2000, .noise_floor = NAN};
    assert_int_equal(sl_comparison_make(&off.a, &on.a, &options, &c), 0);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_true(c.detectable > 0.001 && c.detectable < 0.05);
    sl_comparison_fini(&c);
    options.noise_floor = 0.07;
    assert_int_equal(sl_comparison_make(&off.a, &on.a, &options, &c), 0);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(c.reasons[0], "below this device's noise floor, 7 %: cannot tell"));
    assert_int_equal(sl_verdict_gate(&c, 0.03), SL_GATE_OPEN);
    sl_comparison_fini(&c);
}

TEST(looking_repeatedly_widens_the_interval)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 30, 1.2, 6);
    struct sl_comparison once = compare(&off, &on, NULL);
    struct sl_comparison looked;
    struct sl_comparison_options options = {
        .seed = 7, .iterations = 2000, .noise_floor = NAN, .looks = 2};
    assert_int_equal(sl_comparison_make(&off.a, &on.a, &options, &looked), 0);
    assert_true(looked.low < once.low && looked.high > once.high && looked.ratio == once.ratio);
    sl_comparison_fini(&once);
    sl_comparison_fini(&looked);
}

TEST(slower_candidate_has_a_ratio_below_one)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 24, 0.8, 5);
    struct sl_comparison c = compare(&off, &on, NULL); /* AD-06: off / on, in every table */
    assert_int_equal(c.verdict, SL_VERDICT_SLOWER);
    assert_true(c.ratio < 0.85);
    sl_comparison_fini(&c);
}

TEST(pairs_below_twenty_are_judged_by_their_signs)
{
    struct side off;
    struct side on;
    interleave(&off, &on, 10, 3.0, 6);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_non_null(strstr(c.reasons[0], "only 10 pairs"));
    assert_true(c.low == c.sign_low && c.high == c.sign_high);
    sl_comparison_fini(&c);
    interleave(&off, &on, 5, 3.0, 6);
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(c.reasons[0], "only 5 pairs"));
    assert_true(isnan(c.low) && isnan(c.high)); /* what five resample covers too little */
    sl_comparison_fini(&c);
}

/* `n` runs a side, one side after the other, each with noise of some 1 % and a drift of its own. */
static void measure_apart(struct side *off, struct side *on, unsigned n, double true_ratio,
                          double drift)
{
    struct sl_random random = {18};
    side_init(off, SL_TRACE_NS, false);
    side_init(on, SL_TRACE_NS, false);
    for (unsigned i = 0; i < 2 * n; i++) {
        double noise = 1.0 + 0.0002 * ((double)sl_random_below(&random, 101) - 50);
        double time = 1e6 * noise * (1.0 + drift * i);
        if (i < n)
            add_run(off, UINT32_MAX, false, (int64_t)time);
        else
            add_run(on, UINT32_MAX, false, (int64_t)(time / true_ratio));
    }
}

TEST(unpaired_sides_are_judged_where_they_are_steady_and_far_apart)
{
    struct side off;
    struct side on;
    measure_apart(&off, &on, 24, 2.0, 0);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_true(c.low < 2.0 / 1.07 && 2.0 * 1.07 < c.high);
    sl_comparison_fini(&c);
    measure_apart(&off, &on, 24, 1.05, 0); /* two processes may differ by so much */
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_true(c.low < 1 && 1.05 < c.high);
    const struct sl_category_shift *conv = &c.categories[SL_CATEGORY_CONV];
    assert_true(conv->delta < 0 && conv->delta_high > 0);
    sl_comparison_fini(&c);
}

TEST(unpaired_sides_that_drift_are_unfit)
{
    struct side off;
    struct side on;
    measure_apart(&off, &on, 24, 2.0, 0.005);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    bool said = false;
    for (size_t i = 0; i < c.reason_count; i++)
        said = said || strstr(c.reasons[i], "drifts by");
    assert_true(said);
    sl_comparison_fini(&c);
}

/* A device that throttles while the candidate is measured: resampled, its later level alone would
 * be the candidate's. */
TEST(unfit_sides_show_what_their_runs_leave_possible)
{
    struct side off;
    struct side on;
    measure_apart(&off, &on, 20, 1.0, 0);
    for (size_t i = 8; i < 20; i++)
        on.runs[i].end_to_end = on.runs[i].end_to_end * 5 / 4;
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    assert_true(c.ratio < 0.85 && c.low < c.ratio && c.low < 0.75 && c.high > 1.07);
    assert_true(isnan(c.whole_low) && isnan(c.categories[SL_CATEGORY_CONV].delta_low));
    sl_comparison_fini(&c);
}

TEST(few_unpaired_runs_are_judged_where_every_run_says_the_same)
{
    struct side off;
    struct side on;
    measure_apart(&off, &on, 8, 1.5, 0);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_int_equal(sl_verdict_gate(&c, 0.05), SL_GATE_PASSED);
    sl_comparison_fini(&c);
    measure_apart(&off, &on, 19, 1 / 1.5, 0);
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_SLOWER);
    assert_int_equal(sl_verdict_gate(&c, 0.05), SL_GATE_FAILED);
    sl_comparison_fini(&c);
    measure_apart(&off, &on, 5, 1.5, 0);
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_int_equal(sl_verdict_gate(&c, 0.05), SL_GATE_OPEN);
    sl_comparison_fini(&c);
}

TEST(a_gate_is_monotone_and_tells_what_it_cannot_tell)
{
    struct side off;
    struct side on;
    const double slower[] = {1.0, 1.02, 1.05, 1.08, 1.2};
    static const int gates[] = {SL_GATE_PASSED, SL_GATE_PASSED, SL_GATE_OPEN, SL_GATE_FAILED,
                                SL_GATE_FAILED};
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
        interleave(&off, &on, 30, 1 / slower[i], 3);
        struct sl_comparison c = compare(&off, &on, NULL);
        assert_int_equal(sl_verdict_gate(&c, 0.05), gates[i]);
        sl_comparison_fini(&c);
    }
}

TEST(counted_runs_compare_exactly)
{
    struct side off;
    struct side on;
    side_init(&off, SL_TRACE_INSTRUCTIONS, true);
    side_init(&on, SL_TRACE_INSTRUCTIONS, true);
    for (uint32_t i = 0; i < 2; i++) {
        add_run(&off, i, false, 1000001);
        add_run(&on, i, false, 1000000);
    }
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.method, SL_METHOD_EXACT);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER); /* one instruction is a difference */
    assert_true(c.baseline == 1000001 && c.candidate == 1000000);
    assert_true(isnan(c.low) && isnan(c.high) && c.iterations == 0);
    sl_comparison_fini(&c);
    off.runs[0].end_to_end = off.runs[1].end_to_end = 1000000;
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_EQUIVALENT);
    sl_comparison_fini(&c);
    off.runs[1].end_to_end = 1000003;
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    assert_non_null(strstr(c.reasons[0], "differ by 3 instructions"));
    sl_comparison_fini(&c);
}

TEST(sides_of_different_kinds_are_incomparable)
{
    struct side off;
    struct side on;
    side_init(&off, SL_TRACE_NS, false);
    side_init(&on, SL_TRACE_INSTRUCTIONS, false);
    add_run(&off, 0, false, 10);
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
    assert_int_equal(c.reason_count, 2); /* the units, and a side without a run */
    assert_true(isnan(c.ratio));
    sl_comparison_fini(&c);
    side_init(&on, SL_TRACE_NS, false);
    add_run(&on, 0, false, 0);
    c = compare(&off, &on, NULL);
    assert_int_equal(c.verdict, SL_VERDICT_INCOMPARABLE);
    assert_non_null(strstr(c.reasons[0], "candidate took no time"));
    sl_comparison_fini(&c);
}

TEST(differing_outputs_are_wrong_however_fast)
{
    struct side off;
    struct side on;
    struct sl_agreement agreement;
    const float a[] = {1.0f, -2.0f, 0.5f};
    const float b[] = {1.0f, -2.0f, 0.501f};
    const struct sl_bytes x = {(const uint8_t *)a, sizeof(a)};
    const struct sl_bytes y = {(const uint8_t *)b, sizeof(b)};
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &(struct sl_output_type){.scalar_type = SL_SCALAR_FLOAT}, x, y);
    assert_false(agreement.agree);
    assert_true(fabs(agreement.max_rel - 0.0005) < 1e-6);
    interleave(&off, &on, 24, 3.0, 9);
    struct sl_comparison c = compare(&off, &on, &agreement);
    assert_int_equal(c.verdict, SL_VERDICT_WRONG);
    assert_string_equal(sl_verdict_name(&c), "wrong");
    sl_comparison_fini(&c);
}

TEST(medians_are_right_for_every_order)
{
    struct sl_random random = {11};
    for (unsigned round = 0; round < 3000; round++) {
        double values[33];
        size_t n = 1 + sl_random_below(&random, 33);
        for (size_t i = 0; i < n; i++)
            values[i] = (double)sl_random_below(&random, 12);
        double median = sl_median_in_place(values, n);
        size_t below = 0;
        size_t above = 0;
        for (size_t i = 0; i < n; i++) {
            below += values[i] < median;
            above += values[i] > median;
        }
        assert_true(below <= n / 2 && above <= n / 2);
    }
}

TEST(operators_pair_up_by_place_across_their_names)
{
    static struct sl_operator off_ops[] = {{.name = "F32 GEMM", .name_len = 8, .total = 90},
                                           {.name = "Add", .name_len = 3, .total = 10}};
    static struct sl_operator on_ops[] = {{.name = "Add", .name_len = 3, .total = 12},
                                          {.name = "PF32 GEMM", .name_len = 9, .total = 8}};
    static struct sl_position off_places[] = {{.operator_index = 0, .total = 50},
                                              {.operator_index = 1, .total = 10},
                                              {.operator_index = 0, .total = 40}};
    static struct sl_position on_places[] = {{.operator_index = 1, .total = 5},
                                             {.operator_index = 0, .total = 12},
                                             {.operator_index = 1, .total = 3}};
    struct side off;
    struct side on;
    side_init(&off, SL_TRACE_INSTRUCTIONS, true);
    side_init(&on, SL_TRACE_INSTRUCTIONS, true);
    add_run(&off, 0, false, 100);
    add_run(&on, 0, false, 20);
    off.a.operators = off_ops;
    on.a.operators = on_ops;
    off.a.operator_count = on.a.operator_count = 2;
    off.a.positions = off_places;
    on.a.positions = on_places;
    off.a.position_count = on.a.position_count = 3;
    struct sl_comparison c = compare(&off, &on, NULL);
    assert_int_equal(c.operator_count, 2);
    assert_ptr_equal(c.operators[0].baseline, &off_ops[0]);
    assert_ptr_equal(c.operators[0].candidate, &on_ops[1]);
    assert_true(c.operators[0].baseline_cost == 90 && c.operators[0].candidate_cost == 8);
    sl_comparison_fini(&c);
    off.a.position_count = 0; /* graphs that differ pair up by name */
    c = compare(&off, &on, NULL);
    assert_int_equal(c.operator_count, 3);
    assert_null(c.operators[0].candidate);
    assert_ptr_equal(c.operators[1].candidate, &on_ops[0]);
    assert_null(c.operators[2].baseline);
    sl_comparison_fini(&c);
}

TEST(make_survives_each_failed_allocation)
{
    struct side off;
    struct side on;
    int rc = -1;
    interleave(&off, &on, 20, 1.0, 9);
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_comparison c = {.operators = NULL};
        struct sl_comparison_options options = {.iterations = 10, .noise_floor = NAN};
        assert_true(nth < 40);
        sl_mem_fail_nth(nth);
        rc = sl_comparison_make(&off.a, &on.a, &options, &c);
        sl_comparison_fini(&c);
    }
    sl_mem_fail_nth(0);
}

TEST(counts_are_never_called_faster_or_slower)
{
    struct sl_comparison c = {.unit = SL_TRACE_INSTRUCTIONS, .verdict = SL_VERDICT_FASTER};
    assert_string_equal(sl_verdict_name(&c), "fewer-instructions");
    c.verdict = SL_VERDICT_SLOWER;
    assert_string_equal(sl_verdict_name(&c), "more-instructions");
    c.verdict = SL_VERDICT_EQUIVALENT;
    assert_string_equal(sl_verdict_name(&c), "equal");
    c.verdict = SL_VERDICT_WRONG;
    assert_string_equal(sl_verdict_name(&c), "wrong");
    c = (struct sl_comparison){.unit = SL_TRACE_NS, .verdict = SL_VERDICT_SLOWER};
    assert_string_equal(sl_verdict_name(&c), "slower");
}
