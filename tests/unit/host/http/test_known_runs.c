/* tests/unit/host/http/test_known_runs.c */
#include "host/http/known_runs.h"

#include <stdio.h>

#include "tests/support/unit.h"

static void add(struct sl_known_runs *known, uint64_t id, const char *directory, uint64_t now_ms)
{
    struct sl_run_record run = {.id = id};
    snprintf(run.directory, sizeof(run.directory), "%s", directory);
    sl_known_runs_add(known, &run, now_ms);
}

TEST(a_run_is_known_for_a_moment_and_no_longer)
{
    struct sl_known_runs known = {0};
    assert_null(sl_known_runs_find(&known, 7, 5));
    assert_null(sl_known_runs_find(&known, 0, 5));
    add(&known, 7, "runs/r7", 5);
    assert_string_equal(sl_known_runs_find(&known, 7, 5), "runs/r7");
    assert_string_equal(sl_known_runs_find(&known, 7, SL_KNOWN_RUNS_MS + 4), "runs/r7");
    assert_null(sl_known_runs_find(&known, 7, SL_KNOWN_RUNS_MS + 5));
    add(&known, 7, "runs/r7", 9000); /* the store was asked again */
    assert_non_null(sl_known_runs_find(&known, 7, 9001));
    assert_null(sl_known_runs_find(&known, 8, 9001));
}

TEST(a_removed_run_is_known_no_more)
{
    struct sl_known_runs known = {0};
    add(&known, 7, "runs/r7", 5);
    add(&known, 8, "runs/r8", 5);
    sl_known_runs_drop(&known, 7);
    sl_known_runs_drop(&known, 9);
    assert_null(sl_known_runs_find(&known, 7, 6));
    assert_string_equal(sl_known_runs_find(&known, 8, 6), "runs/r8");
}

TEST(the_oldest_gives_way_and_one_run_has_one_place)
{
    struct sl_known_runs known = {0};
    for (unsigned again = 0; again < 3; again++)
        add(&known, 1, "runs/r1", again);
    for (uint64_t id = 2; id <= SL_KNOWN_RUNS; id++)
        add(&known, id, "runs/other", 5);
    assert_non_null(sl_known_runs_find(&known, 1, 6));
    add(&known, 1000, "runs/r1000", 6);
    assert_null(sl_known_runs_find(&known, 1, 6));
    assert_non_null(sl_known_runs_find(&known, 2, 6));
    assert_string_equal(sl_known_runs_find(&known, 1000, 6), "runs/r1000");
}
