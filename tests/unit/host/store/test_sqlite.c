/* tests/unit/host/store/test_sqlite.c: statements that are kept. */
#include "host/store/sqlite.h"

#include <stdio.h>

#include "host/store/database.h"
#include "host/store/statement.h"
#include "tests/support/test.h"

enum { MORE_THAN_KEPT = 100 };

static uint64_t number_of(struct sl_database *db, const char *sql, const char *text)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    if (text)
        sl_statement_bind_text(&statement, text);
    assert_int_equal(sl_statement_step(&statement), 1);
    uint64_t number = sl_statement_u64(&statement, 0);
    sl_statement_fini(&statement);
    return number;
}

TEST(a_statement_forgets_its_values_and_its_place)
{
    struct sl_database *db = NULL;
    assert_int_equal(sl_sqlite_open_memory(&db), 0);
    assert_int_equal(number_of(db, "SELECT length(?)", "abc"), 3);
    assert_int_equal(number_of(db, "SELECT ifnull(length(?), 7)", NULL), 7);
    assert_int_equal(number_of(db, "SELECT ifnull(length(?), 7)", "ab"), 2);
    assert_int_equal(number_of(db, "SELECT ifnull(length(?), 7)", NULL), 7);
    assert_int_equal(number_of(db, "SELECT length(?)", "abcd"), 4);
    sl_database_close(db);
}

TEST(one_text_can_be_under_way_twice)
{
    struct sl_database *db = NULL;
    struct sl_statement one, two;
    assert_int_equal(sl_sqlite_open_memory(&db), 0);
    assert_int_equal(number_of(db, "SELECT length(?)", "a"), 1);
    sl_statement_init(&one, db, "SELECT length(?)");
    sl_statement_init(&two, db, "SELECT length(?)");
    assert_ptr_not_equal(one.handle, two.handle);
    sl_statement_bind_text(&one, "abc");
    sl_statement_bind_text(&two, "abcde");
    assert_int_equal(sl_statement_step(&one), 1);
    assert_int_equal(sl_statement_step(&two), 1);
    assert_int_equal(sl_statement_u64(&one, 0), 3);
    assert_int_equal(sl_statement_u64(&two, 0), 5);
    sl_statement_fini(&one);
    sl_statement_fini(&two);
    sl_database_close(db);
}

TEST(kept_statements_end_with_the_database_and_see_its_schema_change)
{
    char sql[48];
    struct sl_database *db = NULL;
    assert_int_equal(sl_sqlite_open_memory(&db), 0);
    assert_int_equal(sl_database_exec(db, "CREATE TABLE t (a); INSERT INTO t VALUES (5)"), 0);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MORE_THAN_KEPT; i++) {
            snprintf(sql, sizeof(sql), "SELECT a + %d FROM t WHERE a > ?", i);
            struct sl_statement statement;
            sl_statement_init(&statement, db, sql);
            sl_statement_bind_i64(&statement, 1);
            assert_int_equal(sl_statement_step(&statement), 1);
            assert_int_equal(sl_statement_u64(&statement, 0), 5 + i);
            sl_statement_fini(&statement);
        }
    assert_int_equal(number_of(db, "SELECT max(a) FROM t", NULL), 5);
    assert_int_equal(sl_database_exec(db, "DROP TABLE t; CREATE TABLE t (b, a);"
                                          "INSERT INTO t VALUES (1, 9)"),
                     0);
    assert_int_equal(number_of(db, "SELECT max(a) FROM t", NULL), 9);
    sl_database_close(db);
}

TEST(a_statement_that_cannot_be_planned_is_not_kept)
{
    struct sl_database *db = NULL;
    struct sl_statement statement;
    assert_int_equal(sl_sqlite_open_memory(&db), 0);
    assert_null(sl_sqlite_statement(NULL));
    for (int i = 0; i < 2; i++) {
        sl_statement_init(&statement, db, i == 0 ? "SELECT a FROM nowhere" : "");
        assert_int_not_equal(sl_statement_step(&statement), 0);
        assert_null(statement.handle);
        sl_statement_fini(&statement);
    }
    sl_database_close(db);
}
