/* tests/unit/host/analysis/test_steady_runs.c */
#include "host/analysis/steady_runs.h"

#include "host/analysis/attribution.h"
#include "host/analysis/random.h"
#include "host/analysis/steadiness.h"
#include "tests/support/test.h"

/* Declared warm-up, then measured runs of which the first ones are warm-up still; a warm-up run
 * after a switch of variants does not count. */
TEST(measured_runs_that_warm_up_are_counted)
{
    struct sl_random random = {6};
    struct sl_attribution_run runs[65] = {{.run = 0}};
    struct sl_attribution a = {.runs = runs, .run_count = 65, .measured_count = 59};
    struct sl_steadiness found;
    size_t warming = 0;
    for (size_t i = 0; i < 65; i++) {
        int64_t noise = (int64_t)sl_random_below(&random, 20001) - 10000;
        int64_t value = (i < 15 ? 1500000 : 1000000) + noise;
        runs[i] = (struct sl_attribution_run){.run = (uint32_t)i, .end_to_end = value};
        runs[i].warmup = i < 5 || i == 40;
    }
    runs[40].end_to_end = 9000000;
    assert_int_equal(sl_steadiness_of_runs(&a, &found, &warming), 0);
    assert_int_equal(found.state, SL_STEADINESS_STEADY);
    assert_int_equal(found.from, 15);
    assert_int_equal(warming, 10);
    a.run_count = 0;
    assert_int_equal(sl_steadiness_of_runs(&a, &found, &warming), 0);
    assert_int_equal(found.state, SL_STEADINESS_UNKNOWN);
}
