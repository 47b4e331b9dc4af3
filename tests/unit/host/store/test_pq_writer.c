/* tests/unit/host/store/test_pq_writer.c: the row itself is test_postgres.c's. */
#include "host/store/pq_writer.h"

#include <stdio.h>
#include <string.h>

#include "host/store/database.h"
#include "tests/support/test.h"

static struct sl_pq_writer writer_of(uint64_t batch, bool in_doubt)
{
    struct sl_pq_writer writer;
    sl_pq_writer_init(&writer);
    writer.batch = batch;
    writer.in_doubt = in_doubt;
    return writer;
}

TEST(each_writer_has_a_name_of_its_own)
{
    struct sl_pq_writer one = writer_of(0, false), other = writer_of(0, false);
    assert_int_equal(strlen(one.id), SL_PQ_WRITER_ID_BYTES - 1);
    assert_string_not_equal(one.id, other.id);
}

TEST(only_the_number_of_the_commit_in_doubt_tells_that_it_took_place)
{
    struct sl_pq_writer writer = writer_of(7, true);
    assert_true(sl_pq_writer_found(&writer, 8));
    assert_int_equal(writer.batch, 8);
    assert_false(writer.in_doubt);
    writer = writer_of(7, true);
    assert_false(sl_pq_writer_found(&writer, 9)); /* the question made it so: it never may now */
    assert_int_equal(writer.batch, 9);
    writer = writer_of(7, false);
    assert_false(sl_pq_writer_found(&writer, 8));
    assert_int_equal(writer.batch, 8);
}

TEST(the_question_leaves_the_number_that_was_wanted_and_changes_a_lower_one)
{
    char sql[SL_PQ_WRITER_SQL_BYTES], values[64];
    struct sl_pq_writer writer = writer_of(7, true);
    sl_pq_writer_find_sql(&writer, sql);
    snprintf(values, sizeof(values), "VALUES ('%s', 9,", writer.id);
    assert_non_null(strstr(sql, values));
    assert_non_null(strstr(sql, "WHEN w.batch < 8 THEN excluded.batch"));
    writer.in_doubt = false;
    sl_pq_writer_find_sql(&writer, sql);
    assert_non_null(strstr(sql, "WHEN w.batch < 7 THEN excluded.batch"));
}

TEST(the_longest_identity_fits_and_is_told_in_either_case)
{
    char sql[SL_PQ_WRITER_SQL_BYTES], end[2 * SL_NAME_BYTES + 60];
    struct sl_database db = {.family = "family"};
    memset(db.identity, 'c', sizeof(db.identity) - 1);
    snprintf(end, sizeof(end), "THEN pg_notify('sme2lab_%s', 'family') END", db.identity);
    sl_pq_writer_end_sql(true, &db, sql);
    assert_non_null(strstr(sql, end));
    assert_non_null(strstr(sql, "FROM own"));
    sl_pq_writer_end_sql(false, &db, sql);
    assert_non_null(strstr(sql, end));
    sl_pq_writer_end_sql(false, NULL, sql);
    assert_null(strstr(sql, "pg_notify"));
    sl_pq_writer_listen_sql(&db, sql);
    snprintf(end, sizeof(end), "LISTEN sme2lab_%s", db.identity);
    assert_non_null(strstr(sql, end));
    db.place = 2; /* another lock, and no notices */
    sl_pq_writer_listen_sql(&db, sql);
    snprintf(end, sizeof(end), "lock_shared(hashtextextended('sme2lab_%s', 2))", db.identity);
    assert_non_null(strstr(sql, end));
    assert_null(strstr(sql, "LISTEN"));
    sl_pq_writer_end_sql(false, &db, sql);
    snprintf(end, sizeof(end), "xact_lock(hashtextextended('sme2lab_%s', 2))", db.identity);
    assert_non_null(strstr(sql, end));
}
