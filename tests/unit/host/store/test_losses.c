/* tests/unit/host/store/test_losses.c */
#include "host/store/losses.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/numbers.h"
#include "host/store/schema.h"
#include "host/store/sqlite.h"
#include "tests/support/store_folder.h"

#define JOB STORE_INSERT_JOB "VALUES (NULL,2,0,0,0,1,0,0,0,0,0,'','','','{}',NULL,'')"
#define RUN                                                                                        \
    "INSERT INTO runs (job, started_ms, ended_ms, device_kind, model, model_sha256, device, "      \
    "verdict, ratio, directory) VALUES (1,0,0,0,'','','','',0,'')"

static void make_up(struct sl_numbers *out)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    assert_int_equal(sl_losses_make_up(db, store_path, out, &diag), 0);
    sl_database_close(db);
}

/* The numbers that rows get which are added now. */
static void add_rows(sqlite3_int64 out[2])
{
    static const char *const rows[2] = {JOB, RUN};
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sl_database_exec(db, rows[i]), 0);
        out[i] = sqlite3_last_insert_rowid(sl_sqlite_handle(db));
    }
    sl_database_close(db);
}

STORE_TEST(a_new_database_goes_on_after_the_numbers_beside_it)
{
    struct sl_numbers numbers;
    sqlite3_int64 given[2];
    make_up(&numbers);
    assert_int_equal(sl_numbers_raise(&numbers, 41, 17), 0);
    sl_numbers_close(&numbers);
    make_up(&numbers);
    assert_int_equal(numbers.jobs, 41);
    assert_int_equal(numbers.runs, 17);
    sl_numbers_close(&numbers);
    add_rows(given);
    assert_int_equal(given[0], 42);
    assert_int_equal(given[1], 18);
}

STORE_TEST(numbers_beside_a_whole_database_follow_it)
{
    struct sl_numbers numbers;
    sqlite3_int64 given[2];
    add_rows(given);
    add_rows(given);
    make_up(&numbers);
    assert_int_equal(numbers.jobs, 2);
    assert_int_equal(numbers.runs, 2);
    sl_numbers_close(&numbers);
}

STORE_TEST(a_directory_tells_a_job_that_nothing_else_does)
{
    struct sl_numbers numbers;
    sqlite3_int64 given[2];
    char command[160];
    snprintf(command, sizeof(command), "mkdir -p %s/runs/2026-11-23/101010.123-77", store_folder);
    assert_int_equal(system(command), 0);
    make_up(&numbers);
    assert_int_equal(numbers.jobs, 77);
    sl_numbers_close(&numbers);
    add_rows(given);
    assert_int_equal(given[0], 78);
}
