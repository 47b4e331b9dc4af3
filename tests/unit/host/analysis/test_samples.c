/* tests/unit/host/analysis/test_samples.c */
#include "host/analysis/samples.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/comparison.h"
#include "tests/support/test.h"

enum { MANY = 30 };

/* Times around `ns`, a hundredth to either side, without a trend. */
static void fill(double *out, size_t count, double ns)
{
    static const double parts[] = {0.99, 1.004, 1.0, 1.01, 0.996};
    for (size_t i = 0; i < count; i++)
        out[i] = ns * parts[(i * 3) % 5];
}

static struct sl_comparison compare(const double *a, size_t n, const double *b, size_t m)
{
    const struct sl_samples sides[2] = {{a, n}, {b, m}};
    const struct sl_comparison_options options = {.seed = 1, .noise_floor = NAN};
    struct sl_comparison found;
    assert_int_equal(sl_samples_compare(sides, &options, &found), 0);
    return found;
}

static bool has_reason(const struct sl_comparison *c, const char *words)
{
    for (size_t i = 0; i < c->reason_count; i++)
        if (strstr(c->reasons[i], words))
            return true;
    return false;
}

TEST(many_repetitions_tell_a_large_difference_also_below_a_nanosecond)
{
    double slow[MANY], fast[MANY];
    fill(slow, MANY, 0.8);
    fill(fast, MANY, 0.4);
    struct sl_comparison c = compare(slow, MANY, fast, MANY);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_int_equal(c.method, SL_METHOD_UNPAIRED);
    assert_true(fabs(c.ratio - 2) < 0.03 && c.low > 1.7 && c.high < 2.3);
    assert_true(fabs(c.baseline - 0.8) < 1e-9 && fabs(c.whole_candidate - 0.4) < 1e-9);
    sl_comparison_fini(&c);
    c = compare(fast, MANY, slow, MANY);
    assert_int_equal(c.verdict, SL_VERDICT_SLOWER);
    sl_comparison_fini(&c);
}

TEST(what_two_processes_may_differ_by_is_no_difference)
{
    double a[MANY], b[MANY];
    fill(a, MANY, 1000);
    fill(b, MANY, 1050);
    struct sl_comparison c = compare(a, MANY, b, MANY);
    assert_true(c.verdict != SL_VERDICT_SLOWER && c.verdict != SL_VERDICT_FASTER);
    assert_true(has_reason(&c, "unpaired"));
    sl_comparison_fini(&c);
}

TEST(few_repetitions_and_one_time_alone_make_no_claim)
{
    double a[MANY], b[3];
    fill(a, MANY, 1000);
    fill(b, 3, 3000);
    struct sl_comparison c = compare(a, MANY, b, 3);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_true(isnan(c.low));
    sl_comparison_fini(&c);
    c = compare(a, MANY, b, 1);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_true(has_reason(&c, "the candidate tells one time"));
    assert_false(has_reason(&c, "the baseline tells one time"));
    assert_true(isfinite(c.ratio) && isnan(c.low));
    sl_comparison_fini(&c);
    c = compare(b, 1, b, 1);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_true(has_reason(&c, "the baseline tells one time"));
    sl_comparison_fini(&c);
}

TEST(a_time_beyond_all_measure_is_refused)
{
    const double a = 1, b = 2 * SL_SAMPLES_LONGEST_NS;
    const struct sl_samples sides[2] = {{&a, 1}, {&b, 1}};
    const struct sl_comparison_options options = {.noise_floor = NAN};
    struct sl_comparison found;
    assert_int_equal(sl_samples_compare(sides, &options, &found), SL_E_LIMIT);
}

TEST(comparing_survives_each_failed_allocation)
{
    double a[MANY];
    fill(a, MANY, 10);
    const struct sl_samples sides[2] = {{a, MANY}, {a, MANY}};
    const struct sl_comparison_options options = {.seed = 1, .iterations = 100, .noise_floor = NAN};
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_comparison found;
        sl_mem_fail_nth(nth);
        rc = sl_samples_compare(sides, &options, &found);
        if (rc == 0)
            sl_comparison_fini(&found);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}
