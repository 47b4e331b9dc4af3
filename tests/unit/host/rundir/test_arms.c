/* tests/unit/host/rundir/test_arms.c */
#include "host/rundir/arms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/gain.h"
#include "host/rundir/compared.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

static const struct sl_comparison_options options = {.seed = 1, .noise_floor = NAN};

static int begin_two(void **state)
{
    static void *both[2];
    *state = both;
    return sl_run_case_begin_finished(&both[0]) || sl_run_case_begin_finished(&both[1]);
}

static int end_two(void **state)
{
    void **both = *state;
    return sl_run_case_end(&both[0]) || sl_run_case_end(&both[1]);
}

/* Compares arm `level` of both folders and finds the rest. */
static struct sl_compared *compare(struct sl_run_case **cases, int level, struct sl_arms *arms)
{
    struct sl_compared *compared = sl_calloc(1, sizeof(*compared));
    struct sl_diag diag = {.what = ""};
    for (int i = 0; i < 2; i++) {
        const struct sl_compared_source source = {cases[i]->folder, NULL, level};
        assert_int_equal(sl_compared_open(compared, i, &source, &cases[i]->categories, &diag), 0);
    }
    assert_int_equal(sl_compared_make(compared, SL_COMPARED_FIND_FACTOR, &options, &diag), 0);
    assert_int_equal(sl_arms_find(compared, NULL, &options, &cases[0]->categories, arms, &diag), 0);
    return compared;
}

TEST_WITH(two_builds_are_compared_by_their_other_arm_too, begin_two, end_two)
{
    struct sl_run_case **cases = *state;
    struct sl_arms arms;
    struct sl_compared *compared = compare(cases, 1, &arms);
    assert_true(arms.has_arm);
    assert_int_equal(arms.level, 0);
    assert_true(fabs(arms.arm.ratio - 1) < 1e-9);
    assert_false(arms.has_gain); /* three pairs tell no ratio */
    sl_compared_close(compared);
    sl_free(compared);
}

TEST_WITH(one_directory_has_no_other_arm, begin_two, end_two)
{
    struct sl_run_case **cases = *state;
    struct sl_run_case *same[2] = {cases[0], cases[0]};
    struct sl_arms arms;
    struct sl_compared *compared = compare(same, 1, &arms);
    assert_false(arms.has_arm || arms.has_gain);
    sl_compared_close(compared);
    sl_free(compared);
}
