/* tests/unit/host/store/test_set_aside.c */
#include "host/store/set_aside.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/error.h"
#include "host/store/schema.h"
#include "tests/support/store_folder.h"

static void run_sql(sqlite3 *db, const char *sql)
{
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static int count(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void fill(void)
{
    struct sl_diag diag = {0};
    sqlite3 *db = NULL;
    assert_int_equal(sl_schema_open(store_path, &db, &diag), 0);
    run_sql(db, "INSERT INTO jobs VALUES (5,0,0,0,0,1,0,0,0,0,0,'','','','{}','key')");
    run_sql(db, "INSERT INTO tokens VALUES (2,1,1,0,'ci','abc')");
    sqlite3_close(db);
}

/* Overwrites the root page of a table. */
static void damage(const char *table)
{
    char sql[96], page[4096];
    sqlite3 *db = NULL;
    snprintf(sql, sizeof(sql), "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    int root = count(db, sql);
    sqlite3_close(db);
    memset(page, 0xa5, sizeof(page));
    FILE *file = fopen(store_path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)(root - 1) * 4096, SEEK_SET), 0);
    assert_int_equal(fwrite(page, 1, sizeof(page), file), sizeof(page));
    fclose(file);
}

STORE_TEST(what_can_be_read_of_a_damaged_store_is_taken_over)
{
    static const char *const tables[] = {"runs", "jobs", "tokens"};
    for (int i = 0; i < 3; i++) {
        struct sl_diag diag = {0};
        sqlite3 *db = NULL;
        unlink(store_path);
        fill();
        damage(tables[i]);
        assert_int_equal(sl_schema_open(store_path, &db, &diag), SL_E_FORMAT);
        assert_non_null(strstr(diag.hint, "--rebuild"));
        assert_int_equal(sl_set_aside(store_path, &diag), 0);
        assert_int_equal(sl_schema_open(store_path, &db, &diag), 0);
        assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs WHERE idempotency_key = 'key'"),
                         i != 1);
        assert_int_equal(count(db, "SELECT COUNT(*) FROM tokens WHERE name = 'ci'"), i != 2);
        sqlite3_close(db);
    }
}

STORE_TEST(a_file_that_is_no_database_is_set_aside_whole)
{
    struct sl_diag diag = {0};
    sqlite3 *db = NULL;
    char command[256];
    snprintf(command, sizeof(command), "echo not a database at all, and long enough > %s",
             store_path);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_set_aside(store_path, &diag), 0);
    assert_int_equal(sl_schema_open(store_path, &db, &diag), 0);
    assert_int_equal(count(db, "SELECT COUNT(*) FROM jobs"), 0);
    sqlite3_close(db);
    snprintf(command, sizeof(command), "grep -q 'not a database' %s.damaged-*", store_path);
    assert_int_equal(system(command), 0);
}
