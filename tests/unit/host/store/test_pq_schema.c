/* tests/unit/host/store/test_pq_schema.c */
#include "host/store/pq_schema.h"

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

static struct sl_database *open_database(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    return db;
}

STORE_ANY_TEST(numbers_are_given_out_once_and_can_be_raised)
{
    uint64_t number = 9;
    if (!store_root)
        skip();
    struct sl_database *db = open_database();
    assert_int_equal(sl_pq_last_number(db, "jobs", &number), 0);
    assert_int_equal(number, 0);
    for (uint64_t i = 1; i < 3; i++) {
        assert_int_equal(sl_pq_next_number(db, "jobs", &number), 0);
        assert_int_equal(number, i);
    }
    assert_int_equal(sl_pq_raise_number(db, "jobs", 7), 0);
    assert_int_equal(sl_pq_raise_number(db, "jobs", 3), 0); /* it is above that already */
    assert_int_equal(sl_pq_last_number(db, "jobs", &number), 0);
    assert_int_equal(number, 7);
    assert_int_equal(sl_pq_next_number(db, "jobs", &number), 0);
    assert_int_equal(number, 8);
    sl_database_close(db);
}

STORE_ANY_TEST(a_version_is_told_as_it_was_set_and_types_are_the_server_s)
{
    int before = 0, version = 0;
    uint64_t number = 0;
    if (!store_root)
        skip();
    struct sl_database *db = open_database();
    assert_int_equal(sl_pq_version(db, &before), 0);
    assert_true(before > 0);
    assert_int_equal(sl_pq_set_version(db, before + 1), 0);
    assert_int_equal(sl_pq_version(db, &version), 0);
    assert_int_equal(version, before + 1);
    assert_int_equal(sl_pq_define(db, "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER)"), 0);
    assert_int_equal(sl_database_exec(db, "INSERT INTO t VALUES (1, 8589934592)"), 0);
    assert_int_equal(sl_pq_number(db, "SELECT at FROM t", &number), 0);
    assert_int_equal(number, 8589934592);
    assert_int_equal(sl_pq_number(db, "SELECT at FROM t WHERE id = 2", &number), SL_E_NOT_FOUND);
    assert_true(sl_pq_number(db, "SELECT nothing FROM t", &number) < 0);
    sl_database_close(db);
}
