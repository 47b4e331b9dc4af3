/* tests/unit/host/job/test_keeper.c */
#include "host/job/keeper.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    struct sl_keeper *keeper;
    int stops, starts;
    bool keeper_closed, store_closed;
};

static void on_stopped(void *user, bool stopped)
{
    struct bench *bench = user;
    bench->stops += stopped;
    bench->starts += !stopped;
}

/* Runs 1 and 2 of one series, from two days ago and from now; the files of the first. */
static void open_bench(struct bench *bench, const struct sl_keeper_options *wanted)
{
    struct sl_keeper_options options = *wanted;
    struct sl_diag diag = {0};
    char text[1024];
    struct sl_database *db = NULL;
    unsigned long long now = sl_clock_utc_ms();
    memset(bench, 0, sizeof(*bench));
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    snprintf(text, sizeof(text),
             "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, model_sha256, "
             "device, verdict, ratio, series, directory) VALUES (1,1,%llu,0,4,'toy','','phone','',"
             "2,'a','runs/2026-11-01/101010.123-1'), (2,2,%llu,0,4,'toy','','phone','',2,'a','')",
             now - 2ull * 86400000, now);
    assert_int_equal(sl_database_exec(db, text), 0);
    sl_database_close(db);
    snprintf(text, sizeof(text), "mkdir -p %s/runs/2026-11-01/101010.123-1/streams", store_folder);
    assert_int_equal(system(text), 0);
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, NULL, &bench->store, &diag), 0);
    options.store = bench->store;
    options.state_dir = store_folder;
    options.stopped = on_stopped;
    options.user = bench;
    assert_int_equal(sl_keeper_new(&bench->loop, &options, &bench->keeper), 0);
}

static void on_store_closed(void *user)
{
    ((struct bench *)user)->store_closed = true;
}

static void on_keeper_closed(void *user)
{
    struct bench *bench = user;
    bench->keeper_closed = true;
    sl_store_close(bench->store, on_store_closed, bench);
}

static void close_bench(struct bench *bench)
{
    sl_keeper_close(bench->keeper, on_keeper_closed, bench);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_true(bench->keeper_closed && bench->store_closed);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static bool has_files(void)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/runs/2026-11-01/101010.123-1", store_folder);
    return access(path, F_OK) == 0;
}

STORE_TEST(a_run_past_its_age_goes_with_its_files_and_the_newest_of_its_series_stays)
{
    struct bench bench;
    open_bench(&bench,
               &(struct sl_keeper_options){.rules = {.newest = 1}, .days = 1, .every_seconds = 1});
    assert_true(has_files());
    while (sl_keeper_report(bench.keeper).expired == 0)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_false(has_files());
    close_bench(&bench);
    assert_store_rows("SELECT id FROM runs", "[[2]]");
}

STORE_TEST(a_keeper_that_is_closed_in_the_middle_of_a_round_ends)
{
    struct bench bench;
    open_bench(&bench, &(struct sl_keeper_options){.rules = {.per_series = 1}, .every_seconds = 1});
    for (uint64_t began = uv_now(&bench.loop); uv_now(&bench.loop) - began < 1000;)
        uv_run(&bench.loop, UV_RUN_ONCE);
    close_bench(&bench);
}

STORE_TEST(a_disk_without_its_reserve_is_full_and_says_so_and_the_rules_are_looked_at_at_once)
{
    struct bench bench;
    char why[SL_KEEPER_WHY_BYTES];
    open_bench(&bench, &(struct sl_keeper_options){.limits = {.reserve_bytes = UINT64_C(1) << 60},
                                                   .rules = {.newest = 1},
                                                   .days = 1,
                                                   .every_seconds = 3600});
    assert_true(sl_keeper_is_full(bench.keeper, 0, why));
    assert_non_null(strstr(why, "in reserve"));
    assert_int_equal(bench.stops, 1);
    while (sl_keeper_report(bench.keeper).expired == 0)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_true(sl_keeper_is_full(bench.keeper, 0, why));
    assert_int_equal(bench.stops, 1);
    assert_int_equal(bench.starts, 0);
    close_bench(&bench);
}

STORE_TEST(a_state_that_has_its_budget_is_full_until_it_has_room_again)
{
    struct bench bench;
    char why[SL_KEEPER_WHY_BYTES], path[160];
    static const char ballast[2 << 20] = "x";
    snprintf(path, sizeof(path), "%s/ballast", store_folder);
    assert_int_equal(sl_buf_write_file(path, ballast, sizeof(ballast)), 0);
    open_bench(&bench, &(struct sl_keeper_options){.limits = {.budget_bytes = 2 << 20}});
    assert_false(sl_keeper_is_full(bench.keeper, 0, why)); /* it is not measured yet */
    while (bench.stops == 0)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_true(sl_keeper_is_full(bench.keeper, 0, why));
    assert_non_null(strstr(why, "its budget is 2 MiB"));
    assert_true(sl_keeper_report(bench.keeper).state_bytes >= 2 << 20);
    assert_int_equal(unlink(path), 0);
    while (bench.starts == 0)
        uv_run(&bench.loop, UV_RUN_ONCE);
    assert_false(sl_keeper_is_full(bench.keeper, 0, why));
    close_bench(&bench);
}

/* The keeper counts an upload before it is here, so that it cannot use up the reserve. */
STORE_TEST(what_would_not_leave_the_reserve_is_not_let_in)
{
    struct bench bench;
    char why[SL_KEEPER_WHY_BYTES];
    open_bench(&bench, &(struct sl_keeper_options){.limits = {.reserve_bytes = 1 << 20}});
    assert_false(sl_keeper_is_full(bench.keeper, 1, why));
    assert_true(sl_keeper_is_full(bench.keeper, UINT64_C(1) << 60, why));
    assert_non_null(strstr(why, "with these 1099511627776 MiB 0 MiB of the disk are free"));
    assert_false(sl_keeper_is_full(bench.keeper, 0, why));
    assert_int_equal(bench.stops, 0);
    close_bench(&bench);
}

STORE_TEST(what_was_let_in_counts_until_it_came)
{
    static const uint64_t many = UINT64_C(1) << 60;
    struct bench bench;
    char why[SL_KEEPER_WHY_BYTES];
    open_bench(&bench, &(struct sl_keeper_options){.limits = {.reserve_bytes = 1 << 20}});
    sl_keeper_await(bench.keeper, many);
    assert_true(sl_keeper_is_full(bench.keeper, 1, why));
    assert_non_null(strstr(why, "with these and what is on its way, in all 1099511627776 MiB 0 "
                                "MiB of the disk are free"));
    assert_false(sl_keeper_is_full(bench.keeper, 0, why)); /* the disk has room now */
    sl_keeper_came(bench.keeper, many);
    assert_false(sl_keeper_is_full(bench.keeper, 1, why));
    close_bench(&bench);
}
