/* tests/unit/host/store/test_run_removal.c */
#include "host/store/run_removal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "host/store/store.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

#define FOLDER "runs/2026-11-01/101010.123-1"

struct bench {
    uv_loop_t loop;
    struct sl_store *store;
    struct sl_run_record run;
    int rc; /* 1: no answer yet */
};

static void run_sql(const char *sql)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(sl_database_exec(db, sql), 0);
    sl_database_close(db);
}

static void run_shell(const char *format)
{
    char text[512];
    snprintf(text, sizeof(text), "cd %s && %s", store_folder, format);
    assert_int_equal(system(text), 0);
}

static bool is_there(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", store_folder, name);
    return access(path, F_OK) == 0;
}

/* Run 1 with its files. */
static void open_bench(struct bench *bench)
{
    struct sl_diag diag = {0};
    *bench = (struct bench){.run = {.id = 1, .directory = FOLDER}, .rc = 1};
    run_sql("INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, model_sha256, "
            "device, verdict, ratio, series, directory) VALUES "
            "(1,1,1,2,4,'toy','','phone','',2,'a','" FOLDER "')");
    run_shell("mkdir -p " FOLDER "/streams && echo row >" FOLDER "/streams/rows.json");
    assert_int_equal(uv_loop_init(&bench->loop), 0);
    assert_int_equal(sl_store_open(&bench->loop, store_path, store_root, &bench->store, &diag), 0);
}

static void on_closed(void *user)
{
    (void)user;
}

static void close_bench(struct bench *bench)
{
    sl_store_close(bench->store, on_closed, NULL);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&bench->loop), 0);
}

static void on_done(void *user, int rc)
{
    ((struct bench *)user)->rc = rc;
}

static int removed(struct bench *bench, const struct sl_store_retention *kept)
{
    bench->rc = 1;
    assert_int_equal(sl_run_removal_start(&bench->loop, bench->store, store_folder, &bench->run,
                                          kept, on_done, bench),
                     0);
    while (bench->rc == 1)
        uv_run(&bench->loop, UV_RUN_ONCE);
    return bench->rc;
}

STORE_ANY_TEST(a_removed_run_has_no_row_and_no_files_and_is_not_found_again)
{
    struct bench bench;
    open_bench(&bench);
    assert_int_equal(removed(&bench, NULL), 0);
    assert_false(is_there(FOLDER));
    assert_false(is_there("runs/removed/1"));
    assert_int_equal(removed(&bench, NULL), SL_E_NOT_FOUND);
    close_bench(&bench);
    assert_store_rows("SELECT id FROM runs", "[]");
}

/* All runs of a file are here: its directory may have had another name. */
STORE_ANY_TEST(a_run_of_another_host_of_a_server_stays_there)
{
    const struct sl_store_host here = {.name = "here", .lease_ms = 1000};
    struct bench bench;
    open_bench(&bench);
    sl_store_be_host(bench.store, &here);
    run_sql("UPDATE runs SET host = 'there'");
    if (sl_store_is_shared(bench.store)) {
        assert_int_equal(removed(&bench, NULL), SL_E_MISMATCH);
        assert_true(is_there(FOLDER));
        assert_store_rows("SELECT id FROM runs", "[[1]]");
        run_sql("UPDATE runs SET host = 'here'");
    }
    assert_int_equal(removed(&bench, NULL), 0);
    close_bench(&bench);
}

STORE_ANY_TEST(a_run_without_files_can_be_removed)
{
    struct bench bench;
    open_bench(&bench);
    run_shell("rm -r runs/*-*");
    assert_int_equal(removed(&bench, NULL), 0);
    close_bench(&bench);
}

STORE_ANY_TEST(files_that_cannot_be_moved_away_are_removed_where_they_are)
{
    struct bench bench;
    open_bench(&bench);
    run_shell("echo no folder >runs/removed");
    assert_int_equal(removed(&bench, NULL), 0);
    assert_false(is_there(FOLDER));
    close_bench(&bench);
    assert_store_rows("SELECT id FROM runs", "[]");
}

STORE_ANY_TEST(a_run_that_the_rules_keep_by_now_stays)
{
    struct bench bench;
    const struct sl_store_retention rules = {.before_ms = UINT64_C(1) << 60, .newest = 1};
    open_bench(&bench); /* it is the newest of its series: a newer one went */
    assert_int_equal(removed(&bench, &rules), -EBUSY);
    run_sql("INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, model_sha256, "
            "device, verdict, ratio, series, directory) VALUES "
            "(2,2,2,3,4,'toy','','phone','',2,'a','')");
    assert_int_equal(removed(&bench, &rules), 0);
    close_bench(&bench);
    assert_store_rows("SELECT id FROM runs", "[[2]]");
}

/* The keeper lists old runs first: a pin may come between its list and the removal. */
STORE_ANY_TEST(a_pinned_run_keeps_its_row_and_its_files)
{
    struct bench bench;
    open_bench(&bench);
    run_sql("UPDATE runs SET pinned = 1");
    assert_int_equal(removed(&bench, NULL), -EBUSY);
    assert_true(is_there(FOLDER "/streams/rows.json"));
    close_bench(&bench);
    assert_store_rows("SELECT id FROM runs", "[[1]]");
}

STORE_ANY_TEST(a_run_whose_label_is_kept_stays)
{
    struct bench bench;
    struct sl_store_retention kept = {.labels = {"branch=main"}, .label_count = 1};
    open_bench(&bench);
    run_sql("INSERT INTO labels (run, key, value) VALUES (1, 'branch', 'main')");
    assert_int_equal(removed(&bench, &kept), -EBUSY);
    assert_true(is_there(FOLDER "/streams/rows.json"));
    assert_int_equal(removed(&bench, NULL), 0); /* a person may */
    close_bench(&bench);
}

STORE_ANY_TEST(files_that_a_stopped_daemon_was_about_to_remove_go_at_the_next_start)
{
    run_shell("mkdir -p runs/removed/7/streams && echo x >runs/removed/7/streams/rows.json");
    sl_run_removal_sweep(store_folder);
    assert_false(is_there("runs/removed"));
    sl_run_removal_sweep(store_folder);
}
