/* tests/unit/host/store/test_query.c: what may be asked, and how much. */
#include "host/store/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"

static void make_store(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(
        sl_database_exec(db, STORE_INSERT_JOB
                         "VALUES (1,2,0,0,1,0,0,0,0,0,0,'','','','{}','secret-key','');"
                         "INSERT INTO tokens VALUES (1,3,0,0,'admin','secret-hash','',0)"),
        0);
    sl_database_close(db);
}

STORE_FILE_TEST(values_come_out_as_they_are)
{
    char out[1024];
    struct sl_diag diag = {0};
    make_store();
    assert_int_equal(
        store_ask("SELECT 1 AS one, -2.5 AS x, 'a\"b' AS t, NULL AS n, x'00ff' AS blob, "
                  "9223372036854775807 AS big, 1e999 AS inf -- and a comment",
                  5, 1000, out, sizeof(out), &diag),
        0);
    assert_string_equal(out, "{\"columns\":[\"one\",\"x\",\"t\",\"n\",\"blob\",\"big\",\"inf\"],"
                             "\"rows\":[[1,-2.5,\"a\\\"b\",null,\"00ff\",9223372036854775807,null]]"
                             ",\"truncated\":false}");
}

STORE_FILE_TEST(nothing_is_written_and_nothing_private_is_read)
{
    static const char *const refused[] = {
        "DELETE FROM jobs",
        "UPDATE jobs SET state = 0",
        "INSERT INTO labels VALUES (1, 'a', 'b')",
        "DROP TABLE runs",
        "CREATE TEMP TABLE t (x)",
        "ATTACH '/tmp/other' AS other",
        "PRAGMA user_version = 0",
        "PRAGMA journal_mode = DELETE",
        "VACUUM INTO '/tmp/copy'",
        "BEGIN",
        "SELECT * FROM tokens",
        "SELECT * FROM audit",
        "SELECT count(*) FROM tokens WHERE sha256 LIKE 's%'",
        "SELECT id FROM jobs WHERE idempotency_key = 'secret-key'",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM jobs",
        "SELECT ?",
        "",
        "  -- nothing",
        "SELEC",
        "SELECT * FROM nothing",
    };
    char out[1024];
    make_store();
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct sl_diag diag = {0};
        int rc = store_ask(refused[i], 5, 1000, out, sizeof(out), &diag);
        if (rc != SL_E_FORMAT || !diag.what[0])
            fail_msg("%s: %d %s", refused[i], rc, diag.what);
        assert_null(strstr(out, "secret"));
    }
    assert_store_rows("SELECT count(*) FROM jobs", "[[1]]");
}

STORE_FILE_TEST(rows_bytes_and_time_have_limits)
{
    static const char numbers[] =
        "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c%s) SELECT %s FROM c";
    char sql[256], out[128];
    struct sl_diag diag = {0};
    make_store();
    snprintf(sql, sizeof(sql), numbers, " WHERE x < 3", "x");
    assert_int_equal(store_ask(sql, 2, 1000, out, sizeof(out), &diag), 0);
    assert_string_equal(out, "{\"columns\":[\"x\"],\"rows\":[[1],[2]],\"truncated\":true}");
    assert_int_equal(store_ask(sql, 3, 1000, out, sizeof(out), &diag), 0);
    assert_non_null(strstr(out, "\"truncated\":false"));
    snprintf(sql, sizeof(sql), numbers, "", "count(*)");
    assert_int_equal(store_ask(sql, 2, 50, out, sizeof(out), &diag), -ETIMEDOUT);
    assert_non_null(strstr(diag.what, "50 ms"));
    assert_int_equal(
        store_ask("SELECT length(zeroblob(100000000))", 2, 1000, out, sizeof(out), &diag),
        SL_E_FORMAT);
    /* of 100 rows of a MiB each no more than the limit come */
    snprintf(sql, sizeof(sql), numbers, " WHERE x < 100", "hex(zeroblob(524288))");
    struct sl_buf text;
    struct sl_json json;
    const struct sl_query query = {.sql = sql, .max_rows = 1000, .max_ms = SL_QUERY_MAX_MS};
    sl_buf_init(&text, 64 << 20);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    assert_int_equal(sl_query_run(store_path, &query, &json, &diag), 0);
    assert_in_range(text.size, SL_QUERY_MAX_ANSWER_BYTES, SL_QUERY_MAX_ANSWER_BYTES + (2 << 20));
    sl_buf_fini(&text);
}

STORE_ANY_TEST(a_writer_in_its_transaction_keeps_nobody_waiting)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    make_store();
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(db->kind->begin(db), 0);
    assert_int_equal(sl_database_exec(db, "DELETE FROM jobs"), 0);
    assert_store_rows("SELECT count(*) FROM jobs", "[[1]]");
    assert_int_equal(sl_database_exec(db, "COMMIT"), 0);
    assert_store_rows("SELECT count(*) FROM jobs", "[[0]]");
    sl_database_close(db);
}

STORE_FILE_TEST(a_store_that_is_not_there_is_told)
{
    char out[64];
    struct sl_diag diag = {0};
    assert_int_equal(store_ask("SELECT 1", 1, 1000, out, sizeof(out), &diag), -EIO);
    assert_true(diag.what[0]);
}
