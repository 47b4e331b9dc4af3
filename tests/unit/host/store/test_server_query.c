/* tests/unit/host/store/test_server_query.c */
#include "host/store/server_query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/store/migrations.h"
#include "host/store/schema.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

STORE_ANY_TEST(values_rows_and_time_are_as_of_a_file)
{
    char out[512];
    struct sl_diag diag = {0};
    if (!store_root)
        skip();
    assert_int_equal(store_ask("SELECT 1 AS one, -2.5 AS x, 'a\"b' AS t, NULL AS n, true AS yes, "
                               "9223372036854775807 AS big, CAST('NaN' AS REAL) AS nan -- the end",
                               5, 1000, out, sizeof(out), &diag),
                     0);
    assert_string_equal(out, "{\"columns\":[\"one\",\"x\",\"t\",\"n\",\"yes\",\"big\",\"nan\"],"
                             "\"rows\":[[1,-2.5,\"a\\\"b\",null,1,9223372036854775807,null]],"
                             "\"truncated\":false}");
    assert_int_equal(store_ask("SELECT n AS a, n AS a FROM generate_series(1, 40) AS n", 2, 1000,
                               out, sizeof(out), &diag),
                     0);
    assert_string_equal(out,
                        "{\"columns\":[\"a\",\"a\"],\"rows\":[[1,1],[2,2]],\"truncated\":true}");
    assert_int_equal(store_ask("SELECT pg_sleep(20)", 2, 50, out, sizeof(out), &diag), -ETIMEDOUT);
    assert_non_null(strstr(diag.what, "50 ms"));
    assert_int_equal(store_ask("SELECT length(repeat('x', 50000000)), repeat('x', 50000000)", 2,
                               SL_QUERY_MAX_MS, out, sizeof(out), &diag),
                     0);
}

/* The first part of its rows lifts the limit, the second one would never come. */
STORE_ANY_TEST(a_question_that_lifts_its_limit_of_time_is_ended)
{
    char out[512];
    struct sl_diag diag = {0};
    if (!store_root)
        skip();
    assert_int_equal(
        store_ask("SELECT CASE n WHEN 1 THEN set_config('statement_timeout', '0', false) WHEN 17 "
                  "THEN (SELECT count(*)::text FROM generate_series(1, 1000000000000)) END FROM "
                  "generate_series(1, 17) AS n",
                  20, 300, out, sizeof(out), &diag),
        -ETIMEDOUT);
    assert_non_null(strstr(diag.what, "300 ms"));
    assert_store_rows("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                      "query LIKE '%generate_series%'",
                      "[[0]]");
}

STORE_ANY_TEST(nothing_is_written_and_one_statement_is_answered)
{
    static const char *const refused[] = {
        "DELETE FROM pg_class",
        "CREATE TABLE t (x INT)",
        "COMMIT",
        "SET TRANSACTION READ WRITE",
        "SELECT 1; SELECT 2",
        "SELECT $1",
        "",
        "SELEC",
        "SELECT * FROM nothing",
        "SELECT 1) AS question(c0); DROP TABLE jobs; --",
        "COPY (SELECT 1) TO STDOUT",
    };
    char out[256];
    if (!store_root)
        skip();
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct sl_diag diag = {0};
        int rc = store_ask(refused[i], 5, 1000, out, sizeof(out), &diag);
        if (rc != SL_E_FORMAT || !diag.what[0] || !strstr(diag.hint, "only reads"))
            fail_msg("%s: %d %s: %s", refused[i], rc, diag.what, diag.hint);
    }
}

/* The store's URL as of another user. */
static void url_as(const char *user, char *out, size_t size)
{
    const char *rest = strstr(store_path, "sme2lab@");
    assert_non_null(rest);
    snprintf(out, size, "postgresql://%s%s", user, rest + strlen("sme2lab"));
}

STORE_ANY_TEST(a_reader_gets_the_right_to_read_and_no_other)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    char reader[512], out[128];
    if (!store_root)
        skip();
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(sl_migrations_run(db, "again", &diag),
                     0); /* those that ran do not run again */
    sl_database_close(db);
    url_as("reader", reader, sizeof(reader));
    assert_int_equal(
        store_ask_as(reader, "SELECT count(*) FROM jobs", 1, 1000, out, sizeof(out), &diag),
        SL_E_FORMAT);
    assert_int_equal(sl_server_query_let_read(store_path, reader, &diag), 0);
    assert_int_equal(store_ask_as(reader, "SELECT count(*) FROM jobs, hosts, host_devices", 1, 1000,
                                  out, sizeof(out), &diag),
                     0);
    assert_int_equal(store_ask_as(reader, "SELECT * FROM tokens", 1, 1000, out, sizeof(out), &diag),
                     SL_E_FORMAT);
    assert_int_equal(sl_server_query_let_read(store_path, "postgresql://u@/d?host=/nowhere", &diag),
                     -ENOTCONN);
}

STORE_ANY_TEST(a_reader_that_may_do_more_is_refused)
{
    static const char *const users[] = {"sme2lab", "guarded:secret", "postgres"};
    struct sl_database *db = NULL;
    struct sl_diag none = {0};
    char reader[512];
    if (!store_root)
        skip();
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &none), 0);
    sl_database_close(db);
    for (size_t i = 0; i < sizeof(users) / sizeof(*users); i++) {
        struct sl_diag diag = {0};
        url_as(users[i], reader, sizeof(reader));
        assert_int_equal(sl_server_query_let_read(store_path, reader, &diag), -EACCES);
        assert_non_null(strstr(diag.what, "may read tokens"));
        assert_non_null(strstr(diag.hint, "CREATE ROLE"));
    }
}
