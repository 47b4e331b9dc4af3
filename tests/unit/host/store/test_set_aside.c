/* tests/unit/host/store/test_set_aside.c */
#include "host/store/set_aside.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/row_copy.h"
#include "host/store/schema.h"
#include "host/store/statement.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/store_folder.h"

enum { PAGE_BYTES = 4096, ROWS = 500 };

static void run_sql(struct sl_database *db, const char *sql)
{
    assert_int_equal(sl_database_exec(db, sql), 0);
}

static int count(struct sl_database *db, const char *sql)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    assert_int_equal(sl_statement_step(&statement), 1);
    int value = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return value;
}

static void fill(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    run_sql(db, STORE_INSERT_JOB "VALUES (5,0,0,0,0,1,0,0,0,0,0,'','','','{}','key','')");
    run_sql(db, "INSERT INTO tokens VALUES (2,1,1,0,'ci','abc','',0)");
    run_sql(db, "INSERT INTO job_groups VALUES (3,'nightly','ci',1)");
    run_sql(db, "INSERT INTO audit VALUES (9,1,'ci','POST','/api/v1/jobs',201)");
    sl_database_close(db);
}

static void damage_page(long page)
{
    char bytes[PAGE_BYTES];
    memset(bytes, 0xa5, sizeof(bytes));
    FILE *file = fopen(store_path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, page * PAGE_BYTES, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
    fclose(file);
}

/* Overwrites the root page of a table. */
static void damage(const char *table)
{
    char sql[96];
    snprintf(sql, sizeof(sql), "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    struct sl_database *db = open_sqlite_file(store_path);
    int root = count(db, sql);
    sl_database_close(db);
    damage_page(root - 1);
}

/* Overwrites the pages that hold the words. */
static void damage_words(const char *words)
{
    struct sl_buf bytes;
    bool found = false;
    assert_int_equal(sl_buf_read_file(store_path, 64 << 20, &bytes), 0);
    for (size_t at = 0; at + strlen(words) <= bytes.size; at++) {
        if (memcmp(bytes.data + at, words, strlen(words)) == 0) {
            damage_page((long)(at / PAGE_BYTES));
            found = true;
        }
    }
    sl_buf_fini(&bytes);
    assert_true(found);
}

STORE_TEST(what_can_be_read_of_a_damaged_store_is_taken_over)
{
    static const char *const tables[] = {"runs", "jobs", "tokens"};
    for (int i = 0; i < 3; i++) {
        struct sl_diag diag = {0};
        struct sl_database *db = NULL;
        unlink(store_path);
        fill();
        damage(tables[i]);
        assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.hint, "--rebuild"));
        assert_int_equal(sl_set_aside(store_path, &diag), 0);
        assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
        assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs WHERE idempotency_key = 'key'"),
                         i != 1);
        assert_int_equal(count(db, "SELECT COUNT(*) FROM tokens WHERE name = 'ci'"), i != 2);
        assert_int_equal(count(db, "SELECT COUNT(*) FROM job_groups WHERE id = 3"), 1);
        assert_int_equal(count(db, "SELECT COUNT(*) FROM audit WHERE id = 9"), 1);
        sl_database_close(db);
    }
}

STORE_TEST(a_file_that_is_no_database_is_set_aside_whole)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    char command[256];
    snprintf(command, sizeof(command), "echo not a database at all, and long enough > %s",
             store_path);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_set_aside(store_path, &diag), 0);
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs"), 0);
    sl_database_close(db);
    snprintf(command, sizeof(command), "grep -q 'not a database' %s.damaged-*", store_path);
    assert_int_equal(system(command), 0);
}

STORE_TEST(what_failed_or_was_stopped_can_be_done_again)
{
    struct sl_diag diag = {0};
    char numbers[128], command[256];
    struct sl_database *db = NULL;
    fill();
    damage("runs");
    snprintf(command, sizeof(command), "echo the start of one > %s.rebuilt", store_path);
    assert_int_equal(system(command), 0);
    snprintf(numbers, sizeof(numbers), "%s-numbers", store_path);
    assert_int_equal(mkdir(numbers, 0700), 0);
    assert_true(sl_set_aside(store_path, &diag) < 0);
    assert_string_equal(diag.where, numbers);
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), SL_E_FORMAT); /* as it was */
    assert_int_equal(rmdir(numbers), 0);
    assert_int_equal(sl_set_aside(store_path, &diag), 0);
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs WHERE idempotency_key = 'key'"), 1);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM tokens WHERE name = 'ci'"), 1);
    sl_database_close(db);
    snprintf(command, sizeof(command), "test $(ls %s | wc -l) -eq 3", store_folder);
    assert_int_equal(system(command), 0);
}

/* Many of each; the directory of run 7 alone is there, and tells another model than its row. */
static void fill_many(void)
{
    static const char rows[] =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT "
        "INTO runs (id, job, started_ms, ended_ms, device_kind, model, model_sha256, device, "
        "verdict, ratio, directory, series) SELECT i, i, 0, 0, 0, 'run <' || i || '>', '', '', "
        "'faster', i / 2.0, 'runs/2026-11-23/101010.123-' || i, '' FROM n;" STORE_INSERT_JOB
        "SELECT id, 2,0,0,0,1,0,0,0,id,0,'','','','{\"job\":\"<'||id||'>\"}',"
        "'key' || id, '' FROM runs;";
    struct sl_diag diag = {0};
    char command[160];
    struct sl_database *db = NULL;
    snprintf(command, sizeof(command), "mkdir -p %s/runs/2026-11-23/101010.123-7/streams",
             store_folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    run_sql(db, rows);
    assert_int_equal(sl_row_copy_write(db, 7), 0);
    run_sql(db, "UPDATE runs SET model = 'of the row' WHERE id = 7");
    sl_database_close(db);
}

STORE_TEST(a_damaged_page_takes_its_own_rows_alone)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    fill_many();
    damage_words("run <250>");
    damage_words("<300>\"}");
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), SL_E_FORMAT);
    assert_int_equal(sl_set_aside(store_path, &diag), 0);
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM runs WHERE id = 250"), 0);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs WHERE id = 300"), 0);
    assert_in_range(count(db, "SELECT COUNT(*) FROM runs"), ROWS - 100, ROWS - 1);
    assert_in_range(count(db, "SELECT COUNT(*) FROM jobs"), ROWS - 100, ROWS - 1);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM runs WHERE id IN (1, 500) AND job = id AND "
                               "ratio = id / 2.0 AND verdict = 'faster'"),
                     2);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs WHERE id IN (1, 500) AND run = id AND "
                               "idempotency_key = 'key' || id"),
                     2);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM runs WHERE job = 7 AND model = 'run <7>'"), 1);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM runs WHERE job = 7"), 1);
    sl_database_close(db);
}

STORE_TEST(rows_of_an_earlier_version_are_taken_over_too)
{
    struct sl_diag diag = {0};
    fill_many();
    struct sl_database *db = open_sqlite_file(store_path);
    run_sql(
        db,
        "UPDATE jobs SET config = '{\"model\":\"m\"}' WHERE id = 8; UPDATE runs SET exit_code = 3;"
        "DROP TRIGGER runs_go_on; DROP TRIGGER runs_come_back; DROP VIEW series_taken_over; DROP "
        "INDEX runs_former; ALTER TABLE "
        "runs DROP COLUMN former_series;"
        "ALTER TABLE runs DROP COLUMN host; ALTER TABLE runs DROP COLUMN labelled; ALTER TABLE "
        "runs DROP COLUMN pinned;"
        "ALTER TABLE runs DROP COLUMN runtime; ALTER TABLE runs DROP COLUMN candidate;"
        "ALTER TABLE runs DROP COLUMN baseline;"
        "DROP TABLE job_groups; DROP TABLE audit; PRAGMA user_version = 3");
    sl_database_close(db);
    damage("tokens");
    assert_int_equal(sl_set_aside(store_path, &diag), 0);
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM runs WHERE baseline = 0 AND exit_code = 3"),
                     ROWS - 1);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM runs WHERE runtime = 'own' AND job = 8"), 1);
    assert_int_equal(count(db, "SELECT seq FROM sqlite_sequence WHERE name = 'runs'"), ROWS);
    sl_database_close(db);
}
