/* tests/unit/host/store/test_schema.c: stores of every earlier version, with rows in them. */
#include "host/store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "tests/support/old_store.h"
#include "tests/support/store_query.h"

static void open_and_close(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    sl_database_close(db);
}

static int version(void)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int found = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return found;
}

/* Tables and columns as they are, indexes and views by their names. */
static const char described[] =
    "SELECT group_concat(line, ';') FROM (SELECT s.name || '(' || coalesce((SELECT "
    "group_concat(c.name || c.type || c.\"notnull\" || coalesce(c.dflt_value, '-') || c.pk) FROM "
    "pragma_table_info(s.name) AS c), '') || ')' AS line FROM sqlite_schema AS s WHERE s.name NOT "
    "LIKE 'sqlite_%' ORDER BY s.name)";

static void describe(char *out, size_t size)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, described, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    snprintf(out, size, "%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    sqlite3_close(db);
}

STORE_TEST(a_store_of_every_version_becomes_one_of_this_with_its_rows)
{
    char fresh[8192], migrated[8192];
    open_and_close();
    int newest = version();
    describe(fresh, sizeof(fresh));
    assert_in_range(newest, 5, 1000);
    for (int number = 1; number <= newest; number++) {
        make_store_of(number, store_path);
        assert_int_equal(version(), number);
        open_and_close();
        assert_int_equal(version(), newest);
        describe(migrated, sizeof(migrated));
        assert_string_equal(migrated, fresh);
        assert_store_rows("SELECT id, state, priority, selector, config FROM jobs ORDER BY id",
                          "[[7,2,-3,\"phone-1\",\"{\\\"model\\\":\\\"m\\\",\\\"labels\\\":"
                          "{\\\"commit\\\":\\\"abc\\\"}}\"],[8,0,0,\"\",\"{}\"]]");
        assert_store_rows("SELECT runtime FROM runs", "[[\"own\"]]");
        assert_store_rows("SELECT id, job, model, verdict, exit_code, series, baseline FROM runs",
                          number == 1  ? "[[5,7,\"toy\",\"slower\",3,\"\",0]]"
                          : number < 4 ? "[[5,7,\"toy\",\"slower\",3,\"0123456789abcdef\",0]]"
                                       : "[[5,7,\"toy\",\"slower\",3,\"0123456789abcdef\",10]]");
        assert_store_rows("SELECT value FROM labels WHERE key = 'commit'", "[[\"abc\"]]");
    }
}

STORE_TEST(figures_of_the_version_before_stay)
{
    make_store_of(5, store_path);
    open_and_close();
    assert_store_rows("SELECT o.name, o.median, d.soc, l.value, a.number, c.low FROM operators o "
                      "JOIN runs r ON r.id = o.run JOIN devices d ON d.name = r.device JOIN labels "
                      "l ON l.run = r.id JOIN attempts a ON a.job = r.job JOIN changes c ON c.run "
                      "= r.id",
                      "[[\"Fully Connected\",15,\"SoC-1\",\"abc\",1,7]]");
    assert_store_rows("SELECT name, runs FROM commits", "[[\"abc\",1]]");
}

/* A run of a device named phone-1, as a daemon of this version stores it. */
#define STORED(id, job, series, former)                                                            \
    "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, model_sha256, device, "  \
    "verdict, ratio, directory, series, former_series) VALUES (" #id ", " #job                     \
    ", 0, 0, 4, 'toy', '', 'phone-1', '', 0, '', '" series "', '" former "');"

STORE_TEST(the_first_phone_of_the_name_goes_on_with_the_series_that_the_name_had)
{
    static const char list[] = "SELECT id, series FROM runs ORDER BY id";
    static const char sql[] = STORED(6, 9, "aaaaaaaaaaaaaaaa", "0123456789abcdef")
        STORED(7, 10, "bbbbbbbbbbbbbbbb", "0123456789abcdef")
        /* an old run comes back from its copy, another comes in */
        STORED(4, 6, "0123456789abcdef", "") STORED(8, 11, "0123456789abcdef", "");
    sqlite3 *db = NULL;
    make_store_of(11, store_path);
    open_and_close();
    assert_store_rows(list, "[[5,\"0123456789abcdef\"]]");
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_store_rows(list, "[[4,\"aaaaaaaaaaaaaaaa\"],[5,\"aaaaaaaaaaaaaaaa\"],"
                            "[6,\"aaaaaaaaaaaaaaaa\"],[7,\"bbbbbbbbbbbbbbbb\"],"
                            "[8,\"0123456789abcdef\"]]");
}

STORE_TEST(a_damaged_page_is_found_and_nothing_is_changed)
{
    enum { PAGE_BYTES = 4096 };
    static const char junk[PAGE_BYTES] = "no page";
    struct sl_diag diag = {.what = ""};
    struct sl_buf before, after;
    assert_int_equal(sl_schema_check(store_path, &diag), 0); /* there is none yet */
    assert_int_equal(access(store_path, F_OK), -1);
    open_and_close();
    assert_int_equal(sl_schema_check(store_path, &diag), 0);
    FILE *file = fopen(store_path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 2 * PAGE_BYTES, SEEK_SET), 0);
    assert_int_equal(fwrite(junk, sizeof(junk), 1, file), 1);
    fclose(file);
    assert_int_equal(sl_buf_read_file(store_path, 1 << 24, &before), 0);
    assert_int_equal(sl_schema_check(store_path, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "the store is damaged"));
    assert_non_null(strstr(diag.hint, "--rebuild"));
    assert_int_equal(sl_buf_read_file(store_path, 1 << 24, &after), 0);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, after.size);
    sl_buf_fini(&before);
    sl_buf_fini(&after);
}
